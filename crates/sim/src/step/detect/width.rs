//! Widths of slabs that separate two features: lower bounds of their distance.

use nalgebra::Vector3;

/// Smallest separation bound over the largest coordinate; below, rounding makes it worthless.
const SMALLEST_BOUND: f64 = 1e-12;

/// A vector along the line from the middle of the second feature to that of the first, of any length. The first
/// `first_side` corners belong to the first feature.
pub(super) fn between_middles(corners: &[Vector3<f64>; 4], first_side: usize) -> Vector3<f64> {
    let (first, second) = corners.split_at(first_side);
    let sum = |corners: &[Vector3<f64>]| corners.iter().sum::<Vector3<f64>>();
    sum(first) * second.len() as f64 - sum(second) * first.len() as f64
}

/// Separation bound of two features: width of the slab between their corners whose normal is `direction` (m); 0 if
/// there is none. Coordinates of the corners are at most `size`.
///
/// It is a lower bound of the distance for any direction. For the shortest connection it nearly equals the distance.
pub(super) fn width_along(
    corners: &[Vector3<f64>; 4],
    first_side: usize,
    direction: Vector3<f64>,
    size: f64,
) -> f64 {
    let squared = direction.norm_squared();
    if squared.is_nan() || squared < f64::MIN_POSITIVE {
        return 0.0;
    }
    let (first, second) = corners.split_at(first_side);
    let along = |x: &Vector3<f64>| direction.dot(x);
    let least = first.iter().map(along).fold(f64::INFINITY, f64::min);
    let most = second.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    let width = (least - most) / squared.sqrt();
    if width > SMALLEST_BOUND * size {
        width
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::detect::candidate_kind::{CandidateKind, EdgeEdge, VertexFace};
    use proptest::prelude::*;

    fn vectors() -> impl Strategy<Value = Vec<Vector3<f64>>> {
        let number = -1.0..1.0_f64;
        let vector = [number.clone(), number.clone(), number].prop_map(Vector3::from);
        prop::collection::vec(vector, 4)
    }

    proptest! {
        /// Any direction gives a lower bound of the distance, and that of the shortest connection gives all of it.
        #[test]
        fn widths_are_lower_bounds(corners in vectors(), direction in vectors()) {
            fn check<K: CandidateKind>(
                corners: &[Vector3<f64>; 4],
                direction: Vector3<f64>,
            ) -> Result<(), TestCaseError> {
                let between = K::between(corners);
                let distance = between.norm();
                for along in [direction, between_middles(corners, K::FIRST)] {
                    prop_assert!(width_along(corners, K::FIRST, along, 1.0) <= distance + 1e-12);
                }
                let across = width_along(corners, K::FIRST, between, 1.0);
                let tolerance = 1e-9 + 1e-14 / distance;
                prop_assert!((across - distance).abs() <= tolerance, "{} {}", across, distance);
                Ok(())
            }
            let corners = [corners[0], corners[1], corners[2], corners[3]];
            check::<VertexFace<'_>>(&corners, direction[0])?;
            check::<EdgeEdge<'_>>(&corners, direction[0])?;
            prop_assert!(width_along(&corners, 1, Vector3::zeros(), 1.0).abs() < 1e-300);
            prop_assert!(width_along(&corners, 1, Vector3::repeat(f64::NAN), 1.0).abs() < 1e-300);
        }
    }
}
