//! The program from outside: commands, files, messages and exit codes.

#![expect(clippy::too_many_lines, reason = "tests list their cases")]

mod bad_input;
mod commands;
mod compare;
mod completions;
mod doctor;
mod export;
mod friction;
mod interrupt;
mod log;
mod mesh;
mod pieces;
mod resume;
mod solve;
mod start;
mod sweep;
mod tamper;
mod tutorial;
mod view;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two steps of a free cube above the ground: a fast, complete scene.
const SCENE: &str = r#"title = "a cube falls"

[time]
step = 1e-3
duration = 2e-3

[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.2]

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// A cube that lands on the ground within two steps, sliding.
const LANDING: &str = r#"title = "a cube lands"

[time]
step = 1e-3
duration = 4e-3

[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.0515]
velocity = [0.5, 0, -1]

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// The mesh of the scene, to be replaced.
const CUBOID: &str = "cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }";

/// A temporary folder with the scene `scene.toml`.
struct Place(tempfile::TempDir);

impl Place {
    fn new(scene: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("scene.toml"), scene).expect("room for a file");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_impinge"));
        command.args(arguments).current_dir(self.0.path());
        command
    }

    fn impinge(&self, arguments: &[&str]) -> Answer {
        let output = self
            .command(arguments)
            .output()
            .expect("the program was built");
        Answer::from(output)
    }

    /// Names of everything in the folder, sorted.
    fn names(&self) -> Vec<String> {
        names(self.0.path())
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| {
            let name = entry.expect("a readable entry").file_name();
            name.to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    names
}

struct Answer {
    code: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
