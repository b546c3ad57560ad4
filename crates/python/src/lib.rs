//! The native module of the Python package `impinge`.
//!
//! - `scene`, `simulation`, `body`: scenes, and simulations whose positions and velocities are NumPy arrays
//! - `shared`: the simulation behind both, one thread at a time
//! - `controllers`, `records`, `snapshot`: functions before each step, contacts and reactions, saved states
//! - `run`, `study`: recorded runs, and studies of many; `checks`: the doctor, and the proof of stored runs
//! - `compare`, `friction`: contact methods on the problems of a scene; bare friction problems
//! - `mesh`, `ccd`: meshes and collision queries from arrays
//! - `arrays`, `convert`, `compute`, `errors`: arrays, dictionaries, threads and signals, exceptions
//!
//! It does **not** know any mechanics: it converts arguments, computes without the lock of the interpreter, and
//! converts results. `python/impinge` has what users import, with types in `_native.pyi`.

use pyo3::prelude::*;

mod arrays;
mod body;
mod ccd;
mod checks;
mod compare;
mod compute;
mod controllers;
mod convert;
mod errors;
mod friction;
mod mesh;
mod records;
mod run;
mod scene;
mod shared;
mod simulation;
mod snapshot;
mod study;

/// The native part of impinge.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        body::Body,
        ccd::step_size,
        checks::{Verification, doctor, verify},
        compare::compare,
        friction::{FrictionSolution, solve},
        mesh::{read_mesh, repair, tetrahedralize, write_mesh},
        run::run,
        scene::Scene,
        simulation::Simulation,
        snapshot::Snapshot,
        study::{Study, StudyRow},
    };
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python asks for")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
