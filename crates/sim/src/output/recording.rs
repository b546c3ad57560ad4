//! A simulation and the files that record it: from a scene to a folder of results.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{
    Accepted, Beside, Checkpoint, Checksum, DumpWhen, End, EnergiesCsv, FirstEvents, Frame,
    FrameContacts, FrameLines, FrameStamp, FrameWriter, NO_STRAIGHT_MOTION, OutputError,
    ProblemDump, ReactionsCsv, RigidCsv, RunFacts, RunHeader, StepsCsv, Summary, Verdict, verdict,
    write_events,
};
use crate::{Scene, SimError, Simulation, StepFailure, StepReport};
use impinge_contact::Interrupt;
use thiserror::Error;
use tracing::info;

/// A run that cannot be recorded, or resumed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A file of the run.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The simulation.
    #[error(transparent)]
    Sim(#[from] SimError),
}

/// A simulation that is recorded in a folder.
pub struct Recording<'a> {
    scene: &'a Scene,
    simulation: Simulation,
    scene_hash: Checksum,
    frames: FrameWriter,
    steps: StepsCsv,
    energies: Option<EnergiesCsv>,
    reactions: Option<ReactionsCsv>,
    rigid: Option<RigidCsv>,
    summary: Summary,
    problems: Option<ProblemDump>,
    /// Straight pieces of the motion since the last stored frame.
    parts: u32,
    begin: Instant,
    /// Wall time of the run before it was resumed.
    before: Duration,
}

/// A run that ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Recorded {
    /// Status, last lines and counters.
    pub verdict: Verdict,
    /// Facts of the run that `summary.json` has.
    pub facts: RunFacts,
    /// Number of whole steps since time 0, those before a resumption included.
    pub steps: u64,
    /// Stored problems, if they were asked for.
    pub problems: Option<u64>,
}

impl<'a> Recording<'a> {
    /// Starts recording `simulation` of `scene` in `folder`, whose earlier run is replaced, and stores the first frame.
    ///
    /// # Errors
    /// [`OutputError`] if a file cannot be written.
    pub fn create(
        folder: PathBuf,
        scene: &'a Scene,
        simulation: Simulation,
    ) -> Result<Self, OutputError> {
        let header = RunHeader::new(scene, simulation.model());
        let scene_hash = header.scene_hash();
        let frames = FrameWriter::create(folder, &header)?;
        let steps = StepsCsv::create(frames.folder())?;
        let energies = (simulation.keeps_balance())
            .then(|| EnergiesCsv::create(frames.folder(), simulation.model(), simulation.state()))
            .transpose()?;
        let reactions = ReactionsCsv::create(frames.folder(), scene, &simulation)?;
        let rigid = RigidCsv::create(frames.folder(), simulation.model())?;
        let mut recording = Self {
            scene,
            simulation,
            scene_hash,
            frames,
            steps,
            energies,
            reactions,
            rigid,
            summary: Summary::new(scene.settled_after()),
            problems: None,
            parts: 0,
            begin: Instant::now(),
            before: Duration::ZERO,
        };
        info!(folder = %recording.folder().display(), "run started");
        recording.store()?;
        Ok(recording)
    }

