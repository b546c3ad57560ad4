//! Every example runs to its end: each asserts its own result.

use std::error::Error;
use std::process::{Command, Stdio};

use cargo_metadata::{MetadataCommand, TargetKind};

/// Examples that measure, and take arguments or minutes.
const MEASUREMENTS: [&str; 2] = ["assembly_cost", "ccd_queries"];

/// True if all examples end well.
pub(super) fn check() -> Result<bool, Box<dyn Error>> {
    // As `cargo test --workspace` builds them, so that nothing is built twice.
    if !super::cargo(&["build", "--quiet", "--workspace", "--examples"], &[])? {
        return Ok(false);
    }
    let metadata = MetadataCommand::new().no_deps().exec()?;
    let folder = metadata.target_directory.join("debug/examples");
    let mut all = true;
    for package in metadata.workspace_packages() {
        let examples = package
            .targets
            .iter()
            .filter(|target| target.kind.contains(&TargetKind::Example));
        for name in examples.map(|target| target.name.as_str()) {
            if MEASUREMENTS.contains(&name) {
                continue;
            }
            let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
            let status = Command::new(program).stdout(Stdio::null()).status()?;
            all &= status.success();
            println!(
                "    {} of {}: {}",
                name,
                package.name,
                super::verdict(status.success())
            );
        }
    }
    Ok(all)
}
