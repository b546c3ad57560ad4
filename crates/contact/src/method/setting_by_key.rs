//! Settings of a method by their names, as files and the command line give them.

use super::{Method, MethodError};
use serde_json::Value;

impl Method {
    /// Changes one setting: `key` dotted as in `tolerances.gap`, `value` as in a scene file, text without quotes.
    ///
    /// # Errors
    /// [`MethodError`] with the existing settings or the problem of the value; nothing is changed then.
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
