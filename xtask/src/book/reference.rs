//! The page with all keys of scene files: the descriptions of the schema, and an example for each key.

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use impinge_sim::Scene;
use serde_json::Value as Schema;

use super::examples::Examples;

/// Tables in the order of the page; those that they refer to follow.
const ORDER: [&str; 10] = [
    "time",
    "world",
    "output",
    "body",
    "obstacle",
    "friction",
    "joint",
    "solver",
    "stepper",
    "asynchronous",
];

/// Longest line.
const WIDTH: usize = 120;

const HEAD: &str = "# Scene reference

`cargo xtask book` writes this page from the schema (`impinge scene schema`) and the shipped scenes. All quantities are
in SI units; the z axis points up by default. Each key stands with an example; a key without *required* may be left out.
Directions have any length but 0. `--set KEY=VALUE` sets a key on the command line: `--set body.0.material.young=1e6`.
";

/// The text of the page.
///
/// # Errors
/// If a key has no example: the scenes in `xtask/src/book/keys` hold those that no shipped scene has.
pub(super) fn page(root: &Path) -> Result<String, Box<dyn Error>> {
    let schema = Scene::json_schema();
    let mut uses = BTreeMap::new();
    count_uses(&mut uses, &schema);
    let page = Page {
        examples: Examples::read(root, &schema)?,
        schema: &schema,
        uses,
    };
    let mut text = HEAD.to_owned();
    text.push_str("\n## Scene\n\n");
    page.keys(&mut text, &schema, &Table::named(super::ROOT))?;
    let mut waiting: VecDeque<&str> = VecDeque::new();
    let mut written: Vec<&str> = Vec::new();
    for key in ORDER {
        page.push(&mut waiting, &schema["properties"][key]);
        while let Some(name) = waiting.pop_front() {
            if written.contains(&name) {
                continue;
            }
            written.push(name);
            let part = &schema["$defs"][name];
            page.section(&mut text, part, name)?;
            let mut below = VecDeque::new();
            page.push(&mut below, part);
            // Tables follow those that refer to them, in their order.
            while let Some(name) = below.pop_back() {
                waiting.push_front(name);
            }
        }
    }
    Ok(text)
}

/// Counts how often `part` refers to each definition.
fn count_uses<'a>(uses: &mut BTreeMap<&'a str, usize>, part: &'a Schema) {
    if let Some(name) = super::reference(part) {
        *uses.entry(name).or_default() += 1;
        return;
    }
    match part {
        Schema::Object(entries) => entries.values().for_each(|part| count_uses(uses, part)),
        Schema::Array(entries) => entries.iter().for_each(|part| count_uses(uses, part)),
        _ => {}
    }
}

/// A table whose keys are listed.
struct Table<'a> {
    name: &'a str,
    /// Blanks before each key.
    indent: &'a str,
    /// Example of the whole table in the line above; its keys need no other.
    above: &'a str,
}

impl<'a> Table<'a> {
    /// A table under a heading of its own.
    fn named(name: &'a str) -> Self {
        Self {
            name,
            indent: "",
            above: "",
        }
    }
}

struct Page<'a> {
    examples: Examples,
    schema: &'a Schema,
    /// How often the schema refers to each definition.
    uses: BTreeMap<&'a str, usize>,
}

impl<'a> Page<'a> {
    /// Adds the names of the definitions that `part` refers to, except those at the only key that refers to them.
    fn push(&self, names: &mut VecDeque<&'a str>, part: &'a Schema) {
        if let Some(name) = super::reference(part) {
            if self.choices_of(part).is_none() {
                names.push_back(name);
            }
            return;
        }
        match part {
            Schema::Object(entries) => entries.values().for_each(|part| self.push(names, part)),
            Schema::Array(entries) => entries.iter().for_each(|part| self.push(names, part)),
            _ => {}
        }
    }

