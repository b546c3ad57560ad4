//! The coarse matrix `PᵀAP`.
//!
//! With `U` the upper triangle of `A` and half its diagonal, `PᵀAP = S + Sᵀ`, `S = PᵀUP`. A row of `U` meets blocks of
//! few cells: its products are summed for their corners first, and then multiplied with the weights of the row's own
//! corners.

use super::cells::{CORNERS, Cells};
use crate::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::Matrix3;

/// `S` of two cells, by corners of the first and of the second.
type OfCells = [[Matrix3<f64>; CORNERS]; CORNERS];

/// The cells that rows of each cell meet.
pub(super) struct Galerkin {
    neighbours: Vec<Vec<u32>>,
    /// Numbers of blocks and of slots of the fine pattern.
    size: [usize; 2],
}

impl Galerkin {
    pub(super) fn new(pattern: &BlockPattern, cells: &Cells) -> Self {
        let of_cell = |cell: usize| {
            let mut neighbours = Vec::new();
            for &block in cells.blocks(cell) {
                for &column in &pattern.columns()[pattern.row(block as usize)] {
                    if let Some((other, _)) = cells.of_block(column)
                        && !neighbours.contains(&(other as u32))
                    {
                        neighbours.push(other as u32);
                    }
                }
            }
            neighbours
        };
        Self {
            neighbours: (0..cells.count()).map(of_cell).collect(),
            size: size(pattern),
        }
    }

    /// Whether a pattern has the size of the fine one.
    pub(super) fn is_of(&self, pattern: &BlockPattern) -> bool {
        size(pattern) == self.size
    }

    /// The pattern of `PᵀAP`.
    pub(super) fn pattern(&self, cells: &Cells) -> BlockPattern {
        let pairs = self.neighbours.iter().enumerate();
        let pairs = pairs.flat_map(|(cell, others)| {
            (others.iter()).flat_map(move |&other| {
                let second = cells.corners(other as usize);
                (cells.corners(cell).iter())
                    .flat_map(move |&p| second.iter().map(move |&q| (p.min(q), p.max(q))))
            })
        });
        BlockPattern::from_pairs(cells.corner_count(), pairs)
    }

    /// Writes `PᵀAP` into `coarse`.
    #[inline(always)]
    pub(super) fn project(
        &self,
        matrix: &SymmetricBlockMatrix,
        cells: &Cells,
        coarse: &mut SymmetricBlockMatrix,
    ) {
        coarse.set_zero();
        let mut sums: Vec<OfCells> = Vec::new();
        let mut of_row = Vec::new();
        for (cell, neighbours) in self.neighbours.iter().enumerate() {
            sums.clear();
            sums.resize(neighbours.len(), OfCells::default());
            for &block in cells.blocks(cell) {
                add_row(matrix, cells, (block, neighbours), &mut of_row, &mut sums);
            }
            for (sum, &other) in sums.iter().zip(neighbours) {
                let of_cells = [cells.corners(cell), cells.corners(other as usize)];
                add_with_transpose(of_cells, sum, coarse);
            }
        }
    }
}

fn size(pattern: &BlockPattern) -> [usize; 2] {
    [pattern.blocks(), pattern.slots()]
}

/// Adds the products of a row of `U` to the sums of its cell and each of the `neighbours`.
#[inline(always)]
fn add_row(
    matrix: &SymmetricBlockMatrix,
    cells: &Cells,
    (block, neighbours): (u32, &[u32]),
    of_row: &mut Vec<Option<[Matrix3<f64>; CORNERS]>>,
    sums: &mut [OfCells],
) {
    let pattern = matrix.pattern();
    of_row.clear();
    of_row.resize(neighbours.len(), None);
    for slot in pattern.row(block as usize) {
        let column = pattern.columns()[slot];
        let Some((cell, weights)) = cells.of_block(column) else {
            continue;
        };
        let neighbour = neighbours.iter().position(|&other| other as usize == cell);
        let Some(neighbour) = neighbour else {
            continue;
        };
        let products = of_row[neighbour].get_or_insert_default();
        let half = if column == block { 0.5 } else { 1.0 };
        let entry = matrix.block(slot);
        for (product, weight) in products.iter_mut().zip(weights) {
            *product += entry * (half * weight);
        }
    }
    let Some((_, own)) = cells.of_block(block) else {
        return;
    };
    for (products, sums) in of_row.iter().zip(sums) {
        let Some(products) = products else { continue };
        for (weight, sums) in own.iter().zip(sums) {
            for (sum, product) in sums.iter_mut().zip(products) {
                *sum += product * *weight;
            }
        }
    }
}

/// Adds `S + Sᵀ` of two cells.
fn add_with_transpose(
    [first, second]: [&[u32; CORNERS]; 2],
    sum: &OfCells,
    coarse: &mut SymmetricBlockMatrix,
) {
    for (&p, sums) in first.iter().zip(sum) {
        for (&q, s) in second.iter().zip(sums) {
            let pair = (p.min(q) as usize, p.max(q) as usize);
            let Some(slot) = coarse.pattern().slot(pair.0, pair.1) else {
                continue;
            };
            *coarse.block_mut(slot) += match p.cmp(&q) {
                std::cmp::Ordering::Less => *s,
                std::cmp::Ordering::Greater => s.transpose(),
                std::cmp::Ordering::Equal => s + s.transpose(),
            };
        }
    }
}
