//! The partition of the rows of a pattern into chunks, for products.
//!
//! A stored block `(i, j)` contributes to rows `i` and `j`, so two threads could write to the same row. The rows are
//! therefore cut into *chunks* that depend on the pattern alone, never on the number of threads. A chunk owns its rows;
//! the later rows that it contributes to are its *halo*. Halo contributions are kept aside until the owner of the rows
//! collects them in a fixed order. Within a chunk, own rows and halo rows are numbered together from zero, so the
//! working set fits into the second-level cache, whatever the size of the matrix.

use std::ops::Range;

/// The cut of a pattern into chunks of rows.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    /// First row of each chunk, and the number of rows.
    chunk_rows: Vec<usize>,
    /// Halo rows of all chunks, ascending within each.
    halo: Vec<u32>,
    /// First halo entry of each chunk, and the number of them.
    halo_offsets: Vec<usize>,
    /// For each slot, the number of its column within the chunk of its row: own rows first, then the halo.
    local_columns: Vec<u32>,
    /// Runs of halo entries, grouped by the chunk that owns their rows; the last source comes first.
    inbox: Vec<Range<usize>>,
    /// First run of each chunk, and the number of them.
    inbox_offsets: Vec<usize>,
    /// Most rows, own and halo, of any chunk.
    local_rows: usize,
}

impl Partition {
    /// Target number of rows in a chunk of a matrix of `rows` rows: a sixteenth of them, for sixteen threads. But they
    /// are not so few that a third of them is halo, nor so many that their vectors leave the second-level cache.
    pub(super) fn chunk_rows(rows: usize) -> usize {
        (rows / 16).clamp(2048, 8192)
    }

    pub(super) fn new(row_offsets: &[usize], columns: &[u32], chunk_rows: usize) -> Self {
        let chunk_rows = cut_rows(row_offsets, columns, chunk_rows);
        let mut partition = Self {
            halo: Vec::new(),
            halo_offsets: vec![0],
            local_columns: Vec::with_capacity(columns.len()),
            inbox: Vec::new(),
            inbox_offsets: vec![0],
            local_rows: 0,
            chunk_rows,
        };
        for chunk in 0..partition.chunks() {
            partition.add_chunk(row_offsets, columns, chunk);
        }
        partition.sort_inbox();
        partition
    }

    pub(super) fn chunks(&self) -> usize {
        self.chunk_rows.len() - 1
    }

    /// First row of each chunk, and the number of rows.
    pub(super) fn chunk_offsets(&self) -> &[usize] {
        &self.chunk_rows
    }

    pub(super) fn rows(&self, chunk: usize) -> Range<usize> {
        self.chunk_rows[chunk]..self.chunk_rows[chunk + 1]
    }

    /// Rows of later chunks that `chunk` contributes to, ascending.
    pub(super) fn halo(&self, chunk: usize) -> &[u32] {
        &self.halo[self.halo_offsets[chunk]..self.halo_offsets[chunk + 1]]
    }

    /// Halo rows of all chunks.
    pub(super) fn halos(&self) -> &[u32] {
        &self.halo
    }

    /// First halo entry of each chunk, and the number of them.
    pub(super) fn halo_offsets(&self) -> &[usize] {
        &self.halo_offsets
    }

    /// Runs of halo entries whose rows `chunk` owns, the last source first.
    pub(super) fn inbox(&self, chunk: usize) -> &[Range<usize>] {
        &self.inbox[self.inbox_offsets[chunk]..self.inbox_offsets[chunk + 1]]
    }

    pub(super) fn local_columns(&self) -> &[u32] {
        &self.local_columns
    }

    pub(super) fn local_rows(&self) -> usize {
        self.local_rows
    }

    /// Numbers the columns of one chunk.
    fn add_chunk(&mut self, row_offsets: &[usize], columns: &[u32], chunk: usize) {
        let rows = self.rows(chunk);
        let columns = &columns[row_offsets[rows.start]..row_offsets[rows.end]];
        let mut halo: Vec<u32> = columns
            .iter()
            .copied()
            .filter(|&column| column as usize >= rows.end)
            .collect();
        halo.sort_unstable();
        halo.dedup();
        self.local_columns.extend(columns.iter().map(|column| {
            let own = *column as usize - rows.start;
            let local = match halo.binary_search(column) {
                Ok(place) => rows.len() + place,
                Err(_) => own,
            };
            local as u32
        }));
        self.local_rows = self.local_rows.max(rows.len() + halo.len());
        self.halo.extend_from_slice(&halo);
        self.halo_offsets.push(self.halo.len());
    }

    /// Finds, for each chunk, the runs of halo entries to collect.
    fn sort_inbox(&mut self) {
        let mut inboxes = vec![Vec::new(); self.chunks()];
        for source in (0..self.chunks()).rev() {
            let offset = self.halo_offsets[source];
            let halo = self.halo(source);
            let mut start = 0;
            while start < halo.len() {
                let row = halo[start] as usize;
                let owner = self.chunk_rows.partition_point(|&first| first <= row) - 1;
                let end = halo.partition_point(|&row| (row as usize) < self.chunk_rows[owner + 1]);
                inboxes[owner].push(offset + start..offset + end);
                start = end;
            }
        }
        for inbox in inboxes {
            self.inbox.extend(inbox);
            self.inbox_offsets.push(self.inbox.len());
        }
    }
}

/// Cuts the rows into chunks of `target` rows, plus or minus a quarter: within that range, where a cut separates the
/// fewest blocks. So a matrix of many small bodies is cut between bodies.
fn cut_rows(row_offsets: &[usize], columns: &[u32], target: usize) -> Vec<usize> {
    let rows = row_offsets.len() - 1;
    let crossing = blocks_across(row_offsets, columns);
    let play = target / 4;
    let mut cuts = vec![0];
    let mut start = 0;
    while rows - start > target + play {
        let aim = start + target;
        let cut = (aim - play..=aim + play)
            .min_by_key(|&cut| (crossing[cut], cut.abs_diff(aim)))
            .unwrap_or(aim)
            .max(start + 1);
        cuts.push(cut);
        start = cut;
    }
    if rows > 0 {
        cuts.push(rows);
    }
    cuts
}

/// For each row, the number of stored blocks `(i, j)` that a cut before it separates: `i < row <= j`.
fn blocks_across(row_offsets: &[usize], columns: &[u32]) -> Vec<usize> {
    let rows = row_offsets.len() - 1;
    let mut ends = vec![0_usize; rows + 1];
    let mut across = vec![0; rows + 1];
    let mut open = 0;
    for row in 0..rows {
        across[row] = open;
        for &column in &columns[row_offsets[row] + 1..row_offsets[row + 1]] {
            ends[column as usize] += 1;
            open += 1;
        }
        // Blocks of column `row` end here: no cut after it separates them.
        open -= ends[row];
    }
    across
}
