//! The asynchronous integrator on plain data: closed forms, conservation, safety.

mod bounce;
mod clocks;
mod conservation;
mod damping;
mod dissipation;
mod joints;
mod resonance;
mod rigid;
mod run;
mod safety;
mod slope;
mod speculative;
mod straight;
mod support;
