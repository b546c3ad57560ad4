//! Compliances at rest on disk.
//!
//! A file holds a line of text with the name of the format, the checksum of the input, the number of surface nodes,
//! `(A⁰)⁻¹` between all pairs of them (72 bytes a pair), and a checksum of all these. Numbers are little-endian.

use crate::disk::{Checksum, OutputError, atomic};
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::Matrix3;
use std::fs;
use std::path::{Path, PathBuf};

/// First line of every file.
const FORMAT: &[u8] = b"impinge compliance at rest 1\n";

/// Bytes of a number.
const NUMBER: usize = 8;

/// Result of reading a file.
pub(super) enum Stored {
    /// The requested compliance.
    Found(Vec<Matrix3<f64>>),
    /// No file.
    Missing,
    /// A compliance of another mesh, material, damping, step or set of prescribed nodes.
    Foreign,
    /// Another format, or an incomplete file.
    Damaged,
}

/// Path of the file for a body and step length in `folder`.
pub(super) fn path(folder: &Path, body: &str, time_step: f64) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = body.chars().map(plain).collect();
    folder.join(format!("{name}-{time_step:e}.rest"))
}

/// Checksum of the input of a compliance: the surface nodes, and the matrix at rest, which depends on mesh, material,
/// damping, step length and prescribed nodes.
pub(super) fn key(momentum: &SymmetricBlockMatrix, surface: &[u32]) -> Checksum {
    let mut bytes = Vec::new();
    let pattern = momentum.pattern();
    for &offset in pattern.row_offsets() {
        bytes.extend_from_slice(&(offset as u64).to_le_bytes());
    }
    for number in pattern.columns().iter().chain(surface) {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    for entry in momentum.values().iter().flat_map(|block| block.iter()) {
        bytes.extend_from_slice(&entry.to_le_bytes());
    }
    Checksum::of(&bytes)
}

/// Reads the compliance stored for `key` and a surface of `nodes` nodes.
pub(super) fn read(path: &Path, key: Checksum, nodes: usize) -> Stored {
    let Ok(bytes) = fs::read(path) else {
        return if path.exists() {
            Stored::Damaged
        } else {
            Stored::Missing
        };
    };
    let Some((body, sum)) = bytes.split_last_chunk::<NUMBER>() else {
        return Stored::Damaged;
    };
    if Checksum::of(body).to_le_bytes() != *sum {
        return Stored::Damaged;
    }
    let Some((known, rest)) = body
        .strip_prefix(FORMAT)
        .and_then(|rest| rest.split_first_chunk::<NUMBER>())
    else {
        return Stored::Damaged;
    };
    let Some((count, numbers)) = rest.split_first_chunk::<NUMBER>() else {
        return Stored::Damaged;
    };
    if key.to_le_bytes() != *known || u64::from_le_bytes(*count) != nodes as u64 {
        return Stored::Foreign;
    }
    let (numbers, left) = numbers.as_chunks::<NUMBER>();
    if !left.is_empty() || numbers.len() != 9 * nodes * nodes {
        return Stored::Damaged;
    }
    let blocks = numbers.as_chunks::<9>().0.iter();
    Stored::Found(
        blocks
            .map(|block| Matrix3::from_iterator(block.iter().map(|n| f64::from_le_bytes(*n))))
            .collect(),
    )
}

/// Stores `compliance`, and creates the folder if necessary.
pub(super) fn write(
    path: &Path,
    key: Checksum,
    nodes: usize,
    compliance: &[Matrix3<f64>],
) -> Result<(), OutputError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|source| OutputError::write(folder, source))?;
    }
    let mut bytes = Vec::with_capacity(FORMAT.len() + NUMBER * (3 + 9 * compliance.len()));
    bytes.extend_from_slice(FORMAT);
    bytes.extend_from_slice(&key.to_le_bytes());
    bytes.extend_from_slice(&(nodes as u64).to_le_bytes());
    for entry in compliance.iter().flat_map(|block| block.iter()) {
        bytes.extend_from_slice(&entry.to_le_bytes());
    }
    let sum = Checksum::of(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    atomic::write(path, &bytes)
}
