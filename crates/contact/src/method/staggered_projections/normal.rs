//! The normal projection: `λ ≥ 0 ⊥ g ≥ 0` with fixed friction.

use super::half::{Half, Proposal, ProposalView};
use super::system::Row;
use crate::method::masked_rows::RowMask;
use crate::{ContactSolution, ContactState, Multipliers};
use nalgebra::Vector3;

/// Active contacts.
#[derive(Debug, Default)]
pub(super) struct NormalHalf {
    pressed: Vec<bool>,
}

impl NormalHalf {
    /// Sets the states of a warm start.
    pub(super) fn start(&mut self, solution: &ContactSolution) {
        self.pressed.clear();
        let pressed = solution
            .contacts
            .iter()
            .map(|m| m.state != ContactState::Inactive);
        self.pressed.extend(pressed);
    }

    pub(super) fn is_pressed(&self, contact: usize) -> bool {
        self.pressed[contact]
    }
}

impl Half for NormalHalf {
    type State = bool;

    fn row(&self, contact: usize, _: &Multipliers, _: &Vector3<f64>) -> Row {
        let normal = if self.pressed[contact] { 1.0 } else { 0.0 };
        Row {
            mask: RowMask {
                normal,
                tangential: [0.0; 3],
            },
            softness: 0.0,
        }
    }

    fn propose(
        &self,
        contact: usize,
        multipliers: &Multipliers,
        view: &ProposalView,
    ) -> Option<Proposal<bool>> {
        let gap = view.displacement[0];
        let [x, y] = multipliers.gamma;
        if !self.pressed[contact] {
            return (-gap > view.tolerance).then_some(Proposal {
                state: true,
                force: Vector3::new(0.0, x, y),
                worth: -gap,
            });
        }
        // Separated *and* pulling, because either alone may be transient.
        let worth = view.normal_compliance * -multipliers.lambda;
        (gap >= -view.noise && worth > view.tolerance).then_some(Proposal {
            state: false,
            force: Vector3::new(0.0, x, y),
            worth,
        })
    }

    fn set(&mut self, contact: usize, state: bool) {
        self.pressed[contact] = state;
    }

    fn share(&self, _: usize) -> f64 {
        1.0
    }
}
