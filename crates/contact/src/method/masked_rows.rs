//! The active rows `L = −[J; J_t]`, masked by state: products, residuals, and when they count as solved.

use super::rows::{add_impulse, at, displacement};
use crate::{ContactProblem, ContactState, Multipliers};
use nalgebra::Vector3;

/// Tolerance of the row across a slip over the slip tolerance (1), 0.03 to 0.3: a slip of ten tolerances then has the
/// direction of its force to about `ε_θ`.
pub(super) const ACROSS: f64 = 0.1;

/// Largest softness of the row across a slip over `W_t` (1), 1e4 to 1e6: a softer row has no effect.
pub(super) const SOFTEST: f64 = 1e4;

/// Share of the tolerance above which a gap or slip moves the reference force of its row (1), 0.25 to 0.5: the answer
/// must end within the tolerance, and a force that follows later settles later.
pub(super) const FOLLOW: f64 = 0.5;

/// Active part of a contact's three rows; the rest is zero in every product.
///
/// The normal row is active or not. Of the tangential pair both are active, none, or the direction across the slip.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RowMask {
    pub(super) normal: f64,
    /// Projection of the tangential pair: entries 11, 12 and 22 of a symmetric matrix.
    pub(super) tangential: [f64; 3],
}

impl RowMask {
    /// Active rows of a contact in its state; a sliding contact keeps the row across `friction_direction`, if there is
    /// one.
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

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The active part of `value`.
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

/// The active rows of a linear system.
#[derive(Debug, Clone, Copy)]
pub(super) struct MaskedRows<'a> {
    /// Rows of every contact of the problem.
    pub(super) masks: &'a [RowMask],
    /// Contacts with active rows, ascending.
    pub(super) active: &'a [u32],
    /// Diagonal of `E`, 3 per contact (m/N).
    pub(super) softness: &'a [f64],
}

impl MaskedRows<'_> {
    /// `B x` from `A`: `out_v = A x_v − Jᵀ x_m`, `out_m = −J x_v − E x_m` for active rows.
    pub(super) fn multiply(
        &self,
        problem: &ContactProblem,
        (x_v, x_m): (&[f64], &[f64]),
        (out_v, out_m): (&mut [f64], &mut [f64]),
        scratch: &mut [f64],
    ) {
        problem.momentum.multiply(x_v, out_v, scratch);
        for &contact in self.active {
            let index = contact as usize;
            let mask = &self.masks[index];
            let force = mask.apply(at(x_m, contact));
            let soft = force.component_mul(&at(self.softness, contact));
            let moved = mask.apply(displacement(problem, index, x_v) + soft);
            add_impulse(problem, index, &-force, out_v);
            out_m[3 * index..][..3].copy_from_slice((-moved).as_slice());
        }
    }

    /// `r_m = (g, s) + E((λ, γ) − (λ, γ)_ref)` for active rows, and 0 for the others. Displacements `(g, s)` and
    /// `reference` forces have 3 entries per contact.
    pub(super) fn residual_into(
        &self,
        contacts: &[Multipliers],
        displacement: &[f64],
        reference: &[f64],
        r_m: &mut [f64],
    ) {
        r_m.fill(0.0);
        for &contact in self.active {
            let index = contact as usize;
            let raised = (contacts[index].solved_force() - at(reference, contact))
                .component_mul(&at(self.softness, contact));
            let row = self.masks[index].apply(at(displacement, contact) + raised);
            r_m[3 * index..][..3].copy_from_slice(row.as_slice());
        }
    }
}
