//! Every path that the documentation names must exist, so that a map does not rot.
//!
//! Looked at are code spans that look like a path (they hold a `/`, or end like a file) and the targets of links;
//! fenced blocks are left out, for they hold pictures and commands.

use std::error::Error;
use std::path::{Path, PathBuf};

/// Documents whose code spans are paths from the root of the workspace.
const MAPS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Folders whose Markdown files are maps, too.
const MAP_FOLDERS: [&str; 1] = ["docs/methods"];

/// Documents of which only the links are looked at.
const LINKED: [&str; 2] = ["README.md", "docs/notation.md"];

/// True if everything named is there.
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
            places.extend(path_spans(&text).iter().map(|span| root.join(span)));
        }
        for place in places {
            named += 1;
            if !place.exists() {
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
    // `m/s` and `J/m3` are units: a path has a folder of more than two letters.
    let folder = span.split('/').next().unwrap_or_default();
    span.chars().all(plain) && (is_file || span.contains('/') && folder.len() > 2)
}

/// Targets of links inside the project, without the part after `#`.
fn links(text: &str) -> Vec<String> {
    prose(text)
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .map(|target| target.split('#').next().unwrap_or_default().to_owned())
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
