//! `cargo xtask bench`: speed on this machine.

pub(crate) mod krylov;
mod sim;

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

use clap::Subcommand;

/// Selection of measurements.
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

/// Measures; only invalid input fails. A debug build builds and starts a release build.
pub(crate) fn run(case: &Case) -> Result<bool, Box<dyn Error>> {
    if cfg!(debug_assertions) {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["run", "--quiet", "--release", "--package", "xtask", "--"])
            .args(std::env::args_os().skip(1))
            .status()?;
        return Ok(status.success());
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
