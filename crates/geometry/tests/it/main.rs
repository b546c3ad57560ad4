//! Integration tests; modules mirror `src`.

mod broad_phase;
mod ccd;
mod distance;
mod exact;
mod io;
mod kinetic;
mod mesh;
mod surface;
