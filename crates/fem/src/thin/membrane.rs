//! Stretching of a triangle by Green strain.

use super::ThinError;
use nalgebra::{Matrix2, Matrix3, Matrix3x2, Vector2, Vector3};

/// A constant-strain triangle: `E = Ā (μ tr(ε²) + ½ λ tr(ε)²)` with `ε = ½ (FᵀF − 1)` in the plane of the rest shape
/// (Saint Venant-Kirchhoff in plane stress).
///
/// It loses its resistance under strong compression, where a thin body buckles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Membrane {
    /// Indices of the three points.
    pub points: [u32; 3],
    /// `Ā`: area at rest (m²).
    pub area: f64,
    /// Gradients of the three shape functions in the plane of the rest shape (1/m); they sum to zero.
    pub shape_gradients: [Vector2<f64>; 3],
    /// `λ`: `E t ν / (1 − ν²)` (N/m).
    pub lambda: f64,
    /// `μ`: `E t / (2 (1 + ν))` (N/m).
    pub mu: f64,
}

impl Membrane {
    /// The triangle that is at rest at the given positions (m), of stretching stiffness `stretch = E t` (N/m).
    ///
    /// # Errors
    /// [`ThinError`] if it has no area, `stretch` is negative or not finite, or `poisson` not in `[0, 1)`.
    pub fn new(
        points: [u32; 3],
        rest: &[Vector3<f64>; 3],
        stretch: f64,
        poisson: f64,
    ) -> Result<Self, ThinError> {
        super::error::check_not_negative("the stretching stiffness (N/m)", stretch)?;
        if !(0.0..1.0).contains(&poisson) {
            return Err(ThinError::Coefficient {
                what: "Poisson's ratio of a thin body",
                value: poisson,
                range: "at least 0 and below 1",
            });
        }
        let (e1, e2) = (rest[1] - rest[0], rest[2] - rest[0]);
        let normal = e1.cross(&e2);
        let twice_area = normal.norm();
        if !(twice_area > 0.0 && twice_area.is_finite() && (1.0 / twice_area).is_finite()) {
            return Err(ThinError::RestArea { points });
        }
        // The plane's own axes: along the first edge, and across it.
        let along = e1.normalize();
        let across = (normal / twice_area).cross(&along);
        let flat = |e: &Vector3<f64>| Vector2::new(e.dot(&along), e.dot(&across));
        let (f1, f2) = (flat(&e1), flat(&e2));
        let g1 = Vector2::new(f2.y, -f2.x) / twice_area;
        let g2 = Vector2::new(-f1.y, f1.x) / twice_area;
        Ok(Self {
            points,
            area: 0.5 * twice_area,
            shape_gradients: [-(g1 + g2), g1, g2],
            lambda: stretch * poisson / (1.0 - poisson * poisson),
            mu: 0.5 * stretch / (1.0 + poisson),
        })
    }

    #[inline]
    fn deformation(&self, x: &[Vector3<f64>; 3]) -> Matrix3x2<f64> {
        let [_, g1, g2] = &self.shape_gradients;
        (x[1] - x[0]) * g1.transpose() + (x[2] - x[0]) * g2.transpose()
    }

    #[inline]
    fn strain(deformation: &Matrix3x2<f64>) -> Matrix2<f64> {
        (deformation.tr_mul(deformation) - Matrix2::identity()) * 0.5
    }

    /// `S = 2 μ ε + λ tr(ε)`: second Piola-Kirchhoff stress (N/m).
    #[inline]
    fn stress(&self, strain: &Matrix2<f64>) -> Matrix2<f64> {
        strain * (2.0 * self.mu) + Matrix2::identity() * (self.lambda * strain.trace())
    }

    /// Elastic energy (J) with the points at `x` (m).
    pub fn energy(&self, x: &[Vector3<f64>; 3]) -> f64 {
        let strain = Self::strain(&self.deformation(x));
        let trace = strain.trace();
        self.area * (self.mu * strain.norm_squared() + 0.5 * self.lambda * trace * trace)
    }

    /// Forces on the three points (N): `f_a = −Ā F S ∇N_a`.
    #[inline]
    pub fn forces(&self, x: &[Vector3<f64>; 3]) -> [Vector3<f64>; 3] {
        let deformation = self.deformation(x);
        let stress = deformation * self.stress(&Self::strain(&deformation)) * -self.area;
        let [_, f1, f2] = self.shape_gradients.map(|gradient| stress * gradient);
        [-(f1 + f2), f1, f2]
    }

    /// Blocks `∂²E/∂x_a∂x_b` (N/m) without the compressive part of the geometric stiffness: positive semi-definite, and
    /// exact if the triangle is under tension.
    pub fn tangent(&self, x: &[Vector3<f64>; 3]) -> [[Matrix3<f64>; 3]; 3] {
        let deformation = self.deformation(x);
        let stress = positive_part(&self.stress(&Self::strain(&deformation)));
        let turned = self.shape_gradients.map(|gradient| deformation * gradient);
        let square = deformation * deformation.transpose();
        std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                let (ga, gb) = (&self.shape_gradients[a], &self.shape_gradients[b]);
                let material = turned[a] * turned[b].transpose() * self.lambda
                    + turned[b] * turned[a].transpose() * self.mu
                    + square * (self.mu * ga.dot(gb));
                let geometric = Matrix3::identity() * ga.dot(&(stress * gb));
                (material + geometric) * self.area
            })
        })
    }

    /// Bound of `ω²` (1/s²) at rest with three masses (kg; infinite for fixed points).
    ///
    /// A block of the stiffness is at most `(λ + 2μ) Ā |∇N_a| |∇N_b|`, so the whole is at most its trace.
    pub fn frequency_squared(&self, masses: [f64; 3]) -> f64 {
        let sum: f64 = self
            .shape_gradients
            .iter()
            .zip(masses)
            .map(|(gradient, mass)| gradient.norm_squared() / mass)
            .sum();
        (self.lambda + 2.0 * self.mu) * self.area * sum
    }
}

/// The symmetric matrix with its negative eigenvalues replaced by zero.
fn positive_part(symmetric: &Matrix2<f64>) -> Matrix2<f64> {
    let mut eigen = symmetric.symmetric_eigen();
    eigen.eigenvalues.apply(|value| *value = value.max(0.0));
    eigen.recompose()
}
