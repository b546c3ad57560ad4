//! Solids and surfaces: what is refused, the outside, the curve order, the generators.

mod generate;
mod outside;
mod repair;
mod stuffing;
mod validation;
