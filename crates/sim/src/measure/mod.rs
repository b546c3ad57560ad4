//! Results that follow from a model and a state: contact forces, poses of rigid bodies, stress, energy of constraints.

pub mod forces;
pub mod rigid;
pub(crate) mod strains;
pub(crate) mod stress;
