//! Results that follow from a model and a state: bodies by name, contacts, contact forces, reactions, poses of rigid
//! bodies, stress, energy of constraints.

pub mod body;
pub mod contacts;
pub mod forces;
pub mod reactions;
pub mod rigid;
pub(crate) mod strains;
pub(crate) mod stress;
