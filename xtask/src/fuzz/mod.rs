//! `cargo xtask fuzz`: the readers of files under libFuzzer, each for a while, from sound files on.

mod seeds;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Folders of the fuzz packages, from the root of the workspace; each is a workspace of its own.
const PACKAGES: [&str; 2] = ["crates/geometry/fuzz", "crates/sim/fuzz"];

/// Most memory that a target may take (MB): some of it is the sanitizer's.
const MEMORY_LIMIT: u32 = 2048;

/// Longest time for one input (s): readers of inputs of a few kilobytes take milliseconds.
const TIME_LIMIT: u32 = 20;

/// Options of fuzzing.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Targets to run [default: all]
    targets: Vec<String>,
    /// Time for each target (s)
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

/// One fuzz target.
struct Target {
    name: String,
    /// Folder of its package.
    package: PathBuf,
}

/// Runs the chosen targets, all of them even after a failure; true if none found anything.
pub(crate) fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let root = crate::ci::root();
    let targets = chosen(&root, &options.targets)?;
    if !has_cargo_fuzz() {
        return Err(
            "cargo-fuzz is not installed\n  mend: cargo install cargo-fuzz; rustup toolchain install nightly".into(),
        );
    }
    let seeds = seeds::Seeds::new(&root)?;
    let mut failed = Vec::new();
    for target in &targets {
        println!("==> {}", target.name);
        if !target.fuzz(&seeds, options.seconds)? {
            failed.push(target);
        }
    }
    println!("{} targets, {} with findings", targets.len(), failed.len());
    for target in &failed {
        let artifacts = target.package.join("artifacts").join(&target.name);
        println!("  {}: see {}", target.name, artifacts.display());
    }
    Ok(failed.is_empty())
}

/// The targets of those names, or all.
fn chosen(root: &Path, names: &[String]) -> Result<Vec<Target>, Box<dyn Error>> {
    let mut targets = Vec::new();
    for package in PACKAGES {
        let package = root.join(package);
        for entry in fs::read_dir(package.join("fuzz_targets"))? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            targets.push(Target {
                name: name.into_owned(),
                package: package.clone(),
            });
        }
    }
    targets.sort_by(|a, b| (&a.package, &a.name).cmp(&(&b.package, &b.name)));
    let known: Vec<String> = targets.iter().map(|target| target.name.clone()).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        return Err(format!(
            "there is no fuzz target {name}\n  mend: choose from {}",
            known.join(", ")
        )
        .into());
    }
    targets.retain(|target| names.is_empty() || names.contains(&target.name));
    Ok(targets)
}

fn has_cargo_fuzz() -> bool {
    let mut command = Command::new("cargo");
    command.args(["fuzz", "--version"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Target {
    /// Runs it for some seconds; true if it found nothing.
    fn fuzz(&self, seeds: &seeds::Seeds, seconds: u32) -> Result<bool, Box<dyn Error>> {
        let corpus = self.package.join("corpus").join(&self.name);
        fs::create_dir_all(&corpus)?;
        seeds.write(&self.name, &corpus)?;
        let mut command = Command::new("cargo");
        // The sanitizers that cargo-fuzz turns on are those of nightly toolchains.
        command.args(["+nightly", "fuzz", "run", "--fuzz-dir", "."]);
        command.arg(&self.name).arg(&corpus);
        let written = self.package.join("seeds").join(&self.name);
        if written.is_dir() {
            command.arg(written);
        }
        command.arg("--").args([
            format!("-max_total_time={seconds}"),
            format!("-rss_limit_mb={MEMORY_LIMIT}"),
            format!("-timeout={TIME_LIMIT}"),
            "-print_final_stats=1".to_owned(),
        ]);
        // The toolchain that runs this program is another one.
        for variable in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN", "RUSTFLAGS"] {
            command.env_remove(variable);
        }
        let status = command.current_dir(&self.package).status()?;
        Ok(status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_and_unknown_ones_named() {
        let root = crate::ci::root();
        let all = chosen(&root, &[]).expect("targets");
        let scene = chosen(&root, &["scene".to_owned()]).expect("a target");
        assert!(all.len() >= 15 && scene.len() == 1);
        let error = chosen(&root, &["scenes".to_owned()])
            .err()
            .expect("no target");
        assert!(error.to_string().contains("scene, "), "{error}");
    }
}
