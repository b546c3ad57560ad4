//! Scene keys that the stepper does not support. Ignoring them silently would simulate another model.

use super::Check;
use crate::scene::format::{
    Detection, Elasticity, FreeFlight, Integrator, JointStiffness, Linear, OneSided, OutputOptions,
    Preconditioner, StepperChoice,
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
    /// Rejects joints with speculative detection, and keys of `time`, `solver` and `output` that the stepper does not
    /// support.
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
        self.solvers_of_rows();
        let (name, supported): (_, &[&str]) = match scene.stepper {
            StepperChoice::Synchronous => return,
            StepperChoice::Asynchronous => ("asynchronous", &["allow_inversion"]),
            StepperChoice::Constrained => ("constrained", OF_ROWS),
        };
        if scene.stepper == StepperChoice::Asynchronous
            && !scene.joints.is_empty()
            && (scene.asynchronous)
                .is_some_and(|settings| settings.detection == Detection::Speculative)
        {
            return self.fail(
                "joint.0",
                "speculative detection does not support joints".to_owned(),
                "use detection = \"kinetic\"",
            );
        }
        if scene.time.minimum_step.is_some() {
            return self.fail(
                "time.minimum_step",
                format!("the {name} stepper does not subdivide steps"),
                "leave it out, or use the synchronous stepper",
            );
        }
        let is_supported =
            |key: &String| supported.contains(&key.as_str()) || BOUNDS.contains(&key.as_str());
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
        match scene
            .solver
            .keys_beside_defaults()
            .find(|key| !is_supported(key))
        {
            None => {}
            Some(key) => self.fail(
                &format!("solver.{key}"),
                format!("the {name} stepper does not support `{key}`"),
                "leave it out, or use the synchronous stepper",
            ),
        }
    }
}

/// Keys of the solver that the constrained stepper supports.
const OF_ROWS: &[&str] = &["joint_stiffness", "linear", "one_sided", "preconditioner"];

impl Check<'_> {
    /// Rejects linear solvers that the stepper does not have, and settings that they do not have.
    fn solvers_of_rows(&self) {
        let (scene, keys) = (self.scene, &self.scene.solver);
        let is_constrained = scene.stepper == StepperChoice::Constrained;
        let is_minres = keys.linear == Linear::Minres;
        let is_unsymmetric = keys.joint_stiffness == JointStiffness::Unsymmetric;
        if is_minres && !is_constrained {
            self.fail(
                "solver.linear",
                "MINRES solves equations only, and this stepper has contacts".to_owned(),
                "leave it out, or use stepper = \"constrained\"",
            );
        }
        if is_unsymmetric && !is_constrained {
            self.fail(
                "solver.joint_stiffness",
                "only the constrained stepper supports `unsymmetric`".to_owned(),
                "write \"symmetric\", or use stepper = \"constrained\"",
            );
        }
        if is_unsymmetric && is_minres {
            self.fail(
                "solver.linear",
                "MINRES needs a symmetric matrix, and `joint_stiffness` is `unsymmetric`"
                    .to_owned(),
                "write linear = \"direct\", or joint_stiffness = \"symmetric\"",
            );
        }
        if keys.one_sided != OneSided::default() && (is_minres || is_unsymmetric) {
            self.fail(
                "solver.one_sided",
                "MINRES and `unsymmetric` solve equations only, without one-sided rows".to_owned(),
                "leave it out",
            );
        }
        if is_constrained && keys.preconditioner != Preconditioner::default() && !is_minres {
            self.fail(
                "solver.preconditioner",
                "the constrained stepper has a preconditioner with MINRES only".to_owned(),
                "leave it out, or write linear = \"minres\"",
            );
        }
    }
}

/// A key of the output that the stepper does not support, and the reason.
fn unknown_to(
    stepper: StepperChoice,
    output: &OutputOptions,
) -> Option<(&'static str, &'static str)> {
    let (contacts, reactions) = (
        output.contacts == Some(true),
        output.reactions == Some(true),
    );
    match stepper {
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
