//! The Python package, as its README says: installed from a clone, tested by pytest; a wheel of it used elsewhere.
//!
//! Everything that Python needs is installed in folders of `target`. The module is built with the profile of the tests
//! and with the features of other packages that the tests enable, so that libraries compiled for them serve here.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package, relative to the root.
const PACKAGE: &str = "crates/python";

/// Arguments of the build by pip.
const BUILD: &str = "--profile dev --features shared";

/// The lessons; each asserts its results.
const NOTEBOOKS: &str = "crates/python/notebooks";

/// Imports the package where nothing else of it is, and lets a ball fall.
const USE: &str = "
import impinge
mesh = {'sphere': {'radius': 0.05, 'subdivisions': 2}}
material = {'young': 1e5, 'poisson': 0.3, 'density': 1000}
scene = impinge.Scene.from_dict({
    'time': {'step': 1e-3, 'duration': 1e-2},
    'body': [{'name': 'ball', 'mesh': mesh, 'material': material}],
})
simulation = impinge.Simulation(scene)
simulation.step(10)
speed = simulation.body('ball').velocities[0, 2]
assert abs(speed + 9.81e-2) < 1e-9, speed
print('    a ball falls with', impinge.__version__, 'of', impinge.__file__)
";

/// True if it installs and passes its tests.
pub(super) fn check(root: &Path) -> Result<bool, Box<dyn Error>> {
    let target = root.join("target/python");
    let Some(python) = environment(root, &target.join("tests")) else {
        return Ok(false);
    };
    let package = format!("./{PACKAGE}");
    let tested = format!("{package}[test]");
    let wheels = target.join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    let at = wheels.to_string_lossy();
    let holds = run(root, &python, &["-m", "pip", "install", "--quiet", &tested])?
        && run(root, &python, &["-m", "pytest", PACKAGE])?
        && run(root, &python, &["-m", "pytest", "--nbmake", NOTEBOOKS])?
        && run(
            root,
            &python,
            &[
                "-m",
                "pip",
                "wheel",
                "--quiet",
                "--no-deps",
                &package,
                "--wheel-dir",
                &at,
            ],
        )?;
    if !holds {
        return Ok(false);
    }
    let wheel = fs::read_dir(&wheels)?
        .next()
        .ok_or("pip made no wheel")??
        .path();
    let Some(clean) = environment(root, &target.join("clean")) else {
        return Ok(false);
    };
    let wheel = wheel.to_string_lossy();
    Ok(
        run(root, &clean, &["-m", "pip", "install", "--quiet", &wheel])?
            && run(&target, &clean, &["-c", USE])?,
    )
}

/// Makes an empty virtual environment and returns its interpreter; `None`, with a message, without a Python.
fn environment(root: &Path, folder: &Path) -> Option<PathBuf> {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let folder_name = folder.to_string_lossy();
    match run(
        root,
        Path::new(&python),
        &["-m", "venv", "--clear", &folder_name],
    ) {
        Ok(true) => Some(folder.join("bin/python")),
        Ok(false) => None,
        Err(_) => {
            println!(
                "    there is no python3; install Python 3.10 or later, or name one by PYTHON"
            );
            None
        }
    }
}

/// Runs Python in `folder`; true if it succeeds.
fn run(folder: &Path, python: &Path, arguments: &[&str]) -> Result<bool, Box<dyn Error>> {
    let shown: Vec<&str> = arguments
        .iter()
        .map(|argument| argument.lines().nth(1).unwrap_or(argument))
        .collect();
    println!("    python {}", shown.join(" "));
    let status = Command::new(python)
        .args(arguments)
        .env("MATURIN_PEP517_ARGS", BUILD)
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .current_dir(folder)
        .status()?;
    Ok(status.success())
}
