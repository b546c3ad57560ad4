//! Proves the guarantees of a run from its files.
//!
//! The checks are independent of the code that made the run. Its expected contents follow from the scene in its
//! manifest: bodies, joined pairs, half-spaces, motions, the first frame, and the list of frames. Manifest, lists,
//! tables and frames must agree with it and with each other. Every stored frame is checked for intersections by exact
//! predicates, for inverted elements, for points below a half-space, for prescribed points off their paths and for
//! rigid bodies of changed shape. Between frames that are one straight motion apart, free nodes must move by their
//! velocities, and a separate test proves that no features crossed. Where the pieces of the motion are stored, it
//! proves that of every piece. The contacts beside a frame must sum to its contact forces, and the reactions in
//! `reactions.csv` must balance them. The lines beside a frame must be the links and ropes of the scene.
//!
//! Files do not name the [extensions](crate::extension) of the program that made the run. What is proven holds whatever
//! made the motion; forces, materials, contact forces and energies are not recomputed.

mod beside;
mod bodies;
mod contacts;
mod energies;
mod examine;
mod expected;
mod finding;
mod lines;
mod meeting;
mod overlap;
mod pieces;
mod reactions;
mod rigid;
mod shape;
mod tables;
mod verification;

pub use finding::{Finding, Problem};
pub use verification::Verification;

use super::rigid::RIGID_CSV;
use super::{Frame, FrameEntry, Manifest, OutputError, listing, vtu};
use energies::Sheet;
use examine::{Examiner, Stamp};
use expected::{Expected, ExpectedRun};
use rayon::prelude::*;
use reactions::ReactionRows;
use rigid::RigidRows;
use std::path::Path;
use tables::Tables;
use verification::load;

/// Verifies the run in `folder`. Any thread calls `progress` for each completed frame.
///
/// # Errors
/// [`OutputError`] if there is no readable manifest, or if it does not match the first frame. An unreadable frame is a
/// finding, not an error.
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
    // The manifest of the scene counts if it is available.
    let rules = run.map_or(&manifest, |run| &run.manifest);
    let Some(reference) = run.map(|run| &run.start).or(first.as_ref()) else {
        for entry in entries {
            verification.findings.extend(load(folder, entry).1);
        }
        return Ok(verification);
    };
    if run.is_none() {
        // If the frame was changed, that explains the mismatch.
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
    let reactions = (expected.as_ref())
        .and_then(|expected| ReactionRows::read(folder, expected, &mut verification.findings));
    let model = run.map(|run| &run.model);
    let shown = entries.iter().map(|entry| entry.step).collect();
    let sheet = Sheet::read(folder, model, &shown, &mut verification.findings);
    let mut examiner = Examiner::new(reference, Some(rules));
    examiner.sheet = sheet.as_ref();
    examiner.rigid = rows.as_ref();
    examiner.reactions = reactions.as_ref();
    examiner.model = model;
    examiner.model_of_moves = expected.as_ref().and_then(Expected::model_of_moves);
    examiner.longest_piece = expected.as_ref().and_then(Expected::longest_piece);
    examiner.step = expected.as_ref().map(|expected| expected.scene.time.step);
    let examiner = examiner;
    // Each frame is independent, and reads its predecessor if needed: the order of work does not change the list.
    let results: Vec<Verification> = (0..entries.len())
        .into_par_iter()
        .map(|index| {
            let result = examiner.frame(folder, entries, index);
            progress();
            result
        })
        .collect();
    for result in results {
        verification.add(result);
    }
    verification.note_unknown_motions(&manifest);
    Ok(verification)
}

/// Checks that the run starts from the state of its scene.
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
        ("names", first.names == start.names),
    ];
    for (array, _) in same.into_iter().filter(|(_, same)| !same) {
        findings.push(Finding {
            file: entry.file.clone(),
            time: Some(entry.time),
            problem: Problem::NotTheStart { array },
        });
    }
}

/// Checks the rows of rigid bodies, if the scene has any.
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
    let mut found = |problem| findings.push(Finding::of_file(RIGID_CSV, problem));
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

/// Verifies one frame without a manifest: intersections and signs of elements only.
///
/// # Errors
/// [`OutputError`] if it cannot be read.
pub fn verify_frame(path: impl AsRef<Path>) -> Result<Verification, OutputError> {
    let path = path.as_ref();
    let frame = vtu::read_frame(path)?;
    let examiner = Examiner::new(&frame, None);
    let file = path.display().to_string();
    let mut result = Verification {
        frames: 1,
        ..Verification::default()
    };
    examiner.state(&frame, &Stamp { file, time: None }, &mut result);
    Ok(result)
}
