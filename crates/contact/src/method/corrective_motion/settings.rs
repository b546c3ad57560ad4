//! Settings of the corrective-motion method.

use crate::setting::positive;
use crate::{ContactError, Tolerances};

/// Form of `W = J C Jᵀ`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum DelassusForm {
    /// Assembled in 3×3 blocks (key `built`): for contacts that share few nodes.
    #[default]
    #[cfg_attr(feature = "serde", serde(rename = "built"))]
    Assembled,
    /// Matrix-free, through velocities of the contact nodes of each body (key `unbuilt`): for many contacts on few
    /// nodes.
    #[cfg_attr(feature = "serde", serde(rename = "unbuilt"))]
    MatrixFree,
}

/// Settings of the method.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct CorrectiveMotionSettings {
    /// Stopping tolerances, of the independent residual.
    pub tolerances: Tolerances,
    /// Largest number of accelerated Gauss-Seidel sweeps before Newton's method, which starts with at most 100 plain
    /// ones.
    pub max_sweeps: u64,
    /// Largest number of sweeps and of Newton steps.
    pub max_iterations: u64,
    /// Form of `W`.
    pub delassus: DelassusForm,
    /// For a warped compliance: whether contact forces change the momentum of free bodies exactly.
    pub momentum_repair: bool,
    /// For a warped compliance: largest number of corrections, free motions that are repeated under the present forces.
    /// They end when momentum balances to its tolerance, or after three in a row without a new least residual. Each
    /// reduces the error to about a tenth, and most solves need at most two.
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
