//! The folder of a run.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::checkpoint::{CHECKPOINT, Checkpoint};
use super::companions::{CONTACTS_PVD, Companion, Companions, LINES_PVD};
use super::energies::ENERGIES_CSV;
use super::format::FORMAT;
use super::listing::{FRAMES_CSV, FRAMES_PVD, Listing, frame_name, is_frame_name};
use super::lock::{FolderLock, LOCK};
use super::manifest::MANIFEST;
use super::reactions::REACTIONS_CSV;
use super::rigid::RIGID_CSV;
use super::steps::STEPS_CSV;
use super::summary::SUMMARY;
use super::{
    Checksum, Frame, FrameContacts, FrameEntry, FrameLines, HalfSpaceEntry, Manifest, OutputError,
    atomic, contacts, events::EVENTS, lines, pieces, problems, read_regular, vtu,
};
use crate::model::Model;
use crate::scene::Scene;
use crate::stepper::asynchronous::Pieces;
use serde_json::Value;

/// Files of an earlier run, besides its frames.
const FILES: [&str; 12] = [
    MANIFEST,
    CHECKPOINT,
    FRAMES_CSV,
    FRAMES_PVD,
    CONTACTS_PVD,
    LINES_PVD,
    STEPS_CSV,
    REACTIONS_CSV,
    ENERGIES_CSV,
    RIGID_CSV,
    SUMMARY,
    EVENTS,
];

/// The header of a run: the manifest without the frames.
#[derive(Debug, Clone, PartialEq)]
pub struct RunHeader(Manifest);

impl RunHeader {
    /// The header for a run of `scene` as `model`.
    pub fn new(scene: &Scene, model: &Model) -> Self {
        let json = json_of(scene);
        Self(Manifest {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene_hash: hash_of(&json),
            scene: json,
            scene_folder: (!scene.mesh_files().is_empty()).then(|| {
                let folder = std::path::absolute(scene.folder().join("."));
                folder.unwrap_or_default().to_string_lossy().into_owned()
            }),
            bodies: model
                .geometry
                .bodies
                .iter()
                .chain(&model.geometry.obstacles)
                .map(|body| body.name.clone())
                .collect(),
            rigid_bodies: model.rigid.iter().map(|rigid| rigid.body as u32).collect(),
            joined: model.constraints.joined.clone(),
            mesh_hash: mesh_hash(model),
            half_spaces: (model.geometry.half_spaces.iter())
                .map(HalfSpaceEntry::from)
                .collect(),
            motions: model.unknowns.motions.clone(),
            allow_inversion: model.settings.allow_inversion,
            frames: Vec::new(),
        })
    }

    /// As a manifest without frames.
    pub(super) fn into_manifest(self) -> Manifest {
        self.0
    }

    /// Checksum of the scene with its overrides.
    pub fn scene_hash(&self) -> Checksum {
        self.0.scene_hash
    }

    /// The same for a run of `scene`, without its model.
    pub fn hash_of(scene: &Scene) -> Checksum {
        hash_of(&json_of(scene))
    }
}

fn json_of(scene: &Scene) -> Value {
    serde_json::to_value(scene).expect("plain data with string keys always has a JSON form")
}

fn hash_of(json: &Value) -> Checksum {
    Checksum::of(json.to_string().as_bytes())
}

/// Step and time of a frame, and the motion that leads to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameStamp {
    /// Number of the step that ends with it; 0 for the initial state.
    pub step: u64,
    /// Simulated time (s).
    pub time: f64,
    /// Straight motions since the previous frame: 1 after one undivided step, 0 for the initial state.
    pub parts: u32,
}

/// Files beside a frame, if there are any.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside<'a> {
    /// The pieces of the motion since the last frame.
    pub pieces: Option<&'a Pieces>,
    /// The contacts of the frame.
    pub contacts: Option<&'a FrameContacts>,
    /// The joints of the frame that are lines in space.
    pub lines: Option<&'a FrameLines>,
}

