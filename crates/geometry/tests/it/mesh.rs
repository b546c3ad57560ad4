//! Solids and surfaces: rejected input, the boundary, the curve order, the generators.

mod generate;
#[cfg(feature = "parry")]
mod hexahedra;
mod outside;
mod repair;
#[cfg(feature = "parry")]
mod stuffing;
mod validation;
