//! Separating slabs: never too late, and not much too early.

use super::support::{moving_point, positions, vector, whims};
use impinge_geometry::kinetic::separating_slab::{
    distance_waiting_time, plane_waiting_time, slab_waiting_time,
};
use impinge_geometry::kinetic::{MovingPoint, PairKind};
use nalgebra::Vector3;
use proptest::prelude::*;

fn kind() -> impl Strategy<Value = PairKind> {
    prop_oneof![Just(PairKind::VertexFace), Just(PairKind::EdgeEdge)]
}

/// Error of the sampling itself (m): a hundred roundings of positions of a few metres.
const SAMPLING: f64 = 1e-13;

/// Duration of the sampling if a certificate never ends (s).
const LONG: f64 = 10.0;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn features_stay_apart_as_long_as_either_certificate_says(
        kind in kind(),
        points in [moving_point(), moving_point(), moving_point(), moving_point()],
        whims in whims(5),
        share in 0.0..1.0_f64,
        scale in prop_oneof![Just(1.0), Just(1e-3), Just(1e3)],
    ) {
        let points = points.map(|p| MovingPoint { position: p.position * scale, ..p });
        let closest = kind.closest(&points.map(|point| point.position));
        prop_assume!(closest.distance > 1e-9 * scale);
        let separation = closest.distance * share;
        for wait in [
            slab_waiting_time(kind, &closest.normal, &points, separation),
            distance_waiting_time(kind, closest.distance, &points, separation),
        ] {
            let mut least = f64::INFINITY;
            positions(&points, &whims, wait.min(LONG), |at| {
                least = least.min(kind.closest(at).distance);
            });
            prop_assert!(least >= separation - SAMPLING * scale.max(LONG), "{least} < {separation}");
        }
    }

    #[test]
    fn a_point_stays_above_a_plane_as_long_as_its_certificate_says(
        points in [moving_point(), moving_point(), moving_point(), moving_point()],
        whims in whims(5),
        normal in vector(1.0),
        offset in -1.0..1.0_f64,
        separation in 0.0..0.5_f64,
    ) {
        prop_assume!(normal.norm() > 1e-3);
        let normal = normal.normalize();
        let wait = plane_waiting_time(&normal, offset, &points[0], separation);
        let mut least = f64::INFINITY;
        positions(&points, &whims, wait.min(LONG), |at| {
            least = least.min(normal.dot(&at[0]) - offset);
        });
        prop_assert!(wait <= 0.0 || least >= separation - SAMPLING * LONG);
    }

    #[test]
    fn close_or_non_finite_pairs_expire_at_once(
        kind in kind(),
        points in [moving_point(), moving_point(), moving_point(), moving_point()],
        excess in 1.0..2.0_f64,
    ) {
        let closest = kind.closest(&points.map(|point| point.position));
        let too_far = closest.distance * excess;
        prop_assert!(slab_waiting_time(kind, &closest.normal, &points, too_far) <= 0.0);
        prop_assert!(distance_waiting_time(kind, closest.distance, &points, too_far) <= 0.0);
        let mut broken = points;
        broken[1].velocity.x = f64::NAN;
        prop_assert!(slab_waiting_time(kind, &closest.normal, &broken, 0.0) <= 0.0);
    }
}

/// For two features that translate towards each other, the certificate lasts at least 0.7 of the true time in nine
/// cases of ten (the normal is that of the closest points at the start).
#[test]
fn translating_pairs_are_dated_well() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut ratios = Vec::new();
    let strategy = (
        kind(),
        [vector(1.0), vector(1.0), vector(1.0), vector(1.0)],
        vector(1.0),
    );
    while ratios.len() < 400 {
        let Ok(tree) = strategy.new_tree(&mut runner) else {
            continue;
        };
        let (kind, at, velocity) = proptest::strategy::ValueTree::current(&tree);
        let split = kind.first_side();
        let closest = kind.closest(&at);
        let separation = 0.2 * closest.distance;
        let speed = |i: usize| {
            if i < split {
                velocity
            } else {
                Vector3::zeros()
            }
        };
        let points: [MovingPoint; 4] =
            std::array::from_fn(|i| MovingPoint::steady(at[i], speed(i)));
        // The true time by small steps.
        let distance_at = |time: f64| {
            kind.closest(&std::array::from_fn(|i| at[i] + speed(i) * time))
                .distance
        };
        let Some(entry) = (0..4000)
            .map(|k| f64::from(k) * 1e-3)
            .find(|&t| distance_at(t) <= separation)
        else {
            continue;
        };
        let wait = slab_waiting_time(kind, &closest.normal, &points, separation);
        assert!(wait <= entry);
        ratios.push(wait / entry);
    }
    ratios.sort_by(f64::total_cmp);
    let (tenth, median) = (ratios[ratios.len() / 10], ratios[ratios.len() / 2]);
    assert!(
        tenth >= 0.7,
        "one in ten lasts less than {tenth} of the true time, half {median}"
    );
}
