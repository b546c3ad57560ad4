//! `impinge run`: from a scene to a folder of results.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use impinge_sim::output::{Recorded, Recording};
use impinge_sim::{Scene, Simulation, StepReport};
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
    let mut recording = if options.resume {
        Recording::resume(folder, &scene, simulation)?
    } else {
        Recording::create(folder, &scene, simulation)?
    };
    recording.dump_problems(&options.dump_problems)?;
    let bar = progress_bar(steps, options.quiet);
    bar.set_position(recording.simulation().state().step);
    let end = recording.advance(steps, interrupt.flag(), |report| show(&bar, report))?;
    bar.finish_and_clear();
    let folder = recording.folder().to_owned();
    let recorded = recording.finish(end, options.accept_inexact)?;
    if !options.quiet {
        tell(&recorded, &folder)?;
    }
    let verdict = recorded.verdict;
    match Code::of(verdict.status) {
        None => Ok(()),
        Some(code) => Err(Failure::new(code, verdict.message.unwrap_or_default())),
    }
}

/// Prints the end of a run, and how it is judged.
fn tell(recorded: &Recorded, folder: &Path) -> Result<(), Failure> {
    let Recorded {
        verdict,
        facts,
        steps,
        problems,
        ..
    } = recorded;
    let folder = folder.display();
    terminal::say(&format!(
        "{}: {steps} steps in {:.1} s; {} frames in {folder} (look: impinge view {folder}, or ParaView)",
        verdict.status.name(),
        facts.wall_seconds,
        facts.frames,
    ))?;
    if let Some(problems) = problems {
        terminal::say(&format!("{problems} problems in {folder}/problems"))?;
    }
    for note in &verdict.notes {
        terminal::remark(note);
    }
    Ok(())
}

/// `out/` and the name of the scene.
pub(crate) fn default_folder(scene: &Path) -> Result<PathBuf, Failure> {
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
    terminal::write_above(&bar);
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
