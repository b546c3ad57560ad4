//! Values that are constant or given over time.

use schemars::JsonSchema;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A vector, constant or given at some times.
///
/// In a scene file it is `[0, 0, 1]`, or a table of times (s) and vectors, `[[0, [0, 0, 0]], [0.5, [0, 0, 1]]]`: linear
/// in between, constant before and after.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Signal {
    /// The same vector at all times.
    Constant([f64; 3]),
    /// Times (s), ascending, each with its vector.
    Table(Vec<(f64, [f64; 3])>),
}

impl Default for Signal {
    fn default() -> Self {
        Self::Constant([0.0; 3])
    }
}

impl From<[f64; 3]> for Signal {
    fn from(value: [f64; 3]) -> Self {
        Self::Constant(value)
    }
}

impl From<Vec<(f64, [f64; 3])>> for Signal {
    fn from(table: Vec<(f64, [f64; 3])>) -> Self {
        Self::Table(table)
    }
}

impl Signal {
    /// The vector at `time` (s).
    pub fn at(&self, time: f64) -> [f64; 3] {
        match self {
            Self::Constant(value) => *value,
            Self::Table(table) => {
                let next = table.partition_point(|(at, _)| *at <= time);
                match (next.checked_sub(1).map(|last| table[last]), table.get(next)) {
                    (Some((start, from)), Some(&(end, to))) => {
                        let share = (time - start) / (end - start);
                        std::array::from_fn(|axis| from[axis] + (to[axis] - from[axis]) * share)
                    }
                    (Some((_, value)), None) | (None, Some(&(_, value))) => value,
                    (None, None) => [0.0; 3],
                }
            }
        }
    }

    /// Its mean from time `start` to a later time `end` (s): a force of this value has the impulse of the signal.
    pub fn mean(&self, start: f64, end: f64) -> [f64; 3] {
        let Self::Table(table) = self else {
            return self.at(start);
        };
        let inner = table.iter().map(|(at, _)| *at);
        let inner = inner.filter(|at| *at > start && *at < end);
        let mut times: Vec<f64> = vec![start];
        times.extend(inner);
        times.push(end);
        let mut sum = [0.0; 3];
        for pair in times.windows(2) {
            let (from, to) = (self.at(pair[0]), self.at(pair[1]));
            for axis in 0..3 {
                sum[axis] += 0.5 * (from[axis] + to[axis]) * (pair[1] - pair[0]);
            }
        }
        sum.map(|integral| integral / (end - start))
    }
}

/// A number, or an entry of a table.
enum Element {
    Number(f64),
    Entry(f64, [f64; 3]),
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrEntry;

        impl<'de> Visitor<'de> for NumberOrEntry {
            type Value = Element;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a list of a time and a vector")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Element, E> {
                Ok(Element::Number(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Element, E> {
                Ok(Element::Number(value as f64))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Element, E> {
                Ok(Element::Number(value as f64))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut entry: A) -> Result<Element, A::Error> {
                let time = entry.next_element()?;
                let value = entry.next_element()?;
                match (time, value) {
                    (Some(time), Some(value)) => Ok(Element::Entry(time, value)),
                    _ => Err(A::Error::custom(
                        "an entry of a table is a time (s) and a vector, as in [0.5, [0, 0, 1]]",
                    )),
                }
            }
        }

        deserializer.deserialize_any(NumberOrEntry)
    }
}

impl<'de> Deserialize<'de> for Signal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VectorOrTable;

        impl<'de> Visitor<'de> for VectorOrTable {
            type Value = Signal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of 3 numbers, or a table of times and vectors")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Signal, A::Error> {
                let (mut numbers, mut table) = (Vec::new(), Vec::new());
                while let Some(element) = list.next_element()? {
                    match element {
                        Element::Number(number) => numbers.push(number),
                        Element::Entry(time, value) => table.push((time, value)),
                    }
                }
                match (numbers.as_slice(), table.is_empty()) {
                    (&[x, y, z], true) => Ok(Signal::Constant([x, y, z])),
                    ([], false) => Ok(Signal::Table(table)),
                    _ => Err(A::Error::custom(
                        "expected a list of 3 numbers, or of entries like [0.5, [0, 0, 1]]",
                    )),
                }
            }
        }

        deserializer.deserialize_any(VectorOrTable)
    }
}
