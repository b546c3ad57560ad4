//! Continuous queries against exact arithmetic: no contact may be missed or reported late.

use impinge_ccd_oracle::generate::{self, Generated};
use impinge_ccd_oracle::{Corners, ExactQuery, Kind};
use impinge_geometry::ccd::{CcdRule, Toi, edge_edge, vertex_face};
use nalgebra::Vector3;
use proptest::prelude::*;

use super::stored::{Stored, stored_queries};

/// Generated queries checked here; `cargo xtask conformance geometry --random` checks millions.
const SAMPLE: u64 = 12_000;

fn answer(kind: Kind, start: &Corners, end: &Corners, rule: &CcdRule) -> Toi {
    let (start, end) = (start.map(Vector3::from), end.map(Vector3::from));
    match kind {
        Kind::VertexFace => vertex_face(&start, &end, rule),
        Kind::EdgeEdge => edge_edge(&start, &end, rule),
    }
}

/// Checks the claim of the answer exactly: no contact at all, or none before its time.
fn check(kind: Kind, start: &Corners, end: &Corners, rule: &CcdRule) -> Result<Toi, String> {
    let exact = ExactQuery::new(kind, start, end, rule.minimum_separation).ok_or("not finite")?;
    let toi = answer(kind, start, end, rule);
    match toi {
        Toi::Separated if exact.touches() => Err("missed".to_owned()),
        Toi::Impact { time, .. } if !(0.0..=1.0).contains(&time) => {
            Err(format!("time {time} outside the step"))
        }
        Toi::Impact { time, .. } if exact.touches_before(time) => Err(format!("late: {time}")),
        _ => Ok(toi),
    }
}

#[test]
fn generated_queries_are_neither_missed_nor_late() {
    let default = CcdRule::default();
    let rules = [
        default,
        CcdRule {
            time_tolerance: 0.0,
            work_limit: 4096,
            ..default
        },
        CcdRule {
            work_limit: 2,
            ..default
        },
        CcdRule {
            time_tolerance: 0.3,
            distance_tolerance: 1e-3,
            ..default
        },
    ];
    let mut answers = [0, 0];
    for number in 0..SAMPLE {
        let Generated {
            kind,
            start,
            end,
            separation,
            ..
        } = generate::query(0, number);
        // Offset by two families, so that every family is tested with every rule.
        let rule = CcdRule {
            minimum_separation: separation,
            ..rules[(number / 22 % 8).saturating_sub(4) as usize]
        };
        let toi = check(kind, &start, &end, &rule)
            .unwrap_or_else(|what| panic!("{what}: query {number}, {rule:?}"));
        answers[usize::from(toi == Toi::Separated)] += 1;
    }
    let [impacts, separated] = answers;
    assert!(
        impacts > SAMPLE / 4 && separated > SAMPLE / 8,
        "{impacts} impacts, {separated} separated"
    );
}

/// The oracle itself is tested with published answers.
#[test]
fn the_oracle_agrees_with_the_stored_answers() {
    for file in [
        "queries_vf.csv",
        "queries_ee.csv",
        "supplement_vf.csv",
        "supplement_ee.csv",
    ] {
        for Stored {
            line,
            kind,
            start,
            end,
            contact,
        } in stored_queries(file)
        {
            let exact =
                ExactQuery::new(kind, &start, &end, 0.0).expect("stored numbers are finite");
            assert_eq!(exact.touches(), contact.is_some(), "{file}:{line}");
            if let Some([before, after]) = contact {
                assert!(!exact.touches_before(before), "{file}:{line}");
                assert!(exact.touches_within(before, after), "{file}:{line}");
            }
        }
    }
}

/// Coordinates of every magnitude and sign, subnormal ones included; many are equal.
fn any_coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        prop::sample::select(vec![
            0.0,
            1.0,
            -1.0,
            1e30,
            -1e30,
            5e-324,
            1e-200,
            1e154,
            f64::MAX
        ]),
        -1.0..1.0,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn numbers_of_any_size_are_neither_missed_nor_late(
        start in prop::array::uniform4(prop::array::uniform3(any_coordinate())),
        end in prop::array::uniform4(prop::array::uniform3(any_coordinate())),
        separation in prop_oneof![Just(0.0), any_coordinate().prop_map(f64::abs)],
    ) {
        let rule = CcdRule { minimum_separation: separation, ..CcdRule::default() };
        for kind in [Kind::VertexFace, Kind::EdgeEdge] {
            for (start, end) in [(&start, &end), (&start, &start)] {
                let checked = check(kind, start, end, &rule);
                prop_assert!(checked.is_ok(), "{:?}", checked);
            }
        }
    }

    /// Densely sampled distances never contradict the oracle: the only other test of separations.
    #[test]
    fn the_oracle_agrees_with_sampled_distances(
        start in prop::array::uniform4(prop::array::uniform3(-1.0..1.0)),
        end in prop::array::uniform4(prop::array::uniform3(-1.0..1.0)),
        separation in 0.01..0.5,
    ) {
        use impinge_geometry::distance;
        for kind in [Kind::VertexFace, Kind::EdgeEdge] {
            let mut closest = f64::INFINITY;
            for i in 0..=400 {
                let time = f64::from(i) / 400.0;
                let p: [Vector3<f64>; 4] = std::array::from_fn(|k| {
                    Vector3::from(start[k]) * (1.0 - time) + Vector3::from(end[k]) * time
                });
                closest = closest.min(match kind {
                    Kind::VertexFace => distance::point_triangle(&p[0], &[p[1], p[2], p[3]]).distance_squared,
                    Kind::EdgeEdge => distance::edge_edge(&[p[0], p[1]], &[p[2], p[3]]).distance_squared,
                }.sqrt());
            }
            let exact = ExactQuery::new(kind, &start, &end, separation).expect("finite");
            // Corners move at most √12 in a step, so distances differ by at most 2 √12 / 800 from those of the nearest
            // sample.
            if closest < separation - 1e-9 {
                prop_assert!(exact.touches());
            } else if closest > separation + 0.009 {
                prop_assert!(!exact.touches());
            }
        }
    }
}
