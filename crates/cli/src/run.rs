//! `impinge run`: from a scene to a folder of results.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use impinge_sim::output::{
    Accepted, Checkpoint, Checksum, End, EnergiesCsv, Frame, FrameStamp, FrameWriter,
    NO_STRAIGHT_MOTION, ProblemDump, RigidCsv, RunFacts, RunHeader, StepsCsv, Summary, verdict,
    write_events,
};
use impinge_sim::{Scene, Simulation, StepFailure, StepReport};
use indicatif::{ProgressBar, ProgressStyle};

use super::arguments::Run;
use super::exit::{Code, Failure};
use super::interrupt::Interrupt;
use super::terminal;
use super::threads::use_threads;

/// Runs the scene of `options`.
pub(crate) fn run(options: &Run) -> Result<(), Failure> {
    let scene = Scene::load(&options.scene, &options.overrides)?;
    use_threads(options.threads)?;
    // All input is checked before a folder is created or changed.
    let mut simulation = Simulation::new(&scene)?;
    for notice in simulation.take_notices() {
        terminal::remark(&notice);
    }
    if !options.quiet {
        super::doctor::warn(&scene, simulation.model());
    }
    let interrupt = Interrupt::listen();

    let steps = steps_of(&scene, options.steps, options.until);
    let folder = match &options.out {
        Some(folder) => folder.clone(),
        None => default_folder(&options.scene)?,
    };
    let mut recorder = if options.resume {
        Recorder::resume(folder, &scene, simulation)?
    } else {
        Recorder::create(folder, &scene, simulation)?
    };
    recorder.dump_problems(options)?;
    let bar = progress_bar(steps, options.quiet);
    bar.set_position(recorder.simulation.state().step);
    let end = recorder.advance(steps, &interrupt, &bar)?;
    bar.finish_and_clear();
    recorder.finish(end, options)
}

/// A simulation and the files that record it.
struct Recorder<'a> {
    scene: &'a Scene,
    simulation: Simulation,
    scene_hash: Checksum,
    frames: FrameWriter,
    steps: StepsCsv,
    energies: Option<EnergiesCsv>,
    rigid: Option<RigidCsv>,
    summary: Summary,
    problems: Option<ProblemDump>,
    /// Straight pieces of the motion since the last stored frame.
    parts: u32,
    begin: Instant,
    /// Wall time of the run before it was resumed.
    before: Duration,
}

impl<'a> Recorder<'a> {
    fn create(folder: PathBuf, scene: &'a Scene, simulation: Simulation) -> Result<Self, Failure> {
        let header = RunHeader::new(scene, simulation.model());
        let scene_hash = header.scene_hash();
        let frames = FrameWriter::create(folder, &header)?;
        let steps = StepsCsv::create(frames.folder())?;
        let energies = (simulation.keeps_balance())
            .then(|| EnergiesCsv::create(frames.folder(), simulation.model(), simulation.state()))
            .transpose()?;
        let rigid = RigidCsv::create(frames.folder(), simulation.model())?;
        let mut recorder = Self {
            scene,
            simulation,
            scene_hash,
            frames,
            steps,
            energies,
            rigid,
            summary: Summary::new(scene.settled_after()),
            problems: None,
            parts: 0,
            begin: Instant::now(),
            before: Duration::ZERO,
        };
        recorder.store()?;
        Ok(recorder)
    }

    /// Resumes the run in `folder` after its last frame.
    fn resume(
        folder: PathBuf,
        scene: &'a Scene,
        mut simulation: Simulation,
    ) -> Result<Self, Failure> {
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
        let rigid = RigidCsv::kept(&folder, simulation.model(), step);
        let frames = FrameWriter::kept(folder, &header, &checkpoint)?;
        let (steps, energies, rigid) = (steps?, energies?, rigid?);
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
        let rigid = rigid.map(RigidCsv::resume).transpose()?;
        Ok(Self {
            scene,
            simulation,
            scene_hash: checkpoint.scene_hash,
            frames,
            steps,
            energies,
            rigid,
            summary,
            problems: None,
            parts: 0,
            begin: Instant::now(),
            before: Duration::try_from_secs_f64(checkpoint.wall_seconds).unwrap_or_default(),
        })
    }

    /// Starts storing the problems that `options` selects.
    fn dump_problems(&mut self, options: &Run) -> Result<(), Failure> {
        if !options.dump_problems.is_empty() {
            let folder = self.frames.folder();
            let when = options.dump_problems.clone();
            let problems = ProblemDump::create(folder, &self.scene.title, when)?;
            self.simulation.observe_solves(problems.clone());
            self.problems = Some(problems);
        }
        Ok(())
    }

    /// Number of stored problems; the first failure ends the run.
    fn problems(&self) -> Result<u64, Failure> {
        Ok(self.problems.as_ref().map_or(Ok(0), ProblemDump::written)?)
    }

