//! Cells of the grids of all bodies, and the interpolation from their corners.

use crate::BlockPattern;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::ops::Range;

/// Corners of a cell.
pub(super) const CORNERS: usize = 8;

/// Largest number of cells along an axis (1): any below 2³¹, so that corners have numbers.
const MOST_CELLS: f64 = 1_048_576.0;

/// Blocks in the order of their cells.
pub(super) struct Cells {
    /// The corners of each cell.
    corners: Vec<[u32; CORNERS]>,
    /// The blocks of each cell, as a range of `blocks`.
    ranges: Vec<Range<usize>>,
    /// The blocks of the first cell, then of the second, ...
    blocks: Vec<u32>,
    /// Index of each block in `blocks`, and its cell; `None` without a position.
    ranks: Vec<Option<(u32, u32)>>,
    /// Weights of the corners at each of `blocks`, and the same with zeros at excluded blocks.
    weights: Vec<[f64; CORNERS]>,
    free_weights: Vec<[f64; CORNERS]>,
    corner_count: usize,
}

/// The grid of one body.
struct Grid {
    low: Vector3<f64>,
    high: Vector3<f64>,
    /// Sum and number of the distances of coupled blocks.
    distances: f64,
    pairs: u32,
}

impl Cells {
    pub(super) fn new(
        pattern: &BlockPattern,
        position: impl Fn(usize) -> Option<(u32, Vector3<f64>)>,
        edges: f64,
    ) -> Self {
        let positions: Vec<_> = (0..pattern.blocks()).map(position).collect();
        let grids = find_grids(pattern, &positions);
        let mut cell_numbers = BTreeMap::new();
        let mut corner_numbers = BTreeMap::new();
        let mut corners = Vec::new();
        // Cell and weights of each block with a position.
        let mut found: Vec<(u32, u32, [f64; CORNERS])> = Vec::new();
        for (block, position) in positions.iter().enumerate() {
            let Some((body, position)) = position else {
                continue;
            };
            let (cell, within) = grids[body].locate(position, edges);
            let number = *cell_numbers.entry((*body, cell)).or_insert_with(|| {
                corners.push(std::array::from_fn(|corner| {
                    let key = (*body, [0, 1, 2].map(|axis| cell[axis] + bit(corner, axis)));
                    let next = corner_numbers.len() as u32;
                    *corner_numbers.entry(key).or_insert(next)
                }));
                corners.len() as u32 - 1
            });
            let weights = std::array::from_fn(|corner| trilinear(corner, &within));
            found.push((number, block as u32, weights));
        }
        found.sort_by_key(|&(cell, block, _)| (cell, block));

        let mut ranks = vec![None; positions.len()];
        let mut ranges: Vec<Range<usize>> = vec![0..0; corners.len()];
        for (rank, &(cell, block, _)) in found.iter().enumerate() {
            ranks[block as usize] = Some((rank as u32, cell));
            let range = &mut ranges[cell as usize];
            if range.start == range.end {
                range.start = rank;
            }
            range.end = rank + 1;
        }
        let weights: Vec<_> = found.iter().map(|&(_, _, weights)| weights).collect();
        Self {
            corners,
            ranges,
            blocks: found.iter().map(|&(_, block, _)| block).collect(),
            ranks,
            free_weights: weights.clone(),
            weights,
            corner_count: corner_numbers.len(),
        }
    }

    /// Number of corners.
    pub(super) fn corner_count(&self) -> usize {
        self.corner_count
    }

    /// Number of blocks with a position.
    pub(super) fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Number of cells.
    pub(super) fn count(&self) -> usize {
        self.corners.len()
    }

    /// The corners of a cell.
    pub(super) fn corners(&self, cell: usize) -> &[u32; CORNERS] {
        &self.corners[cell]
    }

    /// The blocks of a cell.
    pub(super) fn blocks(&self, cell: usize) -> &[u32] {
        &self.blocks[self.ranges[cell].clone()]
    }

    /// The cell of a block and the weights of its corners there, 0 for an excluded block; `None` without a position.
    pub(super) fn of_block(&self, block: u32) -> Option<(usize, &[f64; CORNERS])> {
        let (rank, cell) = self.ranks[block as usize]?;
        Some((cell as usize, &self.free_weights[rank as usize]))
    }

    /// Sets the weights of `excluded` blocks to zero and restores those of all others.
    pub(super) fn exclude(&mut self, excluded: impl IntoIterator<Item = u32>) {
        self.free_weights.copy_from_slice(&self.weights);
        for block in excluded {
            if let Some((rank, _)) = self.ranks[block as usize] {
                self.free_weights[rank as usize] = [0.0; CORNERS];
            }
        }
    }

