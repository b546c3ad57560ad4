//! Settings of the active-set conjugate-residual method.

use crate::{
    ContactError, Tolerances,
    method::restart_delay::SHARE,
    setting::{not_negative, positive},
};

/// `C⁻¹` of the iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum PreconditionerKind {
    /// `diag(D, S_d)⁻¹`: positive definite.
    Diagonal,
    /// The block inverse with `A → D` and `L A⁻¹ Lᵀ → S_d`: indefinite, several times fewer iterations.
    #[default]
    Full,
    /// The same with the 3×3 blocks on the diagonal of `A` as `D`: twice the memory, and hardly fewer iterations.
    FullBlocks,
}

/// How near-duplicate contacts are counted in `Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum DuplicateRule {
    /// The paper's: product of weight similarities over common blocks.
    #[default]
    Similarity,
    /// `Z_k W_k = Σ_b |(L D⁻¹ Lᵀ)_kb|` over all rows: makes the upper-left preconditioner block provably semi-definite.
    RowSum,
}

/// When the active set is updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum EvaluationSchedule {
    /// Every `max(1, ⌊log₂(‖r‖/ε₁)/3⌋)` iterations: rarely far from the solution, always near it.
    #[default]
    Interval,
    /// After every iteration, but where [`ActiveSetCrSettings::rest`] has it wait.
    Every,
    /// Only when the current equalities are solved: a plain active-set method.
    AtConvergence,
}

/// How the slip direction `δ` of a sliding contact follows its slip `s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum DirectionRule {
    /// Solved for: friction along `s` means `s_⊥ + (‖s‖/μλ) F_⊥ = 0` across `δ`, a soft row of the linear system. `δ`
    /// then turns to the force that came out, Newton's method for the direction of maximum dissipation.
    ///
    /// Turning `δ` by an angle moves the slip back by about `W_t μ λ` times it, so any fixed part overshoots for ever
    /// once `‖s‖` is less than half that part of `W_t μ λ`: a contact that barely slides. The row becomes a sticking
    /// one there.
    #[default]
    Implicit,
    /// Turned by the part `direction_step` of the misalignment at each evaluation, as in the paper.
    Damped,
}

/// Everything that steers the method; the defaults are the paper's where it gives them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct ActiveSetCrSettings {
    /// `C⁻¹`.
    pub preconditioner: PreconditionerKind,
    /// `Z`.
    pub duplicates: DuplicateRule,
    /// When states are evaluated.
    pub schedule: EvaluationSchedule,
    /// Stopping tolerances.
    pub tolerances: Tolerances,
    /// `ε_θ`: misalignment of the slip direction that is left alone (rad).
    pub direction_tolerance: f64,
    /// How `δ` follows the slip.
    pub direction_rule: DirectionRule,
    /// `α_θ`: part of the misalignment that [`DirectionRule::Damped`] removes per evaluation.
    pub direction_step: f64,
    /// Most iterations of one solve; those on a subdomain count by its share of the blocks.
    pub max_iterations: u64,
    /// Iterations after a restart with forced updates only.
    pub cool_down: u64,
    /// Restart delay: share of the iterations since the residual was last halved in which only forced updates happen
    /// after a change; 0 for the paper's schedule.
    pub rest: f64,
    /// Iterations after which states are taken to cycle, as on nearly rigid or over-constrained bodies: friction then
    /// waits for the normal forces. `u64::MAX` for never, as in the paper.
    pub patience: u64,
    /// `E/W`: softness of active rows about the forces of the last restart. The rows are
    /// `g + E(λ − λ_ref) = 0`, and `λ_ref` follows until `g` itself is within tolerance, so nothing stays soft; but
    /// near-duplicate rows that contradict each other by less than the tolerance then cannot raise opposing forces
    /// without bound. 0 for the paper's hard rows.
    pub softness: f64,
    /// Active-set prediction: most steps before the iteration, each with one product by `A`, and a thousand more while
    /// momentum balances; 0 for the paper's method, whose states change inside the iteration only.
    pub anticipation: u64,
    /// Subdomain solves: most steps before the iteration on the whole problem; 0 for none, as in the paper.
    pub regions: u32,
    /// Iterations after which friction is held to the gap tolerance only, as the paper does throughout; the report says
    /// so. So is friction that is the only unmet law in a prediction and hardly improves. `u64::MAX` for never.
    pub relax_after: u64,
    /// Iterations between exact recomputations of the residual, against drift of the recurrence.
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
            cool_down: 0,
            rest: SHARE,
            patience: 1000,
            softness: 1e-3,
            anticipation: 300,
            regions: 8,
            relax_after: 400,
            refresh_interval: 50,
        }
    }
}

impl ActiveSetCrSettings {
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
        positive("patience", self.patience as f64)?;
        positive("refresh_interval", self.refresh_interval as f64)
    }
}