    /// Resumes the run in `folder` after its last frame.
    ///
    /// # Errors
    /// [`RecordError`] if the folder holds no run of `scene` that `simulation` can resume from; nothing is changed
    /// then.
    pub fn resume(
        folder: PathBuf,
        scene: &'a Scene,
        mut simulation: Simulation,
    ) -> Result<Self, RecordError> {
        if !simulation.is_resumable() {
            // Reported before reading a folder that cannot hold the missing state.
            simulation.resume(simulation.state().clone())?;
        }
        let checkpoint = Checkpoint::read(&folder)?;
        let header = RunHeader::new(scene, simulation.model());
        let step = checkpoint.state.step;
        // All files are checked before any is cut.
        let steps = StepsCsv::kept(&folder, step);
        let energies = EnergiesCsv::kept(&folder, step);
        let reactions = ReactionsCsv::kept(&folder, scene, &simulation, step);
        let rigid = RigidCsv::kept(&folder, simulation.model(), step);
        let frames = FrameWriter::kept(folder, &header, &checkpoint)?;
        let (steps, energies, reactions, rigid) = (steps?, energies?, reactions?, rigid?);
        let summary = Summary::new(scene.settled_after()).after(
            step,
            checkpoint.state.time,
            checkpoint.counters,
        );
        simulation.resume(checkpoint.state.into_owned())?;
        let frames = FrameWriter::resume(frames)?;
        let steps = StepsCsv::resume(steps)?;
        let energies = energies
            .map(|kept| EnergiesCsv::resume(kept, simulation.model()))
            .transpose()?;
        let reactions = reactions.map(ReactionsCsv::resume).transpose()?;
        let rigid = rigid.map(RigidCsv::resume).transpose()?;
        info!(
            step,
            time = simulation.state().time,
            folder = %frames.folder().display(),
            "run resumed"
        );
        Ok(Self {
            scene,
            simulation,
            scene_hash: checkpoint.scene_hash,
            frames,
            steps,
            energies,
            reactions,
            rigid,
            summary,
            problems: None,
            parts: 0,
            begin: Instant::now(),
            before: Duration::try_from_secs_f64(checkpoint.wall_seconds).unwrap_or_default(),
        })
    }

    /// Stores the contact problems that `when` selects; without one, none.
    ///
    /// # Errors
    /// [`OutputError`] if their folder cannot be made.
    pub fn dump_problems(&mut self, when: &[DumpWhen]) -> Result<(), OutputError> {
        if !when.is_empty() {
            let folder = self.frames.folder();
            let problems = ProblemDump::create(folder, &self.scene.title, when.to_vec())?;
            self.simulation.observe_solves(problems.clone());
            self.problems = Some(problems);
        }
        Ok(())
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.frames.folder()
    }

    /// Takes the steps up to number `steps`, stores frames as the scene says, and calls `progress` after each step. The
    /// last state is stored, whatever ends the run. `interrupt` ends it within an iteration of its solver.
    ///
    /// # Errors
    /// [`OutputError`] if a file cannot be written. A failed step is an [`End`].
    pub fn advance(
        &mut self,
        steps: u64,
        interrupt: &Interrupt,
        mut progress: impl FnMut(&StepReport),
    ) -> Result<End, OutputError> {
        self.begin = Instant::now();
        self.simulation.heed(interrupt);
        let mut end = End::Completed;
        for done in self.simulation.state().step + 1..=steps {
            if interrupt.is_raised() {
                end = End::Interrupted;
                break;
            }
            let advanced = self.simulation.advance();
            self.problems()?;
            let report = match advanced {
                Ok(report) => report,
                Err(error) if error.failure == StepFailure::Interrupted => {
                    end = End::Interrupted;
                    break;
                }
                Err(error) => {
                    // The completed part of the step is not one straight motion.
                    if !self.is_whole() {
                        self.parts = self.parts.saturating_add(NO_STRAIGHT_MOTION);
                    }
                    end = End::Stopped(error.to_string());
                    break;
                }
            };
            self.steps.row(&report)?;
            if let Some(energies) = &mut self.energies {
                energies.rows(&report)?;
            }
            if let Some(reactions) = &mut self.reactions {
                reactions.rows(&self.simulation)?;
            }
            self.summary.add(&report);
            let motions = if self.simulation.moves_straight() {
                report.substeps
            } else {
                NO_STRAIGHT_MOTION
            };
            self.parts = self.parts.saturating_add(motions);
            if done % u64::from(self.scene.output.every) == 0 {
                self.store()?;
            }
            progress(&report);
        }
        self.store()?;
        Ok(end)
    }

