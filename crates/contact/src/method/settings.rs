//! A method with its settings.

use super::{
    active_set_cr::ActiveSetCrSettings, compliant_kkt::CompliantKktSettings,
    constraint_anticipation::ConstraintAnticipationSettings,
    corrective_motion::CorrectiveMotionSettings,
    staggered_projections::StaggeredProjectionsSettings,
};

/// A method with its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "method", rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Method {
    /// `cr`: active-set conjugate residuals.
    Cr(ActiveSetCrSettings),
    /// `active-set`: the same, but states change only where the equalities are solved.
    ActiveSet(ActiveSetCrSettings),
    /// `sp-active-set`: staggered projections, each by an active-set method.
    SpActiveSet(StaggeredProjectionsSettings),
    /// `sp-2cr`: staggered projections, each by conjugate residuals whose states change inside the iteration.
    #[cfg_attr(feature = "serde", serde(rename = "sp-2cr"))]
    Sp2Cr(StaggeredProjectionsSettings),
    /// `ica`: iterative constraint anticipation.
    Ica(ConstraintAnticipationSettings),
    /// `exact-compliance`: contact forces from `J A⁻¹ Jᵀ` by factors of `A`.
    ExactCompliance(CorrectiveMotionSettings),
    /// `warped-compliance`: the same with the bodies' compliance at rest, rotated node by node.
    WarpedCompliance(CorrectiveMotionSettings),
    /// `compliant-kkt`: momentum and constraint rows in one factorisation; the only method that knows constraint rows.
    CompliantKkt(CompliantKktSettings),
}
