//! Compressible neo-Hookean solid with a quadratic continuation of its energy for strong compression and inversion.

use super::tangent::PAIRS;
use super::{Hyperelastic, Lame, MaterialError, Response, Responses, Tangent};
use crate::kinematics::{LanesSvd, rotation_svd};
use crate::lanes::{Lanes, Mask, Mat3, dot};
use nalgebra::{Matrix3, Vector3};
use pulp::{Scalar, Simd};

/// Least divisor `σ₂ + σ₃` of `κ_a`; the sum vanishes where the rotation is not unique.
pub(super) const SMALLEST_SUM: f64 = 1e-6;
/// Limit of the twist stiffness in units of `2μ + λ`: bounds the condition of the assembled matrix near `σ₂ + σ₃ = 0`.
const TWIST_CAP: f64 = 10.0;
/// Bound of the safeguarded Newton search for the extrapolation point: it needs about six steps, bisection alone 60.
const MAX_ROOT_STEPS: usize = 100;

/// Neo-Hookean solid: `Ψ(σ) = (μ/2)(Σσᵢ² − 3) − μ ln J + (λ/2) ln² J` with `J = σ₁σ₂σ₃`.
///
/// Below `J = a` the energy is continued along the ray from the rest state `σ = (1,1,1)` by its Taylor polynomial of
/// second order at the point `Q` where the ray leaves the region `J ≥ a`. So energy, stress and tangent are finite and
/// continuous for every `F`, and the resistance to further compression grows linearly along the ray. Elements may
/// invert under a large load, and recover.
///
/// # Source
/// Stomakhin, Howes, Schroeder & Teran 2012, "Energetically consistent invertible elasticity", §5; differs in: the
/// stiffness of the quadratic term is that of the material at `Q`, and divided differences of the stress are in closed
/// form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean {
    lame: Lame,
    threshold: f64,
}

/// Energy and derivatives by the principal stretches.
struct Principal {
    energy: f64,
    stress: Vector3<f64>,
}

/// The point `Q = 1 + s e` where the ray to `σ = 1 + e` crosses `J = a`, with the terms of the derivatives there.
struct Crossing {
    /// Direction `e = σ − 1`.
    e: Vector3<f64>,
    /// Parameter `s` at which `J = a`.
    s: f64,
    q: Vector3<f64>,
    /// `Σ eᵢ/Qᵢ`, the derivative of `ln J` along the ray; always negative.
    z: f64,
    log_a: f64,
}

/// Volume ratios in every lane.
struct Volume<S: Simd> {
    cofactor: Mat3<S>,
    j: Lanes<S>,
    log_j: Lanes<S>,
    /// Where the energy is extrapolated.
    extrapolated: Mask<S>,
}

impl NeoHookean {
    /// Default volume ratio `a` below which the energy is extrapolated.
    pub const DEFAULT_THRESHOLD: f64 = 0.1;

    /// The material with these Lamé parameters, extrapolated below [`Self::DEFAULT_THRESHOLD`].
    pub fn new(lame: Lame) -> Self {
        Self {
            lame,
            threshold: Self::DEFAULT_THRESHOLD,
        }
    }

    /// The material with these Lamé parameters, extrapolated where `det F` is below `threshold`.
    ///
    /// # Errors
    /// [`MaterialError::ExtrapolationThreshold`] unless `0 < threshold < 1`.
    pub fn with_threshold(lame: Lame, threshold: f64) -> Result<Self, MaterialError> {
        if threshold > 0.0 && threshold < 1.0 {
            Ok(Self { lame, threshold })
        } else {
            Err(MaterialError::ExtrapolationThreshold { value: threshold })
        }
    }

    /// The Lamé parameters.
    pub fn lame(&self) -> Lame {
        self.lame
    }

    /// Volume ratio `a` below which the energy is extrapolated.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Energy density (J/m³) as a function of the signed principal stretches (at most the last one negative).
    pub fn principal_energy(&self, sigma: &Vector3<f64>) -> f64 {
        self.principal(sigma).energy
    }

