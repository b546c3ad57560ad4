//! A cubic lattice of nodes with springs as edges.

use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};

/// Steps along the springs of a node.
const SPRINGS: [[usize; 3]; 6] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [0, 1, 1],
    [1, 0, 1],
];

/// The places of the `axis³` nodes, in spacings; x varies fastest.
pub(super) fn places(axis: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..axis.pow(3)).map(move |node| [node % axis, node / axis % axis, node / axis.pow(2)])
}

/// `diagonal` at every node, and `stiffness` along every spring.
pub(super) fn matrix(axis: usize, diagonal: f64, stiffness: f64) -> SymmetricBlockMatrix {
    let index = |[x, y, z]: [usize; 3]| (x + axis * (y + axis * z)) as u32;
    let mut springs = Vec::new();
    for [x, y, z] in places(axis) {
        for [dx, dy, dz] in SPRINGS {
            let end = [x + dx, y + dy, z + dz];
            if end.iter().all(|&place| place < axis) {
                let along = Vector3::new(dx as f64, dy as f64, dz as f64).normalize();
                springs.push((index([x, y, z]), index(end), along));
            }
        }
    }
    let pattern = BlockPattern::from_pairs(axis.pow(3), springs.iter().map(|&(i, j, _)| (i, j)));
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);
    for node in 0..matrix.blocks() {
        *matrix.diagonal_block_mut(node) = Matrix3::from_diagonal_element(diagonal);
    }
    for (i, j, along) in springs {
        let coupling = stiffness * along * along.transpose();
        *matrix.diagonal_block_mut(i as usize) += coupling;
        *matrix.diagonal_block_mut(j as usize) += coupling;
        if let Some(slot) = matrix.pattern().slot(i as usize, j as usize) {
            *matrix.block_mut(slot) -= coupling;
        }
    }
    matrix
}
