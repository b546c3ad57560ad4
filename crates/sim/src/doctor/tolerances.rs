//! Tolerances that are too large for the scene.

use super::finding::Symptom;
use crate::model::Model;

/// Clearance over the edges of the finest surface above which contacts are visibly apart; the default is 2.5e-4.
const CLEARANCE_PER_EDGE: f64 = 0.05;

/// Momentum tolerance over the impulse of the lightest body's weight in a step. Above 1 the solution may ignore that
/// body; the default is 2e-4 or less.
const MOMENTUM_PER_WEIGHT: f64 = 1.0;

/// Checks the tolerances of the scene, including those of `tolerances = "paper"`.
pub(super) fn examine(model: &Model, out: &mut Vec<Symptom>) {
    let scales = &model.geometry.tolerances;
    let [edge, _] = model.geometry.lengths.range();
    if let Some(clearance) = scales.given_clearance()
        && edge > 0.0
        && clearance > CLEARANCE_PER_EDGE * edge
    {
        out.push(Symptom::Tolerance {
            key: "gap_tolerance",
            value: clearance,
            unit: "m",
            scale: edge,
            meaning: "mean edge of the finest surface",
        });
    }
    let lightest = (0..model.geometry.bodies.len())
        .map(|body| model.body_mass(body))
        .filter(|&mass| mass > 0.0)
        .fold(f64::INFINITY, f64::min);
    let weight = lightest * scales.gravity * model.settings.time_step;
    if let Some(momentum) = scales.given_momentum()
        && weight > 0.0
        && momentum > MOMENTUM_PER_WEIGHT * weight
    {
        out.push(Symptom::Tolerance {
            key: "momentum_tolerance",
            value: momentum,
            unit: "N s",
            scale: weight,
            meaning: "weight of the lightest body, times the step",
        });
    }
}
