//! Scene keys that the stepper does not support. Ignoring them silently would simulate another model.

use super::Check;
use crate::scene::format::{
    Elasticity, FreeFlight, Integrator, OutputOptions, Solver, StepperChoice,
};

/// Bounds: every stepper accepts them, even unused, so that one scene serves several steppers.
const BOUNDS: [&str; 5] = [
    "tolerances",
    "momentum_tolerance",
    "gap_tolerance",
    "slip_tolerance",
    "max_iterations",
];

impl Check<'_> {
    /// Rejects joints, and keys of `time`, `solver` and `output`, that the stepper does not support.
    pub(super) fn unsupported_keys(&self) {
        let scene = self.scene;
        if scene.output.pieces && scene.stepper != StepperChoice::Asynchronous {
            return self.fail(
                "output.pieces",
                "only the asynchronous stepper supports `output.pieces`".to_owned(),
                "leave it out, or use stepper = \"asynchronous\"",
            );
        }
        if let Some((key, why)) = unknown_to(scene.stepper, &scene.output) {
            let mend = "leave it out, or use the synchronous stepper";
            return self.fail(&format!("output.{key}"), why.to_owned(), mend);
        }
        let (name, supported) = match scene.stepper {
            StepperChoice::Synchronous => return,
            StepperChoice::Asynchronous => ("asynchronous", "allow_inversion"),
            StepperChoice::Constrained => ("constrained", "joint_stiffness"),
        };
        if scene.stepper == StepperChoice::Asynchronous && !scene.joints.is_empty() {
            return self.fail(
                "joint.0",
                "the asynchronous stepper does not support joints".to_owned(),
                "remove them and fix nodes with `fixed`, or use the synchronous stepper",
            );
        }
        if scene.time.minimum_step.is_some() {
            return self.fail(
                "time.minimum_step",
                format!("the {name} stepper does not subdivide steps"),
                "leave it out, or use the synchronous stepper",
            );
        }
        let is_supported = |key: &String| key == supported || BOUNDS.contains(&key.as_str());
        if scene.time.free_flight != FreeFlight::default() {
            return self.fail(
                "time.free_flight",
                format!("the {name} stepper has a free flight of its own"),
                "leave it out, or use the synchronous stepper",
            );
        }
        if scene.time.elasticity != Elasticity::default() {
            return self.fail(
                "time.elasticity",
                format!("the {name} stepper does not linearise elastic forces in rounds"),
                "leave it out, or use the synchronous stepper",
            );
        }
        if scene.time.integrator != Integrator::default() {
            return self.fail(
                "time.integrator",
                format!("the {name} stepper has an integrator of its own"),
                "leave it out, or use the synchronous stepper",
            );
        }
        match differing(&scene.solver).find(|key| !is_supported(key)) {
            None => {}
            Some(key) => self.fail(
                &format!("solver.{key}"),
                format!("the {name} stepper does not support `{key}`"),
                "leave it out, or use the synchronous stepper",
            ),
        }
    }
}

/// A key of the output that asks for what the stepper does not know, and why.
fn unknown_to(
    stepper: StepperChoice,
    output: &OutputOptions,
) -> Option<(&'static str, &'static str)> {
    let (contacts, reactions) = (
        output.contacts == Some(true),
        output.reactions == Some(true),
    );
    match stepper {
        StepperChoice::Asynchronous if contacts => Some((
            "contacts",
            "the asynchronous stepper has penalty layers in the place of contacts, and stores none",
        )),
        StepperChoice::Asynchronous if reactions => Some((
            "reactions",
            "the asynchronous stepper does not know the force of penalty layers at the end of a step, and stores no \
             reactions",
        )),
        StepperChoice::Constrained if contacts => Some((
            "contacts",
            "the constrained stepper has no contacts, and stores none",
        )),
        _ => None,
    }
}

/// Keys of a solver that differ from their defaults.
fn differing(solver: &Solver) -> impl Iterator<Item = String> {
    let keys = |solver: &Solver| match serde_json::to_value(solver) {
        Ok(serde_json::Value::Object(keys)) => keys,
        // The solver serialises to a table.
        _ => serde_json::Map::new(),
    };
    let defaults = keys(&Solver::default());
    keys(solver)
        .into_iter()
        .filter(move |(key, value)| defaults.get(key) != Some(value))
        .map(|(key, _)| key)
}
