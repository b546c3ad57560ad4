//! The `impinge` program: runs scenes, shows, exports and verifies their results, solves stored problems, compares
//! methods, checks and generates meshes.
//!
//! It handles arguments, progress and exit codes; nothing here is numerical. `docs/cli.md` documents it.

mod arguments;
mod compare;
mod completions;
mod doctor;
mod exit;
mod export;
mod friction;
mod interrupt;
mod log;
mod mesh;
mod places;
mod run;
mod scene;
mod solve;
mod sweep;
mod terminal;
mod threads;
mod verify;
mod view;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser};

use arguments::{Arguments, Command};
use exit::Failure;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    arguments.log.start(&mut Arguments::command());
    let result = match arguments.command {
        Command::Run(options) => run::run(&options),
        Command::Sweep(options) => sweep::sweep(&options),
        Command::Compare(options) => compare::compare(&options),
        Command::Solve(options) => solve::solve(&options),
        Command::Verify(options) => verify::verify(&options),
        Command::View(options) => view::view(&options),
        Command::Export(options) => export::export(&options),
        Command::Doctor(options) => doctor::doctor(&options),
        Command::Mesh(command) => mesh::mesh(&command),
        Command::Scene(command) => scene::scene(&command),
        Command::Completions { shell } => completions::completions(shell),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { code, message }) => {
            if !message.is_empty() {
                terminal::complain(&message);
            }
            ExitCode::from(code.number())
        }
    }
}
