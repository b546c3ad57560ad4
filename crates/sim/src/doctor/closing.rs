//! Prescribed motions that leave no room: walls that close on a body, and paths that meet.
//!
//! Nothing is simulated: a body is where it starts, what drives it aside is not known. So these are warnings. They are
//! right where the body is held or stands between the walls, which is the case that no step can solve.

use impinge_geometry::exact::{triangles_intersect, winding_number};
use nalgebra::Vector3;

use super::finding::Symptom;
use super::squeeze::squeezes;
use crate::model::{Model, PointMotion};
use crate::scene::RigidMotion;

/// How far two paths come towards each other between two looks, in the sum of the shortest sides of the boxes around
/// both parts: two thin walls that pass through each other do so within that.
const LOOK: f64 = 0.25;

/// Placements of triangles that are looked at for one pair of paths; beyond that, looks are farther apart.
const WORK: f64 = 2e6;

/// Looks at a pair of paths, at least and at most.
const LOOKS: [f64; 2] = [16.0, 4096.0];

/// Halvings of the time between two looks.
const HALVINGS: usize = 20;

/// Points of a part without triangles that are looked for inside other parts.
const SAMPLE: usize = 16;

/// Points of one solid that one prescribed motion carries.
pub(super) struct Part<'a> {
    pub(super) solid: usize,
    pub(super) motion: &'a RigidMotion,
    pub(super) points: Vec<Vector3<f64>>,
    triangles: Vec<[Vector3<f64>; 3]>,
    center: Vector3<f64>,
    /// Of a ball about the centre that holds all points (m).
    radius: f64,
    /// Shortest side of the box around all points at the start (m).
    thickness: f64,
    /// Whether nothing of the solid is ever free; two such solids are never tested against each other.
    passive: bool,
}

/// Walls that close on bodies up to `duration` (s), and paths that meet.
pub(super) fn examine(model: &Model, duration: f64, out: &mut Vec<Symptom>) {
    if model.motions.iter().all(RigidMotion::is_rest) {
        return;
    }
    let parts = parts(model);
    let closing = squeezes(model, &parts, duration);
    let mut told: Vec<[usize; 2]> = Vec::new();
    for squeeze in closing {
        told.push(squeeze.walls);
        out.push(squeeze.symptom(model));
    }
    for (index, first) in parts.iter().enumerate() {
        for second in &parts[index + 1..] {
            let solids = [first.solid, second.solid];
            let apart = solids[0] != solids[1]
                && first.motion != second.motion
                && !told.contains(&solids)
                && !model.joined.contains(&solids.map(|solid| solid as u32));
            if apart && let Some((time, place)) = meeting(first, second, duration) {
                told.push(solids);
                out.push(Symptom::PathsMeet {
                    first: model.solid(solids[0]).name.clone(),
                    second: model.solid(solids[1]).name.clone(),
                    time,
                    place: place.into(),
                    tested: !(first.passive && second.passive),
                });
            }
        }
    }
    for part in parts.iter().filter(|part| !part.passive) {
        for half_space in &model.half_spaces {
            let height = |time: f64| {
                let place = |x| {
                    half_space
                        .normal
                        .dot(&(part.motion.position_at(x, time) - half_space.point))
                };
                part.points.iter().map(place).fold(f64::INFINITY, f64::min)
            };
            let enters = |time: f64| height(time) <= 0.0;
            if let Some(time) = first_time(&part.looks(None, duration), enters) {
                out.push(Symptom::PathsMeet {
                    first: model.solid(part.solid).name.clone(),
                    second: half_space.name.clone(),
                    time,
                    place: part.motion.position_at(&part.center, time).into(),
                    tested: true,
                });
            }
        }
    }
}

fn parts(model: &Model) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for solid in 0..model.solid_count() {
        let body = model.solid(solid);
        let motion_of = |point: usize| match model.motion_of_point[point] {
            PointMotion::Prescribed(motion) => Some(motion),
            _ => None,
        };
        let mut motions: Vec<u32> = body.points.clone().filter_map(motion_of).collect();
        motions.sort_unstable();
        motions.dedup();
        for motion in motions {
            let is_in = |point: usize| motion_of(point) == Some(motion);
            let points: Vec<Vector3<f64>> = (body.points.clone().filter(|&point| is_in(point)))
                .map(|point| model.rest[point])
                .collect();
            let triangles = &model.surface.triangles()[body.triangles.clone()];
            let triangles = (triangles.iter())
                .filter(|corners| corners.iter().all(|&point| is_in(point as usize)))
                .map(|corners| corners.map(|point| model.rest[point as usize]))
                .collect();
            let (lower, upper) =
                (points.iter()).fold((points[0], points[0]), |(a, b), x| (a.inf(x), b.sup(x)));
            let center = 0.5 * (lower + upper);
            let radius = points
                .iter()
                .map(|x| (x - center).norm())
                .fold(0.0, f64::max);
            parts.push(Part {
                solid,
                motion: &model.motions[motion as usize],
                points,
                triangles,
                center,
                radius,
                thickness: (upper - lower).min(),
                passive: model.surface.passive()[solid],
            });
        }
    }
    parts
}

