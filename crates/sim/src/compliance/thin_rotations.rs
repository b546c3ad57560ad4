//! Rotation of thin bodies at every point since rest.

use crate::model::Model;
use impinge_fem::kinematics::rotation_factor;
use nalgebra::{Matrix3, Vector3};

/// Writes the rotation of every point of a thin body from rest to `positions` (m): `R_a = polar(Σ A_e R_e)` over its
/// triangles, with rest area `A_e` and the rotation `R_e` of the deformation gradient that keeps the unit normal. A
/// point whose triangles are folded onto each other gets a rotation nearest to their sum. Other points keep theirs.
pub(super) fn thin_rotations_into(
    model: &Model,
    positions: &[Vector3<f64>],
    rotations: &mut [Matrix3<f64>],
) {
    let thin = &model.elements.thin;
    if thin.masses.is_empty() {
        return;
    }
    let mut sums = vec![None; positions.len()];
    for &(point, _) in &thin.masses {
        sums[point] = Some(Matrix3::<f64>::zeros());
    }
    let rest = &model.points.rest;
    for triangle in model.geometry.surface.triangles() {
        let points = triangle.map(|point| point as usize);
        if points.iter().any(|&point| sums[point].is_none()) {
            continue;
        }
        let start = edges(points.map(|point| rest[point]));
        let end = edges(points.map(|point| positions[point]));
        // A triangle without area at rest is refused when the scene is read.
        let Some(inverse) = start.try_inverse() else {
            continue;
        };
        let area = start.determinant() / 2.0;
        let turned = rotation_factor(&(end * inverse)) * area;
        for point in points {
            if let Some(sum) = &mut sums[point] {
                *sum += turned;
            }
        }
    }
    for (rotation, sum) in rotations.iter_mut().zip(&sums) {
        if let Some(sum) = sum {
            *rotation = rotation_factor(sum);
        }
    }
}

/// Two edges of a triangle (m) and its unit normal.
fn edges([a, b, c]: [Vector3<f64>; 3]) -> Matrix3<f64> {
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0);
    Matrix3::from_columns(&[b - a, c - a, normal.unwrap_or_else(Vector3::zeros)])
}
