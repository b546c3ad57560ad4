//! Messages to the user.
//!
//! Messages may contain text from a scene or a mesh, so control characters are escaped.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, WeakProgressBar};

use super::exit::{Code, Failure};

/// The progress bar on the screen; lines of standard error are written above it.
static BAR: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// Writes the following lines of standard error above `bar`, instead of an earlier one.
pub(crate) fn write_above(bar: &ProgressBar) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.downgrade());
}

/// Prints a result on standard output. A closed pipe is not an error.
///
/// # Errors
/// With [`Code::Output`] for any other error of the system, such as a full disk.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{}", visible(text)).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            Code::Output,
            format!(
                "the result could not be written to standard output: {error}\n  \
                 mend: write to a terminal, or to a disk with free space"
            ),
        )),
        _ => Ok(()),
    }
}

/// Prints a result of each of some inputs on standard output, or its error on standard error.
///
/// # Errors
/// As [`say`], and with [`Code::BadInput`] and no message after all inputs if one had an error.
pub(crate) fn say_of_each<T>(
    inputs: &[T],
    result: impl Fn(&T) -> Result<String, Failure>,
) -> Result<(), Failure> {
    let mut is_any_bad = false;
    for input in inputs {
        match result(input) {
            Ok(text) => say(&text)?,
            Err(failure) => {
                is_any_bad = true;
                complain(&failure.message);
            }
        }
    }
    if is_any_bad {
        return Err(Failure::new(Code::BadInput, String::new()));
    }
    Ok(())
}

/// Prints an error on standard error.
pub(crate) fn complain(text: &str) {
    aside("error", text);
}

/// Prints a remark on standard error.
pub(crate) fn remark(text: &str) {
    aside("note", text);
}

/// Prints a warning about the input on standard error.
pub(crate) fn warn(text: &str) {
    aside("warning", text);
}

/// Prints a line of the log on standard error.
pub(crate) fn log(line: &str) {
    write_error(line);
}

/// Prints a message of a kind on standard error.
fn aside(kind: &str, text: &str) {
    write_error(&format!("{kind}: {text}"));
}

/// Prints a line on standard error; failures are ignored, as they cannot be reported.
fn write_error(line: &str) {
    let write = || {
        let _ = writeln!(io::stderr().lock(), "{}", visible(line));
    };
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner);
    match bar.as_ref().and_then(WeakProgressBar::upgrade) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// `text` with control characters, and those that change the direction of writing, escaped as in JSON (`\u001b`); line
/// ends and tabs stay.
fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || (c.is_control() && c != '\n' && c != '\t')
    };
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{:04x}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(visible("Übung\n\t1 %"), "Übung\n\t1 %");
        assert_eq!(visible("\u{1b}[2Jgone\r"), "\\u001b[2Jgone\\u000d");
        assert_eq!(visible("\u{9b}31m\u{7f}"), "\\u009b31m\\u007f");
        assert_eq!(visible("a\u{202e}b"), "a\\u202eb");
    }
}
