//! Exact classification of lattice points as inside or outside.
//!
//! The signed crossings of a vertical ray from below to a lattice point add up to the winding number of the surface
//! about the point. All decisions are signs of determinants that are exact for the coordinates as given
//! ([`vertical_ray`](crate::exact)), with ties broken the same way for all triangles.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::StuffingError;
use super::lattice::Lattice;
use crate::exact::vertical_ray::{is_above, meets, upright_area};
use crate::mesh::TriangleMesh;

/// Position of a lattice point relative to the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// Inside the surface.
    Inside,
    /// Moved onto the surface.
    On,
    /// Outside the surface.
    Outside,
}

/// The sign of every lattice point: inside or outside, not yet [`Sign::On`].
pub(super) fn signs(surface: &TriangleMesh, lattice: &Lattice) -> Result<Vec<Sign>, StuffingError> {
    // First the change of the winding number at each point of a column, then its running sum.
    let mut winding = vec![0i16; lattice.len()];
    for triangle in 0..surface.triangles().len() {
        for parity in [0, 1] {
            for_each_crossing(surface.corners(triangle), lattice, parity, |point, turn| {
                // Wrapping: intermediate overflow cancels in the final sums.
                let entry = &mut winding[point as usize];
                *entry = entry.wrapping_add(turn);
            });
        }
    }
    for column in columns(lattice, &mut winding) {
        let mut sum = 0i16;
        for entry in column {
            sum = sum.wrapping_add(*entry);
            *entry = sum;
        }
    }
    let bad = winding
        .par_iter()
        .position_first(|winding| !(0..=1).contains(winding));
    match bad {
        None => Ok(winding
            .into_par_iter()
            .map(|winding| match winding {
                0 => Sign::Outside,
                _ => Sign::Inside,
            })
            .collect()),
        Some(point) => Err(StuffingError::Nested {
            triangle: last_crossing_below(surface, lattice, point as u32),
            winding: winding[point],
        }),
    }
}

/// The points of each column, upwards.
fn columns<'a>(lattice: &Lattice, values: &'a mut [i16]) -> impl Iterator<Item = &'a mut [i16]> {
    let [x, y, z] = lattice.cubes();
    let (corners, centers) = values.split_at_mut((x + 1) * (y + 1) * (z + 1));
    corners.chunks_mut(z + 1).chain(centers.chunks_mut(z))
}

/// Calls `found` for each column that crosses the triangle, with the lowest point above it and the change of the
/// winding number there.
fn for_each_crossing(
    corners: [Vector3<f64>; 3],
    lattice: &Lattice,
    parity: usize,
    mut found: impl FnMut(u32, i16),
) {
    let [a, b, c] = corners;
    let upright = upright_area(&corners);
    if upright == 0.0 {
        // A vertical triangle: the rays, moved infinitesimally, miss it.
        return;
    }
    let (lower, upper) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
    let heights = doubled_range(lattice, 2, parity, lower.z, upper.z);
    for i in steps(doubled_range(lattice, 0, parity, lower.x, upper.x)) {
        let x = lattice.coordinate(0, i);
        for j in steps(doubled_range(lattice, 1, parity, lower.y, upper.y)) {
            let y = lattice.coordinate(1, j);
            if !meets(&corners, upright, x, y) {
                continue;
            }
            // The first point above, by bisection: "above" is monotone along the column.
            let (mut low, mut high) = (heights.0, heights.1 + 2);
            while low < high {
                let middle = low + (high - low) / 4 * 2;
                let point = Vector3::new(x, y, lattice.coordinate(2, middle));
                if is_above(&corners, upright, &point) {
                    high = middle;
                } else {
                    low = middle + 2;
                }
            }
            let k = low;
            found(
                lattice.number([i, j, k]),
                if upright > 0.0 { -1 } else { 1 },
            );
        }
    }
}

/// The first and last doubled coordinates of one parity that enclose `lower` and `upper`, as far as the lattice
/// reaches.
#[expect(clippy::cast_sign_loss, reason = "clamped to be not negative")]
fn doubled_range(
    lattice: &Lattice,
    axis: usize,
    parity: usize,
    lower: f64,
    upper: f64,
) -> (usize, usize) {
    let most = 2 * lattice.cubes()[axis] - parity;
    let clamped = |doubled: f64| doubled.clamp(0.0, most as f64) as usize;
    // One more step for rounding, and one place for parity.
    let from = clamped((lattice.doubled(axis, lower) - 3.0).floor());
    let to = clamped((lattice.doubled(axis, upper) + 3.0).ceil());
    (from + (from + parity) % 2, to - (to + parity) % 2)
}

/// The doubled coordinates of a range.
fn steps((from, to): (usize, usize)) -> impl Iterator<Item = usize> {
    (from..=to).step_by(2)
}

/// The triangle nearest below `point` that changes the winding number.
fn last_crossing_below(surface: &TriangleMesh, lattice: &Lattice, point: u32) -> u32 {
    let place = lattice.place(point);
    let mut nearest = (0, 0);
    for triangle in 0..surface.triangles().len() {
        for_each_crossing(
            surface.corners(triangle),
            lattice,
            place[0] % 2,
            |hit, _| {
                let [i, j, k] = lattice.place(hit);
                if [i, j] == place[..2] && k <= place[2] && k >= nearest.0 {
                    nearest = (k, triangle as u32);
                }
            },
        );
    }
    nearest.1
}
