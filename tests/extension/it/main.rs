//! Extensions of simulations.

mod broad_phase;
mod contact_solver;
mod force;
mod material;
mod observer;
mod preconditioner;
mod stepper;
mod support;
