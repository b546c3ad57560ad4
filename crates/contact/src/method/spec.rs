//! One entry per method: its name, a sentence, its default settings and its capabilities.

use super::{
    Method,
    active_set_cr::{ActiveSetCrSettings, EvaluationSchedule, PreconditionerKind},
    compliant_kkt::CompliantKktSettings,
    constraint_anticipation::ConstraintAnticipationSettings,
    corrective_motion::CorrectiveMotionSettings,
    staggered_projections::{Schedule, StaggeredProjectionsSettings},
};

/// Capabilities of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether it supports constraint rows (joints, strains in compliance form).
    pub constraint_rows: bool,
    /// Whether it needs data of the bodies at rest: [`ContactSolver::know_bodies`](super::ContactSolver::know_bodies).
    /// Solids must then consist of tetrahedra, and no body may be thin.
    pub bodies_at_rest: bool,
    /// Whether its solutions balance the momentum of every body, up to the momentum tolerance. Otherwise only with the
    /// setting `momentum_repair`.
    pub balances_momentum: bool,
}

/// A method or a variant of one.
#[derive(Debug, Clone, Copy)]
pub struct MethodSpec {
    /// Name in scenes, files and on the command line.
    pub name: &'static str,
    /// Description in a sentence.
    pub summary: &'static str,
    /// The method with its default settings.
    pub defaults: fn() -> Method,
    /// Its capabilities.
    pub capabilities: Capabilities,
}

/// Capabilities of most methods.
const CONTACTS_ONLY: Capabilities = Capabilities {
    constraint_rows: false,
    bodies_at_rest: false,
    balances_momentum: true,
};

/// Capabilities of the methods with constraint rows.
const WITH_ROWS: Capabilities = Capabilities {
    constraint_rows: true,
    ..CONTACTS_ONLY
};

/// All methods.
pub(super) const METHODS: [MethodSpec; 8] = [
    MethodSpec {
        name: "cr",
        summary: "active-set conjugate residuals; constraint rows by the method of multipliers",
        defaults: || Method::Cr(ActiveSetCrSettings::default()),
        capabilities: WITH_ROWS,
    },
    MethodSpec {
        name: "active-set",
        summary: "conjugate residuals with active-set updates only where the linear system is solved",
        defaults: || {
            Method::ActiveSet(ActiveSetCrSettings {
                schedule: EvaluationSchedule::AtConvergence,
                anticipation: 0,
                regions: 0,
                ..ActiveSetCrSettings::default()
            })
        },
        capabilities: WITH_ROWS,
    },
    MethodSpec {
        name: "sp-active-set",
        summary: "staggered projections, each by an active-set method",
        defaults: || Method::SpActiveSet(StaggeredProjectionsSettings::default()),
        capabilities: CONTACTS_ONLY,
    },
    MethodSpec {
        name: "sp-2cr",
        summary: "staggered projections, each by conjugate residuals with updates inside the iteration",
        defaults: || {
            Method::Sp2Cr(StaggeredProjectionsSettings {
                schedule: Schedule::Interval,
                ..StaggeredProjectionsSettings::default()
            })
        },
        capabilities: CONTACTS_ONLY,
    },
    MethodSpec {
        name: "ica",
        summary: "iterative constraint anticipation: nested Gauss-Seidel",
        defaults: || Method::Ica(ConstraintAnticipationSettings::default()),
        capabilities: CONTACTS_ONLY,
    },
    MethodSpec {
        name: "exact-compliance",
        summary: "contact forces from `J A⁻¹ Jᵀ` by factors of `A`",
        defaults: || Method::ExactCompliance(CorrectiveMotionSettings::default()),
        capabilities: CONTACTS_ONLY,
    },
    MethodSpec {
        name: "warped-compliance",
        summary: "contact forces from the compliance at rest, rotated node by node",
        defaults: || Method::WarpedCompliance(CorrectiveMotionSettings::default()),
        capabilities: Capabilities {
            bodies_at_rest: true,
            balances_momentum: false,
            ..CONTACTS_ONLY
        },
    },
    MethodSpec {
        name: "compliant-kkt",
        summary: "momentum and constraint rows in one factorisation",
        defaults: || Method::CompliantKkt(CompliantKktSettings::default()),
        capabilities: WITH_ROWS,
    },
];

/// Variants of `cr`: without subdomain solves, and as in its paper, without the active-set prediction too, with either
/// preconditioner.
pub(super) const VARIANTS: [MethodSpec; 3] = [
    MethodSpec {
        name: "cr-whole",
        summary: "`cr` without subdomain solves",
        defaults: || {
            Method::Cr(ActiveSetCrSettings {
                regions: 0,
                ..ActiveSetCrSettings::default()
            })
        },
        capabilities: WITH_ROWS,
    },
    MethodSpec {
        name: "cr-full",
        summary: "`cr` as in its paper: without subdomain solves and prediction",
        defaults: || {
            Method::Cr(ActiveSetCrSettings {
                anticipation: 0,
                regions: 0,
                ..ActiveSetCrSettings::default()
            })
        },
        capabilities: WITH_ROWS,
    },
    MethodSpec {
        name: "cr-diagonal",
        summary: "`cr-full` with the diagonal preconditioner",
        defaults: || {
            Method::Cr(ActiveSetCrSettings {
                anticipation: 0,
                regions: 0,
                preconditioner: PreconditionerKind::Diagonal,
                ..ActiveSetCrSettings::default()
            })
        },
        capabilities: WITH_ROWS,
    },
];

/// The names of some methods.
pub(super) const fn names<const N: usize>(specs: &[MethodSpec; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut index = 0;
    while index < N {
        names[index] = specs[index].name;
        index += 1;
    }
    names
}

impl MethodSpec {
    /// All methods, without variants.
    pub fn methods() -> impl Iterator<Item = &'static Self> {
        const ALL: &[MethodSpec] = &METHODS;
        ALL.iter()
    }

    /// All methods, then the variants.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        const ALL: (&[MethodSpec], &[MethodSpec]) = (&METHODS, &VARIANTS);
        ALL.0.iter().chain(ALL.1)
    }

    /// The method or variant of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().find(|spec| spec.name == name)
    }
}
