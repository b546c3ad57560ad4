//! Pictures as PNG, films as animated PNG.

use std::io;

use png::{BitDepth, ColorType, Encoder};

use super::Shape;

/// A picture as PNG; `pixels` as those of [`Artist::picture`](super::Artist::picture).
///
/// # Errors
/// If the number of pixels is not that of `shape`, or the shape is empty.
pub fn png(shape: &Shape, pixels: &[u8]) -> io::Result<Vec<u8>> {
    encode(shape, 1, 1, |_| pixels.to_vec())
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
    picture: impl FnMut(usize) -> Vec<u8>,
) -> io::Result<Vec<u8>> {
    encode(shape, count, pace, picture)
}

fn encode(
    shape: &Shape,
    count: usize,
    pace: u16,
    mut picture: impl FnMut(usize) -> Vec<u8>,
) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, shape.width as u32, shape.height as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    if count > 1 {
        encoder.set_animated(count as u32, 0)?;
        encoder.set_frame_delay(1, pace)?;
    }
    let mut writer = encoder.write_header()?;
    for index in 0..count {
        writer.write_image_data(&picture(index))?;
    }
    writer.finish()?;
    Ok(bytes)
}
