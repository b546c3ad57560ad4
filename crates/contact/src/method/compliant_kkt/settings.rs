//! Settings of the KKT method.

use crate::setting::positive;
use crate::{ContactError, Tolerances};

/// Linear solver for momentum and bilateral rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum KktSolver {
    /// `L D Lᵀ` with refinement, for all kinds of rows.
    #[default]
    Direct,
    /// MINRES with a block diagonal preconditioner, for bilateral rows only.
    Minres,
}

/// Preconditioner of MINRES.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RowPreconditioner {
    /// Factors of `j diag(A)⁻¹ jᵀ + C`, which couple the rows.
    #[default]
    Coupled,
    /// The diagonal of that matrix alone, as in Tournier et al. 2015.
    Diagonal,
}

/// Solver of contacts and one-sided rows, after elimination of momentum and bilateral rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum OneSidedSolver {
    /// Gauss-Seidel, then Newton, then ADMM.
    #[default]
    Combined,
    /// Projected Gauss-Seidel alone, at most `max_iterations` sweeps, as in Tournier et al. 2015.
    GaussSeidel,
}

/// Settings of the method.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct CompliantKktSettings {
    /// Stopping tolerances, of the independent residual.
    pub tolerances: Tolerances,
    /// Sweeps of Gauss-Seidel over contacts and one-sided rows before Newton takes over.
    pub max_sweeps: u64,
    /// Largest number of sweeps, of Newton steps and of iterations of MINRES.
    pub max_iterations: u64,
    /// Largest number of refinement steps of a direct solve; a step without improvement is the last.
    pub refinements: u32,
    /// Linear solver for momentum and bilateral rows.
    pub solver: KktSolver,
    /// `‖r‖/‖rhs‖`, both scaled, at which MINRES stops.
    pub relative: f64,
    /// Preconditioner of MINRES. Files without it have the default.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_default"))]
    pub preconditioner: RowPreconditioner,
    /// Solver of contacts and one-sided rows. Files without it have the default.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_default"))]
    pub one_sided: OneSidedSolver,
}

#[cfg(feature = "serde")]
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for CompliantKktSettings {
    fn default() -> Self {
        Self {
            tolerances: Tolerances::default(),
            max_sweeps: 100,
            max_iterations: 2000,
            refinements: 2,
            solver: KktSolver::Direct,
            relative: 1e-10,
            preconditioner: RowPreconditioner::Coupled,
            one_sided: OneSidedSolver::Combined,
        }
    }
}

impl CompliantKktSettings {
    pub(in crate::method) fn validate(&self) -> Result<(), ContactError> {
        self.tolerances.validate()?;
        positive("max_sweeps", self.max_sweeps as f64)?;
        positive("max_iterations", self.max_iterations as f64)?;
        positive("relative", self.relative)
    }
}
