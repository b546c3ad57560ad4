//! The kernel of a product: the blocks of a chunk of rows times its local vectors.
//!
//! Each stored block is read once and used for its row and, transposed, for its column. The additions of every number
//! have the same order in each variant and are never fused, so every processor gets the same bits.
#![expect(
    clippy::inline_always,
    reason = "what is not inlined would not be compiled for the processor at hand"
)]

use nalgebra::Matrix3;

/// Numbers of each vector in a local row: three, and one without meaning. So a vector is one register of four numbers,
/// and a local row has the size of a cache line.
const WIDTH: usize = 4;

/// The vectors `x` and `y` of one local row.
pub(super) type LocalRow = [[f64; WIDTH]; 2];

/// Numbers per local row.
pub(super) const LOCAL: usize = 2 * WIDTH;

/// The local rows of a working area of `LOCAL` numbers each.
pub(super) fn local_rows(area: &mut [f64]) -> &mut [LocalRow] {
    area.as_chunks_mut().0.as_chunks_mut().0
}

/// A local row that holds `x` and a `y` of zero.
pub(super) fn local_row(x: &[f64; 3]) -> LocalRow {
    [[x[0], x[1], x[2], 0.0], [0.0; WIDTH]]
}

/// The vector `y` of a local row.
pub(super) fn product_of([_, y]: &LocalRow) -> [f64; 3] {
    [y[0], y[1], y[2]]
}

/// The blocks of a chunk of rows, by local columns.
#[derive(Clone, Copy)]
pub(super) struct ChunkBlocks<'a> {
    /// First slot of each row, and the end of the last.
    pub(super) row_offsets: &'a [usize],
    /// Local column of each slot of the matrix.
    pub(super) columns: &'a [u32],
    /// Block of each slot of the matrix.
    pub(super) blocks: &'a [Matrix3<f64>],
}

impl ChunkBlocks<'_> {
    /// Adds the products to `lane`, whose first rows are those of the chunk.
    pub(super) fn multiply(self, lane: &mut [LocalRow]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = pulp::x86::V3::try_new() {
            return avx2.vectorize(
                #[inline(always)]
                || self.each_row(avx2, lane),
            );
        }
        self.each_row(Portable, lane);
    }

    #[inline(always)]
    fn each_row(self, kernel: impl RowKernel, lane: &mut [LocalRow]) {
        for (row, slots) in self.row_offsets.windows(2).enumerate() {
            let slots = slots[0]..slots[1];
            let columns = &self.columns[slots.clone()];
            if let ([_, columns @ ..], [diagonal, blocks @ ..]) = (columns, &self.blocks[slots]) {
                let blocks = RowBlocks {
                    diagonal,
                    columns,
                    blocks,
                };
                kernel.row(row, blocks, lane);
            }
        }
    }
}

/// The blocks of one row.
#[derive(Clone, Copy)]
struct RowBlocks<'a> {
    diagonal: &'a Matrix3<f64>,
    /// Local columns of the blocks right of the diagonal.
    columns: &'a [u32],
    blocks: &'a [Matrix3<f64>],
}

