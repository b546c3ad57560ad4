//! Stiffness and thickness of the penalty layers.

use thiserror::Error;

/// Stiffness and thickness of all layers: `r(l) = r₁ l³`, `η(l) = η₁ l^(−1/4)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerLaw {
    /// `r₁` (N/m).
    stiffness: f64,
    /// `η₁` (m).
    thickness: f64,
}

/// An invalid law.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{what} is {value}; it must be greater than 0 and finite")]
pub struct LayerLawError {
    /// Name of the number, with its unit.
    pub what: &'static str,
    /// The number given.
    pub value: f64,
}

impl LayerLaw {
    /// The law with the first layer's `stiffness` (`r₁`, N/m) and `thickness` (`η₁`, m).
    ///
    /// # Errors
    /// [`LayerLawError`] unless both are positive and finite.
    pub fn new(stiffness: f64, thickness: f64) -> Result<Self, LayerLawError> {
        positive("the stiffness of the first layer (N/m)", stiffness)?;
        positive("the thickness of the first layer (m)", thickness)?;
        Ok(Self {
            stiffness,
            thickness,
        })
    }

    /// The law in which about `layers` layers, the first one `thickness` (m) thick, stop a mass (kg) that arrives at a
    /// speed (m/s): `r₁ = 840 E / (η₁² N^(7/2))` with `E = ½ m v²`.
    ///
    /// # Errors
    /// [`LayerLawError`] unless all are positive and finite, and so is the stiffness.
    pub fn stopping(
        mass: f64,
        speed: f64,
        layers: f64,
        thickness: f64,
    ) -> Result<Self, LayerLawError> {
        let energy = 0.5 * mass * speed * speed;
        let stiffness = Self::stiffness_for(energy, layers, thickness);
        positive("the mass to be stopped (kg)", mass)?;
        positive("the speed to be stopped from (m/s)", speed)?;
        positive("the number of layers", layers)?;
        positive("the thickness of the first layer (m)", thickness)?;
        // A computed number: the caller did not give it.
        positive(
            "the stiffness (N/m) that follows from the thickness of the first layer",
            stiffness,
        )?;
        Self::new(stiffness, thickness)
    }

    /// `r₁ ≈ 840 E / (η₁² N^(7/2))` (N/m): about `layers` layers, the first one `thickness` (m) thick, then stop an
    /// energy (J).
    pub fn stiffness_for(energy: f64, layers: f64, thickness: f64) -> f64 {
        840.0 * energy / (thickness * thickness * layers.powf(3.5))
    }

    /// `r(l)` (N/m).
    #[inline]
    pub fn stiffness(&self, layer: u32) -> f64 {
        let l = f64::from(layer);
        self.stiffness * (l * l * l)
    }

    /// `η(l)` (m). Two square roots, so that all platforms give the same bits.
    #[inline]
    pub fn thickness(&self, layer: u32) -> f64 {
        self.thickness / f64::from(layer).sqrt().sqrt()
    }

    /// `ω_l = √(r(l) / m)` (1/s) for an effective mass (kg).
    pub fn frequency(&self, layer: u32, effective_mass: f64) -> f64 {
        (self.stiffness(layer) / effective_mass).sqrt()
    }

    /// `Σ_l V_l` (J) at distance `d` (m), over all layers thicker than `d`; infinite at 0.
    ///
    /// # Cost
    /// One term per layer thicker than `d`: `(η₁/d)⁴` of them.
    pub fn energy(&self, distance: f64) -> f64 {
        self.sum_over_layers(distance, |stiffness, depth| 0.5 * stiffness * depth * depth)
    }

    /// `−dE/dd = Σ_l r(l) (η(l) − d)` (N) at distance `d` (m); infinite at 0.
    ///
    /// # Cost
    /// As [`energy`](Self::energy).
    pub fn force(&self, distance: f64) -> f64 {
        self.sum_over_layers(distance, |stiffness, depth| stiffness * depth)
    }

    fn sum_over_layers(&self, distance: f64, term: impl Fn(f64, f64) -> f64) -> f64 {
        if distance <= 0.0 {
            return f64::INFINITY;
        }
        (1..=u32::MAX)
            .map(|layer| (self.stiffness(layer), self.thickness(layer) - distance))
            .take_while(|&(_, depth)| depth > 0.0)
            .map(|(stiffness, depth)| term(stiffness, depth))
            .sum()
    }

    /// `N ≈ (840 E / (r₁ η₁²))^(2/7)`: number of layers that stop an energy (J).
    pub fn layers_reached(&self, energy: f64) -> f64 {
        (840.0 * energy / (self.stiffness * self.thickness * self.thickness)).powf(2.0 / 7.0)
    }

    /// `η₁ N^(−1/4)` (m): about the smallest distance at an impact with an energy (J).
    pub fn smallest_distance(&self, energy: f64) -> f64 {
        self.thickness / self.layers_reached(energy).sqrt().sqrt()
    }

    /// Number of layers thicker than `distance` (m); `u32::MAX` if there are more.
    pub fn layers_at(&self, distance: f64) -> u32 {
        if distance <= 0.0 {
            return u32::MAX;
        }
        let ratio = self.thickness / distance;
        let estimate = ratio * ratio * ratio * ratio;
        if estimate.is_nan() || estimate >= f64::from(u32::MAX) {
            return u32::MAX;
        }
        // The power is rounded, so the exact law decides.
        #[expect(clippy::cast_sign_loss, reason = "a fourth power")]
        let mut layers = estimate as u32;
        while layers < u32::MAX && distance < self.thickness(layers + 1) {
            layers += 1;
        }
        while layers > 0 && distance >= self.thickness(layers) {
            layers -= 1;
        }
        layers
    }
}

fn positive(what: &'static str, value: f64) -> Result<(), LayerLawError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(LayerLawError { what, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_invalid_parameter() {
        let refused = |thickness| {
            let error = LayerLaw::stopping(1e-3, 1.0, 5.0, thickness).expect_err("no law");
            error.to_string()
        };
        assert!(refused(-1.0).starts_with("the thickness of the first layer (m) is -1;"));
        assert!(refused(f64::NAN).starts_with("the thickness of the first layer (m) is NaN;"));
        for thickness in [1e-300, 1e300] {
            assert!(refused(thickness).contains("follows from the thickness"));
        }
        let law = LayerLaw::stopping(1e-3, 1.0, 5.0, 1e-3);
        // No finite number of layers suffices for these.
        for distance in [0.0, -1e-3, f64::NAN] {
            assert_eq!(law.expect("a law").layers_at(distance), u32::MAX);
        }
        let stiffness = LayerLaw::stiffness_for(0.5e-3, 5.0, 1e-3);
        assert_eq!(law, LayerLaw::new(stiffness, 1e-3));
    }
}