    /// The definition that `part` refers to, if it is a list of names and no other part refers to it.
    fn choices_of(&self, part: &Schema) -> Option<&'a Schema> {
        let name = super::reference(part)?;
        let definition = &self.schema["$defs"][name];
        let is_name = |choice: &Schema| choice.get("const").is_some();
        let is_list =
            super::choices(definition).count() > 0 && super::choices(definition).all(is_name);
        (is_list && self.uses.get(name) == Some(&1)).then_some(definition)
    }

    /// A definition under a heading of its own.
    fn section(&self, text: &mut String, part: &Schema, name: &str) -> Result<(), Box<dyn Error>> {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n",
            title(name),
            wrapped(&described(part), "")
        );
        text.push('\n');
        self.keys(text, part, &Table::named(name))?;
        for choice in super::choices(part) {
            if let Some(value) = choice.get("const") {
                named(text, value, choice, "");
            } else if choice.get("properties").is_some() {
                self.variant(text, choice, name)?;
            } else {
                let line = format!("- {}", described(choice));
                let _ = writeln!(text, "{}", wrapped(&line, "  "));
            }
        }
        while text.ends_with("\n\n") {
            text.pop();
        }
        Ok(())
    }

    /// A choice that is a key with a table.
    fn variant(
        &self,
        text: &mut String,
        choice: &Schema,
        name: &str,
    ) -> Result<(), Box<dyn Error>> {
        let Some((key, part)) = choice["properties"]
            .as_object()
            .and_then(|keys| keys.iter().next())
        else {
            return Ok(());
        };
        let example = self.example(name, key)?;
        let line = format!("- `{example}`: {}{}", described(choice), self.link(part));
        let _ = writeln!(text, "{}", wrapped(&line, "  "));
        let table = Table {
            name: &super::inner(name, key),
            indent: "  ",
            above: example,
        };
        self.keys(text, part, &table)
    }

    /// The keys of a table, as a list.
    fn keys(
        &self,
        text: &mut String,
        part: &Schema,
        table: &Table<'_>,
    ) -> Result<(), Box<dyn Error>> {
        let Table {
            name,
            indent,
            above,
        } = *table;
        let required: Vec<&str> = part["required"].as_array().map_or_else(Vec::new, |names| {
            names.iter().filter_map(Schema::as_str).collect()
        });
        for (key, part) in part["properties"].as_object().into_iter().flatten() {
            let mark = if required.contains(&key.as_str()) {
                " (required)"
            } else {
                ""
            };
            let is_list = part.get("items").is_some();
            let shown = match (name == super::ROOT, is_list, self.is_table(part)) {
                (true, true, _) => format!("[[{key}]]"),
                (true, _, true) => format!("[{key}]"),
                _ if above.contains(&format!(" {key} = ")) => key.to_owned(),
                _ => self.example(name, key)?.to_owned(),
            };
            let description = described(part);
            let mut line = format!("{indent}- `{shown}`{mark}: {description}");
            match part.get("default") {
                Some(default) if is_plain(default) && !description.contains("Default:") => {
                    let _ = write!(line, " Default: {}.", super::json(default));
                }
                _ => {}
            }
            line.push_str(&self.link(part));
            let deeper = format!("{indent}  ");
            let _ = writeln!(text, "{}", wrapped(&line, &deeper));
            for choice in self.choices_of(part).into_iter().flat_map(super::choices) {
                named(text, &choice["const"], choice, &deeper);
            }
        }
        Ok(())
    }

    fn example(&self, table: &str, key: &str) -> Result<&str, Box<dyn Error>> {
        self.examples.of(table, key).ok_or_else(|| {
            format!("no scene has an example of `{key}` of {table}; add one to a scene in xtask/src/book/keys").into()
        })
    }

    /// A link to the definition that `part` refers to, if it has a heading.
    fn link(&self, part: &Schema) -> String {
        if self.choices_of(part).is_some() {
            return String::new();
        }
        let name = super::reference(part).or_else(|| super::reference(part.get("items")?));
        name.map_or_else(String::new, |name| {
            let title = title(name);
            format!(
                " See [{title}](#{}).",
                title.to_lowercase().replace(' ', "-")
            )
        })
    }

    fn is_table(&self, part: &Schema) -> bool {
        super::reference(part)
            .is_some_and(|name| self.schema["$defs"][name].get("properties").is_some())
    }
}

/// A choice that is a name.
fn named(text: &mut String, value: &Schema, choice: &Schema, indent: &str) {
    let line = format!("{indent}- `{value}`: {}", described(choice));
    let _ = writeln!(text, "{}", wrapped(&line, &format!("{indent}  ")));
}

/// A number, a truth value, a text or a list of these.
fn is_plain(default: &Schema) -> bool {
    match default {
        Schema::Array(entries) => !entries.is_empty() && entries.iter().all(is_plain),
        Schema::String(text) => !text.is_empty(),
        Schema::Object(_) | Schema::Null => false,
        _ => true,
    }
}

/// The description of `part`, on one line.
fn described(part: &Schema) -> String {
    let text = part.get("description").and_then(Schema::as_str);
    text.unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The heading of a definition: `BodyMesh` is `Body mesh`.
fn title(name: &str) -> String {
    let mut title = String::new();
    for (place, letter) in name.chars().enumerate() {
        if place > 0 && letter.is_uppercase() {
            title.push(' ');
            title.extend(letter.to_lowercase());
        } else {
            title.push(letter);
        }
    }
    title
}

/// `text` in lines of at most [`WIDTH`] characters, broken at spaces outside of code; later lines start with `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut code = false;
    let start = text.len() - text.trim_start().len();
    for word in text[start..].split(' ') {
        if code {
            let open = words.last_mut().expect("code begins in a word");
            open.push(' ');
            open.push_str(word);
        } else {
            words.push(word.to_owned());
        }
        code ^= word.matches('`').count() % 2 == 1;
    }
    let mut lines = vec![text[..start].to_owned()];
    let mut is_first = true;
    for word in words {
        let line = lines.last_mut().expect("there is a line");
        if !is_first && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            if !is_first {
                line.push(' ');
            }
            line.push_str(&word);
        }
        is_first = false;
    }
    lines.join("\n")
}
