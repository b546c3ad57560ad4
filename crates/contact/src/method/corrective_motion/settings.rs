//! Settings of the corrective-motion method.

use crate::setting::positive;
use crate::{ContactError, Tolerances};

/// How `W = J C Jᵀ` is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum DelassusForm {
    /// Assembled in 3×3 blocks (key `built`): for contacts that share few nodes.
    #[default]
    #[cfg_attr(feature = "serde", serde(rename = "built"))]
    Assembled,
    /// Matrix-free, through displacements of the contact nodes of each body (key `unbuilt`): for many contacts on few
    /// nodes.
    #[cfg_attr(feature = "serde", serde(rename = "unbuilt"))]
    MatrixFree,
}

/// Everything that steers the method.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct CorrectiveMotionSettings {
    /// Stopping tolerances, of the independent residual.
    pub tolerances: Tolerances,
    /// Accelerated sweeps of Gauss-Seidel before Newton takes over, which then starts with at most 100 plain ones.
    pub max_sweeps: u64,
    /// Most sweeps, and most Newton steps.
    pub max_iterations: u64,
    /// How `W` is applied.
    pub delassus: DelassusForm,
    /// With a warped compliance: whether contact forces change the momentum of free bodies by exactly what they are.
    pub momentum_repair: bool,
    /// With a warped compliance: how often, at most, the free motion is repeated under the forces that were found,
    /// until momentum balances to its tolerance or gets no nearer. Each time leaves a tenth of the error or so, and
    /// most solves need two or none.
    pub corrections: u32,
}

impl Default for CorrectiveMotionSettings {
    fn default() -> Self {
        Self {
            tolerances: Tolerances::default(),
            max_sweeps: 400,
            max_iterations: 2000,
            delassus: DelassusForm::Assembled,
            momentum_repair: false,
            corrections: 20,
        }
    }
}

impl CorrectiveMotionSettings {
    pub(in crate::method) fn validate(&self) -> Result<(), ContactError> {
        self.tolerances.validate()?;
        positive("max_sweeps", self.max_sweeps as f64)?;
        positive("max_iterations", self.max_iterations as f64)
    }
}
