//! The contact problem in its contacts alone: `W = J A⁻¹ Jᵀ`, `q = J v* − c`.

use super::compliance::ExactCompliance;
use crate::delassus::{BlockRows, FrictionError, FrictionProblem};
use crate::method::rows::displacement;
use crate::{ContactError, ContactProblem};
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;

/// Velocity without any contact, `v* = A⁻¹ b`, and the friction problem of what contacts have to change.
pub(super) struct Condensed {
    /// `W` (m/N), `q` (m), `μ`; its reactions are forces (N), its velocities gaps and slips (m).
    pub(super) friction: FrictionProblem,
    /// Solves with `A`, three columns or one.
    pub(super) solves: u64,
}

/// `x ← A⁻¹ x`, part by part.
pub(super) fn apply(compliance: &mut ExactCompliance, x: &mut [f64], scratch: &mut Vec<f64>) {
    for part in compliance.parts_mut() {
        scratch.clear();
        for &block in &part.blocks {
            scratch.extend_from_slice(&x[3 * block..][..3]);
        }
        part.solve_in_place(scratch);
        for (&block, value) in part.blocks.iter().zip(scratch.chunks_exact(3)) {
            x[3 * block..][..3].copy_from_slice(value);
        }
    }
}

/// Builds `W` in 3×3 blocks: one solve of three columns per contact and body it touches.
///
/// Contacts couple only where they share a body.
///
/// # Errors
/// [`ContactError::NotFinite`] if a solve overflowed.
pub(super) fn condense(
    problem: &ContactProblem,
    compliance: &mut ExactCompliance,
    free: &[f64],
    scratch: &mut Vec<f64>,
) -> Result<Condensed, ContactError> {
    let contacts = problem.contacts();
    let part_count = compliance.parts_mut().len();
    // Per part, the contacts that touch it with their local blocks.
    let mut touching: Vec<Vec<Touch>> = (0..part_count).map(|_| Vec::new()).collect();
    for contact in 0..contacts {
        let (blocks, jacobians) = problem.row(contact);
        for (&block, jacobian) in blocks.iter().zip(jacobians) {
            let (part, local) = compliance.place(block);
            let list = &mut touching[part];
            match list.last_mut() {
                Some(touch) if touch.contact == contact => touch.entries.push((local, *jacobian)),
                _ => list.push(Touch {
                    contact,
                    entries: vec![(local, *jacobian)],
                }),
            }
        }
    }
    let mut sums: BTreeMap<(usize, usize), Matrix3<f64>> = BTreeMap::new();
    let mut solves = 0;
    for (part, list) in compliance.parts_mut().iter_mut().zip(&touching) {
        let size = 3 * part.blocks.len();
        for pushed in list {
            scratch.clear();
            scratch.resize(3 * size, 0.0);
            for (local, jacobian) in &pushed.entries {
                for row in 0..3 {
                    for axis in 0..3 {
                        scratch[row * size + 3 * local + axis] += jacobian[(row, axis)];
                    }
                }
            }
            part.solve_in_place(scratch);
            solves += 1;
            for felt in list {
                let mut block = Matrix3::zeros();
                for (local, jacobian) in &felt.entries {
                    let moved =
                        Matrix3::from_fn(|axis, row| scratch[row * size + 3 * local + axis]);
                    block += jacobian * moved;
                }
                *sums
                    .entry((felt.contact, pushed.contact))
                    .or_insert_with(Matrix3::zeros) += block;
            }
        }
    }
    let triplets = sums.into_iter().map(|((i, j), w)| (i, j, w)).collect();
    let gaps: Vec<Vector3<f64>> = (0..contacts)
        .map(|contact| displacement(problem, contact, free) - problem.offset(contact))
        .collect();
    let friction = (0..contacts).map(|c| problem.friction(c)).collect();
    let friction = BlockRows::from_triplets(contacts, triplets)
        .and_then(|w| FrictionProblem::new("step", w, gaps, friction))
        .map_err(|error| unusable(&error))?;
    Ok(Condensed { friction, solves })
}

/// A contact and its rows on one part.
struct Touch {
    contact: usize,
    entries: Vec<(usize, Matrix3<f64>)>,
}

/// A validated contact problem condenses to a sound friction problem unless numbers overflow.
fn unusable(error: &FrictionError) -> ContactError {
    let index = match *error {
        FrictionError::NotFinite { index, .. } => index,
        FrictionError::NoCompliance { contact, .. } => contact,
        _ => 0,
    };
    ContactError::NotFinite {
        what: "compliance of contact",
        index,
    }
}
