//! Forces from another crate: their part of the momentum system.

use super::shared::{ExtensionResult, Shared};
use crate::{
    balance::AddedForces,
    error::extension::ExtensionError,
    model::PointMotion,
    step::{assemble::rigid::RigidStep, context::StepContext},
};
use impinge_contact::ContactProblem;
use nalgebra::{Matrix3, Vector3};

/// A force on points, called at the start of every step, of every part of a divided step, and again in rounds of these
/// that linearise elastic forces again, always with the state at the start.
///
/// With the stiffness `K = −∂f/∂x` and the damping `C = −∂f/∂v` of each point, a step adds
///
/// ```text
/// A += Δt C + Δt² K        b += Δt (f + C v)
/// ```
///
/// to the momentum system, which is implicit Euler for the linearised force. Coupling between points is not part of
/// `A`: a term between two points adds its force to both and its stiffness to the diagonal of both.
///
/// # What must hold
/// - The result depends on the input alone: a step that fails is repeated with half its length, and a restarted run has
///   to repeat its steps.
/// - `K` and `C` are symmetric and positive semi-definite; where the derivative is not, its positive part or zero.
/// - All numbers are finite.
///
/// A step that finds one of the last two broken ends with
/// [`StepFailure::Extension`](crate::StepFailure::Extension).
///
/// # Example
/// A spring from a point to the origin:
/// ```
/// use impinge_sim::extension::{ExtensionResult, Force, ForceInput, ForceTerms};
/// use nalgebra::Matrix3;
///
/// struct Spring {
///     point: usize,
///     /// N/m
///     stiffness: f64,
/// }
///
/// impl Force for Spring {
///     fn add(&mut self, at: &ForceInput<'_>, terms: &mut ForceTerms<'_>) -> ExtensionResult {
///         terms.force[self.point] -= self.stiffness * at.positions[self.point];
///         terms.stiffness[self.point] += self.stiffness * Matrix3::identity();
///         Ok(())
///     }
/// }
/// ```
pub trait Force: Send {
    /// Adds force, stiffness and damping of each point to `terms`.
    ///
    /// # Errors
    /// Any error ends the step, which reports it with the name of the force.
    fn add(&mut self, at: &ForceInput<'_>, terms: &mut ForceTerms<'_>) -> ExtensionResult;
}

/// The state that a [`Force`] acts in. All slices have one entry per point of the model.
#[derive(Debug, Clone, Copy)]
pub struct ForceInput<'a> {
    /// Time at the start of the step (s).
    pub time: f64,
    /// Length `Δt` of the step (s).
    pub time_step: f64,
    /// Positions (m).
    pub positions: &'a [Vector3<f64>],
    /// Velocities (m/s).
    pub velocities: &'a [Vector3<f64>],
    /// Lumped masses (kg); 0 for points of rigid bodies and obstacles.
    pub masses: &'a [f64],
}

/// The sums that a [`Force`] adds to, zero at first, with one entry per point of the model.
///
/// Entries of prescribed points have no effect. Points of free rigid bodies take forces only, which act on the body
/// with their moment; their stiffness and damping have no effect.
#[derive(Debug)]
pub struct ForceTerms<'a> {
    /// Force `f` (N).
    pub force: &'a mut [Vector3<f64>],
    /// Stiffness `K` (N/m).
    pub stiffness: &'a mut [Matrix3<f64>],
    /// Damping `C` (N·s/m).
    pub damping: &'a mut [Matrix3<f64>],
}

/// Allowed asymmetry and negative eigenvalue of a block over its largest entry: rounding of sums of many terms.
const ROUNDING: f64 = 1e-9;

/// The sums of one force.
#[derive(Debug, Default)]
pub(crate) struct ForceBuffers {
    force: Vec<Vector3<f64>>,
    stiffness: Vec<Matrix3<f64>>,
    damping: Vec<Matrix3<f64>>,
    /// The impulses that forces of the step added to its momentum system.
    added: AddedForces,
}

impl ForceBuffers {
    /// The impulses that forces of the latest step added to its momentum system.
    pub(crate) fn added(&self) -> &AddedForces {
        &self.added
    }

