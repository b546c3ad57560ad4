//! Observation of every solve of a step.

use impinge_contact::compliance::TurnedBodies;
use impinge_contact::{
    ContactProblem, ContactReport, ContactResult, ContactSolution, ContactSolver, Interrupt,
    Method, Tolerances,
};
use std::sync::Arc;
use tracing::trace;

/// Step, round and time of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolveStamp {
    /// Number of the step, from 1.
    pub step: u64,
    /// Number of the round within the step, from 1; rejected attempts count too.
    pub round: u32,
    /// Number of the island among those of the round, from 0, in the order of their unknowns.
    pub island: u32,
    /// Simulated time at the start of the step or substep (s).
    pub time: f64,
}

/// One solve, from its warm start to its result.
#[derive(Clone, Copy)]
pub struct Solve<'a> {
    /// Step, round and time.
    pub stamp: SolveStamp,
    /// The method with its settings.
    pub method: Method,
    /// The problem.
    pub problem: &'a ContactProblem,
    /// Compliance of the bodies, if the method or the observer uses it.
    pub bodies: Option<&'a Arc<TurnedBodies>>,
    /// The warm start.
    pub start: &'a ContactSolution,
    /// The solution.
    pub solution: &'a ContactSolution,
    /// The method's report.
    pub report: &'a ContactReport,
}

/// Observes every solve, without influence on the simulation.
pub trait SolveObserver: Send {
    /// Called after each solve.
    fn solved(&mut self, solve: &Solve<'_>);

    /// Whether it needs [`Solve::bodies`] with every method.
    fn wants_bodies(&self) -> bool {
        false
    }
}

/// A solver that shows each of its solves to an observer, if there is one.
pub(super) struct Observed<'a> {
    pub(super) solver: &'a mut dyn ContactSolver,
    pub(super) method: Method,
    pub(super) stamp: SolveStamp,
    pub(super) bodies: Option<&'a Arc<TurnedBodies>>,
    pub(super) observer: Option<&'a mut (dyn SolveObserver + 'static)>,
}

impl ContactSolver for Observed<'_> {
    fn solve(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) -> ContactResult {
        let start = self.observer.is_some().then(|| solution.clone());
        let report = self.solver.solve(problem, solution)?;
        trace!(
            step = self.stamp.step,
            round = self.stamp.round,
            island = self.stamp.island,
            contacts = problem.contacts(),
            iterations = report.iterations,
            residual = report.residual,
            termination = ?report.termination,
            "island solved"
        );
        if let (Some(observer), Some(start)) = (self.observer.as_deref_mut(), &start) {
            observer.solved(&Solve {
                stamp: self.stamp,
                method: self.method,
                problem,
                bodies: self.bodies,
                start,
                solution,
                report: &report,
            });
        }
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
