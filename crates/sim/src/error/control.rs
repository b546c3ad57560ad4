//! Errors of changes that a program makes to a running simulation.

use thiserror::Error;

/// Most names that a message lists.
const LISTED: usize = 12;

/// A change or question that does not fit the simulation, which is unchanged.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ControlError {
    /// An unknown name.
    #[error("there is no {what} `{name}`; {}", listed(known))]
    Unknown {
        /// The name that was looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// All names that exist.
        known: Vec<String>,
    },
    /// The name of several bodies.
    #[error("{count} bodies are called `{name}`; give each a `name` of its own in the scene")]
    Ambiguous {
        /// The name.
        name: String,
        /// Number of bodies with that name.
        count: usize,
    },
    /// A change that this body does not support.
    #[error("`{body}` {problem}; {mend}")]
    Refused {
        /// Name of the body, obstacle or held nodes.
        body: String,
        /// The problem, as the end of a sentence about it.
        problem: String,
        /// The remedy.
        mend: String,
    },
    /// A number out of its range.
    #[error("the {quantity} of {of} is {value}, but must be {range}")]
    Value {
        /// The quantity with its unit.
        quantity: &'static str,
        /// The owner of the quantity.
        of: String,
        /// The value.
        value: f64,
        /// The allowed range.
        range: &'static str,
    },
    /// A state that cannot be restored.
    #[error("the state cannot be restored: {problem}")]
    NotRestorable {
        /// The problem and its remedy.
        problem: String,
    },
    /// A change that the scene's stepper does not support.
    #[error("the {stepper} stepper does not support {change}; use the synchronous stepper")]
    Stepper {
        /// The stepper.
        stepper: &'static str,
        /// The change.
        change: &'static str,
    },
}

fn listed(known: &[String]) -> String {
    if known.is_empty() {
        return "the scene has none".to_owned();
    }
    let names: Vec<String> = known
        .iter()
        .take(LISTED)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = known.len().saturating_sub(LISTED);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("known are {}{rest}", names.join(", "))
}