    /// Writes `summary.json` and the statistics of events, and judges the run; `accept_inexact` accepts unmet
    /// tolerances.
    ///
    /// # Errors
    /// [`OutputError`] if a file cannot be written.
    pub fn finish(self, end: End, accept_inexact: bool) -> Result<Recorded, OutputError> {
        let model = self.simulation.model();
        let accepted = Accepted {
            inexact: accept_inexact,
            inversion: model.settings.allow_inversion,
        };
        let first = FirstEvents::of(&self.simulation);
        let verdict = verdict(&self.summary.counters(), end, accepted, first);
        let facts = RunFacts {
            title: self.scene.title.clone(),
            scene_hash: self.scene_hash,
            threads: rayon::current_num_threads(),
            points: model.points.rest.len(),
            tets: model.elements.tets.len(),
            frames: self.frames.frames(),
            wall_seconds: self.wall().as_secs_f64(),
        };
        info!(
            status = verdict.status.name(),
            steps = self.summary.steps(),
            time = self.simulation.state().time,
            frames = facts.frames,
            reason = verdict.message,
            "run ended"
        );
        let outcome = verdict.outcome();
        let energies = self.energies.as_ref().map(EnergiesCsv::totals);
        (self.summary).write_with(self.frames.folder(), &facts, &outcome, energies)?;
        if let Some(events) = self.simulation.events() {
            write_events(self.frames.folder(), events, self.simulation.flights())?;
        }
        let problems = self.problems()?;
        Ok(Recorded {
            verdict,
            facts,
            steps: self.summary.steps(),
            problems: self.problems.is_some().then_some(problems),
        })
    }

    /// Number of stored problems; the first failure ends the run.
    fn problems(&self) -> Result<u64, OutputError> {
        self.problems.as_ref().map_or(Ok(0), ProblemDump::written)
    }

    /// Stores the state as a frame, unless the last frame already shows it.
    fn store(&mut self) -> Result<(), OutputError> {
        let state = self.simulation.state();
        if self.frames.last_step() == Some(state.step) {
            return Ok(());
        }
        let frame = Frame::capture(self.simulation.model(), state);
        let contacts = (self.scene.stores_contacts())
            .then(|| FrameContacts::capture(self.simulation.model(), state));
        let lines =
            (self.scene.has_lines()).then(|| FrameLines::capture(self.simulation.model(), state));
        let stamp = FrameStamp {
            step: state.step,
            time: state.time,
            parts: self.parts,
        };
        // Rows without a frame are valid, a frame without rows is not: rows are written first.
        if let Some(rigid) = &mut self.rigid {
            rigid.rows(self.simulation.model(), state)?;
        }
        // They are those since the last frame, and before the first one there are none.
        let pieces = match self.frames.frames() {
            0 => None,
            _ => self.simulation.take_pieces(),
        };
        let beside = Beside {
            pieces: pieces.as_ref(),
            contacts: contacts.as_ref(),
            lines: lines.as_ref(),
        };
        self.frames.write_with(&frame, beside, stamp)?;
        self.parts = 0;
        // A step that stopped midway is repeated from its start.
        let is_resumable = self.simulation.is_resumable() && self.is_whole();
        info!(
            frame = self.frames.frames() - 1,
            step = stamp.step,
            time = stamp.time,
            checkpoint = is_resumable,
            "frame written"
        );
        if is_resumable {
            let checkpoint = Checkpoint {
                scene_hash: self.scene_hash,
                state: Cow::Borrowed(self.simulation.state()),
                counters: self.summary.counters(),
                wall_seconds: self.wall().as_secs_f64(),
            };
            checkpoint.write(self.frames.folder())?;
        }
        Ok(())
    }

    /// Whether the state is the end of its step, without a part of the next one.
    fn is_whole(&self) -> bool {
        let state = self.simulation.state();
        state.time <= state.step as f64 * self.scene.time.step
    }

    /// Wall time of the steps so far.
    fn wall(&self) -> Duration {
        self.before.saturating_add(self.begin.elapsed())
    }
}
