//! A checksum against accidental changes.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// 64-bit FNV-1a of some bytes (<https://www.rfc-editor.org/rfc/rfc9923>).
///
/// Each byte enters by a bijection of the state, so a change of a single byte is always detected; other changes are
/// missed with probability 2⁻⁶⁴. It gives no protection against intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum(u64);

impl Checksum {
    /// The checksum of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(0xcbf2_9ce4_8422_2325, |state, &byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }
}

impl Checksum {
    /// Its eight bytes in little-endian order.
    pub fn to_le_bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Checksum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Checksum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // A number may begin with a sign, a checksum may not.
        let is_whole = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(&text, 16).ok();
        number
            .filter(|_| is_whole)
            .map(Self)
            .ok_or_else(|| D::Error::custom("a checksum has 16 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of the RFC.
    #[test]
    fn known_values() {
        assert_eq!(Checksum::of(b"").to_string(), "cbf29ce484222325");
        assert_eq!(Checksum::of(b"a").to_string(), "af63dc4c8601ec8c");
        assert_eq!(Checksum::of(b"foobar").to_string(), "85944171f73967e8");
    }

    #[test]
    fn only_sixteen_digits_are_read() {
        let read = |text: &str| serde_json::from_value::<Checksum>(text.into());
        assert_eq!(read("85944171f73967e8").unwrap(), Checksum::of(b"foobar"));
        for text in [
            "",
            "85944171f73967e",
            "+5944171f73967e8",
            "085944171f73967e8",
            "85944171f73967eg",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
