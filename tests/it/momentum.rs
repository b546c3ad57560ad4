//! Momentum: contacts push both sides alike, elastic forces sum to zero, so nothing inside a system moves it.

use crate::support::{COLLISION, STACK, THROW, active, mass, momentum_scale, simulation};
use nalgebra::Vector3;

/// What the sums of some hundred nodes may lose to rounding, relative to `Σ ‖m v‖`.
const ROUNDING: f64 = 1e-10;

#[test]
fn colliding_bodies_keep_their_momentum() {
    let mut simulation = simulation(COLLISION, &[]);
    let start: Vector3<f64> = total(&simulation);
    let mut touched = 0;
    for _ in 0..60 {
        let report = simulation.advance().expect("a plain collision is solved");
        touched += usize::from(report.active > 0);
        let drift = (Vector3::from(report.momentum) - start).norm();
        let scale = momentum_scale(simulation.model(), simulation.state());
        assert!(
            drift <= ROUNDING * scale,
            "step {}: {drift:e} of {scale:e} N s",
            report.step
        );
    }
    assert!(touched > 5, "the bodies met in {touched} steps only");
}

/// Over a whole step, momentum changes by weight and contact forces, and by nothing else.
#[test]
fn weight_and_contact_forces_explain_every_change() {
    for text in [THROW, STACK] {
        let mut simulation = simulation(text, &[]);
        let mut before = total(&simulation);
        let step = simulation.model().time_step;
        let mut touched = false;
        for _ in 0..60 {
            let report = simulation.advance().expect("a plain fall is solved");
            touched |= active(simulation.state()).next().is_some();
            let now = Vector3::from(report.momentum);
            // A divided step reports the forces of its last part only.
            if report.substeps == 1 {
                let weight = simulation.model().gravity * mass(simulation.model());
                let expected = (weight + Vector3::from(report.contact_force)) * step;
                let error = (now - before - expected).norm();
                assert!(
                    error <= ROUNDING * weight.norm() * step,
                    "step {}: {error:e} N s",
                    report.step
                );
            }
            before = now;
        }
        assert!(touched);
    }
}

fn total(simulation: &impinge_sim::Simulation) -> Vector3<f64> {
    let (model, state) = (simulation.model(), simulation.state());
    model
        .mass
        .iter()
        .zip(&state.velocities)
        .map(|(mass, v)| v * *mass)
        .sum()
}
