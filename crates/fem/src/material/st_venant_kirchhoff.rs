//! Linear elasticity in the Green–Lagrange strain.

use super::tangent::PAIRS;
use super::{Hyperelastic, Lame, Response, Responses, Tangent};
use crate::kinematics::LanesSvd;
use crate::lanes::{Lanes, Mat3, dot};
use nalgebra::Matrix3;
use pulp::{Scalar, Simd};

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

    /// Strain `E` and its trace in every lane.
    #[inline(always)]
    fn strains<S: Simd>(f: &Mat3<S>) -> (Mat3<S>, Lanes<S>) {
        let [a, b, c] = f.0;
        let [xy, xz, yz] = [dot(a, b) * 0.5, dot(a, c) * 0.5, dot(b, c) * 0.5];
        let [x, y, z] = [
            (dot(a, a) - 1.0) * 0.5,
            (dot(b, b) - 1.0) * 0.5,
            (dot(c, c) - 1.0) * 0.5,
        ];
        (Mat3([[x, xy, xz], [xy, y, yz], [xz, yz, z]]), x + y + z)
    }

    /// `Ψ` in every lane.
    #[inline(always)]
    pub(crate) fn energy_densities<S: Simd>(&self, f: &Mat3<S>) -> Lanes<S> {
        let (strain, trace) = Self::strains(f);
        strain.dot(&strain) * self.lame.shear_modulus() + trace * (0.5 * self.lame.first()) * trace
    }

    /// `P` in every lane.
    #[inline(always)]
    pub(crate) fn stresses<S: Simd>(&self, f: &Mat3<S>) -> Mat3<S> {
        let (mut second, trace) = Self::strains(f);
        for j in 0..3 {
            for i in 0..3 {
                second.0[j][i] = second.0[j][i] * (2.0 * self.lame.shear_modulus());
            }
            second.0[j][j] = second.0[j][j] + trace * self.lame.first();
        }
        f.times(&second)
    }

    /// Stress and convex tangent in every lane.
    #[inline(always)]
    pub(crate) fn responses<S: Simd>(&self, f: &Mat3<S>) -> Responses<S> {
        let cap = TWIST_CAP * (2.0 * self.lame.shear_modulus() + self.lame.first());
        self.exact_responses(f).projected(cap)
    }

    /// With `θ = λ Σ ½(σ² − 1)`: `H_ij = δ_ij (μ(3σᵢ² − 1) + θ) + λ σᵢσⱼ`, `κ_s = μ(σᵢ² + σᵢσⱼ + σⱼ² − 1) + θ` and
    /// `κ_a = μ(σᵢ² − σᵢσⱼ + σⱼ² − 1) + θ`, all without a division.
    #[inline(always)]
    fn exact_responses<S: Simd>(&self, f: &Mat3<S>) -> Responses<S> {
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        let LanesSvd { u, sigma, v } = LanesSvd::of(f);
        let theta = (dot(sigma, sigma) - 3.0) * (0.5 * lambda);
        let mut stretch = Mat3::of(f.simd(), |i, j| sigma[i] * sigma[j] * lambda);
        for i in 0..3 {
            let square = sigma[i] * sigma[i];
            stretch.0[i][i] = stretch.0[i][i] + ((square * 3.0 - 1.0) * mu + theta);
        }
        let (mut shear, mut twist) = (sigma, sigma);
        for (pair, (i, j)) in PAIRS.into_iter().enumerate() {
            let squares = sigma[i] * sigma[i] + sigma[j] * sigma[j] - 1.0;
            let product = sigma[i] * sigma[j];
            shear[pair] = (squares + product) * mu + theta;
            twist[pair] = (squares - product) * mu + theta;
        }
        Responses {
            stress: self.stresses(f),
            left: u,
            right: v,
            stretch,
            shear,
            twist,
        }
    }
}

impl Hyperelastic for StVenantKirchhoff {
    fn energy_density(&self, deformation: &Matrix3<f64>) -> f64 {
        (self.energy_densities(&Mat3::gather(Scalar, |_| deformation))).lane(0)
    }

    fn stress(&self, deformation: &Matrix3<f64>) -> Matrix3<f64> {
        self.stresses(&Mat3::gather(Scalar, |_| deformation))
            .lane(0)
    }

    fn exact_tangent(&self, deformation: &Matrix3<f64>) -> Tangent {
        let exact = self.exact_responses(&Mat3::gather(Scalar, |_| deformation));
        exact.lane(0).tangent
    }

    fn convex_response(&self, deformation: &Matrix3<f64>) -> Response {
        self.responses(&Mat3::gather(Scalar, |_| deformation))
            .lane(0)
    }
}
