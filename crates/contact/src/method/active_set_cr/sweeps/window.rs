//! A view of the velocities of consecutive blocks, which one part of the contacts may read and change.

use nalgebra::Vector3;

/// Velocities of the blocks from `first` on (m/s).
#[derive(Debug)]
pub(super) struct Window<'a> {
    first: u32,
    v: &'a mut [f64],
}

impl<'a> Window<'a> {
    /// View of all blocks.
    pub(super) fn all(v: &'a mut [f64]) -> Self {
        Self { first: 0, v }
    }

    /// Views of the blocks before `cut` and of the others.
    pub(super) fn split(&mut self, cut: u32) -> [Window<'_>; 2] {
        let (before, after) = self.v.split_at_mut(3 * (cut - self.first) as usize);
        [(self.first, before), (cut, after)].map(|(first, v)| Window { first, v })
    }

    #[inline]
    pub(super) fn at(&self, block: u32) -> Vector3<f64> {
        let v = &self.v[3 * (block - self.first) as usize..][..3];
        Vector3::new(v[0], v[1], v[2])
    }

    /// The three entries of `block`.
    #[inline]
    pub(super) fn of_block(&mut self, block: u32) -> &mut [f64] {
        &mut self.v[3 * (block - self.first) as usize..][..3]
    }
}
