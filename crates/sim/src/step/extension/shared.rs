//! Extensions that several steppers use in turn.

use crate::error::extension::{ExtensionError, ExtensionKind};
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The result of an extension that may fail: any error, or a message by `"text".into()`.
pub type ExtensionResult = Result<(), Box<dyn Error + Send + Sync>>;

/// An extension that outlives the stepper that uses it.
pub(crate) struct Shared<T: ?Sized> {
    kind: ExtensionKind,
    pub(super) name: Arc<str>,
    slot: Arc<Mutex<Slot<T>>>,
}

/// An extension, and the contract that it broke.
pub(super) struct Slot<T: ?Sized> {
    pub(super) problem: Option<String>,
    pub(super) inner: Box<T>,
}

impl<T: ?Sized> Shared<T> {
    pub(super) fn new(kind: ExtensionKind, name: String, inner: Box<T>) -> Self {
        let problem = None;
        Self {
            kind,
            name: name.into(),
            slot: Arc::new(Mutex::new(Slot { problem, inner })),
        }
    }

    /// Access to the extension. One that panicked is used as it is.
    pub(super) fn lock(&self) -> MutexGuard<'_, Slot<T>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn error(&self, problem: String) -> ExtensionError {
        ExtensionError {
            kind: self.kind,
            name: self.name.to_string(),
            problem,
        }
    }

    pub(super) fn kind_and_name(&self) -> (ExtensionKind, &str) {
        (self.kind, &self.name)
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self {
            kind: self.kind,
            name: Arc::clone(&self.name),
            slot: Arc::clone(&self.slot),
        }
    }
}

impl<T: ?Sized> Slot<T> {
    /// Records a broken contract, unless there is an earlier one.
    pub(super) fn breaks(&mut self, problem: impl Into<String>) {
        self.problem.get_or_insert_with(|| problem.into());
    }
}
