//! Time, world, solver, output, and the stepper with its table.

use super::Check;
use crate::scene::Scene;
use crate::scene::format::{Integrator, SolverMethod, StepperChoice};
use std::path::{Component, Path};

/// Most steps of a run: 2⁵³, above which doubles do not hold every whole number.
const MOST_STEPS: f64 = 9_007_199_254_740_992.0;

impl Check<'_> {
    pub(super) fn time(&self) {
        let time = &self.scene.time;
        self.positive("time.step", "the time step (s)", time.step);
        self.positive("time.duration", "the duration (s)", time.duration);
        // Half a step of slack: a duration of one step must not fail because of its last bit.
        if time.duration < 0.5 * time.step {
            return self.fail(
                "time.duration",
                format!(
                    "the duration {} s is shorter than one step of {} s",
                    time.duration, time.step
                ),
                "make the duration longer or the step shorter",
            );
        }
        if time.step > 0.0 && time.duration / time.step > MOST_STEPS {
            return self.fail(
                "time.duration",
                format!(
                    "{:e} s are more steps of {:e} s than can be counted",
                    time.duration, time.step
                ),
                "make the duration shorter or the step longer",
            );
        }
        if let Some(minimum) = time.minimum_step {
            self.positive("time.minimum_step", "the shortest step (s)", minimum);
            if minimum > time.step {
                self.fail(
                    "time.minimum_step",
                    format!(
                        "the shortest step {minimum} s is longer than the step {} s",
                        time.step
                    ),
                    "make it equal to `step` (no subdivision) or smaller",
                );
            }
        }
    }

    pub(super) fn world_and_solver(&self) {
        let Scene {
            world,
            solver,
            output,
            ..
        } = self.scene;
        let method = solver.method.and_then(SolverMethod::spec);
        if let Some(method) = method.filter(|method| method.capabilities.bodies_at_rest)
            && self.scene.time.integrator == Integrator::Bdf2
        {
            self.fail(
                "time.integrator",
                format!(
                    "the method `{}` knows bodies at rest for implicit Euler only",
                    method.name
                ),
                "leave it out, or use another method",
            );
        }
        self.vectors("world", "gravity", &world.gravity);
        self.not_negative("world.friction", "the friction coefficient", world.friction);
        for (key, value) in [
            ("momentum_tolerance", solver.momentum_tolerance),
            ("gap_tolerance", solver.gap_tolerance),
            ("slip_tolerance", solver.slip_tolerance),
        ] {
            if let Some(value) = value {
                self.positive(&format!("solver.{key}"), &format!("`{key}`"), value);
            }
        }
        if let Some(count) = solver.max_iterations {
            self.at_least("solver.max_iterations", "`max_iterations`", count, 1);
        }
        if let Some(folder) = &solver.rest_compliance {
            self.own_folder("solver.rest_compliance", folder);
        }
        if let Some(time) = output.settled_after {
            self.not_negative("output.settled_after", "`settled_after` (s)", time);
        }
        self.at_least("output.every", "`every`", output.every, 1);
    }

    /// A folder that a run writes to must be inside the folder of the scene file: scenes from others write nowhere
    /// else.
    fn own_folder(&self, key: &str, folder: &str) {
        let is_inside =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !folder.is_empty() && Path::new(folder).components().all(is_inside) {
            return;
        }
        self.fail(
            key,
            format!(
                "`{folder}` is not inside of the folder of the scene file, and a run writes there"
            ),
            "give a folder relative to the scene file, without `..`",
        );
    }

    /// The stepper and its table.
    pub(super) fn stepper(&self) {
        let Scene {
            stepper,
            asynchronous,
            ..
        } = self.scene;
        let Some(settings) = asynchronous else {
            return match stepper {
                StepperChoice::Synchronous | StepperChoice::Constrained => {}
                StepperChoice::Asynchronous => self.fail(
                    "stepper",
                    "the asynchronous stepper needs the thickness of its layers".to_owned(),
                    "add a table [asynchronous] with thickness = ... (m)",
                ),
            };
        };
        if *stepper != StepperChoice::Asynchronous {
            return self.fail(
                "asynchronous",
                "this table means something to the asynchronous stepper only".to_owned(),
                "add stepper = \"asynchronous\" at the top of the file, or remove the table",
            );
        }
        self.positive(
            "asynchronous.thickness",
            "the thickness of the first layer (m)",
            settings.thickness,
        );
        if let Some(stiffness) = settings.stiffness {
            self.positive(
                "asynchronous.stiffness",
                "the stiffness of the first layer (N/m)",
                stiffness,
            );
        }
        self.positive(
            "asynchronous.longest_period",
            "the longest period (s)",
            settings.longest_period,
        );
        self.positive(
            "asynchronous.most_ticks",
            "the number of ticks per second (1/s)",
            settings.most_ticks,
        );
        if !(0.0..=1.0).contains(&settings.restitution) {
            return self.fail(
                "asynchronous.restitution",
                format!(
                    "the coefficient of restitution is {} but must be from 0 to 1",
                    settings.restitution
                ),
                "write 1 for impacts without loss, 0 for none that bounces",
            );
        }
        if let Some(step) = settings.layer_step
            && !(step > 0.0 && step <= 0.2)
        {
            return self.fail(
                "asynchronous.layer_step",
                format!("the step of a layer is {step}, but must be above 0 and at most 0.2"),
                "leave it out, or write for example 0.05: beyond 0.2 every bounce gains energy",
            );
        }
        match settings.force_step {
            Some(step) if !(step > 0.0 && step <= 1.0) => self.fail(
                "asynchronous.force_step",
                format!("the step of forces is {step}, but must be above 0 and at most 1"),
                "leave it out, or write for example 0.3: beyond 1 crumpled bodies fly apart",
            ),
            _ => {}
        }
    }
}
