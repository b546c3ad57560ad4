//! Settings of the active-set conjugate-residual method.

use crate::{
    ContactError, Tolerances,
    method::restart_delay::SHARE,
    setting::{not_negative, positive},
};

/// Preconditioner `C⁻¹` of the iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PreconditionerKind {
    /// `diag(D, S_d)⁻¹`: positive definite.
    Diagonal,
    /// The block inverse with `A → D` and `L A⁻¹ Lᵀ → S_d`: indefinite, and several times fewer iterations.
    #[default]
    Full,
}

/// How near-duplicate contacts are counted in `Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum DuplicateRule {
    /// The paper's rule for nodes, for rigid bodies as well: product of weight similarities over common blocks.
    #[default]
    Similarity,
    /// The paper's rules: for contacts of two rigid bodies the number of contacts of that pair, for others the product
    /// of weight similarities over common nodes. Blocks that are no [rest
    /// nodes](crate::ContactProblem::set_rest_nodes) are those of rigid bodies. Obstacles have no blocks: all contacts
    /// of a body with obstacles are those of one pair.
    PerPair,
}

/// Schedule of active-set updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum EvaluationSchedule {
    /// Every `max(1, ⌊log₂(‖r‖/ε₁)/3⌋)` iterations: rarely far from the solution, always near it.
    #[default]
    Interval,
    /// When the present equalities are solved: a plain active-set method.
    AtConvergence,
}

/// Rule by which the slip direction `δ` of a sliding contact follows its slip `s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum DirectionRule {
    /// Implicit: friction along `s` means `s_⊥ + (‖s‖/μλ) F_⊥ = 0` across `δ`, a soft row of the linear system. `δ`
    /// then takes the direction of the resulting force: Newton's method for the direction of maximum dissipation.
    ///
    /// An explicit rotation of `δ` moves the slip back by `W_t μ λ` times the angle. For a contact that barely slides,
    /// with `‖s‖` below half of that, any fixed share of the misalignment would overshoot; the row becomes a sticking
    /// one there.
    #[default]
    Implicit,
    /// Rotated by the share `direction_step` of the misalignment in each update, as in the paper.
    Damped,
}

/// Settings of the method; the defaults are those of the paper where it gives them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct ActiveSetCrSettings {
    /// `C⁻¹`.
    pub preconditioner: PreconditionerKind,
    /// `Z`.
    pub duplicates: DuplicateRule,
    /// Schedule of active-set updates.
    pub schedule: EvaluationSchedule,
    /// Stopping tolerances.
    pub tolerances: Tolerances,
    /// `ε_θ`: largest misalignment of the slip direction that is not corrected (rad).
    pub direction_tolerance: f64,
    /// Rule by which `δ` follows the slip.
    pub direction_rule: DirectionRule,
    /// `α_θ`: share of the misalignment that [`DirectionRule::Damped`] removes per update.
    pub direction_step: f64,
    /// Largest number of iterations of one solve; beyond it a shorter step is expected to converge sooner.
    pub max_iterations: u64,
    /// Restart delay: after a change, only forced updates for this share of the iterations since the residual last
    /// halved; 0 for the paper's schedule.
    pub rest: f64,
    /// `E/W`: softness of active rows about the forces of the last restart. The rows are `g + E(λ − λ_ref) = 0`, and
    /// `λ_ref` follows until `g` itself is within tolerance, so the solution is not soft. Near-duplicate rows that
    /// conflict by less than the tolerance cannot build up opposing forces. 0 for the paper's hard rows.
    pub softness: f64,
    /// Whether the active set is predicted, in phases that alternate with the iteration, and finely meshed bodies have
    /// a coarse grid in long steps. `false` for the paper's method, whose states change within the iteration only, and
    /// whose preconditioners are made of the diagonal.
    pub prediction: bool,
    /// Number of iterations after which friction converges to the gap tolerance only, as always in the paper; the
    /// report says so. `u64::MAX` for never.
    pub relax_after: u64,
    /// Number of iterations between exact recomputations of the residual, against drift of the recurrence.
    pub refresh_interval: u64,
}

impl Default for ActiveSetCrSettings {
    fn default() -> Self {
        Self {
            preconditioner: PreconditionerKind::default(),
            duplicates: DuplicateRule::default(),
            schedule: EvaluationSchedule::default(),
            tolerances: Tolerances::default(),
            direction_tolerance: 1.2_f64.to_radians(),
            direction_rule: DirectionRule::default(),
            direction_step: 0.01,
            max_iterations: 5000,
            rest: SHARE,
            softness: 1e-3,
            prediction: true,
            relax_after: 400,
            refresh_interval: 50,
        }
    }
}

impl ActiveSetCrSettings {
    /// Rules of the paper: conjugate residuals from the first iteration on, hard rows, slip directions that rotate by a
    /// hundredth of the misalignment, duplicates of rigid bodies by their number, and updates on the printed schedule.
    /// The safeguards of the iteration remain.
    pub fn of_paper() -> Self {
        Self {
            duplicates: DuplicateRule::PerPair,
            direction_rule: DirectionRule::Damped,
            rest: 0.0,
            softness: 0.0,
            prediction: false,
            relax_after: u64::MAX,
            ..Self::default()
        }
    }

    pub(in crate::method) fn validate(&self) -> Result<(), ContactError> {
        self.tolerances.validate()?;
        positive("direction_tolerance", self.direction_tolerance)?;
        positive("direction_step", self.direction_step)?;
        if self.direction_step > 1.0 {
            return Err(ContactError::Setting {
                name: "direction_step",
                value: self.direction_step,
                requirement: "at most 1",
            });
        }
        not_negative("softness", self.softness)?;
        not_negative("rest", self.rest)?;
        positive("max_iterations", self.max_iterations as f64)?;
        positive("refresh_interval", self.refresh_interval as f64)
    }
}
