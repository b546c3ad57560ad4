//! `cargo xtask bench`: how fast, on this machine.

mod krylov;
mod sim;

use std::error::Error;
use std::path::PathBuf;

use clap::Subcommand;

/// What to measure.
#[derive(Subcommand)]
pub(crate) enum Case {
    /// The block product against the memory bandwidth that a triad reaches
    Krylov,
    /// A scene: wall time per stage of a step, and iterations
    Sim {
        /// Scene file
        scene: PathBuf,
        /// Steps to take
        #[arg(long, default_value_t = 100)]
        steps: u64,
        /// Lines of output
        #[arg(long, default_value_t = 10)]
        lines: u64,
        /// Threads [default: all]
        #[arg(long)]
        threads: Option<usize>,
        /// Changes a key of the scene: `KEY=VALUE`
        #[arg(long = "set", value_name = "KEY=VALUE")]
        overrides: Vec<String>,
    },
}

/// Measures; there is nothing to fail but the input.
pub(crate) fn run(case: &Case) -> Result<bool, Box<dyn Error>> {
    if cfg!(debug_assertions) {
        println!(
            "Not an optimised build: these times mean little. Use cargo run --release --package xtask -- bench ..."
        );
    }
    match case {
        Case::Krylov => krylov::run(),
        Case::Sim {
            scene,
            steps,
            lines,
            threads,
            overrides,
        } => {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads.unwrap_or(0))
                .build()?;
            pool.install(|| sim::run(scene, *steps, *lines, overrides).map_err(|e| e.to_string()))?;
        }
    }
    Ok(true)
}