    /// Principal stresses `∂Ψ/∂σᵢ` (Pa) as a function of the signed principal stretches (at most the last one
    /// negative).
    pub fn principal_stress(&self, sigma: &Vector3<f64>) -> Vector3<f64> {
        self.principal(sigma).stress
    }

    /// `∂²Ψ/∂σᵢ∂σⱼ` (Pa) at the signed principal stretches; not always positive definite.
    pub fn principal_stiffness(&self, sigma: &Vector3<f64>) -> Matrix3<f64> {
        if self.is_extrapolated(sigma) {
            return self.extrapolated_hessian(&self.crossing(sigma));
        }
        self.hessian_at(sigma, sigma.product().ln())
    }

    /// `(pᵢ − pⱼ)/(σᵢ − σⱼ)` (Pa) of the principal stresses, for the pairs (1,2), (1,3), (2,3); its limit where they
    /// are equal.
    pub fn principal_shear(&self, sigma: &Vector3<f64>) -> Vector3<f64> {
        if self.is_extrapolated(sigma) {
            let ray = self.crossing(sigma);
            return Vector3::from(PAIRS.map(|(i, j)| self.extrapolated_shear(&ray, i, j)));
        }
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        let log_j = sigma.product().ln();
        Vector3::from(PAIRS.map(|(i, j)| mu + (mu - lambda * log_j) / (sigma[i] * sigma[j])))
    }

    /// Parameter of the point between rest and `sigma` at which `J` falls to the threshold; `None` if nothing is
    /// extrapolated.
    pub fn extrapolation_point(&self, sigma: &Vector3<f64>) -> Option<f64> {
        self.is_extrapolated(sigma).then(|| self.crossing(sigma).s)
    }

    fn is_extrapolated(&self, sigma: &Vector3<f64>) -> bool {
        sigma.product() < self.threshold
    }

    fn principal(&self, sigma: &Vector3<f64>) -> Principal {
        if !self.is_extrapolated(sigma) {
            let log_j = sigma.product().ln();
            return Principal {
                energy: self.energy_at(sigma, log_j),
                stress: self.gradient_at(sigma, log_j),
            };
        }
        let ray = self.crossing(sigma);
        let g = self.gradient_at(&ray.q, ray.log_a);
        let w = self.hessian_at(&ray.q, ray.log_a) * ray.e;
        let t = self.third_along(&ray) * ray.e;
        let rest = 1.0 - ray.s;
        let energy = self.energy_at(&ray.q, ray.log_a);
        let bend = t * ray.s + ray.gradient() * ray.e.dot(&t);
        Principal {
            energy: energy + rest * ray.e.dot(&(g + w * (0.5 * rest))),
            stress: g + w * rest + bend * (0.5 * rest * rest),
        }
    }

    /// `Ψ` inside the valid region.
    fn energy_at(&self, sigma: &Vector3<f64>, log_j: f64) -> f64 {
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        0.5 * mu * (sigma.norm_squared() - 3.0) - mu * log_j + 0.5 * lambda * log_j * log_j
    }

    /// `gᵢ = μ(σᵢ − 1/σᵢ) + λ ln J/σᵢ`.
    fn gradient_at(&self, sigma: &Vector3<f64>, log_j: f64) -> Vector3<f64> {
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        sigma.map(|x| mu * (x - 1.0 / x) + lambda * log_j / x)
    }

    /// `H_ij = δ_ij (μ + (μ − λ ln J)/σᵢ²) + λ/(σᵢσⱼ)`.
    fn hessian_at(&self, sigma: &Vector3<f64>, log_j: f64) -> Matrix3<f64> {
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        let inverse = sigma.map(|x| 1.0 / x);
        inverse * inverse.transpose() * lambda
            + Matrix3::from_diagonal(&inverse.map(|x| mu + (mu - lambda * log_j) * x * x))
    }

