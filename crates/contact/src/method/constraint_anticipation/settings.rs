//! Settings of iterative constraint anticipation.

use crate::setting::positive;
use crate::{ContactError, FrictionLaw, Tolerances};

/// Start of the passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Start {
    /// The velocity without contacts, by conjugate gradients, as in the paper.
    Free,
    /// The velocity under the contact forces of the warm start, by conjugate gradients.
    Balanced,
    /// The velocity of the warm start.
    #[default]
    Warm,
}

/// Settings of the method.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct ConstraintAnticipationSettings {
    /// Start of the passes.
    pub start: Start,
    /// Friction law of the method and of the residual.
    pub law: FrictionLaw,
    /// Whether block Gauss-Seidel on the velocities runs backwards in every second pass: symmetric Gauss-Seidel.
    pub alternate: bool,
    /// Stopping tolerances, of the independent residual.
    pub tolerances: Tolerances,
    /// Largest number of sweeps over the contacts in one pass.
    pub max_sweeps: u64,
    /// Largest number of passes and iterations of conjugate gradients together.
    pub max_iterations: u64,
    /// Number of iterations after which friction converges to the gap tolerance only; the report says so.
    pub relax_after: u64,
}

impl Default for ConstraintAnticipationSettings {
    fn default() -> Self {
        Self {
            start: Start::default(),
            law: FrictionLaw::default(),
            alternate: false,
            tolerances: Tolerances::default(),
            max_sweeps: 10,
            max_iterations: 20_000,
            relax_after: 400,
        }
    }
}

impl ConstraintAnticipationSettings {
    pub(in crate::method) fn validate(&self) -> Result<(), ContactError> {
        self.tolerances.validate()?;
        positive("max_sweeps", self.max_sweeps as f64)?;
        positive("max_iterations", self.max_iterations as f64)
    }
}