impl Part<'_> {
    /// Until when the motion carries anything (s).
    pub(super) fn end(&self, duration: f64) -> f64 {
        self.motion.until.unwrap_or(duration).min(duration)
    }

    /// Fastest that a point moves (m/s).
    fn speed(&self) -> f64 {
        let turns = self.motion.fastest_turn();
        let arm = (self.center - self.motion.center).norm() + self.radius;
        let legs = self.motion.then.iter().map(|leg| leg.velocity.norm());
        legs.fold(self.motion.velocity.norm(), f64::max) + turns * arm
    }

    /// Times at which the part, against `other`, is looked at (s), ascending from 0.
    fn looks(&self, other: Option<&Self>, duration: f64) -> Vec<f64> {
        let end = other
            .map_or(duration, |other| other.end(duration))
            .min(self.end(duration));
        let speed = self.speed() + other.map_or(0.0, Part::speed);
        let sum = |of: fn(&Part<'_>) -> f64| of(self) + other.map_or(0.0, of);
        let thickness = sum(|part| part.thickness);
        // Flat parts have no thickness; what they pass through is met for as long as it is thick, or not for long.
        let size = if thickness > 0.0 {
            thickness
        } else {
            sum(|part| part.radius)
        };
        let triangles = self.triangles.len() + other.map_or(0, |other| other.triangles.len());
        let most = (WORK / (triangles + self.points.len()) as f64).clamp(LOOKS[0], LOOKS[1]);
        let count = (speed * end / (LOOK * size)).ceil().clamp(1.0, most);
        #[expect(clippy::cast_sign_loss, reason = "at least 1")]
        let last = count as usize;
        let mut times: Vec<f64> = (0..=last).map(|look| end * look as f64 / count).collect();
        let legs = [Some(self), other]
            .into_iter()
            .flatten()
            .flat_map(|part| &part.motion.then);
        times.extend(legs.map(|leg| leg.at).filter(|&at| at > 0.0 && at < end));
        times.sort_by(f64::total_cmp);
        times
    }

    fn corners_at(&self, time: f64) -> Vec<[Vector3<f64>; 3]> {
        let place = |corners: &[Vector3<f64>; 3]| {
            corners.each_ref().map(|x| self.motion.position_at(x, time))
        };
        self.triangles.iter().map(place).collect()
    }
}

/// The first time at which something is so that is not at the first of `times`; to a part of the time between two of
/// them.
pub(super) fn first_time(times: &[f64], is_so: impl Fn(f64) -> bool) -> Option<f64> {
    if is_so(*times.first()?) {
        return None;
    }
    let at = times.iter().position(|&time| is_so(time))?;
    let (mut before, mut after) = (times[at - 1], times[at]);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (before + after);
        if is_so(middle) {
            after = middle;
        } else {
            before = middle;
        }
    }
    Some(after)
}

/// When and where two parts meet that start apart.
fn meeting(first: &Part<'_>, second: &Part<'_>, duration: f64) -> Option<(f64, Vector3<f64>)> {
    let place = |time: f64| meeting_at(first, second, time);
    let times = first.looks(Some(second), duration);
    let time = first_time(&times, |time| place(time).is_some())?;
    place(time).map(|place| (time, place))
}

fn meeting_at(first: &Part<'_>, second: &Part<'_>, time: f64) -> Option<Vector3<f64>> {
    let centers = [first, second].map(|part| part.motion.position_at(&part.center, time));
    if (centers[0] - centers[1]).norm() > first.radius + second.radius {
        return None;
    }
    let [ours, theirs] = [first, second].map(|part| part.corners_at(time));
    let boxed = |corners: &[[Vector3<f64>; 3]]| -> Vec<(Vector3<f64>, Vector3<f64>)> {
        (corners.iter())
            .map(|[a, b, c]| (a.inf(b).inf(c), a.sup(b).sup(c)))
            .collect()
    };
    let whole = |boxes: &[(Vector3<f64>, Vector3<f64>)]| {
        boxes
            .iter()
            .copied()
            .reduce(|(a, b), (c, d)| (a.inf(&c), b.sup(&d)))
    };
    let overlap = |(a, b): &(Vector3<f64>, Vector3<f64>), (c, d): &(Vector3<f64>, Vector3<f64>)| {
        (0..3).all(|axis| a[axis] <= d[axis] && c[axis] <= b[axis])
    };
    let (our_boxes, their_boxes) = (boxed(&ours), boxed(&theirs));
    if let (Some(our_box), Some(their_box)) = (whole(&our_boxes), whole(&their_boxes)) {
        let near: Vec<usize> = (0..theirs.len())
            .filter(|&index| overlap(&their_boxes[index], &our_box))
            .collect();
        for (corners, bounds) in ours.iter().zip(&our_boxes) {
            if !overlap(bounds, &their_box) {
                continue;
            }
            let meets = |&index: &usize| {
                overlap(bounds, &their_boxes[index]) && triangles_intersect(corners, &theirs[index])
            };
            if near.iter().any(meets) {
                return Some(corners[0]);
            }
        }
    }
    // What has no triangles, as a row of nodes, is met by what closes around it.
    for (part, other, corners) in [(first, second, &theirs), (second, first, &ours)] {
        if !part.triangles.is_empty() || !other.passive {
            continue;
        }
        let every = part.points.len().div_ceil(SAMPLE);
        for point in part.points.iter().step_by(every) {
            let point = part.motion.position_at(point, time);
            if winding_number(&point, corners.iter().copied()) != 0 {
                return Some(point);
            }
        }
    }
    None
}
