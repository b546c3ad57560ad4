//! Vectors of three entries per block.

use nalgebra::Vector3;

/// The entries of a block.
#[inline]
pub(crate) fn at(x: &[f64], block: u32) -> Vector3<f64> {
    let x = &x[3 * block as usize..][..3];
    Vector3::new(x[0], x[1], x[2])
}

/// Adds to the entries of a block.
#[inline]
pub(crate) fn add(y: &mut [f64], block: u32, change: &Vector3<f64>) {
    let y = &mut y[3 * block as usize..][..3];
    y[0] += change[0];
    y[1] += change[1];
    y[2] += change[2];
}

/// The entries of some blocks, one after the other.
pub(crate) fn of_blocks(x: &[f64], blocks: &[u32]) -> Vec<f64> {
    let own = |&block: &u32| &x[3 * block as usize..][..3];
    blocks.iter().flat_map(own).copied().collect()
}
