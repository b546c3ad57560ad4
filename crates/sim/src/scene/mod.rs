//! Scene files: the input of a simulation as TOML, with units, overrides and errors that point at a line.
//!
//! - [`Scene`]: a scene, read from a file or built by a program; its fields are the keys of the format
//! - [`SceneError`], [`Diagnostic`]: file, line, column and remedy of a mistake
//! - [`SceneParts`]: meshes, materials and motions placed in the world, from [`Scene::instantiate`]
//!
//! ```
//! use impinge_sim::scene::Scene;
//!
//! let text = r#"
//! [time]
//! step = 1e-3      # s
//! duration = 0.5   # s
//!
//! [[body]]
//! mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
//! material = { young = 1e5, poisson = 0.3, density = 1000 }
//! position = [0, 0, 0.06]
//!
//! [[obstacle]]
//! name = "ground"
//! shape = { half_space = { normal = [0, 0, 1] } }
//! "#;
//! let scene = Scene::parse("drop.toml", text, &["time.duration=0.25"])?;
//! assert_eq!(scene.time.steps(), 250);
//!
//! let error = Scene::parse("drop.toml", &text.replace("density", "densty"), &[""; 0]).unwrap_err();
//! assert!(error.to_string().contains("drop.toml:8:"));
//! assert!(error.to_string().contains("did you mean `density`"));
//! # Ok::<(), impinge_sim::scene::SceneError>(())
//! ```

mod arrange;
mod build;
mod compose;
mod deserialize;
mod document;
mod error;
mod format;
mod motion;
mod read;
mod shapes;
mod validate;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use build::{
    BodyPart, GivenLoad, GivenPull, HalfSpacePart, HeldPart, MeshObstaclePart, NodesPart, Placed,
    RigidPart, SceneParts, ShellPart, pair_friction,
};
pub use error::{Diagnostic, Place, SceneError};
pub use format::{
    Asynchronous, Body, BodyKind, BodyMesh, BroadPhase, Copies, Delassus, Detection, Elasticity,
    Evaluation, FilledSurface, Filling, Fixed, Formulation, FreeFlight, Integrator, Joint,
    JointKind, JointStiffness, Leg, Linear, Material, MaterialModel, MeshFile, MeshGroup, Motion,
    Obstacle, ObstacleShape, OneSided, Orthotropic, OutputOptions, PairFriction, Preconditioner,
    Pull, Region, Rotation, Shell, Signal, SignalNumbers, SignalValue, Solver, SolverMethod,
    StepperChoice, Time, Tolerances, Turn, Turning, Via, World,
};
pub use motion::{MotionLeg, MotionStart, RigidMotion};

use document::Document;

/// Initial state and settings of a simulation. All numbers are in SI units; the z axis points up by default.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// One-line description of the scene.
    #[serde(default)]
    pub title: String,
    /// Time stepper.
    #[serde(default, skip_serializing_if = "format::is_default")]
    pub stepper: StepperChoice,
    /// Simulated time and time step.
    pub time: Time,
    /// Gravity and default friction.
    #[serde(default)]
    pub world: World,
    /// The contact solver.
    #[serde(default)]
    pub solver: Solver,
    /// Settings of the asynchronous stepper, if `stepper` selects it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asynchronous: Option<Asynchronous>,
    /// Output of a run.
    #[serde(default)]
    pub output: OutputOptions,
    /// Elastic, thin and rigid bodies, at least one.
    #[serde(default, rename = "body")]
    pub bodies: Vec<Body>,
    /// Obstacles: half-spaces and rigid surfaces.
    #[serde(default, rename = "obstacle")]
    pub obstacles: Vec<Obstacle>,
    /// Joints and links between bodies, or between bodies and the world.
    #[serde(default, rename = "joint")]
    pub joints: Vec<Joint>,
    /// Friction of pairs of bodies and obstacles.
    #[serde(default, rename = "friction", skip_serializing_if = "Vec::is_empty")]
    pub frictions: Vec<PairFriction>,

    /// The positions of the keys in the text; `None` for a scene that a program built.
    #[serde(skip)]
    document: Option<Arc<Document>>,
    /// The folder that mesh files are relative to; empty for the current folder.
    #[serde(skip)]
    folder: PathBuf,
}

/// Longest scene file that is read (bytes): a thousand times the size of usual scenes.
const LONGEST_TEXT: u64 = 1 << 26;

