//! The part of rayon that impinge uses: rayon itself with the feature `parallel`, else the same calls on one thread.
//!
//! The contract: code that compiles with the feature compiles without it, and computes the same bits if its result does
//! not depend on the number of threads. Without the feature, everything runs in order on the calling thread and
//! [`current_num_threads`] is 1.
//!
//! # Example
//! ```
//! use impinge_rayon::prelude::*;
//!
//! let squares: Vec<u32> = (0..4u32).into_par_iter().map(|x| x * x).collect();
//! assert_eq!(squares, [0, 1, 4, 9]);
//! ```
//!
//! It does **not** know any of the other crates. They depend on it under the name `rayon`.
//!
//! Present limits: without the feature there are only the iterators and functions that impinge uses.

#[cfg(feature = "parallel")]
pub use rayon::*;

#[cfg(not(feature = "parallel"))]
mod iter;
#[cfg(not(feature = "parallel"))]
mod pool;

#[cfg(not(feature = "parallel"))]
pub use pool::{
    Scope, ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, broadcast, current_num_threads,
    join, scope,
};

/// The traits of the iterators.
#[cfg(not(feature = "parallel"))]
pub mod prelude {
    pub use crate::iter::{
        IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelExtend, ParallelIterator, ParallelSlice,
        ParallelSliceMut,
    };
}
