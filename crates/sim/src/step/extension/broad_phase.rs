//! A broad phase from another crate, made independent of its order.

use super::shared::Shared;
use impinge_geometry::{
    broad_phase::{Aabb, BroadPhase, CandidateSet},
    surface::CollisionSurface,
};

/// Sorts the pairs and removes those that do not overlap, so that every complete broad phase gives the same bits.
pub(super) struct CheckedBroadPhase(pub(super) Shared<dyn BroadPhase + Send>);

impl BroadPhase for CheckedBroadPhase {
    fn collect(
        &mut self,
        surface: &CollisionSurface,
        point_boxes: &[Aabb],
        out: &mut CandidateSet,
    ) {
        let mut slot = self.0.lock();
        slot.inner.collect(surface, point_boxes, out);
        if let Err(pair) = out.normalise(surface, point_boxes) {
            out.clear();
            slot.breaks(format!(
                "gave the pair {pair:?}, which the surface does not have"
            ));
        }
    }
}