/// Reads a text, also from a pipe, up to the longest length.
fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let file = File::open(path)?;
    file.take(LONGEST_TEXT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST_TEXT {
        let problem = format!("it is longer than the {LONGEST_TEXT} bytes that a scene may have");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(text)
}

impl Scene {
    /// Reads the scene file at `path`, with `overrides` of the form `KEY=VALUE` applied.
    ///
    /// `KEY` is dotted, list entries count from 0 (`body.0.material.young=1e6`); `VALUE` is a TOML value, or text.
    ///
    /// # Errors
    /// [`SceneError`] if the file cannot be read, is no TOML, or has an invalid key or value.
    pub fn load(path: impl AsRef<Path>, overrides: &[impl AsRef<str>]) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let text = read_text(path).map_err(|source| SceneError::Read {
            path: path.to_owned(),
            source,
        })?;
        let mut scene = Self::parse(&path.display().to_string(), &text, overrides)?;
        scene.set_folder(path.parent().unwrap_or(Path::new("")));
        Ok(scene)
    }

    /// Reads a scene from `text`; messages call it `name`, and mesh files are relative to the current folder.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(
        name: &str,
        text: &str,
        overrides: &[impl AsRef<str>],
    ) -> Result<Self, SceneError> {
        let document = Document::parse(name, text, overrides)?;
        let (mut scene, mut mistakes) = read::read(&document)?;
        scene.document = Some(Arc::new(document));
        mistakes.extend(scene.validate().err());
        SceneError::of(mistakes)?;
        Ok(scene)
    }

    /// Checks every number. [`parse`](Self::parse) calls it; call it after changing fields by hand.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] or [`SceneError::Several`] for invalid values.
    pub fn validate(&self) -> Result<(), SceneError> {
        validate::validate(self)
    }

    /// Reads the meshes and places everything in the world.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] for an invalid value, a mesh file that is missing or cannot be used, a box that fixes no
    /// node, or copies that could overlap.
    pub fn instantiate(&self) -> Result<SceneParts, SceneError> {
        build::instantiate(self)
    }

    /// The JSON schema of the format; its descriptions give the meaning and unit of every key.
    pub fn json_schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }

    /// Time after which steps count as settled (s).
    pub fn settled_after(&self) -> f64 {
        self.output
            .settled_after
            .unwrap_or(0.5 * self.time.duration)
    }

    /// Whether the contacts of each frame are stored: not those of the constrained stepper, unless the scene turns it
    /// off.
    pub fn stores_contacts(&self) -> bool {
        let default = self.stepper != StepperChoice::Constrained;
        self.output.contacts.unwrap_or(default)
    }

    /// Whether joints are lines in space, which are stored beside each frame: links and ropes.
    pub fn has_lines(&self) -> bool {
        let mut kinds = self.joints.iter().map(|joint| joint.kind);
        kinds.any(|kind| matches!(kind, JointKind::Link | JointKind::Rope))
    }

    /// Whether the reactions of each step are stored: not those of the asynchronous stepper, unless the scene turns it
    /// off.
    pub fn stores_reactions(&self) -> bool {
        let default = self.stepper != StepperChoice::Asynchronous;
        self.output.reactions.unwrap_or(default)
    }

    /// Number of nodes of the generated meshes, copies included. Meshes of files and strips do not count: their sizes
    /// are known only after reading.
    pub fn generated_nodes(&self) -> u64 {
        build::generated_nodes(self)
    }

    /// The mesh files that bodies and obstacles name, existing or not.
    pub fn mesh_files(&self) -> Vec<PathBuf> {
        build::mesh_files(self)
    }

    /// The folder that mesh files are relative to; empty for the current folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sets the folder that mesh files are relative to.
    pub fn set_folder(&mut self, folder: impl Into<PathBuf>) {
        self.folder = folder.into();
    }

    /// The error for `problem` at the dotted key `path`, with file and line if known.
    ///
    /// For later stages that find a mistake in the scene, for example bodies that overlap at the start.
    pub fn error_at(
        &self,
        path: &str,
        problem: impl Into<String>,
        mend: impl Into<String>,
    ) -> SceneError {
        match &self.document {
            Some(document) => document.error_at(path, problem, mend),
            None => SceneError::Invalid(Box::new(Diagnostic {
                place: Place::Key(path.to_owned()),
                problem: problem.into(),
                mend: mend.into(),
            })),
        }
    }
}
