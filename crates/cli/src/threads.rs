//! The number of threads of the program.

use std::num::NonZeroUsize;

use super::exit::{Code, Failure};

/// Most threads per processor; more are never faster.
const THREADS_PER_PROCESSOR: usize = 8;

/// Number of threads that is allowed on any machine, to show that results do not depend on it.
const FEW_THREADS: usize = 64;

/// Limits the threads of the whole program.
pub(crate) fn use_threads(threads: Option<NonZeroUsize>) -> Result<(), Failure> {
    let Some(threads) = threads else {
        return Ok(());
    };
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let most = (THREADS_PER_PROCESSOR * processors).max(FEW_THREADS);
    if threads.get() > most {
        return Err(Failure::new(
            Code::BadInput,
            format!(
                "--threads {threads}: at most {most} threads are allowed with {processors} processors\n  \
                 mend: give at most {most}; without --threads, one thread per processor is used"
            ),
        ));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build_global()
        .map_err(|error| {
            Failure::new(
                Code::BadInput,
                format!(
                    "{threads} threads cannot be started: {error}\n  mend: use fewer --threads"
                ),
            )
        })
}
