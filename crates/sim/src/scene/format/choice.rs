//! Keys of the scene whose values are names of a register in another crate.

/// A value that is written as a name.
pub(super) trait Choice: Sized {
    /// All names.
    const NAMES: &'static [&'static str];
    /// Its name in the schema.
    const TITLE: &'static str;
    /// Its meaning in the schema.
    const DESCRIPTION: &'static str;

    /// The value of that name.
    fn by_name(name: &str) -> Option<Self>;

    /// Its name.
    fn name(&self) -> &'static str;

    /// Its meaning in a sentence.
    fn summary(&self) -> String;
}

/// Reads, writes and describes a [`Choice`].
macro_rules! choice_of_names {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(Choice::name(self))
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                let name = String::deserialize(reader)?;
                <$type as Choice>::by_name(&name).ok_or_else(|| {
                    serde::de::Error::unknown_variant(&name, <$type as Choice>::NAMES)
                })
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$type as Choice>::TITLE.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let choices = <$type as Choice>::NAMES.iter();
                let choices = choices.filter_map(|name| <$type as Choice>::by_name(name));
                let choices: Vec<serde_json::Value> = choices
                    .map(|choice| {
                        serde_json::json!({
                            "description": choice.summary(),
                            "type": "string",
                            "const": Choice::name(&choice),
                        })
                    })
                    .collect();
                schemars::json_schema!({
                    "description": <$type as Choice>::DESCRIPTION,
                    "oneOf": choices,
                })
            }
        }
    };
}

pub(super) use choice_of_names;
