//! `W = J C Jᵀ`, built in 3×3 blocks.

use super::compliance::Compliance;
use super::kept::KeptRows;
use super::sweep::Delassus;
use super::touches::Touches;
use crate::delassus::BlockRows;
use nalgebra::{Matrix3, Vector3};

/// Marks a place that no response is asked of.
const NOWHERE: usize = usize::MAX;

/// `W` with the displacements under the forces of the moment.
#[derive(Default)]
pub(super) struct Built {
    /// Symmetric to the last bit: its rows are read as columns.
    pub(super) w: BlockRows,
    /// `W f`, kept up to date.
    moved: Vec<Vector3<f64>>,
}

impl Built {
    /// Builds `W`: one response of the compliance per contact and part it touches, then a product per pair of contacts that
    /// share a part. What two contacts make of each other is taken from `kept` where it knows both.
    ///
    /// Only pairs in order are computed: `W` is symmetric to the last bit, and the same whatever was kept as long as
    /// contacts keep their order.
    pub(super) fn new(
        touches: &Touches,
        compliance: &mut dyn Compliance,
        kept: &mut KeptRows,
    ) -> Self {
        let mut rows = kept.take(touches);
        let (mut response, mut index, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (part, list) in touches.on_part.iter().enumerate() {
            for (first, pushed) in list.iter().enumerate() {
                let anew = || {
                    let later = list[first..].iter();
                    later.filter(|felt| !kept.knows(felt.contact, pushed.contact))
                };
                for &place in &places {
                    index[place] = NOWHERE;
                }
                places.clear();
                for (place, _) in anew().flat_map(|felt| &felt.rows) {
                    if index.len() <= *place {
                        index.resize(place + 1, NOWHERE);
                    }
                    if index[*place] == NOWHERE {
                        index[*place] = places.len();
                        places.push(*place);
                    }
                }
                if places.is_empty() {
                    continue;
                }
                compliance.respond(part, &pushed.rows, &places, &mut response);
                for felt in anew() {
                    let mut block = Matrix3::zeros();
                    for (place, jacobian) in &felt.rows {
                        block += jacobian * response[index[*place]];
                    }
                    rows.add(felt.contact, pushed.contact, &block);
                }
            }
        }
        Self {
            moved: vec![Vector3::zeros(); touches.contacts],
            w: rows.finish(),
        }
    }
}

impl Delassus for Built {
    fn load(&mut self, forces: &[Vector3<f64>]) {
        self.moved.clear();
        self.moved.resize(self.w.size(), Vector3::zeros());
        // A third of all contacts stand open.
        for (contact, force) in forces.iter().enumerate() {
            self.change(contact, force);
        }
    }

    fn moved(&mut self) -> &mut Vec<Vector3<f64>> {
        &mut self.moved
    }

    fn displacement(&self, contact: usize) -> Vector3<f64> {
        self.moved[contact]
    }

    fn own(&self, contact: usize) -> &Matrix3<f64> {
        self.w.diagonal(contact)
    }

    fn change(&mut self, contact: usize, by: &Vector3<f64>) {
        if *by != Vector3::zeros() {
            self.w.add_row_transposed(contact, by, &mut self.moved);
        }
    }

    fn restrict(&self, contacts: &[u32], out: &mut BlockRows) {
        self.w.restrict_into(contacts, out);
    }
}

/// The rows of `W` while they are filled.
pub(super) struct Rows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<Matrix3<f64>>,
}

impl Rows {
    /// Places for all pairs of contacts that share a part, and for the diagonal, all zero; in the memory of `self`.
    pub(super) fn for_contacts(mut self, touches: &Touches) -> Self {
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        for (contact, parts) in touches.of_contact.iter().enumerate() {
            let begin = self.columns.len();
            match parts.as_slice() {
                [] => self.columns.push(contact as u32),
                [(part, _)] => self.columns.extend(on(touches, *part)),
                [(first, _), (second, _)] => {
                    merge(on(touches, *first), on(touches, *second), &mut self.columns);
                }
                many => {
                    let all = many.iter().flat_map(|&(part, _)| on(touches, part));
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

    /// The rows of `w`, to be filled anew where they are [cleared](Self::clear).
    pub(super) fn again(w: BlockRows) -> Self {
        let (starts, columns, values) = w.into_rows();
        Self {
            starts,
            columns,
            values,
        }
    }

    /// Zeros for all pairs that a contact is one of.
    pub(super) fn clear(&mut self, contact: usize) {
        for slot in self.starts[contact]..self.starts[contact + 1] {
            self.values[slot] = Matrix3::zeros();
            *self.at(self.columns[slot] as usize, contact) = Matrix3::zeros();
        }
    }

    /// Adds to a block and, off the diagonal, to its mirror image.
    fn add(&mut self, row: usize, column: usize, block: &Matrix3<f64>) {
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

    fn finish(self) -> BlockRows {
        BlockRows::from_rows(self.starts, self.columns, self.values)
    }
}

/// Contacts on a part, ascending.
fn on(touches: &Touches, part: usize) -> impl Iterator<Item = u32> {
    touches.on_part[part]
        .iter()
        .map(|touch| touch.contact as u32)
}

/// Appends what is in either of two ascending lists, once.
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
    fn what_is_in_both_lists_is_merged_once() {
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