    /// Third derivative of `Ψ` contracted with `e`.
    fn third_along(&self, ray: &Crossing) -> Matrix3<f64> {
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        let (e, inverse) = (ray.e, ray.q.map(|x| 1.0 / x));
        let y = e.dot(&inverse);
        Matrix3::from_fn(|i, j| {
            let (ri, rj) = (inverse[i], inverse[j]);
            let mixed = -lambda * (e[i] * ri * ri * rj + e[j] * ri * rj * rj);
            if i == j {
                mixed + (2.0 * lambda * ray.log_a - 2.0 * mu) * e[i] * ri * ri * ri
                    - lambda * y * ri * ri
            } else {
                mixed
            }
        })
    }

    /// Fourth derivative of `Ψ` contracted twice with `e`.
    fn fourth_along(&self, ray: &Crossing) -> Matrix3<f64> {
        let lambda = self.lame.first();
        let (e, inverse) = (ray.e, ray.q.map(|x| 1.0 / x));
        let beta = self.lame.shear_modulus() - lambda * ray.log_a;
        let (y, z2) = (ray.z, e.component_mul(&inverse).norm_squared());
        Matrix3::from_fn(|i, j| {
            let (ri, rj) = (inverse[i], inverse[j]);
            let (xi, xj) = (e[i] * ri, e[j] * rj);
            let mixed = 2.0 * lambda * ri * rj * (xi * xi + xi * xj + xj * xj);
            if i == j {
                mixed + ri * ri * (4.0 * lambda * y * xi + 6.0 * beta * xi * xi + lambda * z2)
            } else {
                mixed
            }
        })
    }

    /// Newton's method on `φ(s) = Σ ln(1 + s eᵢ) − ln a`, which is concave, positive at 0 and has one root. Started to
    /// the right of the root it approaches from that side; bisection safeguards the first steps.
    fn crossing(&self, sigma: &Vector3<f64>) -> Crossing {
        let e = sigma.map(|x| x - 1.0);
        let log_a = self.threshold.ln();
        let smallest = e.min();
        let (mut low, mut high) = (
            0.0,
            if smallest < -1.0 {
                -1.0 / smallest
            } else {
                1.0
            },
        );
        let mut s = if smallest > -1.0 { high } else { 0.5 * high };
        for _ in 0..MAX_ROOT_STEPS {
            let q = e.map(|x| 1.0 + s * x);
            let value = q.product().ln() - log_a;
            if value > 0.0 {
                low = s;
            } else {
                high = s;
            }
            let newton = s - value / e.component_div(&q).sum();
            let next = if newton >= low && newton <= high {
                newton
            } else {
                0.5 * (low + high)
            };
            let change = (next - s).abs();
            s = next;
            if change <= 2.0 * f64::EPSILON * s {
                break;
            }
        }
        let q = e.map(|x| 1.0 + s * x);
        Crossing {
            e,
            s,
            q,
            z: e.component_div(&q).sum(),
            log_a,
        }
    }

    /// `Ψ` in every lane. Valid deformations need no decomposition.
    #[inline(always)]
    pub(crate) fn energy_densities<S: Simd>(&self, f: &Mat3<S>) -> Lanes<S> {
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        let Volume {
            log_j,
            extrapolated,
            ..
        } = self.volume(f);
        let energy = (f.dot(f) - 3.0) * (0.5 * mu) - log_j * mu + log_j * (0.5 * lambda) * log_j;
        if !extrapolated.any() {
            return energy;
        }
        Lanes::gather(f.simd(), |lane| {
            if extrapolated.lane(lane) {
                self.principal_energy(&rotation_svd(&f.lane(lane)).sigma)
            } else {
                energy.lane(lane)
            }
        })
    }

