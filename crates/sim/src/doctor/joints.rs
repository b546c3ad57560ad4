//! Joints that are violated at the start, and rows with too much damping for the step length.

use impinge_contact::constraint::{Configuration, Frame};
use impinge_geometry::broad_phase::Aabb;
use impinge_geometry::distance::point_triangle;
use nalgebra::Vector3;
use std::collections::BTreeMap;

use super::elements::bounds;
use super::finding::Symptom;
use crate::geometry::Body;
use crate::model::Model;
use crate::scene::{JointKind, Scene};

/// Distance (m), or angle (rad), by which a rigid joint may be violated at the start without a warning: rounding of
/// numbers in a file.
const ROUNDED: f64 = 1e-4;

/// Distance between bound bodies over the size of the smaller, above which they count as apart.
const APART: f64 = 0.02;

/// Damping time of a row, in steps, that gets no warning. A row uses the rate of a length along its direction at the
/// start of a step. The change of length by rotation is of second order in the step, but damping multiplies it by its
/// time in steps: longer damping lets rotating bodies gain energy.
const DAMPED_STEPS: f64 = 10.0;

/// Rigid joints, which close in the first step whatever their violation.
pub(super) fn examine(scene: &Scene, model: &Model, out: &mut Vec<Symptom>) {
    bound_apart(scene, model, out);
    let frames: Vec<Frame> = (model.rigid.iter())
        .map(|rigid| rigid.start(Vector3::zeros(), Vector3::zeros()).pose)
        .map(|pose| Frame {
            center: pose.center,
            orientation: pose.orientation,
        })
        .collect();
    let state = Configuration {
        particles: &model.points.rest,
        frames: &frames,
    };
    let most = DAMPED_STEPS * model.settings.time_step;
    let mut damped: Vec<&str> = Vec::new();
    for row in model
        .constraints
        .rows
        .iter()
        .filter(|row| row.damping > most)
    {
        if !damped.contains(&row.name.as_str()) {
            damped.push(&row.name);
            out.push(Symptom::LongDamping {
                rows: row.name.clone(),
                damping: row.damping,
                steps: row.damping / model.settings.time_step,
            });
        }
    }
    // The rows of a joint, or of a chain of copies, share one name: the worst of them represents all.
    let mut worst: BTreeMap<&str, f64> = BTreeMap::new();
    for joint in model
        .constraints
        .rows
        .iter()
        .filter(|joint| joint.is_hard())
    {
        let misfit = joint.misfit(&state);
        let most = worst.entry(&joint.name).or_default();
        if misfit > *most || misfit.is_nan() {
            *most = misfit;
        }
    }
    for (joint, misfit) in worst {
        if misfit > ROUNDED || misfit.is_nan() {
            out.push(Symptom::JointApart {
                joint: joint.to_owned(),
                misfit,
                rate: misfit / model.settings.time_step,
            });
        }
    }
}

/// Bodies joined by a `bind` although there is space between them.
fn bound_apart(scene: &Scene, model: &Model, out: &mut Vec<Symptom>) {
    let of_name = |name: &str| {
        (0..model.geometry.solid_count())
            .map(|i| model.geometry.solid(i))
            .find(|body| body.name == name)
    };
    for (index, joint) in scene.joints.iter().enumerate() {
        let second = joint.second.as_deref().and_then(of_name);
        let (JointKind::Bind, Some(first), Some(second)) =
            (joint.kind, of_name(&joint.first), second)
        else {
            continue;
        };
        let size = [first, second]
            .map(|body| bounds(body, model))
            .map(|bounds| (bounds.upper - bounds.lower).norm());
        let most = APART * size[0].min(size[1]);
        let distance =
            distance(model, first, second, most).min(distance(model, second, first, most));
        if distance > most {
            out.push(Symptom::BoundApart {
                joint: format!("joint {index}"),
                first: first.name.clone(),
                second: second.name.clone(),
                distance,
            });
        }
    }
}

/// Least distance of a point of one body from the triangles of another (m). The search ends at the first distance not
/// above `enough`.
fn distance(model: &Model, of: &Body, from: &Body, enough: f64) -> f64 {
    let Aabb { lower, upper } = bounds(from, model);
    let mut points: Vec<(f64, &Vector3<f64>)> = (model.points.rest[of.points.clone()].iter())
        .map(|x| ((x - x.sup(&lower).inf(&upper)).norm(), x))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut least = f64::INFINITY;
    for (at_least, x) in points {
        if at_least >= least || least <= enough {
            break;
        }
        for corners in &model.geometry.surface.triangles()[from.triangles.clone()] {
            let corners = corners.map(|point| model.points.rest[point as usize]);
            least = least.min(point_triangle(x, &corners).distance_squared.sqrt());
        }
    }
    least
}
