//! The two constants of an isotropic elastic solid.

use super::MaterialError;

/// Lamé parameters of an isotropic solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    shear_modulus: f64,
    first: f64,
}

impl Lame {
    /// From Young's modulus `E` (Pa) and Poisson's ratio `ν`: `μ = E/(2(1+ν))`, `λ = Eν/((1+ν)(1−2ν))`.
    ///
    /// # Errors
    /// [`MaterialError::YoungModulus`] unless `E` is positive and finite, [`MaterialError::PoissonRatio`] unless
    /// `-1 < ν < 0.5`.
    pub fn new(young: f64, poisson: f64) -> Result<Self, MaterialError> {
        if !(young > 0.0 && young.is_finite()) {
            return Err(MaterialError::YoungModulus { value: young });
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(MaterialError::PoissonRatio { value: poisson });
        }
        let shear_modulus = young / (2.0 * (1.0 + poisson));
        let first = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        if !(shear_modulus.is_finite() && first.is_finite()) {
            return Err(MaterialError::YoungModulus { value: young });
        }
        Ok(Self {
            shear_modulus,
            first,
        })
    }

    /// Shear modulus `μ`, Pa.
    pub fn shear_modulus(&self) -> f64 {
        self.shear_modulus
    }

    /// Young's modulus, Pa: `E = μ(3λ + 2μ)/(λ + μ)`.
    pub fn young(&self) -> f64 {
        let (mu, lambda) = (self.shear_modulus, self.first);
        mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu)
    }

    /// Poisson's ratio: `ν = λ/(2(λ + μ))`.
    pub fn poisson(&self) -> f64 {
        0.5 * self.first / (self.first + self.shear_modulus)
    }

    /// First Lamé parameter `λ`, Pa; negative for a negative Poisson's ratio.
    pub fn first(&self) -> f64 {
        self.first
    }
}
