//! Pictures as PNG, films as animated PNG: <https://www.w3.org/TR/png-3/>.

use std::io::{self, Write as _};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use super::Shape;

/// The first bytes of every file.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Bits of a channel, code for colours of three channels, standard compression and filters, not interlaced.
const FORM: [u8; 5] = [8, 2, 0, 0, 0];

/// The filter of a row that stores differences from the row above.
const UP: u8 = 2;

/// A picture as PNG; `pixels` as those of [`Artist::picture`](super::Artist::picture).
///
/// # Errors
/// If the number of pixels is not that of `shape`.
pub fn png(shape: &Shape, pixels: &[u8]) -> io::Result<Vec<u8>> {
    let mut file = begin(shape);
    chunk(&mut file, *b"IDAT", &compressed(shape, pixels)?);
    chunk(&mut file, *b"IEND", &[]);
    Ok(file)
}

/// A film as animated PNG: `count` frames, `pace` frames a second, repeated for ever. Viewers without animations show
/// the first frame.
///
/// # Errors
/// As for [`png`].
pub fn apng(
    shape: &Shape,
    count: usize,
    pace: u16,
    mut picture: impl FnMut(usize) -> Vec<u8>,
) -> io::Result<Vec<u8>> {
    let mut file = begin(shape);
    let repetitions = 0_u32;
    let control = [count as u32, repetitions].map(u32::to_be_bytes).concat();
    chunk(&mut file, *b"acTL", &control);
    // Controls and data of frames share one sequence of numbers.
    let mut sequence = 0_u32..;
    let mut next = || sequence.next().unwrap_or_default().to_be_bytes();
    for index in 0..count {
        let [width, height] = sides(shape);
        let mut control = [next(), width, height, [0; 4], [0; 4]].concat();
        control.extend([1_u16, pace].map(u16::to_be_bytes).concat());
        // Nothing is disposed of, and the frame replaces the last one.
        control.extend([0, 0]);
        chunk(&mut file, *b"fcTL", &control);
        let data = compressed(shape, &picture(index))?;
        if index == 0 {
            chunk(&mut file, *b"IDAT", &data);
        } else {
            chunk(&mut file, *b"fdAT", &[&next()[..], &data].concat());
        }
    }
    chunk(&mut file, *b"IEND", &[]);
    Ok(file)
}

/// The signature and the header of a picture.
fn begin(shape: &Shape) -> Vec<u8> {
    let mut file = SIGNATURE.to_vec();
    let header = [&sides(shape).concat()[..], &FORM].concat();
    chunk(&mut file, *b"IHDR", &header);
    file
}

fn sides(shape: &Shape) -> [[u8; 4]; 2] {
    [shape.width, shape.height].map(|side| (side as u32).to_be_bytes())
}

/// Length, name, contents and checksum.
fn chunk(file: &mut Vec<u8>, name: [u8; 4], contents: &[u8]) {
    let mut checksum = Crc::new();
    checksum.update(&name);
    checksum.update(contents);
    file.extend((contents.len() as u32).to_be_bytes());
    file.extend(name);
    file.extend(contents);
    file.extend(checksum.sum().to_be_bytes());
}

/// The filtered rows, compressed.
fn compressed(shape: &Shape, pixels: &[u8]) -> io::Result<Vec<u8>> {
    let length = 3 * shape.width;
    if pixels.len() != length * shape.height || pixels.is_empty() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let mut above = vec![0; length];
    let mut filtered = vec![UP; 1 + length];
    for row in pixels.chunks_exact(length) {
        for ((to, &here), &up) in filtered[1..].iter_mut().zip(row).zip(&above) {
            *to = here.wrapping_sub(up);
        }
        encoder.write_all(&filtered)?;
        above.copy_from_slice(row);
    }
    encoder.finish()
}
