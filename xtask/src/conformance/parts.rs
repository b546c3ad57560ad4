//! Effect of each part of a method: variants that differ in one setting, on the same problems.

use std::fmt::Write as _;

use impinge_contact::Method;
use impinge_contact::Tolerances;
use impinge_contact::method::MethodError;
use impinge_report::MethodRow;
use impinge_report::effort::{pair, variants};
use impinge_sim::compare::MethodRecord;

/// Iteration limit of one solve by a variant: several times the need of any that converges; it bounds solves with
/// cycling active sets. Such a step counts with the limit.
pub(super) const MOST_ITERATIONS: u64 = 2000;

/// A method with some settings changed.
struct Variant {
    /// Its specification for `impinge compare --methods`, without the iteration limit.
    name: &'static str,
    /// Description of the difference.
    what: &'static str,
}

/// The variants; the first is the reference.
const VARIANTS: [Variant; 15] = [
    Variant {
        name: "cr",
        what: "the default: prediction, soft rows, implicit directions, rest, Full",
    },
    Variant {
        name: "cr-full",
        what: "states are not predicted: conjugate residuals from the first iteration on",
    },
    Variant {
        name: "cr-full:softness=0",
        what: "cr-full with hard rows",
    },
    Variant {
        name: "cr-full:direction_rule=damped",
        what: "cr-full with slip directions turned by a hundredth of the misalignment",
    },
    Variant {
        name: "cr-full:rest=0",
        what: "cr-full without rest: states looked at on the paper's schedule whether that leads anywhere or not",
    },
    Variant {
        name: "cr-full:duplicates=per_pair",
        what: "cr-full with all contacts of two rigid bodies counted as duplicates, as in the paper",
    },
    Variant {
        name: "cr-diagonal",
        what: "cr-full with the diagonal preconditioner",
    },
    Variant {
        name: "cr-diagonal:rest=0",
        what: "that without rest",
    },
    Variant {
        name: "cr-paper",
        what: "cr-full as printed: hard rows, damped directions, duplicates per pair, no rest, friction never relaxed",
    },
    Variant {
        name: "exact-compliance",
        what: "every body factorised: sweeps over the contacts alone, no iteration on A",
    },
    Variant {
        name: "sp-2cr",
        what: "staggered projections by conjugate residuals, Coulomb's cone",
    },
    Variant {
        name: "sp-2cr:law=pyramid:forcing=0",
        what: "as printed: friction pyramid, every projection to tolerance",
    },
    Variant {
        name: "sp-active-set",
        what: "staggered projections by an active-set method, Coulomb's cone",
    },
    Variant {
        name: "sp-active-set:law=pyramid:forcing=0",
        what: "as printed: friction pyramid, every projection to tolerance",
    },
    Variant {
        name: "ica:start=free:max_sweeps=50",
        what: "constraint anticipation as printed: from the motion without contacts",
    },
];

/// All variants, with their names in tables.
pub(super) fn contenders(tolerances: Tolerances) -> Result<Vec<(String, Method)>, MethodError> {
    VARIANTS
        .iter()
        .map(|variant| {
            let mut parts = variant.name.split(':');
            let mut method = Method::named(parts.next().unwrap_or_default(), tolerances)?;
            for (key, value) in parts.filter_map(|part| part.split_once('=')) {
                method.set(key, value)?;
            }
            *method.max_iterations_mut() = MOST_ITERATIONS;
            Ok((variant.name.to_owned(), method))
        })
        .collect()
}

/// Results: each row with its difference.
pub(super) fn rows(records: &[MethodRecord]) -> Vec<(String, MethodRow)> {
    MethodRow::of(records, VARIANTS[0].name, |_| None)
        .into_iter()
        .zip(&VARIANTS)
        .map(|(row, variant)| (variant.what.to_owned(), row))
        .collect()
}

/// The rows as text.
pub(super) fn text(rows: &[(String, MethodRow)]) -> String {
    let mut text = format!(
        "  what each part brings (at most {MOST_ITERATIONS} iterations a solve); per step, mean (median)\n  \
         {:>18}{:>16}{:>18}{:>7}  variant",
        "iterations", "/cr", "processor ms", "unmet"
    );
    for (what, row) in rows {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n  {:>18}{:>16}{:>18}{:>7}  {}: {what}",
            pair(row.iterations, 1),
            pair(row.ratio, 2),
            pair(row.milliseconds, 1),
            row.unmet,
            row.name
        );
    }
    text + "\n"
}

/// The rows as part of the scene's section.
pub(super) fn section(rows: &[(String, MethodRow)]) -> String {
    format!(
        "<h4>What each part brings</h4>\n<p class=\"note\">The same problems from the same warm starts by variants \
         that differ in one thing, at most {MOST_ITERATIONS} iterations a solve: one whose states go in circles ends \
         there and is unmet.</p>\n{}",
        variants(rows, VARIANTS[0].name)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCES: Tolerances = Tolerances {
        momentum: 1e-5,
        gap: 1e-6,
        slip: 1e-6,
    };

    /// An unknown setting, or one equal to the default, would compare a method with itself.
    #[test]
    fn every_variant_can_be_had_and_is_one() {
        let contenders = contenders(TOLERANCES).expect("settings that exist");
        assert_eq!(contenders.len(), VARIANTS.len());
        for (i, (name, method)) in contenders.iter().enumerate() {
            for (other_name, other) in &contenders[..i] {
                assert!(method != other, "{name} is {other_name}");
            }
        }
    }

    #[test]
    fn every_record_has_a_description() {
        let records: Vec<MethodRecord> = contenders(TOLERANCES)
            .expect("settings that exist")
            .into_iter()
            .map(|(name, settings)| MethodRecord {
                name,
                settings,
                steps: Vec::new(),
                refusal: None,
            })
            .collect();
        let rows = rows(&records);
        let html = section(&rows);
        for ((name, variant), (what, row)) in
            records.iter().map(|r| &r.name).zip(&VARIANTS).zip(&rows)
        {
            assert_eq!((what.as_str(), &row.name), (variant.what, name));
            assert!(html.contains(&format!("<td>{name}</td>")), "{html}");
            assert!(text(&rows).contains(&format!("{name}: {what}")));
        }
    }
}
