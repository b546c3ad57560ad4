//! Ranges of settings.

use crate::ContactError;

/// Checks that a setting is positive and finite.
///
/// # Errors
/// [`ContactError::Setting`] if it is not.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), ContactError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(ContactError::Setting {
            name,
            value,
            requirement: "positive and finite",
        })
    }
}

/// Checks that a setting is finite and at least 0.
///
/// # Errors
/// [`ContactError::Setting`] if it is not.
pub(crate) fn not_negative(name: &'static str, value: f64) -> Result<(), ContactError> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(ContactError::Setting {
            name,
            value,
            requirement: "finite and at least 0",
        })
    }
}
