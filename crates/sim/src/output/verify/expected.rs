//! Expected contents of a run, derived from its scene alone.

use super::{Finding, Problem};
use crate::model::Model;
use crate::output::companions::Companion;
use crate::output::manifest::MANIFEST;
use crate::output::{Checksum, Frame, Manifest, RunHeader};
use crate::scene::{Scene, StepperChoice};
use crate::state::State;

/// The scene of a run, and its consequences.
pub(super) struct Expected {
    pub(super) scene: Scene,
    /// `None` if the meshes of the scene are not available.
    pub(super) run: Option<ExpectedRun>,
}

/// The expected run of a scene's model.
pub(super) struct ExpectedRun {
    /// The manifest, without frames.
    pub(super) manifest: Manifest,
    /// The initial state.
    pub(super) start: Frame,
    pub(super) model: Model,
    pub(super) state: State,
}

impl Expected {
    /// Derives the expected run from the scene in `manifest`, to compare it with the manifest; `None` if there is no
    /// such scene.
    pub(super) fn derive(
        manifest: &Manifest,
        findings: &mut Vec<Finding>,
        notes: &mut Vec<String>,
    ) -> Option<Self> {
        let mut found = |problem| findings.push(Finding::of_file(MANIFEST, problem));
        if Checksum::of(manifest.scene.to_string().as_bytes()) != manifest.scene_hash {
            found(differs("scene_hash"));
        }
        let mut scene: Scene = match serde_json::from_value(manifest.scene.clone()) {
            Ok(scene) => scene,
            Err(error) => {
                found(Problem::Unreadable(format!("its `scene` is none: {error}")));
                return None;
            }
        };
        if let Some(folder) = &manifest.scene_folder {
            scene.set_folder(folder);
        }
        let of_files = !scene.mesh_files().is_empty();
        let (model, state) = match Model::new(&scene) {
            Ok(built) => built,
            Err(error) if of_files => {
                notes.push(format!(
                    "checked against the manifest only, because its scene cannot be built: {error}"
                ));
                return Some(Self { scene, run: None });
            }
            Err(error) => {
                found(Problem::Unreadable(format!(
                    "its `scene` cannot be built: {error}"
                )));
                return None;
            }
        };
        let expected = RunHeader::new(&scene, &model).into_manifest();
        if of_files && expected.mesh_hash != manifest.mesh_hash {
            notes.push(
                "checked against the manifest only, because the mesh files of the scene have changed"
                    .to_owned(),
            );
            return Some(Self { scene, run: None });
        }
        for (key, _) in agreement(&expected, manifest)
            .iter()
            .filter(|(_, same)| !same)
        {
            found(differs(key));
        }
        let start = Frame::capture(&model, &state);
        Some(Self {
            scene,
            run: Some(ExpectedRun {
                manifest: expected,
                start,
                model,
                state,
            }),
        })
    }

    /// Whether files of a `kind` are stored beside the frames.
    pub(super) fn stores(&self, kind: Companion) -> bool {
        match kind {
            Companion::Pieces => self.scene.output.pieces,
            Companion::Contacts => self.scene.stores_contacts(),
            Companion::Lines => self.scene.has_lines(),
        }
    }

    /// Longest straight piece of a prescribed motion of the asynchronous stepper (s).
    pub(super) fn longest_piece(&self) -> Option<f64> {
        let settings = self.scene.asynchronous.as_ref()?;
        Some(settings.longest_period.min(self.scene.time.step))
    }

    /// The model, if points move straight in each substep, free nodes by their velocity and the turn of their
    /// component.
    pub(super) fn model_of_moves(&self) -> Option<&Model> {
        let run = self.run.as_ref()?;
        self.moves_straight().then_some(&run.model)
    }

    /// Whether points move straight in each substep.
    pub(super) fn moves_straight(&self) -> bool {
        self.scene.stepper == StepperChoice::Synchronous
    }
}

/// Each key of the manifest that follows from the scene, and whether it agrees with the expected manifest.
fn agreement(expected: &Manifest, manifest: &Manifest) -> [(&'static str, bool); 8] {
    let Manifest {
        format: _,
        version: _,
        scene,
        scene_hash: _,
        scene_folder: _,
        bodies,
        rigid_bodies,
        joined,
        mesh_hash,
        half_spaces,
        motions,
        allow_inversion,
        frames: _,
    } = expected;
    [
        ("scene", *scene == manifest.scene),
        ("bodies", *bodies == manifest.bodies),
        ("rigid_bodies", *rigid_bodies == manifest.rigid_bodies),
        ("joined", *joined == manifest.joined),
        ("mesh_hash", *mesh_hash == manifest.mesh_hash),
        ("half_spaces", *half_spaces == manifest.half_spaces),
        ("motions", *motions == manifest.motions),
        (
            "allow_inversion",
            *allow_inversion == manifest.allow_inversion,
        ),
    ]
}

fn differs(key: &str) -> Problem {
    Problem::NotOfTheScene {
        key: key.to_owned(),
    }
}
