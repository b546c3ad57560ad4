//! Runs a case and collects its results on disk.

use std::borrow::Cow;
use std::error::Error;
use std::fs;
use std::path::Path;

use impinge_sim::output::{
    Accepted, Checkpoint, Checksum, End, FirstEvents, Frame, FrameStamp, FrameWriter, RigidCsv,
    RunFacts, RunHeader, StepsCsv, Summary, verdict, write_events,
};
use impinge_sim::{Scene, Simulation, StepReport};

use super::book::Line;
use super::cases::Case;
use super::problems::Largest;
use super::{digest, root};

/// Number of stored frames after the initial state.
const FRAMES: u64 = 4;

/// Runs a case, with gravity changed by the relative amount `nudge`, and returns its results.
pub(super) fn results(case: &Case, nudge: f64) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut scene = Scene::load(root().join(case.scene()), &case.overrides())?;
    if nudge != 0.0 {
        for component in &mut scene.world.gravity {
            *component *= 1.0 + nudge;
        }
    }
    // Frames and tables have the results; contacts beside them would be the same once more.
    scene.output.contacts = Some(false);
    let mut simulation = Simulation::new(&scene)?;
    let largest = Largest::default();
    if case.problem {
        simulation.observe_solves(largest.clone());
    }
    let folder = tempfile::tempdir()?;
    let mut frames =
        FrameWriter::create(folder.path(), &RunHeader::new(&scene, simulation.model()))?;
    let mut steps = StepsCsv::create(folder.path())?;
    let mut rigid = RigidCsv::create(folder.path(), simulation.model())?;
    let mut summary = Summary::new(scene.settled_after());
    let mut lines = Vec::new();
    let mut last = None;
    let every = case.steps.div_ceil(FRAMES).max(1);
    for step in 0..=case.steps {
        if step > 0 {
            let report = simulation
                .advance()
                .map_err(|error| format!("step {step}: {error}"))?;
            steps.row(&report)?;
            summary.add(&report);
            last = Some(report);
        }
        if step % every != 0 && step != case.steps {
            continue;
        }
        let state = simulation.state();
        if let Some(rigid) = &mut rigid {
            rigid.rows(simulation.model(), state)?;
        }
        let file = format!("frame_{:05}.vtu", frames.frames());
        let stamp = FrameStamp {
            step: state.step,
            time: state.time,
            parts: 0,
        };
        let mut frame = Frame::capture(simulation.model(), state);
        // Names are no results.
        frame.names.clear();
        frames.write(&frame, stamp)?;
        let line = Line::new(
            case.name,
            file.trim_end_matches(".vtu"),
            &fs::read(folder.path().join(&file))?,
        );
        lines.push(
            last.as_ref()
                .map_or(line.clone(), |report| numbers(line, report)),
        );
    }
    if simulation.is_resumable() {
        let checkpoint = Checkpoint {
            scene_hash: Checksum::of(&[]),
            state: Cow::Borrowed(simulation.state()),
            counters: summary.counters(),
            wall_seconds: 0.0,
        };
        checkpoint.write(folder.path())?;
        let bytes = fs::read(folder.path().join("checkpoint.bin"))?;
        lines.push(Line::new(case.name, "state", &bytes));
    }
    finish(&simulation, &scene, &summary, &frames)?;
    lines.extend(tables(case, folder.path())?);
    if case.problem {
        lines.extend(largest.results(case.name)?);
    }
    Ok(lines)
}

/// Digests of the tables and pages in the folder of a finished run.
fn tables(case: &Case, folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut lines = Vec::new();
    for table in ["steps.csv", "rigid.csv", "frames.csv"] {
        if let Ok(text) = fs::read_to_string(folder.join(table)) {
            lines.push(Line::new(case.name, table, digest::rows(&text).as_bytes()));
        }
    }
    for page in ["summary.json", "events.json"] {
        if let Ok(text) = fs::read_to_string(folder.join(page)) {
            let leaves = digest::leaves(&text)?;
            lines.push(Line::new(case.name, page, leaves.as_bytes()));
        }
    }
    Ok(lines)
}

/// Total energy, momentum and active contacts of the step of a frame.
fn numbers(line: Line, report: &StepReport) -> Line {
    let energy = report.kinetic_energy + report.elastic_energy + report.gravitational_energy;
    let momentum = report.momentum.iter().map(|p| p * p).sum::<f64>().sqrt();
    line.with("energy", energy)
        .with("momentum", momentum)
        .with("contacts", f64::from(report.active))
}

/// Writes the results at the end of a run.
fn finish(
    simulation: &Simulation,
    scene: &Scene,
    summary: &Summary,
    frames: &FrameWriter,
) -> Result<(), Box<dyn Error>> {
    let model = simulation.model();
    let accepted = Accepted {
        inexact: false,
        inversion: model.settings.allow_inversion,
    };
    let verdict = verdict(
        &summary.counters(),
        End::Completed,
        accepted,
        FirstEvents::of(simulation),
    );
    let facts = RunFacts {
        title: scene.title.clone(),
        scene_hash: Checksum::of(&[]),
        threads: 0,
        points: model.points.rest.len(),
        tets: model.elements.tets.len(),
        frames: frames.frames(),
        wall_seconds: 0.0,
    };
    summary.write(frames.folder(), &facts, &verdict.outcome())?;
    if let Some(events) = simulation.events() {
        write_events(frames.folder(), events, simulation.flights())?;
    }
    Ok(())
}
