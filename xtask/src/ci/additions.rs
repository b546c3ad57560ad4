//! The number of source files that an addition takes, kept from growing.
//!
//! The list "Files of an addition" of `ARCHITECTURE.md` has an item for each kind of addition: a member of the kind
//! that exists, and the files that name it. The check reads the items, and searches the sources for the member: a file
//! that names it and is not in the item would be one more to change.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;

use super::source_files;

const MAP: &str = "ARCHITECTURE.md";

/// Heading of the list.
const HEADING: &str = "### Files of an addition";

/// Word of an item that tests, documents and optional files follow.
const ALSO: &str = " Also ";

/// The kinds of additions with the most source files that one may take, as the list names them.
const LIMITS: [(&str, usize); 5] = [
    ("a material", 3),
    ("a contact method", 3),
    ("a broad phase", 2),
    ("a joint", 4),
    ("a shape of obstacles", 4),
];

/// An item of the list.
#[derive(Debug, PartialEq)]
struct Item {
    what: String,
    /// Words of the member, any of which a file may name it by.
    members: Vec<String>,
    /// Files that every addition needs.
    files: Vec<String>,
    /// Tests, and files of abilities that a member need not have.
    optional: Vec<String>,
}

/// True if every item is true and within its limit.
pub(super) fn check(root: &Path) -> Result<bool, Box<dyn Error>> {
    let items = items(&fs::read_to_string(root.join(MAP))?);
    let sources = sources(root)?;
    let mut holds = true;
    for (what, limit) in LIMITS {
        let Some(item) = items.iter().find(|item| item.what == what) else {
            println!("    {MAP} has no item for {what}");
            holds = false;
            continue;
        };
        let mistakes = mistakes(item, limit, &sources, root);
        for mistake in &mistakes {
            println!("    {what}: {mistake}");
        }
        holds &= mistakes.is_empty();
        println!("    {what}: {} files of at most {limit}", item.files.len());
    }
    Ok(holds)
}

fn mistakes(item: &Item, limit: usize, sources: &[(String, String)], root: &Path) -> Vec<String> {
    let mut mistakes = Vec::new();
    if item.files.len() > limit {
        mistakes.push(format!("{} files, more than {limit}", item.files.len()));
    }
    let named: BTreeSet<&String> = item.files.iter().chain(&item.optional).collect();
    let missing = named.iter().filter(|file| !root.join(file).is_file());
    mistakes.extend(missing.map(|file| format!("{file} does not exist")));
    let other = sources.iter().filter(|(place, text)| {
        !named.contains(place) && item.members.iter().any(|member| names(text, member))
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

/// The items of the list: `- what (members): files. Also files`, over several lines.
fn items(text: &str) -> Vec<Item> {
    let section = text.split(HEADING).nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    section
        .split("\n- ")
        .skip(1)
        .filter_map(|item| {
            let line = item.split_whitespace().collect::<Vec<_>>().join(" ");
            let (head, rest) = line.split_once(": ")?;
            let (what, members) = head.split_once(" (").unwrap_or((head, ""));
            let (files, optional) = rest.split_once(ALSO).unwrap_or((rest, ""));
            Some(Item {
                what: what.to_owned(),
                members: spans(members),
                files: files_of(files),
                optional: files_of(optional),
            })
        })
        .collect()
}

/// The code spans of a text that are source files.
fn files_of(text: &str) -> Vec<String> {
    let mut spans = spans(text);
    spans.retain(|span| Path::new(span).extension().is_some_and(|end| end == "rs"));
    spans
}

/// The code spans of a text.
fn spans(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Paths and texts of all source files of the crates.
fn sources(root: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        sources.extend(source_files(&entry?.path().join("src"), root)?);
    }
    sources.sort();
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
### Files of an addition

Words before.

- a joint (`Hinge`, `hinge`): `crates/a/src/a.rs`, the kind in
  `crates/a/src/b.rs`. Also `Kind` in `crates/a/src/o.rs`

## Next
- no (`item`): of it
";

    fn source(place: &str, text: &str) -> (String, String) {
        (place.to_owned(), text.to_owned())
    }

    #[test]
    fn items_end_with_their_section() {
        let items = items(LIST);
        assert_eq!(items.len(), 1);
        assert_eq!(items[0].what, "a joint");
        assert_eq!(items[0].members, ["Hinge", "hinge"]);
        assert_eq!(items[0].files.len(), 2);
        assert_eq!(items[0].optional, ["crates/a/src/o.rs"]);
    }

    #[test]
    fn a_file_outside_the_item_is_a_mistake_and_so_are_too_many() {
        let item = &items(LIST)[0];
        let sources = [
            source("crates/a/src/a.rs", "enum Kind { Hinge }"),
            source("crates/a/src/c.rs", "match kind { Kind::Hinge => 1 }"),
            source("crates/a/src/d.rs", "// Hinge\nstruct EdgeHinge;"),
            source(
                "crates/a/src/e.rs",
                "fn a() {}\n#[cfg(test)]\nmod tests { hinge }",
            ),
        ];
        let found = mistakes(item, 1, &sources, Path::new("/nowhere"));
        let contains = |part: &str| found.iter().any(|mistake| mistake.contains(part));
        assert!(contains("more than 1"));
        assert!(contains("c.rs names the member"));
        assert!(!contains("d.rs") && !contains("e.rs"), "{found:?}");
        assert!(contains("a.rs does not exist"));
    }
}
