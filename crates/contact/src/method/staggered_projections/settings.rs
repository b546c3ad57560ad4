//! Settings of staggered projections.

use crate::setting::positive;
use crate::{ContactError, FrictionLaw, Tolerances};

/// Time of state changes in a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Schedule {
    /// When the equalities of the present states are solved: an active-set method.
    #[default]
    AtConvergence,
    /// Within the iteration, every `max(1, ⌊log₂(‖r‖/ε₁)/3⌋)` iterations, delayed if they are not worth it.
    Interval,
}

/// Settings of the method.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct StaggeredProjectionsSettings {
    /// Time of state changes in a projection.
    pub schedule: Schedule,
    /// Friction law of the friction projection and of the residual.
    pub law: FrictionLaw,
    /// Stopping tolerances, of the independent residual.
    pub tolerances: Tolerances,
    /// Share of the present residual that a projection is solved to; 0 solves each to tolerance, as in the papers.
    pub forcing: f64,
    /// Largest number of projections; a stagger has two.
    pub max_projections: u64,
    /// Largest number of iterations of all projections together.
    pub max_iterations: u64,
    /// Number of iterations after which friction converges to the gap tolerance only; the report says so.
    pub relax_after: u64,
}

impl Default for StaggeredProjectionsSettings {
    fn default() -> Self {
        Self {
            schedule: Schedule::default(),
            law: FrictionLaw::default(),
            tolerances: Tolerances::default(),
            forcing: 0.1,
            max_projections: 400,
            max_iterations: 20_000,
            relax_after: 400,
        }
    }
}

impl StaggeredProjectionsSettings {
    pub(in crate::method) fn validate(&self) -> Result<(), ContactError> {
        self.tolerances.validate()?;
        if !(self.forcing >= 0.0 && self.forcing < 1.0) {
            return Err(ContactError::Setting {
                name: "forcing",
                value: self.forcing,
                requirement: "at least 0 and below 1",
            });
        }
        positive("max_projections", self.max_projections as f64)?;
        positive("max_iterations", self.max_iterations as f64)
    }
}
