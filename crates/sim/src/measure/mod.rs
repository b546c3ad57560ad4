//! Results that follow from a model and a state: bodies by name, contacts, contact forces, joints that are lines,
//! reactions, poses of rigid bodies, stress, energy of constraints.

pub mod body;
mod constraint_forces;
pub mod contacts;
pub mod forces;
pub mod lines;
pub mod reactions;
pub mod rigid;
pub(crate) mod strains;
pub(crate) mod stress;
