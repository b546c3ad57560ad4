//! Sound files that fuzzing starts from: those that the program writes, beside the texts in the folder `seeds` of each
//! fuzz package.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The scene whose run gives the seeds, from the root of the workspace; the targets replace files of the same run.
const SCENE: &str = "crates/sim/fuzz/seed.toml";

/// Bytes of the checksum between the first line of a checkpoint and its content, which the target puts in itself.
const CHECKSUM_LEN: usize = 8;

/// A run whose files are seeds.
pub(super) struct Seeds {
    root: PathBuf,
    folder: TempDir,
}

impl Seeds {
    /// Runs the scene of the seeds.
    ///
    /// # Errors
    /// If the program cannot be built or the run fails.
    pub(super) fn new(root: &Path) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let run = folder.path().join("run");
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(program)
            .args(["run", "--quiet", "--package", "impinge", "--"])
            .args(["run", SCENE, "--quiet", "--dump-problems", "all", "--out"])
            .arg(&run)
            .current_dir(root)
            .status()?;
        if !status.success() {
            return Err(format!("{SCENE} could not be run ({status})").into());
        }
        Ok(Self {
            root: root.to_owned(),
            folder,
        })
    }

    /// Writes the seeds of a target into `corpus`.
    pub(super) fn write(&self, target: &str, corpus: &Path) -> Result<(), Box<dyn Error>> {
        let run = self.folder.path().join("run");
        match target {
            "scene" => {
                copy_all(&self.root.join("scenes"), "toml", corpus)?;
                fs::copy(self.root.join(SCENE), corpus.join("seed.toml"))?;
            }
            "stored_problem" => copy_all(&run.join("problems"), "problem", corpus)?,
            "checkpoint" => {
                let bytes = fs::read(run.join("checkpoint.bin"))?;
                let line = bytes.iter().position(|&byte| byte == b'\n');
                let body = line.and_then(|line| bytes.get(line + 1 + CHECKSUM_LEN..));
                fs::write(
                    corpus.join("seed"),
                    body.ok_or("the checkpoint has no content")?,
                )?;
            }
            "manifest" => copy(&run, "manifest.json", corpus)?,
            "frames_csv" => copy(&run, "frames.csv", corpus)?,
            "steps_csv" => copy(&run, "steps.csv", corpus)?,
            _ => {}
        }
        Ok(())
    }
}

fn copy(folder: &Path, file: &str, corpus: &Path) -> Result<(), Box<dyn Error>> {
    fs::copy(folder.join(file), corpus.join(file))?;
    Ok(())
}

/// Copies the files of `folder` with this extension.
fn copy_all(folder: &Path, extension: &str, corpus: &Path) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            fs::copy(&path, corpus.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}
