//! Solids and surfaces: rejected input, the boundary, the curve order, the generators.

mod generate;
mod outside;
mod repair;
#[cfg(feature = "parry")]
mod stuffing;
mod validation;
