//! Settings of staggered projections.

use crate::setting::positive;
use crate::{ContactError, FrictionLaw, Tolerances};

/// When the states of a projection change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum Schedule {
    /// Only when the equalities of the present states are solved: an active-set method.
    #[default]
    AtConvergence,
    /// Inside the iteration, every `max(1, ⌊log₂(‖r‖/ε₁)/3⌋)` iterations, postponed where they are not worth it.
    Interval,
}

/// Everything that steers the method.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct StaggeredProjectionsSettings {
    /// When the states of a projection change.
    pub schedule: Schedule,
    /// Friction forces that the friction projection chooses from, and that the answer is judged by.
    pub law: FrictionLaw,
    /// Stopping tolerances, of the independent residual.
    pub tolerances: Tolerances,
    /// Part of the present residual that a projection is solved to; 0 for always to tolerance, as in the papers.
    pub forcing: f64,
    /// Most projections, two to a stagger.
    pub max_projections: u64,
    /// Most iterations of all projections together.
    pub max_iterations: u64,
    /// Iterations after which friction is only settled to the gap tolerance; the report says so.
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
