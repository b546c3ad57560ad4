//! Comparison of two lists of results: which differ, and where first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::book::{Line, Number};

/// Relative difference up to which plain numbers count as equal, over the largest number of their kind in a case: far
/// above the effect of rounding on short runs, far below that of another method.
const NEAR: f64 = 1e-6;

/// Largest effect of rounding on a firm number, over [`NEAR`]: other processors round differently.
const FIRM: f64 = 0.01;

/// How a case differs.
#[derive(Debug, PartialEq)]
pub(super) struct Difference {
    case: String,
    /// Results of the case that differ.
    results: usize,
    /// The first of them in the order of the file: frames, then tables.
    first: String,
    /// The difference.
    how: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} results differ, first {}: {}",
            self.case, self.results, self.first, self.how
        )
    }
}

/// Number of results in which cases differ.
pub(super) fn results(differences: &[Difference]) -> usize {
    differences
        .iter()
        .map(|difference| difference.results)
        .sum()
}

/// The results whose hashes differ, and missing or new ones.
pub(super) fn bits(known: &[Line], found: &[Line]) -> Vec<Difference> {
    let scales = scales(known);
    of(known, found, |old, new| {
        (old.hash != new.hash).then(|| {
            let changed = changed(old, new, &scales, Bound::None);
            if changed.is_empty() {
                "bits that its numbers do not show".to_owned()
            } else {
                changed
            }
        })
    })
}

/// The results whose plain numbers differ, and missing or new ones.
pub(super) fn numbers(known: &[Line], found: &[Line]) -> Vec<Difference> {
    let scales = scales(known);
    of(known, found, |old, new| {
        let changed = changed(old, new, &scales, Bound::Near);
        (!changed.is_empty()).then_some(changed)
    })
}

/// The largest number of each kind in each case.
fn scales(lines: &[Line]) -> BTreeMap<(&str, &str), f64> {
    let mut scales = BTreeMap::new();
    for line in lines {
        for number in &line.numbers {
            let key = (line.case.as_str(), number.name.as_str());
            let scale: &mut f64 = scales.entry(key).or_default();
            *scale = scale.max(number.value.abs());
        }
    }
    scales
}

/// Bound of the differences that count.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    /// All differences.
    None,
    /// Differences of firm numbers above the bound.
    Near,
}

/// Numbers that differ, as text.
fn changed(old: &Line, new: &Line, scales: &BTreeMap<(&str, &str), f64>, bound: Bound) -> String {
    let names = |line: &Line| -> Vec<String> {
        let numbers = line.numbers.iter();
        numbers.map(|number| number.name.clone()).collect()
    };
    if names(old) != names(new) {
        return "its plain numbers have other names".to_owned();
    }
    let differ = |old_number: &Number, new_number: &Number| {
        let (a, b) = (old_number.value, new_number.value);
        let key = (old.case.as_str(), old_number.name.as_str());
        let scale = scales.get(&key).copied().unwrap_or(0.0);
        match bound {
            Bound::None => a.to_bits() != b.to_bits(),
            // NaN and infinity equal only themselves.
            Bound::Near => {
                let is_near = a.to_bits() == b.to_bits() || (a - b).abs() <= NEAR * scale;
                old_number.is_firm && !is_near
            }
        }
    };
    let pairs = old.numbers.iter().zip(&new.numbers);
    let changed: Vec<String> = pairs
        .filter(|(old, new)| differ(old, new))
        .map(|(old, new)| format!("{} {:?} is {:?}", old.name, old.value, new.value))
        .collect();
    changed.join(", ")
}

/// Marks the numbers that rounding changed.
pub(super) fn soften(lines: &mut [Line], rounded: &[Line]) {
    let copy = lines.to_vec();
    let scales = scales(&copy);
    for line in lines {
        let other = (rounded.iter())
            .find(|other| (&other.case, &other.quantity) == (&line.case, &line.quantity));
        for index in 0..line.numbers.len() {
            let number = &line.numbers[index];
            let scale = scales.get(&(line.case.as_str(), number.name.as_str()));
            let allowed = FIRM * NEAR * scale.copied().unwrap_or(0.0);
            let is_near = other
                .and_then(|other| other.numbers.get(index))
                .is_some_and(|other| (other.value - number.value).abs() <= allowed);
            line.numbers[index].is_firm &= is_near;
        }
    }
}

fn of(
    known: &[Line],
    found: &[Line],
    differ: impl Fn(&Line, &Line) -> Option<String>,
) -> Vec<Difference> {
    let by_name = |lines: &[Line]| -> BTreeMap<(String, String), Line> {
        lines
            .iter()
            .map(|line| ((line.case.clone(), line.quantity.clone()), line.clone()))
            .collect()
    };
    let (known, found) = (by_name(known), by_name(found));
    let names: BTreeSet<&(String, String)> = known.keys().chain(found.keys()).collect();
    let mut differences: Vec<Difference> = Vec::new();
    for name in names {
        let how = match (known.get(name), found.get(name)) {
            (Some(old), Some(new)) => differ(old, new),
            (Some(_), None) => Some("it is missing".to_owned()),
            (None, _) => Some("it is not in the record".to_owned()),
        };
        let Some(how) = how else { continue };
        let (case, quantity) = name;
        match differences.last_mut().filter(|last| last.case == *case) {
            Some(last) => last.results += 1,
            None => differences.push(Difference {
                case: case.clone(),
                results: 1,
                first: quantity.clone(),
                how,
            }),
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(energy: f64, bytes: &[u8]) -> Vec<Line> {
        vec![
            Line::new("drop", "frame_00000", b"0").with("energy", 2.0),
            Line::new("drop", "frame_00001", bytes).with("energy", energy),
            Line::new("drop", "steps.csv", bytes),
            Line::new("roll", "steps.csv", b"0"),
        ]
    }

    #[test]
    fn the_first_difference_of_a_case_is_named() {
        let (old, new) = (lines(1.0, b"1"), lines(1.0 + 1e-12, b"2"));
        let found = bits(&old, &new);
        assert_eq!(results(&found), 2);
        assert_eq!(
            found[0].to_string(),
            "drop: 2 results differ, first frame_00001: energy 1.0 is 1.000000000001"
        );
        assert_eq!(numbers(&old, &new), []);
        assert_eq!(bits(&old, &old), []);
    }

    #[test]
    fn numbers_are_compared_on_the_scale_of_their_case() {
        let old = lines(0.0, b"1");
        assert_eq!(numbers(&old, &lines(1e-6, b"1")), []);
        assert_eq!(numbers(&old, &lines(3e-6, b"1")).len(), 1);
        assert_eq!(numbers(&old, &lines(f64::NAN, b"1")).len(), 1);
    }

    #[test]
    fn numbers_that_rounding_changes_are_not_compared() {
        let mut old = lines(1.0, b"1");
        soften(&mut old, &lines(1.0 + 1e-10, b"1"));
        assert_eq!(numbers(&old, &lines(1.1, b"1")).len(), 1);
        soften(&mut old, &lines(1.0 + 1e-3, b"1"));
        assert_eq!(numbers(&old, &lines(1.1, b"1")), []);
        assert_eq!(results(&bits(&old, &lines(1.1, b"2"))), 2);
    }

    #[test]
    fn results_that_come_or_go_are_differences() {
        let all = lines(1.0, b"1");
        assert_eq!(bits(&all, &all[..3])[0].how, "it is missing");
        assert_eq!(numbers(&all[1..], &all)[0].how, "it is not in the record");
    }
}
