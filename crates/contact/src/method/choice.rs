//! A method by its name, with its settings, as scenes, files and the command line choose it.

use super::{
    ContactSolver, Method,
    active_set_cr::ActiveSetCr,
    compliant_kkt::CompliantKkt,
    constraint_anticipation::ConstraintAnticipation,
    corrective_motion::CorrectiveMotion,
    spec::{METHODS, MethodSpec, VARIANTS, names},
    staggered_projections::StaggeredProjections,
};
use crate::{ContactError, FrictionLaw, Tolerances};
use thiserror::Error;

/// An unknown method or setting, or an invalid value.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum MethodError {
    /// No method of that name.
    #[error("there is no method `{name}`; choose one of {}, {}", Method::NAMES.join(", "), Method::VARIANTS.join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// No setting of that name.
    #[error("the method `{method}` has no setting `{key}`; it has {known}")]
    Key {
        /// The method.
        method: &'static str,
        /// The name.
        key: String,
        /// The existing settings.
        known: String,
    },
    /// The value does not fit the setting.
    #[error("the setting `{key}` cannot be `{value}`: {problem}")]
    Value {
        /// Name of the setting.
        key: String,
        /// The value.
        value: String,
        /// The problem.
        problem: String,
    },
    /// The value is outside its range.
    #[error(transparent)]
    Range(#[from] ContactError),
}

impl Method {
    /// Names of all methods.
    pub const NAMES: [&'static str; 8] = names(&METHODS);

    /// Names of variants of `cr`: without subdomain solves, and as in its paper, without the active-set prediction too,
    /// with either preconditioner.
    pub const VARIANTS: [&'static str; 3] = names(&VARIANTS);

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

    /// The method `name`, a variant included, with its default settings and the given tolerances.
    ///
    /// # Errors
    /// [`MethodError::Unknown`] if there is none.
    pub fn named(name: &str, tolerances: Tolerances) -> Result<Self, MethodError> {
        let spec = MethodSpec::named(name).ok_or_else(|| MethodError::Unknown {
            name: name.to_owned(),
        })?;
        let mut method = (spec.defaults)();
        *method.tolerances_mut() = tolerances;
        Ok(method)
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.spec().name
    }

    /// When a solve is done.
    pub fn tolerances(&self) -> Tolerances {
        match self {
            Self::Cr(settings) | Self::ActiveSet(settings) => settings.tolerances,
            Self::SpActiveSet(settings) | Self::Sp2Cr(settings) => settings.tolerances,
            Self::Ica(settings) => settings.tolerances,
            Self::ExactCompliance(settings) | Self::WarpedCompliance(settings) => {
                settings.tolerances
            }
            Self::CompliantKkt(settings) => settings.tolerances,
        }
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

    /// Whether it has to be told of the bodies: [`ContactSolver::know_bodies`].
    pub fn needs_bodies(&self) -> bool {
        self.spec().capabilities.bodies_at_rest
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
