//! The law of all layers, and how deep and how fast they may be.

use super::system::Settings;
use crate::error::asynchronous::SystemError;
use impinge_contact::penalty::LayerLaw;

/// Relative distance beyond its thickness at which a predicted layer is activated: impulses of other pairs may bring it
/// closer.
const MARGIN: f64 = 0.02;

/// Under speculation, distance in thicknesses within which pairs have their first layer. An idle layer costs little, a
/// repeated window much.
pub(super) const FAR: f64 = 1.3;

/// Constants of the penalty layers of a system. At least the first layer ticks slowly enough to be run.
#[derive(Clone, Debug)]
pub(super) struct LayerRules {
    pub(super) law: LayerLaw,
    pub(super) restitution: f64,
    /// `m` of the fastest possible pair of vertices, both of least mass.
    pub(super) effective_mass: f64,
    pub(super) half_thickness: f64,
    /// The deepest layer that counts as progress, at least 1.
    pub(super) deepest: u32,
    /// `θ_c`: period of a layer times its frequency.
    step: f64,
}

impl LayerRules {
    /// The rules of a system; invalid if even the first layer is too fast.
    pub(super) fn new(
        law: LayerLaw,
        restitution: f64,
        effective_mass: f64,
        settings: &Settings,
    ) -> Result<Self, SystemError> {
        let mut rules = Self {
            half_thickness: 0.5 * law.thickness(1),
            law,
            restitution,
            effective_mass,
            step: settings.layer_step,
            deepest: 0,
        };
        rules.deepest = rules.deepest_layer(settings);
        if rules.deepest == 0 {
            return Err(SystemError::TooFast {
                what: "the first penalty layer",
                period: rules.period(1),
                shortest: (settings.shortest_period).max(0.4 / settings.most_ticks),
                mend: "use a larger `asynchronous.layer_step` or density, a smaller `asynchronous.stiffness` or, \
                       where that is not given, a larger `asynchronous.thickness`; or a larger \
                       `asynchronous.most_ticks` where that is below 4e8",
            });
        }
        Ok(rules)
    }

    /// `h(l) = θ_c / ω_l = h₁ l^(−3/2)` (s).
    pub(super) fn period(&self, layer: u32) -> f64 {
        self.step / self.law.frequency(layer, self.effective_mass)
    }

    /// Number of layers that a pair with `depth` of them will need within `duration` (s) if it keeps approaching at
    /// `closing` (m/s). It is at most the number that it can pass, and at most the number that stops it.
    pub(super) fn depth_after(
        &self,
        depth: u32,
        distance: f64,
        closing: f64,
        duration: f64,
    ) -> u32 {
        let next = (distance - closing * duration) / (1.0 + MARGIN);
        if next >= self.law.thickness(depth + 1) {
            return depth;
        }
        // In a window that will be repeated, distances may be arbitrary.
        let most = self.deepest.max(depth + 1);
        if distance <= self.law.thickness(most) {
            return most;
        }
        let held = if depth > 0 {
            self.law.energy(distance)
        } else {
            0.0
        };
        let energy = 0.5 * self.effective_mass * closing * closing + held;
        #[expect(
            clippy::cast_sign_loss,
            reason = "a positive number; a huge one saturates"
        )]
        let stopping = self.law.layers_reached(energy).ceil() as u32;
        self.law
            .layers_at(next.max(0.0))
            .min(stopping)
            .clamp(depth + 1, most)
    }

    /// The deepest layer for which its clock, and all clocks up to it together, tick slowly enough. 0 if even the first
    /// one is too fast.
    ///
    /// `Σ_(l≤L) 1/h(l) ≈ 2 L^(5/2) / (5 h₁)`.
    fn deepest_layer(&self, settings: &Settings) -> u32 {
        let first = self.period(1);
        let by_period = (first / settings.shortest_period).powf(2.0 / 3.0);
        let by_ticks = (2.5 * settings.most_ticks * first).powf(0.4);
        #[expect(
            clippy::cast_sign_loss,
            reason = "positive; a huge or missing bound saturates"
        )]
        let deepest = by_period.min(by_ticks).min(f64::from(u32::MAX / 2)) as u32;
        deepest
    }
}
