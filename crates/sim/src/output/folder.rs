//! The folder of a run.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::checkpoint::{CHECKPOINT, Checkpoint};
use super::lock::{FolderLock, LOCK};
use super::manifest::{FORMAT, MANIFEST, frame_name};
use super::rigid::RIGID_CSV;
use super::{
    Checksum, Frame, FrameEntry, HalfSpaceEntry, Manifest, OutputError, atomic, problems, vtu,
};
use crate::model::Model;
use crate::scene::Scene;
use serde_json::Value;

/// Files of an earlier run beside its frames.
const FILES: [&str; 7] = [
    MANIFEST,
    CHECKPOINT,
    "frames.pvd",
    "steps.csv",
    RIGID_CSV,
    "summary.json",
    "events.json",
];

/// `frames.pvd` before its first frame.
const COLLECTION: &str = "<?xml version=\"1.0\"?>\n\
     <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n";

/// What a run is about: all of the manifest but the frames.
#[derive(Debug, Clone, PartialEq)]
pub struct RunHeader(Manifest);

impl RunHeader {
    /// The header for a run of `scene` as `model`.
    pub fn new(scene: &Scene, model: &Model) -> Self {
        #[expect(
            clippy::missing_panics_doc,
            reason = "plain data with string keys always has a JSON form"
        )]
        let json = serde_json::to_value(scene).expect("a scene is plain data");
        Self(Manifest {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene_hash: Checksum::of(json.to_string().as_bytes()),
            scene: json,
            bodies: model
                .bodies
                .iter()
                .chain(&model.obstacles)
                .map(|body| body.name.clone())
                .collect(),
            rigid_bodies: model.rigid.iter().map(|rigid| rigid.body as u32).collect(),
            joined: model.joined.clone(),
            mesh_hash: Some(mesh_hash(model)),
            half_spaces: model
                .half_spaces
                .iter()
                .map(|half_space| HalfSpaceEntry {
                    name: half_space.name.clone(),
                    point: half_space.point,
                    normal: half_space.normal,
                })
                .collect(),
            motions: model.motions.clone(),
            allow_inversion: model.allow_inversion,
            frames: Vec::new(),
        })
    }

    /// Checksum of the scene with its overrides.
    pub fn scene_hash(&self) -> Checksum {
        self.0.scene_hash
    }
}

/// When a frame is, and how the points came there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameStamp {
    /// Number of the step it shows the end of; 0 for the initial state.
    pub step: u64,
    /// Simulated time (s).
    pub time: f64,
    /// Straight motions since the frame before: 1 after one undivided step, 0 for the initial state.
    pub parts: u32,
}

/// Writes the frames of a run, its `frames.pvd` and its `manifest.json`.
#[derive(Debug)]
pub struct FrameWriter {
    folder: PathBuf,
    manifest: Manifest,
    /// `frames.pvd` without its closing tags.
    collection: String,
    /// Keeps other runs out of the folder.
    _lock: FolderLock,
}

/// The frames that a run goes on after. Nothing on disk has changed yet.
#[derive(Debug)]
pub struct KeptFrames {
    writer: FrameWriter,
    /// Files of later frames.
    later: Vec<String>,
}

impl FrameWriter {
    /// Makes `folder`, removes the files of an earlier run from it, and writes an empty manifest. No other writer can be made for
    /// the folder while this one lives.
    ///
    /// # Errors
    /// [`OutputError::FolderInUse`] if it holds files that are not an earlier run's, [`OutputError::FolderLocked`] if another
    /// run is writing to it, else what the system refuses.
    pub fn create(folder: impl Into<PathBuf>, header: RunHeader) -> Result<Self, OutputError> {
        let folder = folder.into();
        fs::create_dir_all(&folder).map_err(|source| OutputError::write(&folder, source))?;
        // Nothing is left in a folder of other files, not even a lock; and what another run is about to list is not taken for one.
        let lock = if FolderLock::is_there(&folder) {
            let lock = FolderLock::take(&folder)?;
            earlier_run(&folder)?;
            lock
        } else {
            earlier_run(&folder)?;
            FolderLock::take(&folder)?
        };
        clear_earlier_run(&folder)?;
        let writer = Self {
            folder,
            manifest: header.0,
            collection: COLLECTION.to_owned(),
            _lock: lock,
        };
        writer.write_contents()?;
        Ok(writer)
    }

