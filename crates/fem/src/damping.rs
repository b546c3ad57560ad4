//! Rayleigh damping: a damping matrix combined from the mass and the stiffness matrix.

use crate::material::MaterialError;

/// Coefficients of `C = a_M M + a_K K` for one element.
///
/// `a_M` damps every motion, rigid translation included (drag of a surrounding medium); `a_K` damps deformation only. A
/// mode of angular frequency `ω` is damped by the fraction `½(a_M/ω + a_K ω)` of the critical damping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RayleighDamping {
    mass: f64,
    stiffness: f64,
}

impl RayleighDamping {
    /// No damping.
    pub const NONE: Self = Self {
        mass: 0.0,
        stiffness: 0.0,
    };

    /// From `a_M` (1/s) and `a_K` (s).
    ///
    /// # Errors
    /// [`MaterialError::Damping`] if a coefficient is negative or not finite.
    pub fn new(mass: f64, stiffness: f64) -> Result<Self, MaterialError> {
        let valid = |value: f64| value >= 0.0 && value.is_finite();
        if valid(mass) && valid(stiffness) {
            Ok(Self { mass, stiffness })
        } else {
            Err(MaterialError::Damping { mass, stiffness })
        }
    }

    /// Mass coefficient `a_M`, 1/s.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Stiffness coefficient `a_K`, s.
    pub fn stiffness(&self) -> f64 {
        self.stiffness
    }
}
