//! A half-space as a square below the scene.

use nalgebra::Vector3;

/// Size of a square relative to the extent of the points.
const MARGIN: f64 = 1.15;

/// Corners of a square in the plane through `point` with the unit `normal` that covers the projection of `points`,
/// wound around the normal; empty if there are no points.
pub(super) fn patch<'a>(
    point: &Vector3<f64>,
    normal: &Vector3<f64>,
    points: impl Iterator<Item = &'a Vector3<f64>>,
) -> Option<[Vector3<f64>; 4]> {
    // If the normal is a coordinate axis, as for most floors, the sides are parallel to the others.
    let first = Vector3::ith(normal.iamin(), 1.0);
    let first = (first - normal * normal.dot(&first)).normalize();
    let second = normal.cross(&first);
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for x in points {
        for (axis, tangent) in [first, second].iter().enumerate() {
            let along = tangent.dot(&(x - point));
            low[axis] = low[axis].min(along);
            high[axis] = high[axis].max(along);
        }
    }
    let half = 0.5 * MARGIN * (high[0] - low[0]).max(high[1] - low[1]);
    if !half.is_finite() {
        return None;
    }
    let middle = point + first * (0.5 * (low[0] + high[0])) + second * (0.5 * (low[1] + high[1]));
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    Some(corners.map(|[a, b]| middle + first * (a * half) + second * (b * half)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_lies_in_its_plane_under_everything_and_faces_along_the_normal() {
        let normal = Vector3::new(0.3, -0.2, 0.9).normalize();
        let point = Vector3::new(1.0, 2.0, 3.0);
        let points: Vec<Vector3<f64>> = (0..20)
            .map(f64::from)
            .map(|i| Vector3::new(i.sin(), 3.0 * i.cos(), 5.0 + (2.0 * i).sin()))
            .collect();
        let corners = patch(&point, &normal, points.iter()).expect("there are points");
        for corner in corners {
            assert!(normal.dot(&(corner - point)).abs() < 1e-12);
        }
        let [a, b, c, d] = corners;
        let across = (b - a).cross(&(d - a));
        assert!((across / across.norm() - normal).norm() < 1e-12);
        assert!(((b - a).norm() - (d - a).norm()).abs() < 1e-12, "a square");
        assert!(((c - d) - (b - a)).norm() < 1e-12);
        for x in &points {
            for side in [b - a, d - a] {
                let part = (x - a).dot(&side) / side.norm_squared();
                assert!(part > 0.0 && part < 1.0, "{part}");
            }
        }
    }

    #[test]
    fn nothing_needs_no_patch() {
        assert!(patch(&Vector3::zeros(), &Vector3::z(), [].iter()).is_none());
    }
}
