//! A problem as bytes: with its warm start and method, replayed bit for bit.
//!
//! The container is [safetensors](https://github.com/huggingface/safetensors): a JSON header that names every array
//! with its type and shape, then the arrays in little-endian order. One entry of the header, `__metadata__.impinge`, is
//! JSON too: format number, method with its settings, origin of the problem. Any safetensors reader can list and load
//! the arrays (`safetensors.numpy.load_file` in Python).
//!
//! | array | type | shape | symbol, unit |
//! |---|---|---|---|
//! | `time_step` | `f64` | 1 | `Δt`, s |
//! | `momentum.row_offsets` | `u64` | `blocks + 1` | first slot of every block row |
//! | `momentum.columns` | `u32` | `slots` | upper triangle, ascending, diagonal first |
//! | `momentum.values` | `f64` | `slots × 3 × 3` | `A`, kg, row by row |
//! | `momentum.weights` | `f64` | `blocks` | `w` of the momentum residual |
//! | `rhs` | `f64` | `blocks × 3` | `b`, N·s |
//! | `nodes.bodies` | `u32` | `blocks` | deformable body of every block, or 2³² − 1 |
//! | `nodes.rest` | `f64` | `blocks × 4` | position at rest, m, and mass, kg |
//! | `contacts.row_offsets` | `u64` | `contacts + 1` | first entry of every contact |
//! | `contacts.blocks` | `u32` | `entries` | block of every entry |
//! | `contacts.jacobians` | `f64` | `entries × 3 × 3` | rows `n, t₁, t₂` of `[J; J_t]`, s |
//! | `contacts.offsets` | `f64` | `contacts × 3` | `(c_n, c_t)`, m |
//! | `contacts.friction` | `f64` | `contacts` | `μ` |
//! | `contacts.scales` | `f64` | `contacts × 2` | displacement scales of gap and slip |
//! | `constraints.row_offsets`, `.block_offsets` | `u64` | `groups + 1` | first row, first block of every group |
//! | `constraints.blocks` | `u32` | blocks | blocks of every group |
//! | `constraints.jacobians` | `f64` | `rows × blocks` per group, 3 | `j`, s·\[φ\]/m |
//! | `constraints.offsets` | `f64` | rows | `c`, \[φ\] |
//! | `constraints.compliance` | `f64` | `rows × rows` per group | `C`, \[φ\]²/J |
//! | `constraints.unilateral` | `u8` | groups | 0 bilateral, 1 one-sided |
//! | `start.constraints` | `f64` | rows | `λ`, J/\[φ\] |
//! | `start.velocity` | `f64` | `blocks × 3` | `v`, m/s |
//! | `start.state` | `u8` | `contacts` | 0 inactive, 1 sliding, 2 sticking |
//! | `start.lambda`, `start.previous_lambda` | `f64` | `contacts` | N |
//! | `start.gamma`, `start.sliding_force` | `f64` | `contacts × 2` | N |
//! | `start.slip_direction` | `f64` | `contacts × 2` | 1 |
//!
//! The arrays of constraints and of nodes are present only if there are any; weights and scales only if one of them is
//! not 1.

mod arrays;
mod constraints;
mod error;
mod read;
mod write;

pub use error::StoredProblemError;

use crate::{ContactProblem, ContactSolution, method::Method};
use serde::{Deserialize, Serialize};

/// Version of the format; the only one read.
pub const FORMAT: u64 = 5;

/// The body of a block that is no node of a deformable body.
const NO_BODY: u32 = u32::MAX;

/// Key of impinge's header entry.
const METADATA_KEY: &str = "impinge";

/// Origin of a problem: for people; no method reads it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// Title of the scene.
    pub scene: String,
    /// Number of the time step, from 1; 0 if the problem is not from a simulation.
    pub step: u64,
    /// Number of the solve within the step, from 1.
    pub round: u32,
    /// Simulated time at the start of the step (s).
    pub time: f64,
}

/// All data of a solve.
#[derive(Debug, Clone)]
pub struct StoredProblem {
    /// The problem.
    pub problem: ContactProblem,
    /// Velocities and multipliers of the warm start.
    pub start: ContactSolution,
    /// The method, its settings and tolerances.
    pub method: Method,
    /// Origin of the problem.
    pub origin: Origin,
}

/// impinge's entry of the header.
#[derive(Serialize, Deserialize)]
struct Header {
    format: u64,
    program: String,
    origin: Origin,
    solver: Method,
}
