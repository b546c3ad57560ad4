//! Joints between vertices and free rigid bodies.
//!
//! *Joints without compliance* hold at the ticks of a clock of period `h`. Their impulses `Jᵀ p` act at a tick, with
//! the rows `J` of that tick. Everything then flies until the next tick, where they shall hold again:
//!
//! ```text
//! φ(x + h (v + M⁻¹ Jᵀ p)) = 0          one-sided rows: φ ≥ 0, p ≥ 0, complementary
//! ```
//!
//! This is SHAKE, a symplectic rule: energy differs from the true one by the second order of `h`, and has no drift. A
//! simplified Newton's method solves it, with the matrix `J M⁻¹ Jᵀ` of the rows that act, from the impulses of the last
//! tick. A one-sided row acts while it has an impulse or would be violated. Impulses of contact on what joints hold are
//! answered at once by impulses with `J Δv = 0`. Where a tick has no solution, as when a body would turn too far, the
//! period is halved for as long as that lasts.
//!
//! *Joints with compliance* are springs `V = ½ φᵀ C⁻¹ φ`: the impulse `−h Jᵀ C⁻¹ φ` at each tick of a clock that
//! resolves their vibration, as for every elastic term.
//!
//! Impulses of a joint are opposite and act at places that coincide, so momenta are kept.
//!
//! # Source
//! Ryckaert, Ciccotti and Berendsen 1977, "Numerical integration of the Cartesian equations of motion of a system with
//! constraints", <https://doi.org/10.1016/0021-9991(77)90098-5>.

mod clocks;
mod coupling;
mod events;
mod group;
mod joint;
mod shared;
mod unknowns;

pub(super) use clocks::{JointClocks, Steps};
pub(super) use joint::{Rows, write_force};

use super::system::{JointGroup, System};
use group::Group;
use nalgebra::Vector3;
use shared::Shared;
use unknowns::Blocks;

/// Largest misfit of a joint without compliance, in thicknesses of the first layer (1, for lengths in m and angles in
/// rad): far below what contact resolves. The next tick mends it.
const CLOSED: f64 = 1e-6;

/// The same over the largest coordinate (1): some rounding errors.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// All joints of a system.
#[derive(Clone, Debug, Default)]
pub(super) struct Joints {
    groups: Vec<Group>,
    shared: Shared,
}

impl Joints {
    /// The joints of a system, which are taken out of it, at time 0.
    pub(super) fn take(system: &mut System) -> Self {
        let largest = system.positions.iter().map(Vector3::amax);
        let rounding = ROUNDING * largest.fold(0.0, f64::max);
        let blocks = Blocks::new(&system.masses, system.rigid.bodies.len());
        let places = blocks.places();
        let groups = std::mem::take(&mut system.joints).into_iter();
        Self {
            groups: groups.map(Group::new).collect(),
            shared: Shared {
                ahead: places.clone(),
                places,
                blocks,
                tolerance: rounding.max(CLOSED * system.law.thickness(1)),
            },
        }
    }

    /// Number of groups.
    pub(super) fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// Number of joints of a group.
    pub(super) fn members_of(&self, group: u32) -> usize {
        self.groups[group as usize].len()
    }

    /// Mean force of each joint without compliance over its last period (N, or N m), by row, in the order of the
    /// system that they came from.
    pub(super) fn hard_forces(&self) -> impl Iterator<Item = (usize, Rows)> {
        self.groups.iter().flat_map(Group::hard_forces)
    }
}

impl JointGroup {
    fn is_hard(&self) -> bool {
        self.joints.iter().all(|joint| joint.constraint.is_hard())
    }
}
