//! Laws, derivatives, closed forms and oracles for the finite elements.

mod allocations;
mod assembly;
mod corotational;
mod derivatives;
mod errors;
mod hexahedra;
mod kinematics;
mod measures;
mod neo_hookean;
mod patch;
mod plasticity;
mod rigid;
mod rotations;
mod support;
mod thin;
mod threads;
mod viscosity;
