//! Every path in the documentation must exist.
//!
//! The check reads code spans that look like a path (they contain a `/`, or end like a file) and the targets of links.
//! It skips fenced blocks, which hold pictures and commands.

use std::error::Error;
use std::path::{Path, PathBuf};

/// Documents with code spans that are paths from the root of the workspace.
const MAPS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/glossary.md"];

/// Folders with such Markdown files.
const MAP_FOLDERS: [&str; 1] = ["docs/methods"];

/// Documents with links only; [`book`](super::book) looks at the links of all others in `docs`.
const LINKED: [&str; 2] = ["README.md", "CHANGELOG.md"];

/// True if every path exists.
pub(super) fn check(root: &Path) -> Result<bool, Box<dyn Error>> {
    let mut maps: Vec<PathBuf> = MAPS.iter().map(|name| root.join(name)).collect();
    for folder in MAP_FOLDERS {
        for entry in std::fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                maps.push(path);
            }
        }
    }
    maps.sort();
    let linked: Vec<PathBuf> = LINKED.iter().map(|name| root.join(name)).collect();

    let (mut named, mut missing) = (0, 0);
    for document in maps.iter().chain(&linked) {
        let text = std::fs::read_to_string(document)
            .map_err(|error| format!("{}: {error}", document.display()))?;
        let folder = document.parent().unwrap_or(root);
        let mut places: Vec<PathBuf> = links(&text).iter().map(|link| folder.join(link)).collect();
        if maps.contains(document) {
            places.extend(places_of_spans(root, &path_spans(&text)));
        }
        for place in places {
            named += 1;
            // A build may have made what a clean checkout does not hold.
            if !place.exists() || place.starts_with(root.join("target")) {
                missing += 1;
                let shown = |path: &Path| {
                    path.strip_prefix(root)
                        .unwrap_or(path)
                        .display()
                        .to_string()
                };
                println!(
                    "    {} names {}, which does not exist",
                    shown(document),
                    shown(&place)
                );
            }
        }
    }
    println!("    {named} paths named, {missing} of them missing");
    Ok(missing == 0)
}

/// Resolves code spans: from the root, else from the last folder named alone, else from the folder of the last file, so
/// that a table names its folder once.
fn places_of_spans(root: &Path, spans: &[String]) -> Vec<PathBuf> {
    let (mut named, mut last) = (root.to_path_buf(), root.to_path_buf());
    let mut places = Vec::new();
    for span in spans {
        let candidates = [root, &named, &last].map(|folder| folder.join(span));
        let place = (candidates.iter().find(|place| place.exists())).unwrap_or(&candidates[0]);
        if place.is_dir() {
            named.clone_from(place);
        } else if let Some(folder) = place.parent().filter(|_| place.exists()) {
            last = folder.to_path_buf();
        }
        places.push(place.clone());
    }
    places
}

/// Code spans that look like a path inside the project.
fn path_spans(text: &str) -> Vec<String> {
    prose(text)
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|span| looks_like_a_path(span))
        .map(str::to_owned)
        .collect()
}

fn looks_like_a_path(span: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let is_file = Path::new(span).extension().is_some_and(|extension| {
        ["rs", "md", "toml", "yml"]
            .iter()
            .any(|known| extension == *known)
    });
    // `m/s` and `J/m3` are units: the first folder of a path has more than two letters.
    let folder = span.split('/').next().unwrap_or_default();
    span.chars().all(plain) && (is_file || span.contains('/') && folder.len() > 2)
}

/// Files that links inside the project lead to.
fn links(text: &str) -> Vec<String> {
    let targets = targets(text).into_iter();
    targets
        .map(|target| target.split('#').next().unwrap_or_default().to_owned())
        .filter(|target| !target.is_empty())
        .collect()
}

/// Targets of links inside the project, with the part after `#`.
pub(super) fn targets(text: &str) -> Vec<String> {
    prose(text)
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains("://"))
        .map(|target| target.split_whitespace().collect())
        .collect()
}

/// `text` without its fenced blocks.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "See `crates/sim/src/step/mod.rs`, `State` and [notes](docs/notation.md#signs) in `m/s`.\n\
                        ```text\n`no/such/file.rs`\n```\n[out](https://example.org) `README.md` `--out/DIR N`\n";

    #[test]
    fn spans_and_links_are_found_outside_of_fences() {
        assert_eq!(
            path_spans(TEXT),
            ["crates/sim/src/step/mod.rs", "README.md"]
        );
        assert_eq!(links(TEXT), ["docs/notation.md"]);
    }
}