/// Writes the frames of a run, their lists and its `manifest.json`.
#[derive(Debug)]
pub struct FrameWriter {
    folder: PathBuf,
    listing: Listing,
    /// Number of listed frames.
    frames: usize,
    /// Step of the last listed frame.
    last_step: Option<u64>,
    /// Keeps other runs out of the folder.
    _lock: FolderLock,
}

/// The frames after which a run resumes. The disk is still unchanged.
#[derive(Debug)]
pub struct KeptFrames {
    folder: PathBuf,
    companions: Companions,
    /// Never empty.
    frames: Vec<FrameEntry>,
    lock: FolderLock,
}

impl FrameWriter {
    /// Creates `folder`, removes the files of an earlier run from it, and writes the manifest and empty lists of
    /// frames. It is the only writer of the folder until it is dropped.
    ///
    /// # Errors
    /// [`OutputError::FolderInUse`] if the folder holds other files than those of a run, [`OutputError::FolderLocked`]
    /// if another run is writing to it, or an error of the operating system.
    pub fn create(folder: impl Into<PathBuf>, header: &RunHeader) -> Result<Self, OutputError> {
        let folder = folder.into();
        fs::create_dir_all(&folder).map_err(|source| OutputError::write(&folder, source))?;
        // A folder of other files stays unchanged, without even a lock. The lock comes first, since another run may
        // write files before it lists them.
        let lock = if FolderLock::is_there(&folder) {
            FolderLock::take(&folder)?
        } else {
            earlier_run(&folder)?;
            FolderLock::take(&folder)?
        };
        clear_earlier_run(&folder)?;
        // The manifest comes first: it marks the folder as that of a run, wherever the run ends.
        let path = folder.join(MANIFEST);
        let manifest = serde_json::to_vec(&header.0)
            .map_err(|error| OutputError::format(&path, error.to_string()))?;
        atomic::write(&path, &manifest)?;
        Ok(Self {
            listing: Listing::create(&folder, header.0.companions(), &[])?,
            folder,
            frames: 0,
            last_step: None,
            _lock: lock,
        })
    }

    /// The frames of the run in `folder` up to that of its `checkpoint`, after which the run resumes.
    ///
    /// # Errors
    /// - [`OutputError::FolderLocked`] if a run is writing to it
    /// - [`OutputError::OtherScene`] or [`OutputError::OtherMeshes`] if it is not a run of the scene of `header`
    /// - [`OutputError::FrameLost`] if a frame up to there is missing or changed
    /// - [`OutputError::Format`] if its lists are damaged or lack that frame, or the frame shows another state
    /// - other variants for errors of the operating system
    pub fn kept(
        folder: impl Into<PathBuf>,
        header: &RunHeader,
        checkpoint: &Checkpoint<'_>,
    ) -> Result<KeptFrames, OutputError> {
        let (folder, step) = (folder.into(), checkpoint.state.step);
        let lock = FolderLock::take(&folder)?;
        let earlier = Manifest::read(&folder)?;
        let damaged =
            |file: &str, problem: String| Err(OutputError::format(&folder.join(file), problem));
        if earlier.scene_hash != checkpoint.scene_hash {
            let problem = "it does not belong to the run of manifest.json";
            return damaged(CHECKPOINT, problem.to_owned());
        }
        if earlier.scene_hash != header.0.scene_hash {
            let key = first_difference(&earlier.scene, &header.0.scene, "");
            let key = key.unwrap_or_else(|| "its checksum".to_owned());
            return Err(OutputError::OtherScene { path: folder, key });
        }
        if earlier.mesh_hash != header.0.mesh_hash {
            return Err(OutputError::OtherMeshes { path: folder });
        }
        let companions = earlier.companions();
        let mut frames = earlier.frames;
        frames.truncate(frames.partition_point(|frame| frame.step <= step));
        if frames.last().is_none_or(|frame| frame.step != step) {
            let problem = format!("it lists no frame of step {step}, where its checkpoint is");
            return damaged(FRAMES_CSV, problem);
        }
        let mut last = Vec::new();
        for (index, frame) in frames.iter().enumerate() {
            if frame.file != frame_name(index) {
                return damaged(FRAMES_CSV, format!("its entry {index} is `{}`", frame.file));
            }
            last = read_unchanged(&folder, &frame.file, frame.checksum)?;
            // Pieces are those of the asynchronous stepper, whose runs do not resume.
            for kind in [Companion::Contacts, Companion::Lines] {
                if let Some(checksum) = frame.beside(kind) {
                    read_unchanged(&folder, &kind.file(index), checksum)?;
                }
            }
        }
        let shown = vtu::decode(&last, &folder.join(frame_name(frames.len() - 1)))?;
        let state = &checkpoint.state;
        if (&shown.points, &shown.velocities) != (&state.positions, &state.velocities) {
            let problem = format!("its state differs from the frame of step {step}");
            return damaged(CHECKPOINT, problem);
        }
        Ok(KeptFrames {
            folder,
            companions,
            frames,
            lock,
        })
    }

