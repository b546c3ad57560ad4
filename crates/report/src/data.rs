//! The numbers of the plots on a page, as comma-separated values with column names.

use impinge_sim::compare::MethodRecord;
use serde::Serialize;

use crate::convergence::Curve;

/// Effort and accuracy of every method in every step, as in figures 10 and 11 of Verschoor & Jalba 2019,
/// <https://doi.org/10.1145/3209887>.
///
/// Columns as the fields of [`StepEffort`](impinge_sim::compare::StepEffort), the method first.
pub fn efforts(records: &[MethodRecord]) -> String {
    let rows = records.iter().flat_map(|record| {
        record.steps.iter().map(|step| {
            (
                &record.name,
                step.step,
                step.solves,
                step.contacts,
                step.iterations,
                step.products,
                step.seconds,
                step.unmet,
                step.relaxed,
                step.momentum,
                step.normal,
                step.friction,
                step.state_changes,
                step.penetration,
            )
        })
    });
    table(
        "method step solves contacts iterations products seconds unmet relaxed momentum normal friction state_changes \
         penetration",
        rows,
    )
}

/// Convergence of the methods on one step, as in figure 6 of that paper.
///
/// Columns as the fields of [`Point`](crate::convergence::Point), the method and the round, from 1, first.
pub fn convergence(curves: &[Curve]) -> String {
    let rows = curves.iter().flat_map(|curve| {
        (0..).zip(&curve.points).map(|(place, point)| {
            (
                &curve.name,
                1 + curve.rounds.partition_point(|&first| first <= place),
                point.iterations,
                point.momentum,
                point.preconditioned,
                point.constraints,
                point.state_changes,
            )
        })
    });
    table(
        "method round iterations momentum preconditioned constraints state_changes",
        rows,
    )
}

/// Rows of numbers and texts below `columns`, whose names are separated by spaces.
pub fn table(columns: &str, rows: impl IntoIterator<Item = impl Serialize>) -> String {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    // Flat records in memory: writing cannot fail.
    let _ = writer.write_record(columns.split(' '));
    for row in rows {
        let _ = writer.serialize(row);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convergence::Point;

    /// The first point of a round belongs to it.
    #[test]
    fn points_are_told_apart_by_round() {
        let point = |iterations| Point {
            iterations,
            momentum: 2.5,
            preconditioned: 1e-9,
            constraints: f64::NAN,
            state_changes: 3,
        };
        let curve = Curve {
            name: "a,b".to_owned(),
            points: [0, 4, 4, 6].map(point).to_vec(),
            rounds: vec![2],
            answers: Vec::new(),
        };
        assert_eq!(
            convergence(&[curve]),
            "method,round,iterations,momentum,preconditioned,constraints,state_changes\n\
             \"a,b\",1,0,2.5,1e-9,NaN,3\n\
             \"a,b\",1,4,2.5,1e-9,NaN,3\n\
             \"a,b\",2,4,2.5,1e-9,NaN,3\n\
             \"a,b\",2,6,2.5,1e-9,NaN,3\n"
        );
    }

    #[test]
    fn columns_have_names_without_a_row() {
        let head = "method,step,solves,contacts,iterations,products,seconds,unmet,relaxed,";
        assert!(efforts(&[]).starts_with(head));
        assert_eq!(efforts(&[]).lines().count(), 1);
    }
}
