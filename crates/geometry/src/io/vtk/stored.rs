//! Storage of the bytes of an array in XML files: base64, block headers, compression.
//!
//! Format: VTK File Formats, "XML file formats",
//! <https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html>.

use std::borrow::Cow;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;

use super::array::ByteOrder;

/// Compression of the data of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compressor {
    Zlib,
    Lz4,
}

/// Storage of the binary arrays of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Storage {
    pub(super) order: ByteOrder,
    /// Whether headers consist of `u64` instead of `u32`.
    pub(super) wide_headers: bool,
    pub(super) compressor: Option<Compressor>,
}

impl Storage {
    /// The bytes of the array whose header `stored` begins with.
    ///
    /// Uncompressed: `[length]`, then the bytes. Compressed: `[blocks, size, last size, packed sizes..]`, then the
    /// blocks; a last size of 0 stands for a whole block.
    pub(super) fn unpack(self, stored: &[u8]) -> Result<Cow<'_, [u8]>, String> {
        let mut rest = stored;
        if stored.iter().all(u8::is_ascii_whitespace) && stored.len() < self.header_width() {
            return Ok(Cow::Borrowed(&[]));
        }
        let Some(compressor) = self.compressor else {
            let length = self.header_number(&mut rest)?;
            return rest.get(..length).map(Cow::Borrowed).ok_or_else(|| {
                format!(
                    "its header announces {length} bytes, but {} follow",
                    rest.len()
                )
            });
        };
        let blocks = self.header_number(&mut rest)?;
        if blocks == 0 {
            return Ok(Cow::Borrowed(&[]));
        }
        let size = self.header_number(&mut rest)?;
        let last = self.header_number(&mut rest)?;
        let sizes = blocks
            .checked_mul(self.header_width())
            .and_then(|length| rest.split_at_checked(length));
        let Some((mut packed_sizes, mut rest)) = sizes else {
            return Err(format!(
                "its header announces {blocks} blocks, but the array ends before their sizes"
            ));
        };
        let mut bytes = Vec::new();
        for block in 0..blocks {
            let packed = self.header_number(&mut packed_sizes)?;
            let Some((chunk, after)) = rest.split_at_checked(packed) else {
                return Err(format!(
                    "block {block} takes {packed} bytes, but {} follow",
                    rest.len()
                ));
            };
            rest = after;
            let unpacked = if block + 1 == blocks && last > 0 {
                last
            } else {
                size
            };
            if !compressor.unpack(chunk, unpacked, &mut bytes) {
                return Err(format!(
                    "block {block} does not unpack to {unpacked} bytes: it is damaged"
                ));
            }
        }
        Ok(Cow::Owned(bytes))
    }

    fn header_width(self) -> usize {
        if self.wide_headers { 8 } else { 4 }
    }

    /// Reads a number of a header.
    fn header_number(self, rest: &mut &[u8]) -> Result<usize, String> {
        let short = || "it ends inside its header".to_owned();
        let (number, after) = rest
            .split_at_checked(self.header_width())
            .ok_or_else(short)?;
        *rest = after;
        let shifted = |value: u64, byte: &u8| (value << 8) | u64::from(*byte);
        let number = match self.order {
            ByteOrder::Little => number.iter().rev().fold(0, shifted),
            ByteOrder::Big => number.iter().fold(0, shifted),
        };
        usize::try_from(number).map_err(|_| format!("its header holds the number {number}"))
    }
}

/// Most bytes that one byte of an LZ4 block can stand for.
const LZ4_EXPANSION: usize = 255;

impl Compressor {
    /// Appends the bytes of a block and returns whether their number is the announced one.
    fn unpack(self, packed: &[u8], unpacked: usize, bytes: &mut Vec<u8>) -> bool {
        let start = bytes.len();
        match self {
            Self::Zlib => {
                // One more byte than wanted reveals a block that is too long; memory grows with the unpacked bytes.
                let mut decoder =
                    ZlibDecoder::new(packed).take((unpacked as u64).saturating_add(1));
                decoder.read_to_end(bytes).is_ok() && bytes.len() - start == unpacked
            }
            Self::Lz4 => {
                if unpacked > packed.len().saturating_mul(LZ4_EXPANSION) {
                    return false;
                }
                bytes.resize(start + unpacked, 0);
                lz4_flex::block::decompress_into(packed, &mut bytes[start..])
                    .is_ok_and(|length| length == unpacked)
            }
        }
    }
}

/// The bytes of base64 text. Header and data may be encoded one by one, so padding may stand in the middle.
pub(super) fn from_base64(text: &[u8]) -> Result<Vec<u8>, String> {
    let text: Cow<'_, [u8]> = match text.trim_ascii() {
        text if text.iter().any(u8::is_ascii_whitespace) => text
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect(),
        text => Cow::Borrowed(text),
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut rest: &[u8] = &text;
    while !rest.is_empty() {
        // A run ends with the four characters that contain padding.
        let end = match rest.iter().position(|&byte| byte == b'=') {
            Some(padding) => (padding / 4 * 4 + 4).min(rest.len()),
            None => rest.len(),
        };
        STANDARD
            .decode_vec(&rest[..end], &mut bytes)
            .map_err(|error| format!("it is not base64 text ({error})"))?;
        rest = &rest[end..];
    }
    Ok(bytes)
}
