//! Steppers: advance a state by one step.

pub mod asynchronous;
pub(crate) mod constrained;
mod crossings;
mod observer;
mod obstacles;
mod synchronous;

pub use asynchronous::Asynchronous;
pub use constrained::Constrained;
pub use observer::{Solve, SolveObserver, SolveStamp};
pub use synchronous::Synchronous;

use impinge_contact::Interrupt;

use crate::{error::StepError, model::Model, report::StepReport, state::State};

/// Advances a state by one whole step of the model.
///
/// # Example
/// Free fall by symplectic Euler, without elasticity and contact:
/// ```
/// use impinge_sim::{Extensions, Model, Scene, Simulation, State, StepError, StepReport, Stepper};
///
/// struct Falling;
///
/// impl Stepper for Falling {
///     fn advance(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError> {
///         let time_step = model.settings.time_step;
///         for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
///             *v += model.settings.gravity * time_step;
///             *x += *v * time_step;
///         }
///         state.step += 1;
///         state.time = state.step as f64 * time_step;
///         Ok(StepReport { step: state.step, time: state.time, ..StepReport::default() })
///     }
/// }
///
/// let text = r#"
/// [time]
/// step = 1e-2
/// duration = 1
/// [[body]]
/// name = "cube"
/// mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
/// material = { young = 1e5, poisson = 0.3, density = 1000 }
/// "#;
/// let scene = Scene::parse("cube.toml", text, &[""; 0])?;
/// let mut simulation = Simulation::extended(&scene, Extensions::new().stepper("fall", Falling))?;
/// simulation.advance()?;
/// assert_eq!(simulation.state().velocities[0].z, -9.81 * 1e-2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Stepper {
    /// Takes one step: `state.step` grows by 1, `state.time` by the length of the step, and every array keeps its
    /// length. Afterwards the state is collision-free, except with [`Constrained`], which has no contact. What a
    /// stepper of another crate guarantees is its own affair; `verify` tells from the frames.
    ///
    /// Points of free rigid bodies follow `state.rigid`, see
    /// [`RigidBody::write_points`](crate::rigid::RigidBody::write_points).
    ///
    /// # Errors
    /// [`StepError`] if even the shortest substep is not collision-free. The state is then the last safe one, which may
    /// lie within the step.
    fn advance(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError>;

    /// Ends the step once `interrupt` is raised, with [`StepFailure::Interrupted`](crate::StepFailure::Interrupted) and
    /// the state at its start; by default steps are finished.
    fn heed(&mut self, interrupt: &Interrupt) {
        let _ = interrupt;
    }

    /// Whether a state suffices to resume: nothing that changes results is kept between steps.
    fn is_resumable(&self) -> bool {
        false
    }

    /// Whether every point moves straight from its start to its end in each step, so that two frames determine the path
    /// between them.
    fn moves_straight(&self) -> bool {
        false
    }
}
