//! A half-space as a rectangle below the scene.

use nalgebra::Vector3;

/// Border of a rectangle around the points, relative to their extent.
const BORDER: f64 = 0.06;

/// Corners of a rectangle in the plane through `point` with the unit `normal` that covers the projection of `points`,
/// wound around the normal; empty if there are no points.
pub(crate) fn patch<'a>(
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
    let border = BORDER * (high[0] - low[0]).max(high[1] - low[1]);
    if !border.is_finite() {
        return None;
    }
    let corners = [[false, false], [true, false], [true, true], [false, true]];
    Some(corners.map(|ends| {
        let along = |axis: usize| {
            if ends[axis] {
                high[axis] + border
            } else {
                low[axis] - border
            }
        };
        point + first * along(0) + second * along(1)
    }))
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
        assert!((b - a).dot(&(d - a)).abs() < 1e-12, "a right angle");
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