    /// Resumes after the frames that are `kept`; removes later ones and the files written at the end of the run.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub fn resume(kept: KeptFrames) -> Result<Self, OutputError> {
        let KeptFrames {
            folder,
            companions,
            frames,
            lock,
        } = kept;
        // The lists come first: a frame that they do not name is no part of the run.
        let listing = Listing::create(&folder, companions, &frames)?;
        let files = |index| {
            let beside = Companion::ALL.map(|kind| kind.file(index));
            beside.into_iter().chain([frame_name(index)])
        };
        let kept: BTreeSet<String> = (0..frames.len()).flat_map(files).collect();
        for name in names_in(&folder)? {
            let is_later = is_of_frame(&name) && !kept.contains(&name);
            if is_later || [SUMMARY, EVENTS].contains(&name.as_str()) {
                remove(&folder.join(name))?;
            }
        }
        Ok(Self {
            listing,
            frames: frames.len(),
            last_step: frames.last().map(|frame| frame.step),
            folder,
            _lock: lock,
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Number of frames written.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Step of the last frame, if there is one.
    pub fn last_step(&self) -> Option<u64> {
        self.last_step
    }

    /// Writes one frame, then adds it to the lists.
    ///
    /// # Errors
    /// [`OutputError`] of the file that cannot be written; earlier frames stay listed and readable.
    ///
    /// # Panics
    /// If the arrays of `frame` are inconsistent.
    #[track_caller]
    pub fn write(&mut self, frame: &Frame, stamp: FrameStamp) -> Result<(), OutputError> {
        self.write_with(frame, Beside::default(), stamp)
    }

    /// Writes the files beside a frame, then the frame, then adds them to the lists. Files that the scene turns off
    /// are left out.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    ///
    /// # Panics
    /// As for [`write`](Self::write).
    #[track_caller]
    pub fn write_with(
        &mut self,
        frame: &Frame,
        beside: Beside<'_>,
        stamp: FrameStamp,
    ) -> Result<(), OutputError> {
        let pieces = |pieces: &Pieces, _: &Path| Ok(pieces::encode(pieces));
        let pieces = self.write_beside(Companion::Pieces, beside.pieces, pieces)?;
        let contacts = self.write_beside(Companion::Contacts, beside.contacts, contacts::encode)?;
        let lines = self.write_beside(Companion::Lines, beside.lines, lines::encode)?;
        let file = frame_name(self.frames);
        let path = self.folder.join(&file);
        let bytes = vtu::encode(frame, &path)?;
        atomic::write(&path, &bytes)?;
        let entry = FrameEntry {
            file,
            step: stamp.step,
            time: stamp.time,
            parts: stamp.parts,
            checksum: Checksum::of(&bytes),
            pieces,
            contacts,
            lines,
        };
        self.listing.append(self.frames, &entry)?;
        self.frames += 1;
        self.last_step = Some(stamp.step);
        Ok(())
    }

    /// Writes `content` beside the next frame, if it is there and the run stores its `kind`.
    fn write_beside<T>(
        &self,
        kind: Companion,
        content: Option<&T>,
        encode: impl FnOnce(&T, &Path) -> Result<Vec<u8>, OutputError>,
    ) -> Result<Option<Checksum>, OutputError> {
        let is_stored = self.listing.companions().has(kind);
        let Some(content) = content.filter(|_| is_stored) else {
            return Ok(None);
        };
        let path = self.folder.join(kind.file(self.frames));
        let bytes = encode(content, &path)?;
        atomic::write(&path, &bytes)?;
        Ok(Some(Checksum::of(&bytes)))
    }
}

/// The bytes of `file` in `folder`, which must be those that were written.
fn read_unchanged(folder: &Path, file: &str, checksum: Checksum) -> Result<Vec<u8>, OutputError> {
    let lost = |problem: &str| OutputError::FrameLost {
        path: folder.to_owned(),
        file: file.to_owned(),
        problem: problem.to_owned(),
    };
    let bytes = read_regular(&folder.join(file)).map_err(|_| lost("is missing"))?;
    if Checksum::of(&bytes) != checksum {
        return Err(lost(
            "was changed after it was written (its checksum differs)",
        ));
    }
    Ok(bytes)
}

/// Checksum of the rest positions, elements and triangles: mesh files may change although the scene does not.
fn mesh_hash(model: &Model) -> Checksum {
    let points = model.points.rest.iter().flat_map(|x| x.iter().copied());
    let corners = (model.elements.tets.as_flattened().iter())
        .chain(model.geometry.surface.triangles().as_flattened());
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

/// Removes the files of an earlier run; rejects a folder with other files.
fn clear_earlier_run(folder: &Path) -> Result<(), OutputError> {
    let own = earlier_run(folder)?;
    problems::clear(folder)?;
    own.iter().try_for_each(|name| remove(&folder.join(name)))
}

/// The files of an earlier run, in the order in which they may be removed.
///
/// A folder with a manifest is that of a run, whose files have known names. A killed run may have left an unlisted
/// frame or an unfinished file. The manifest is written first and removed last; without it, only such files and the
/// lock may be there.
fn earlier_run(folder: &Path) -> Result<Vec<String>, OutputError> {
    let in_use = |example: &String| OutputError::FolderInUse {
        path: folder.to_owned(),
        example: example.clone(),
    };
    let names = names_in(folder)?;
    let (mut own, others): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| is_own(name));
    let foreign = if Manifest::is_in(folder) {
        // A file with the name of a frame and other contents would be shown among the frames.
        others.iter().find(|name| name.starts_with("frame_"))
    } else if FolderLock::is_there(folder) {
        others
            .iter()
            .find(|name| *name != LOCK && *name != problems::FOLDER)
    } else {
        own.first().or(others.first())
    };
    if let Some(foreign) = foreign {
        return Err(in_use(foreign));
    }
    own.sort_unstable_by_key(|name| name == MANIFEST);
    Ok(own)
}

/// Whether a run writes a file of this name, finished or not.
fn is_own(name: &str) -> bool {
    let unfinished = name
        .strip_prefix('.')
        .and_then(|rest| rest.strip_suffix(".part"));
    let name = unfinished.unwrap_or(name);
    is_of_frame(name) || FILES.contains(&name)
}

/// Whether `name` is that of a frame, or of a file beside one.
pub(super) fn is_of_frame(name: &str) -> bool {
    is_frame_name(name) || Companion::ALL.iter().any(|kind| kind.is_name(name))
}

/// Names of everything in `folder`, sorted.
fn names_in(folder: &Path) -> Result<Vec<String>, OutputError> {
    let entries = fs::read_dir(folder).map_err(|source| OutputError::write(folder, source))?;
    let mut names = entries
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| OutputError::write(folder, source))?;
    names.sort_unstable();
    Ok(names)
}

/// Removes the file at `path`, if it exists.
fn remove(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(OutputError::write(path, source))
        }
        _ => Ok(()),
    }
}
