//! Errors of scenes, with their place and remedy.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

/// A scene that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file cannot be read.
    #[error(
        "cannot read the scene file {}: {source}\n  mend: give the path of a scene file, text in UTF-8, such as \
         scenes/rings.toml",
        path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A key or value cannot be used.
    #[error("{0}")]
    Invalid(Box<Diagnostic>),
    /// Several keys or values cannot be used.
    #[error("{}", in_turn(.0))]
    Several(Vec<Diagnostic>),
}

/// All messages, one after the other, and their number.
fn in_turn(diagnostics: &[Diagnostic]) -> String {
    let all: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    format!("{} errors in the scene\n{}", all.len(), all.join("\n"))
}

impl SceneError {
    /// Places and remedies of all mistakes; empty for a file that could not be read.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Invalid(diagnostic) => std::slice::from_ref(diagnostic),
            Self::Several(diagnostics) => diagnostics,
            Self::Read { .. } => &[],
        }
    }

    /// Combines all `errors` into one, if there are any.
    pub(super) fn of(errors: impl IntoIterator<Item = Self>) -> Result<(), Self> {
        let mut errors: Vec<Self> = errors.into_iter().collect();
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => {
                let mut all: Vec<Diagnostic> = errors
                    .iter()
                    .flat_map(SceneError::diagnostics)
                    .cloned()
                    .collect();
                // In the order of the file; overrides come after it.
                all.sort_by_key(|of| match of.place {
                    Place::File { line, column, .. } => (line, column),
                    Place::Override { .. } | Place::Key(_) => (usize::MAX, 0),
                });
                Err(Self::Several(all))
            }
        }
    }
}

/// One mistake in a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its place.
    pub place: Place,
    /// The problem.
    pub problem: String,
    /// The remedy.
    pub mend: String,
}

/// The place where a value of a scene was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// In the scene file.
    File {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// The whole line.
        text: String,
        /// Width of the mark below the line, in characters, at least 1.
        width: usize,
    },
    /// In an override `KEY=VALUE`.
    Override {
        /// Name of the scene file that was overridden.
        file: String,
        /// The override, unchanged.
        argument: String,
    },
    /// In a scene that a program built.
    Key(
        /// Dotted path of the key.
        String,
    ),
}

/// Most characters of a line that a message shows: some rows of a terminal.
const LONGEST_SHOWN: usize = 400;

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            place,
            problem,
            mend,
        } = self;
        match place {
            Place::File {
                file,
                line,
                column,
                text,
                width,
            } => {
                // Of a long line, the part around the mark.
                let before = column - 1;
                let from = if text.chars().count() > LONGEST_SHOWN {
                    before.saturating_sub(LONGEST_SHOWN / 2)
                } else {
                    0
                };
                let shown: String = text.chars().skip(from).take(LONGEST_SHOWN).collect();
                let blanks = before - from;
                let marks = (*width).min(LONGEST_SHOWN.saturating_sub(blanks)).max(1);
                writeln!(f, "{file}:{line}:{column}: {problem}")?;
                writeln!(f, "  {line:>4} | {shown}")?;
                writeln!(f, "       | {}{}", " ".repeat(blanks), "^".repeat(marks))?;
            }
            Place::Override { file, argument } => {
                writeln!(f, "{file} with --set {argument}: {problem}")?;
            }
            Place::Key(key) if key.is_empty() => writeln!(f, "scene: {problem}")?,
            Place::Key(key) => writeln!(f, "scene key {key}: {problem}")?,
        }
        write!(f, "  mend: {mend}")
    }
}

/// The entry of `known` that is closest to `word`, if one is close.
pub(super) fn closest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    known
        .iter()
        .map(|&candidate| (edit_distance(&word, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= 1 + candidate.len() / 4)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Least number of insertions, deletions, substitutions and transpositions of neighbours that turn `from` into `to`.
fn edit_distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    rows[0] = (0..=to.len()).collect();
    for i in 1..=from.len() {
        rows[i][0] = i;
        for j in 1..=to.len() {
            let change = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[from.len()][to.len()]
}
