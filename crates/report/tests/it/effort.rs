//! The table of methods.

use impinge_report::MethodRow;
use impinge_report::effort::table;
use impinge_sim::compare::{MethodRecord, StepEffort};

use super::land;

fn row(name: &str, unmet: u32, residuals: [f64; 4]) -> MethodRow {
    let records: Vec<MethodRecord> = land(&["cr"], 4, 1).records;
    let mut record = records[0].clone();
    name.clone_into(&mut record.name);
    record.steps = vec![StepEffort {
        iterations: 10,
        seconds: 1.0,
        unmet,
        momentum: residuals[0],
        normal: residuals[1],
        friction: residuals[2],
        penetration: residuals[3],
        ..StepEffort::default()
    }];
    MethodRow::of(&[record], name, |_| None).remove(0)
}

#[test]
fn unmet_solves_are_marked() {
    let marked = |row: MethodRow| table(&[row], "a").matches("class=\"bad\"").count();
    assert_eq!(marked(row("a", 0, [1.0, 1.9, 0.0, 0.5])), 0);
    assert_eq!(marked(row("a", 1, [1.0, 1.9, 0.0, 0.5])), 1);
    assert_eq!(marked(row("a", 1, [2.0, 0.0, 7.0, 0.0])), 3);
    assert_eq!(marked(row("a", 0, [f64::NAN, 0.0, 0.0, 3.0])), 2);
}

#[test]
fn nan_is_a_dash() {
    let row = row("a<b>", 0, [f64::NAN; 4]);
    let html = table(&[row], "a<b>");
    assert!(!html.contains("NaN") && html.contains('–'), "{html}");
    assert!(html.contains("<td>a&lt;b&gt;</td>"), "{html}");
}

/// There is a column for a paper's ratio only if the paper gives one.
#[test]
fn ratios_refer_to_the_reference() {
    let records = land(&["cr", "sp-2cr"], 1, 2).records;
    let rows = MethodRow::of(&records, "sp-2cr", |name| (name == "cr").then_some(0.5));
    let [cr, sp] = [&rows[0], &rows[1]];
    assert!((sp.ratio.mean - 1.0).abs() < 1e-15);
    assert!((cr.ratio.mean - cr.iterations.mean / sp.iterations.mean).abs() < 1e-15);
    assert!(table(&rows, "sp-2cr").contains("<th>paper</th>"));
    let without = MethodRow::of(&records, "sp-2cr", |_| None);
    assert!(!table(&without, "sp-2cr").contains("paper"));
    assert!(MethodRow::of(&records, "ica", |_| None).is_empty());
}
