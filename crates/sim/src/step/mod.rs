//! The six stages of a step, in order: assemble, detect, formulate, resolve, refine, commit.

pub(crate) mod assemble;
pub(crate) mod commit;
pub(crate) mod context;
pub(crate) mod detect;
pub mod extension;
pub(crate) mod formulate;
pub(crate) mod refine;
pub(crate) mod resolve;
