//! Computing without the lock of the interpreter, while signals are handled.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use impinge_sim::Interrupt;
use pyo3::prelude::*;

use crate::errors::internal;

/// Time between two looks for signals (s): short for a person, long for a processor.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Result of a computation that was waited for.
pub(crate) struct Computed<R> {
    /// Result; `None` if the computation panicked.
    pub(crate) result: Option<R>,
    /// The exception that a signal handler raised meanwhile, or the panic.
    pub(crate) raised: Option<PyErr>,
}

/// Computes `work` on a thread of rayon. If a signal handler raises, `interrupt` is raised, and the end of `work` is
/// waited for.
pub(crate) fn until_interrupt<R: Send + 'static>(
    py: Python<'_>,
    interrupt: &Interrupt,
    work: impl FnOnce() -> R + Send + 'static,
) -> Computed<R> {
    let results = start(work);
    py.detach(move || {
        let mut raised = None;
        let result = loop {
            match results.recv_timeout(LOOK_EVERY) {
                Ok(result) => break result,
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = Python::attach(|py| py.check_signals()) {
                        interrupt.raise();
                        raised.get_or_insert(error);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break Err(internal("a thread was lost")),
            }
        };
        match result {
            Ok(result) => Computed {
                result: Some(result),
                raised,
            },
            Err(panic) => Computed {
                result: None,
                raised: Some(panic),
            },
        }
    })
}

/// Computes `work` on a thread of rayon. If a signal handler raises, `work` ends in the background, and its result is
/// dropped.
pub(crate) fn or_abandon<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    let results = start(work);
    py.detach(move || {
        loop {
            match results.recv_timeout(LOOK_EVERY) {
                Ok(result) => break result,
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                Err(RecvTimeoutError::Disconnected) => break Err(internal("a thread was lost")),
            }
        }
    })
}

fn start<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Receiver<PyResult<R>> {
    let (sender, receiver) = channel();
    rayon::spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(work));
        // The receiver may be gone.
        drop(sender.send(result.map_err(|panic| internal(words(&*panic)))));
    });
    receiver
}

/// The message of a panic.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!(
        "the computation panicked: {}; please report this",
        text.unwrap_or("without a message")
    )
}
