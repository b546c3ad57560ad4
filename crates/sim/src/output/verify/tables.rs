//! Checks the lists and tables of a run against its scene, each other and the frames.

use super::expected::Expected;
use super::{Finding, Problem};
use crate::output::companions::Companion;
use crate::output::energies::{ENERGIES_CSV, EnergyTotals};
use crate::output::events::EVENTS;
use crate::output::folder::is_of_frame;
use crate::output::listing::{FRAMES_CSV, FRAMES_PVD, beside_of, collection_of, frame_name};
use crate::output::statistics::{for_each_row, number, of_steps};
use crate::output::steps::STEPS_CSV;
use crate::output::summary::{SUMMARY, Table};
use crate::output::{
    Checkpoint, Frame, FrameEntry, NO_STRAIGHT_MOTION, OutputError, Status, column_names,
    read_regular,
};
use crate::scene::StepperChoice;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Collects findings about the files of a run that are not frames.
pub(super) struct Tables<'a> {
    folder: &'a Path,
    expected: &'a Expected,
    entries: &'a [FrameEntry],
    findings: &'a mut Vec<Finding>,
}

/// The contents of `steps.csv`.
#[derive(Default)]
struct Steps {
    /// End of the last step (s).
    end: f64,
    /// Straight motions in each step.
    parts: Vec<u32>,
    /// Sums of the columns of counts, for comparison with `summary.json`.
    totals: BTreeMap<&'static str, f64>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(
        folder: &'a Path,
        expected: &'a Expected,
        entries: &'a [FrameEntry],
        findings: &'a mut Vec<Finding>,
    ) -> Self {
        Self {
            folder,
            expected,
            entries,
            findings,
        }
    }

    /// Checks all files; `shown` is the first frame.
    pub(super) fn examine(mut self, shown: Option<&Frame>) {
        let steps = self.steps();
        let summary = self.summary(steps.as_ref(), shown);
        let stopped = summary
            .as_ref()
            .is_some_and(|summary| summary["outcome"]["status"] == Status::Stopped.name());
        self.entries(steps.as_ref(), summary.is_some(), stopped);
        self.collection(FRAMES_PVD, collection_of, summary.is_some());
        for kind in Companion::ALL {
            let listed = |entries: &[FrameEntry]| beside_of(kind, entries);
            if let (Some(file), true) = (kind.collection(), self.expected.stores(kind)) {
                self.collection(file, listed, summary.is_some());
            }
        }
        self.folder(summary.is_some());
        if let Err(error) = self.checkpoint() {
            self.unreadable("checkpoint.bin", &error);
        }
    }

    fn found(&mut self, file: &str, what: impl Into<String>) {
        self.findings
            .push(Finding::of_file(file, Problem::Disagrees(what.into())));
    }

    fn unreadable(&mut self, file: &str, error: &OutputError) {
        self.findings.push(Finding::of_file(
            file,
            Problem::Unreadable(error.to_string()),
        ));
    }

    /// Reads `steps.csv`: one row per step, at the times of the scene.
    fn steps(&mut self) -> Option<Steps> {
        let names = column_names();
        let substeps = names.iter().position(|name| *name == "substeps")?;
        let step_length = self.expected.scene.time.step;
        let moves_straight = self.expected.moves_straight();
        let mut steps = Steps::default();
        let mut wrong = None;
        let read = for_each_row(&self.folder.join(STEPS_CSV), &names, |fields| {
            let (step, time) = (steps.parts.len() as u64 + 1, number(fields, 1)?);
            let is_next =
                fields.get(0)?.parse::<u64>() == Ok(step) && is_time_of(time, step, step_length);
            if !is_next && wrong.is_none() {
                wrong = Some(format!("its row {step} is not that of step {step}"));
            }
            steps.end = time;
            let parts = fields.get(substeps)?.parse().ok()?;
            steps.parts.push(if moves_straight {
                parts
            } else {
                NO_STRAIGHT_MOTION
            });
            for (index, name) in names.iter().enumerate() {
                *steps.totals.entry(*name).or_default() += number(fields, index)?;
            }
            let subdivided = steps.totals.entry("subdivided_steps").or_default();
            *subdivided += if parts > 1 { 1.0 } else { 0.0 };
            Some(())
        });
        if let Err(error) = read {
            self.unreadable(STEPS_CSV, &error);
            return None;
        }
        if let Some(wrong) = wrong {
            self.found(STEPS_CSV, wrong);
        }
        Some(steps)
    }

    /// Checks the list of frames against the scene and the steps.
    fn entries(&mut self, steps: Option<&Steps>, has_ended: bool, stopped: bool) {
        let entries = self.entries;
        let Some(last) = entries.last() else {
            self.found(FRAMES_CSV, "no frame is listed");
            return;
        };
        let mut wrong = Vec::new();
        for index in 0..entries.len() {
            self.check_place(index, stopped, &mut wrong);
            self.check_companions(index, &mut wrong);
            self.check_step(index, steps, &mut wrong);
        }
        if let Some(steps) = steps {
            let every = self.every();
            let taken = steps.parts.len() as u64;
            // A run that has not ended stores its last frame with the next ones.
            let due = if has_ended {
                taken
            } else {
                taken / every * every
            };
            // A run killed between the row of a step and its frame lacks one.
            let due = if has_ended {
                due
            } else {
                due.saturating_sub(every)
            };
            if last.step > taken || last.step < due {
                wrong.push(format!(
                    "its last frame shows step {}, and {STEPS_CSV} has {taken} steps",
                    last.step
                ));
            }
        }
        for what in wrong {
            self.found(FRAMES_CSV, what);
        }
    }

    /// Number of steps from frame to frame.
    fn every(&self) -> u64 {
        u64::from(self.expected.scene.output.every.max(1))
    }

    /// A frame must have its name, and be at the end of its step.
    fn check_place(&self, index: usize, stopped: bool, wrong: &mut Vec<String>) {
        let entry = &self.entries[index];
        let FrameEntry { step, time, .. } = *entry;
        let step_length = self.expected.scene.time.step;
        if entry.file != frame_name(index) {
            wrong.push(format!("its entry {index} is {}", entry.file));
        }
        // The last frame of a stopped run may lie within a step.
        let may_be_between = stopped && index + 1 == self.entries.len() && index > 0;
        let is_between = (step as f64 * step_length..=step.saturating_add(1) as f64 * step_length)
            .contains(&time);
        let may_be_so = is_time_of(time, step, step_length) || (may_be_between && is_between);
        if !may_be_so {
            wrong.push(format!(
                "{} is at {time} s, which is not the end of step {step}",
                entry.file
            ));
        }
    }

    /// A frame must have those files beside it that the scene stores.
    fn check_companions(&self, index: usize, wrong: &mut Vec<String>) {
        let entry = &self.entries[index];
        for kind in Companion::ALL {
            let listed = entry.beside(kind).is_some();
            // No motion leads to the first frame.
            let due = index > 0 || kind != Companion::Pieces;
            let stored = due && self.expected.stores(kind);
            if listed != stored {
                let is = if stored { "no" } else { "a" };
                let what = match kind {
                    Companion::Pieces => "pieces of the motion to",
                    Companion::Contacts => "contacts of",
                    Companion::Lines => "lines of",
                };
                wrong.push(format!(
                    "it lists {is} file {} with the {what} {}, which does not agree with the scene",
                    kind.file(index),
                    entry.file
                ));
            }
        }
    }

    /// A frame must show a step that is due after the frame before it, in as many straight motions as `steps` says.
    fn check_step(&self, index: usize, steps: Option<&Steps>, wrong: &mut Vec<String>) {
        let entry = &self.entries[index];
        let before = index.checked_sub(1).map(|before| &self.entries[before]);
        let FrameEntry { step, time, .. } = *entry;
        let every = self.every();
        let first_due = match before {
            None => 0,
            Some(before) => (before.step / every)
                .saturating_add(1)
                .saturating_mul(every),
        };
        let follows = before.is_none_or(|before| before.step < step);
        if !follows || step > first_due {
            wrong.push(format!(
                "{} shows step {step}, but step {first_due} or an earlier one was expected",
                entry.file
            ));
        }
        if let (Some(steps), true) = (steps, follows) {
            let from = before.map_or(0, |before| before.step);
            let taken = steps.parts.get(from as usize..step as usize);
            let sum = taken.map(|parts| {
                parts
                    .iter()
                    .fold(0, |sum: u32, parts| sum.saturating_add(*parts))
            });
            let is_whole = is_time_of(time, step, self.expected.scene.time.step);
            if is_whole && sum != Some(entry.parts) {
                wrong.push(format!(
                    "{}: `parts` is {}, which does not agree with {STEPS_CSV}",
                    entry.file, entry.parts
                ));
            }
        }
    }

    /// Checks `summary.json` against the steps and the frames; `None` if there is none.
    fn summary(&mut self, steps: Option<&Steps>, shown: Option<&Frame>) -> Option<Value> {
        let path = self.folder.join(SUMMARY);
        let Ok(bytes) = read_regular(&path) else {
            self.findings
                .push(Finding::of_file(SUMMARY, Problem::Unfinished));
            return None;
        };
        let summary: Value = match serde_json::from_slice(&bytes) {
            Ok(summary) => summary,
            Err(error) => {
                self.unreadable(SUMMARY, &OutputError::format(&path, error.to_string()));
                return None;
            }
        };
        let mut same = self.agreement_with_scene(&summary, shown);
        if let Some(steps) = steps {
            same.extend(self.agreement_with_steps(&summary, steps));
        }
        let outcome = &summary["outcome"];
        let ends = [
            Status::Completed,
            Status::Inexact,
            Status::Stopped,
            Status::Interrupted,
        ];
        let is_end = ends
            .iter()
            .any(|end| outcome["status"] == end.name() && outcome["exit_code"] == end.exit_code());
        same.push(("outcome".to_owned(), is_end));
        for (key, _) in same.iter().filter(|(_, same)| !same) {
            self.found(
                SUMMARY,
                format!("`{key}` does not agree with the other files"),
            );
        }
        Some(summary)
    }

    /// Each key of the summary that follows from the scene and the first frame, and whether it agrees with them.
    fn agreement_with_scene(&self, summary: &Value, shown: Option<&Frame>) -> Vec<(String, bool)> {
        let scene = &self.expected.scene;
        let mut same: Vec<(String, bool)> = vec![
            ("title".to_owned(), summary["title"] == json!(scene.title)),
            (
                "frames".to_owned(),
                summary["frames"] == json!(self.entries.len()),
            ),
            (
                "settled_after".to_owned(),
                summary["settled_after"] == json!(scene.settled_after()),
            ),
        ];
        if let Some(run) = &self.expected.run {
            let hash = json!(run.manifest.scene_hash);
            same.push(("scene_hash".to_owned(), summary["scene_hash"] == hash));
        }
        if let Some(shown) = shown {
            same.push((
                "points".to_owned(),
                summary["points"] == json!(shown.points.len()),
            ));
            same.push((
                "tets".to_owned(),
                summary["tets"] == json!(shown.tets.len()),
            ));
        }
        same
    }

    /// Each key of the summary that follows from the tables of steps and energies, and whether it agrees with them.
    fn agreement_with_steps(&mut self, summary: &Value, steps: &Steps) -> Vec<(String, bool)> {
        let mut same = vec![
            (
                "steps".to_owned(),
                summary["steps"] == json!(steps.parts.len()),
            ),
            (
                "end_time".to_owned(),
                summary["end_time"] == json!(steps.end),
            ),
        ];
        for (counter, value) in summary["counters"].as_object().into_iter().flatten() {
            let column = match counter.as_str() {
                "rejected_attempts" => "rejected",
                other => other,
            };
            if let Some(total) = steps.totals.get(column) {
                same.push((
                    format!("counters.{counter}"),
                    value.as_f64() == Some(*total),
                ));
            }
        }
        match EnergyTotals::of(self.folder) {
            Ok(totals) => {
                let expected = serde_json::to_value(totals).unwrap_or_default();
                same.push(("energies".to_owned(), summary["energies"] == expected));
            }
            Err(error) => self.unreadable(ENERGIES_CSV, &error),
        }
        let after = [f64::NEG_INFINITY, self.expected.scene.settled_after()];
        match of_steps(&self.folder.join(STEPS_CSV), after) {
            Ok([all, settled]) => {
                for (key, columns) in [("all", all), ("settled", settled)] {
                    let expected = serde_json::to_value(Table(columns)).unwrap_or_default();
                    same.push((key.to_owned(), summary[key] == expected));
                }
            }
            Err(error) => self.unreadable(STEPS_CSV, &error),
        }
        same
    }

    /// Checks that the collection `file` lists the same frames: its text is `expected` for them.
    fn collection(
        &mut self,
        file: &str,
        expected: impl Fn(&[FrameEntry]) -> String,
        has_ended: bool,
    ) {
        let text = match read_regular(&self.folder.join(file)) {
            Ok(text) => text,
            Err(error) => {
                let error = OutputError::read(&self.folder.join(file), error);
                self.unreadable(file, &error);
                return;
            }
        };
        let lists = |entries: &[FrameEntry]| text == expected(entries).as_bytes();
        // A killed run may lack the last entry.
        let without_last = self.entries.split_last().map(|(_, others)| others);
        let is_behind = !has_ended && without_last.is_some_and(lists);
        if !lists(self.entries) && !is_behind {
            self.found(
                file,
                format!("its list of frames differs from {FRAMES_CSV}"),
            );
        }
    }

    /// Checks for unlisted frames, and for the files that a run writes at its end.
    fn folder(&mut self, has_ended: bool) {
        let names = std::fs::read_dir(self.folder)
            .into_iter()
            .flatten()
            .flatten();
        let beside = self.entries.iter().enumerate().flat_map(|(index, entry)| {
            let stored = Companion::ALL.into_iter();
            let stored = stored.filter(|kind| entry.beside(*kind).is_some());
            stored.map(move |kind| kind.file(index))
        });
        let frames = self.entries.iter().map(|entry| entry.file.clone());
        let listed: BTreeSet<String> = frames.chain(beside).collect();
        let mut unlisted: Vec<String> = names
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| is_of_frame(name))
            .filter(|name| !listed.contains(name))
            .collect();
        unlisted.sort_unstable();
        // A killed run may have left one.
        let next = self.entries.len();
        let is_next = |name: &str| {
            name == frame_name(next) || Companion::ALL.iter().any(|kind| name == kind.file(next))
        };
        unlisted.retain(|name| has_ended || !is_next(name));
        for name in unlisted {
            self.found(&name, format!("{FRAMES_CSV} does not list it"));
        }
        let is_asynchronous = self.expected.scene.stepper == StepperChoice::Asynchronous;
        if has_ended && is_asynchronous && !self.folder.join(EVENTS).exists() {
            self.found(EVENTS, "it is missing");
        }
    }

    /// Checks that the checkpoint belongs to this run and matches one of its frames.
    fn checkpoint(&mut self) -> Result<(), OutputError> {
        if self.expected.scene.stepper == StepperChoice::Asynchronous || self.entries.is_empty() {
            return Ok(());
        }
        let Checkpoint {
            scene_hash, state, ..
        } = Checkpoint::read(self.folder)?;
        if let Some(run) = &self.expected.run
            && run.manifest.scene_hash != scene_hash
        {
            self.found("checkpoint.bin", "it is of another scene");
        }
        let shown = self.entries.iter().find(|entry| entry.step == state.step);
        let frame =
            shown.and_then(|entry| crate::output::read_frame(self.folder.join(&entry.file)).ok());
        if shown.is_none() {
            self.found("checkpoint.bin", "no frame is listed where it is");
        }
        if frame.is_some_and(|frame| {
            frame.points != state.positions || frame.velocities != state.velocities
        }) {
            self.found(
                "checkpoint.bin",
                "its state differs from the frame of its step",
            );
        }
        Ok(())
    }
}

/// Whether `time` (s) is the end of step `step`.
pub(super) fn is_time_of(time: f64, step: u64, step_length: f64) -> bool {
    let end = step as f64 * step_length;
    (time - end).abs() <= 4.0 * f64::EPSILON * end
}
