//! A method by its name, with its settings, as scenes, files and the command line choose it.

use super::{
    Method,
    spec::{METHODS, MethodSpec, VARIANTS, names},
};
use crate::{ContactError, Tolerances};
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

    /// Names of variants of `cr`: without the active-set prediction, with either preconditioner, and with the rules of
    /// its paper.
    pub const VARIANTS: [&'static str; 3] = names(&VARIANTS);

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

    /// Whether it has to be told of the bodies: [`ContactSolver::know_bodies`](super::ContactSolver::know_bodies).
    pub fn needs_bodies(&self) -> bool {
        self.spec().capabilities.bodies_at_rest
    }
}