/// Multiplies one row with the instructions of a kind of processor.
trait RowKernel: Copy {
    fn row(self, row: usize, of_row: RowBlocks<'_>, lane: &mut [LocalRow]);
}

/// The kernel for every processor.
#[derive(Clone, Copy)]
struct Portable;

impl RowKernel for Portable {
    #[inline(always)]
    fn row(self, row: usize, of_row: RowBlocks<'_>, lane: &mut [LocalRow]) {
        let [x0, x1, x2, _] = lane[row][0];
        let [c0, c1, c2] = &of_row.diagonal.data.0;
        let mut sum = [0.0; 3];
        for k in 0..3 {
            sum[k] = c0[k] * x0 + c1[k] * x1 + c2[k] * x2;
        }
        for (block, &column) in of_row.blocks.iter().zip(of_row.columns) {
            let [x, y] = &mut lane[column as usize];
            let [c0, c1, c2] = &block.data.0;
            for k in 0..3 {
                sum[k] += c0[k] * x[0] + c1[k] * x[1] + c2[k] * x[2];
            }
            y[0] += c0[0] * x0 + c0[1] * x1 + c0[2] * x2;
            y[1] += c1[0] * x0 + c1[1] * x1 + c1[2] * x2;
            y[2] += c2[0] * x0 + c2[1] * x1 + c2[2] * x2;
        }
        let [_, y] = &mut lane[row];
        for k in 0..3 {
            y[k] += sum[k];
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{__m128d, __m256d, _MM_HINT_T0};

    use nalgebra::Matrix3;
    use pulp::cast;
    use pulp::x86::V3;

    use super::{LocalRow, RowBlocks, RowKernel, WIDTH};

    /// Bytes between a block and the one that is fetched while it is multiplied: three pages. A processor looks some
    /// ten blocks ahead and stops at the end of a page, too late for blocks that come from memory. Distances of two to
    /// four pages are equally fast.
    const AHEAD: usize = 12_288;

    /// Three registers, such as the columns of a block. Their fourth numbers have no meaning.
    type Columns = [__m256d; 3];

    impl RowKernel for V3 {
        #[inline(always)]
        fn row(self, row: usize, of_row: RowBlocks<'_>, lane: &mut [LocalRow]) {
            let avx = self.avx;
            let x_row = broadcast(self, &lane[row][0]);
            let mut sum = combine(self, columns_of(self, of_row.diagonal), x_row);
            for (block, &column) in of_row.blocks.iter().zip(of_row.columns) {
                let [x, y] = &mut lane[column as usize];
                fetch_ahead(self, block);
                let columns = columns_of(self, block);
                let product = combine(self, columns, broadcast(self, x));
                sum = avx._mm256_add_pd(sum, product);
                let transposed = combine(self, rows_of(self, columns, block), x_row);
                *y = cast(avx._mm256_add_pd(cast(*y), transposed));
            }
            let [_, y] = &mut lane[row];
            *y = cast(avx._mm256_add_pd(cast(*y), sum));
        }
    }

    /// Three numbers, each in all lanes of a register.
    #[inline(always)]
    fn broadcast(simd: V3, [x0, x1, x2, _]: &[f64; WIDTH]) -> Columns {
        let avx = simd.avx;
        [
            avx._mm256_set1_pd(*x0),
            avx._mm256_set1_pd(*x1),
            avx._mm256_set1_pd(*x2),
        ]
    }

    /// `(c0 x0 + c1 x1) + c2 x2`.
    #[inline(always)]
    fn combine(simd: V3, [c0, c1, c2]: Columns, [x0, x1, x2]: Columns) -> __m256d {
        let avx = simd.avx;
        avx._mm256_add_pd(
            avx._mm256_add_pd(avx._mm256_mul_pd(c0, x0), avx._mm256_mul_pd(c1, x1)),
            avx._mm256_mul_pd(c2, x2),
        )
    }

    /// Asks for the block that comes [`AHEAD`] after this one. Beyond the last block this does nothing.
    #[inline(always)]
    fn fetch_ahead(simd: V3, block: &Matrix3<f64>) {
        let ahead = std::ptr::from_ref(block).wrapping_byte_add(AHEAD);
        simd.sse._mm_prefetch::<_MM_HINT_T0>(ahead.cast());
    }

    /// The columns of a block, without reading beyond it.
    #[inline(always)]
    fn columns_of(simd: V3, block: &Matrix3<f64>) -> Columns {
        let end = cast::<[f64; 2], __m128d>([block.data.0[2][2], 0.0]);
        let begin = simd
            .avx
            ._mm256_castpd128_pd256(cast(entries::<2>(block, 6)));
        [
            cast(entries::<4>(block, 0)),
            cast(entries::<4>(block, 3)),
            simd.avx._mm256_insertf128_pd::<1>(begin, end),
        ]
    }

    /// The rows of a block, from its columns.
    #[inline(always)]
    fn rows_of(simd: V3, [c0, c1, c2]: Columns, block: &Matrix3<f64>) -> Columns {
        let avx = simd.avx;
        // By row and column: entries 00 01 20 21 of the block, and 10 11.
        let outer = avx._mm256_unpacklo_pd(c0, c1);
        let inner = avx._mm256_unpackhi_pd(c0, c1);
        [
            avx._mm256_insertf128_pd::<1>(outer, cast(entries::<2>(block, 6))),
            avx._mm256_insertf128_pd::<1>(inner, cast(entries::<2>(block, 7))),
            avx._mm256_permute2f128_pd::<0x31>(outer, c2),
        ]
    }

    /// Entries of a block, column after column, from a place on. They are loaded as one register.
    #[inline(always)]
    fn entries<const N: usize>(block: &Matrix3<f64>, first: usize) -> [f64; N] {
        let entries = &block.data.0.as_flattened()[first..];
        // A missing entry is a mistake here. All places are constants, so the check is decided when this is compiled.
        *entries.first_chunk().expect("the block has these entries")
    }
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use proptest::prelude::*;
    use pulp::x86::V3;

    use super::*;

    proptest! {
        #[test]
        fn all_processors_multiply_alike(
            numbers in prop::collection::vec(-1.0_f64..1.0, 9 * 12),
            x in prop::collection::vec(prop::array::uniform3(-1.0_f64..1.0), 8),
        ) {
            let Some(avx2) = V3::try_new() else { return Ok(()) };
            let blocks: Vec<Matrix3<f64>> = numbers.chunks(9).map(Matrix3::from_column_slice).collect();
            let chunk = ChunkBlocks {
                row_offsets: &[0, 5, 8, 8, 10, 12],
                columns: &[0, 1, 3, 5, 7, 1, 2, 6, 3, 4, 4, 7],
                blocks: &blocks,
            };
            let mut portable: Vec<LocalRow> = x.iter().map(local_row).collect();
            let mut wide = portable.clone();
            chunk.each_row(Portable, &mut portable);
            chunk.each_row(avx2, &mut wide);
            for (a, b) in portable.iter().zip(&wide) {
                prop_assert_eq!(product_of(a).map(f64::to_bits), product_of(b).map(f64::to_bits));
            }
        }
    }
}
