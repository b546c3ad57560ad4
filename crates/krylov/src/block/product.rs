//! The product of a symmetric half-stored matrix with a vector.

use std::ops::Range;

use nalgebra::Matrix3;

use super::kernel::{ChunkBlocks, LOCAL, LocalRow, local_row, local_rows, product_of};
use super::pattern::BlockPattern;

/// Least number of stored blocks of a parallel product: for smaller matrices, below some eight megabytes, waking
/// threads costs about as much as it saves.
const PARALLEL_SLOTS: usize = 100_000;

/// Working areas for chunks that are computed at the same time. More threads than this wait, but fewer exhaust the
/// memory bandwidth.
const LANES: usize = 32;

/// Length of the scratch of a product.
pub(super) fn scratch_len(pattern: &BlockPattern) -> usize {
    let partition = pattern.partition();
    let lane = LOCAL * partition.local_rows();
    if pattern.slots() < PARALLEL_SLOTS {
        lane
    } else {
        lanes(pattern) * lane + 3 * partition.halos().len()
    }
}

/// `y = A x`. The bits of `y` do not depend on whether, or on how many, threads are used.
pub(super) fn multiply(
    pattern: &BlockPattern,
    values: &[Matrix3<f64>],
    x: &[f64],
    y: &mut [f64],
    scratch: &mut [f64],
) {
    let product = Product::new(pattern, values, x);
    let y = y.as_chunks_mut().0;
    if pattern.slots() < PARALLEL_SLOTS || rayon::current_num_threads() == 1 {
        let lane = LOCAL * pattern.partition().local_rows();
        product.serial(y, local_rows(&mut scratch[..lane]));
    } else {
        product.parallel(y, scratch);
    }
}

fn lanes(pattern: &BlockPattern) -> usize {
    pattern.partition().chunks().min(LANES)
}

/// The inputs of one product.
#[derive(Clone, Copy)]
pub(super) struct Product<'a> {
    pub(super) pattern: &'a BlockPattern,
    pub(super) values: &'a [Matrix3<f64>],
    pub(super) x: &'a [[f64; 3]],
}

impl<'a> Product<'a> {
    pub(super) fn new(pattern: &'a BlockPattern, values: &'a [Matrix3<f64>], x: &'a [f64]) -> Self {
        let x = x.as_chunks().0;
        Self { pattern, values, x }
    }

    /// Chunk after chunk, the last one first. So each chunk writes its own rows before an earlier one adds to them, and
    /// a row receives its halo contributions from the last source to the first.
    fn serial(&self, y: &mut [[f64; 3]], lane: &mut [LocalRow]) {
        let partition = self.pattern.partition();
        for chunk in (0..partition.chunks()).rev() {
            self.chunk(chunk, lane);
            let rows = partition.rows(chunk);
            let (own, halo) = lane.split_at(rows.len());
            for (y, local) in y[rows].iter_mut().zip(own) {
                *y = product_of(local);
            }
            for (&row, local) in partition.halo(chunk).iter().zip(halo) {
                add(&mut y[row as usize], &product_of(local));
            }
        }
    }

    /// Two sweeps over the chunks. The first computes all, with halo contributions set aside; in the second, each chunk
    /// collects the contributions to its rows, from the last source to the first, as the serial product does.
    fn parallel(&self, y: &mut [[f64; 3]], scratch: &mut [f64]) {
        let partition = self.pattern.partition();
        let lanes = lanes(self.pattern);
        let lane_len = LOCAL * partition.local_rows();
        let (lane_area, spill) = scratch.split_at_mut(lanes * lane_len);
        let spill = &mut spill.as_chunks_mut().0[..partition.halos().len()];
        self.compute(0..lanes, y, spill, local_rows(lane_area));
        self.collect(0, partition.chunks(), y, spill);
    }

    /// Computes the chunks of `own_lanes`; `y`, `spill` and `lane_area` are theirs.
    fn compute(
        &self,
        own_lanes: Range<usize>,
        y: &mut [[f64; 3]],
        spill: &mut [[f64; 3]],
        lane_area: &mut [LocalRow],
    ) {
        let partition = self.pattern.partition();
        // Lanes take contiguous runs of chunks of nearly equal number.
        let start_of = |lane: usize| lane * partition.chunks() / lanes(self.pattern);
        let (rows, halos) = (partition.chunk_offsets(), partition.halo_offsets());
        let begin = start_of(own_lanes.start);

        if own_lanes.len() == 1 {
            for chunk in begin..start_of(own_lanes.end) {
                self.chunk(chunk, lane_area);
                let own_rows = rows[chunk] - rows[begin]..rows[chunk + 1] - rows[begin];
                let halo_rows = halos[chunk] - halos[begin]..halos[chunk + 1] - halos[begin];
                let (own, halo) = lane_area.split_at(own_rows.len());
                for (y, local) in y[own_rows].iter_mut().zip(own) {
                    *y = product_of(local);
                }
                for (spill, local) in spill[halo_rows].iter_mut().zip(halo) {
                    *spill = product_of(local);
                }
            }
            return;
        }

        let middle = usize::midpoint(own_lanes.start, own_lanes.end);
        let cut = start_of(middle);
        let (y0, y1) = y.split_at_mut(rows[cut] - rows[begin]);
        let (spill0, spill1) = spill.split_at_mut(halos[cut] - halos[begin]);
        let (area0, area1) =
            lane_area.split_at_mut((middle - own_lanes.start) * partition.local_rows());
        rayon::join(
            || self.compute(own_lanes.start..middle, y0, spill0, area0),
            || self.compute(middle..own_lanes.end, y1, spill1, area1),
        );
    }

