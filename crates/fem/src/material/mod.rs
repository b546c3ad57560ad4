//! Energy densities of materials and their derivatives.
//!
//! | material | parameters | assembled tangent | valid for |
//! |---|---|---|---|
//! | [`CorotationalLinear`] | `young` (Pa), `poisson` | linear, rotated by `R` | any rotation, moderate strain |
//! | [`StVenantKirchhoff`] | the same | exact, made convex | any rotation, moderate strain |
//! | [`NeoHookean`] | the same; the ratio `a` of extrapolation | exact, made convex | large strain, inversion |
//! | [`CustomMaterial`] | those of any [`Hyperelastic`] from outside | its own | what its author says |

mod corotational;
mod custom;
mod error;
mod lame;
mod neo_hookean;
mod responses;
mod st_venant_kirchhoff;
mod tangent;

pub use corotational::CorotationalLinear;
pub use custom::CustomMaterial;
pub use error::MaterialError;
pub use lame::Lame;
pub use neo_hookean::NeoHookean;
pub(crate) use responses::Responses;
pub use st_venant_kirchhoff::StVenantKirchhoff;
pub use tangent::Tangent;

use crate::kinematics::determinant;
use crate::lanes::{Lanes, Mat3};
use nalgebra::Matrix3;
use pulp::Simd;

/// An isotropic energy density `Ψ(F)` with `P = ∂Ψ/∂F`, defined for every `F`, inverted ones included.
///
/// A material from another crate implements the first three methods and takes part as [`CustomMaterial`]. Results must
/// be finite and depend on `F` alone: elements are evaluated on several threads, in any order.
pub trait Hyperelastic: Sync {
    /// Energy per rest volume `Ψ(F)`, J/m³; zero at rest up to the constant of the model.
    fn energy_density(&self, deformation: &Matrix3<f64>) -> f64;

    /// First Piola-Kirchhoff stress `P(F) = ∂Ψ/∂F`, Pa.
    fn stress(&self, deformation: &Matrix3<f64>) -> Matrix3<f64>;

    /// The exact derivative `∂P/∂F`, Pa: symmetric, not always positive semi-definite.
    fn exact_tangent(&self, deformation: &Matrix3<f64>) -> Tangent;

    /// Stress and the positive semi-definite tangent of the momentum matrix; by default the exact tangent without its
    /// negative eigenvalues.
    fn convex_response(&self, deformation: &Matrix3<f64>) -> Response {
        Response {
            stress: self.stress(deformation),
            tangent: self.exact_tangent(deformation).projected(f64::INFINITY),
        }
    }

    /// Von Mises stress, Pa: `√(3/2) ‖dev σ‖` with `σ = P Fᵀ / |det F|`.
    ///
    /// The absolute value gives inverted elements the magnitude of their tractions per current area. For an exactly
    /// flat `F` the result is infinite or NaN.
    fn von_mises(&self, deformation: &Matrix3<f64>) -> f64 {
        let kirchhoff = self.stress(deformation) * deformation.transpose();
        let deviator = kirchhoff - Matrix3::from_diagonal_element(kirchhoff.trace() / 3.0);
        1.5_f64.sqrt() * deviator.norm() / determinant(deformation).abs()
    }
}

/// Stress and tangent at one deformation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// First Piola-Kirchhoff stress `P`, Pa.
    pub stress: Matrix3<f64>,
    /// Positive semi-definite approximation of `∂P/∂F`, Pa.
    pub tangent: Tangent,
}

/// The materials of scenes, and those from outside.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Material {
    /// Linear elasticity in a co-rotated frame.
    Corotational(CorotationalLinear),
    /// Linear elasticity in the Green–Lagrange strain.
    StVenantKirchhoff(StVenantKirchhoff),
    /// Compressible neo-Hookean solid, extrapolated under strong compression and inversion.
    NeoHookean(NeoHookean),
    /// A material from outside this crate.
    Custom(CustomMaterial),
}

impl Material {
    /// Co-rotational linear material from Young's modulus (Pa) and Poisson's ratio.
    ///
    /// # Errors
    /// [`MaterialError`] unless `young` is positive and finite and `-1 < poisson < 0.5`.
    pub fn corotational(young: f64, poisson: f64) -> Result<Self, MaterialError> {
        Ok(Self::Corotational(CorotationalLinear::new(Lame::new(
            young, poisson,
        )?)))
    }

