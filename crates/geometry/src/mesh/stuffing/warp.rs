//! Moves lattice points onto the surface where it is close.

use nalgebra::Vector3;

use super::cuts::{self, Cut};
use super::inside::Sign;
use super::lattice::Lattice;

/// `α` of long and short edges, relative to their length: a crossing closer than that to a lattice point moves the
/// point onto the surface. This pair gives the largest minimum dihedral angle in the paper.
const ALPHA_LONG: f64 = 0.24999;
/// See [`ALPHA_LONG`].
const ALPHA_SHORT: f64 = 0.41189;

/// Lattice points that were moved, ascending, with their new positions.
pub(super) type Warped = Vec<(u32, Vector3<f64>)>;

/// Moves every point that a crossing violates onto the nearest such crossing and marks it [`Sign::On`].
///
/// Points are taken in ascending order; the crossings on the edges of a moved point vanish. Returns the moved points,
/// and leaves in `cuts` the crossings that remain, all of them at least `α` away from both ends.
pub(super) fn warp(lattice: &Lattice, signs: &mut [Sign], cuts: &mut Vec<Cut>) -> Warped {
    let mut ends: Vec<(u32, u32)> = Vec::with_capacity(2 * cuts.len());
    for (index, cut) in (0u32..).zip(cuts.iter()) {
        ends.push((cut.inner, index));
        ends.push((cut.outer, index));
    }
    ends.sort_unstable();

    let mut warped = Warped::new();
    for run in ends.chunk_by(|a, b| a.0 == b.0) {
        let point = run[0].0;
        let nearest = run
            .iter()
            .map(|&(_, index)| &cuts[index as usize])
            .filter(|cut| is_open(signs, cut))
            .filter_map(|cut| {
                let (alpha, length) = if cut.long {
                    (ALPHA_LONG, 1.0)
                } else {
                    (ALPHA_SHORT, 0.75_f64.sqrt())
                };
                let part = if cut.inner == point {
                    cut.t
                } else {
                    1.0 - cut.t
                };
                (part < alpha).then_some((part * length, cut))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, cut)) = nearest {
            warped.push((point, cuts::position(lattice, cut)));
            signs[point as usize] = Sign::On;
        }
    }
    cuts.retain(|cut| is_open(signs, cut));
    warped
}

/// Whether neither end of a crossed edge was moved.
fn is_open(signs: &[Sign], cut: &Cut) -> bool {
    signs[cut.inner as usize] == Sign::Inside && signs[cut.outer as usize] == Sign::Outside
}