    /// `P` in every lane. Valid deformations need no decomposition.
    #[inline(always)]
    pub(crate) fn stresses<S: Simd>(&self, f: &Mat3<S>) -> Mat3<S> {
        let volume = self.volume(f);
        let mut stresses = self.valid_stresses(f, &volume);
        if volume.extrapolated.any() {
            for lane in 0..S::F64_LANES {
                if volume.extrapolated.lane(lane) {
                    let svd = rotation_svd(&f.lane(lane));
                    stresses.set_lane(lane, &svd.compose(&self.principal_stress(&svd.sigma)));
                }
            }
        }
        stresses
    }

    /// Stress and convex tangent in every lane.
    #[inline(always)]
    pub(crate) fn responses<S: Simd>(&self, f: &Mat3<S>) -> Responses<S> {
        let cap = TWIST_CAP * (2.0 * self.lame.shear_modulus() + self.lame.first());
        self.exact_responses(f).projected(cap)
    }

    #[inline(always)]
    fn exact_responses<S: Simd>(&self, f: &Mat3<S>) -> Responses<S> {
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        let svd = LanesSvd::of(f);
        let sigma = svd.sigma;
        let volume = self.volume(f);
        let one = Lanes::splat(f.simd(), 1.0);
        let inverse = [one / sigma[0], one / sigma[1], one / sigma[2]];
        // pᵢ = μσᵢ − β/σᵢ, H_ij = δ_ij (μ + β/σᵢ²) + λ/(σᵢσⱼ), κ_s = μ + β/(σᵢσⱼ) with β = μ − λ ln J.
        let beta = one * mu - volume.log_j * lambda;
        let mut p = sigma;
        let mut stretch = Mat3::of(f.simd(), |i, j| inverse[i] * inverse[j] * lambda);
        for i in 0..3 {
            p[i] = sigma[i] * mu - beta * inverse[i];
            stretch.0[i][i] = stretch.0[i][i] + (beta * inverse[i] * inverse[i] + mu);
        }
        let mut shear = sigma;
        for (pair, (i, j)) in PAIRS.into_iter().enumerate() {
            shear[pair] = beta * (inverse[i] * inverse[j]) + mu;
        }
        let mut responses = Responses {
            stress: self.valid_stresses(f, &volume),
            left: svd.u,
            right: svd.v,
            stretch,
            shear,
            twist: p,
        };
        if volume.extrapolated.any() {
            for lane in 0..S::F64_LANES {
                if volume.extrapolated.lane(lane) {
                    let svd = svd.lane(lane);
                    let stress = self.principal_stress(&svd.sigma);
                    let shear = self.principal_shear(&svd.sigma);
                    responses.stress.set_lane(lane, &svd.compose(&stress));
                    (responses.stretch).set_lane(lane, &self.principal_stiffness(&svd.sigma));
                    for i in 0..3 {
                        p[i].as_mut_slice()[lane] = stress[i];
                        responses.shear[i].as_mut_slice()[lane] = shear[i];
                    }
                }
            }
        }
        for (pair, (i, j)) in PAIRS.into_iter().enumerate() {
            let sum = (sigma[i] + sigma[j]).max(one * SMALLEST_SUM);
            responses.twist[pair] = (p[i] + p[j]) / sum;
        }
        responses
    }

    #[inline(always)]
    fn volume<S: Simd>(&self, f: &Mat3<S>) -> Volume<S> {
        let cofactor = f.cofactor();
        let j = dot(f.0[0], cofactor.0[0]);
        let extrapolated = j.less(Lanes::splat(f.simd(), self.threshold));
        // Where the energy is extrapolated, the logarithm is not used.
        let log_j = extrapolated.select(Lanes::splat(f.simd(), 1.0), j).ln();
        Volume {
            cofactor,
            j,
            log_j,
            extrapolated,
        }
    }

    /// `P = μ F + (λ ln J − μ) F⁻ᵀ`.
    #[inline(always)]
    fn valid_stresses<S: Simd>(&self, f: &Mat3<S>, at: &Volume<S>) -> Mat3<S> {
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        let of_cofactor = (at.log_j * lambda - mu) / at.j;
        f.zip(&at.cofactor, |f, cofactor| f * mu + cofactor * of_cofactor)
    }

