//! Linear elasticity in the Green–Lagrange strain.

use super::{Hyperelastic, Lame, Response, Tangent};
use crate::kinematics::{RotationSvd, rotation_svd};
use nalgebra::{Matrix3, Vector3};

use super::tangent::PAIRS;

/// Limit of the twist stiffness in units of `2μ + λ`, as for the other materials.
const TWIST_CAP: f64 = 10.0;

/// Saint Venant–Kirchhoff solid: `Ψ = μ tr(E²) + (λ/2) tr²(E)` with `E = ½ (FᵀF − I)`, so `P = F (2μ E + λ tr(E) I)`.
///
/// Valid for any rotation and moderate strains. It softens under compression, and its force falls below a stretch of
/// `1/√3`, so crushed elements do not recover: use [`NeoHookean`](super::NeoHookean) for strong compression.
///
/// # Source
/// Ogden 1997, *Non-linear Elastic Deformations*, §4.4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StVenantKirchhoff {
    lame: Lame,
}

impl StVenantKirchhoff {
    /// The material with these Lamé parameters.
    pub fn new(lame: Lame) -> Self {
        Self { lame }
    }

    /// The Lamé parameters.
    pub fn lame(&self) -> Lame {
        self.lame
    }

    fn second_stress(&self, deformation: &Matrix3<f64>) -> Matrix3<f64> {
        let strain = (deformation.tr_mul(deformation) - Matrix3::identity()) * 0.5;
        strain * (2.0 * self.lame.shear_modulus())
            + Matrix3::from_diagonal_element(self.lame.first() * strain.trace())
    }

    /// With `θ = λ Σ ½(σ² − 1)`: `H_ij = δ_ij (μ(3σᵢ² − 1) + θ) + λ σᵢσⱼ`, `κ_s = μ(σᵢ² + σᵢσⱼ + σⱼ² − 1) + θ` and
    /// `κ_a = μ(σᵢ² − σᵢσⱼ + σⱼ² − 1) + θ`, all without a division.
    fn tangent_at(&self, svd: &RotationSvd) -> Tangent {
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        let sigma = &svd.sigma;
        let theta = 0.5 * lambda * (sigma.norm_squared() - 3.0);
        let own = sigma.map(|s| mu * (3.0 * s * s - 1.0) + theta);
        let pair = |sign: f64| {
            Vector3::from(PAIRS.map(|(i, j)| {
                let (a, b) = (sigma[i], sigma[j]);
                mu * (a * a + sign * a * b + b * b - 1.0) + theta
            }))
        };
        Tangent {
            left: svd.u,
            right: svd.v,
            stretch: Matrix3::from_diagonal(&own) + sigma * sigma.transpose() * lambda,
            shear: pair(1.0),
            twist: pair(-1.0),
        }
    }
}

impl Hyperelastic for StVenantKirchhoff {
    fn energy_density(&self, deformation: &Matrix3<f64>) -> f64 {
        let strain = (deformation.tr_mul(deformation) - Matrix3::identity()) * 0.5;
        let trace = strain.trace();
        self.lame.shear_modulus() * strain.norm_squared() + 0.5 * self.lame.first() * trace * trace
    }

    fn stress(&self, deformation: &Matrix3<f64>) -> Matrix3<f64> {
        deformation * self.second_stress(deformation)
    }

    fn exact_tangent(&self, deformation: &Matrix3<f64>) -> Tangent {
        self.tangent_at(&rotation_svd(deformation))
    }

    fn convex_response(&self, deformation: &Matrix3<f64>) -> Response {
        let cap = TWIST_CAP * (2.0 * self.lame.shear_modulus() + self.lame.first());
        Response {
            stress: self.stress(deformation),
            tangent: self.exact_tangent(deformation).projected(cap),
        }
    }
}
