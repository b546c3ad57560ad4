//! Serde over a [`Node`] tree, so that every error keeps the place of its value.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::document::{Entry, Node, Origin, Value};
use super::error::closest;

/// The kind of a mismatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MismatchKind {
    /// A key that the format does not have.
    Unknown,
    /// A required key that is missing.
    Missing,
    /// A value that does not fit its key.
    Unfit,
}

/// A mismatch between a document and the format.
#[derive(Debug)]
pub(super) struct Mismatch {
    pub(super) kind: MismatchKind,
    pub(super) origin: Option<Origin>,
    pub(super) problem: String,
    pub(super) mend: String,
}

impl Mismatch {
    fn new(problem: String, mend: String) -> Self {
        Self {
            kind: MismatchKind::Unfit,
            origin: None,
            problem,
            mend,
        }
    }

    /// Sets the place unless an inner place is already set.
    fn at(mut self, origin: &Origin) -> Self {
        self.origin.get_or_insert_with(|| origin.clone());
        self
    }
}

impl std::error::Error for Mismatch {}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(
            message.to_string(),
            "see `impinge scene schema` for the format".to_owned(),
        )
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let expected = in_words(&expected.to_string());
        Self::new(
            format!("expected {expected}, found {found}"),
            format!("write {expected}"),
        )
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            Unexpected::Signed(number) if number > 0 && expected.to_string() == "u32" => Self::new(
                format!("{number} is too large"),
                format!("write a whole number up to {}", u32::MAX),
            ),
            _ => Self::invalid_type(found, expected),
        }
    }

    fn invalid_length(count: usize, expected: &dyn Expected) -> Self {
        let expected = in_words(&expected.to_string());
        Self::new(
            format!("expected {expected}, found {count} entries"),
            format!("write {expected}"),
        )
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self {
            kind: MismatchKind::Unknown,
            ..Self::new(
                format!("`{field}` is not a key here"),
                suggestion(field, expected, "the keys here are"),
            )
        }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(
            format!("`{variant}` is not one of the choices here"),
            suggestion(variant, expected, "the choices here are"),
        )
    }

    fn missing_field(field: &'static str) -> Self {
        Self {
            kind: MismatchKind::Missing,
            ..Self::new(
                format!("the key `{field}` is missing here"),
                format!("add `{field}`; `impinge scene schema` shows its meaning and unit"),
            )
        }
    }
}

/// "did you mean", then all known words.
fn suggestion(word: &str, known: &[&str], introduction: &str) -> String {
    let list = known.join(", ");
    match closest(word, known) {
        Some(guess) => format!("did you mean `{guess}`? ({introduction} {list})"),
        None => format!("{introduction} {list}"),
    }
}

/// Serde's names of Rust types in words of the scene format.
fn in_words(expected: &str) -> String {
    match expected {
        "f64" => "a number".to_owned(),
        "u32" | "u64" | "usize" => "a whole number that is not negative".to_owned(),
        "a sequence" => "a list".to_owned(),
        "string or map" => "a name or a table with one key".to_owned(),
        "an array of length 2" => "a list of 2 numbers".to_owned(),
        "an array of length 3" => "a list of 3 numbers".to_owned(),
        _ if expected.starts_with("struct ") => "a table".to_owned(),
        _ if expected.starts_with("enum ") => "a name or a table with one key".to_owned(),
        _ => expected.to_owned(),
    }
}

pub(super) struct NodeDeserializer<'a>(pub(super) &'a Node);