    /// Second derivative of the extrapolated energy by the principal stretches.
    fn extrapolated_hessian(&self, ray: &Crossing) -> Matrix3<f64> {
        let (s, rest) = (ray.s, 1.0 - ray.s);
        let (third, fourth) = (self.third_along(ray), self.fourth_along(ray));
        let (t, f, ds) = (third * ray.e, fourth * ray.e, ray.gradient());
        let (tau, phi) = (ray.e.dot(&t), ray.e.dot(&f));
        self.hessian_at(&ray.q, ray.log_a)
            + third * (s * rest * (1.0 + rest))
            + fourth * (0.5 * rest * rest * s * s)
            + symmetric_product(&(t * 3.0 + f * s), &ds) * (0.5 * rest * rest)
            + ds * ds.transpose() * (rest * (0.5 * rest * phi - tau))
            + ray.hessian() * (0.5 * rest * rest * tau)
    }

    /// `(pᵢ − pⱼ)/(σᵢ − σⱼ)` of the extrapolated stress without dividing by the difference: every term of `p` is a
    /// function of `Qᵢ`, and `Qᵢ − Qⱼ = s(σᵢ − σⱼ)`.
    fn extrapolated_shear(&self, ray: &Crossing, i: usize, j: usize) -> f64 {
        let (mu, lambda) = (self.lame.shear_modulus(), self.lame.first());
        let (s, rest, beta) = (ray.s, 1.0 - ray.s, mu - lambda * ray.log_a);
        let (a, b) = (ray.e[i], ray.e[j]);
        let product = ray.q[i] * ray.q[j];
        let squares = ray.e.component_div(&ray.q).norm_squared();
        // Divided differences of eᵢ/Qᵢ² and eᵢ²/Qᵢ³; that of 1/Qᵢ is −s/(Qᵢ Qⱼ).
        let first = (1.0 - s * s * a * b) / (product * product);
        let second = (a + b + 3.0 * s * a * b - (s * a * b) * (s * a * b) * s)
            / (product * product * product);
        let of_gradient = s * (mu + beta / product);
        let of_hessian = mu + beta * first - lambda * ray.z * s / product;
        let of_third = lambda * (squares * s / product - 2.0 * ray.z * first) - 2.0 * beta * second;
        let tau = ray.e.dot(&(self.third_along(ray) * ray.e));
        let of_fraction = s * s / (ray.z * product);
        of_gradient + rest * of_hessian + 0.5 * rest * rest * (s * of_third + tau * of_fraction)
    }
}

impl Crossing {
    /// `∇s = −(s/z)(1/Q₁, 1/Q₂, 1/Q₃)`.
    fn gradient(&self) -> Vector3<f64> {
        self.q.map(|x| -self.s / (self.z * x))
    }

    /// `∇²s = −(1/z)[∇s⊗ρ + ρ⊗∇s − z₂ ∇s⊗∇s − s² diag(ρ)]`, `ρᵢ = 1/Qᵢ²`, `z₂ = Σ eᵢ²/Qᵢ²`.
    fn hessian(&self) -> Matrix3<f64> {
        let ds = self.gradient();
        let rho = self.q.map(|x| 1.0 / (x * x));
        let z2 = self.e.component_mul(&self.e).dot(&rho);
        (symmetric_product(&ds, &rho)
            - ds * ds.transpose() * z2
            - Matrix3::from_diagonal(&rho) * (self.s * self.s))
            * (-1.0 / self.z)
    }
}

/// `x⊗y + y⊗x`.
fn symmetric_product(x: &Vector3<f64>, y: &Vector3<f64>) -> Matrix3<f64> {
    x * y.transpose() + y * x.transpose()
}

impl Hyperelastic for NeoHookean {
    fn energy_density(&self, deformation: &Matrix3<f64>) -> f64 {
        self.energy_densities(&Mat3::gather(Scalar, |_| deformation))
            .lane(0)
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
