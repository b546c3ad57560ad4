//! An example for each key of scene files, taken from scenes.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use impinge_sim::Scene;
use serde_json::Value as Schema;
use toml::Value;

/// Folders with scenes, relative to the root.
const FOLDERS: [&str; 2] = ["scenes", "xtask/src/book/keys"];

/// Longest example (characters), so that it fits into a line.
const LONGEST: usize = 112;

/// Examples by table and key, each as it is written in a scene: `size = [0.1, 0.1, 0.1]`.
pub(super) struct Examples(BTreeMap<(String, String), Example>);

struct Example {
    is_default: bool,
    written: String,
}

impl Examples {
    /// Reads all scenes below `root`; each has to be valid.
    pub(super) fn read(root: &Path, schema: &Schema) -> Result<Self, Box<dyn Error>> {
        let mut examples = Self(BTreeMap::new());
        for folder in FOLDERS {
            for path in super::scenes(&root.join(folder))? {
                let text = std::fs::read_to_string(&path)?;
                let name = path.display().to_string();
                Scene::parse(&name, &text, &[] as &[&str])?;
                let scene: Value = Value::Table(text.parse()?);
                examples.walk(schema, schema, &scene, super::ROOT);
            }
        }
        Ok(examples)
    }

    /// The example of `key` in the table with the name `table`.
    pub(super) fn of(&self, table: &str, key: &str) -> Option<&str> {
        let at = (table.to_owned(), key.to_owned());
        self.0.get(&at).map(|example| example.written.as_str())
    }

    /// Notes the keys of `value`, which the part `part` of `schema` describes. `table` is the name of the part.
    fn walk(&mut self, schema: &Schema, part: &Schema, value: &Value, table: &str) {
        if let Some(name) = super::reference(part) {
            return self.walk(schema, &schema["$defs"][name], value, name);
        }
        if let (Value::Array(values), Some(items)) = (value, part.get("items")) {
            for value in values {
                self.walk(schema, items, value, table);
            }
        }
        for choice in super::choices(part) {
            let keys = choice.get("properties");
            let fits = |value: &toml::Table| {
                value
                    .keys()
                    .all(|key| keys.is_none_or(|keys| keys.get(key).is_some()))
            };
            if value.as_table().is_none_or(fits) {
                self.walk(schema, choice, value, table);
            }
        }
        let (Value::Table(values), Some(keys)) = (value, part.get("properties")) else {
            return;
        };
        for (key, value) in values {
            if let Some(part) = keys.get(key) {
                self.note(table, key, part, value);
                self.walk(schema, part, value, &super::inner(table, key));
            }
        }
    }

    /// Keeps the shortest example, one that differs from the default if there is any.
    fn note(&mut self, table: &str, key: &str, part: &Schema, value: &Value) {
        let is_empty = value.as_table().is_some_and(toml::Table::is_empty);
        let text = super::inline(value);
        let is_default = part
            .get("default")
            .is_some_and(|default| super::json(default) == text);
        let written = format!("{key} = {text}");
        if is_empty || written.chars().count() > LONGEST {
            return;
        }
        let rank = |example: &Example| (example.is_default, example.written.len());
        let example = Example {
            is_default,
            written,
        };
        let at = (table.to_owned(), key.to_owned());
        if self
            .0
            .get(&at)
            .is_none_or(|kept| rank(&example) < rank(kept))
        {
            self.0.insert(at, example);
        }
    }
}
