//! Rows of constraints whose material flows.

use impinge_fem::VonMises;

/// The six strains of one constraint that flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Yield {
    /// First of them among the rows of all constraints: in compliance form, in stiffness form, held.
    pub(crate) first_row: usize,
    pub(crate) law: VonMises,
}
