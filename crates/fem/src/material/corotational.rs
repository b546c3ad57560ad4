//! Linear elasticity in a co-rotated frame.

use super::tangent::PAIRS;
use super::{Hyperelastic, Lame, Response, Tangent};
use crate::kinematics::{RotationSvd, rotation_factor, rotation_svd, rotations};
use crate::lanes::{Lanes, Mat3};
use nalgebra::{Matrix3, Vector3};
use pulp::{Scalar, Simd};

/// Co-rotational linear solid: `Ψ = μ‖S − I‖² + (λ/2) tr²(S − I)` with `F = R S`.
///
/// `P = R(2μ(S − I) + λ tr(S − I) I) = 2μ(F − R) + λ tr(RᵀF − I) R`, the exact gradient of `Ψ`. The assembled tangent
/// is linear elasticity rotated by `R`, without the derivative of `R`. So it is positive semi-definite and constant up
/// to rotation, and equals `∂P/∂F` only at `F = R`.
///
/// Forces stay bounded under compression (collapse to a point costs finite energy): use
/// [`NeoHookean`](super::NeoHookean) for strong compression.
///
/// # Source
/// Müller & Gross 2004, "Interactive virtual materials"; energy of Sifakis & Barbič 2012,
/// <https://doi.org/10.1145/2343483.2343501>, §3.4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorotationalLinear {
    lame: Lame,
}

impl CorotationalLinear {
    /// The material with these Lamé parameters.
    pub fn new(lame: Lame) -> Self {
        Self { lame }
    }

    /// The Lamé parameters.
    pub fn lame(&self) -> Lame {
        self.lame
    }

    /// The factor `λ tr(RᵀF − I) − 2μ` of `R` in `P = 2μ F + factor R`.
    ///
    /// Assembly uses this form, as it needs the products of `F` and `R` with the shape gradients.
    #[inline]
    pub(crate) fn rotation_coefficient(
        &self,
        deformation: &Matrix3<f64>,
        rotation: &Matrix3<f64>,
    ) -> f64 {
        self.lame.first() * (rotation.dot(deformation) - 3.0) - 2.0 * self.lame.shear_modulus()
    }

    /// The same factor in every lane.
    #[inline(always)]
    pub(crate) fn rotation_coefficients<S: Simd>(&self, f: &Mat3<S>, r: &Mat3<S>) -> Lanes<S> {
        (r.dot(f) - 3.0) * self.lame.first() - 2.0 * self.lame.shear_modulus()
    }

    /// `Ψ` in every lane.
    #[inline(always)]
    pub(crate) fn energy_densities<S: Simd>(&self, f: &Mat3<S>) -> Lanes<S> {
        let rotation = rotations(f);
        let trace = rotation.dot(f) - 3.0;
        let strain = f.zip(&rotation, |f, r| f - r);
        strain.dot(&strain) * self.lame.shear_modulus() + trace * (0.5 * self.lame.first()) * trace
    }

    /// `P` in every lane.
    #[inline(always)]
    pub(crate) fn stresses<S: Simd>(&self, f: &Mat3<S>) -> Mat3<S> {
        let rotation = rotations(f);
        let of_rotation = (rotation.dot(f) - 3.0) * self.lame.first();
        f.zip(&rotation, |f, r| {
            (f - r) * (2.0 * self.lame.shear_modulus()) + r * of_rotation
        })
    }

    /// Derivatives `∂Ψ/∂σᵢ`, Pa.
    fn principal_stress(&self, sigma: &Vector3<f64>) -> Vector3<f64> {
        let strain = sigma.map(|stretch| stretch - 1.0);
        strain * (2.0 * self.lame.shear_modulus())
            + Vector3::repeat(self.lame.first() * strain.sum())
    }

    fn stretch_stiffness(&self) -> Matrix3<f64> {
        Matrix3::from_diagonal_element(2.0 * self.lame.shear_modulus())
            + Matrix3::repeat(self.lame.first())
    }

    fn turned(&self, rotation: Matrix3<f64>) -> Tangent {
        Tangent {
            left: rotation,
            right: Matrix3::identity(),
            stretch: self.stretch_stiffness(),
            shear: Vector3::repeat(2.0 * self.lame.shear_modulus()),
            twist: Vector3::zeros(),
        }
    }
}

impl Hyperelastic for CorotationalLinear {
    fn energy_density(&self, deformation: &Matrix3<f64>) -> f64 {
        self.energy_densities(&Mat3::gather(Scalar, |_| deformation))
            .lane(0)
    }

    fn stress(&self, deformation: &Matrix3<f64>) -> Matrix3<f64> {
        self.stresses(&Mat3::gather(Scalar, |_| deformation))
            .lane(0)
    }

    fn exact_tangent(&self, deformation: &Matrix3<f64>) -> Tangent {
        let RotationSvd { u, sigma, v } = rotation_svd(deformation);
        let p = self.principal_stress(&sigma);
        let twist = PAIRS.map(|(i, j)| {
            (p[i] + p[j]) / (sigma[i] + sigma[j]).max(super::neo_hookean::SMALLEST_SUM)
        });
        Tangent {
            left: u,
            right: v,
            stretch: self.stretch_stiffness(),
            shear: Vector3::repeat(2.0 * self.lame.shear_modulus()),
            twist: Vector3::from(twist),
        }
    }

    fn convex_response(&self, deformation: &Matrix3<f64>) -> Response {
        let rotation = rotation_factor(deformation);
        let trace = rotation.dot(deformation) - 3.0;
        let stress = (deformation - rotation) * (2.0 * self.lame.shear_modulus())
            + rotation * (self.lame.first() * trace);
        Response {
            stress,
            tangent: self.turned(rotation),
        }
    }
}
