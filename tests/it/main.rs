//! Laws of whole simulations, on small scenes: momentum, energy, rest, no intersection, one set of bits.

mod angular_momentum;
mod asynchronous;
mod asynchronous_energy;
mod asynchronous_limits;
mod balance;
mod compliance;
mod determinism;
mod energy;
mod failure;
mod figure;
mod held;
mod intersection;
mod invariance;
mod joined_compliance;
mod momentum;
mod open_obstacle;
mod papers;
mod release;
mod rest;
mod rigid;
mod scales;
mod scenes;
mod small_loads;
mod support;
mod weightless;
