//! An observer: the energies of every step.

use crate::support::{THROW, bits, broken, run, simulation};
use impinge_sim::extension::{ExtensionKind, ExtensionResult, Extensions, Observer};
use impinge_sim::{Model, State, StepReport};
use std::sync::mpsc::{Sender, channel};

struct Energies(Sender<(f64, f64)>);

impl Observer for Energies {
    fn observe(&mut self, model: &Model, state: &State, report: &StepReport) -> ExtensionResult {
        let points = model.points.mass.iter().zip(&state.velocities);
        let kinetic: f64 = points.map(|(mass, v)| 0.5 * mass * v.norm_squared()).sum();
        assert!((kinetic - report.kinetic_energy).abs() <= 1e-12 * kinetic);
        let total = kinetic + report.elastic_energy + report.gravitational_energy;
        self.0.send((state.time, total))?;
        Ok(())
    }
}

#[test]
fn observed_energy_never_grows_and_the_run_keeps_its_bits() {
    let (sender, energies) = channel();
    let observed = run(
        THROW,
        Extensions::new().observer("energies", Energies(sender)),
        40,
    );
    let energies: Vec<(f64, f64)> = energies.try_iter().collect();
    assert_eq!(energies.len(), 40);
    for pair in energies.windows(2) {
        let [(_, before), (time, after)] = [pair[0], pair[1]];
        assert!(
            after <= before + 1e-6 * before.abs(),
            "{after} J after {before} J at {time} s"
        );
    }
    let (first, last) = (energies[0].1, energies[39].1);
    assert!(
        last < 0.95 * first,
        "friction and impact take energy: {first} J, {last} J"
    );
    assert_eq!(bits(&observed), bits(&run(THROW, Extensions::new(), 40)));
}

struct Full;

impl Observer for Full {
    fn observe(&mut self, _: &Model, state: &State, _: &StepReport) -> ExtensionResult {
        if state.step == 3 {
            return Err("the disk is full".into());
        }
        Ok(())
    }
}

#[test]
fn an_observer_that_fails_ends_the_run_by_its_name() {
    let mut simulation = simulation(THROW, Extensions::new().observer("log", Full));
    for _ in 0..2 {
        simulation.advance().expect("a step");
    }
    let error = simulation.advance().expect_err("a full disk");
    let extension = broken(&error, ExtensionKind::Observer, "log");
    assert!(
        extension.problem.contains("the disk is full"),
        "{extension}"
    );
    assert_eq!(simulation.state().step, 3, "the step is taken");
}