    /// The frames of the run in `folder` up to that of its `checkpoint`, to go on after.
    ///
    /// # Errors
    /// [`OutputError::FolderLocked`] if a run is writing to it, [`OutputError::OtherScene`] or [`OutputError::OtherMeshes`] if it is not a run of the scene of `header`, [`OutputError::Format`] if its manifest
    /// is damaged or lacks that frame, else what the system refuses.
    pub fn kept(
        folder: impl Into<PathBuf>,
        header: RunHeader,
        checkpoint: &Checkpoint<'_>,
    ) -> Result<KeptFrames, OutputError> {
        let (folder, step) = (folder.into(), checkpoint.state.step);
        let lock = FolderLock::take(&folder)?;
        let earlier = Manifest::read(&folder)?;
        if earlier.scene_hash != checkpoint.scene_hash {
            let path = folder.join(CHECKPOINT);
            return Err(OutputError::format(
                &path,
                "it is not of the run that the manifest beside it lists",
            ));
        }
        if earlier.scene_hash != header.0.scene_hash {
            let key = first_difference(&earlier.scene, &header.0.scene, "");
            let key = key.unwrap_or_else(|| "its checksum".to_owned());
            return Err(OutputError::OtherScene { path: folder, key });
        }
        let mesh = header.0.mesh_hash;
        if earlier.mesh_hash.is_some_and(|hash| Some(hash) != mesh) {
            return Err(OutputError::OtherMeshes { path: folder });
        }
        let kept = earlier.frames.partition_point(|frame| frame.step <= step);
        let (frames, later) = earlier.frames.split_at(kept);
        if frames.last().is_none_or(|frame| frame.step != step) {
            let path = folder.join(MANIFEST);
            let problem = format!("it lists no frame of step {step}, where its checkpoint is");
            return Err(OutputError::format(&path, problem));
        }
        let mut writer = Self {
            folder,
            manifest: header.0,
            collection: COLLECTION.to_owned(),
            _lock: lock,
        };
        for frame in frames {
            writer.list(frame.clone());
        }
        let later = later.iter().map(|frame| frame.file.clone()).collect();
        Ok(KeptFrames { writer, later })
    }

    /// Goes on after the frames that are `kept`; later ones, and what was written at the end of the run, are removed.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn resume(kept: KeptFrames) -> Result<Self, OutputError> {
        let KeptFrames { writer, later } = kept;
        // The contents first: what they do not list is no part of the run.
        writer.write_contents()?;
        let ended = ["summary.json", "events.json"];
        let files = later.iter().map(String::as_str).chain(ended);
        for path in files.map(|file| writer.folder.join(file)) {
            match fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(OutputError::write(&path, source));
                }
                _ => {}
            }
        }
        Ok(writer)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Number of frames written.
    pub fn frames(&self) -> usize {
        self.manifest.frames.len()
    }

    /// Number of the step of the last frame, if there is one.
    pub fn last_step(&self) -> Option<u64> {
        self.manifest.frames.last().map(|frame| frame.step)
    }

    /// Writes one frame, then the two files that list it.
    ///
    /// # Errors
    /// [`OutputError`] of the file that could not be written; the frames before stay listed and readable.
    ///
    /// # Panics
    /// If the arrays of `frame` do not fit together.
    #[track_caller]
    pub fn write(&mut self, frame: &Frame, stamp: FrameStamp) -> Result<(), OutputError> {
        let file = frame_name(self.manifest.frames.len());
        let path = self.folder.join(&file);
        let bytes = vtu::encode(frame, &path)?;
        atomic::write(&path, &bytes)?;
        self.list(FrameEntry {
            file,
            step: stamp.step,
            time: stamp.time,
            parts: stamp.parts,
            checksum: Checksum::of(&bytes),
        });
        self.write_contents()
    }

    /// Adds a frame that is on disk to both lists.
    fn list(&mut self, frame: FrameEntry) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.collection,
            "    <DataSet timestep=\"{:?}\" file=\"{}\"/>",
            frame.time, frame.file
        );
        self.manifest.frames.push(frame);
    }

    fn write_contents(&self) -> Result<(), OutputError> {
        let collection = format!("{}  </Collection>\n</VTKFile>\n", self.collection);
        atomic::write(&self.folder.join("frames.pvd"), collection.as_bytes())?;
        let path = self.folder.join(MANIFEST);
        let manifest = serde_json::to_vec(&self.manifest)
            .map_err(|error| OutputError::format(&path, error.to_string()))?;
        atomic::write(&path, &manifest)
    }
}

