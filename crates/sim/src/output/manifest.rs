//! The table of contents of a run's folder.

use std::path::Path;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::companions::{Companion, Companions};
use super::format::FORMAT;
use super::{Checksum, Frame, FrameEntry, OutputError, listing, read_regular};
use crate::geometry::HalfSpace;
use crate::scene::RigidMotion;

/// Name of the file.
pub(super) const MANIFEST: &str = "manifest.json";

/// `manifest.json`: the scene and model of a run, with the stored frames of `frames.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Number of this format.
    pub format: u32,
    /// Version of the program that wrote it.
    pub version: String,
    /// The scene with all overrides applied, in the keys of the scene format.
    pub scene: Value,
    /// Checksum of the scene.
    pub scene_hash: Checksum,
    /// The folder that mesh files of the scene are relative to, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene_folder: Option<String>,
    /// Names of the elastic bodies, then of thin bodies, rigid bodies and mesh obstacles: the numbers in the array
    /// `body` of the frames.
    pub bodies: Vec<String>,
    /// The free rigid bodies, as indices into `bodies`.
    pub rigid_bodies: Vec<u32>,
    /// Pairs of joined bodies, which may overlap, as indices into `bodies`.
    pub joined: Vec<[u32; 2]>,
    /// Checksum of the meshes at rest.
    pub mesh_hash: Checksum,
    /// The half-spaces, which frames do not contain.
    pub half_spaces: Vec<HalfSpaceEntry>,
    /// The prescribed motions: the numbers in the array `motion` of the frames.
    pub motions: Vec<RigidMotion>,
    /// Whether elements may invert.
    pub allow_inversion: bool,
    /// The stored frames, in order of time: the rows of `frames.csv`.
    #[serde(skip)]
    pub frames: Vec<FrameEntry>,
}

/// A fixed half-space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HalfSpaceEntry {
    /// Name for messages.
    pub name: String,
    /// A point of the plane (m).
    pub point: Vector3<f64>,
    /// Unit normal, out of the solid side.
    pub normal: Vector3<f64>,
}

impl From<&HalfSpace> for HalfSpaceEntry {
    fn from(of: &HalfSpace) -> Self {
        Self {
            name: of.name.clone(),
            point: of.point,
            normal: of.normal,
        }
    }
}

/// Number of parts of a step with curved paths. Any number but 1 will do, since `verify` checks the motion only for 1.
pub const NO_STRAIGHT_MOTION: u32 = 2;

/// The key with the format of a manifest.
#[derive(Deserialize)]
struct Numbered {
    format: u32,
}

/// The key that manifests of all formats have.
#[derive(Deserialize)]
struct Header {
    #[serde(rename = "format")]
    _format: u32,
    #[serde(rename = "scene_hash")]
    _scene_hash: Checksum,
}

impl Manifest {
    /// Reads the manifest of the run in `folder`, and its list of frames.
    ///
    /// # Errors
    /// [`OutputError::Read`] if there is none, [`OutputError::OtherFormat`] if another version of the program wrote it,
    /// [`OutputError::Format`] if it is damaged.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self, OutputError> {
        let path = folder.as_ref().join(MANIFEST);
        let bytes = read_regular(&path).map_err(|source| OutputError::read(&path, source))?;
        let damaged = |error: serde_json::Error| OutputError::format(&path, error.to_string());
        let Numbered { format } = serde_json::from_slice(&bytes).map_err(damaged)?;
        if format != FORMAT {
            let path = folder.as_ref().to_owned();
            return Err(OutputError::OtherFormat { path, format });
        }
        let mut manifest: Self = serde_json::from_slice(&bytes).map_err(damaged)?;
        manifest.validate(&path)?;
        manifest.frames = listing::read_entries(folder.as_ref())?;
        Ok(manifest)
    }

    /// The kinds of files that its scene has stored beside each frame.
    pub(super) fn companions(&self) -> Companions {
        let output = &self.scene["output"];
        // The default is not written.
        let has_contacts = self.scene["stepper"] != "constrained";
        let joints = self.scene["joint"].as_array();
        let is_line = |joint: &Value| joint["kind"] == "link" || joint["kind"] == "rope";
        Companions::of(|kind| match kind {
            Companion::Pieces => output["pieces"] == true,
            Companion::Contacts => has_contacts && output["contacts"] != false,
            Companion::Lines => joints.is_some_and(|joints| joints.iter().any(is_line)),
        })
    }

    /// Name of the file with the lines of frame `index` (`lines_NNNNN.vtp`); `None` where the run stores none.
    pub fn lines_file(&self, index: usize) -> Option<String> {
        let stored = self.frames.get(index)?.lines;
        stored.map(|_| Companion::Lines.file(index))
    }

    /// Whether `folder` is that of a run, of any version of the program.
    pub(super) fn is_in(folder: &Path) -> bool {
        let numbered = |bytes: Vec<u8>| serde_json::from_slice::<Header>(&bytes).is_ok();
        read_regular(&folder.join(MANIFEST)).is_ok_and(numbered)
    }

    /// Whether its entries are consistent.
    fn validate(&self, path: &Path) -> Result<(), OutputError> {
        let bodies = self.bodies.len();
        let rigid = first_beyond(self.rigid_bodies.iter().copied(), bodies);
        let joined = first_beyond(self.joined.iter().map(|pair| pair[0].max(pair[1])), bodies);
        for (key, beyond) in [("rigid_bodies", rigid), ("joined", joined)] {
            if let Some((index, body)) = beyond {
                return Err(OutputError::format(
                    path,
                    format!("`{key}` entry {index} is {body}, but `bodies` has {bodies} entries"),
                ));
            }
        }
        Ok(())
    }

    /// Checks its entries against the bodies and motions in `frame` of its `folder`.
    ///
    /// # Errors
    /// [`OutputError::Format`] naming the inconsistent entry.
    pub(super) fn fits(&self, frame: &Frame, folder: &Path) -> Result<(), OutputError> {
        let misfit = |problem| Err(OutputError::format(&folder.join(MANIFEST), problem));
        let shown = frame.body_of_point.iter().max();
        let shown = shown.map_or(0, |&body| body as usize + 1);
        let bodies = self.bodies.len();
        if shown > bodies {
            return misfit(format!(
                "`bodies` has {bodies} entries, but its frames show {shown} bodies"
            ));
        }
        if let Some((index, body)) = first_beyond(self.rigid_bodies.iter().copied(), shown) {
            return misfit(format!(
                "`rigid_bodies` entry {index} is {body}, but its frames show {shown} bodies"
            ));
        }
        let motions = self.motions.len();
        let prescribed = frame.motion_of_point.iter().flatten().copied();
        match first_beyond(prescribed, motions) {
            None => Ok(()),
            Some((_, motion)) => misfit(format!(
                "`motions` has {motions} entries, but points of its frames follow motion {motion}"
            )),
        }
    }
}

/// The first index that is not below `bound`, and its position.
fn first_beyond(indices: impl Iterator<Item = u32>, bound: usize) -> Option<(usize, u32)> {
    let beyond = |&(_, index): &(usize, u32)| index as usize >= bound;
    indices.enumerate().find(beyond)
}
