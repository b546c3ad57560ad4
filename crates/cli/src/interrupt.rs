//! Ctrl-C: the first one asks for an orderly end, the second one ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::exit::Code;

/// A flag that Ctrl-C raises.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. Where signals cannot be caught, Ctrl-C ends the program at once, as it does by default:
    /// what is on disk is whole in either case.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let flag = interrupt.0.clone();
        let caught = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(Code::Interrupted.number()));
            }
        });
        if caught.is_err() {
            super::terminal::remark("Ctrl-C cannot be caught here and will end the run at once");
        }
        interrupt
    }

    /// Whether Ctrl-C was pressed.
    pub(crate) fn requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
