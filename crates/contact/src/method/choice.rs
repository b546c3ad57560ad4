//! A method by its name, with its settings: what scenes, files and the command line choose from.

use super::{
    ContactSolver,
    active_set_cr::{ActiveSetCr, ActiveSetCrSettings, EvaluationSchedule, PreconditionerKind},
    compliant_kkt::{CompliantKkt, CompliantKktSettings},
    constraint_anticipation::{ConstraintAnticipation, ConstraintAnticipationSettings},
    corrective_motion::{CorrectiveMotion, CorrectiveMotionSettings},
    staggered_projections::{Schedule, StaggeredProjections, StaggeredProjectionsSettings},
};
use crate::{ContactError, FrictionLaw, Tolerances};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

/// A method with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// `cr`: active-set conjugate residuals.
    Cr(ActiveSetCrSettings),
    /// `active-set`: the same, but states change only where the equalities are solved.
    ActiveSet(ActiveSetCrSettings),
    /// `sp-active-set`: staggered projections, each by an active-set method.
    SpActiveSet(StaggeredProjectionsSettings),
    /// `sp-2cr`: staggered projections, each by conjugate residuals whose states change inside the iteration.
    #[serde(rename = "sp-2cr")]
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

/// A method or setting that does not exist, or a value that does not fit.
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
        /// What there is.
        known: String,
    },
    /// The value does not fit the setting.
    #[error("the setting `{key}` cannot be `{value}`: {problem}")]
    Value {
        /// Name of the setting.
        key: String,
        /// The value.
        value: String,
        /// What is wrong.
        problem: String,
    },
    /// The value is outside its range.
    #[error(transparent)]
    Range(#[from] ContactError),
}

impl Method {
    /// Names of all methods.
    pub const NAMES: [&'static str; 8] = [
        "cr",
        "active-set",
        "sp-active-set",
        "sp-2cr",
        "ica",
        "exact-compliance",
        "warped-compliance",
        "compliant-kkt",
    ];

    /// Names of variants of `cr`: without regions that are solved for by themselves, and as in its paper, without the
    /// anticipation of states, too, with either preconditioner.
    pub const VARIANTS: [&'static str; 3] = ["cr-whole", "cr-full", "cr-diagonal"];

    /// The method `name`, a variant included, with its default settings and the given tolerances.
    ///
    /// # Errors
    /// [`MethodError::Unknown`] if there is none.
    pub fn named(name: &str, tolerances: Tolerances) -> Result<Self, MethodError> {
        let mut method = match name {
            "cr" => Self::Cr(ActiveSetCrSettings::default()),
            "cr-whole" => Self::Cr(ActiveSetCrSettings {
                regions: 0,
                ..ActiveSetCrSettings::default()
            }),
            "cr-full" => Self::Cr(ActiveSetCrSettings {
                anticipation: 0,
                regions: 0,
                ..ActiveSetCrSettings::default()
            }),
            "cr-diagonal" => Self::Cr(ActiveSetCrSettings {
                anticipation: 0,
                regions: 0,
                preconditioner: PreconditionerKind::Diagonal,
                ..ActiveSetCrSettings::default()
            }),
            "active-set" => Self::ActiveSet(ActiveSetCrSettings {
                schedule: EvaluationSchedule::AtConvergence,
                anticipation: 0,
                regions: 0,
                ..ActiveSetCrSettings::default()
            }),
            "sp-active-set" => Self::SpActiveSet(StaggeredProjectionsSettings::default()),
            "sp-2cr" => Self::Sp2Cr(StaggeredProjectionsSettings {
                schedule: Schedule::Interval,
                ..StaggeredProjectionsSettings::default()
            }),
            "ica" => Self::Ica(ConstraintAnticipationSettings::default()),
            "exact-compliance" => Self::ExactCompliance(CorrectiveMotionSettings::default()),
            "warped-compliance" => Self::WarpedCompliance(CorrectiveMotionSettings::default()),
            "compliant-kkt" => Self::CompliantKkt(CompliantKktSettings::default()),
            _ => {
                return Err(MethodError::Unknown {
                    name: name.to_owned(),
                });
            }
        };
        *method.tolerances_mut() = tolerances;
        Ok(method)
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Cr(_) => "cr",
            Self::ActiveSet(_) => "active-set",
            Self::SpActiveSet(_) => "sp-active-set",
            Self::Sp2Cr(_) => "sp-2cr",
            Self::Ica(_) => "ica",
            Self::ExactCompliance(_) => "exact-compliance",
            Self::WarpedCompliance(_) => "warped-compliance",
            Self::CompliantKkt(_) => "compliant-kkt",
        }
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
            _ => true,
        }
    }

    /// Whether it has to be told of the bodies: [`ContactSolver::know_bodies`].
    pub fn needs_bodies(&self) -> bool {
        matches!(self, Self::WarpedCompliance(_))
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

    /// Changes one setting: `key` dotted as in `tolerances.gap`, `value` as in a scene file, text without quotes.
    ///
    /// # Errors
    /// [`MethodError`] saying which settings there are or what is wrong with the value; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), MethodError> {
        #[expect(
            clippy::missing_panics_doc,
            reason = "plain data with names for keys always has a JSON form"
        )]
        let mut settings = serde_json::to_value(*self).expect("plain data");
        let place = key
            .split('.')
            .try_fold(&mut settings, |place, part| place.get_mut(part));
        match place {
            Some(place) if key != "method" && !place.is_object() => {
                *place =
                    serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            }
            _ => {
                return Err(MethodError::Key {
                    method: self.name(),
                    key: key.to_owned(),
                    known: self.keys().join(", "),
                });
            }
        }
        *self = serde_json::from_value(settings).map_err(|error| MethodError::Value {
            key: key.to_owned(),
            value: value.to_owned(),
            problem: error.to_string(),
        })?;
        Ok(())
    }

    /// Names of all settings, dotted.
    pub fn keys(&self) -> Vec<String> {
        fn collect(prefix: &str, value: &Value, keys: &mut Vec<String>) {
            let Value::Object(fields) = value else {
                keys.push(prefix.to_owned());
                return;
            };
            for (name, value) in fields {
                if prefix.is_empty() {
                    collect(name, value, keys);
                } else {
                    collect(&format!("{prefix}.{name}"), value, keys);
                }
            }
        }
        let mut keys = Vec::new();
        if let Ok(settings) = serde_json::to_value(*self) {
            collect("", &settings, &mut keys);
        }
        keys.retain(|key| key != "method");
        keys
    }
}
