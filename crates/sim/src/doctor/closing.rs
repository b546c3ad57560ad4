//! Prescribed motions that leave no space: walls that close on a body, and paths that meet.
//!
//! Nothing is simulated: a body is assumed to stay where it starts, although forces may move it aside. So these are
//! warnings. They are right if the body is held or stands between the walls, in which case no step has a solution.

use impinge_geometry::broad_phase::Aabb;
use impinge_geometry::exact::{triangles_intersect, winding_number};
use nalgebra::Vector3;

use super::carried::{CarriedPoints, first_time, parts};
use super::finding::Symptom;
use super::squeeze::squeezes;
use crate::model::Model;
use crate::scene::RigidMotion;

/// Number of points of a part without triangles that are tested for being inside other parts.
const SAMPLE: usize = 16;

/// Finds walls that close on bodies up to `duration` (s), and paths that meet.
pub(super) fn examine(model: &Model, duration: f64, out: &mut Vec<Symptom>) {
    if model.unknowns.motions.iter().all(RigidMotion::is_rest) {
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
                && !model
                    .constraints
                    .joined
                    .contains(&solids.map(|solid| solid as u32));
            if apart && let Some((time, place)) = meeting(first, second, duration) {
                told.push(solids);
                out.push(Symptom::PathsMeet {
                    first: model.geometry.solid(solids[0]).name.clone(),
                    second: model.geometry.solid(solids[1]).name.clone(),
                    time,
                    place: place.into(),
                });
            }
        }
    }
    for part in &parts {
        for (plane, half_space) in model.geometry.half_spaces.iter().enumerate() {
            let height = |time: f64| {
                let place = |x| {
                    half_space
                        .normal
                        .dot(&(part.motion.position_at(x, time) - half_space.point))
                };
                part.points.iter().map(place).fold(f64::INFINITY, f64::min)
            };
            // Obstacles may keep the contacts of the start.
            let plane = model.geometry.solid_count() + plane;
            let clearance = model.geometry.clearance_between(&[part.solid, plane]);
            if part.passive && height(0.0) <= clearance {
                continue;
            }
            let enters = |time: f64| height(time) <= 0.0;
            if let Some(time) = first_time(&part.check_times(None, duration), enters) {
                out.push(Symptom::PathsMeet {
                    first: model.geometry.solid(part.solid).name.clone(),
                    second: half_space.name.clone(),
                    time,
                    place: part.motion.position_at(&part.center, time).into(),
                });
            }
        }
    }
}

/// Time and place at which two parts meet that start apart.
fn meeting(
    first: &CarriedPoints<'_>,
    second: &CarriedPoints<'_>,
    duration: f64,
) -> Option<(f64, Vector3<f64>)> {
    let place = |time: f64| meeting_at(first, second, time);
    let times = first.check_times(Some(second), duration);
    let time = first_time(&times, |time| place(time).is_some())?;
    place(time).map(|place| (time, place))
}

fn meeting_at(
    first: &CarriedPoints<'_>,
    second: &CarriedPoints<'_>,
    time: f64,
) -> Option<Vector3<f64>> {
    let centers = [first, second].map(|part| part.motion.position_at(&part.center, time));
    if (centers[0] - centers[1]).norm() > first.radius + second.radius {
        return None;
    }
    let [ours, theirs] = [first, second].map(|part| part.corners_at(time));
    let boxes = |triangles: &[[Vector3<f64>; 3]]| -> Vec<Aabb> {
        triangles.iter().map(Aabb::from_points).collect()
    };
    let (our_boxes, their_boxes) = (boxes(&ours), boxes(&theirs));
    // The box of no triangle overlaps nothing.
    let [our_box, their_box] = [&our_boxes, &their_boxes].map(Aabb::of_boxes);
    let near: Vec<usize> = (0..theirs.len())
        .filter(|&index| their_boxes[index].overlaps(&our_box))
        .collect();
    for (corners, bounds) in ours.iter().zip(&our_boxes) {
        if !bounds.overlaps(&their_box) {
            continue;
        }
        let meets = |&index: &usize| {
            bounds.overlaps(&their_boxes[index]) && triangles_intersect(corners, &theirs[index])
        };
        if near.iter().any(meets) {
            return Some(corners[0]);
        }
    }
    // A part without triangles, such as a row of nodes, is tested by points inside the other.
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
