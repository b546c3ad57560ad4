//! Walls that close on a body: prescribed parts, or a part and a half-space, that approach to less than the body's
//! width.

use nalgebra::Vector3;

use super::carried::{CarriedPoints, first_time};
use super::finding::Symptom;
use crate::model::Model;
use crate::scene::RigidMotion;

/// Relative width to which a deformable body may be compressed without a warning. Material laws and meshes still work
/// at a third.
const PRESSED: f64 = 0.2;

/// A solid or half-space that a body can be pressed against.
enum Wall<'a> {
    CarriedPoints(&'a CarriedPoints<'a>),
    /// A half-space by its index.
    HalfSpace(usize),
}

/// A body between two walls that approach to less than its width.
pub(super) struct Squeeze {
    body: usize,
    /// Number of other bodies between these walls.
    others: usize,
    /// Solids, or half-spaces numbered after them.
    pub(super) walls: [usize; 2],
    time: f64,
    width: f64,
    least: f64,
    least_time: f64,
}

impl Squeeze {
    pub(super) fn symptom(&self, model: &Model) -> Symptom {
        let [first, second] = self
            .walls
            .map(|wall| model.geometry.name_of(wall).to_owned());
        Symptom::Squeezed {
            body: model.geometry.solid(self.body).name.clone(),
            others: self.others,
            first,
            second,
            time: self.time,
            width: self.width,
            room: self.least,
            room_time: self.least_time,
        }
    }
}

/// For each pair of walls, the body for which the space is too small first; ascending by time.
pub(super) fn squeezes(model: &Model, parts: &[CarriedPoints<'_>], duration: f64) -> Vec<Squeeze> {
    let walls: Vec<Wall<'_>> = (parts.iter().map(Wall::CarriedPoints))
        .chain((0..model.geometry.half_spaces.len()).map(Wall::HalfSpace))
        .collect();
    let mut found: Vec<Squeeze> = Vec::new();
    for (index, first) in walls.iter().enumerate() {
        for second in &walls[index + 1..] {
            let directions = directions(model, first, second);
            if directions.is_empty() {
                continue;
            }
            let mut worst: Option<Squeeze> = None;
            for body in 0..model.geometry.bodies.len() {
                if model.geometry.surface.passive()[body] {
                    continue;
                }
                let squeezed = (directions.iter())
                    .filter_map(|along| squeeze(model, [first, second], body, along, duration))
                    .min_by(|a, b| a.time.total_cmp(&b.time));
                let Some(mut squeezed) = squeezed else {
                    continue;
                };
                if let Some(known) = worst.take() {
                    let others = known.others + 1;
                    if known.time <= squeezed.time {
                        squeezed = known;
                    }
                    squeezed.others = others;
                }
                worst = Some(squeezed);
            }
            found.extend(worst);
        }
    }
    found.sort_by(|a, b| a.time.total_cmp(&b.time));
    found
}

/// Directions along which two walls move relative to each other, if they do not rotate.
fn directions<'a>(model: &Model, first: &Wall<'a>, second: &Wall<'a>) -> Vec<Vector3<f64>> {
    let [one, two]: [Option<&'a RigidMotion>; 2] = [first, second].map(|wall| match wall {
        Wall::CarriedPoints(part) => Some(part.motion),
        Wall::HalfSpace(_) => None,
    });
    let mut moving = [one, two].into_iter().flatten();
    if moving.clone().all(RigidMotion::is_rest)
        || moving.any(|motion| motion.fastest_turn() > 0.0)
        || one == two
    {
        return Vec::new();
    }
    for wall in [first, second] {
        if let Wall::HalfSpace(index) = wall {
            return vec![model.geometry.half_spaces[*index].normal];
        }
    }
    let legs = [one, two]
        .into_iter()
        .flatten()
        .flat_map(|motion| &motion.then);
    let mut found: Vec<Vector3<f64>> = Vec::new();
    for time in std::iter::once(0.0).chain(legs.map(|leg| leg.at)) {
        let [v, w] = [one, two]
            .map(|motion| motion.map_or_else(Vector3::zeros, |m| m.velocities_at(time).0));
        if let Some(along) = (v - w).try_normalize(0.0)
            && found.iter().all(|known| known.cross(&along).norm() > 1e-9)
        {
            found.push(along);
        }
    }
    found
}

/// Least and greatest value of `along · x`.
fn interval<'a>(points: impl Iterator<Item = &'a Vector3<f64>>, along: &Vector3<f64>) -> [f64; 2] {
    points
        .map(|x| along.dot(x))
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| {
            [a.min(x), b.max(x)]
        })
}

