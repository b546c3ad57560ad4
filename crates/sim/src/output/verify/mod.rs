//! The guarantees of a run, proved again from its files.
//!
//! Nothing here is taken from how the run was made. What it has to be follows from the scene in its manifest: bodies, joined
//! pairs, half-spaces, motions, the first frame, and which frames there are. Manifest, lists, tables and frames have to agree with
//! that and with each other. Every stored frame is tested for intersections with exact predicates, for elements turned inside
//! out, for points below a half-space, for prescribed points off their paths and for rigid bodies that changed their shape.
//! Between frames that are one straight motion apart, free nodes have to move by their velocities, and a test of its own proves
//! that nothing crossed. Where the pieces of the motion are stored, it proves that of every piece.

mod examine;
mod expected;
mod finding;
mod meeting;
mod pieces;
mod rigid;
mod sweep;
mod tables;

pub use finding::{Finding, Problem};

use super::rigid::RIGID_CSV;
use super::{Checksum, Frame, FrameEntry, Manifest, OutputError, listing, read_regular, vtu};
use examine::{Examiner, Stamp};
use expected::{Expected, ExpectedRun};
use rayon::prelude::*;
use rigid::RigidRows;
use std::path::{Path, PathBuf};
use tables::Tables;

/// Bound on the rounding of a time (1): a prescribed point is off its path by this part of the way that its speed is worth since the
/// start. Times of parts of steps are sums of sixteen terms at most.
const TIME_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// What was proved and what was found wrong.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verification {
    /// Frames examined.
    pub frames: usize,
    /// Motions between frames that were examined.
    pub motions: usize,
    /// Motions that could not be examined: their ends were not stored, could not be read or are not sound, or a step is not one
    /// straight motion.
    pub unknown_motions: usize,
    /// Straight pieces of motions, where these are stored in pieces.
    pub pieces: usize,
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
    let entries = &manifest.frames;
    let mut verification = Verification::default();
    let Verification {
        findings, notes, ..
    } = &mut verification;
    let expected = Expected::derive(&manifest, findings, notes);
    let first = entries.first().and_then(|entry| load(folder, entry).0);
    if let Some(expected) = &expected {
        Tables::new(folder, expected, entries, findings).examine(first.as_ref());
    } else if entries.is_empty() {
        notes.push("no frame is listed".to_owned());
    }
    let run = expected.as_ref().and_then(|expected| expected.run.as_ref());
    if let (Some(run), Some(first), Some(entry)) = (run, &first, entries.first()) {
        starts_as(run, first, entry, findings);
    }
    // What the scene says counts, where it could be had.
    let rules = run.map_or(&manifest, |run| &run.manifest);
    let Some(reference) = run.map(|run| &run.start).or(first.as_ref()) else {
        for entry in entries {
            verification.findings.extend(load(folder, entry).1);
        }
        return Ok(verification);
    };
    if run.is_none() {
        // A frame that was changed is what does not fit.
        let changed = entries.first().map(|entry| load(folder, entry).1);
        match manifest.fits(reference, folder) {
            Err(_) if changed.as_ref().is_some_and(|changed| !changed.is_empty()) => {
                verification.findings.extend(changed.unwrap_or_default());
                return Ok(verification);
            }
            fits => fits?,
        }
    }
    let rows = rigid_rows(
        folder,
        rules,
        reference,
        entries,
        &mut verification.findings,
    );
    let mut examiner = Examiner::new(reference, rules);
    examiner.rigid = rows.as_ref();
    examiner.straight_step = (expected.as_ref())
        .filter(|expected| expected.moves_straight())
        .map(|expected| expected.scene.time.step);
    examiner.longest_piece = expected.as_ref().and_then(Expected::longest_piece);
    examiner.step = expected.as_ref().map(|expected| expected.scene.time.step);
    let examiner = examiner;
    // Each frame alone, its predecessor read again where needed: any order of work gives the same list.
    let results: Vec<Verification> = (0..entries.len())
        .into_par_iter()
        .map(|index| {
            let result = examiner.frame(folder, entries, index);
            progress();
            result
        })
        .collect();
    for result in results {
        verification.frames += result.frames;
        verification.motions += result.motions;
        verification.unknown_motions += result.unknown_motions;
        verification.pieces += result.pieces;
        verification.prescribed += result.prescribed;
        verification.rigid += result.rigid;
        verification.allowed_inversions += result.allowed_inversions;
        verification.findings.extend(result.findings);
    }
    if verification.unknown_motions > 0 {
        let why = match manifest.scene["stepper"].as_str() {
            _ if manifest.stores_pieces() => {
                "frames or pieces of the motion are missing or not sound".to_owned()
            }
            Some("asynchronous") => {
                "points turn within a step of the asynchronous stepper, and frames show its ends only; \
                 `output.pieces = true` in the scene stores the way between them"
                    .to_owned()
            }
            Some(stepper @ "constrained") => {
                format!(
                    "points turn within a step of the {stepper} stepper, and frames show its ends only"
                )
            }
            _ => "steps or parts of steps were not stored, or a frame is not sound".to_owned(),
        };
        verification.notes.push(format!(
            "{} of {} motions between frames were not examined: {why}",
            verification.unknown_motions,
            verification.unknown_motions + verification.motions
        ));
    }
    Ok(verification)
}

/// Whether the run starts from the state of its scene.
fn starts_as(run: &ExpectedRun, first: &Frame, entry: &FrameEntry, findings: &mut Vec<Finding>) {
    let start = &run.start;
    let same = [
        ("points", first.points == start.points),
        ("velocity", first.velocities == start.velocities),
        ("node", first.node_ids == start.node_ids),
        ("body", first.body_of_point == start.body_of_point),
        ("motion", first.motion_of_point == start.motion_of_point),
        ("tetrahedra", first.tets == start.tets),
        ("triangles", first.triangles == start.triangles),
        ("von_mises", first.von_mises == start.von_mises),
    ];
    for (array, _) in same.into_iter().filter(|(_, same)| !same) {
        findings.push(Finding {
            file: entry.file.clone(),
            time: Some(entry.time),
            problem: Problem::NotTheStart { array },
        });
    }
}

/// The rows of rigid bodies, where the scene has any.
fn rigid_rows(
    folder: &Path,
    rules: &Manifest,
    reference: &Frame,
    entries: &[FrameEntry],
    findings: &mut Vec<Finding>,
) -> Option<RigidRows> {
    let has_rows = !rules.rigid_bodies.is_empty() || folder.join(RIGID_CSV).exists();
    if !has_rows || reference.points.is_empty() {
        return None;
    }
    let mut found = |problem| {
        findings.push(Finding {
            file: RIGID_CSV.to_owned(),
            time: None,
            problem,
        });
    };
    match RigidRows::read(folder) {
        Ok(rows) => {
            if let Some(step) = rows.strangers(entries) {
                found(Problem::Disagrees(format!(
                    "it has rows of step {step}, which no frame in {} shows",
                    listing::FRAMES_CSV
                )));
            }
            Some(rows)
        }
        Err(error) => {
            found(Problem::Unreadable(error.to_string()));
            None
        }
    }
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
    let bytes = match read_regular(&path) {
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
