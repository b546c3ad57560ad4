//! Compliance of the deformable bodies at rest, for methods that approximate the compliance of a step.
//!
//! [`RestBodies`] computes the compliance at rest once for congruent bodies and per step length, and stores it on disk
//! if the scene names a folder. At the start of an attempted substep it computes one rotation per node. Contact methods
//! get both as plain data, [`TurnedBodies`](impinge_contact::compliance::TurnedBodies).

mod kinds;
mod rest_bodies;
mod store;
mod thin_rotations;

pub use rest_bodies::RestBodies;
