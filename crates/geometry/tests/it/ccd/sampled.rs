//! Dense sampling of distances.

use impinge_geometry::ccd::{CcdRule, Toi, edge_edge, vertex_face};
use impinge_geometry::distance;
use nalgebra::Vector3;
use proptest::prelude::*;

use super::Query;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn sampled_distances_agree(
        start in prop::array::uniform4(point()),
        end in prop::array::uniform4(point()),
        separation in prop_oneof![Just(0.0), 1e-4..1.0],
    ) {
        let rule = CcdRule { minimum_separation: separation, ..CcdRule::default() };
        check_against_samples(&start, &end, &rule, vertex_face, |p| {
            distance::point_triangle(&p[0], &[p[1], p[2], p[3]]).distance_squared.sqrt()
        })?;
        check_against_samples(&start, &end, &rule, edge_edge, |p| {
            distance::edge_edge(&[p[0], p[1]], &[p[2], p[3]]).distance_squared.sqrt()
        })?;
    }
}

fn point() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-2.0..2.0).prop_map(Vector3::from)
}

/// Sampled times per step.
const SAMPLES: u32 = 400;

fn check_against_samples(
    start: &[Vector3<f64>; 4],
    end: &[Vector3<f64>; 4],
    rule: &CcdRule,
    query: Query,
    distance: impl Fn(&[Vector3<f64>; 4]) -> f64,
) -> Result<(), TestCaseError> {
    let answer = query(start, end, rule);
    let mut closest = f64::INFINITY;
    for i in 0..=SAMPLES {
        let time = f64::from(i) / f64::from(SAMPLES);
        let at: [_; 4] = std::array::from_fn(|k| start[k] * (1.0 - time) + end[k] * time);
        let distance = distance(&at);
        closest = closest.min(distance);
        // The proof: more than the separation before the reported time.
        if answer.time().is_none_or(|impact| time < impact) {
            prop_assert!(
                distance > rule.minimum_separation - 1e-13,
                "{distance} at {time}"
            );
        }
    }
    // Between samples no pair of points approaches more than twice the motion of the fastest corner in half an
    // interval.
    let fastest = (0..4)
        .map(|k| (end[k] - start[k]).norm())
        .fold(0.0, f64::max);
    let approach = fastest * (1.0 / f64::from(SAMPLES) + 2.0 * rule.time_tolerance);
    if closest > rule.minimum_separation + approach {
        prop_assert_eq!(answer, Toi::Separated);
    }
    Ok(())
}
