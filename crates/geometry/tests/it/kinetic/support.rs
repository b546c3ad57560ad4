//! Random motions within a velocity bound.

use impinge_geometry::kinetic::MovingPoint;
use nalgebra::Vector3;
use proptest::prelude::*;

/// A vector with components up to `size`.
pub(super) fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vector3::from)
}

/// A moving point near the origin, its velocity and deviation up to 1 m/s.
pub(super) fn moving_point() -> impl Strategy<Value = MovingPoint> {
    (
        vector(1.0),
        vector(1.0),
        prop_oneof![Just(0.0), 0.0..1.0_f64],
    )
        .prop_map(|(position, velocity, deviation)| MovingPoint {
            position,
            velocity,
            deviation,
        })
}

/// Directions of length up to 1, for every point and every segment of its motion.
pub(super) fn whims(stretches: usize) -> impl Strategy<Value = Vec<[Vector3<f64>; 4]>> {
    prop::collection::vec([unit(), unit(), unit(), unit()], stretches)
}

fn unit() -> impl Strategy<Value = Vector3<f64>> {
    vector(1.0).prop_map(|v| if v.norm() > 1.0 { v.normalize() } else { v })
}

/// Positions at many instants up to `duration`; the velocity of each segment is `v + ρ · whim`.
pub(super) fn positions(
    points: &[MovingPoint; 4],
    whims: &[[Vector3<f64>; 4]],
    duration: f64,
    mut look: impl FnMut(&[Vector3<f64>; 4]),
) {
    const SAMPLES: i32 = 16;
    let mut at = points.map(|point| point.position);
    let stretch = duration / whims.len() as f64;
    for whim in whims {
        let velocity: [Vector3<f64>; 4] =
            std::array::from_fn(|i| points[i].velocity + whim[i] * points[i].deviation);
        for sample in 0..=SAMPLES {
            let time = stretch * f64::from(sample) / f64::from(SAMPLES);
            look(&std::array::from_fn(|i| at[i] + velocity[i] * time));
        }
        at = std::array::from_fn(|i| at[i] + velocity[i] * stretch);
    }
}
