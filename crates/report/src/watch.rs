//! The effort of each method on the problems of a run: all methods solve the same problems from the same warm starts.

use std::sync::{Arc, Mutex, PoisonError};

use impinge_contact::Tolerances;
use impinge_contact::compliance::TurnedBodies;
use impinge_contact::{ContactProblem, ContactSolution, Method};
use impinge_sim::compare::{Comparison, MethodRecord};
use impinge_sim::stepper::{Solve, SolveObserver};
use nalgebra::Matrix3;

/// Most rounds of a step that are kept: more would leave too few points for each in a plot, and few steps have more.
pub(crate) const MOST_ROUNDS: usize = 14;

/// Bound of the memory of the kept rounds (bytes); the first is kept in any case. The step with the most contacts and
/// the present one are kept, so twice as much may be in use.
const MOST_BYTES: usize = 512 << 20;

/// The steps on which methods are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// The first step.
    pub from: u64,
    /// Interval after it, in steps.
    pub every: u64,
}

impl Selection {
    /// Whether `step` is selected.
    pub fn holds(&self, step: u64) -> bool {
        step >= self.from && (step - self.from).is_multiple_of(self.every.max(1))
    }
}

/// A problem with its warm start.
#[derive(Clone)]
pub struct Round {
    /// The problem.
    pub problem: ContactProblem,
    /// The warm start of the run.
    pub start: ContactSolution,
    /// Tolerances of the solve.
    pub tolerances: Tolerances,
    /// Data of the bodies, if a method needs them.
    pub bodies: Option<Arc<TurnedBodies>>,
}

impl Round {
    fn bytes(&self) -> usize {
        let blocks = self.problem.momentum.values().len();
        let entries: usize = (0..self.problem.contacts())
            .map(|contact| self.problem.row(contact).0.len())
            .sum();
        (blocks + entries) * size_of::<Matrix3<f64>>() + 16 * self.problem.unknowns()
    }
}

/// The problems of one step.
#[derive(Clone, Default)]
pub struct Sample {
    /// Number of the step.
    pub step: u64,
    /// The solves of the step in their order, including attempts that were rolled back.
    pub rounds: Vec<Round>,
    /// Number of later solves that were not kept.
    pub left_out: usize,
    bytes: usize,
}

impl Sample {
    /// Contacts of the largest of its problems.
    pub fn contacts(&self) -> usize {
        let contacts = self.rounds.iter().map(|round| round.problem.contacts());
        contacts.max().unwrap_or(0)
    }

    fn keep(&mut self, round: Round) {
        let bytes = self.bytes + round.bytes();
        let room = self.left_out == 0 && self.rounds.len() < MOST_ROUNDS && bytes <= MOST_BYTES;
        if room || self.rounds.is_empty() {
            self.bytes = bytes;
            self.rounds.push(round);
        } else {
            self.left_out += 1;
        }
    }
}

/// Compares methods on selected steps of a run, and may keep the problems of the step with the most contacts.
///
/// Clones share their records: one belongs to the simulation, another returns the records.
#[derive(Clone)]
pub struct Watch {
    selection: Selection,
    comparison: Comparison,
    /// `None` if no problem is requested.
    kept: Option<Arc<Mutex<Kept>>>,
}

#[derive(Default)]
struct Kept {
    present: Sample,
    largest: Sample,
}

impl Kept {
    /// Ends the present step.
    fn settle(&mut self) {
        let present = std::mem::take(&mut self.present);
        if present.contacts() > self.largest.contacts() {
            self.largest = present;
        }
    }
}

impl Watch {
    /// Compares `methods`, each with its display name; tolerances are those of the run.
    pub fn new(methods: impl IntoIterator<Item = (String, Method)>, selection: Selection) -> Self {
        Self {
            selection,
            comparison: Comparison::new(methods),
            kept: None,
        }
    }

    /// Also keeps the problems of the compared step with the most contacts.
    #[must_use]
    pub fn keeping_a_sample(self) -> Self {
        Self {
            kept: Some(Arc::default()),
            ..self
        }
    }

    /// Calls `announce` with the number of the step and the name of the method before every solve.
    #[must_use]
    pub fn announcing(self, announce: impl Fn(u64, &str) + Send + Sync + 'static) -> Self {
        Self {
            comparison: self.comparison.announcing(announce),
            ..self
        }
    }

    /// All records so far.
    pub fn records(&self) -> Vec<MethodRecord> {
        self.comparison.records()
    }

    /// The compared step with the most contacts, if one had contacts and keeping was requested.
    pub fn take_sample(&self) -> Option<Sample> {
        let kept = self.kept.as_ref()?;
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.settle();
        let largest = std::mem::take(&mut kept.largest);
        (largest.contacts() > 0).then_some(largest)
    }
}

impl SolveObserver for Watch {
    fn wants_bodies(&self) -> bool {
        self.comparison.wants_bodies()
    }

    fn solved(&mut self, solve: &Solve<'_>) {
        let step = solve.stamp.step;
        if !self.selection.holds(step) {
            return;
        }
        self.comparison.solved(solve);
        let Some(kept) = &self.kept else {
            return;
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.present.step != step {
            kept.settle();
            kept.present.step = step;
        }
        kept.present.keep(Round {
            problem: solve.problem.clone(),
            start: solve.start.clone(),
            tolerances: solve.method.tolerances(),
            bodies: solve.bodies.cloned(),
        });
    }
}
