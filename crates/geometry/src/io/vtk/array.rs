//! Arrays of numbers in the types of VTK.

/// Order of the bytes of a stored number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// A named array with one entry of `components` numbers per point or cell.
#[derive(Debug, Clone, PartialEq)]
pub struct DataArray {
    /// Name, unique among the arrays on the points or on the cells.
    pub name: String,
    /// Numbers per point or cell.
    pub components: usize,
    /// The numbers of all entries, one entry after the other.
    pub values: Values,
}

/// One enum over the element types, and the code that each type needs.
macro_rules! number_types {
    ($($variant:ident: $type:ty;)*) => {
        /// Numbers in the type that a file stores.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Values {
            $(
                #[doc = concat!("Numbers of type `", stringify!($type), "`.")]
                $variant(Vec<$type>),
            )*
        }

        /// Type of the numbers of an array.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum NumberType {
            $($variant,)*
        }

        impl NumberType {
            /// The type of that name in XML files.
            pub(super) fn of_xml(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($variant) => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Bytes per number.
            pub(super) fn width(self) -> usize {
                match self {
                    $(Self::$variant => size_of::<$type>(),)*
                }
            }

            /// Numbers from their bytes; bytes after the last whole number are ignored.
            pub(super) fn decode(self, bytes: &[u8], order: ByteOrder) -> Values {
                match self {
                    $(Self::$variant => {
                        let numbers = bytes.as_chunks::<{ size_of::<$type>() }>().0.iter();
                        Values::$variant(match order {
                            ByteOrder::Little => numbers.map(|&bytes| <$type>::from_le_bytes(bytes)).collect(),
                            ByteOrder::Big => numbers.map(|&bytes| <$type>::from_be_bytes(bytes)).collect(),
                        })
                    })*
                }
            }

            /// Numbers from words; the error is the first word that is no number of this type.
            pub(super) fn parse<'a>(self, words: impl Iterator<Item = &'a str>) -> Result<Values, &'a str> {
                match self {
                    $(Self::$variant => words
                        .map(|word| word.parse::<$type>().map_err(|_| word))
                        .collect::<Result<_, _>>()
                        .map(Values::$variant),)*
                }
            }
        }

        impl Values {
            /// Number of numbers.
            pub fn len(&self) -> usize {
                match self {
                    $(Self::$variant(values) => values.len(),)*
                }
            }

            /// Whether there are no numbers.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Name of the type in XML files.
            pub(super) fn xml_name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => stringify!($variant),)*
                }
            }

            /// Length of all numbers in bytes.
            pub(super) fn byte_length(&self) -> usize {
                match self {
                    $(Self::$variant(values) => size_of_val(values.as_slice()),)*
                }
            }

            /// Writes the numbers with their low bytes first.
            pub(super) fn write_little_endian(&self, out: &mut impl std::io::Write) -> std::io::Result<()> {
                match self {
                    $(Self::$variant(values) => {
                        values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
                    })*
                }
            }

            /// The numbers as `f64`: exact for floating-point numbers and for integers below 2⁵³.
            #[expect(clippy::cast_lossless, reason = "one conversion for all types")]
            pub(super) fn to_doubles(&self) -> Vec<f64> {
                match self {
                    $(Self::$variant(values) => values.iter().map(|&value| value as f64).collect(),)*
                }
            }
        }
    };
}

number_types! {
    Int8: i8;
    UInt8: u8;
    Int16: i16;
    UInt16: u16;
    Int32: i32;
    UInt32: u32;
    Int64: i64;
    UInt64: u64;
    Float32: f32;
    Float64: f64;
}

impl Values {
    /// The numbers as `u32`, or `None` if one is not a `u32`.
    pub(super) fn to_indices(&self) -> Option<Vec<u32>> {
        // Every u32 is exact as a double, and a number beyond 2⁵³ that rounds is out of range.
        self.to_doubles()
            .into_iter()
            .map(|value| {
                let fits = (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0;
                #[expect(clippy::cast_sign_loss, reason = "in range and whole")]
                fits.then_some(value as u32)
            })
            .collect()
    }
}
