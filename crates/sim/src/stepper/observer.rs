//! Watching every solve of a step without being part of it.

use impinge_contact::compliance::TurnedBodies;
use impinge_contact::{
    ContactError, ContactProblem, ContactReport, ContactSolution, ContactSolver, Interrupt, Method,
    Tolerances,
};
use std::sync::Arc;

/// When a solve happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolveStamp {
    /// Number of the step, from 1.
    pub step: u64,
    /// Number of the solve within the step, from 1; attempts that were rolled back count too.
    pub round: u32,
    /// Simulated time at the start of the step, or of the part of it (s).
    pub time: f64,
}

/// One solve, from its warm start to its result.
#[derive(Clone, Copy)]
pub struct Solve<'a> {
    /// When it happened.
    pub stamp: SolveStamp,
    /// The method with its settings.
    pub method: Method,
    /// The problem.
    pub problem: &'a ContactProblem,
    /// What is known of the bodies beyond it, if the method or the observer asked for that.
    pub bodies: Option<&'a Arc<TurnedBodies>>,
    /// What it started from.
    pub start: &'a ContactSolution,
    /// What it left.
    pub solution: &'a ContactSolution,
    /// What the method says of it.
    pub report: &'a ContactReport,
}

/// Looks at every solve; nothing that it does reaches the simulation.
pub trait SolveObserver: Send {
    /// One solve has ended.
    fn solved(&mut self, solve: &Solve<'_>);

    /// Whether it wants to know [`Solve::bodies`] whatever the method is.
    fn wants_bodies(&self) -> bool {
        false
    }
}

/// A solver that shows each of its solves to an observer, where there is one.
pub(super) struct Observed<'a> {
    pub(super) solver: &'a mut dyn ContactSolver,
    pub(super) method: Method,
    pub(super) stamp: SolveStamp,
    pub(super) bodies: Option<&'a Arc<TurnedBodies>>,
    pub(super) observer: Option<&'a mut (dyn SolveObserver + 'static)>,
}

impl ContactSolver for Observed<'_> {
    fn solve(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> Result<ContactReport, ContactError> {
        let Some(observer) = self.observer.as_deref_mut() else {
            return self.solver.solve(problem, solution);
        };
        let start = solution.clone();
        let report = self.solver.solve(problem, solution)?;
        observer.solved(&Solve {
            stamp: self.stamp,
            method: self.method,
            problem,
            bodies: self.bodies,
            start: &start,
            solution,
            report: &report,
        });
        Ok(report)
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.solver.heed(interrupt);
    }

    fn set_tolerances(&mut self, tolerances: Tolerances) {
        *self.method.tolerances_mut() = tolerances;
        self.solver.set_tolerances(tolerances);
    }
}
