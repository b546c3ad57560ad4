//! Laws, oracles and bit equality of `impinge-krylov`; modules mirror the crate.

mod block;
mod coarse_grid;
mod common;
mod direct;
mod method;
mod preconditioner;
mod solve;
mod vector;