impl<'de> Deserializer<'de> for NodeDeserializer<'_> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match &self.0.value {
            Value::String(value) => visitor.visit_str(value),
            Value::Integer(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Boolean(value) => visitor.visit_bool(*value),
            Value::Array(nodes) => whole_list(nodes, visitor),
            Value::Table(entries) => visitor.visit_map(Fields {
                rest: entries.iter(),
                value: None,
            }),
        }
        .map_err(|mismatch| mismatch.at(&self.0.origin))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match &self.0.value {
            Value::String(name) => visitor.visit_enum(Choice {
                name,
                name_origin: &self.0.origin,
                content: None,
            }),
            Value::Table(entries) => match entries.as_slice() {
                [
                    Entry {
                        key,
                        key_origin,
                        node,
                    },
                ] => visitor.visit_enum(Choice {
                    name: key,
                    name_origin: key_origin,
                    content: Some(node),
                }),
                _ => Err(Mismatch {
                    kind: if entries.is_empty() {
                        MismatchKind::Missing
                    } else {
                        MismatchKind::Unfit
                    },
                    ..Mismatch::new(
                        format!("expected exactly one choice, found {}", entries.len()),
                        format!("write one of {}", variants.join(", ")),
                    )
                }),
            },
            _ => Err(Mismatch::new(
                "expected one of the choices of this key".to_owned(),
                format!("write one of {}", variants.join(", ")),
            )),
        }
        .map_err(|mismatch| mismatch.at(&self.0.origin))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A list that the visitor must read to its last element.
fn whole_list<'de, V: Visitor<'de>>(nodes: &[Node], visitor: V) -> Result<V::Value, Mismatch> {
    let mut rest = nodes.iter();
    let value = visitor.visit_seq(Elements(&mut rest))?;
    if rest.len() == 0 {
        return Ok(value);
    }
    let wanted = nodes.len() - rest.len();
    Err(Mismatch::new(
        format!(
            "expected a list of {wanted} numbers, found {} entries",
            nodes.len()
        ),
        format!("write a list of {wanted} numbers"),
    ))
}

/// Reads a value. Errors of types with readers of their own get its place.
fn read_node<'de, S: DeserializeSeed<'de>>(node: &Node, seed: S) -> Result<S::Value, Mismatch> {
    seed.deserialize(NodeDeserializer(node))
        .map_err(|mismatch| mismatch.at(&node.origin))
}

struct Elements<'a, 'b>(&'b mut std::slice::Iter<'a, Node>);

impl<'de> SeqAccess<'de> for Elements<'_, '_> {
    type Error = Mismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mismatch> {
        self.0.next().map(|node| read_node(node, seed)).transpose()
    }
}

struct Fields<'a> {
    rest: std::slice::Iter<'a, Entry>,
    value: Option<&'a Node>,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Mismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mismatch> {
        let Some(entry) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(&entry.node);
        let name: StrDeserializer<'_, Mismatch> = entry.key.as_str().into_deserializer();
        seed.deserialize(name)
            .map(Some)
            .map_err(|mismatch| mismatch.at(&entry.key_origin))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Mismatch> {
        match self.value.take() {
            Some(node) => read_node(node, seed),
            None => Err(Mismatch::custom("a value was asked for before its key")),
        }
    }
}

/// A variant: a bare name, or a table whose one key is the name.
struct Choice<'a> {
    name: &'a str,
    name_origin: &'a Origin,
    content: Option<&'a Node>,
}

impl<'de, 'a> EnumAccess<'de> for Choice<'a> {
    type Error = Mismatch;
    type Variant = Content<'a>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Content<'a>), Mismatch> {
        let name: StrDeserializer<'_, Mismatch> = self.name.into_deserializer();
        let variant = seed
            .deserialize(name)
            .map_err(|mismatch| mismatch.at(self.name_origin))?;
        Ok((
            variant,
            Content {
                name: self.name,
                node: self.content,
            },
        ))
    }
}

struct Content<'a> {
    name: &'a str,
    node: Option<&'a Node>,
}

impl<'a> Content<'a> {
    fn node(&self) -> Result<&'a Node, Mismatch> {
        self.node.ok_or_else(|| {
            Mismatch::new(
                format!("`{}` needs keys of its own", self.name),
                format!("write {{ {} = {{ ... }} }}", self.name),
            )
        })
    }
}

impl<'de> VariantAccess<'de> for Content<'_> {
    type Error = Mismatch;

    fn unit_variant(self) -> Result<(), Mismatch> {
        match self.node {
            None => Ok(()),
            Some(node) => Err(Mismatch::new(
                format!("`{}` takes no keys", self.name),
                format!("write \"{}\"", self.name),
            )
            .at(&node.origin)),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Mismatch> {
        seed.deserialize(NodeDeserializer(self.node()?))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Mismatch> {
        NodeDeserializer(self.node()?).deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        NodeDeserializer(self.node()?).deserialize_any(visitor)
    }
}