    /// Adds all `forces` to the momentum system of a step, whose rigid bodies are posed.
    ///
    /// # Errors
    /// [`ExtensionError`] naming the force that failed or broke its contract.
    pub(crate) fn add(
        &mut self,
        forces: &[Shared<dyn Force>],
        context: StepContext<'_>,
        rigid: &RigidStep,
        problem: &mut ContactProblem,
    ) -> Result<(), ExtensionError> {
        let points = context.state.positions.len();
        self.added.diagonal.clear();
        if !forces.is_empty() {
            self.added.impulses.clear();
            self.added.impulses.resize(problem.unknowns(), 0.0);
        }
        for force in forces {
            self.force.clear();
            self.force.resize(points, Vector3::zeros());
            self.stiffness.clear();
            self.stiffness.resize(points, Matrix3::zeros());
            self.damping.clear();
            self.damping.resize(points, Matrix3::zeros());
            let input = ForceInput {
                time: context.state.time,
                time_step: context.time_step,
                positions: &context.state.positions,
                velocities: &context.state.velocities,
                masses: &context.model.points.mass,
            };
            let mut terms = ForceTerms {
                force: &mut self.force,
                stiffness: &mut self.stiffness,
                damping: &mut self.damping,
            };
            let added = force.lock().inner.add(&input, &mut terms);
            added.map_err(|error| force.error(format!("failed: {error}")))?;
            self.check().map_err(|problem| force.error(problem))?;
            self.assemble(context, rigid, problem);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        for (point, force) in self.force.iter().enumerate() {
            if !force.iter().all(|x| x.is_finite()) {
                return Err(format!(
                    "gave point {point} a force that is not finite: {:?} N",
                    force.as_slice()
                ));
            }
        }
        for (what, blocks) in [("stiffness", &self.stiffness), ("damping", &self.damping)] {
            for (point, block) in blocks.iter().enumerate() {
                if let Some(problem) = indefinite(block) {
                    return Err(format!("gave point {point} a {what} that is {problem}"));
                }
            }
        }
        Ok(())
    }

    fn assemble(
        &mut self,
        context: StepContext<'_>,
        rigid: &RigidStep,
        problem: &mut ContactProblem,
    ) {
        let StepContext { model, state, .. } = context;
        let time_step = context.time_step;
        for (point, force) in self.force.iter().enumerate() {
            let (stiffness, damping) = (&self.stiffness[point], &self.damping[point]);
            match model.unknowns.motion_of_point[point] {
                PointMotion::Free(block) => {
                    let impulse = (force + damping * state.velocities[point]) * time_step;
                    add(&mut problem.rhs, block, &impulse);
                    add(&mut self.added.impulses, block, &impulse);
                    if *stiffness != Matrix3::zeros() || *damping != Matrix3::zeros() {
                        let diagonal = problem.momentum.diagonal_block_mut(block as usize);
                        let implicit = (damping + stiffness * time_step) * time_step;
                        *diagonal += implicit;
                        self.added.diagonal.push((block, implicit));
                    }
                }
                PointMotion::Rigid(index) if *force != Vector3::zeros() => {
                    let block = model.rigid[index as usize].first_block;
                    let center = state.rigid[index as usize].pose.center;
                    let impulse = force * time_step;
                    let moment = (state.positions[point] - center).cross(&impulse);
                    add(&mut problem.rhs, block, &impulse);
                    let turn = rigid.axes(index as usize).tr_mul(&moment);
                    add(&mut problem.rhs, block + 1, &turn);
                    add(&mut self.added.impulses, block, &impulse);
                    add(&mut self.added.impulses, block + 1, &turn);
                }
                PointMotion::Rigid(_) | PointMotion::Prescribed(_) => {}
            }
        }
    }
}

/// Why a block is not symmetric positive semi-definite, if it is not.
fn indefinite(block: &Matrix3<f64>) -> Option<String> {
    let size = block.amax();
    if !block.iter().all(|x| x.is_finite()) {
        return Some("not finite".to_owned());
    }
    if size <= 0.0 {
        return None;
    }
    if (block - block.transpose()).amax() > ROUNDING * size {
        return Some("not symmetric".to_owned());
    }
    let smallest = block.symmetric_eigenvalues().min();
    (smallest < -ROUNDING * size)
        .then(|| format!("not positive semi-definite: its smallest eigenvalue is {smallest:e}"))
}

fn add(values: &mut [f64], block: u32, by: &Vector3<f64>) {
    let values = &mut values[3 * block as usize..][..3];
    for (value, by) in values.iter_mut().zip(by.iter()) {
        *value += by;
    }
}
