//! Ctrl-C and SIGTERM: the first signal requests an orderly end, the second one ends the program at once.

use super::exit::Code;

/// A flag set by Ctrl-C and SIGTERM.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(impinge_sim::Interrupt);

impl Interrupt {
    /// Installs the handler. If signals cannot be caught, Ctrl-C ends the program at once, as by default; files on disk
    /// are complete in either case.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let flag = interrupt.0.clone();
        let caught = ctrlc::set_handler(move || {
            if flag.raise() {
                std::process::exit(i32::from(Code::Interrupted.number()));
            }
        });
        if caught.is_err() {
            super::terminal::remark(
                "signals cannot be handled on this system: Ctrl-C ends the run immediately",
            );
        }
        interrupt
    }

    /// Whether an end was requested.
    pub(crate) fn requested(&self) -> bool {
        self.0.is_raised()
    }

    /// The flag, to be tested inside a step.
    pub(crate) fn flag(&self) -> &impinge_sim::Interrupt {
        &self.0
    }
}
