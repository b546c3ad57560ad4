//! Integration tests; modules mirror `src`.

mod broad_phase;
mod ccd;
mod distance;
mod exact;
mod io;
mod kinetic;
mod mesh;
mod surface;

/// Tests of readers measure what they hold.
#[global_allocator]
static METER: impinge_damage::Meter = impinge_damage::Meter;
