//! Products with the active rows `L = −[J; J_t]`, masked by state.

use crate::{ContactProblem, ContactState, Multipliers};
use nalgebra::Vector3;

/// The components of a contact's three rows that take part in the linear system; the others are zero.
#[inline]
pub(super) fn masked(state: ContactState, value: Vector3<f64>) -> Vector3<f64> {
    match state {
        ContactState::Inactive => Vector3::zeros(),
        ContactState::Sliding => Vector3::new(value[0], 0.0, 0.0),
        ContactState::Sticking => value,
    }
}

/// `[J; J_t]·x` of one contact.
#[inline]
pub(super) fn displacement(problem: &ContactProblem, contact: usize, x: &[f64]) -> Vector3<f64> {
    let (blocks, jacobians) = problem.row(contact);
    let mut sum = Vector3::zeros();
    for (&block, jacobian) in blocks.iter().zip(jacobians) {
        sum += jacobian * at(x, block);
    }
    sum
}

/// `y += [J; J_t]ᵀ·force` of one contact.
#[inline]
pub(super) fn add_impulse(
    problem: &ContactProblem,
    contact: usize,
    force: Vector3<f64>,
    y: &mut [f64],
) {
    let (blocks, jacobians) = problem.row(contact);
    for (&block, jacobian) in blocks.iter().zip(jacobians) {
        let impulse = jacobian.tr_mul(&force);
        let y = &mut y[3 * block as usize..][..3];
        y[0] += impulse[0];
        y[1] += impulse[1];
        y[2] += impulse[2];
    }
}

/// Completes `B x` given its part `A x_v` in `out_v`: `out_v −= Jᵀ x_m`, `out_m = −J x_v − E x_m`, masked.
///
/// `softness` is the diagonal of `E`, 3 per contact (m/N).
pub(super) fn add_contact_product(
    problem: &ContactProblem,
    contacts: &[Multipliers],
    active: &[u32],
    softness: &[f64],
    x: (&[f64], &[f64]),
    out: (&mut [f64], &mut [f64]),
) {
    let (x_v, x_m) = x;
    let (out_v, out_m) = out;
    for &contact in active {
        let contact = contact as usize;
        let state = contacts[contact].state;
        let force = masked(state, at(x_m, contact as u32));
        let soft = force.component_mul(&at(softness, contact as u32));
        let moved = masked(state, displacement(problem, contact, x_v)) + soft;
        add_impulse(problem, contact, -force, out_v);
        out_m[3 * contact..][..3].copy_from_slice((-moved).as_slice());
    }
}

/// The three entries of block `block`.
#[inline]
pub(super) fn at(x: &[f64], block: u32) -> Vector3<f64> {
    let x = &x[3 * block as usize..][..3];
    Vector3::new(x[0], x[1], x[2])
}
