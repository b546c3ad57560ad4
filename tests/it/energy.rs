//! Energy: an implicit step dissipates; contact adds at most its force times the clearance, the solver its residual.

use crate::support::{COLLISION, STACK, THROW, active, energy, simulation};

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
                    .map(nalgebra::Vector3::norm_squared)
                    .sum::<f64>()
                    .sqrt();
                let residual = model.tolerances.solver(model.time_step).momentum;
                let bound = forces * model.tolerances.clearance() + speed * residual;
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
