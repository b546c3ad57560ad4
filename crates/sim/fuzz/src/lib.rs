//! Shared by the targets: reading bytes as files of a scene, of a problem and of a run.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use impinge_contact::StoredProblem;
use impinge_contact::delassus::{StoredFrictionProblem, read_problem, read_vectors};
use impinge_sim::model::Model;
use impinge_sim::output::{
    Beside, Checkpoint, Checksum, Frame, FrameContacts, FrameStamp, FrameWriter, Manifest,
    RunHeader, StepsCsv, verify_run,
};
use impinge_sim::{Scene, Simulation};
use tempfile::TempDir;

/// The most generated nodes of a scene that is built: more take too long, and are no fault.
const MOST_NODES: u64 = 500;

/// The scene of the run that `cargo xtask fuzz` takes its seeds from.
const SCENE: &str = include_str!("../seed.toml");

/// A sound run, whose files are replaced one by one.
struct Run {
    folder: TempDir,
    scene: Scene,
    header: RunHeader,
    checkpoint: Checkpoint<'static>,
    /// First bytes of a checkpoint.
    first_line: Vec<u8>,
}

/// Made once in a process.
static RUN: LazyLock<Run> = LazyLock::new(Run::new);

impl Run {
    fn new() -> Self {
        let scene = Scene::parse("scene.toml", SCENE, &[""; 0]).expect("a scene");
        let folder = TempDir::new().expect("a temporary folder");
        let checkpoint = write_run(&scene, folder.path());
        let bytes = fs::read(folder.path().join("checkpoint.bin")).expect("a checkpoint");
        let line = bytes
            .iter()
            .position(|&byte| byte == b'\n')
            .expect("a line");
        let (model, _) = Model::new(&scene).expect("a model");
        Self {
            header: RunHeader::new(&scene, &model),
            first_line: bytes[..=line].to_vec(),
            checkpoint,
            scene,
            folder,
        }
    }

    /// Reads, verifies and resumes the run with `content` as `file`.
    fn with(&self, file: &str, content: &[u8]) {
        let path = self.folder.path().join(file);
        let sound = fs::read(&path).expect("a file");
        fs::write(&path, content).expect("room");
        let manifest = Manifest::read(self.folder.path());
        if manifest.is_ok_and(|manifest| is_small(&manifest.scene)) {
            let _ = verify_run(self.folder.path(), &|| ());
        }
        let _ = FrameWriter::kept(self.folder.path(), &self.header, &self.checkpoint);
        let _ = StepsCsv::kept(self.folder.path(), self.checkpoint.state.step);
        fs::write(&path, sound).expect("room");
    }
}

/// Writes a run of `scene` into `folder`.
fn write_run(scene: &Scene, folder: &Path) -> Checkpoint<'static> {
    let mut simulation = Simulation::new(scene).expect("a simulation");
    let header = RunHeader::new(scene, simulation.model());
    let mut frames = FrameWriter::create(folder, &header).expect("room");
    let mut steps = StepsCsv::create(folder).expect("room");
    for step in 0..=scene.time.steps() {
        let mut parts = 0;
        if step > 0 {
            let report = simulation.advance().expect("a step");
            steps.row(&report).expect("room");
            parts = report.substeps;
        }
        let stamp = FrameStamp {
            step,
            time: simulation.state().time,
            parts,
        };
        let frame = Frame::capture(simulation.model(), simulation.state());
        let contacts = FrameContacts::capture(simulation.model(), simulation.state());
        let beside = Beside {
            contacts: Some(&contacts),
            ..Beside::default()
        };
        frames.write_with(&frame, beside, stamp).expect("room");
    }
    let checkpoint = Checkpoint {
        scene_hash: header.scene_hash(),
        counters: impinge_sim::output::Counters::default(),
        state: Cow::Owned(simulation.state().clone()),
        wall_seconds: 0.5,
    };
    checkpoint.write(folder).expect("room");
    checkpoint
}

/// Whether a scene of a manifest takes little time to build.
fn is_small(scene: &serde_json::Value) -> bool {
    let scene = serde_json::from_value::<Scene>(scene.clone());
    scene.map_or(true, |scene| scene.generated_nodes() <= MOST_NODES)
}

/// Reads a scene as the program does, and builds it if it is small and needs no files.
pub fn scene(content: &[u8]) {
    static PATH: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
        let folder = TempDir::new().expect("a temporary folder");
        let path = folder.path().join("scene.toml");
        (folder, path)
    });
    fs::write(&PATH.1, content).expect("room");
    if let Ok(scene) = Scene::load(&PATH.1, &[""; 0])
        && scene.generated_nodes() <= MOST_NODES
        && scene.mesh_files().is_empty()
    {
        let _ = Model::new(&scene);
    }
}

/// Reads a friction problem, and reactions.
pub fn friction_problem(content: &[u8]) {
    if let Ok(text) = std::str::from_utf8(content) {
        if let Ok(StoredFrictionProblem::Global(problem)) = read_problem(text) {
            let _ = problem.condense_rounded();
        }
        let _ = read_vectors(text, 2);
    }
}

/// Reads a stored contact problem, stores it and reads it again.
pub fn stored_problem(content: &[u8]) {
    if let Ok(problem) = StoredProblem::from_bytes(content) {
        let bytes = problem.to_bytes();
        let again = StoredProblem::from_bytes(&bytes).expect("what was stored");
        assert_eq!(again.to_bytes(), bytes);
    }
}

/// Reads a checkpoint whose first line and checksum are right, and takes it up.
pub fn checkpoint(body: &[u8]) {
    let checksum = Checksum::of(body).to_le_bytes();
    let content = [&RUN.first_line, &checksum[..], body].concat();
    let path = RUN.folder.path().join("checkpoint.bin");
    fs::write(&path, content).expect("room");
    if let Ok(checkpoint) = Checkpoint::read(RUN.folder.path()) {
        let mut simulation = Simulation::new(&RUN.scene).expect("a simulation");
        let _ = simulation.resume(checkpoint.state.into_owned());
    }
}

/// Reads a run with this `manifest.json`.
pub fn manifest(content: &[u8]) {
    RUN.with("manifest.json", content);
}

/// Reads a run with this `frames.csv`.
pub fn frames_csv(content: &[u8]) {
    RUN.with("frames.csv", content);
}

/// Reads a run with this `steps.csv`.
pub fn steps_csv(content: &[u8]) {
    RUN.with("steps.csv", content);
}