impl Wall<'_> {
    /// Extent along a direction at the start (m).
    fn extent(&self, model: &Model, along: &Vector3<f64>) -> [f64; 2] {
        match self {
            Wall::CarriedPoints(part) => interval(part.points.iter(), along),
            Wall::HalfSpace(index) => {
                let half_space = &model.geometry.half_spaces[*index];
                let height = along.dot(&half_space.point);
                if half_space.normal.dot(along) > 0.0 {
                    [f64::NEG_INFINITY, height]
                } else {
                    [height, f64::INFINITY]
                }
            }
        }
    }

    fn carried(&self) -> Option<&CarriedPoints<'_>> {
        match self {
            Wall::CarriedPoints(part) => Some(part),
            Wall::HalfSpace(_) => None,
        }
    }

    /// Its displacement since the start (m).
    fn shift(&self, time: f64) -> Vector3<f64> {
        self.carried()
            .map_or_else(Vector3::zeros, |part| part.motion.shift_at(time))
    }

    /// Number of its solid, or of its half-space after them.
    fn number(&self, model: &Model) -> usize {
        match self {
            Wall::CarriedPoints(part) => part.solid,
            Wall::HalfSpace(index) => model.geometry.solid_count() + index,
        }
    }
}

/// Whether the walls leave a body less space along a direction than it needs.
fn squeeze(
    model: &Model,
    walls: [&Wall<'_>; 2],
    body: usize,
    along: &Vector3<f64>,
    duration: f64,
) -> Option<Squeeze> {
    let slack = model.geometry.clearance_between(&[body]);
    let points = &model.points.rest[model.geometry.bodies[body].points.clone()];
    let of_body = interval(points.iter(), along);
    let extent = |wall: &Wall<'_>| wall.extent(model, along);
    let [mut low, mut high] = walls;
    if extent(low)[1] > extent(high)[0] {
        std::mem::swap(&mut low, &mut high);
    }
    let [below, above] = [extent(low)[1], extent(high)[0]];
    // Between its own held nodes, a body starts where they end.
    let is_own = |wall: &Wall<'_>| wall.carried().is_some_and(|part| part.solid == body);
    let foot = if is_own(low) { below } else { of_body[0] };
    let head = if is_own(high) { above } else { of_body[1] };
    // A body without width fits until the walls meet.
    if below > foot + slack || above < head - slack || head - foot <= slack {
        return None;
    }
    let width = head - foot;
    let is_rigid = model.geometry.bodies[body].tets.is_empty() && !model.geometry.bodies[body].thin;
    let needed = if is_rigid {
        width - 2.0 * slack
    } else {
        PRESSED * width
    };
    let room =
        |time: f64| (above + along.dot(&high.shift(time))) - (below + along.dot(&low.shift(time)));
    let times = turning_times([low, high], duration);
    let time = first_time(&times, |time| room(time) < needed)?;
    let least_time = times
        .iter()
        .copied()
        .min_by(|a, b| room(*a).total_cmp(&room(*b)))?;
    if !are_in_line(points, [low, high], along, time) {
        return None;
    }
    let [one, two] = [low.number(model), high.number(model)];
    Some(Squeeze {
        body,
        others: 0,
        walls: [one.min(two), one.max(two)],
        time,
        width,
        least: room(least_time).max(0.0),
        least_time,
    })
}

/// Ascending times between which the space between two walls is linear in time: start, end and starts of legs.
fn turning_times(walls: [&Wall<'_>; 2], duration: f64) -> Vec<f64> {
    let parts = walls.into_iter().filter_map(Wall::carried);
    let end = parts
        .clone()
        .map(|part| part.end(duration))
        .fold(duration, f64::min);
    let mut times: Vec<f64> = parts
        .flat_map(|part| &part.motion.then)
        .map(|leg| leg.at)
        .filter(|&at| at > 0.0 && at < end)
        .chain([0.0, end])
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Whether the projections of the body's `points` and both walls `along` the direction overlap. If not, the body is
/// beside the walls.
fn are_in_line(
    points: &[Vector3<f64>],
    walls: [&Wall<'_>; 2],
    along: &Vector3<f64>,
    time: f64,
) -> bool {
    let across = along.cross(&Vector3::ith(along.iamin(), 1.0)).normalize();
    [across, along.cross(&across)].iter().all(|side| {
        let mut spans = vec![interval(points.iter(), side)];
        for wall in walls {
            if let Wall::CarriedPoints(part) = wall {
                let offset = side.dot(&wall.shift(time));
                spans.push(interval(part.points.iter(), side).map(|x| x + offset));
            }
        }
        let lower = spans
            .iter()
            .map(|span| span[0])
            .fold(f64::NEG_INFINITY, f64::max);
        let upper = spans
            .iter()
            .map(|span| span[1])
            .fold(f64::INFINITY, f64::min);
        lower < upper
    })
}
