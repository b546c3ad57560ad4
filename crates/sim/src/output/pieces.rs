//! `pieces_NNNNN.bin`: the straight pieces of the motion between two frames.
//!
//! All numbers are little endian. Of `n` paths with `c` corners in total the file has, without gaps,
//!
//! | bytes  | type  | meaning                                                     |
//! |--------|-------|-------------------------------------------------------------|
//! | 8      | ASCII | `IMPIECES`                                                  |
//! | 4      | `u32` | number of this format, 1                                    |
//! | 4      | `u32` | `n`                                                         |
//! | 8      | `u64` | `c`                                                         |
//! | 4 `n`  | `u32` | points, ascending                                           |
//! | 4 `n`  | `u32` | number of corners of each path, at least 2                  |
//! | 8 `c`  | `f64` | times of the corners (s), path by path, ascending in each   |
//! | 24 `c` | `f64` | their positions `x, y, z` (m)                               |

use super::{OutputError, read_regular};
use crate::stepper::asynchronous::Pieces;
use nalgebra::Vector3;
use std::path::Path;

const MAGIC: &[u8; 8] = b"IMPIECES";

const VERSION: u32 = 1;

/// Bytes before the arrays.
const HEADER: usize = 24;

/// Bytes per path without its corners, and bytes per corner.
const PER_PATH: u128 = 8;
const PER_CORNER: u128 = 32;

/// The contents of the file.
pub(super) fn encode(pieces: &Pieces) -> Vec<u8> {
    let points = pieces.points();
    let paths = || (0..points.len()).map(|path| pieces.path(path));
    let mut bytes = Vec::with_capacity(HEADER + points.len() * 8 + pieces.corners() * 32);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((points.len() as u32).to_le_bytes());
    bytes.extend((pieces.corners() as u64).to_le_bytes());
    bytes.extend(points.iter().flat_map(|point| point.to_le_bytes()));
    bytes.extend(paths().flat_map(|(times, _)| (times.len() as u32).to_le_bytes()));
    for (times, _) in paths() {
        bytes.extend(times.iter().flat_map(|time| time.to_le_bytes()));
    }
    for (_, positions) in paths() {
        let numbers = positions.iter().flat_map(|x| [x.x, x.y, x.z]);
        bytes.extend(numbers.flat_map(f64::to_le_bytes));
    }
    bytes
}

/// Reads the pieces in the file at `path`.
///
/// # Errors
/// [`OutputError::Read`] if it cannot be read, [`OutputError::Format`] naming the problem if it is invalid.
pub fn read_pieces(path: impl AsRef<Path>) -> Result<Pieces, OutputError> {
    let path = path.as_ref();
    let bytes = read_regular(path).map_err(|source| OutputError::read(path, source))?;
    decode(&bytes, path)
}

/// Reads the pieces in `bytes`, the contents of the file at `path`. Allocations are proportional to `bytes`.
///
/// # Errors
/// [`OutputError::Format`] naming the problem.
pub(super) fn decode(bytes: &[u8], path: &Path) -> Result<Pieces, OutputError> {
    parse(bytes).map_err(|problem| OutputError::format(path, problem))
}

fn parse(bytes: &[u8]) -> Result<Pieces, String> {
    let header = bytes
        .split_at_checked(HEADER)
        .filter(|(header, _)| header.starts_with(MAGIC));
    let Some((header, arrays)) = header else {
        return Err("it does not begin as a file of pieces".to_owned());
    };
    let (version, paths) = (whole(&header[8..12]), whole(&header[12..16]));
    if version != VERSION {
        return Err(format!(
            "its format is {version}, and this program reads format {VERSION}"
        ));
    }
    let corners = header[16..]
        .iter()
        .rev()
        .fold(0, |number: u64, &byte| number << 8 | u64::from(byte));
    let expected = u128::from(paths) * PER_PATH + u128::from(corners) * PER_CORNER;
    if arrays.len() as u128 != expected {
        return Err(format!(
            "it has {} bytes of arrays where {paths} paths with {corners} corners have {expected}",
            arrays.len()
        ));
    }
    // All arrays fit into the remaining bytes.
    let (points, arrays) = arrays.split_at(4 * paths as usize);
    let (counts, arrays) = arrays.split_at(4 * paths as usize);
    let (times, positions) = arrays.split_at(arrays.len() / 4);
    let mut times = times.chunks_exact(8).map(real);
    let mut positions = positions
        .chunks_exact(24)
        .map(|x| Vector3::new(real(&x[..8]), real(&x[8..16]), real(&x[16..])));
    let counts = counts.chunks_exact(4).map(whole);
    let sum: u64 = counts.clone().map(u64::from).sum();
    if sum != corners {
        return Err(format!(
            "its paths have {sum} corners, and {corners} are announced"
        ));
    }
    let mut pieces = Pieces::default();
    let mut before = None;
    for (point, count) in points.chunks_exact(4).map(whole).zip(counts) {
        if before.is_some_and(|before| before >= point) {
            return Err(format!("its points do not ascend at point {point}"));
        }
        before = Some(point);
        if count < 2 {
            return Err(format!("the path of point {point} has {count} corners"));
        }
        let (mut last, mut is_sound) = (f64::NEG_INFINITY, true);
        let corners = times.by_ref().zip(positions.by_ref()).take(count as usize);
        let corners = corners.inspect(|(time, position)| {
            is_sound &= *time > last && time.is_finite() && position.iter().all(|x| x.is_finite());
            last = *time;
        });
        pieces.push(point, corners);
        if !is_sound {
            return Err(format!(
                "the path of point {point} has times that do not ascend, or numbers that are not finite"
            ));
        }
    }
    Ok(pieces)
}

/// The number in up to four bytes.
fn whole(bytes: &[u8]) -> u32 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// The double in eight bytes.
fn real(bytes: &[u8]) -> f64 {
    let bytes = bytes.iter().rev();
    f64::from_bits(bytes.fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Pieces {
        let mut pieces = Pieces::default();
        let at = |x: f64| Vector3::new(x, -x, 0.1 * x);
        pieces.push(3, [(0.0, at(1.0)), (0.25, at(1.5)), (1.0, at(-2.0))]);
        pieces.push(7, [(0.0, at(0.0)), (1.0, at(1e-300))]);
        pieces
    }

    #[test]
    fn pieces_are_read_back_bit_for_bit() {
        let read = parse(&encode(&some())).expect("a whole file");
        assert_eq!(read, some());
        assert_eq!((read.corners(), read.count()), (5, 3));
    }

    /// Files with any cut, any changed byte or any huge count are rejected or give other pieces, without a panic.
    #[test]
    fn damaged_files_are_errors() {
        let bytes = encode(&some());
        for length in 0..bytes.len() {
            assert!(parse(&bytes[..length]).is_err(), "{length} bytes");
        }
        for place in 0..bytes.len() {
            for other in [0, 1, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[place] = other;
                if place < HEADER && other != bytes[place] {
                    assert!(parse(&damaged).is_err(), "byte {place}");
                }
                if let Ok(read) = parse(&damaged) {
                    assert_eq!(read.corners(), 5);
                }
            }
        }
    }
}
