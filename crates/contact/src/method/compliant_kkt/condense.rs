//! The friction problem of contacts and one-sided rows, condensed from momentum and bilateral rows.

use super::system::KktSystem;
use crate::delassus::{BlockRows, FrictionError, FrictionProblem};
use crate::method::corrective_motion;
use crate::method::rows::{add_impulse, gap_and_slip};
use crate::{ContactError, ContactProblem};
use nalgebra::{Matrix3, Vector3};

/// Share of the largest response of a contact below which bilateral rows hold a direction of it, 1e-14 to 1e-8: what
/// is left is rounding of the solve, of either sign.
const HELD: f64 = 1e-12;

/// A contact or a one-sided row, which acts like the normal row of a contact.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pressing {
    Contact(usize),
    Row { group: usize, row: usize },
}

/// Lists contacts first, then one-sided rows by group.
pub(super) fn pressing(problem: &ContactProblem, list: &mut Vec<Pressing>) {
    list.clear();
    list.extend((0..problem.contacts()).map(Pressing::Contact));
    for group in 0..problem.constraints.groups() {
        let of = problem.constraints.group(group);
        if of.unilateral {
            list.extend((0..of.offset.len()).map(|row| Pressing::Row { group, row }));
        }
    }
}

impl Pressing {
    /// Gap and slip at `v`; for a row `j v − c`, without its own compliance.
    pub(super) fn motion(self, problem: &ContactProblem, v: &[f64]) -> Vector3<f64> {
        match self {
            Self::Contact(contact) => gap_and_slip(problem, contact, v),
            Self::Row { group, row } => {
                let offset = problem.constraints.group(group).offset[row];
                let gap = problem.constraints.product(group, row, v) - offset;
                Vector3::new(gap, 0.0, 0.0)
            }
        }
    }

    /// `y += Gᵀ f`.
    pub(super) fn push(self, problem: &ContactProblem, force: &Vector3<f64>, y: &mut [f64]) {
        match self {
            Self::Contact(contact) => add_impulse(problem, contact, force, y),
            Self::Row { group, row } => problem.constraints.add_impulse(group, row, force.x, y),
        }
    }

    fn friction(self, problem: &ContactProblem) -> f64 {
        match self {
            Self::Contact(contact) => problem.friction(contact),
            Self::Row { .. } => 0.0,
        }
    }

    /// Number of rows: three for a contact, one for a one-sided row.
    fn directions(self) -> usize {
        match self {
            Self::Contact(_) => 3,
            Self::Row { .. } => 1,
        }
    }

    /// Entry of `C` between two rows of one group.
    fn compliance(self, other: Self, problem: &ContactProblem) -> f64 {
        match (self, other) {
            (Self::Row { group, row }, Self::Row { group: g, row: r }) if g == group => {
                let of = problem.constraints.group(group);
                of.compliance[row * of.offset.len() + r]
            }
            _ => 0.0,
        }
    }
}

/// `W = G K⁻¹ Gᵀ + C` in 3×3 blocks; `q` is the motion at the `free` velocities.
///
/// # Errors
/// [`ContactError::NotFinite`] if a solve overflowed.
pub(super) fn condense(
    problem: &ContactProblem,
    system: &mut KktSystem,
    list: &[Pressing],
    free: &[f64],
    scratch: &mut Vec<f64>,
) -> Result<FrictionProblem, ContactError> {
    let (size, n) = (system.unknowns(), problem.unknowns());
    let mut triplets = Vec::with_capacity(list.len() * list.len());
    for (column, &pushed) in list.iter().enumerate() {
        scratch.clear();
        scratch.resize(3 * size, 0.0);
        for axis in 0..pushed.directions() {
            let unit = Vector3::ith(axis, 1.0);
            pushed.push(problem, &unit, &mut scratch[axis * size..][..n]);
        }
        system.apply(scratch);
        for (row, &felt) in list.iter().enumerate() {
            let mut block = Matrix3::zeros();
            for axis in 0..pushed.directions() {
                let moved = &scratch[axis * size..][..n];
                let motion = felt.motion(problem, moved) - felt.motion_at_rest(problem);
                block.set_column(axis, &motion);
            }
            block.m11 += felt.compliance(pushed, problem);
            if row == column {
                // No tangential motion, and so no tangential force: any positive entry makes the block regular.
                let least = HELD * block.amax();
                for axis in 1..3 {
                    if block[(axis, axis)] <= least {
                        block[(axis, axis)] = block.m11;
                    }
                }
            }
            triplets.push((row, column, block));
        }
    }
    let q = list.iter().map(|p| p.motion(problem, free)).collect();
    let friction = list.iter().map(|p| p.friction(problem)).collect();
    BlockRows::from_triplets(list.len(), triplets)
        .and_then(|w| FrictionProblem::new("step", w, q, friction))
        .map_err(|error| unusable(&error))
}

impl Pressing {
    fn motion_at_rest(self, problem: &ContactProblem) -> Vector3<f64> {
        match self {
            Self::Contact(contact) => -problem.offset(contact),
            Self::Row { group, row } => {
                Vector3::new(-problem.constraints.group(group).offset[row], 0.0, 0.0)
            }
        }
    }
}

/// A valid problem condenses to a valid one, unless numbers overflow or bilateral rows fix all points of a contact.
fn unusable(error: &FrictionError) -> ContactError {
    match *error {
        FrictionError::NoCompliance { contact, .. } => ContactError::Immovable { contact },
        _ => corrective_motion::unusable(error),
    }
}
