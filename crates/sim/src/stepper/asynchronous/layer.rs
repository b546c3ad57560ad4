//! A penalty layer, and a pair at its tick.

use super::clock::Clock;
use super::pairs::Nearest;
use impinge_contact::penalty::{Anchor, Lever};
use nalgebra::Vector3;

/// Data of a pair for a tick that depend on positions only, not on impulses of other pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) nearest: Nearest,
    /// `g`: distance minus the thickness of the layer (m).
    pub(super) gap: f64,
    /// Only if the layer is in compression and the pair has friction.
    pub(super) rubbing: Option<Rubbing>,
}

/// Friction of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rubbing {
    pub(super) lever: Lever,
    pub(super) anchor: Anchor,
    /// The velocity across the normal that would undo the slip (m/s).
    pub(super) back: Vector3<f64>,
}

/// A layer and the pairs that have it.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) clock: Clock,
    /// In the order of their features, so that the result of a tick does not depend on the order of activation: pairs
    /// with a common point see the velocities after earlier pairs.
    pub(super) members: Vec<u32>,
    /// Whether its next tick is in the queue.
    pub(super) ticking: bool,
}
