//! Lines of at most 120 characters: Rust source, and Markdown outside of tables.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Most characters of a line.
const LONGEST: usize = 120;

/// Folders with source and documents.
const FOLDERS: [&str; 4] = ["crates", "docs", "tests", "xtask"];

/// Folders that hold no lines written by hand: results of programs, builds of the fuzz packages, packages of npm.
const SKIPPED: [&str; 4] = [
    "docs/results",
    "crates/geometry/fuzz",
    "crates/sim/fuzz",
    "tests/browser/node_modules",
];

/// True if no line is longer.
pub(super) fn check(root: &Path) -> Result<bool, Box<dyn Error>> {
    let mut files: Vec<PathBuf> = fs::read_dir(root)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| path.is_file());
    for folder in FOLDERS {
        collect(root, &root.join(folder), &mut files)?;
    }
    files.sort();

    let (mut read, mut long) = (0, 0);
    for path in files {
        let is_markdown = has_extension(&path, "md");
        if !is_markdown && !has_extension(&path, "rs") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        read += 1;
        for (line, characters) in long_lines(&text, is_markdown) {
            long += 1;
            let shown = path.strip_prefix(root).unwrap_or(&path).display();
            println!(
                "    {shown}:{line}: {characters} characters, more than {LONGEST}; break the line"
            );
        }
    }
    println!("    {read} files, {long} lines too long");
    Ok(long == 0)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    if SKIPPED.iter().any(|skipped| folder == root.join(skipped)) {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own == extension)
}

/// Numbers and lengths of lines that are too long; in Markdown, rows of tables may be.
fn long_lines(text: &str, is_markdown: bool) -> Vec<(usize, usize)> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !(is_markdown && line.contains('|')))
        .map(|(number, line)| (number, line.chars().count()))
        .filter(|&(_, characters)| characters > LONGEST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_and_tables_are_not() {
        let greek = "λ".repeat(120);
        let text = format!("{greek}\n{greek}λ\n| {greek} |\n");
        assert_eq!(long_lines(&text, true), [(2, 121)]);
        assert_eq!(long_lines(&text, false), [(2, 121), (3, 124)]);
    }
}
