//! Results of a verification, and a frame as all checks read it.

use super::{Finding, Problem};
use crate::output::companions::Companion;
use crate::output::{Checksum, Frame, FrameEntry, Manifest, read_regular, vtu};
use std::path::Path;

/// Relative bound on the rounding of a time: a prescribed point may be away from its path by this share of its speed
/// times the time since the start. Times of substeps are sums of at most sixteen terms.
pub(super) const TIME_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Results of a verification.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verification {
    /// Number of checked frames.
    pub frames: usize,
    /// Number of checked motions between frames.
    pub motions: usize,
    /// Motions that cannot be checked: an end is missing, unreadable or invalid, or the motion is not straight.
    pub unknown_motions: usize,
    /// Number of straight pieces in the examined motions, where these are stored in pieces.
    pub pieces: usize,
    /// Number of prescribed positions compared with their path.
    pub prescribed: usize,
    /// Number of rigid shapes compared with the first frame.
    pub rigid: usize,
    /// Number of contacts in the files beside the frames.
    pub contacts: usize,
    /// Number of links and ropes in the files beside the frames.
    pub lines: usize,
    /// Inverted elements in a scene that permits them.
    pub allowed_inversions: usize,
    /// The problems, in order of time.
    pub findings: Vec<Finding>,
    /// Checks that were not possible, and the reasons.
    pub notes: Vec<String>,
}

impl Verification {
    /// Whether there are no findings.
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    /// Adds the counts and findings of one frame.
    pub(super) fn add(&mut self, frame: Self) {
        self.frames += frame.frames;
        self.motions += frame.motions;
        self.unknown_motions += frame.unknown_motions;
        self.pieces += frame.pieces;
        self.prescribed += frame.prescribed;
        self.rigid += frame.rigid;
        self.contacts += frame.contacts;
        self.lines += frame.lines;
        self.allowed_inversions += frame.allowed_inversions;
        self.findings.extend(frame.findings);
    }

    /// Notes why motions of the run of `manifest` were not examined, if there are any.
    pub(super) fn note_unknown_motions(&mut self, manifest: &Manifest) {
        if self.unknown_motions == 0 {
            return;
        }
        let why = match manifest.scene["stepper"].as_str() {
            _ if manifest.companions().has(Companion::Pieces) => {
                "frames or pieces of the motion are missing or not sound".to_owned()
            }
            Some("asynchronous") => {
                "points of the asynchronous stepper do not move straight within a step; \
                 `output.pieces = true` in the scene stores the pieces of their paths"
                    .to_owned()
            }
            Some(stepper @ "constrained") => {
                format!("points of the {stepper} stepper do not move straight within a step")
            }
            _ => "steps or substeps were not stored, or a frame has errors".to_owned(),
        };
        self.notes.push(format!(
            "{} of {} motions between frames were not examined: {why}",
            self.unknown_motions,
            self.unknown_motions + self.motions
        ));
    }
}

/// Reads a frame, and checks that it is unchanged.
pub(super) fn load(folder: &Path, entry: &FrameEntry) -> (Option<Frame>, Vec<Finding>) {
    let finding = |problem| Finding {
        file: entry.file.clone(),
        time: Some(entry.time),
        problem,
    };
    let path = folder.join(&entry.file);
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
