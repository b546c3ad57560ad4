//! Extensions within a step: code of another crate, and the checks of its contracts.

mod broad_phase;
mod force;
mod preconditioner;
mod shared;
mod solver;

pub(crate) use force::ForceBuffers;
pub use force::{Force, ForceInput, ForceTerms};
pub use shared::ExtensionResult;

use crate::error::extension::{ExtensionError, ExtensionKind};
use broad_phase::CheckedBroadPhase;
use impinge_contact::ContactSolver;
use impinge_geometry::broad_phase::BroadPhase;
use impinge_krylov::preconditioner::Preconditioner;
use preconditioner::CheckedPreconditioner;
use shared::Shared;
use solver::CheckedSolver;

/// The extensions that take part in steps of the synchronous stepper. A clone shares them.
#[derive(Clone, Default)]
pub(crate) struct StepExtensions {
    solver: Option<Shared<dyn ContactSolver + Send>>,
    broad_phase: Option<Shared<dyn BroadPhase + Send>>,
    preconditioner: Option<Shared<dyn Preconditioner + Send>>,
    forces: Vec<Shared<dyn Force>>,
}

impl StepExtensions {
    pub(crate) fn set_solver(&mut self, name: String, solver: Box<dyn ContactSolver + Send>) {
        self.solver = Some(Shared::new(ExtensionKind::ContactSolver, name, solver));
    }

    pub(crate) fn drop_solver(&mut self) {
        self.solver = None;
    }

    pub(crate) fn set_broad_phase(&mut self, name: String, phase: Box<dyn BroadPhase + Send>) {
        self.broad_phase = Some(Shared::new(ExtensionKind::BroadPhase, name, phase));
    }

    pub(crate) fn set_preconditioner(
        &mut self,
        name: String,
        preconditioner: Box<dyn Preconditioner + Send>,
    ) {
        let kind = ExtensionKind::Preconditioner;
        self.preconditioner = Some(Shared::new(kind, name, preconditioner));
    }

    pub(crate) fn add_force(&mut self, name: String, force: Box<dyn Force>) {
        (self.forces).push(Shared::new(ExtensionKind::Force, name, force));
    }

    /// The contact solver with its checks, if there is one.
    pub(crate) fn solver(&self) -> Option<Box<dyn ContactSolver + Send>> {
        let solver = self.solver.clone()?;
        Some(Box::new(CheckedSolver::new(solver)))
    }

    /// The name of the contact solver, if there is one.
    pub(crate) fn solver_name(&self) -> Option<&str> {
        self.solver.as_ref().map(|solver| &*solver.name)
    }

    /// Whether solves have to share one solver: extensions may keep what they prepared for a matrix.
    pub(crate) fn share_solver(&self) -> bool {
        self.solver.is_some() || self.preconditioner.is_some()
    }

    /// The broad phase with its checks, if there is one.
    pub(crate) fn broad_phase(&self) -> Option<Box<dyn BroadPhase + Send>> {
        let phase = self.broad_phase.clone()?;
        Some(Box::new(CheckedBroadPhase(phase)))
    }

    /// Gives the preconditioner with its checks to `solver`, if there is one.
    ///
    /// # Errors
    /// [`ExtensionError`] if the solver takes none.
    pub(crate) fn precondition(
        &self,
        solver: &mut dyn ContactSolver,
        method: &str,
    ) -> Result<(), ExtensionError> {
        let Some(preconditioner) = self.preconditioner.clone() else {
            return Ok(());
        };
        let checked = Box::new(CheckedPreconditioner(preconditioner.clone()));
        if solver.precondition(checked) {
            return Ok(());
        }
        Err(preconditioner.error(format!(
            "has no place in the method `{method}`, which takes no preconditioner; choose `cr` or `active-set`"
        )))
    }

    /// Whether forces take part.
    pub(crate) fn has_forces(&self) -> bool {
        !self.forces.is_empty()
    }

    /// Kinds and names of all of them.
    pub(crate) fn names(&self) -> impl Iterator<Item = (ExtensionKind, &str)> {
        let solver = self.solver.iter().map(Shared::kind_and_name);
        let broad_phase = self.broad_phase.iter().map(Shared::kind_and_name);
        let preconditioner = self.preconditioner.iter().map(Shared::kind_and_name);
        let forces = self.forces.iter().map(Shared::kind_and_name);
        solver
            .chain(broad_phase)
            .chain(preconditioner)
            .chain(forces)
    }

    /// The forces.
    pub(crate) fn forces(&self) -> &[Shared<dyn Force>] {
        &self.forces
    }

    /// The first broken contract since the last call, if any.
    ///
    /// # Errors
    /// [`ExtensionError`] naming the extension.
    pub(crate) fn check(&self) -> Result<(), ExtensionError> {
        check(self.broad_phase.as_ref())?;
        check(self.preconditioner.as_ref())?;
        check(self.solver.as_ref())
    }
}

fn check<T: ?Sized>(extension: Option<&Shared<T>>) -> Result<(), ExtensionError> {
    let Some(extension) = extension else {
        return Ok(());
    };
    let problem = extension.lock().problem.take();
    problem.map_or(Ok(()), |problem| Err(extension.error(problem)))
}
