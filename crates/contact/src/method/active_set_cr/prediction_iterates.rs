//! Iterates of the active-set prediction.

use super::sweeps::Sweeps;

/// Most further sweeps of a step over the contacts that still move (1): nearly contradicting rows converge slowly.
pub(super) const FURTHER_SWEEPS: u32 = 200;

/// Such sweeps that all steps of one solve may take together (1), beyond the usual sweeps for each step. Rows without a
/// common solution take [`FURTHER_SWEEPS`] at every step and never settle; this bound ends that. A solve that reaches
/// it goes on with these a step: a smaller bound costs it iterations, a larger one only delays the end of hopeless
/// solves.
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
    pub(super) sweeps: Sweeps,
    /// Further sweeps that the solve may still take.
    pub(super) further_left: u64,
}

impl PredictionIterates {
    /// Gives a new solve its further sweeps.
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
