//! The half of the multipliers that a projection solves for, and its convergence criterion.

use super::settings::Schedule;
use super::system::Row;
use crate::{ContactProblem, Interrupt, Multipliers, Tolerances};
use nalgebra::Vector3;

/// Which projection is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Normal,
    Friction,
}

/// A proposed state change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Proposal<S> {
    pub(super) state: S,
    /// Its force `(λ, γ)` (N).
    pub(super) force: Vector3<f64>,
    /// Size of the change as a displacement (m).
    pub(super) worth: f64,
}

/// The data of one contact that decide its proposal.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProposalView {
    /// `(g, s)` (m).
    pub(super) displacement: Vector3<f64>,
    /// `W_n` (m/N).
    pub(super) normal_compliance: f64,
    /// `W_t` (m/N).
    pub(super) tangential_compliance: f64,
    /// Displacement of solved rows that is noise without a sign (m).
    pub(super) noise: f64,
    /// Smallest size of a change (m).
    pub(super) tolerance: f64,
}

/// The half of the multipliers that a projection solves for; the other half is fixed.
pub(super) trait Half {
    type State: Copy;

    fn row(&self, contact: usize, multipliers: &Multipliers, displacement: &Vector3<f64>) -> Row;
    fn propose(
        &self,
        contact: usize,
        multipliers: &Multipliers,
        view: &ProposalView,
    ) -> Option<Proposal<Self::State>>;
    fn set(&mut self, contact: usize, state: Self::State);
    /// Share of the tolerance for the rows of a contact.
    fn share(&self, contact: usize) -> f64;
}

/// Convergence criterion and limits of a projection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal<'a> {
    pub(super) tolerances: Tolerances,
    /// Factor of the tolerances (1).
    pub(super) looseness: f64,
    /// The half that it solves for.
    pub(super) turn: Turn,
    /// Whether friction has the tolerance of gaps.
    pub(super) relaxed: bool,
    pub(super) schedule: Schedule,
    /// Iteration limit of the whole solve.
    pub(super) limit: u64,
    /// Ends the projection when raised.
    pub(super) interrupt: &'a Interrupt,
}

impl Goal<'_> {
    /// Bound on `‖w r_v‖` (N·s).
    pub(super) fn momentum(&self) -> f64 {
        self.looseness * self.tolerances.momentum
    }

    /// Bound on the displacement of the rows of a contact (m).
    pub(super) fn displacement(&self, problem: &ContactProblem, contact: usize) -> f64 {
        let of_contact = self.tolerances.of(problem, contact, self.relaxed);
        self.looseness
            * match self.turn {
                Turn::Normal => of_contact.gap,
                Turn::Friction => of_contact.slip,
            }
    }
}
