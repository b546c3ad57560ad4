//! What each method needs for the problems of a run: all of them solve the same ones, from the same warm starts.

use std::sync::{Arc, Mutex, PoisonError};

use impinge_contact::method::MethodError;
use impinge_contact::method::active_set_cr::Tolerances;
use impinge_contact::{ContactProblem, ContactSolution, Method};
use impinge_sim::compare::{Comparison, MethodRecord};
use impinge_sim::stepper::{Solve, SolveObserver};

use super::scenes::Plan;

/// The methods: the default first, without its regions, then the paper's, then their rivals.
pub(super) const METHODS: [&str; 8] = [
    "cr",
    "cr-whole",
    "cr-full",
    "cr-diagonal",
    "sp-active-set",
    "sp-2cr",
    "ica",
    "active-set",
];

/// The one that ratios refer to.
pub(super) const REFERENCE: &str = "cr-full";

/// A problem with its warm start.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) step: u64,
    pub(super) problem: ContactProblem,
    pub(super) start: ContactSolution,
    pub(super) tolerances: Tolerances,
}

/// Watches the steps of a plan. A clone records in the same place: one goes to the simulation, another is asked for the
/// records.
#[derive(Clone)]
pub(super) struct Watch {
    plan: Plan,
    comparison: Comparison,
    largest: Arc<Mutex<Option<Sample>>>,
}

impl Watch {
    /// Compares all [`METHODS`] on the steps of `plan`, to the tolerances of the run.
    pub(super) fn new(plan: Plan, tolerances: Tolerances) -> Result<Self, MethodError> {
        let methods = METHODS
            .iter()
            .map(|&name| Ok((name.to_owned(), Method::named(name, tolerances)?)))
            .collect::<Result<Vec<_>, MethodError>>()?;
        Ok(Self {
            plan,
            comparison: Comparison::new(methods),
            largest: Arc::default(),
        })
    }

    /// What was recorded, and the problem with the most contacts.
    pub(super) fn take(&self) -> (Vec<MethodRecord>, Option<Sample>) {
        let mut largest = self.largest.lock().unwrap_or_else(PoisonError::into_inner);
        (self.comparison.records(), largest.take())
    }
}

impl SolveObserver for Watch {
    fn solved(&mut self, solve: &Solve<'_>) {
        let step = solve.stamp.step;
        if step < self.plan.from || !(step - self.plan.from).is_multiple_of(self.plan.every) {
            return;
        }
        self.comparison.solved(solve);
        let contacts = solve.problem.contacts();
        let mut largest = self.largest.lock().unwrap_or_else(PoisonError::into_inner);
        if contacts > largest.as_ref().map_or(0, |s| s.problem.contacts()) {
            *largest = Some(Sample {
                step,
                problem: solve.problem.clone(),
                start: solve.start.clone(),
                tolerances: solve.method.tolerances(),
            });
        }
    }
}
