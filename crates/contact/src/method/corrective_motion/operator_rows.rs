//! The rows of `W` during assembly.

use super::contact_nodes::ContactNodes;
use crate::delassus::BlockRows;
use nalgebra::Matrix3;

/// The rows of `W` during assembly.
pub(super) struct OperatorRows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<Matrix3<f64>>,
}

impl OperatorRows {
    /// Zero blocks for the diagonal and all pairs of contacts with a common part, in the memory of `self`.
    pub(super) fn for_contacts(mut self, nodes: &ContactNodes) -> Self {
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        for (contact, parts) in nodes.of_contact.iter().enumerate() {
            let begin = self.columns.len();
            match parts.as_slice() {
                [] => self.columns.push(contact as u32),
                [(part, _)] => self.columns.extend(on(nodes, *part)),
                [(first, _), (second, _)] => {
                    merge(on(nodes, *first), on(nodes, *second), &mut self.columns);
                }
                many => {
                    let all = many.iter().flat_map(|&(part, _)| on(nodes, part));
                    let mut row: Vec<u32> = all.collect();
                    row.sort_unstable();
                    row.dedup();
                    self.columns.extend(row);
                }
            }
            debug_assert!(self.columns[begin..].is_sorted(), "ascending columns");
            self.starts.push(self.columns.len());
        }
        self.values.clear();
        self.values.resize(self.columns.len(), Matrix3::zeros());
        self
    }

    /// The rows of `w`; [cleared](Self::clear) rows must be filled again.
    pub(super) fn reusing(w: BlockRows) -> Self {
        let (starts, columns, values) = w.into_rows();
        Self {
            starts,
            columns,
            values,
        }
    }

    /// Sets all blocks of a contact to zero.
    pub(super) fn clear(&mut self, contact: usize) {
        for slot in self.starts[contact]..self.starts[contact + 1] {
            self.values[slot] = Matrix3::zeros();
            *self.at(self.columns[slot] as usize, contact) = Matrix3::zeros();
        }
    }

    /// Adds to a block and, off the diagonal, to its transpose.
    pub(super) fn add(&mut self, row: usize, column: usize, block: &Matrix3<f64>) {
        if row == column {
            let block = (block + block.transpose()) * 0.5;
            *self.at(row, column) += block;
        } else {
            *self.at(row, column) += block;
            *self.at(column, row) += block.transpose();
        }
    }

    /// The columns of a row, ascending, and its blocks.
    pub(super) fn row_mut(&mut self, row: usize) -> (&[u32], &mut [Matrix3<f64>]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &mut self.values[range])
    }

    fn at(&mut self, row: usize, column: usize) -> &mut Matrix3<f64> {
        let range = self.starts[row]..self.starts[row + 1];
        let place = self.columns[range.clone()].partition_point(|&c| (c as usize) < column);
        &mut self.values[range.start + place]
    }

    pub(super) fn finish(self) -> BlockRows {
        BlockRows::from_rows(self.starts, self.columns, self.values)
    }
}

/// Contacts on a part, ascending.
fn on(nodes: &ContactNodes, part: usize) -> impl Iterator<Item = u32> {
    nodes.on_part[part].iter().map(|touch| touch.contact as u32)
}

/// Appends the union of two ascending lists.
fn merge(first: impl Iterator<Item = u32>, second: impl Iterator<Item = u32>, out: &mut Vec<u32>) {
    let (mut first, mut second) = (first.peekable(), second.peekable());
    while let (Some(&a), Some(&b)) = (first.peek(), second.peek()) {
        out.push(a.min(b));
        if a <= b {
            first.next();
        }
        if b <= a {
            second.next();
        }
    }
    out.extend(first);
    out.extend(second);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_entries_are_merged_once() {
        let merged = |first: &[u32], second: &[u32]| {
            let mut out = vec![9];
            merge(first.iter().copied(), second.iter().copied(), &mut out);
            out
        };
        assert_eq!(merged(&[0, 2, 3, 7], &[1, 2, 7, 8]), [9, 0, 1, 2, 3, 7, 8]);
        assert_eq!(merged(&[], &[4]), [9, 4]);
        assert_eq!(merged(&[4, 5], &[]), [9, 4, 5]);
    }
}
