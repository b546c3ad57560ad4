//! Thread pools of one thread: the calling one.

use std::fmt;

/// Number of threads of the current pool: 1.
#[must_use]
pub fn current_num_threads() -> usize {
    1
}

/// Calls `first`, then `second`.
pub fn join<A, B, R1, R2>(first: A, second: B) -> (R1, R2)
where
    A: FnOnce() -> R1 + Send,
    B: FnOnce() -> R2 + Send,
    R1: Send,
    R2: Send,
{
    let first = first();
    (first, second())
}

/// Argument of the closures of [`scope`].
#[derive(Debug)]
pub struct Scope(());

/// Calls `body`.
pub fn scope<F, R>(body: F) -> R
where
    F: FnOnce(&Scope) -> R + Send,
    R: Send,
{
    body(&Scope(()))
}

/// Calls `body` on every thread of the pool: once.
pub fn broadcast<F, R>(body: F) -> Vec<R>
where
    F: Fn(()) -> R + Sync,
    R: Send,
{
    vec![body(())]
}

/// A pool of one thread.
#[derive(Debug)]
pub struct ThreadPool(());

impl ThreadPool {
    /// Calls `body`.
    pub fn install<F, R>(&self, body: F) -> R
    where
        F: FnOnce() -> R + Send,
        R: Send,
    {
        body()
    }

    /// Number of its threads: 1.
    #[must_use]
    pub fn current_num_threads(&self) -> usize {
        1
    }
}

/// Settings of a pool; none of them matters to a pool of one thread.
#[derive(Debug, Default)]
pub struct ThreadPoolBuilder(());

impl ThreadPoolBuilder {
    /// No settings yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for `_threads` threads; there is one.
    #[must_use]
    pub fn num_threads(self, _threads: usize) -> Self {
        self
    }

    /// A pool of one thread.
    ///
    /// # Errors
    /// None; the type is that of rayon.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        Ok(ThreadPool(()))
    }

    /// Sets the pool of all that runs in no other: the calling thread.
    ///
    /// # Errors
    /// None; the type is that of rayon.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        Ok(())
    }
}

/// The error of a pool that cannot be built; a pool of one thread always can.
#[derive(Debug)]
pub enum ThreadPoolBuildError {}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, _formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for ThreadPoolBuildError {}
