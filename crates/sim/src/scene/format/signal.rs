//! Values that are constant or given over time.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A value that is constant, or given at some times and linear in between. Before the first time it has the first
/// value, after the last time the last one.
///
/// In a scene file it is the value, as in `[0, 0, 1]`, or a table of times (s) and values, `[[0, [0, 0, 0]], [0.5, [0,
/// 0, 1]]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Signal<T = [f64; 3]> {
    /// The same value at all times.
    Constant(T),
    /// Times (s), ascending, each with its value.
    Table(Vec<(f64, T)>),
}

/// Value type of a [`Signal`]: a vector, a length, or two limits.
pub trait SignalValue: SignalNumbers + DeserializeOwned + JsonSchema {
    /// Name of such signals in the schema.
    const TITLE: &'static str;
    /// Their meaning in the schema: of signals, of a constant one, of a table.
    const DESCRIPTIONS: [&'static str; 3];
    /// Accepted forms in a scene file, for messages: a value or a table, and one entry of a table.
    const EXPECTED: [&'static str; 2];
}

/// The numbers of the value of a [`Signal`]: one, or a list.
pub trait SignalNumbers: Copy {
    /// The value whose numbers are all 0.
    const ZERO: Self;

    /// The value of a list of numbers; `None` if they are too few or too many.
    fn of_numbers(numbers: &[f64]) -> Option<Self>;

    /// Applies `f` to each number and the same number of `other`.
    #[must_use]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self;
}

impl SignalNumbers for f64 {
    const ZERO: Self = 0.0;

    fn of_numbers(numbers: &[f64]) -> Option<Self> {
        match *numbers {
            [number] => Some(number),
            _ => None,
        }
    }

    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        f(self, other)
    }
}

impl<const N: usize> SignalNumbers for [f64; N] {
    const ZERO: Self = [0.0; N];

    fn of_numbers(numbers: &[f64]) -> Option<Self> {
        numbers.try_into().ok()
    }

    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        std::array::from_fn(|at| f(self[at], other[at]))
    }
}

impl SignalValue for [f64; 3] {
    const TITLE: &'static str = "Signal";
    const DESCRIPTIONS: [&'static str; 3] = [
        "A vector that is constant, or given at some times and linear in between.\n\nIn a scene file it is a vector, \
         `[0, 0, 1]`, or a table of times (s) and vectors, `[[0, [0, 0, 0]], [0.5, [0, 0, 1]]]`. Before the first time \
         it has the first value, after the last time the last one.",
        "The same vector at all times.",
        "Times (s), ascending, each with its vector.",
    ];
    const EXPECTED: [&'static str; 2] = [
        "a list of 3 numbers, or a table of times and vectors",
        "a time (s) and a vector, as in [0.5, [0, 0, 1]]",
    ];
}

impl SignalValue for f64 {
    const TITLE: &'static str = "LengthSignal";
    const DESCRIPTIONS: [&'static str; 3] = [
        "A length (m) that is constant, or given at some times and linear in between.\n\nIn a scene file it is a \
         number, `0.3`, or a table of times (s) and lengths, `[[0, 0.3], [0.5, 0.25]]`. Before the first time it has \
         the first value, after the last time the last one. The work of the change is \
         `prescribed` work in the balance.",
        "The same length at all times.",
        "Times (s), ascending, each with its length.",
    ];
    const EXPECTED: [&'static str; 2] = [
        "a number, or a table of times and lengths",
        "a time (s) and a length (m), as in [0.5, 0.25]",
    ];
}

impl SignalValue for [f64; 2] {
    const TITLE: &'static str = "LimitsSignal";
    const DESCRIPTIONS: [&'static str; 3] = [
        "A lower and an upper limit that are constant, or given at some times and linear in between.\n\nIn a scene \
         file they are a list, `[-0.5, 1]`, or a table of times (s) and such lists, `[[0, [-0.5, 1]], [0.5, \
         [0.5, 1]]]`. Before the first time they have the first values, after the last time the last ones. \
         All limits of a hinge are less than a turn apart. The work of the change is `prescribed` work in \
         the balance.",
        "The same limits at all times.",
        "Times (s), ascending, each with its limits.",
    ];
    const EXPECTED: [&'static str; 2] = [
        "a list of 2 numbers, or a table of times and limits",
        "a time (s) and two limits, as in [0.5, [-0.5, 1]]",
    ];
}

impl Signal<[f64; 2]> {
    /// The least lower limit and the greatest upper one.
    pub fn range(&self) -> [f64; 2] {
        match self {
            Self::Constant(limits) => *limits,
            Self::Table(table) => {
                let of = |side: usize| table.iter().map(move |(_, limits)| limits[side]);
                let least = of(0).fold(f64::INFINITY, f64::min);
                let greatest = of(1).fold(f64::NEG_INFINITY, f64::max);
                [least, greatest]
            }
        }
    }
}

impl<T: SignalValue> Default for Signal<T> {
    fn default() -> Self {
        Self::Constant(T::ZERO)
    }
}