    /// Adds the halo contributions of other chunks to the rows `y` of the chunks `first..end`.
    fn collect(&self, first: usize, end: usize, y: &mut [[f64; 3]], spill: &[[f64; 3]]) {
        let partition = self.pattern.partition();
        let rows = partition.chunk_offsets();
        if end - first == 1 {
            for run in partition.inbox(first) {
                for (&row, spill) in partition.halos()[run.clone()]
                    .iter()
                    .zip(&spill[run.clone()])
                {
                    add(&mut y[row as usize - rows[first]], spill);
                }
            }
            return;
        }
        let middle = usize::midpoint(first, end);
        let (y0, y1) = y.split_at_mut(rows[middle] - rows[first]);
        rayon::join(
            || self.collect(first, middle, y0, spill),
            || self.collect(middle, end, y1, spill),
        );
    }

    /// Fills `lane` with the products of one chunk: own rows first, then the halo.
    fn chunk(&self, chunk: usize, lane: &mut [LocalRow]) {
        let partition = self.pattern.partition();
        let rows = partition.rows(chunk);
        let halo = partition.halo(chunk);
        let lane = &mut lane[..rows.len() + halo.len()];
        let (own, outside) = lane.split_at_mut(rows.len());
        for (local, x) in own.iter_mut().zip(&self.x[rows.clone()]) {
            *local = local_row(x);
        }
        for (local, &row) in outside.iter_mut().zip(halo) {
            *local = local_row(&self.x[row as usize]);
        }
        let blocks = ChunkBlocks {
            row_offsets: &self.pattern.row_offsets()[rows.start..=rows.end],
            columns: partition.local_columns(),
            blocks: self.values,
        };
        blocks.multiply(lane);
    }
}

pub(super) fn add(y: &mut [f64; 3], increment: &[f64; 3]) {
    for k in 0..3 {
        y[k] += increment[k];
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;

    /// A pattern, one number per entry of its blocks, and a vector.
    fn problem() -> impl Strategy<Value = (usize, Vec<(u32, u32)>, u64)> {
        (1_usize..60).prop_flat_map(|blocks| {
            let index = 0..u32::try_from(blocks).expect("small");
            (
                Just(blocks),
                prop::collection::vec((index.clone(), index), 0..200),
                any::<u64>(),
            )
        })
    }

    /// A cheap pseudo-random sequence in `[-1, 1)`.
    fn sequence(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    proptest! {
        /// Chunks of a few rows have many halos: both drivers give the same bits, and the right product.
        #[test]
        fn drivers_agree_whatever_the_chunks((blocks, pairs, seed) in problem(), chunk_rows in 1_usize..20) {
            let pattern = Arc::new(BlockPattern::with_chunk_rows(blocks, pairs, chunk_rows));
            let mut next = sequence(seed);
            let mut matrix = crate::SymmetricBlockMatrix::zeros(Arc::clone(&pattern));
            for block in matrix.values_mut() {
                *block = Matrix3::from_fn(|_, _| next());
            }
            for i in 0..blocks {
                let block = *matrix.diagonal_block(i);
                *matrix.diagonal_block_mut(i) = block + block.transpose();
            }
            let x: Vec<f64> = (0..3 * blocks).map(|_| next()).collect();

            let product = Product { pattern: &pattern, values: matrix.values(), x: x.as_chunks().0 };
            let lane = LOCAL * pattern.partition().local_rows();
            let mut serial = vec![f64::NAN; 3 * blocks];
            product.serial(serial.as_chunks_mut().0, local_rows(&mut vec![f64::NAN; lane]));
            let mut parallel = vec![f64::NAN; 3 * blocks];
            let spill = 3 * pattern.partition().halos().len();
            product.parallel(
                parallel.as_chunks_mut().0,
                &mut vec![f64::NAN; lanes(&pattern) * lane + spill],
            );
            prop_assert!(serial.iter().zip(&parallel).all(|(a, b)| a.to_bits() == b.to_bits()));

            let expected = &matrix.to_csr() * &nalgebra::DVector::from_vec(x);
            for (a, b) in serial.iter().zip(&expected) {
                prop_assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()));
            }
        }
    }

    /// Bodies that fit a chunk are not cut: there is nothing to exchange.
    #[test]
    fn cuts_fall_between_bodies() {
        let bodies = 100;
        let size = 72;
        let pairs = (0..bodies).flat_map(|body| {
            (0..size).flat_map(move |i| (i..size).map(move |j| (body * size + i, body * size + j)))
        });
        let pattern = BlockPattern::from_pairs((bodies * size) as usize, pairs);
        assert!(pattern.partition().chunks() > 2);
        assert!(pattern.partition().halos().is_empty());
    }
}
