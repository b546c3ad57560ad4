//! `cargo xtask book` and `cargo xtask gallery`: the pages of the book that follow from the code.
//!
//! `book.toml` and `docs/SUMMARY.md` describe the book; `cargo xtask ci book` checks that these pages are up to date.

mod examples;
pub(crate) mod gallery;
mod reference;
mod shots;

use std::error::Error;
use std::path::{Path, PathBuf};

use serde_json::Value as Schema;

/// The name of the outermost table of a scene.
const ROOT: &str = "Scene";

/// The page with all keys of scene files.
const REFERENCE: &str = "docs/scene.md";

/// The page with a picture of every scene.
const GALLERY: &str = "docs/gallery.md";

/// Writes the pages; the pictures of the gallery stay as they are.
pub(crate) fn run() -> Result<bool, Box<dyn Error>> {
    let root = crate::ci::root();
    for (page, text) in pages(&root)? {
        std::fs::write(root.join(page), text)?;
        println!("wrote {page}");
    }
    Ok(true)
}

/// True if the pages are as [`run`] writes them.
pub(crate) fn is_fresh(root: &Path) -> Result<bool, Box<dyn Error>> {
    let mut is_fresh = true;
    for (page, text) in pages(root)? {
        if std::fs::read_to_string(root.join(page)).unwrap_or_default() != text {
            println!("    {page} is out of date; write it again: cargo xtask book");
            is_fresh = false;
        }
    }
    Ok(is_fresh)
}

/// The pages, by path.
fn pages(root: &Path) -> Result<[(&'static str, String); 2], Box<dyn Error>> {
    Ok([
        (REFERENCE, reference::page(root)?),
        (GALLERY, gallery::page(root)?),
    ])
}

/// The scenes in `folder`, by name.
pub(crate) fn scenes(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut scenes = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            scenes.push(path);
        }
    }
    scenes.sort();
    Ok(scenes)
}

/// The definition that a part of the schema refers to, also as one of two choices of which the other is nothing.
fn reference(part: &Schema) -> Option<&str> {
    let direct = part.get("$ref").and_then(Schema::as_str);
    let optional = || {
        let choices = part.get("anyOf")?.as_array()?;
        let is_nothing = |choice: &Schema| choice.get("type").is_some_and(|of| of == "null");
        let one = choices.iter().any(is_nothing) && choices.len() == 2;
        one.then(|| {
            choices
                .iter()
                .find_map(|choice| choice.get("$ref")?.as_str())
        })?
    };
    direct.or_else(optional)?.rsplit('/').next()
}

/// The choices of a part of the schema.
fn choices(part: &Schema) -> impl Iterator<Item = &Schema> {
    let lists = ["oneOf", "anyOf"].map(|key| part.get(key).and_then(Schema::as_array));
    lists.into_iter().flatten().flatten()
}

/// The name of a table below `key` of `table` that has no name of its own.
fn inner(table: &str, key: &str) -> String {
    format!("{table}.{key}")
}

/// A value as it is written in a line of a scene.
fn inline(value: &toml::Value) -> String {
    match value {
        toml::Value::Array(values) => format!("[{}]", list(values.iter().map(inline))),
        toml::Value::Table(values) if values.is_empty() => "{}".to_owned(),
        toml::Value::Table(values) => {
            let entries = values
                .iter()
                .map(|(key, value)| format!("{key} = {}", inline(value)));
            format!("{{ {} }}", list(entries))
        }
        toml::Value::Float(number) => float(*number),
        other => other.to_string(),
    }
}

/// A value of the schema as it is written in a line of a scene; tables are not.
fn json(value: &Schema) -> String {
    match value {
        Schema::Array(values) => format!("[{}]", list(values.iter().map(json))),
        Schema::Number(number) if number.is_f64() => {
            number.as_f64().map_or_else(String::new, float)
        }
        other => other.to_string(),
    }
}

/// The shortest form of a number: 0.5, 1e-5, 1e9.
fn float(number: f64) -> String {
    let (plain, scientific) = (format!("{number}"), format!("{number:e}"));
    if plain.len() > scientific.len() {
        scientific
    } else {
        plain
    }
}

fn list(entries: impl Iterator<Item = String>) -> String {
    entries.collect::<Vec<_>>().join(", ")
}
