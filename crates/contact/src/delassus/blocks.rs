//! Rows of 3×3 blocks, symmetric or not.

use super::FrictionError;
use nalgebra::{Matrix3, Vector3};
use nalgebra_sparse::CscMatrix;

/// A square sparse matrix of 3×3 blocks, both triangles stored, its diagonal always present.
///
/// Delassus matrices of other programs are often symmetric to a few digits only. A method that reads one triangle would
/// solve another problem, so nothing here assumes symmetry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockRows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<Matrix3<f64>>,
    diagonal: Vec<usize>,
}

impl BlockRows {
    /// Builds the matrix of `size` block rows from `(row, column, block)` in any order; diagonal blocks not among them
    /// are zero.
    ///
    /// # Errors
    /// [`FrictionError::BlockOutside`] for an index beyond `size`, [`FrictionError::DuplicateBlock`] for one place
    /// named twice.
    pub fn from_triplets(
        size: usize,
        mut triplets: Vec<(usize, usize, Matrix3<f64>)>,
    ) -> Result<Self, FrictionError> {
        for &(row, column, _) in &triplets {
            if row >= size || column >= size {
                return Err(FrictionError::BlockOutside { row, column, size });
            }
        }
        triplets.sort_by_key(|&(row, column, _)| (row, column));
        for pair in triplets.windows(2) {
            let (row, column, _) = pair[0];
            if (row, column) == (pair[1].0, pair[1].1) {
                return Err(FrictionError::DuplicateBlock { row, column });
            }
        }
        let mut out = Self {
            starts: Vec::with_capacity(size + 1),
            columns: Vec::with_capacity(triplets.len() + size),
            values: Vec::with_capacity(triplets.len() + size),
            diagonal: Vec::with_capacity(size),
        };
        out.starts.push(0);
        let mut rest = triplets.as_slice();
        for row in 0..size {
            let (now, later) = rest.split_at(rest.partition_point(|t| t.0 == row));
            rest = later;
            let below = now.partition_point(|t| t.1 < row);
            out.extend(&now[..below]);
            out.diagonal.push(out.values.len());
            if now.get(below).is_none_or(|t| t.1 != row) {
                out.extend(&[(row, row, Matrix3::zeros())]);
            }
            out.extend(&now[below..]);
            out.starts.push(out.values.len());
        }
        Ok(out)
    }

    /// The matrix of these rows, whose columns ascend with the diagonal among them.
    pub(crate) fn from_rows(
        starts: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<Matrix3<f64>>,
    ) -> Self {
        let diagonal = starts
            .windows(2)
            .enumerate()
            .map(|(row, range)| {
                let columns = &columns[range[0]..range[1]];
                range[0] + columns.partition_point(|&column| (column as usize) < row)
            })
            .collect();
        Self {
            starts,
            columns,
            values,
            diagonal,
        }
    }

    /// Starts of the rows, columns and blocks, the input of [`from_rows`](Self::from_rows).
    pub(crate) fn into_rows(self) -> (Vec<usize>, Vec<u32>, Vec<Matrix3<f64>>) {
        (self.starts, self.columns, self.values)
    }

    fn extend(&mut self, triplets: &[(usize, usize, Matrix3<f64>)]) {
        for &(_, column, block) in triplets {
            self.columns
                .push(u32::try_from(column).expect("fewer than 2^32 contacts"));
            self.values.push(block);
        }
    }

