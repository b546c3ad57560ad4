//! A run of a scene with rigid bodies, step by step.

use impinge_contact::constraint::{Configuration, Frame};
use impinge_sim::rigid::RigidState;
use impinge_sim::stepper::{Asynchronous, Stepper};
use impinge_sim::{Scene, Simulation, State, StepReport};
use nalgebra::Vector3;

/// Largest misfit of joints without compliance (m) where no contact opens them between two ticks.
pub(super) const CLOSED: f64 = 1e-6;

/// A run, step by step.
pub(super) struct Run {
    pub(super) simulation: Simulation,
    pub(super) stepper: Asynchronous,
    pub(super) state: State,
    /// Largest misfit of a joint at the end of a step (m).
    pub(super) closed: f64,
}

impl Run {
    /// The start of a scene.
    pub(super) fn of(text: &str) -> Self {
        let scene = Scene::parse("run.toml", text, &[""; 0]).expect("a scene");
        let simulation = Simulation::new(&scene).expect("sound");
        let state = simulation.state().clone();
        let settings = simulation.model().settings.asynchronous;
        let settings = settings.expect("the asynchronous stepper");
        let mut stepper =
            Asynchronous::new(simulation.model(), &state, &settings).expect("a sound start");
        stepper.keep_contacts();
        Self {
            simulation,
            stepper,
            state,
            closed: CLOSED,
        }
    }

    /// Takes one step, after which all invariants of the integrator hold: no pair is closer than its layers allow, and
    /// joints without compliance are closed.
    pub(super) fn advance(&mut self) -> StepReport {
        let model = self.simulation.model();
        let report = self.stepper.advance(model, &mut self.state);
        let report = report.expect("no trouble");
        if let Err(violation) = self.stepper.engine().audit() {
            panic!("at {} s: {violation}", self.state.time);
        }
        let apart = self.misfit();
        assert!(apart < self.closed, "{apart:e} m at {} s", self.state.time);
        report
    }

    pub(super) fn advance_to(&mut self, end: f64) -> StepReport {
        loop {
            let report = self.advance();
            if report.time > end - 1e-9 {
                return report;
            }
        }
    }

    /// The largest misfit of a joint without compliance and without a change (m).
    fn misfit(&self) -> f64 {
        let frames: Vec<Frame> = self.state.rigid.iter().map(RigidState::frame).collect();
        let configuration = Configuration {
            particles: &self.state.positions,
            frames: &frames,
        };
        let rows = &self.simulation.model().constraints.rows;
        (rows.iter().filter(|row| row.is_hard()))
            .map(|row| row.misfit(&configuration))
            .fold(0.0, f64::max)
    }

    pub(super) fn center(&self, body: usize) -> Vector3<f64> {
        self.state.rigid[body].pose.center
    }

    pub(super) fn height(&self) -> f64 {
        let at = self.state.positions.iter().map(|x| x.z);
        at.fold(f64::INFINITY, f64::min)
    }
}

pub(super) fn off(one: [f64; 3], other: [f64; 3]) -> f64 {
    (Vector3::from(one) - Vector3::from(other)).norm()
}
