//! The text of a scene as a tree whose values keep their position in it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Diagnostic, Place, SceneError};

/// Origin of a key or value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Origin {
    /// Bytes of the scene text.
    Text(Range<usize>),
    /// The override with this index.
    Override(usize),
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) origin: Origin,
}

#[derive(Debug, Clone)]
pub(super) enum Value {
    String(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_origin: Origin,
    pub(super) node: Node,
}

/// The text of a scene with overrides applied.
#[derive(Debug, Clone)]
pub(super) struct Document {
    name: String,
    text: String,
    overrides: Vec<String>,
    root: Node,
}

impl Document {
    /// Parses `text`; messages call the file `name`.
    pub(super) fn parse(
        name: &str,
        text: &str,
        overrides: &[impl AsRef<str>],
    ) -> Result<Self, SceneError> {
        let mut document = Self {
            name: name.to_owned(),
            text: text.to_owned(),
            overrides: overrides
                .iter()
                .map(|argument| argument.as_ref().to_owned())
                .collect(),
            root: Node {
                value: Value::Table(Vec::new()),
                origin: Origin::Text(0..0),
            },
        };
        let table = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let mend = digits_around_a_point(text, span.start).unwrap_or_else(|| {
                "see https://toml.io for how keys, strings, numbers and tables are written"
                    .to_owned()
            });
            let problem = format!("this is not valid TOML: {}", error.message());
            document.error(&Origin::Text(span), problem, mend)
        })?;
        document.root.value = document.table(table.get_ref(), &Origin::Text)?;
        for index in 0..overrides.len() {
            document.apply(index)?;
        }
        document.check_finite(&document.root)?;
        Ok(document)
    }

    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    /// The error for `problem` at `origin`.
    pub(super) fn error(
        &self,
        origin: &Origin,
        problem: impl Into<String>,
        mend: impl Into<String>,
    ) -> SceneError {
        SceneError::Invalid(Box::new(Diagnostic {
            place: self.place(origin),
            problem: problem.into(),
            mend: mend.into(),
        }))
    }

    /// The error for `problem` at the value of the dotted `path`, or of its nearest ancestor in the text.
    pub(super) fn error_at(
        &self,
        path: &str,
        problem: impl Into<String>,
        mend: impl Into<String>,
    ) -> SceneError {
        let mut node = &self.root;
        for segment in path.split('.') {
            let next = match &node.value {
                Value::Table(entries) => entries
                    .iter()
                    .find(|entry| entry.key == segment)
                    .map(|entry| &entry.node),
                Value::Array(nodes) => segment.parse().ok().and_then(|i: usize| nodes.get(i)),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        self.error(&node.origin, problem, mend)
    }

    fn place(&self, origin: &Origin) -> Place {
        let span = match origin {
            Origin::Override(index) => {
                return Place::Override {
                    file: self.name.clone(),
                    argument: self.overrides[*index].clone(),
                };
            }
            Origin::Text(span) => span,
        };
        let start = floor_char_boundary(&self.text, span.start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = self.text[start..]
            .find('\n')
            .map_or(self.text.len(), |i| start + i);
        let end = floor_char_boundary(&self.text, span.end.clamp(start, line_end));
        Place::File {
            file: self.name.clone(),
            line: self.text[..start].matches('\n').count() + 1,
            column: self.text[line_start..start].chars().count() + 1,
            // Tabs would shift the marks below the line.
            text: self.text[line_start..line_end]
                .trim_end()
                .replace('\t', " "),
            width: self.text[start..end].trim_end().chars().count().max(1),
        }
    }

    fn table(
        &self,
        table: &DeTable<'_>,
        origin: &dyn Fn(Range<usize>) -> Origin,
    ) -> Result<Value, SceneError> {
        let mut entries = table
            .iter()
            .map(|(key, value)| {
                Ok((
                    key.span().start,
                    Entry {
                        key: key.get_ref().to_string(),
                        key_origin: origin(key.span()),
                        node: self.node(value, origin)?,
                    },
                ))
            })
            .collect::<Result<Vec<_>, SceneError>>()?;
        // In the order of the file, so that the first mistake is reported first.
        entries.sort_by_key(|(start, _)| *start);
        Ok(Value::Table(
            entries.into_iter().map(|(_, entry)| entry).collect(),
        ))
    }

    fn node(
        &self,
        value: &Spanned<DeValue<'_>>,
        origin: &dyn Fn(Range<usize>) -> Origin,
    ) -> Result<Node, SceneError> {
        let place = origin(value.span());
        let value = match value.get_ref() {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Boolean(value) => Value::Boolean(*value),
            DeValue::Integer(integer) => Value::Integer(
                i64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| {
                    self.error(
                        &place,
                        "this whole number is out of range",
                        "write a smaller number, or a decimal such as 1e30",
                    )
                })?,
            ),
            DeValue::Float(float) => Value::Float(float.as_str().parse().map_err(|_| {
                self.error(
                    &place,
                    "this is not a number",
                    "write a decimal such as 0.5 or 1e-3",
                )
            })?),
            DeValue::Datetime(_) => {
                return Err(self.error(
                    &place,
                    "a date has no place in a scene",
                    "write a number, or quote the text",
                ));
            }
            DeValue::Array(array) => Value::Array(
                array
                    .iter()
                    .map(|value| self.node(value, origin))
                    .collect::<Result<_, _>>()?,
            ),
            DeValue::Table(table) => self.table(table, origin)?,
        };
        Ok(Node {
            value,
            origin: place,
        })
    }

    /// Sets the key of the override `index` to its value.
    fn apply(&mut self, index: usize) -> Result<(), SceneError> {
        let origin = Origin::Override(index);
        let argument = self.overrides[index].clone();
        let Some((path, text)) = argument.split_once('=') else {
            return Err(self.error(
                &origin,
                "an override needs the form KEY=VALUE",
                "write for example --set time.duration=0.5 or --set body.0.material.young=1e6",
            ));
        };
        let (path, text) = (path.trim(), text.trim());
        let segments: Vec<&str> = path.split('.').map(str::trim).collect();
        if segments.iter().any(|segment| segment.is_empty()) {
            return Err(self.error(
                &origin,
                format!("`{path}` is not a dotted key"),
                "write for example time.duration or body.0.material.young",
            ));
        }
        // A bare word such as `diagonal` is read as a string.
        let line = format!("value = {text}");
        let node = match DeTable::parse(&line) {
            Ok(table) => match table.get_ref().iter().next() {
                Some((_, value)) if table.get_ref().len() == 1 => {
                    self.node(value, &|_| Origin::Override(index))?
                }
                _ => {
                    return Err(self.error(
                        &origin,
                        "an override sets one value",
                        "give each key its own --set",
                    ));
                }
            },
            Err(_) => Node {
                value: Value::String(text.to_owned()),
                origin: origin.clone(),
            },
        };

        match set(&mut self.root, &segments, node, &origin) {
            Ok(()) => Ok(()),
            Err((problem, mend)) => Err(self.error(&origin, problem, mend)),
        }
    }

    fn check_finite(&self, node: &Node) -> Result<(), SceneError> {
        match &node.value {
            Value::Float(value) if !value.is_finite() => Err(self.error(
                &node.origin,
                format!("{value} is not a finite number"),
                "write a finite number",
            )),
            Value::Array(nodes) => nodes.iter().try_for_each(|node| self.check_finite(node)),
            Value::Table(entries) => entries
                .iter()
                .try_for_each(|entry| self.check_finite(&entry.node)),
            _ => Ok(()),
        }
    }
}

/// Replaces the value at the path `segments` below `node`. Missing tables are created; array entries must exist.
fn set(
    node: &mut Node,
    segments: &[&str],
    value: Node,
    origin: &Origin,
) -> Result<(), (String, String)> {
    let Some((&segment, rest)) = segments.split_first() else {
        *node = value;
        return Ok(());
    };
    match &mut node.value {
        Value::Table(entries) => {
            let at = entries
                .iter()
                .position(|entry| entry.key == segment)
                .unwrap_or_else(|| {
                    entries.push(Entry {
                        key: segment.to_owned(),
                        key_origin: origin.clone(),
                        node: Node {
                            value: Value::Table(Vec::new()),
                            origin: origin.clone(),
                        },
                    });
                    entries.len() - 1
                });
            set(&mut entries[at].node, rest, value, origin)
        }
        Value::Array(nodes) => {
            let count = nodes.len();
            match segment.parse::<usize>().ok().filter(|&at| at < count) {
                Some(at) => set(&mut nodes[at], rest, value, origin),
                None => Err((
                    format!("`{segment}` is not the index of one of the {count} entries here"),
                    format!("count from 0 to {}", count.saturating_sub(1)),
                )),
            }
        }
        _ => Err((
            format!("`{segment}` is below a key that holds a plain value"),
            "leave out the last part of the key".to_owned(),
        )),
    }
}

/// The correct form of the number at a byte of `text`, if it begins or ends with its decimal point, as other formats
/// allow.
fn digits_around_a_point(text: &str, at: usize) -> Option<String> {
    let at = floor_char_boundary(text, at);
    let is_of_number =
        |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E' | '_');
    let start = text[..at].rfind(|c| !is_of_number(c)).map_or(0, |i| i + 1);
    let start = (start..=at).find(|&i| text.is_char_boundary(i))?;
    let length = text[start..]
        .find(|c| !is_of_number(c))
        .unwrap_or(text.len() - start);
    let number = &text[start..start + length];
    let (whole, rest) = number.split_once('.')?;
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (fraction, exponent) = rest.split_at(digits);
    let unsigned = whole.trim_start_matches(['+', '-']);
    if !unsigned.is_empty() && !fraction.is_empty() || unsigned.is_empty() && fraction.is_empty() {
        return None;
    }
    let sign = &whole[..whole.len() - unsigned.len()];
    let or_zero = |digits: &str| {
        if digits.is_empty() {
            "0".to_owned()
        } else {
            digits.to_owned()
        }
    };
    let written = format!(
        "{sign}{}.{}{exponent}",
        or_zero(unsigned),
        or_zero(fraction)
    );
    written.parse::<f64>().ok()?;
    Some(format!(
        "write {written}: in TOML a digit stands on each side of the point"
    ))
}

fn floor_char_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}
