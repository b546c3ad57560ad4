//! One entry point for checks, conformance tables and measurements:
//! `cargo xtask ci | conformance | validate | figures | papers | golden | fuzz | book | gallery`.
//!
//! - [`ci`]: checks that a change must pass
//! - [`conformance`]: one table per layer (case, measured, bound, verdict)
//! - [`validate`]: simulations compared with theory (case, expected, got, bound, verdict)
//! - [`figures`]: laws, large steps, growth and speed of the step, as one page
//! - [`papers`]: the papers' scenes, with what judges them
//! - [`golden`]: results that no refactoring may change, as hashes
//! - [`fuzz`]: readers of files, tested with arbitrary bytes
//! - [`book`]: pages of the documentation that follow from the code
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "reporting to the terminal is this program's purpose"
)]

mod book;
mod ci;
mod conformance;
mod figures;
mod fuzz;
mod golden;
mod page;
mod papers;
mod validate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Checks, conformance tables and measurements"
)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs every check, or the named ones
    Ci(ci::Options),
    /// Compares each layer with its guarantees; exit code 1 on a broken guarantee
    Conformance(conformance::Options),
    /// Compares whole simulations with theory; exit code 1 if one is wrong or a known failure holds
    Validate(validate::Options),
    /// Measures laws, large steps, growth and speed of the step; exit code 1 if a law is broken
    Figures(figures::Options),
    /// Judges the papers' scenes; exit code 1 if a claim does not hold
    Papers(papers::Options),
    /// Records results as hashes, or compares them with the record; exit code 1 if one differs
    #[command(subcommand)]
    Golden(golden::Task),
    /// Fuzzes the readers of files; exit code 1 where one panics, hangs or fills the memory
    Fuzz(fuzz::Options),
    /// Writes the pages of the book that follow from the code
    Book,
    /// Renders the pictures of the gallery, and writes its page
    Gallery(book::gallery::Options),
}

fn main() -> ExitCode {
    let good = match Arguments::parse().task {
        Task::Ci(options) => ci::run(&options),
        Task::Conformance(options) => conformance::run(&options),
        Task::Validate(options) => validate::run(&options),
        Task::Figures(options) => figures::run(&options),
        Task::Papers(options) => papers::run(&options),
        Task::Golden(task) => golden::run(&task),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Book => book::run(),
        Task::Gallery(options) => book::gallery::run(&options),
    };
    match good {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("error: {error}");
            ExitCode::from(2)
        }
    }
}
