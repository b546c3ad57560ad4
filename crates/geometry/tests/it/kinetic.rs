//! Certificates against densely sampled motions, the hierarchy against brute force.

mod k_dop;
mod known_path;
mod slab;
mod support;
