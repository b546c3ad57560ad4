//! How the deformable bodies of a model yield at rest, for methods that approximate the compliance of a step.
//!
//! This is the seam through which a contact method learns more than its problem: [`RestBodies`] computes what does not
//! change (the compliance at rest, once for equal bodies and per step length, kept on disk where the scene names a folder)
//! and what does (one rotation per node, at the start of an attempt), and hands both over as plain data,
//! [`TurnedBodies`](impinge_contact::compliance::TurnedBodies).

mod kinds;
mod rest_bodies;
mod store;

pub use rest_bodies::RestBodies;
