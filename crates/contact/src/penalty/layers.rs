//! Number of layers of a pair.

use super::LayerLaw;

/// Margin above its thickness at which a layer is activated, as a fraction of the thickness.
///
/// A certificate ends before the layer is reached. If it ended within this margin, the layer is activated instead of
/// renewing the certificate: a pair just above a layer would renew it forever. Any small positive value works, because
/// a layer that is not in compression does not act.
pub const PROXIMITY: f64 = 5e-3;

/// Number of active layers of a pair: layers `1 … depth`.
///
/// Layers activate in order and deactivate in reverse order. A certificate guards the distance `η(depth + 1)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proximity {
    /// `L`.
    pub depth: u32,
}

impl Proximity {
    /// Activates the layers that a pair at `distance` (m) needs; deactivates none.
    ///
    /// `None` if more than `most` are needed.
    pub fn called(self, law: &LayerLaw, distance: f64, most: u32) -> Option<Self> {
        let needed = law.layers_at(distance / (1.0 + PROXIMITY));
        let depth = needed.max(self.depth);
        (depth <= most).then_some(Self { depth })
    }

    /// Distance (m) that a certificate of this pair guards: `η(L + 1)`.
    #[inline]
    pub fn guarded(self, law: &LayerLaw) -> f64 {
        law.thickness(self.depth + 1)
    }

    /// Whether layer `layer` may deactivate at one of its ticks: it is the deepest, it is not in compression, and the
    /// sides separate (`separation_speed`, m/s, is positive).
    ///
    /// The first two conditions make it safe, the third avoids chatter.
    #[inline]
    pub fn may_leave(
        self,
        law: &LayerLaw,
        layer: u32,
        distance: f64,
        separation_speed: f64,
    ) -> bool {
        layer == self.depth
            && separation_speed > 0.0
            // Beyond the distance of the next activation.
            && distance >= law.thickness(layer) * (1.0 + PROXIMITY)
    }
}
