//! Contacts: which features touch, along which normal, and the record of it.
//!
//! It knows the [`Geometry`](crate::geometry::Geometry) of the solids, and neither model, state nor step.

pub(crate) mod admissible;
pub(crate) mod by_point;
pub(crate) mod conflict;
pub mod contact;
#[cfg(test)]
pub(crate) mod cube;
pub(crate) mod duplicate_suppression;
pub(crate) mod features;
pub(crate) mod gap;
pub(crate) mod linearise;
pub(crate) mod new_contacts;
pub(crate) mod opposing_normals;
pub(crate) mod pass_through;
pub(crate) mod set;
pub(crate) mod stencil;
pub(crate) mod step_motion;
pub(crate) mod touch;
#[cfg(test)]
pub(crate) mod two_cubes;
