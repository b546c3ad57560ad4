//! Cutting cubes and simplices along the Kuhn lattice.
//!
//! The Kuhn triangulation cuts each unit cube into six tetrahedra around the diagonal from its lowest to its highest
//! corner. Translated cubes match face to face, and the simplex `k ≥ x₁ ≥ x₂ ≥ x₃ ≥ 0` is a union of such tetrahedra,
//! which gives the edgewise subdivision of any tetrahedron into `k³` pieces.
//!
//! Source: H. W. Kuhn, Some combinatorial lemmas in topology, IBM J. Res. Dev. 4 (1960); edgewise subdivision after
//! Edelsbrunner and Grayson 2000, <https://doi.org/10.1007/s4540010063>.

use std::collections::BTreeMap;

use nalgebra::Vector3;

/// The six ways to walk from the lowest to the highest corner of a cube, and whether the walk's tetrahedron is
/// positive in a right-handed frame.
const WALKS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], true),
    ([1, 2, 0], true),
    ([2, 0, 1], true),
    ([0, 2, 1], false),
    ([2, 1, 0], false),
    ([1, 0, 2], false),
];

/// The six positive tetrahedra of the unit cube at `cell`, as lattice points.
pub(super) fn kuhn_cell(cell: [usize; 3]) -> [[[usize; 3]; 4]; 6] {
    WALKS.map(|(axes, positive)| {
        let mut corners = [cell; 4];
        for step in 0..3 {
            corners[step + 1] = corners[step];
            corners[step + 1][axes[step]] += 1;
        }
        if !positive {
            corners.swap(1, 2);
        }
        corners
    })
}

/// The tetrahedra of a box of `cells` cubes whose lattice points are numbered by `node_at`.
pub(super) fn box_tets(cells: [usize; 3], node_at: impl Fn([usize; 3]) -> u32) -> Vec<[u32; 4]> {
    let mut tets = Vec::with_capacity(6 * cells.iter().product::<usize>());
    for k in 0..cells[2] {
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                tets.extend(kuhn_cell([i, j, k]).map(|corners| corners.map(&node_at)));
            }
        }
    }
    tets
}

/// Edgewise subdivision of a coarse simplicial complex; coarse simplices share the points on their common faces.
pub(super) struct Subdivision<'a> {
    /// Positions of the coarse vertices.
    coarse: &'a [Vector3<f64>],
    pieces: usize,
    /// Key of a fine point: its coarse vertices, ascending, with positive integer weights of sum `pieces`.
    index: BTreeMap<Vec<(u32, usize)>, u32>,
    /// Position of each fine point: the weighted mean of its coarse vertices.
    pub(super) points: Vec<Vector3<f64>>,
}

impl<'a> Subdivision<'a> {
    pub(super) fn new(coarse: &'a [Vector3<f64>], pieces: usize) -> Self {
        Self {
            coarse,
            pieces,
            index: BTreeMap::new(),
            points: Vec::new(),
        }
    }

    /// Cuts the coarse tetrahedron into `pieces³` tetrahedra, all positive if the coarse vertices in ascending order
    /// are, all negative otherwise.
    pub(super) fn tets(&mut self, mut simplex: [u32; 4]) -> Vec<[u32; 4]> {
        // Ascending order makes the cuts of neighbours agree on their common face.
        simplex.sort_unstable();
        let k = self.pieces;
        let mut tets = Vec::with_capacity(k * k * k);
        for x in 0..k {
            for y in 0..=x {
                for z in 0..=y {
                    for corners in kuhn_cell([x, y, z]) {
                        if corners.iter().all(|&[x, y, z]| k >= x && x >= y && y >= z) {
                            tets.push(
                                corners.map(|[x, y, z]| {
                                    self.point(&simplex, &[k - x, x - y, y - z, z])
                                }),
                            );
                        }
                    }
                }
            }
        }
        tets
    }

    /// Cuts the coarse triangle into `pieces²` triangles with the winding of its vertices in ascending order.
    pub(super) fn triangles(&mut self, mut simplex: [u32; 3]) -> Vec<[u32; 3]> {
        simplex.sort_unstable();
        let k = self.pieces;
        let mut triangles = Vec::with_capacity(k * k);
        for x in 0..k {
            for y in 0..=x {
                let mut at = |x: usize, y: usize| self.point(&simplex, &[k - x, x - y, y]);
                triangles.push([at(x, y), at(x + 1, y), at(x + 1, y + 1)]);
                if y < x {
                    triangles.push([at(x, y), at(x + 1, y + 1), at(x, y + 1)]);
                }
            }
        }
        triangles
    }

    fn point(&mut self, simplex: &[u32], weights: &[usize]) -> u32 {
        let key: Vec<(u32, usize)> = simplex
            .iter()
            .copied()
            .zip(weights.iter().copied())
            .filter(|&(_, weight)| weight > 0)
            .collect();
        let next = self.points.len() as u32;
        let (coarse, pieces, points) = (self.coarse, self.pieces, &mut self.points);
        *self.index.entry(key).or_insert_with_key(|key| {
            points.push(
                key.iter()
                    .map(|&(vertex, weight)| {
                        coarse[vertex as usize] * (weight as f64 / pieces as f64)
                    })
                    .sum(),
            );
            next
        })
    }
}
