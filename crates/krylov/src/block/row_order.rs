//! The product of a symmetric half-stored matrix with a vector, in the order of the rows.
//!
//! [`multiply`](super::product::multiply) sums chunk by chunk, so its bits depend on where chunks begin, and so on rows
//! that are not coupled. Here every entry is the sum of the same terms in the order of the rows, for any number of
//! threads and whatever else the matrix holds.

use super::pattern::BlockPattern;
use super::product::{Product, add};
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// `y += A x`. Tasks own ranges of rows. A task also visits the rows before its own that reach into them.
pub(super) fn add_product(
    pattern: &BlockPattern,
    values: &[Matrix3<f64>],
    x: &[f64],
    y: &mut [f64],
) {
    let product = Product::new(pattern, values, x);
    let y = y.as_chunks_mut().0;
    if rayon::current_num_threads() == 1 {
        let whole = Task {
            rows: 0..pattern.blocks(),
            reached_from: 0,
        };
        product.add_rows(&whole, y);
    } else {
        product.add_tasks(&tasks_of(pattern), y);
    }
}

/// The rows of a task, and the first row that reaches into them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Task {
    rows: Range<usize>,
    reached_from: usize,
}

/// The chunks of a pattern as tasks: chunks are cut where few blocks cross.
fn tasks_of(pattern: &BlockPattern) -> Vec<Task> {
    let partition = pattern.partition();
    let chunks = (0..partition.chunks()).map(|chunk| partition.rows(chunk));
    let mut tasks: Vec<Task> = chunks
        .map(|rows| Task {
            reached_from: rows.start,
            rows,
        })
        .collect();
    for number in 0..tasks.len() {
        let (earlier, later) = tasks.split_at_mut(number + 1);
        let rows = earlier[number].rows.clone();
        for row in rows.clone() {
            // Columns ascend, so those beyond the task are the last ones.
            let beyond = pattern.columns()[pattern.row(row)].iter().rev();
            for &column in beyond.take_while(|&&column| column as usize >= rows.end) {
                let owner = later.partition_point(|task| task.rows.end <= column as usize);
                let reached_from = &mut later[owner].reached_from;
                *reached_from = row.min(*reached_from);
            }
        }
    }
    tasks
}

impl Product<'_> {
    /// Adds the products of tasks to their rows, `y`.
    fn add_tasks(&self, tasks: &[Task], y: &mut [[f64; 3]]) {
        match tasks {
            [] => {}
            [task] => self.add_rows(task, y),
            [first, ..] => {
                let (left, right) = tasks.split_at(tasks.len() / 2);
                let (of_left, of_right) = y.split_at_mut(right[0].rows.start - first.rows.start);
                rayon::join(
                    || self.add_tasks(left, of_left),
                    || self.add_tasks(right, of_right),
                );
            }
        }
    }

    fn add_rows(&self, task: &Task, y: &mut [[f64; 3]]) {
        let Task { rows, reached_from } = task;
        let columns = self.pattern.columns();
        for row in *reached_from..rows.end {
            let x = Vector3::from(self.x[row]);
            let slots = self.pattern.row(row);
            let before = columns[slots.clone()].partition_point(|&c| (c as usize) < rows.start);
            for slot in slots.start + before..slots.end {
                let column = columns[slot] as usize;
                let block = &self.values[slot];
                if row >= rows.start {
                    let of_column = block * Vector3::from(self.x[column]);
                    add(&mut y[row - rows.start], &of_column.into());
                }
                if column >= rows.end {
                    if row < rows.start {
                        break;
                    }
                } else if column != row {
                    add(&mut y[column - rows.start], &block.tr_mul(&x).into());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// For chunks of any size, the bits of a sum over all rows, one after the other.
        #[test]
        fn sums_have_the_order_of_the_rows(
            blocks in 0..40_u32,
            pairs in prop::collection::vec((0..40_u32, 0..40_u32), 0..200),
            numbers in prop::collection::vec(-1.0..1.0_f64, 100),
            chunk_rows in 1..50_usize,
        ) {
            let pairs = pairs.into_iter().filter(|&(i, j)| i.max(j) < blocks);
            let pattern = BlockPattern::with_chunk_rows(blocks as usize, pairs, chunk_rows);
            let mut numbers = numbers.iter().copied().cycle();
            let mut next = || numbers.next().unwrap_or_default();
            let values: Vec<Matrix3<f64>> =
                (0..pattern.slots()).map(|_| Matrix3::from_fn(|_, _| next())).collect();
            let length = 3 * pattern.blocks();
            let [x, start] = [(); 2].map(|()| (0..length).map(|_| next()).collect::<Vec<f64>>());

            let mut expected = start.clone();
            for row in 0..pattern.blocks() {
                for slot in pattern.row(row) {
                    let column = pattern.columns()[slot] as usize;
                    let of = |block: usize| Vector3::from_column_slice(&x[3 * block..][..3]);
                    let mut add = |block: usize, by: Vector3<f64>| {
                        for axis in 0..3 {
                            expected[3 * block + axis] += by[axis];
                        }
                    };
                    add(row, values[slot] * of(column));
                    if column != row {
                        add(column, values[slot].tr_mul(&of(row)));
                    }
                }
            }

            let mut y = start;
            let product = Product::new(&pattern, &values, &x);
            let tasks = tasks_of(&pattern);
            let rows: Vec<usize> = tasks.iter().flat_map(|task| task.rows.clone()).collect();
            prop_assert_eq!(rows, (0..pattern.blocks()).collect::<Vec<_>>());
            product.add_tasks(&tasks, y.as_chunks_mut().0);
            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&y), bits(&expected));
        }
    }
}