    /// Saint Venant–Kirchhoff material from Young's modulus (Pa) and Poisson's ratio.
    ///
    /// # Errors
    /// [`MaterialError`] unless `young` is positive and finite and `-1 < poisson < 0.5`.
    pub fn st_venant_kirchhoff(young: f64, poisson: f64) -> Result<Self, MaterialError> {
        Ok(Self::StVenantKirchhoff(StVenantKirchhoff::new(Lame::new(
            young, poisson,
        )?)))
    }

    /// Neo-Hookean material from Young's modulus (Pa) and Poisson's ratio, extrapolated below
    /// [`NeoHookean::DEFAULT_THRESHOLD`].
    ///
    /// # Errors
    /// [`MaterialError`] unless `young` is positive and finite and `-1 < poisson < 0.5`.
    pub fn neo_hookean(young: f64, poisson: f64) -> Result<Self, MaterialError> {
        Ok(Self::NeoHookean(NeoHookean::new(Lame::new(
            young, poisson,
        )?)))
    }

    /// As [`neo_hookean`](Self::neo_hookean), extrapolated where `det F` is below `threshold`.
    ///
    /// # Errors
    /// As [`neo_hookean`](Self::neo_hookean), and unless `0 < threshold < 1`.
    pub fn neo_hookean_below(
        young: f64,
        poisson: f64,
        threshold: f64,
    ) -> Result<Self, MaterialError> {
        let lame = Lame::new(young, poisson)?;
        Ok(Self::NeoHookean(NeoHookean::with_threshold(
            lame, threshold,
        )?))
    }

    /// The Lamé parameters.
    pub fn lame(&self) -> Lame {
        match self {
            Self::Corotational(material) => material.lame(),
            Self::StVenantKirchhoff(material) => material.lame(),
            Self::NeoHookean(material) => material.lame(),
            Self::Custom(material) => material.lame(),
        }
    }

    /// [`Hyperelastic::energy_density`] in every lane.
    #[inline(always)]
    pub(crate) fn energy_densities<S: Simd>(&self, f: &Mat3<S>) -> Lanes<S> {
        match self {
            Self::Corotational(material) => material.energy_densities(f),
            Self::StVenantKirchhoff(material) => material.energy_densities(f),
            Self::NeoHookean(material) => material.energy_densities(f),
            Self::Custom(material) => Lanes::gather(f.simd(), |lane| {
                material.law().energy_density(&f.lane(lane))
            }),
        }
    }

    /// [`Hyperelastic::stress`] in every lane.
    #[inline(always)]
    pub(crate) fn stresses<S: Simd>(&self, f: &Mat3<S>) -> Mat3<S> {
        match self {
            Self::Corotational(material) => material.stresses(f),
            Self::StVenantKirchhoff(material) => material.stresses(f),
            Self::NeoHookean(material) => material.stresses(f),
            Self::Custom(material) => {
                let mut stresses = *f;
                for lane in 0..S::F64_LANES {
                    stresses.set_lane(lane, &material.law().stress(&f.lane(lane)));
                }
                stresses
            }
        }
    }

    /// [`Hyperelastic::convex_response`] in every lane.
    #[inline(always)]
    pub(crate) fn responses<S: Simd>(&self, f: &Mat3<S>) -> Responses<S> {
        match self {
            Self::StVenantKirchhoff(material) => material.responses(f),
            Self::NeoHookean(material) => material.responses(f),
            Self::Corotational(_) | Self::Custom(_) => {
                Responses::gather(f.simd(), |lane| self.convex_response(&f.lane(lane)))
            }
        }
    }

    fn model(&self) -> &dyn Hyperelastic {
        match self {
            Self::Corotational(material) => material,
            Self::StVenantKirchhoff(material) => material,
            Self::NeoHookean(material) => material,
            Self::Custom(material) => material.law(),
        }
    }
}

impl Hyperelastic for Material {
    fn energy_density(&self, deformation: &Matrix3<f64>) -> f64 {
        self.model().energy_density(deformation)
    }

    fn stress(&self, deformation: &Matrix3<f64>) -> Matrix3<f64> {
        self.model().stress(deformation)
    }

    fn exact_tangent(&self, deformation: &Matrix3<f64>) -> Tangent {
        self.model().exact_tangent(deformation)
    }

    // The response of every element of a step: without a table of functions.
    #[inline]
    fn convex_response(&self, deformation: &Matrix3<f64>) -> Response {
        match self {
            Self::Corotational(material) => material.convex_response(deformation),
            Self::StVenantKirchhoff(material) => material.convex_response(deformation),
            Self::NeoHookean(material) => material.convex_response(deformation),
            Self::Custom(material) => material.law().convex_response(deformation),
        }
    }

    fn von_mises(&self, deformation: &Matrix3<f64>) -> f64 {
        self.model().von_mises(deformation)
    }
}
