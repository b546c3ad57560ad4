//! Which layers a pair needs.

use super::LayerLaw;

/// How far ahead of its thickness a layer is called, as a fraction of it.
///
/// A certificate ends before the layer is reached; if it ends closer than this, the layer is called rather than the
/// certificate renewed, for a pair that hovers just above a layer would otherwise renew it without end. Calling early
/// changes nothing, since a layer that is not pressed does not act.
pub const PROXIMITY: f64 = 5e-3;

/// The number of layers that act on a pair: layers `1 … depth` do.
///
/// Layers come in order and leave in reverse order. A certificate guards the distance `η(depth + 1)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proximity {
    /// `L`.
    pub depth: u32,
}

impl Proximity {
    /// The layers that a pair at `distance` (m) has to have called, none of those it has being dismissed.
    ///
    /// `most` bounds the answer; `None` if that is not enough.
    pub fn called(self, law: &LayerLaw, distance: f64, most: u32) -> Option<Self> {
        let needed = law.layers_at(distance / (1.0 + PROXIMITY));
        let depth = needed.max(self.depth);
        (depth <= most).then_some(Self { depth })
    }

    /// The distance (m) that a certificate of this pair has to guard: `η(L + 1)`.
    #[inline]
    pub fn guarded(self, law: &LayerLaw) -> f64 {
        law.thickness(self.depth + 1)
    }

    /// Whether layer `layer` may leave at one of its ticks: it is the deepest one, it is not pressed, and the sides
    /// separate (`separation_speed`, m/s, is positive).
    ///
    /// The first two make it safe, the third keeps the layer from coming and going.
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
            // Beyond the distance at which it would be called again at once.
            && distance >= law.thickness(layer) * (1.0 + PROXIMITY)
    }
}
