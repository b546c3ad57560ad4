//! The stored blocks of a symmetric matrix.

use std::ops::Range;

use super::partition::Partition;

/// The stored blocks of a symmetric matrix: its upper triangle, row by row, columns ascending, every diagonal block
/// included, so that the first block of a row is its diagonal.
///
/// A *slot* is the position of a block in that order, and so its index in the values of a
/// [`SymmetricBlockMatrix`](super::SymmetricBlockMatrix).
#[derive(Clone, Debug)]
pub struct BlockPattern {
    /// First slot of each row, and one past the last: length `blocks + 1`.
    row_offsets: Vec<usize>,
    /// Column of each slot.
    columns: Vec<u32>,
    /// The partition of the rows for products; depends on the pattern alone.
    partition: Partition,
}

/// Patterns are equal if they store the same blocks. Patterns in the same [`Arc`](std::sync::Arc) are compared by their
/// address.
impl PartialEq for BlockPattern {
    fn eq(&self, other: &Self) -> bool {
        self.row_offsets == other.row_offsets && self.columns == other.columns
    }
}

impl Eq for BlockPattern {}

impl BlockPattern {
    /// The pattern of a matrix of `blocks` block rows that couples the given pairs.
    ///
    /// Pairs may repeat and come in any order, and so may the blocks of a pair. Every diagonal block is stored.
    ///
    /// # Panics
    /// If a pair names a block beyond `blocks`, or if `blocks` exceeds `u32`.
    #[must_use]
    #[track_caller]
    pub fn from_pairs(blocks: usize, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        Self::with_chunk_rows(blocks, pairs, Partition::chunk_rows(blocks))
    }

    /// As [`from_pairs`](Self::from_pairs), with chunks of about `chunk_rows` rows.
    #[track_caller]
    pub(super) fn with_chunk_rows(
        blocks: usize,
        pairs: impl IntoIterator<Item = (u32, u32)>,
        chunk_rows: usize,
    ) -> Self {
        assert!(
            u32::try_from(blocks).is_ok(),
            "{blocks} block rows: more than a u32 can number"
        );
        let pairs: Vec<(u32, u32)> = pairs
            .into_iter()
            .map(|(i, j)| if i <= j { (i, j) } else { (j, i) })
            .collect();
        let (starts, mut columns) = bucket_by_row(blocks, &pairs);

        // Sorts each bucket and removes repetitions, closing the gaps between buckets.
        let mut row_offsets = Vec::with_capacity(blocks + 1);
        row_offsets.push(0);
        let mut end = 0;
        for row in 0..blocks {
            let bucket = starts[row]..starts[row + 1];
            columns[bucket.clone()].sort_unstable();
            let row_start = end;
            for read in bucket {
                if end == row_start || columns[end - 1] != columns[read] {
                    columns[end] = columns[read];
                    end += 1;
                }
            }
            row_offsets.push(end);
        }
        columns.truncate(end);
        columns.shrink_to_fit();

        let partition = Partition::new(&row_offsets, &columns, chunk_rows);
        Self {
            row_offsets,
            columns,
            partition,
        }
    }

    /// The pattern of the principal submatrix of some rows, and for each of its slots the slot in this pattern.
    ///
    /// # Panics
    /// If `rows` is not ascending and unique, or a row does not exist.
    #[must_use]
    #[track_caller]
    pub fn principal(&self, rows: &[u32]) -> (Self, Vec<usize>) {
        assert!(
            rows.is_sorted_by(|a, b| a < b),
            "rows of a submatrix ascend without repetition"
        );
        let mut row_offsets = Vec::with_capacity(rows.len() + 1);
        row_offsets.push(0);
        let (mut columns, mut slots) = (Vec::new(), Vec::new());
        for (place, &row) in rows.iter().enumerate() {
            // Both lists ascend, and columns of a row do not precede it.
            let mut kept = (place..).zip(&rows[place..]).peekable();
            for slot in self.row(row as usize) {
                let column = self.columns[slot];
                while kept.next_if(|&(_, &row)| row < column).is_some() {}
                if let Some(&(own, &row)) = kept.peek()
                    && row == column
                {
                    columns.push(own as u32);
                    slots.push(slot);
                }
            }
            row_offsets.push(columns.len());
        }
        let partition = Partition::new(&row_offsets, &columns, Partition::chunk_rows(rows.len()));
        let pattern = Self {
            row_offsets,
            columns,
            partition,
        };
        (pattern, slots)
    }

    /// Number of block rows; a vector of the matrix has three times as many entries.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.row_offsets.len() - 1
    }

    /// Number of stored blocks.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.columns.len()
    }

    /// The slot of block `(i, j)` of the upper triangle (`i <= j`), or `None` if it is not stored.
    ///
    /// Blocks below the diagonal are never stored: `(i, j)` is the transpose of `(j, i)`.
    ///
    /// # Cost
    /// A binary search among the blocks of row `i`.
    #[must_use]
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        if i >= self.blocks() {
            return None;
        }
        let row = self.row(i);
        let column = u32::try_from(j).ok()?;
        let place = self.columns[row.clone()].binary_search(&column).ok()?;
        Some(row.start + place)
    }

    /// The slots of row `i`, diagonal first.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, i: usize) -> Range<usize> {
        self.row_offsets[i]..self.row_offsets[i + 1]
    }

    /// The slot of the diagonal block of row `i`.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn diagonal_slot(&self, i: usize) -> usize {
        self.row(i).start
    }

    /// The column of every slot.
    #[must_use]
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// First slot of every row, and the number of slots: length `blocks + 1`.
    #[must_use]
    pub fn row_offsets(&self) -> &[usize] {
        &self.row_offsets
    }

    pub(super) fn partition(&self) -> &Partition {
        &self.partition
    }
}

/// Sorts the columns of the pairs (`i <= j`) and of all diagonal blocks into one bucket per row; returns the start of
/// each bucket, and the buckets.
#[track_caller]
fn bucket_by_row(blocks: usize, pairs: &[(u32, u32)]) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; blocks + 1];
    for row in 0..blocks {
        starts[row + 1] = 1;
    }
    for &(i, j) in pairs {
        assert!(
            (j as usize) < blocks,
            "pair ({i}, {j}) names a block beyond the {blocks} of the matrix"
        );
        starts[i as usize + 1] += 1;
    }
    for row in 0..blocks {
        starts[row + 1] += starts[row];
    }
    let mut columns = vec![0; starts[blocks]];
    let mut next = starts.clone();
    let mut place = |row: usize, column: u32| {
        columns[next[row]] = column;
        next[row] += 1;
    };
    for row in 0..blocks {
        place(row, row as u32);
    }
    for &(i, j) in pairs {
        place(i as usize, j);
    }
    (starts, columns)
}
