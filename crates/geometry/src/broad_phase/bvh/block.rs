//! Four boxes side by side, and what they are compared with.

use wide::f32x4;

use super::bounds::Bounds;

/// Boxes that are compared at once.
pub(super) const LANES: usize = 4;

/// Four boxes, coordinate by coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    lower: [f32x4; 3],
    upper: [f32x4; 3],
}

/// A box in every lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    lower: [f32x4; 3],
    upper: [f32x4; 3],
}

impl Block {
    pub(super) const EMPTY: Self = Self {
        lower: [f32x4::new([f32::INFINITY; LANES]); 3],
        upper: [f32x4::new([f32::NEG_INFINITY; LANES]); 3],
    };

    #[inline]
    pub(super) fn new(boxes: [Bounds; LANES]) -> Self {
        let [lx, ly, lz, _] = f32x4::transpose(boxes.map(|b| b.lower));
        let [ux, uy, uz, _] = f32x4::transpose(boxes.map(|b| b.upper));
        Self {
            lower: [lx, ly, lz],
            upper: [ux, uy, uz],
        }
    }

    /// One bit for each box that shares a point with the probe; empty ones never do.
    #[inline]
    pub(super) fn meets(&self, probe: &Probe) -> u32 {
        let below = self.lower[0].simd_le(probe.upper[0])
            & self.lower[1].simd_le(probe.upper[1])
            & self.lower[2].simd_le(probe.upper[2]);
        let above = self.upper[0].simd_ge(probe.lower[0])
            & self.upper[1].simd_ge(probe.lower[1])
            & self.upper[2].simd_ge(probe.lower[2]);
        (below & above).to_bitmask()
    }

    /// The box of one lane.
    #[inline]
    pub(super) fn probe(&self, lane: usize) -> Probe {
        let of = |c: &f32x4| f32x4::splat(c.as_array()[lane]);
        Probe {
            lower: self.lower.each_ref().map(of),
            upper: self.upper.each_ref().map(of),
        }
    }

    /// Whether one of the boxes overlaps the probe even if each face of the latter is moved inwards by `margin`.
    #[inline]
    pub(super) fn deeply_meets(&self, lane: usize, probe: &Probe, margin: f32) -> bool {
        let one = |c: &f32x4| c.as_array()[lane];
        let all = |c: usize| {
            (one(&self.lower[c]) <= one(&probe.upper[c]) - margin)
                & (one(&self.upper[c]) >= one(&probe.lower[c]) + margin)
        };
        all(0) & all(1) & all(2)
    }

    /// The box around all four.
    pub(super) fn whole(&self) -> Bounds {
        let least = |c: &f32x4| c.to_array().into_iter().fold(f32::INFINITY, f32::min);
        let most = |c: &f32x4| c.to_array().into_iter().fold(f32::NEG_INFINITY, f32::max);
        let [lx, ly, lz] = self.lower.each_ref().map(least);
        let [ux, uy, uz] = self.upper.each_ref().map(most);
        Bounds {
            lower: f32x4::new([lx, ly, lz, 0.0]),
            upper: f32x4::new([ux, uy, uz, 0.0]),
        }
    }

    /// Sum of half the surface areas; empty boxes have none.
    #[inline]
    pub(super) fn half_areas(&self) -> f64 {
        let extent = |c: usize| (self.upper[c] - self.lower[c]).fast_max(f32x4::ZERO);
        let (x, y, z) = (extent(0), extent(1), extent(2));
        f64::from((x * (y + z) + y * z).reduce_add())
    }
}
