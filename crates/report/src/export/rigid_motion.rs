//! The rigid motion of a body, if its motion is one.
//!
//! Source: Kabsch 1976, "A solution for the best rotation to relate two sets of vectors",
//! <https://doi.org/10.1107/S0567739476001873>.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

/// Largest deviation from a rigid motion, relative to the size of the body. Positions are rounded to 6e-8 of their
/// distance from the origin; no picture shows the deviation.
const DEVIATION: f64 = 1e-5;

/// Pose of a body: its points turned about their mean, and the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pose {
    pub(super) rotation: UnitQuaternion<f64>,
    pub(super) center: Vector3<f64>,
}

/// Mean of points.
pub(super) fn center(points: &[Vector3<f64>]) -> Vector3<f64> {
    points.iter().sum::<Vector3<f64>>() / points.len().max(1) as f64
}

/// The pose that takes `first`, points about their mean, to `points`; `None` if they are deformed.
pub(super) fn pose(first: &[Vector3<f64>], points: &[Vector3<f64>]) -> Option<Pose> {
    let center = center(points);
    let covariance: Matrix3<f64> = (first.iter().zip(points))
        .map(|(from, to)| (to - center) * from.transpose())
        .sum();
    let svd = covariance.svd(true, true);
    let (u, v_transposed) = (svd.u?, svd.v_t?);
    let reflected = (u * v_transposed).determinant() < 0.0;
    let signs = Vector3::new(1.0, 1.0, if reflected { -1.0 } else { 1.0 });
    let rotation = u * Matrix3::from_diagonal(&signs) * v_transposed;
    let size = first.iter().map(Vector3::norm).fold(0.0, f64::max);
    let reach = points.iter().map(Vector3::amax).fold(0.0, f64::max);
    let bound = DEVIATION * size + f64::from(f32::EPSILON) * reach;
    let fits = (first.iter().zip(points))
        .all(|(from, to)| (rotation * from + center - to).norm() <= bound);
    fits.then(|| Pose {
        rotation: UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation)),
        center,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Vec<Vector3<f64>> {
        let end = |corner: usize, axis: usize| if corner >> axis & 1 == 1 { 0.5 } else { -0.5 };
        (0..8)
            .map(|corner| Vector3::new(end(corner, 0), end(corner, 1), end(corner, 2)))
            .collect()
    }

    #[test]
    fn a_turned_body_has_its_pose_and_a_stretched_one_has_none() {
        let rotation = UnitQuaternion::from_euler_angles(2.5, -0.4, 1.3);
        let place = Vector3::new(3.0, -1.0, 0.2);
        let moved: Vec<_> = cube()
            .iter()
            .map(|point| rotation * point + place)
            .collect();
        let found = pose(&cube(), &moved).expect("a rigid motion");
        assert!(found.rotation.angle_to(&rotation) < 1e-12);
        assert!((found.center - place).norm() < 1e-12);
        let stretched: Vec<_> = moved.iter().map(|point| point * 1.001).collect();
        assert_eq!(pose(&cube(), &stretched), None);
    }

    /// A mirror image is no rigid motion.
    #[test]
    fn a_mirrored_body_has_no_pose() {
        let skew: Vec<_> = cube()
            .iter()
            .map(|p| Vector3::new(p.x + 0.3 * p.y * p.z, p.y, p.z))
            .collect();
        let mirrored: Vec<_> = skew.iter().map(|p| Vector3::new(-p.x, p.y, p.z)).collect();
        assert_eq!(pose(&skew, &mirrored), None);
    }
}
