//! Products with the active rows `L = −[J; J_t]`, masked by state.

pub(super) use crate::method::rows::{add_impulse, at, displacement};
use crate::{ContactProblem, ContactState};
use nalgebra::Vector3;

/// Which part of a contact's three rows takes part in the linear system: the rest is zero in every product.
///
/// The normal row as a whole or not at all; of the tangential pair both, none, or the one direction across the slip.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RowMask {
    normal: f64,
    /// Projection of the tangential pair: entries 11, 12 and 22 of a symmetric matrix.
    tangential: [f64; 3],
}

impl RowMask {
    /// The rows of a contact in its state; a sliding one keeps the row across `friction_direction` if there is one.
    pub(super) fn of(state: ContactState, friction_direction: Option<[f64; 2]>) -> Self {
        match (state, friction_direction) {
            (ContactState::Inactive, _) => Self::default(),
            (ContactState::Sticking, _) => Self {
                normal: 1.0,
                tangential: [1.0, 0.0, 1.0],
            },
            (ContactState::Sliding, None) => Self {
                normal: 1.0,
                tangential: [0.0; 3],
            },
            (ContactState::Sliding, Some([x, y])) => Self {
                normal: 1.0,
                tangential: [y * y, -x * y, x * x],
            },
        }
    }

    /// The part of `value` that takes part.
    #[inline]
    pub(super) fn apply(&self, value: Vector3<f64>) -> Vector3<f64> {
        let [xx, xy, yy] = self.tangential;
        Vector3::new(
            self.normal * value[0],
            xx * value[1] + xy * value[2],
            xy * value[1] + yy * value[2],
        )
    }
}

/// Completes `B x` given its part `A x_v` in `out_v`: `out_v −= Jᵀ x_m`, `out_m = −J x_v − E x_m`, masked.
///
/// `softness` is the diagonal of `E`, 3 per contact (m/N). Six arguments: the vectors are borrowed from one workspace.
pub(super) fn add_contact_product(
    problem: &ContactProblem,
    masks: &[RowMask],
    active: &[u32],
    softness: &[f64],
    x: (&[f64], &[f64]),
    out: (&mut [f64], &mut [f64]),
) {
    let (x_v, x_m) = x;
    let (out_v, out_m) = out;
    for &contact in active {
        let contact = contact as usize;
        let mask = &masks[contact];
        let force = mask.apply(at(x_m, contact as u32));
        let soft = force.component_mul(&at(softness, contact as u32));
        let moved = mask.apply(displacement(problem, contact, x_v) + soft);
        add_impulse(problem, contact, &-force, out_v);
        out_m[3 * contact..][..3].copy_from_slice((-moved).as_slice());
    }
}