    /// Stores the state as a frame, unless the last frame already shows it.
    fn store(&mut self) -> Result<(), Failure> {
        let state = self.simulation.state();
        if self.frames.last_step() == Some(state.step) {
            return Ok(());
        }
        let frame = Frame::capture(self.simulation.model(), state);
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
        self.frames.write_with(&frame, pieces.as_ref(), stamp)?;
        self.parts = 0;
        // A step that stopped midway is repeated from its start.
        if self.simulation.is_resumable() && self.is_whole() {
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

    fn advance(
        &mut self,
        steps: u64,
        interrupt: &Interrupt,
        bar: &ProgressBar,
    ) -> Result<End, Failure> {
        self.begin = Instant::now();
        self.simulation.heed(interrupt.flag());
        let mut end = End::Completed;
        for done in self.simulation.state().step + 1..=steps {
            if interrupt.requested() {
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
            show(bar, &report);
        }
        // The last state is stored, whatever ended the run.
        self.store()?;
        Ok(end)
    }

    fn finish(self, end: End, options: &Run) -> Result<(), Failure> {
        let model = self.simulation.model();
        let accepted = Accepted {
            inexact: options.accept_inexact,
            inversion: model.settings.allow_inversion,
        };
        let verdict = verdict(
            &self.summary.counters(),
            end,
            accepted,
            self.simulation.first_crossing(),
        );
        let facts = RunFacts {
            title: self.scene.title.clone(),
            scene_hash: self.scene_hash,
            threads: rayon::current_num_threads(),
            points: model.points.rest.len(),
            tets: model.elements.tets.len(),
            frames: self.frames.frames(),
            wall_seconds: self.wall().as_secs_f64(),
        };
        let outcome = verdict.outcome();
        self.summary.write(self.frames.folder(), &facts, &outcome)?;
        if let Some(events) = self.simulation.events() {
            write_events(self.frames.folder(), events, self.simulation.flights())?;
        }
        let problems = self.problems()?;

        if !options.quiet {
            let folder = self.frames.folder().display();
            terminal::say(&format!(
                "{}: {} steps in {:.1} s; {} frames in {folder} (open {folder}/frames.pvd in ParaView)",
                verdict.status.name(),
                self.summary.steps(),
                facts.wall_seconds,
                facts.frames,
            ))?;
            if self.problems.is_some() {
                terminal::say(&format!("{problems} problems in {folder}/problems"))?;
            }
            for note in &verdict.notes {
                terminal::remark(note);
            }
        }
        match Code::of(verdict.status) {
            None => Ok(()),
            Some(code) => Err(Failure::new(code, verdict.message.unwrap_or_default())),
        }
    }
}

/// `out/` and the name of the scene.
fn default_folder(scene: &Path) -> Result<PathBuf, Failure> {
    let name = Path::new(scene.file_stem().unwrap_or_default());
    // The stem of `...toml` is `..`, the parent folder.
    match name.components().next() {
        Some(Component::Normal(_)) => Ok(Path::new("out").join(name)),
        _ => Err(Failure::new(
            Code::BadInput,
            format!(
                "{}: no folder name can be derived from the name of the scene file\n  \
                 mend: rename the scene, or give a folder with --out",
                scene.display()
            ),
        )),
    }
}

/// The requested number of steps.
pub(crate) fn steps_of(scene: &Scene, steps: Option<u64>, until: Option<f64>) -> u64 {
    match (steps, until) {
        (Some(steps), _) => steps,
        (None, Some(until)) => whole_steps(until, scene.time.step),
        (None, None) => scene.time.steps(),
    }
}

/// Steps that reach `until`; a rounding error must not add a step.
fn whole_steps(until: f64, step: f64) -> u64 {
    let steps = (until / step - 1e-9).ceil().max(1.0);
    #[expect(clippy::cast_sign_loss, reason = "at least 1")]
    let steps = steps as u64;
    steps
}

/// A progress bar of `length` steps; visible on a terminal only.
pub(crate) fn progress_bar(length: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    let template = "{bar:30} {pos}/{len}  {elapsed} done, {eta} left  {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

fn show(bar: &ProgressBar, report: &StepReport) {
    bar.set_message(format!(
        "t = {:.4} s, {} contacts, {} iterations{}",
        report.time,
        report.active,
        report.iterations,
        if report.substeps > 1 {
            format!(", {} substeps", report.substeps)
        } else {
            String::new()
        }
    ));
    bar.inc(1);
}

#[cfg(test)]
mod tests {
    use super::whole_steps;

    #[test]
    fn until_is_reached_and_not_passed_by_a_rounding() {
        assert_eq!(whole_steps(0.3, 0.1), 3);
        assert_eq!(whole_steps(0.25, 0.1), 3);
        assert_eq!(whole_steps(1.0, 1e-3), 1000);
        assert_eq!(whole_steps(1e-6, 1e-3), 1);
    }
}