    /// Removes all rows and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        self.values.clear();
        self.diagonal.clear();
    }

    /// Adds a block to the row after the last [`end_row`](Self::end_row); columns have to ascend.
    pub(crate) fn push(&mut self, column: usize, block: &Matrix3<f64>) {
        if column + 1 == self.starts.len() {
            self.diagonal.push(self.values.len());
        }
        self.columns.push(column as u32);
        self.values.push(*block);
    }

    /// Ends a row, which must contain its diagonal block.
    pub(crate) fn end_row(&mut self) {
        debug_assert_eq!(self.diagonal.len(), self.starts.len(), "a diagonal block");
        self.starts.push(self.values.len());
    }

    /// Writes the rows and columns `kept`, ascending, to `out`.
    pub(crate) fn restrict_into(&self, kept: &[u32], out: &mut Self) {
        out.clear();
        for &row in kept {
            let (columns, blocks) = self.row(row as usize);
            let mut local = 0;
            for (column, block) in columns.iter().zip(blocks) {
                while kept.get(local).is_some_and(|kept| kept < column) {
                    local += 1;
                }
                if kept.get(local) == Some(column) {
                    out.push(local, block);
                }
            }
            out.end_row();
        }
    }

    /// Number of block rows.
    pub fn size(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of stored blocks.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// Columns and blocks of a row, by ascending column.
    #[inline]
    pub fn row(&self, row: usize) -> (&[u32], &[Matrix3<f64>]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The diagonal block of a row.
    #[inline]
    pub fn diagonal(&self, row: usize) -> &Matrix3<f64> {
        &self.values[self.diagonal[row]]
    }

    /// Mean of the diagonal entries of each diagonal block.
    pub(super) fn mean_diagonals(&self) -> Vec<f64> {
        let mean = |row| self.diagonal(row).trace() / 3.0;
        (0..self.size()).map(mean).collect()
    }

    /// One row of the product `W x`.
    #[inline]
    pub fn row_times(&self, row: usize, x: &[Vector3<f64>]) -> Vector3<f64> {
        let (columns, blocks) = self.row(row);
        let mut sum = Vector3::zeros();
        for (&column, block) in columns.iter().zip(blocks) {
            sum += block * x[column as usize];
        }
        sum
    }

    /// Adds `W_rowᵀ x` to `y`: the column of that number times `x`, where the matrix is symmetric.
    #[inline]
    pub(crate) fn add_row_transposed(&self, row: usize, x: &Vector3<f64>, y: &mut [Vector3<f64>]) {
        let (columns, blocks) = self.row(row);
        for (&column, block) in columns.iter().zip(blocks) {
            y[column as usize] += block.tr_mul(x);
        }
    }

    /// `y = W x`.
    ///
    /// # Panics
    /// If `x` or `y` is not as long as the matrix has block rows.
    #[track_caller]
    pub fn multiply_into(&self, x: &[Vector3<f64>], y: &mut [Vector3<f64>]) {
        assert!(
            x.len() == self.size() && y.len() == self.size(),
            "one vector per block row"
        );
        for (row, y) in y.iter_mut().enumerate() {
            *y = self.row_times(row, x);
        }
    }

    /// The matrix as scalars by columns, zeros inside of blocks included: a pattern that does not depend on values.
    ///
    /// # Panics
    /// Never: rows are stored in order.
    pub fn to_csc(&self) -> CscMatrix<f64> {
        let scalars = 3 * self.size();
        let transposed = self.transposed_places();
        let mut starts = Vec::with_capacity(scalars + 1);
        let mut rows = Vec::with_capacity(9 * self.values.len());
        let mut values = Vec::with_capacity(9 * self.values.len());
        starts.push(0);
        for places in &transposed {
            for axis in 0..3 {
                for &(row, slot) in places {
                    for k in 0..3 {
                        rows.push(3 * row + k);
                        values.push(self.values[slot][(k, axis)]);
                    }
                }
                starts.push(rows.len());
            }
        }
        CscMatrix::try_from_csc_data(scalars, scalars, starts, rows, values)
            .expect("rows are ascending within each column")
    }

    /// Per block column, `(row, slot)` of its blocks by ascending row.
    pub(super) fn transposed_places(&self) -> Vec<Vec<(usize, usize)>> {
        let mut places = vec![Vec::new(); self.size()];
        for row in 0..self.size() {
            for slot in self.starts[row]..self.starts[row + 1] {
                places[self.columns[slot] as usize].push((row, slot));
            }
        }
        places
    }

    /// The block stored at `slot` of [`Self::transposed_places`].
    pub(super) fn slot(&self, slot: usize) -> &Matrix3<f64> {
        &self.values[slot]
    }

    /// `(W + Wᵀ)/2`.
    ///
    /// # Panics
    /// Never: its places are those of the matrix.
    #[must_use]
    pub fn symmetric_part(&self) -> Self {
        let mut triplets = std::collections::BTreeMap::new();
        for row in 0..self.size() {
            let (columns, blocks) = self.row(row);
            for (&column, block) in columns.iter().zip(blocks) {
                let column = column as usize;
                *triplets.entry((row, column)).or_insert(Matrix3::zeros()) += 0.5 * block;
                *triplets.entry((column, row)).or_insert(Matrix3::zeros()) +=
                    0.5 * block.transpose();
            }
        }
        let triplets = triplets.into_iter().map(|((i, j), b)| (i, j, b)).collect();
        Self::from_triplets(self.size(), triplets).expect("the same places as before")
    }
}
