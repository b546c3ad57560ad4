//! What is wrong with a scene, where it stands and what to do.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

/// Why a scene cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file could not be read at all.
    #[error(
        "cannot read the scene file {}: {source}\n  mend: give the path of a scene file such as scenes/rings.toml",
        path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A key or value cannot be used.
    #[error("{0}")]
    Invalid(Box<Diagnostic>),
    /// Several keys or values cannot be used.
    #[error("{}", in_turn(.0))]
    Several(Vec<Diagnostic>),
}

/// All of them, each as if it were alone, and their number.
fn in_turn(diagnostics: &[Diagnostic]) -> String {
    let all: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    format!("{} mistakes\n{}", all.len(), all.join("\n"))
}

impl SceneError {
    /// Places and mends of all mistakes; none for a file that could not be read.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Invalid(diagnostic) => std::slice::from_ref(diagnostic),
            Self::Several(diagnostics) => diagnostics,
            Self::Read { .. } => &[],
        }
    }

    /// All of `errors` as one, if there are any.
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

/// One thing that is wrong with a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it stands.
    pub place: Place,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub mend: String,
}

/// Where a value of a scene was written.
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
        /// Characters of the line that the message is about, at least 1.
        width: usize,
    },
    /// In an override `KEY=VALUE`.
    Override {
        /// Name of the scene file that was overridden.
        file: String,
        /// The override as given.
        argument: String,
    },
    /// In a scene that a program built.
    Key(
        /// Dotted path of the key.
        String,
    ),
}

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
                writeln!(f, "{file}:{line}:{column}: {problem}")?;
                writeln!(f, "  {line:>4} | {text}")?;
                writeln!(
                    f,
                    "       | {}{}",
                    " ".repeat(column - 1),
                    "^".repeat(*width)
                )?;
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

/// The entry of `known` that `word` was probably meant to be.
pub(super) fn closest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    known
        .iter()
        .map(|&candidate| (edit_distance(&word, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= 1 + candidate.len() / 4)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Fewest insertions, removals, changes and swaps of neighbours that turn `from` into `to`.
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