    /// `x = Pᵀr`.
    #[inline(always)]
    pub(super) fn restrict(&self, r: impl Fn(usize) -> Vector3<f64>, x: &mut [f64]) {
        x.fill(0.0);
        for (corners, range) in self.corners.iter().zip(&self.ranges) {
            let mut sums = [[0.0; CORNERS]; 3];
            let blocks = &self.blocks[range.clone()];
            for (&block, weights) in blocks.iter().zip(&self.free_weights[range.clone()]) {
                let r = r(block as usize);
                for (sums, r) in sums.iter_mut().zip(r.iter()) {
                    for (sum, weight) in sums.iter_mut().zip(weights) {
                        *sum += weight * r;
                    }
                }
            }
            for (at, &corner) in corners.iter().enumerate() {
                let x = &mut x[3 * corner as usize..][..3];
                for (x, sums) in x.iter_mut().zip(&sums) {
                    *x += sums[at];
                }
            }
        }
    }

    /// Passes the entries of `P x` to `out`.
    #[inline(always)]
    pub(super) fn interpolate(&self, x: &[f64], mut out: impl FnMut(usize, Vector3<f64>)) {
        for (corners, range) in self.corners.iter().zip(&self.ranges) {
            let of_corners: [[f64; CORNERS]; 3] = std::array::from_fn(|axis| {
                std::array::from_fn(|at| x[3 * corners[at] as usize + axis])
            });
            let blocks = &self.blocks[range.clone()];
            for (&block, weights) in blocks.iter().zip(&self.free_weights[range.clone()]) {
                let value = |axis: usize| {
                    // Two sums of four do not wait for each other.
                    let [mut first, mut second] = [0.0; 2];
                    for at in 0..CORNERS / 2 {
                        first += weights[at] * of_corners[axis][at];
                        second += weights[at + 4] * of_corners[axis][at + 4];
                    }
                    first + second
                };
                out(block as usize, Vector3::new(value(0), value(1), value(2)));
            }
        }
    }
}

fn find_grids(
    pattern: &BlockPattern,
    positions: &[Option<(u32, Vector3<f64>)>],
) -> BTreeMap<u32, Grid> {
    let mut grids = BTreeMap::new();
    for (body, position) in positions.iter().flatten() {
        let grid = grids.entry(*body).or_insert_with(|| Grid {
            low: *position,
            high: *position,
            distances: 0.0,
            pairs: 0,
        });
        grid.low = grid.low.inf(position);
        grid.high = grid.high.sup(position);
    }
    for (row, position) in positions.iter().enumerate() {
        let Some((body, position)) = position else {
            continue;
        };
        for &column in &pattern.columns()[pattern.row(row)][1..] {
            if let Some((_, other)) = positions[column as usize].filter(|(other, _)| other == body)
                && let Some(grid) = grids.get_mut(body)
            {
                grid.distances += (other - position).norm();
                grid.pairs += 1;
            }
        }
    }
    grids
}

impl Grid {
    /// The cell of a position, and the coordinates within the cell, 0 to 1.
    fn locate(&self, position: &Vector3<f64>, edges: f64) -> ([u32; 3], Vector3<f64>) {
        let wanted = edges * self.distances / f64::from(self.pairs.max(1));
        let extent = self.high - self.low;
        let mut cell = [0; 3];
        let within = Vector3::from_fn(|axis, _| {
            // One cell where nothing is coupled or all blocks have one coordinate.
            let count = (extent[axis] / wanted).round().clamp(1.0, MOST_CELLS);
            let count = if wanted > 0.0 { count } else { 1.0 };
            let share = (position[axis] - self.low[axis]) / extent[axis].max(f64::MIN_POSITIVE);
            let first = (share * count).floor().clamp(0.0, count - 1.0);
            #[expect(clippy::cast_sign_loss, reason = "it is clamped to 0 from below")]
            let number = first as u32;
            cell[axis] = number;
            (share * count - first).clamp(0.0, 1.0)
        });
        (cell, within)
    }
}

/// Whether a corner is at the upper end of an axis.
fn bit(corner: usize, axis: usize) -> u32 {
    (corner >> axis & 1) as u32
}

/// Weight of a corner at a point within its cell.
fn trilinear(corner: usize, within: &Vector3<f64>) -> f64 {
    let along = |axis: usize| match bit(corner, axis) {
        1 => within[axis],
        _ => 1.0 - within[axis],
    };
    along(0) * along(1) * along(2)
}
