//! Bare friction problems of the data folder, each by every method.

use std::borrow::Cow;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use impinge_contact::delassus::{
    FrictionMethod, StoredFrictionProblem, Target, friction_residual, read_problem,
};
use nalgebra::Vector3;

use super::book::Line;
use super::digest;

/// Files up to this size are solved (bytes): those of a few hundred contacts.
const LARGEST: u64 = 200_000;

/// Both errors of a solution: as coarse as in simulations, so that no method iterates for its last digits.
const TOLERANCE: f64 = 1e-6;

/// A file with a problem.
pub(super) struct Bare(PathBuf);

/// The problems in the folder `friction` of the data, in the order of their names.
pub(super) fn all(data: &Path) -> Result<Vec<Bare>, Box<dyn Error>> {
    let folder = data.join("friction");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("{} is not there: no friction problems", folder.display());
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let is_problem = path.extension().is_some_and(|extension| extension == "fcp");
        if is_problem && entry.metadata()?.len() <= LARGEST {
            files.push(path);
        }
    }
    files.sort();
    Ok(files.into_iter().map(Bare).collect())
}

impl Bare {
    /// Name of the case.
    pub(super) fn name(&self) -> String {
        let stem = self.0.file_stem().unwrap_or_default();
        format!("friction/{}", stem.to_string_lossy())
    }

    /// The reactions found by each method.
    pub(super) fn results(&self) -> Result<Vec<Line>, Box<dyn Error>> {
        let stored = read_problem(&fs::read_to_string(&self.0)?)?;
        let problem = match &stored {
            StoredFrictionProblem::Local(problem) => Cow::Borrowed(problem),
            StoredFrictionProblem::Global(global) => Cow::Owned(global.condense_rounded()?.0),
        };
        let name = self.name();
        let mut lines = Vec::new();
        for method in FrictionMethod::ALL {
            let mut reactions = vec![Vector3::zeros(); problem.contacts()];
            let target = Target {
                tolerance: TOLERANCE,
            };
            let report = method.solver().solve(&problem, &mut reactions, &target)?;
            let judged = friction_residual(&problem, &reactions);
            let mut bytes = digest::bits(reactions.iter().flat_map(Vector3::iter));
            bytes.extend(report.iterations().to_le_bytes());
            bytes.extend(digest::bits(&[judged.natural_map]));
            let size = reactions
                .iter()
                .map(Vector3::norm_squared)
                .sum::<f64>()
                .sqrt();
            lines.push(Line::new(&name, method.name(), &bytes).with("reactions", size));
        }
        Ok(lines)
    }
}
