//! The cubes of a solid: those with their centre inside, and those that make the boundary a manifold.
//!
//! Where cubes meet in an edge or a corner only, contact would act on the surface from both sides. The solid is thin
//! there, and removed cubes could cut it. So further cubes close the gap. Each lies between cubes of the solid, so that
//! the bounding box of the solid does not grow, and the loop ends.

use super::super::inside::Sign;
use super::super::lattice::Lattice;

/// The cubes of a lattice that belong to the solid.
pub(super) struct Cubes {
    counts: [usize; 3],
    full: Vec<bool>,
}

impl Cubes {
    /// The cubes of a solid with the signs of all lattice points.
    pub(super) fn inside(lattice: &Lattice, signs: &[Sign]) -> Self {
        let counts = lattice.cubes();
        let mut cubes = Self {
            counts,
            full: vec![false; counts.iter().product()],
        };
        for at in 0..cubes.full.len() {
            let center = cubes.place(at).map(|index| 2 * index + 1);
            cubes.full[at] = signs[lattice.number(center) as usize] == Sign::Inside;
        }
        cubes.close();
        cubes
    }

    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.counts[1] + j) * self.counts[2] + k
    }

    fn place(&self, number: usize) -> [usize; 3] {
        let [_, y, z] = self.counts;
        [number / (y * z), number / z % y, number % z]
    }

    /// Adds cubes until the boundary is a manifold.
    ///
    /// All cubes of the rim are empty, so that every inner corner of the lattice has eight cubes. The boundary is a
    /// manifold where the full ones of the eight are connected through faces, and the empty ones too.
    fn close(&mut self) {
        let inner: Vec<[usize; 3]> = (0..self.full.len())
            .map(|at| self.place(at))
            .filter(|place| place.iter().all(|&index| index > 0))
            .collect();
        loop {
            let mut is_closed = true;
            for &corner in &inner {
                let around = around(corner).map(|cube| self.number(cube));
                while let Some(missing) = missing(around.map(|cube| self.full[cube])) {
                    self.full[around[missing]] = true;
                    is_closed = false;
                }
            }
            if is_closed {
                return;
            }
        }
    }

    /// The hexahedra, and the lattice point of each of their nodes.
    pub(super) fn hexahedra(&self, lattice: &Lattice) -> (Vec<[u32; 8]>, Vec<u32>) {
        const CORNERS: [[usize; 3]; 8] = [
            [0, 0, 0],
            [1, 0, 0],
            [1, 1, 0],
            [0, 1, 0],
            [0, 0, 1],
            [1, 0, 1],
            [1, 1, 1],
            [0, 1, 1],
        ];
        let full = (0..self.full.len()).filter(|&cube| self.full[cube]);
        let mut hexahedra: Vec<[u32; 8]> = full
            .map(|cube| {
                let place = self.place(cube);
                CORNERS.map(|corner| {
                    lattice.number(std::array::from_fn(|axis| 2 * (place[axis] + corner[axis])))
                })
            })
            .collect();
        let mut points: Vec<u32> = hexahedra.as_flattened().to_vec();
        points.sort_unstable();
        points.dedup();
        for corner in hexahedra.as_flattened_mut() {
            // Every corner is among the points.
            *corner = points.binary_search(corner).unwrap_or_default() as u32;
        }
        (hexahedra, points)
    }
}

/// The eight cubes around a corner of the lattice; bit `axis` of the index is set for the upper ones along the axis.
fn around(corner: [usize; 3]) -> [[usize; 3]; 8] {
    std::array::from_fn(|index| {
        std::array::from_fn(|axis| corner[axis] - 1 + ((index >> axis) & 1))
    })
}

/// The cube of the eight around a corner to be added first; none if the boundary is a manifold there.
fn missing(full: [bool; 8]) -> Option<usize> {
    if is_connected(full, true) && is_connected(full, false) {
        return None;
    }
    // The empty cube with the most full neighbours, so that few are added.
    (0..8).filter(|&cube| !full[cube]).max_by_key(|&cube| {
        let neighbours = (0..3).filter(|axis| full[cube ^ (1 << axis)]);
        (neighbours.count(), std::cmp::Reverse(cube))
    })
}

/// Whether the cubes of one kind of the eight around a corner are connected through faces.
fn is_connected(full: [bool; 8], kind: bool) -> bool {
    let of_kind = |cube: usize| full[cube] == kind;
    let Some(first) = (0..8).find(|&cube| of_kind(cube)) else {
        return true;
    };
    let mut reached = [false; 8];
    reached[first] = true;
    // A path visits at most eight cubes.
    for _ in 0..8 {
        for cube in 0..8 {
            let next_to = (0..3).any(|axis| reached[cube ^ (1 << axis)]);
            reached[cube] |= of_kind(cube) && next_to;
        }
    }
    (0..8).all(|cube| reached[cube] == of_kind(cube))
}
