//! The film of a run on disk.

use std::path::{Path, PathBuf};

use impinge_sim::measure::lines::JointLine;
use impinge_sim::output::{Manifest, OutputError, read_frame, read_lines};
use nalgebra::Vector3;
use serde_json::Value;

use super::film::Film;
use super::limits::Limits;
use super::part::Part;
use super::shot::Shot;
use super::stage::{Names, Stage};
use super::table::Table;
use crate::error::ReportError;

/// Frames that the ranges of colours of a served film are taken from, evenly spread.
const SAMPLED: usize = 25;

/// The folder of a run, opened to be shown.
#[derive(Debug)]
pub struct RunFolder {
    folder: PathBuf,
    manifest: Manifest,
    stage: Stage,
    table: Table,
}

impl RunFolder {
    /// Opens the run in `folder`, reading its first frame only.
    ///
    /// # Errors
    /// [`ReportError::Run`] for files that cannot be read, [`ReportError::NoFrames`] for a run without a frame.
    pub fn open(folder: &Path) -> Result<Self, ReportError> {
        let manifest = Manifest::read(folder)?;
        let first = manifest
            .frames
            .first()
            .ok_or_else(|| ReportError::NoFrames {
                place: folder.to_owned(),
            })?;
        let first = read_frame(folder.join(&first.file))?;
        let lines = lines(folder, &manifest, 0)?;
        let stage = Stage::new(names(&manifest), &first, &lines, None);
        Ok(Self {
            folder: folder.to_owned(),
            table: Table::read(&folder.join("steps.csv"))?,
            manifest,
            stage,
        })
    }

    /// Title of the scene.
    pub fn title(&self) -> &str {
        &self.stage.names.title
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.manifest.frames.len()
    }

    /// The whole film; calls `progress` after each frame.
    ///
    /// # Errors
    /// As for [`frame`](Self::frame).
    pub fn film(&self, progress: &dyn Fn()) -> Result<Film, ReportError> {
        self.film_of(0..self.frames(), progress)
    }

    /// The film of some frames; calls `progress` after each of them.
    ///
    /// # Errors
    /// As for [`frame`](Self::frame).
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn film_of(
        &self,
        frames: impl IntoIterator<Item = usize>,
        progress: &dyn Fn(),
    ) -> Result<Film, ReportError> {
        let mut film = Film::of(self.stage.clone(), Some(self.table.clone()));
        for index in frames {
            film.add(self.shot(index)?);
            progress();
        }
        Ok(film)
    }

    /// Time of the last frame (s).
    pub fn end(&self) -> f64 {
        self.manifest.frames.last().map_or(0.0, |last| last.time)
    }

    /// The last frame at or before `time` (s); the first one if all are later. `None` if `time` is after the last frame
    /// by the time between the last two frames or more: the run has no state so late.
    pub fn frame_at(&self, time: f64) -> Option<usize> {
        let frames = &self.manifest.frames;
        let before_last = frames.iter().rev().nth(1);
        let interval = before_last.map_or(0.0, |frame| self.end() - frame.time);
        let beyond = time - self.end();
        if beyond > 0.0 && beyond >= interval {
            return None;
        }
        let later = frames.partition_point(|frame| frame.time <= time);
        Some(later.saturating_sub(1))
    }

    /// The description of the film. The ranges of its colours come from some frames, evenly spread.
    ///
    /// # Errors
    /// As for [`frame`](Self::frame).
    pub fn description(&self) -> Result<String, ReportError> {
        let mut limits = Limits::default();
        let last = self.frames() - 1;
        let samples = last.min(SAMPLED - 1);
        for sample in 0..=samples {
            limits.include(&self.shot(sample * last / samples.max(1))?);
        }
        let frames = self.manifest.frames.iter();
        let stamps: Vec<(u64, f64)> = frames.map(|frame| (frame.step, frame.time)).collect();
        let description = self.stage.description(&limits, &stamps, Some(&self.table));
        Ok(description.to_string())
    }

    /// The bytes of a part of the film, `surface`, `table` or `frame` with its number; `None` if there is no such part.
    ///
    /// # Errors
    /// As for [`frame`](Self::frame).
    pub fn part(&self, name: &str) -> Result<Option<Part>, ReportError> {
        let bytes = match name {
            "surface" => self.stage.bytes(),
            "table" => self.table.bytes(),
            _ => {
                let index = name
                    .strip_prefix("frame")
                    .and_then(|index| index.parse().ok());
                match index.filter(|&index| index < self.frames()) {
                    Some(index) => self.frame(index)?,
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(Part::new(name, bytes)))
    }

    /// The bytes of frame `index`.
    ///
    /// # Errors
    /// [`ReportError::Run`] for a file that cannot be read, [`ReportError::OtherBodies`] for a frame of another scene.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn frame(&self, index: usize) -> Result<Vec<u8>, ReportError> {
        self.shot(index).map(|shot| shot.bytes())
    }

    pub(super) fn shot(&self, index: usize) -> Result<Shot, ReportError> {
        let entry = &self.manifest.frames[index];
        let place = self.folder.join(&entry.file);
        let lines = lines(&self.folder, &self.manifest, index)?;
        let stamp = (entry.step, entry.time);
        let shot = self.stage.shot(&read_frame(&place)?, &lines, stamp);
        shot.ok_or(ReportError::OtherBodies { place })
    }
}

/// The links and ropes of frame `index`.
fn lines(folder: &Path, manifest: &Manifest, index: usize) -> Result<Vec<JointLine>, OutputError> {
    let file = manifest.lines_file(index);
    file.map_or(Ok(Vec::new()), |file| {
        Ok(read_lines(folder.join(file))?.lines)
    })
}

fn names(manifest: &Manifest) -> Names {
    let scene = &manifest.scene;
    let gravity = scene["world"]["gravity"].as_array().map(Vec::as_slice);
    let gravity = gravity.unwrap_or_default().iter().filter_map(Value::as_f64);
    let mut components = gravity.chain(std::iter::repeat(0.0));
    Names {
        title: scene["title"].as_str().unwrap_or_default().to_owned(),
        bodies: manifest.bodies.clone(),
        walls: manifest.half_spaces.clone(),
        gravity: Vector3::from_fn(|_, _| components.next().unwrap_or(0.0)),
    }
}
