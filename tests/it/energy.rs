//! Energy: an implicit step dissipates; contact adds at most its force times the clearance, the solver its residual.

use crate::support::{COLLISION, STACK, THROW, active, energy, simulation};
use impinge_sim::Model;
use nalgebra::Vector3;

/// Momentum residual allowed by solves and by the one linearisation of a rotation (N·s): a thousandth of the impulse
/// that moves the lightest body by `g Δt²` in a step, or by the clearance without gravity.
fn left_over(model: &Model) -> f64 {
    let masses = (0..model.geometry.bodies.len()).map(|body| model.body_mass(body));
    let lightest = masses.fold(f64::INFINITY, f64::min);
    let step = model.settings.time_step;
    let fall = if model.settings.gravity == Vector3::zeros() {
        model.geometry.largest_clearance()
    } else {
        model.settings.gravity.norm() * step * step
    };
    1e-3 * lightest * fall / step
}

#[test]
fn energy_never_grows_beyond_the_clearance() {
    for (name, text) in [("throw", THROW), ("stack", STACK), ("collision", COLLISION)] {
        let mut simulation = simulation(text, &[]);
        let mut before = None;
        let mut whole = 0;
        for _ in 0..80 {
            let report = simulation.advance().expect("a plain scene is solved");
            assert_eq!(report.energy_gains, 0, "{name}, step {}", report.step);
            let now = energy(&report);
            let (model, state) = (simulation.model(), simulation.state());
            if let (Some(before), 1) = (before, report.substeps) {
                let forces: f64 = active(state).map(|c| c.multipliers.lambda).sum();
                let speed = state
                    .velocities
                    .iter()
                    .map(Vector3::norm_squared)
                    .sum::<f64>()
                    .sqrt();
                let residual = left_over(model);
                let bound = forces * model.geometry.largest_clearance() + speed * residual;
                assert!(
                    now - before <= bound,
                    "{name}, step {}: {:e} J more, at most {bound:e} allowed",
                    report.step,
                    now - before
                );
                whole += 1;
            }
            before = Some(now);
        }
        assert!(
            whole > 60,
            "{name}: only {whole} of 80 steps were taken whole"
        );
    }
}
