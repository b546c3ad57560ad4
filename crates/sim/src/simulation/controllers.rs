//! Steps with controllers: code of a program that runs before each step.

use super::{NamedController, Simulation};
use crate::{
    error::{
        SimError, StepError, StepFailure,
        control::ControlError,
        extension::{ExtensionError, ExtensionKind},
    },
    extension::ExtensionResult,
    report::StepReport,
};

/// Relative distance within which a time is reached: times of steps are rounded.
const SAME_TIME: f64 = 1e-9;

impl Simulation {
    /// Runs `controller` before each following step of [`step`](Self::step) and [`step_until`](Self::step_until), after
    /// those that were added earlier. It may ask for bodies and contacts, and set forces, motions and friction.
    ///
    /// ```
    /// use impinge_sim::{Scene, Simulation};
    ///
    /// let text = r#"
    /// [time]
    /// step = 1e-2
    /// duration = 1
    /// [[body]]
    /// name = "drone"
    /// kind = "rigid"
    /// mass = 1
    /// mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
    /// "#;
    /// let scene = Scene::parse("drone.toml", text, &[""; 0])?;
    /// let mut simulation = Simulation::new(&scene)?;
    /// simulation.on_step("hover", |simulation| {
    ///     let drone = simulation.body("drone")?;
    ///     let (z, v) = (drone.center_of_mass().z, drone.velocity().z);
    ///     simulation.set_force("drone", [0.0, 0.0, 9.81 + 40.0 * (0.5 - z) - 12.0 * v])?;
    ///     Ok(())
    /// });
    /// simulation.step_until(3.0)?;
    /// assert!((simulation.body("drone")?.center_of_mass().z - 0.5).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_step(
        &mut self,
        name: impl Into<String>,
        controller: impl FnMut(&mut Self) -> ExtensionResult + Send + 'static,
    ) {
        self.controllers.push(NamedController {
            name: name.into(),
            run: Box::new(controller),
        });
    }

    /// Removes all controllers.
    pub fn clear_controllers(&mut self) {
        self.controllers.clear();
    }

    /// Runs the controllers and takes one whole step.
    ///
    /// # Errors
    /// As [`advance`](Self::advance), and if a controller fails. The state is then that before the step, and the
    /// simulation can go on after a change. Only the asynchronous stepper cannot.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.run_controllers()?;
        let start = self.state.clone();
        let stepped = self.advance();
        if stepped.is_err() && self.state.step == start.step && self.is_resumable() {
            // A failed step may end at the last safe substep.
            self.state.clone_from(&start);
            self.restart(self.state.step)?;
        }
        stepped
    }

    /// Takes whole steps until the simulated time is at least `time` (s), and returns their number. The last one may
    /// end up to a step later.
    ///
    /// # Errors
    /// [`SimError::Step`] as [`step`](Self::step), [`SimError::Control`] if `time` is not finite.
    pub fn step_until(&mut self, time: f64) -> Result<u64, SimError> {
        if !time.is_finite() {
            return Err(ControlError::Value {
                quantity: "end (s)",
                of: "the steps".to_owned(),
                value: time,
                range: "finite",
            }
            .into());
        }
        let first = self.state.step;
        while self.state.time < time - SAME_TIME * time.abs() {
            self.step()?;
        }
        Ok(self.state.step - first)
    }

    fn run_controllers(&mut self) -> Result<(), StepError> {
        let mut controllers = std::mem::take(&mut self.controllers);
        let mut outcome = Ok(());
        for controller in &mut controllers {
            let before = self.state.step;
            let mut failed = (controller.run)(self)
                .err()
                .map(|error| format!("failed: {error}"));
            if failed.is_none() && self.state.step != before {
                failed = Some("took a step; only its caller may step".to_owned());
            }
            if let Some(problem) = failed {
                outcome = Err(StepError {
                    step: self.state.step + 1,
                    time: self.state.time,
                    shortest: self.model.settings.time_step,
                    failure: StepFailure::Extension(ExtensionError {
                        kind: ExtensionKind::Controller,
                        name: controller.name.clone(),
                        problem,
                    }),
                    unsolved: None,
                });
                break;
            }
        }
        // Controllers that a controller added come last.
        controllers.append(&mut self.controllers);
        self.controllers = controllers;
        outcome
    }
}
