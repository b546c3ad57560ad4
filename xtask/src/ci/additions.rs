//! The number of source files that an addition takes, kept from growing.
//!
//! The table "Files of an addition" of `ARCHITECTURE.md` has a row for each kind of addition: a member of the kind that
//! exists, and the files that name it. The check reads the rows, and searches the sources for the member: a file that
//! names it and is not in the row would be one more to change.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

const MAP: &str = "ARCHITECTURE.md";

/// Heading of the table.
const HEADING: &str = "## Files of an addition";

/// The kinds of additions with the most source files that one may take, as the table names them.
const LIMITS: [(&str, usize); 5] = [
    ("a material", 3),
    ("a contact method", 3),
    ("a broad phase", 2),
    ("a joint", 4),
    ("a shape of obstacles", 4),
];

/// A row of the table.
#[derive(Debug, PartialEq)]
struct Row {
    what: String,
    /// Words of the member, any of which a file may name it by.
    members: Vec<String>,
    /// Files that every addition needs.
    files: Vec<String>,
    /// Files of abilities that a member need not have.
    optional: Vec<String>,
}

/// True if every row is true and within its limit.
pub(super) fn check(root: &Path) -> Result<bool, Box<dyn Error>> {
    let rows = rows(&fs::read_to_string(root.join(MAP))?);
    let sources = sources(root)?;
    let mut holds = true;
    for (what, limit) in LIMITS {
        let Some(row) = rows.iter().find(|row| row.what == what) else {
            println!("    {MAP} has no row for {what}");
            holds = false;
            continue;
        };
        let mistakes = mistakes(row, limit, &sources, root);
        for mistake in &mistakes {
            println!("    {what}: {mistake}");
        }
        holds &= mistakes.is_empty();
        println!("    {what}: {} files of at most {limit}", row.files.len());
    }
    Ok(holds)
}

fn mistakes(row: &Row, limit: usize, sources: &[(String, String)], root: &Path) -> Vec<String> {
    let mut mistakes = Vec::new();
    if row.files.len() > limit {
        mistakes.push(format!("{} files, more than {limit}", row.files.len()));
    }
    let named: BTreeSet<&String> = row.files.iter().chain(&row.optional).collect();
    let missing = named.iter().filter(|file| !root.join(file).is_file());
    mistakes.extend(missing.map(|file| format!("{file} does not exist")));
    let other = sources.iter().filter(|(place, text)| {
        !named.contains(place) && row.members.iter().any(|member| names(text, member))
    });
    mistakes.extend(other.map(|(place, _)| format!("{place} names the member too")));
    mistakes
}

/// Whether code, comments and tests aside, names a member as a whole word or path.
fn names(text: &str, member: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .any(|line| {
            line.match_indices(member).any(|(at, _)| {
                !line[..at].chars().next_back().is_some_and(is_word)
                    && !line[at + member.len()..]
                        .chars()
                        .next()
                        .is_some_and(is_word)
            })
        })
}

/// The rows of the table: what, members, files, optional files.
fn rows(text: &str) -> Vec<Row> {
    let section = text.split(HEADING).nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let lines = section.lines().filter(|line| line.starts_with("| "));
    lines
        .filter_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [what, members, files, optional] = cells.as_slice() else {
                return None;
            };
            (*what != "what").then(|| Row {
                what: (*what).to_owned(),
                members: spans(members),
                files: spans(files),
                optional: spans(optional),
            })
        })
        .collect()
}

/// The code spans of a cell.
fn spans(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Paths and texts of all source files of the crates.
fn sources(root: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        folders.push(entry?.path().join("src"));
    }
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path)?;
                let place = path
                    .strip_prefix(root)?
                    .to_string_lossy()
                    .replace('\\', "/");
                sources.push((place, text));
            }
        }
    }
    sources.sort();
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
## Files of an addition

| what | member | files | also, as far as it can |
|---|---|---|---|
| a joint | `Hinge`, `hinge` | `crates/a/src/a.rs`, `crates/a/src/b.rs` | |

## Next
| no | row | of | it |
";

    fn source(place: &str, text: &str) -> (String, String) {
        (place.to_owned(), text.to_owned())
    }

    #[test]
    fn rows_end_with_their_section() {
        let rows = rows(TABLE);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].members, ["Hinge", "hinge"]);
        assert_eq!(rows[0].files.len(), 2);
    }

    #[test]
    fn a_file_outside_the_row_is_a_mistake_and_so_are_too_many() {
        let row = &rows(TABLE)[0];
        let sources = [
            source("crates/a/src/a.rs", "enum Kind { Hinge }"),
            source("crates/a/src/c.rs", "match kind { Kind::Hinge => 1 }"),
            source("crates/a/src/d.rs", "// Hinge\nstruct EdgeHinge;"),
            source(
                "crates/a/src/e.rs",
                "fn a() {}\n#[cfg(test)]\nmod tests { hinge }",
            ),
        ];
        let found = mistakes(row, 1, &sources, Path::new("/nowhere"));
        let contains = |part: &str| found.iter().any(|mistake| mistake.contains(part));
        assert!(contains("more than 1"));
        assert!(contains("c.rs names the member"));
        assert!(!contains("d.rs") && !contains("e.rs"), "{found:?}");
        assert!(contains("a.rs does not exist"));
    }
}
