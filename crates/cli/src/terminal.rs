//! Words to the user. A closed pipe is no reason to fail.

use std::io::Write;

/// A result, on standard output.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// A trouble, on standard error.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "error: {text}");
}

/// A remark, on standard error.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "note: {text}");
}

/// A doubt about the input, on standard error.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "warning: {text}");
}
