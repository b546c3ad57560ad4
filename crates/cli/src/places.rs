//! Checks that the output files of a command differ from each other and from its input files.

use std::fs;
use std::path::{Path, PathBuf, absolute};

use impinge_report::Draft;
use impinge_sim::Scene;

use super::exit::{Code, Failure};

/// Rejects options that name one file twice, or one of the `inputs`, which would be overwritten.
pub(crate) fn distinct(inputs: &[&Path], outputs: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let mut taken: Vec<_> = inputs.iter().map(|input| ("", place(input))).collect();
    for (option, path) in outputs {
        // Several outputs may share a device or pipe.
        let Some(path) = path.filter(|path| Draft::replaces(path)) else {
            continue;
        };
        let place = place(path);
        if let Some((other, _)) = taken.iter().find(|(_, other)| *other == place) {
            let conflict = if other.is_empty() {
                "this is an input file and would be overwritten".to_owned()
            } else {
                format!("{other} writes to the same file")
            };
            return Err(Failure::new(
                Code::BadInput,
                format!(
                    "{option} {}: {conflict}\n  mend: give another file with {option}",
                    path.display()
                ),
            ));
        }
        taken.push((option, place));
    }
    Ok(())
}

/// Rejects options that name one file twice, or the file of the `scene`, or one of its meshes.
pub(crate) fn keep_inputs(
    path: &Path,
    scene: &Scene,
    outputs: &[(&str, Option<&Path>)],
) -> Result<(), Failure> {
    let meshes = scene.mesh_files();
    let mut inputs = vec![path];
    inputs.extend(meshes.iter().map(PathBuf::as_path));
    distinct(&inputs, outputs)
}

/// The canonical path of a file, which need not exist.
fn place(path: &Path) -> PathBuf {
    let through_folder = || {
        let folder = match path.parent()? {
            folder if folder.as_os_str().is_empty() => Path::new("."),
            folder => folder,
        };
        Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
    };
    fs::canonicalize(path)
        .ok()
        .or_else(through_folder)
        .or_else(|| absolute(path).ok())
        .unwrap_or_else(|| path.to_owned())
}