impl<T: SignalValue> From<T> for Signal<T> {
    fn from(value: T) -> Self {
        Self::Constant(value)
    }
}

impl<T: SignalValue> From<Vec<(f64, T)>> for Signal<T> {
    fn from(table: Vec<(f64, T)>) -> Self {
        Self::Table(table)
    }
}

impl<T: SignalValue> Signal<T> {
    /// The value at `time` (s).
    pub fn at(&self, time: f64) -> T {
        match self {
            Self::Constant(value) => *value,
            Self::Table(table) => {
                let next = table.partition_point(|(at, _)| *at <= time);
                match (next.checked_sub(1).map(|last| table[last]), table.get(next)) {
                    (Some((start, from)), Some(&(end, to))) => {
                        let share = (time - start) / (end - start);
                        from.zip(to, |from, to| from + (to - from) * share)
                    }
                    (Some((_, value)), None) | (None, Some(&(_, value))) => value,
                    (None, None) => T::ZERO,
                }
            }
        }
    }

    /// Its mean from time `start` to a later time `end` (s): a force of this value has the impulse of the signal.
    pub fn mean(&self, start: f64, end: f64) -> T {
        let Self::Table(table) = self else {
            return self.at(start);
        };
        let inner = table.iter().map(|(at, _)| *at);
        let inner = inner.filter(|at| *at > start && *at < end);
        let mut times: Vec<f64> = vec![start];
        times.extend(inner);
        times.push(end);
        let mut sum = T::ZERO;
        for pair in times.windows(2) {
            let ends = self.at(pair[0]).zip(self.at(pair[1]), |from, to| from + to);
            sum = sum.zip(ends, |sum, ends| sum + 0.5 * ends * (pair[1] - pair[0]));
        }
        sum.zip(T::ZERO, |integral, _| integral / (end - start))
    }
}

impl<T: SignalValue> JsonSchema for Signal<T> {
    fn schema_name() -> Cow<'static, str> {
        T::TITLE.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let [of_signal, of_constant, of_table] = T::DESCRIPTIONS;
        let mut constant = generator.subschema_for::<T>();
        constant.insert("description".to_owned(), of_constant.into());
        let mut table = generator.subschema_for::<Vec<(f64, T)>>();
        table.insert("description".to_owned(), of_table.into());
        json_schema!({
            "description": of_signal,
            "anyOf": [constant, table],
        })
    }
}

/// A number, or an entry of a table.
enum Element<T> {
    Number(f64),
    Entry(f64, T),
}

impl<'de, T: SignalValue> Deserialize<'de> for Element<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrEntry<T>(PhantomData<T>);

        impl<'de, T: SignalValue> Visitor<'de> for NumberOrEntry<T> {
            type Value = Element<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a number, or {}", T::EXPECTED[1])
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Element<T>, E> {
                Ok(Element::Number(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Element<T>, E> {
                Ok(Element::Number(value as f64))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Element<T>, E> {
                Ok(Element::Number(value as f64))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut entry: A) -> Result<Element<T>, A::Error> {
                let time = entry.next_element()?;
                let value = entry.next_element()?;
                let more = entry.next_element::<IgnoredAny>()?;
                match (time, value, more) {
                    (Some(time), Some(value), None) => Ok(Element::Entry(time, value)),
                    _ => Err(A::Error::custom(format!(
                        "an entry of a table is {}",
                        T::EXPECTED[1]
                    ))),
                }
            }
        }

        deserializer.deserialize_any(NumberOrEntry(PhantomData))
    }
}

impl<'de, T: SignalValue> Deserialize<'de> for Signal<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueOrTable<T>(PhantomData<T>);

        impl<T: SignalValue> ValueOrTable<T> {
            fn constant<E: Error>(numbers: &[f64]) -> Result<Signal<T>, E> {
                let of_numbers = T::of_numbers(numbers).map(Signal::Constant);
                of_numbers.ok_or_else(|| {
                    let [value_or_table, entry] = T::EXPECTED;
                    E::custom(format!("expected {value_or_table}; an entry is {entry}"))
                })
            }
        }

        impl<'de, T: SignalValue> Visitor<'de> for ValueOrTable<T> {
            type Value = Signal<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::EXPECTED[0])
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Signal<T>, E> {
                Self::constant(&[value])
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Signal<T>, E> {
                Self::constant(&[value as f64])
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Signal<T>, E> {
                Self::constant(&[value as f64])
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Signal<T>, A::Error> {
                let (mut numbers, mut table) = (Vec::new(), Vec::new());
                while let Some(element) = list.next_element()? {
                    match element {
                        Element::Number(number) => numbers.push(number),
                        Element::Entry(time, value) => table.push((time, value)),
                    }
                }
                match (numbers.is_empty(), table.is_empty()) {
                    (true, false) => Ok(Signal::Table(table)),
                    // A list of one number is no length.
                    (false, true) if numbers.len() > 1 => Self::constant(&numbers),
                    _ => Self::constant(&[]),
                }
            }
        }

        deserializer.deserialize_any(ValueOrTable(PhantomData))
    }
}
