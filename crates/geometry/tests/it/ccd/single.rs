//! Single queries with obvious answers.

use impinge_geometry::ccd::{CcdRule, Toi, edge_edge, vertex_face};
use nalgebra::Vector3;

fn falling_vertex(from: f64, to: f64) -> ([Vector3<f64>; 4], [Vector3<f64>; 4]) {
    let corners = |height: f64| {
        [
            Vector3::new(0.25, 0.25, height),
            Vector3::zeros(),
            Vector3::x(),
            Vector3::y(),
        ]
    };
    (corners(from), corners(to))
}

#[test]
fn time_of_impact_is_tight() {
    let (start, end) = falling_vertex(1.0, -2.0);
    let rule = CcdRule::default();
    let time = vertex_face(&start, &end, &rule).time().unwrap();
    assert!(
        (1.0 / 3.0 - 2.0 * rule.time_tolerance..=1.0 / 3.0).contains(&time),
        "{time}"
    );

    let separated = CcdRule {
        minimum_separation: 0.25,
        ..rule
    };
    let time = vertex_face(&start, &end, &separated).time().unwrap();
    assert!(
        (0.25 - 2.0 * rule.time_tolerance..=0.25).contains(&time),
        "{time}"
    );
}

#[test]
fn stopping_short_is_separated_and_touching_at_the_end_is_not() {
    let rule = CcdRule::default();
    let (start, end) = falling_vertex(1.0, 1e-14);
    assert_eq!(vertex_face(&start, &end, &rule), Toi::Separated);
    let (start, end) = falling_vertex(1.0, 0.0);
    assert!(vertex_face(&start, &end, &rule).time().is_some());
    let (start, end) = falling_vertex(0.0, 1.0);
    assert_eq!(vertex_face(&start, &end, &rule).time(), Some(0.0));
}

#[test]
fn work_limit_is_conservative_and_reported() {
    let (mut start, mut end) = falling_vertex(1.0, -2.0);
    start[3].z = 0.3;
    end[2].z = -0.2;
    let rule = CcdRule {
        work_limit: 2,
        ..CcdRule::default()
    };
    let full = vertex_face(&start, &end, &CcdRule::default());
    match (vertex_face(&start, &end, &rule), full) {
        (
            Toi::Impact {
                time,
                work_limited: true,
            },
            Toi::Impact {
                time: later,
                work_limited: false,
            },
        ) => assert!(time <= later),
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_that_are_not_finite_are_impacts() {
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for k in 0..4 {
            for c in 0..3 {
                // Far apart on one axis, where a minimum that ignores NaN would find a gap.
                let (mut broken, sound) = falling_vertex(100.0, 100.0);
                broken[k][c] = wrong;
                for query in [vertex_face, edge_edge] {
                    let rule = CcdRule::default();
                    assert_eq!(query(&broken, &sound, &rule).time(), Some(0.0));
                    assert_eq!(query(&sound, &broken, &rule).time(), Some(0.0));
                }
            }
        }
    }
}
