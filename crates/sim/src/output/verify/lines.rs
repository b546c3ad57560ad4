//! Checks the links and ropes beside a frame against the joints of the scene, the points of the frame and the poses of
//! rigid bodies.

use super::beside::read_beside;
use super::examine::{Examiner, Listed, Stamp, report};
use super::rigid::TOLERANCE;
use super::{Problem, Verification};
use crate::measure::lines::JointLine;
use crate::model::{Line, Model};
use crate::output::companions::Companion;
use crate::output::{Frame, FrameLines, lines};
use impinge_contact::constraint::{self, Configuration, Term};

impl Examiner<'_> {
    /// Checks the lines beside a frame, if the list has them.
    pub(super) fn lines(&self, listed: Listed<'_>, frame: &Frame, result: &mut Verification) {
        let entry = listed.entry();
        let Some(checksum) = entry.lines else {
            return;
        };
        let stamp = Stamp {
            file: Companion::Lines.file(listed.index),
            time: Some(entry.time),
        };
        let (folder, checksum) = (listed.folder, Some(checksum));
        let Some(stored) = read_beside(folder, &stamp, checksum, lines::decode, result) else {
            return;
        };
        let poses = self
            .rigid
            .zip(self.model)
            .and_then(|(rows, model)| rows.poses(entry.step, model));
        if let Some(what) = misfit(&stored, frame, poses.as_deref(), self.model) {
            report(result, &stamp, Problem::Disagrees(what));
        }
        result.lines += stored.lines.len();
    }
}

/// How `stored` disagrees with `frame`, the `poses` of rigid bodies or the joints of the `model`, if it does.
fn misfit(
    stored: &FrameLines,
    frame: &Frame,
    poses: Option<&[constraint::Frame]>,
    model: Option<&Model>,
) -> Option<String> {
    for (index, line) in stored.lines.iter().enumerate() {
        let mut numbers = line.points.iter().flatten().chain([&line.force]);
        if !numbers.all(|number| number.is_finite()) {
            return Some(format!("line {index} has a number that is not finite"));
        }
    }
    let model = model?;
    if !lines::names_of(model).eq(stored.names.iter().cloned()) {
        return Some("its names are not those of the joints".to_owned());
    }
    let lines = &model.constraints.lines;
    let is_of = |(of, line): (&Line, &JointLine)| {
        of.joint == line.joint as usize && of.points.len() == line.points.len()
    };
    if lines.len() != stored.lines.len() || !lines.iter().zip(&stored.lines).all(is_of) {
        return Some("its lines are not those of the joints".to_owned());
    }
    let mut pairs = lines.iter().zip(&stored.lines).enumerate();
    pairs.find_map(|(index, (of, line))| {
        let point = first_off(of, line, frame, poses)?;
        Some(format!(
            "point {point} of line {index} is not where its body has it"
        ))
    })
}

/// The first point of `line` that is not where `frame` and the `poses` of rigid bodies have it. Without poses points of
/// rigid bodies are not compared.
fn first_off(
    of: &Line,
    line: &JointLine,
    frame: &Frame,
    poses: Option<&[constraint::Frame]>,
) -> Option<usize> {
    let state = Configuration {
        particles: &frame.points,
        frames: poses.unwrap_or_default(),
    };
    let mut points = of.points.iter().zip(&line.points);
    points.position(|(point, place)| {
        let is_known = |term: &Term| poses.is_some() || matches!(term, Term::Particle { .. });
        if !point.terms.iter().all(is_known) {
            return false;
        }
        let expected = point.at(&state);
        (expected - place).amax() > TOLERANCE * expected.amax()
    })
}
