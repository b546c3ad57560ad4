//! `cargo xtask ci`: the checks that a change must pass, each selectable by name.

mod additions;
mod book;
mod circles;
mod dependencies;
mod examples;
mod features;
mod layers;
mod lines;
mod package;
mod paths;
mod python;
mod viewer;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::ValueEnum;

use crate::{conformance, golden, validate};

/// Selection of checks.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Checks to run [default: all, in this order]
    #[arg(value_enum)]
    steps: Vec<Step>,
    /// Checks to leave out
    #[arg(long, value_enum, value_name = "STEP", num_args = 1..)]
    except: Vec<Step>,
}

/// One check, in the order of a whole run: quick failures first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Formatting
    Fmt,
    /// No crate depends on a layer above it
    Layers,
    /// No files of a crate import each other in a circle
    Circles,
    /// Every path in the documentation exists
    Paths,
    /// The book is complete and up to date, its links lead somewhere, and `mdbook` builds it
    Book,
    /// No more files for an addition than ARCHITECTURE.md lists
    Additions,
    /// No line is longer than 120 characters
    Lines,
    /// Licences, versions and sources of dependencies are as `deny.toml` says
    Dependencies,
    /// Published crates are complete and can be packaged
    Package,
    /// Lints of all targets, warnings denied
    Clippy,
    /// Each crate builds without its default features
    Features,
    /// Documentation, private items included, warnings denied
    Doc,
    /// `cargo test --workspace`
    Test,
    /// Every example runs
    Examples,
    /// The Python package installs, passes its tests, and works from its wheel
    Python,
    /// Pages of `impinge view` in a headless browser
    Viewer,
    /// Guarantees of each layer, in the quick form
    Conformance,
    /// Whole simulations compared with theory, in the quick form
    Validate,
    /// Results compared with the record, to 1e-6
    Golden,
}

/// Runs the chosen checks, all of them even after a failure; true if all hold.
pub(crate) fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let chosen: Vec<Step> = Step::value_variants()
        .iter()
        .copied()
        .filter(|step| options.steps.is_empty() || options.steps.contains(step))
        .filter(|step| !options.except.contains(step))
        .collect();
    let mut summary = Vec::new();
    for step in chosen {
        println!("==> {}", name(step));
        let clock = Instant::now();
        let holds = check(step)?;
        let seconds = clock.elapsed().as_secs_f64();
        println!("<== {}: {} in {seconds:.1} s\n", name(step), verdict(holds));
        summary.push((step, holds, seconds));
    }
    println!("{:<14}{:<10}{:>8}", "check", "verdict", "seconds");
    for (step, holds, seconds) in &summary {
        println!("{:<14}{:<10}{seconds:>8.1}", name(*step), verdict(*holds));
    }
    Ok(summary.iter().all(|(_, holds, _)| *holds))
}

fn check(step: Step) -> Result<bool, Box<dyn Error>> {
    match step {
        Step::Fmt => cargo(&["fmt", "--all", "--check"], &[]),
        Step::Layers => layers::check(),
        Step::Circles => circles::check(&root()),
        Step::Paths => paths::check(&root()),
        Step::Book => book::check(&root()),
        Step::Additions => additions::check(&root()),
        Step::Lines => lines::check(&root()),
        Step::Dependencies => dependencies::check(&root()),
        Step::Package => package::check(&root()),
        Step::Features => features::check(),
        Step::Clippy => cargo(
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            &[],
        ),
        Step::Doc => cargo(
            &[
                "doc",
                "--workspace",
                "--no-deps",
                "--document-private-items",
            ],
            &[("RUSTDOCFLAGS", "-D warnings")],
        ),
        Step::Test => cargo(&["test", "--workspace"], &[]),
        Step::Examples => examples::check(),
        Step::Python => python::check(&root()),
        Step::Viewer => viewer::check(&root()),
        Step::Conformance => conformance::run(&conformance::Options::quick()),
        Step::Validate => validate::run(&validate::Options::default()),
        Step::Golden => golden::check(&golden::Check::numeric()),
    }
}

fn name(step: Step) -> String {
    format!("{step:?}").to_lowercase()
}

fn verdict(holds: bool) -> &'static str {
    if holds { "passed" } else { "FAILED" }
}

/// Runs cargo at the root of the workspace; true if it succeeds.
pub(crate) fn cargo(
    arguments: &[&str],
    environment: &[(&str, &str)],
) -> Result<bool, Box<dyn Error>> {
    println!("    cargo {}", arguments.join(" "));
    let status = cargo_command(arguments)
        .envs(environment.iter().copied())
        .status()?;
    Ok(status.success())
}

/// Cargo with `arguments`, at the root of the workspace.
pub(crate) fn cargo_command(arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Root of the workspace.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
}

/// Paths below `root` and texts of all source files in a folder.
fn source_files(folder: &Path, root: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let place = path
                    .strip_prefix(root)?
                    .to_string_lossy()
                    .replace('\\', "/");
                files.push((place, fs::read_to_string(&path)?));
            }
        }
    }
    Ok(files)
}
