//! The pages of `impinge view` in a headless browser: the tests in `tests/browser`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::MetadataCommand;

/// Names of the browser, in the order of preference.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// True if the tests pass; the packages they need are installed beside them.
pub(super) fn check(root: &Path) -> Result<bool, Box<dyn Error>> {
    let folder = root.join("tests/browser");
    let missing =
        |name| format!("{name} is missing; install it, for example with: apt-get install {name}");
    let browser = BROWSERS.iter().find_map(|name| find(name));
    let browser = browser.ok_or_else(|| missing("chromium"))?;
    let npm = find("npm").ok_or_else(|| missing("npm"))?;
    // As `cargo test --workspace` builds it, so that nothing is built twice.
    if !super::cargo(
        &["build", "--quiet", "--workspace", "--bin", "impinge"],
        &[],
    )? {
        return Ok(false);
    }
    let metadata = MetadataCommand::new().no_deps().exec()?;
    let program = format!("debug/impinge{}", std::env::consts::EXE_SUFFIX);
    let run = |arguments: &[&str]| {
        Command::new(&npm)
            .args(arguments)
            .current_dir(&folder)
            .env("IMPINGE_PROGRAM", metadata.target_directory.join(&program))
            .env("CHROMIUM", &browser)
            .status()
    };
    let installed = run(&["ci", "--no-audit", "--no-fund"])?.success();
    Ok(installed && run(&["test"])?.success())
}

/// A program in the folders of `PATH`.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
