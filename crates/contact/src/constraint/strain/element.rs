//! Gradients and weights of elements at their integration points.

use super::super::error::ConstraintError;
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

/// Node gradients (1/m) and weight (m³ of rest volume) of one integration point.
#[derive(Debug, Clone, PartialEq)]
pub struct IntegrationPoint {
    /// `g_a`, one per node; on surfaces in the axes of the sheet, the third entry 0.
    pub gradients: Vec<Vector3<f64>>,
    /// `w`: the rest volume of the integration point.
    pub weight: f64,
}

/// The one point of a linear triangle with `thickness`. The first axis of the sheet is `fibre`, projected into its
/// plane.
///
/// # Errors
/// [`ConstraintError::Element`] for a triangle without area, a fibre normal to it or a thickness that is not positive.
pub fn triangle(
    rest: &[Vector3<f64>; 3],
    thickness: f64,
    fibre: Vector3<f64>,
) -> Result<IntegrationPoint, ConstraintError> {
    let axes = sheet_axes(rest[1] - rest[0], rest[2] - rest[0], fibre)?;
    let edges = [rest[1] - rest[0], rest[2] - rest[0]].map(|e| in_plane(&e, &axes));
    let parametric = [
        Vector2::new(-1.0, -1.0),
        Vector2::new(1.0, 0.0),
        Vector2::new(0.0, 1.0),
    ];
    surface_point(&Matrix2::from_columns(&edges), &parametric, 0.5 * thickness)
}

/// The four points of a bilinear quadrilateral with corners in cyclic order.
///
/// # Errors
/// As [`triangle`].
pub fn quadrilateral(
    rest: &[Vector3<f64>; 4],
    thickness: f64,
    fibre: Vector3<f64>,
) -> Result<Vec<IntegrationPoint>, ConstraintError> {
    let axes = sheet_axes(rest[2] - rest[0], rest[3] - rest[1], fibre)?;
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let flat = rest.map(|x| in_plane(&(x - rest[0]), &axes));
    let mut points = Vec::with_capacity(4);
    for (s, t) in corners {
        let (s, t) = (s / 3_f64.sqrt(), t / 3_f64.sqrt());
        let parametric =
            corners.map(|(a, b)| Vector2::new(a * (1.0 + b * t), b * (1.0 + a * s)) * 0.25);
        let mut jacobian = Matrix2::zeros();
        for (x, d) in flat.iter().zip(&parametric) {
            jacobian += x * d.transpose();
        }
        points.push(surface_point(&jacobian, &parametric, thickness)?);
    }
    Ok(points)
}

/// The one point of a linear tetrahedron with positive orientation.
///
/// # Errors
/// [`ConstraintError::Element`] if its volume is not positive.
pub fn tetrahedron(rest: &[Vector3<f64>; 4]) -> Result<IntegrationPoint, ConstraintError> {
    let jacobian =
        Matrix3::from_columns(&[rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]]);
    let parametric = [
        Vector3::new(-1.0, -1.0, -1.0),
        Vector3::x(),
        Vector3::y(),
        Vector3::z(),
    ];
    solid_point(&jacobian, &parametric, 1.0 / 6.0)
}

/// The eight points of a trilinear hexahedron: four corners around its bottom, then the four above them.
///
/// # Errors
/// As [`tetrahedron`].
pub fn hexahedron(rest: &[Vector3<f64>; 8]) -> Result<Vec<IntegrationPoint>, ConstraintError> {
    let corner = |index: usize| {
        let around = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)][index % 4];
        Vector3::new(around.0, around.1, if index < 4 { -1.0 } else { 1.0 })
    };
    let mut points = Vec::with_capacity(8);
    for index in 0..8 {
        let at = corner(index) / 3_f64.sqrt();
        let parametric: [Vector3<f64>; 8] = std::array::from_fn(|node| {
            let c = corner(node);
            let factor = |axis: usize| 1.0 + c[axis] * at[axis];
            Vector3::new(
                c[0] * factor(1) * factor(2),
                c[1] * factor(0) * factor(2),
                c[2] * factor(0) * factor(1),
            ) * 0.125
        });
        let mut jacobian = Matrix3::zeros();
        for (x, d) in rest.iter().zip(&parametric) {
            jacobian += x * d.transpose();
        }
        points.push(solid_point(&jacobian, &parametric, 1.0)?);
    }
    Ok(points)
}

/// Orthonormal axes of a sheet, the first along `fibre`.
fn sheet_axes(
    a: Vector3<f64>,
    b: Vector3<f64>,
    fibre: Vector3<f64>,
) -> Result<[Vector3<f64>; 2], ConstraintError> {
    let normal = a.cross(&b);
    let unusable = ConstraintError::Element {
        measure: 0.5 * normal.norm(),
    };
    let normal = normal.try_normalize(0.0).ok_or(unusable.clone())?;
    let along = fibre - normal * normal.dot(&fibre);
    let along = along.try_normalize(1e-9 * fibre.norm()).ok_or(unusable)?;
    Ok([along, normal.cross(&along)])
}

fn in_plane(x: &Vector3<f64>, axes: &[Vector3<f64>; 2]) -> Vector2<f64> {
    Vector2::new(axes[0].dot(x), axes[1].dot(x))
}

fn surface_point(
    jacobian: &Matrix2<f64>,
    parametric: &[Vector2<f64>],
    scale: f64,
) -> Result<IntegrationPoint, ConstraintError> {
    let weight = jacobian.determinant() * scale;
    let inverse = jacobian.try_inverse().filter(|_| weight > 0.0);
    let inverse = inverse.ok_or(ConstraintError::Element { measure: weight })?;
    let gradient = |d: &Vector2<f64>| {
        let g = inverse.tr_mul(d);
        Vector3::new(g.x, g.y, 0.0)
    };
    Ok(IntegrationPoint {
        gradients: parametric.iter().map(gradient).collect(),
        weight,
    })
}

fn solid_point(
    jacobian: &Matrix3<f64>,
    parametric: &[Vector3<f64>],
    scale: f64,
) -> Result<IntegrationPoint, ConstraintError> {
    let weight = jacobian.determinant() * scale;
    let inverse = jacobian.try_inverse().filter(|_| weight > 0.0);
    let inverse = inverse.ok_or(ConstraintError::Element { measure: weight })?;
    Ok(IntegrationPoint {
        gradients: parametric.iter().map(|d| inverse.tr_mul(d)).collect(),
        weight,
    })
}
