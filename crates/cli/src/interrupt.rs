//! Ctrl-C and SIGTERM: the first one asks for an orderly end, the second one ends at once.

use super::exit::Code;

/// A flag that Ctrl-C and SIGTERM raise.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(impinge_sim::Interrupt);

impl Interrupt {
    /// Listens from now on. Where signals cannot be caught, Ctrl-C ends the program at once, as it does by default:
    /// what is on disk is whole in either case.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let flag = interrupt.0.clone();
        let caught = ctrlc::set_handler(move || {
            if flag.raise() {
                std::process::exit(i32::from(Code::Interrupted.number()));
            }
        });
        if caught.is_err() {
            super::terminal::remark("Ctrl-C cannot be caught here and will end the run at once");
        }
        interrupt
    }

    /// Whether an end is asked for.
    pub(crate) fn requested(&self) -> bool {
        self.0.is_raised()
    }

    /// The flag, for what looks at it inside a step.
    pub(crate) fn flag(&self) -> &impinge_sim::Interrupt {
        &self.0
    }
}
