//! Mean, median and range of the columns of a table, in constant memory.

use std::path::Path;

use serde::Serialize;

use super::rows::open_table;
use super::{OutputError, column_names};

/// Mean, median and range of the finite values of one column, in its unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Statistics {
    /// Number of finite values; the smallest gap, for example, is infinite without contacts.
    pub count: usize,
    /// Arithmetic mean; `null` (NaN) without values.
    pub mean: f64,
    /// Median; for an even number of values, the mean of the two middle ones.
    pub median: f64,
    /// Smallest finite value.
    pub minimum: f64,
    /// Largest finite value.
    pub maximum: f64,
    /// Sum of the finite values.
    pub total: f64,
}

/// Columns without statistics: the step's number and time.
const LEADING: usize = 2;

/// Name and statistics of every column.
pub(super) type ColumnStatistics = Vec<(&'static str, Statistics)>;

/// Statistics of the columns of the table of steps at `path`, over the rows that end after each of some times (s).
///
/// # Errors
/// [`OutputError::Format`] naming an invalid row, or an error of the operating system.
pub(super) fn of_steps<const N: usize>(
    path: &Path,
    after: [f64; N],
) -> Result<[ColumnStatistics; N], OutputError> {
    let names = column_names();
    let mut selections = after.map(|_| vec![Selection::default(); names.len() - LEADING]);
    for byte in 0..size_of::<u64>() {
        let mut open = false;
        for_each_row(path, &names, |fields| {
            let time = number(fields, 1)?;
            for (column, field) in (LEADING..names.len()).enumerate() {
                let mut value = None;
                for (selection, after) in selections.iter_mut().zip(&after) {
                    if time > *after && !selection[column].is_settled {
                        let value = match value {
                            Some(value) => value,
                            None => *value.insert(number(fields, field)?),
                        };
                        selection[column].count(value, byte);
                    }
                }
            }
            Some(())
        })?;
        for selection in selections.iter_mut().flatten() {
            selection.settle(byte);
            open |= !selection.is_settled;
        }
        if !open {
            break;
        }
    }
    Ok(selections.map(|columns| {
        let statistics = columns.iter().map(Selection::statistics);
        names
            .iter()
            .copied()
            .skip(LEADING)
            .zip(statistics)
            .collect()
    }))
}

/// Passes the fields of every row of the table at `path` to `take`, which returns `None` for an invalid row.
///
/// # Errors
/// [`OutputError::Format`] naming a row that `take` rejects or that has other fields than `columns`, or an error of the
/// operating system.
pub(super) fn for_each_row<S: AsRef<str>>(
    path: &Path,
    columns: &[S],
    take: impl FnMut(&csv::StringRecord) -> Option<()>,
) -> Result<(), OutputError> {
    for_each_row_of(open_table(path, columns)?, path, columns.len(), take)
}

/// The same with a reader of rows of the table at `path`, which has `columns` columns.
///
/// # Errors
/// As for [`for_each_row`].
pub(super) fn for_each_row_of<R: std::io::Read>(
    mut reader: csv::Reader<R>,
    path: &Path,
    columns: usize,
    mut take: impl FnMut(&csv::StringRecord) -> Option<()>,
) -> Result<(), OutputError> {
    let mut record = csv::StringRecord::new();
    let damaged = |error: csv::Error| OutputError::format(path, error.to_string());
    let mut row = 0u64;
    while reader.read_record(&mut record).map_err(damaged)? {
        row += 1;
        if record.len() != columns || take(&record).is_none() {
            let problem = format!("row {row} below its header is damaged");
            return Err(OutputError::format(path, problem));
        }
    }
    Ok(())
}

/// A field as a number.
pub(super) fn number(fields: &csv::StringRecord, index: usize) -> Option<f64> {
    fields.get(index)?.parse().ok()
}

/// Results for the finite values of a column after some passes.
///
/// The two middle values are found exactly, one byte of their sort keys per pass, from the highest. Each pass counts
/// the next bytes of the values that share the known bytes.
#[derive(Debug, Clone, Default)]
struct Selection {
    count: u64,
    total: f64,
    minimum: f64,
    maximum: f64,
    middle: [Middle; 2],
    /// Whether further passes change nothing.
    is_settled: bool,
}

/// One of the middle values.
#[derive(Debug, Clone)]
struct Middle {
    /// The known bytes of its sort key; zeros below.
    key: u64,
    /// Number of smaller values with the same known bytes.
    rank: u64,
    /// Histogram of the next byte of the values with the same known bytes.
    next: [u32; 256],
}

impl Default for Middle {
    fn default() -> Self {
        Self {
            key: 0,
            rank: 0,
            next: [0; 256],
        }
    }
}

impl Selection {
    /// Counts `value` in the pass for byte `byte` from the top.
    fn count(&mut self, value: f64, byte: usize) {
        if !value.is_finite() {
            return;
        }
        let key = sort_key(value);
        if byte == 0 {
            if self.count == 0 {
                (self.minimum, self.maximum) = (value, value);
            }
            self.count += 1;
            self.total += value;
            if key < sort_key(self.minimum) {
                self.minimum = value;
            }
            if key > sort_key(self.maximum) {
                self.maximum = value;
            }
        }
        let bits = u64::BITS - 8 * byte as u32;
        for middle in &mut self.middle {
            // All bytes above are known.
            let has_known = byte == 0 || (key ^ middle.key) >> bits == 0;
            if has_known {
                middle.next[(key >> (bits - 8)) as usize & 0xff] += 1;
            }
        }
    }

    /// Ends a pass.
    fn settle(&mut self, byte: usize) {
        if self.is_settled {
            return;
        }
        if byte == 0 {
            let [below, above] = &mut self.middle;
            below.rank = self.count.saturating_sub(1) / 2;
            above.rank = self.count / 2;
            if self.count == 0 || self.minimum.to_bits() == self.maximum.to_bits() {
                self.is_settled = true;
                for middle in &mut self.middle {
                    middle.key = sort_key(self.minimum);
                }
                return;
            }
        }
        for middle in &mut self.middle {
            let mut next = 0;
            for (digit, count) in (0u64..).zip(&mut middle.next) {
                let count = u64::from(std::mem::take(count));
                if middle.rank < count {
                    next = digit;
                    break;
                }
                middle.rank -= count;
            }
            middle.next.fill(0);
            middle.key |= next << (u64::BITS as usize - 8 * (byte + 1));
        }
        self.is_settled = byte + 1 == size_of::<u64>();
    }

    fn statistics(&self) -> Statistics {
        let or_none = |value: f64| if self.count == 0 { f64::NAN } else { value };
        let [below, above] = self.middle.each_ref().map(|middle| value_of(middle.key));
        Statistics {
            count: self.count as usize,
            mean: self.total / self.count as f64,
            median: or_none(0.5 * (below + above)),
            minimum: or_none(self.minimum),
            maximum: or_none(self.maximum),
            total: self.total,
        }
    }
}

const SIGN: u64 = 1 << 63;

/// An integer with the same order as `value`.
fn sort_key(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The value with the sort key `key`.
fn value_of(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference result by sorting.
    fn expected(values: &[f64]) -> (usize, f64, f64, f64) {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let count = sorted.len();
        let median = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
        (count, median, sorted[0], sorted[count - 1])
    }

    fn statistics(values: &[f64]) -> Statistics {
        let mut selection = Selection::default();
        for byte in 0..size_of::<u64>() {
            if !selection.is_settled {
                for &value in values {
                    selection.count(value, byte);
                }
            }
            selection.settle(byte);
        }
        selection.statistics()
    }

    #[test]
    fn medians_are_those_of_sorted_values() {
        let mut state = 1u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            f64::from_bits(state ^ (state >> 29))
        };
        for count in [1, 2, 3, 7, 64, 1001] {
            let any: Vec<f64> = (0..count).map(|_| random()).collect();
            let near: Vec<f64> = any
                .iter()
                .map(|v| 1.0 + (v.to_bits() % 9) as f64 * 1e-16)
                .collect();
            let signed: Vec<f64> = near.iter().zip(&any).map(|(n, a)| n.copysign(*a)).collect();
            for values in [any, near, signed] {
                if values.iter().all(|v| !v.is_finite()) {
                    continue;
                }
                let found = statistics(&values);
                let (count, median, minimum, maximum) = expected(&values);
                assert_eq!(found.count, count);
                let pairs = [
                    (found.median, median),
                    (found.minimum, minimum),
                    (found.maximum, maximum),
                ];
                for (found, expected) in pairs {
                    assert_eq!(
                        found.to_bits(),
                        expected.to_bits(),
                        "{found} for {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn statistics_of_few_numbers() {
        let odd = statistics(&[3.0, 1.0, 8.0, f64::INFINITY]);
        assert_eq!(odd.count, 3);
        assert!((odd.mean - 4.0).abs() < 1e-15 && (odd.median - 3.0).abs() < 1e-15);
        assert!((odd.minimum - 1.0).abs() < 1e-15 && (odd.maximum - 8.0).abs() < 1e-15);
        let even = statistics(&[4.0, 1.0, 3.0, 2.0]);
        assert!((even.median - 2.5).abs() < 1e-15 && (even.total - 10.0).abs() < 1e-15);
        let none = statistics(&[f64::NAN]);
        assert!(none.count == 0 && none.mean.is_nan() && none.median.is_nan());
    }
}
