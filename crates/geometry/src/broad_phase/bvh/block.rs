//! Eight boxes side by side.

use wide::f32x4;

use super::bounds::Bounds;
use super::lanes::{LANES, Lanes, Probe};

/// Eight boxes, coordinate by coordinate.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Block {
    pub(super) lower: [[f32; LANES]; 3],
    pub(super) upper: [[f32; LANES]; 3],
}

impl Block {
    pub(super) const EMPTY: Self = Self {
        lower: [[f32::INFINITY; LANES]; 3],
        upper: [[f32::NEG_INFINITY; LANES]; 3],
    };

    #[inline(always)]
    pub(super) fn new(lanes: impl Lanes, boxes: &[Bounds; LANES]) -> Self {
        let [a, b, c, d, e, f, g, h] = boxes;
        let [a, b, c, d] = [a.outwards, b.outwards, c.outwards, d.outwards];
        let [e, f, g, h] = [e.outwards, f.outwards, g.outwards, h.outwards];
        let [a, b, c, _, _, d, e, f] = lanes.columns(&[a, b, c, d, e, f, g, h]);
        // A loop: calls that are not inlined would go through memory.
        let mut lower = [a, b, c];
        for c in &mut lower {
            for x in c {
                *x = -*x;
            }
        }
        Self {
            lower,
            upper: [d, e, f],
        }
    }

    /// One bit for each box that shares a point with the probe; an empty box never does.
    #[inline(always)]
    pub(super) fn meets(&self, lanes: impl Lanes, probe: &Probe) -> u32 {
        lanes.meets(self.lower.each_ref(), self.upper.each_ref(), probe)
    }

    /// The box of one lane.
    #[inline(always)]
    pub(super) fn probe(&self, lane: usize) -> Probe {
        Probe {
            lower: self.lower.each_ref().map(|c| c[lane]),
            upper: self.upper.each_ref().map(|c| c[lane]),
        }
    }

    /// The box around all eight.
    pub(super) fn whole(&self) -> Bounds {
        let least = |c: &[f32; LANES]| c.iter().copied().fold(f32::INFINITY, f32::min);
        let most = |c: &[f32; LANES]| c.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let [lx, ly, lz] = self.lower.each_ref().map(least);
        let [ux, uy, uz] = self.upper.each_ref().map(most);
        Bounds {
            outwards: [-lx, -ly, -lz, -ux, lz, ux, uy, uz],
        }
    }

    /// Sum of half the surface areas; empty boxes have none.
    #[inline(always)]
    pub(super) fn half_areas(&self) -> f64 {
        let extent = |c: usize| {
            let [lower, upper] = [&self.lower[c], &self.upper[c]];
            let four = |from: usize| {
                let of = |side: &[f32; LANES]| {
                    f32x4::new([side[from], side[from + 1], side[from + 2], side[from + 3]])
                };
                (of(upper) - of(lower)).fast_max(f32x4::ZERO)
            };
            [four(0), four(LANES / 2)]
        };
        let (x, y, z) = (extent(0), extent(1), extent(2));
        let half = |k: usize| x[k] * (y[k] + z[k]) + y[k] * z[k];
        f64::from((half(0) + half(1)).reduce_add())
    }
}
