//! The six stages of a step, in order: assemble, detect, formulate, resolve, refine, commit.

mod added;
mod admissible;
pub(crate) mod apart;
pub(crate) mod assemble;
pub(crate) mod balance;
mod by_point;
pub(crate) mod check_gaps;
pub(crate) mod coarse;
pub(crate) mod commit;
pub mod contact;
pub(crate) mod contradiction;
#[cfg(test)]
mod crossed_edges;
mod crowd;
pub(crate) mod detect;
pub(crate) mod energy;
pub mod features;
pub(crate) mod formulate;
mod gap;
pub(crate) mod joints;
pub(crate) mod linearise;
pub(crate) mod load;
mod moved;
pub(crate) mod opposed;
mod passing;
mod plane_hits;
pub(crate) mod refine;
mod relinearise;
pub(crate) mod rescue;
pub(crate) mod resolve;
pub(crate) mod rigid;
#[cfg(test)]
mod row_laws;
pub(crate) mod squeezed;
pub(crate) mod start;
pub(crate) mod stencil;
pub(crate) mod thin;
mod touch;
#[cfg(test)]
mod two_cubes;
