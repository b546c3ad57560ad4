//! The guarantees of a run, proved again from its files.
//!
//! Nothing here knows how the run was made. Every stored frame is tested for intersections with exact predicates, for
//! elements turned inside out, for points below a half-space, for prescribed points off their paths and for rigid bodies
//! that changed their shape; between frames that are one straight motion apart, continuous collision detection proves that nothing crossed.

mod examine;
mod finding;

pub use finding::{Finding, Problem};

use super::{Checksum, Frame, FrameEntry, Manifest, OutputError, vtu};
use examine::{Examiner, Stamp};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// What was proved and what was found wrong.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verification {
    /// Frames examined.
    pub frames: usize,
    /// Motions between frames that were examined.
    pub motions: usize,
    /// Motions that could not be examined: their ends were not stored or not sound, or a step is not one straight motion.
    pub unknown_motions: usize,
    /// Prescribed positions that were compared with their path.
    pub prescribed: usize,
    /// Shapes of rigid bodies that were compared with the first frame.
    pub rigid: usize,
    /// Elements that are inside out in a scene that allows it.
    pub allowed_inversions: usize,
    /// What is wrong, in order of time.
    pub findings: Vec<Finding>,
    /// What could not be examined, and why.
    pub notes: Vec<String>,
}

impl Verification {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Proves the run in `folder` again. `progress` hears of each frame that is done, from any thread.
///
/// # Errors
/// [`OutputError`] if there is no readable manifest, or if it does not fit the first frame. A frame that cannot be read is a finding, not an error.
pub fn verify_run(
    folder: impl AsRef<Path>,
    progress: &(dyn Fn() + Sync),
) -> Result<Verification, OutputError> {
    let folder = folder.as_ref();
    let manifest = Manifest::read(folder)?;
    let mut verification = Verification::default();
    let Some(first) = manifest.frames.first() else {
        verification.notes.push("no frame was stored".to_owned());
        return Ok(verification);
    };
    let (reference, findings) = load(folder, first);
    let Some(reference) = reference else {
        verification.findings = findings;
        return Ok(verification);
    };
    match manifest.fits(&reference, folder) {
        // A frame that was changed is what does not fit.
        Err(_) if !findings.is_empty() => {
            verification.findings = findings;
            return Ok(verification);
        }
        fits => fits?,
    }
    if first.time.abs() > 0.0 {
        verification.notes.push(format!(
            "the first frame is at {} s, not at 0 s: prescribed positions were not compared",
            first.time
        ));
    }
    let examiner = Examiner::new(&reference, &manifest);
    // Each frame alone, its predecessor read again where needed: any order of work gives the same list.
    let results: Vec<Verification> = (0..manifest.frames.len())
        .into_par_iter()
        .map(|index| {
            let result = examiner.frame(folder, &manifest.frames, index);
            progress();
            result
        })
        .collect();
    for result in results {
        verification.frames += result.frames;
        verification.motions += result.motions;
        verification.unknown_motions += result.unknown_motions;
        verification.prescribed += result.prescribed;
        verification.rigid += result.rigid;
        verification.allowed_inversions += result.allowed_inversions;
        verification.findings.extend(result.findings);
    }
    if verification.unknown_motions > 0 {
        let why = match manifest.scene["stepper"].as_str() {
            Some(stepper @ ("asynchronous" | "constrained")) => {
                format!(
                    "points turn within a step of the {stepper} stepper, and frames show its ends only"
                )
            }
            _ => "steps or parts of steps were not stored".to_owned(),
        };
        verification.notes.push(format!(
            "{} motions between frames were not examined: {why}",
            verification.unknown_motions
        ));
    }
    Ok(verification)
}

/// Proves one frame again, without a manifest: intersections and element signs alone.
///
/// # Errors
/// [`OutputError`] if it cannot be read.
pub fn verify_frame(path: impl AsRef<Path>) -> Result<Verification, OutputError> {
    let path = path.as_ref();
    let frame = vtu::read_frame(path)?;
    let examiner = Examiner::without_manifest(&frame);
    let file = path.display().to_string();
    let mut result = Verification {
        frames: 1,
        ..Verification::default()
    };
    examiner.state(&frame, &Stamp { file, time: None }, &mut result);
    Ok(result)
}

/// Reads a frame and says whether it is the one that was written.
fn load(folder: &Path, entry: &FrameEntry) -> (Option<Frame>, Vec<Finding>) {
    let finding = |problem| Finding {
        file: entry.file.clone(),
        time: Some(entry.time),
        problem,
    };
    let path: PathBuf = folder.join(&entry.file);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => return (None, vec![finding(Problem::Unreadable(error.to_string()))]),
    };
    let mut findings = Vec::new();
    if Checksum::of(&bytes) != entry.checksum {
        findings.push(finding(Problem::Changed));
    }
    match vtu::decode(&bytes, &path) {
        Ok(frame) => (Some(frame), findings),
        Err(error) => {
            findings.push(finding(Problem::Unreadable(error.to_string())));
            (None, findings)
        }
    }
}
