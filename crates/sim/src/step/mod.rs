//! The six stages of a step, in order: assemble, detect, formulate, resolve, refine, commit.

mod added;
mod admissible;
pub(crate) mod apart;
pub(crate) mod assemble;
pub(crate) mod balance;
mod by_point;
pub(crate) mod coarse;
pub(crate) mod commit;
pub mod contact;
pub(crate) mod contradiction;
mod crowd;
pub(crate) mod detect;
pub mod features;
pub(crate) mod formulate;
mod gap;
pub(crate) mod joints;
pub(crate) mod linearise;
mod moved;
pub(crate) mod opposed;
mod passing;
pub(crate) mod refine;
pub(crate) mod rescue;
pub(crate) mod resolve;
pub(crate) mod rigid;
#[cfg(test)]
mod row_laws;
pub(crate) mod squeezed;
pub(crate) mod start;
pub(crate) mod thin;
#[cfg(test)]
mod two_cubes;
