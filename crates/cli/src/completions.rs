//! `impinge completions`: scripts for shells.

use clap::CommandFactory;

use super::arguments::{Arguments, Shell};
use super::exit::Failure;
use super::terminal;

/// Prints the script of `shell`.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let shell = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "impinge", &mut script);
    terminal::say(String::from_utf8_lossy(&script).trim_end())
}
