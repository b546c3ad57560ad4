//! Iterates of the active-set prediction.

use super::sweeps::PredictedContacts;

/// Largest number of further sweeps of a step over the contacts that still change, 200 to 1,000: nearly conflicting
/// rows converge slowly, and later steps need sweeps too.
pub(super) const FURTHER_SWEEPS: u32 = 200;

/// Largest number of such sweeps in all steps of one solve, beyond one in each step; 25 to 100 times
/// [`FURTHER_SWEEPS`]. Rows without a common solution take [`FURTHER_SWEEPS`] in every step and never converge; this
/// bound ends that. A smaller bound costs iterations in difficult solves, a larger one only delays the end of
/// impossible ones.
const FURTHER_OF_SOLVE: u64 = 25 * FURTHER_SWEEPS as u64;

/// Iterates of the steps; momentum vectors of length `n`.
#[derive(Debug, Default)]
pub(super) struct PredictionIterates {
    /// `y` and `A y`.
    pub(super) y: Vec<f64>,
    pub(super) ay: Vec<f64>,
    /// `v` and `A v` of the last step.
    pub(super) last: Vec<f64>,
    pub(super) a_last: Vec<f64>,
    /// `A v⁺`.
    pub(super) a_next: Vec<f64>,
    /// The part of `v⁺ − y` that is due to the coarse grid; zero without one, and on blocks in contact.
    pub(super) correction: Vec<f64>,
    pub(super) contacts: PredictedContacts,
    /// Number of further sweeps left in the solve.
    pub(super) further_left: u64,
}

impl PredictionIterates {
    /// Resets the number of further sweeps for a new solve.
    pub(super) fn begin_solve(&mut self) {
        self.further_left = FURTHER_OF_SOLVE;
    }

    pub(super) fn resize(&mut self, unknowns: usize) {
        for vector in [
            &mut self.y,
            &mut self.ay,
            &mut self.last,
            &mut self.a_last,
            &mut self.a_next,
        ] {
            vector.resize(unknowns, 0.0);
        }
    }
}
