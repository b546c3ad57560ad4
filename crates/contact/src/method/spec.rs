//! The register of methods: each with its settings, its name, a sentence, its capabilities and its solver.

use super::{
    ContactSolver,
    active_set_cr::{ActiveSetCr, ActiveSetCrSettings, EvaluationSchedule, PreconditionerKind},
    compliant_kkt::{CompliantKkt, CompliantKktSettings},
    constraint_anticipation::{ConstraintAnticipation, ConstraintAnticipationSettings},
    corrective_motion::{CorrectiveMotion, CorrectiveMotionSettings},
    staggered_projections::{Schedule, StaggeredProjections, StaggeredProjectionsSettings},
};
use crate::{ContactError, FrictionLaw, Tolerances};

/// A method with its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "method", rename_all = "kebab-case"))]
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
    /// `compliant-kkt`: momentum and constraint rows in one factorisation.
    CompliantKkt(CompliantKktSettings),
}

/// Constraint rows that a method supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowSupport {
    /// None.
    Nothing,
    /// Joints, ropes and limits: a dense matrix of them is factorised.
    Joints,
    /// All: also strains of bodies in compliance form.
    All,
}

/// Capabilities of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// The constraint rows that it supports.
    pub constraint_rows: RowSupport,
    /// Whether it needs data of the bodies at rest: [`ContactSolver::know_bodies`].
    /// No body may then be in compliance form.
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
    constraint_rows: RowSupport::Nothing,
    bodies_at_rest: false,
    balances_momentum: true,
};

/// Capabilities of the methods with constraint rows.
const WITH_ROWS: Capabilities = Capabilities {
    constraint_rows: RowSupport::All,
    ..CONTACTS_ONLY
};

/// Capabilities of the methods that eliminate rows.
const WITH_JOINTS: Capabilities = Capabilities {
    constraint_rows: RowSupport::Joints,
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
                prediction: false,
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
        capabilities: WITH_JOINTS,
    },
    MethodSpec {
        name: "warped-compliance",
        summary: "contact forces from the compliance at rest, rotated node by node",
        defaults: || Method::WarpedCompliance(CorrectiveMotionSettings::default()),
        capabilities: Capabilities {
            bodies_at_rest: true,
            balances_momentum: false,
            ..WITH_JOINTS
        },
    },
    MethodSpec {
        name: "compliant-kkt",
        summary: "momentum and constraint rows in one factorisation",
        defaults: || Method::CompliantKkt(CompliantKktSettings::default()),
        capabilities: WITH_ROWS,
    },
];

/// Variants of `cr`: without the active-set prediction, with either preconditioner, and with the rules of its paper.
pub(super) const VARIANTS: [MethodSpec; 3] = [
    MethodSpec {
        name: "cr-full",
        summary: "`cr` without prediction",
        defaults: || {
            Method::Cr(ActiveSetCrSettings {
                prediction: false,
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
                prediction: false,
                preconditioner: PreconditionerKind::Diagonal,
                ..ActiveSetCrSettings::default()
            })
        },
        capabilities: WITH_ROWS,
    },
    MethodSpec {
        name: "cr-paper",
        summary: "`cr-full` with rules of its paper: hard rows, damped directions, updates on schedule",
        defaults: || Method::Cr(ActiveSetCrSettings::of_paper()),
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

impl Method {
    /// Its entry in the table of methods. The variants of `cr` share the entry of `cr`.
    pub fn spec(&self) -> &'static MethodSpec {
        const ALL: &[MethodSpec; 8] = &METHODS;
        match self {
            Self::Cr(_) => &ALL[0],
            Self::ActiveSet(_) => &ALL[1],
            Self::SpActiveSet(_) => &ALL[2],
            Self::Sp2Cr(_) => &ALL[3],
            Self::Ica(_) => &ALL[4],
            Self::ExactCompliance(_) => &ALL[5],
            Self::WarpedCompliance(_) => &ALL[6],
            Self::CompliantKkt(_) => &ALL[7],
        }
    }

    /// When a solve is done.
    pub fn tolerances(&self) -> Tolerances {
        let mut copy = *self;
        *copy.tolerances_mut()
    }

    /// When a solve is done, to be changed.
    pub fn tolerances_mut(&mut self) -> &mut Tolerances {
        match self {
            Self::Cr(settings) | Self::ActiveSet(settings) => &mut settings.tolerances,
            Self::SpActiveSet(settings) | Self::Sp2Cr(settings) => &mut settings.tolerances,
            Self::Ica(settings) => &mut settings.tolerances,
            Self::ExactCompliance(settings) | Self::WarpedCompliance(settings) => {
                &mut settings.tolerances
            }
            Self::CompliantKkt(settings) => &mut settings.tolerances,
        }
    }

    /// Most iterations of a solve, to be changed.
    pub fn max_iterations_mut(&mut self) -> &mut u64 {
        match self {
            Self::Cr(settings) | Self::ActiveSet(settings) => &mut settings.max_iterations,
            Self::SpActiveSet(settings) | Self::Sp2Cr(settings) => &mut settings.max_iterations,
            Self::Ica(settings) => &mut settings.max_iterations,
            Self::ExactCompliance(settings) | Self::WarpedCompliance(settings) => {
                &mut settings.max_iterations
            }
            Self::CompliantKkt(settings) => &mut settings.max_iterations,
        }
    }

    /// The friction law that its answer obeys.
    pub fn friction_law(&self) -> FrictionLaw {
        match self {
            Self::Cr(_)
            | Self::ActiveSet(_)
            | Self::ExactCompliance(_)
            | Self::WarpedCompliance(_)
            | Self::CompliantKkt(_) => FrictionLaw::Cone,
            Self::SpActiveSet(settings) | Self::Sp2Cr(settings) => settings.law,
            Self::Ica(settings) => settings.law,
        }
    }

    /// Whether forces and velocities of its answers balance for every body, up to the momentum tolerance.
    pub fn balances_momentum(&self) -> bool {
        match self {
            Self::WarpedCompliance(settings) => settings.momentum_repair,
            _ => self.spec().capabilities.balances_momentum,
        }
    }

    /// Checks that its settings are within their ranges, as every solve does.
    ///
    /// # Errors
    /// [`ContactError::Setting`] naming the first that is not.
    pub fn validate(&self) -> Result<(), ContactError> {
        match self {
            Self::Cr(settings) | Self::ActiveSet(settings) => settings.validate(),
            Self::SpActiveSet(settings) | Self::Sp2Cr(settings) => settings.validate(),
            Self::Ica(settings) => settings.validate(),
            Self::ExactCompliance(settings) | Self::WarpedCompliance(settings) => {
                settings.validate()
            }
            Self::CompliantKkt(settings) => settings.validate(),
        }
    }

    /// A solver with these settings.
    pub fn solver(&self) -> Box<dyn ContactSolver + Send> {
        match *self {
            Self::Cr(settings) | Self::ActiveSet(settings) => Box::new(ActiveSetCr::new(settings)),
            Self::SpActiveSet(settings) | Self::Sp2Cr(settings) => {
                Box::new(StaggeredProjections::new(settings))
            }
            Self::Ica(settings) => Box::new(ConstraintAnticipation::new(settings)),
            Self::ExactCompliance(settings) => Box::new(CorrectiveMotion::exact(settings)),
            Self::WarpedCompliance(settings) => Box::new(CorrectiveMotion::warped(settings)),
            Self::CompliantKkt(settings) => Box::new(CompliantKkt::new(settings)),
        }
    }
}