/// Checksum of where points are at rest and how they are joined to elements and triangles: mesh files may change under a scene that
/// stays as it is.
fn mesh_hash(model: &Model) -> Checksum {
    let points = model.rest.iter().flat_map(|x| x.iter().copied());
    let corners =
        (model.tets.as_flattened().iter()).chain(model.surface.triangles().as_flattened());
    let bytes: Vec<u8> = points
        .flat_map(f64::to_le_bytes)
        .chain(corners.flat_map(|corner| corner.to_le_bytes()))
        .collect();
    Checksum::of(&bytes)
}

/// Dotted name of the first key in which two scenes differ.
fn first_difference<'a>(one: &'a Value, other: &'a Value, name: &str) -> Option<String> {
    let below = |key: &str| match name {
        "" => key.to_owned(),
        name => format!("{name}.{key}"),
    };
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let at =
                    |map: &'a serde_json::Map<String, Value>| map.get(key).unwrap_or(&Value::Null);
                first_difference(at(a), at(b), &below(key))
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs
                .into_iter()
                .find_map(|(index, (a, b))| first_difference(a, b, &below(&index.to_string())))
        }
        _ => (one != other).then(|| name.to_owned()),
    }
}

/// Removes what an earlier run left, and refuses a folder that holds anything else.
fn clear_earlier_run(folder: &Path) -> Result<(), OutputError> {
    let own = earlier_run(folder)?;
    problems::clear(folder)?;
    own.iter().try_for_each(|name| {
        let path = folder.join(name);
        fs::remove_file(&path).map_err(|source| OutputError::write(&path, source))
    })
}

/// The files that an earlier run left, in the order in which they may go.
fn earlier_run(folder: &Path) -> Result<Vec<String>, OutputError> {
    let entries = fs::read_dir(folder).map_err(|source| OutputError::write(folder, source))?;
    let mut names = entries
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| OutputError::write(folder, source))?;
    names.retain(|name| name != LOCK);
    names.sort_unstable();
    let Some(first) = names.first() else {
        return Ok(Vec::new());
    };
    let in_use = |example: &str| OutputError::FolderInUse {
        path: folder.to_owned(),
        example: example.to_owned(),
    };
    let Ok(earlier) = Manifest::read(folder) else {
        return Err(in_use(first));
    };
    // The manifest goes last: if the clearing is interrupted, the next run can go on with it.
    let frames = earlier.frames.into_iter().map(|frame| frame.file);
    let others = FILES.iter().rev().map(|&name| name.to_owned());
    let own: Vec<String> = frames
        .chain(others)
        .filter(|name| names.contains(name))
        .collect();
    let stranger = |name: &&String| name.starts_with("frame_") && !own.contains(*name);
    match names.iter().find(stranger) {
        Some(stranger) => Err(in_use(stranger)),
        None => Ok(own),
    }
}
