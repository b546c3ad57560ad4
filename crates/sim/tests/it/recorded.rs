//! Runs on disk, as the program records them.

use std::path::Path;

use impinge_sim::output::{Recording, verify_run};
use impinge_sim::{Interrupt, Scene, Simulation};

pub(crate) fn scene(text: &str, keys: &[&str]) -> Scene {
    Scene::parse("scene.toml", text, keys).unwrap_or_else(|error| panic!("{error}"))
}

/// Records the steps up to number `steps`, resuming the run in `folder` if it has one.
pub(crate) fn record(scene: &Scene, folder: &Path, steps: u64) {
    let simulation = Simulation::new(scene).expect("a simulation");
    let mut recording = if folder.join("manifest.json").exists() {
        Recording::resume(folder.to_owned(), scene, simulation).expect("a run")
    } else {
        Recording::create(folder.to_owned(), scene, simulation).expect("room")
    };
    let end = recording.advance(steps, &Interrupt::default(), |_| ());
    recording.finish(end.expect("room"), false).expect("room");
}

/// What `verify` finds wrong with a run.
pub(crate) fn findings(folder: &Path) -> Vec<String> {
    let verification = verify_run(folder, &|| ()).expect("a run");
    let findings = verification.findings.iter();
    findings.map(ToString::to_string).collect()
}

/// The whole run of `scene`, which `verify` finds sound.
pub(crate) fn recorded(scene: &Scene) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    record(scene, folder.path(), scene.time.steps());
    let found = findings(folder.path());
    assert!(found.is_empty(), "{found:#?}");
    folder
}
