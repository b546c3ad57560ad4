//! `verify` on altered folders: every alteration that the folder alone can reveal is found, even with matching
//! checksums.

use std::fs;
use std::path::Path;

use impinge_sim::output::{
    Beside, Checksum, Frame, FrameContacts, FrameStamp, FrameWriter, RunHeader, Verification,
    read_contacts, read_frame, verify_run,
};
use impinge_sim::{Scene, Simulation};
use serde_json::{Value, json};

use super::Place;

/// A soft and a rigid box that land and slide, and a wheel that rotates at 100 rad/s beside them.
const LANDING: &str = r#"title = "boxes land"

[time]
step = 1e-3
duration = 8e-3

[world]
friction = 0.3

[output]
every = 1

[[body]]
name = "soft"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.0515]
velocity = [0.5, 0.2, -1]

[[body]]
name = "rigid"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0.3, 0, 0.0515]
velocity = [0.5, 0, -1]
angular_velocity = [0, 1, 0]

[[obstacle]]
name = "wheel"
shape = { cylinder = { radius = 0.05, height = 0.1, sides = 8 } }
position = [0, 1, 0.3]
motion = { velocity = [0.1, 0, 0], angular_velocity = [0, 0, 100] }

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// A sound run, and altered copies of it.
struct Sound {
    place: Place,
    scene: Scene,
}

/// What a writer writes at the start of a run, and the file of it that counts.
struct Written<'a> {
    file: &'a str,
    frame: &'a Frame,
    contacts: Option<&'a FrameContacts>,
}

impl Sound {
    fn new() -> Self {
        let place = Place::new(LANDING);
        let answer = place.impinge(&["run", "scene.toml", "--out", "out", "--quiet"]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let scene = Scene::load(place.path("scene.toml"), &[""; 0]).expect("a scene");
        Self { place, scene }
    }

    /// The answer of `verify` for a copy with `change`.
    fn with(&self, change: impl FnOnce(&Path)) -> Verification {
        let copy = tempfile::tempdir().expect("a temporary folder");
        for entry in fs::read_dir(self.place.path("out")).expect("the run") {
            let path = entry.expect("a file").path();
            fs::copy(&path, copy.path().join(path.file_name().expect("a name"))).expect("room");
        }
        change(copy.path());
        verify_run(copy.path(), &|| ()).expect("a manifest")
    }

    /// Asserts that `verify` finds `change`, in a message that contains `said`.
    fn finds(&self, what: &str, change: &dyn Fn(&Path), said: &str) {
        let findings = self.with(change).findings;
        let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
        let is_found = findings.iter().any(|finding| finding.contains(said));
        assert!(is_found, "{what} is not found: {findings:#?}");
    }

    /// Applies `change` to frame `index` of `folder`, and updates its checksum.
    fn alter_frame(&self, folder: &Path, index: usize, change: impl FnOnce(&mut Frame)) {
        let name = format!("frame_{index:05}.vtu");
        let path = folder.join(&name);
        let mut frame = read_frame(&path).expect("a frame");
        change(&mut frame);
        let written = Written {
            file: "frame_00000.vtu",
            frame: &frame,
            contacts: None,
        };
        self.replace_by(folder, &name, &written);
    }

    /// Applies `change` to the contacts of frame `index` of `folder`, and updates their checksum.
    fn alter_contacts(&self, folder: &Path, index: usize, change: impl FnOnce(&mut FrameContacts)) {
        let name = format!("contacts_{index:05}.vtp");
        let path = folder.join(&name);
        let mut contacts = read_contacts(&path).expect("contacts");
        assert!(contacts.contacts.len() > 1, "the boxes touch the ground");
        change(&mut contacts);
        let frame = read_frame(folder.join("frame_00000.vtu")).expect("a frame");
        let written = Written {
            file: "contacts_00000.vtp",
            frame: &frame,
            contacts: Some(&contacts),
        };
        self.replace_by(folder, &name, &written);
    }

    /// Replaces the file `name` and its checksum by what a writer writes.
    fn replace_by(&self, folder: &Path, name: &str, written: &Written<'_>) {
        let before = fs::read(folder.join(name)).expect("a file");
        let model = Simulation::new(&self.scene).expect("a scene");
        let header = RunHeader::new(&self.scene, model.model());
        let other = tempfile::tempdir().expect("a temporary folder");
        let mut writer = FrameWriter::create(other.path(), &header).expect("room");
        let stamp = FrameStamp {
            step: 0,
            time: 0.0,
            parts: 0,
        };
        let beside = Beside {
            contacts: written.contacts,
            ..Beside::default()
        };
        (writer.write_with(written.frame, beside, stamp)).expect("room");
        let after = fs::read(other.path().join(written.file)).expect("a file");
        fs::write(folder.join(name), &after).expect("room");
        let sum = |bytes: &[u8]| Checksum::of(bytes).to_string();
        replace(folder, "frames.csv", &sum(&before), &sum(&after));
    }
}

/// Replaces a text in a file, which must contain it.
pub(super) fn replace(folder: &Path, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(folder.join(file)).expect("a file");
    assert!(text.contains(from), "{file} has no {from}");
    fs::write(folder.join(file), text.replacen(from, to, 1)).expect("room");
}

/// Changes a JSON file.
fn alter_json(folder: &Path, file: &str, change: impl FnOnce(&mut Value)) {
    let bytes = fs::read(folder.join(file)).expect("a file");
    let mut value = serde_json::from_slice(&bytes).expect("JSON");
    change(&mut value);
    fs::write(folder.join(file), value.to_string()).expect("room");
}

/// Changes the rows of a table, header included.
pub(super) fn alter_rows(folder: &Path, file: &str, change: impl FnOnce(&mut Vec<String>)) {
    let text = fs::read_to_string(folder.join(file)).expect("a table");
    let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
    change(&mut rows);
    fs::write(folder.join(file), rows.join("\n") + "\n").expect("room");
}

/// Sets one field of a row.
pub(super) fn set(rows: &mut [String], row: usize, field: usize, value: &str) {
    let mut fields: Vec<&str> = rows[row].split(',').collect();
    assert_ne!(fields[field], value, "nothing would change");
    fields[field] = value;
    rows[row] = fields.join(",");
}

/// Columns of `frames.csv`.
const STEP: usize = 1;
const TIME: usize = 2;
const PARTS: usize = 3;

#[test]
fn a_sound_run_is_sound() {
    let verification = Sound::new().with(|_| ());
    assert!(verification.is_sound(), "{:#?}", verification.findings);
    assert_eq!((verification.frames, verification.motions), (9, 8));
    assert_eq!(verification.unknown_motions, 0);
}

#[test]
fn altered_lists_are_found() {
    let sound = Sound::new();
    let frames = |change: &dyn Fn(&mut Vec<String>), folder: &Path| {
        alter_rows(folder, "frames.csv", change);
    };
    sound.finds(
        "no frame listed",
        &|f| frames(&|rows| rows.truncate(1), f),
        "frames.csv",
    );
    sound.finds(
        "first frames only",
        &|f| frames(&|rows| rows.truncate(4), f),
        "frames.csv",
    );
    sound.finds(
        "a frame left out",
        &|f| {
            frames(
                &|rows| {
                    rows.remove(3);
                },
                f,
            );
        },
        "frames.csv",
    );
    sound.finds(
        "an entry twice",
        &|f| frames(&|rows| rows.insert(3, rows[3].clone()), f),
        "frames.csv",
    );
    sound.finds(
        "all entries at frame 0",
        &|f| {
            frames(
                &|rows| {
                    for row in 2..rows.len() {
                        rows[row] = rows[1].clone();
                    }
                },
                f,
            );
        },
        "frames.csv",
    );
    sound.finds(
        "parts 0",
        &|f| frames(&|rows| set(rows, 4, PARTS, "0"), f),
        "frames.csv",
    );
    sound.finds(
        "parts 7",
        &|f| frames(&|rows| set(rows, 4, PARTS, "7"), f),
        "frames.csv",
    );
    sound.finds(
        "first time 1e-9",
        &|f| frames(&|rows| set(rows, 1, TIME, "1e-9"), f),
        "frames.csv",
    );
    sound.finds(
        "negative time",
        &|f| frames(&|rows| set(rows, 3, TIME, "-0.002"), f),
        "frames.csv",
    );
    sound.finds(
        "descending time",
        &|f| frames(&|rows| set(rows, 5, TIME, "0.001"), f),
        "frames.csv",
    );
    sound.finds(
        "time is no number",
        &|f| frames(&|rows| set(rows, 5, TIME, "NaN"), f),
        "frames.csv",
    );
    sound.finds(
        "other step",
        &|f| frames(&|rows| set(rows, 5, STEP, "3"), f),
        "frames.csv",
    );
    sound.finds(
        "pvd redirected",
        &|f| replace(f, "frames.pvd", "frame_00003", "frame_00002"),
        "frames.pvd",
    );
    sound.finds(
        "pvd deleted",
        &|f| fs::remove_file(f.join("frames.pvd")).expect("there"),
        "frames.pvd",
    );
}

#[test]
fn an_altered_manifest_is_found() {
    let sound = Sound::new();
    let manifest = |key: &str, value: Value, folder: &Path| {
        alter_json(folder, "manifest.json", |manifest| {
            assert_ne!(manifest[key], value, "nothing would change");
            manifest[key] = value;
        });
    };
    sound.finds(
        "scene without its hash",
        &|f| {
            alter_json(f, "manifest.json", |m| {
                m["scene"]["world"]["friction"] = json!(0.4);
            });
        },
        "`scene_hash`",
    );
    sound.finds(
        "hash",
        &|f| manifest("scene_hash", json!("0123456789abcdef"), f),
        "`scene_hash`",
    );
    sound.finds(
        "scene with its hash",
        &|f| {
            alter_json(f, "manifest.json", |m| {
                m["scene"]["body"][0]["position"] = json!([0.0, 0.0, 0.0525]);
                let hash = Checksum::of(m["scene"].to_string().as_bytes());
                m["scene_hash"] = json!(hash);
            });
        },
        "differs from the start of the scene",
    );
    sound.finds(
        "joined all",
        &|f| manifest("joined", json!([[0, 1], [0, 2], [1, 2]]), f),
        "`joined`",
    );
    sound.finds(
        "no half-spaces",
        &|f| manifest("half_spaces", json!([]), f),
        "`half_spaces`",
    );
    sound.finds(
        "no rigid bodies",
        &|f| manifest("rigid_bodies", json!([]), f),
        "`rigid_bodies`",
    );
    sound.finds(
        "no motions",
        &|f| manifest("motions", json!([]), f),
        "`motions`",
    );
    sound.finds(
        "names",
        &|f| manifest("bodies", json!(["a", "b", "c"]), f),
        "`bodies`",
    );
    sound.finds(
        "inversion",
        &|f| manifest("allow_inversion", json!(true), f),
        "`allow_inversion`",
    );
    sound.finds(
        "meshes",
        &|f| manifest("mesh_hash", json!("0123456789abcdef"), f),
        "`mesh_hash`",
    );
}

#[test]
fn altered_frames_are_found() {
    let sound = Sound::new();
    let soft = 0;
    sound.finds(
        "NaN velocity",
        &|f| sound.alter_frame(f, 3, |frame| frame.velocities[2].x = f64::NAN),
        "frame_00003.vtu",
    );
    sound.finds(
        "NaN force",
        &|f| sound.alter_frame(f, 3, |frame| frame.contact_forces[2].x = f64::NAN),
        "frame_00003.vtu",
    );
    sound.finds(
        "NaN stress",
        &|f| sound.alter_frame(f, 3, |frame| frame.von_mises[0] = f64::NAN),
        "frame_00003.vtu",
    );
    sound.finds(
        "a free point moved",
        &|f| sound.alter_frame(f, 3, |frame| frame.points[soft].z += 1e-9),
        "from its velocity times the step",
    );
    sound.finds(
        "the start moved",
        &|f| sound.alter_frame(f, 0, |frame| frame.points[soft].z += 1e-9),
        "differs from the start of the scene",
    );
}

#[test]
fn altered_contacts_are_found() {
    let sound = Sound::new();
    // The boxes have landed by then.
    let last = 8;
    let file = "contacts_00008.vtp";
    let all = sound.with(|_| ()).contacts;
    assert!(all > 8, "{all} contacts");
    sound.finds(
        "one byte",
        &|f| {
            let mut bytes = fs::read(f.join(file)).expect("contacts");
            let middle = bytes.len() / 2;
            bytes[middle] = if bytes[middle] == b'B' { b'C' } else { b'B' };
            fs::write(f.join(file), bytes).expect("room");
        },
        "was changed after it was written",
    );
    sound.finds(
        "no contacts",
        &|f| fs::remove_file(f.join(file)).expect("there"),
        file,
    );
    let alter = |what: &str, change: &dyn Fn(&mut FrameContacts), said: &str| {
        sound.finds(what, &|f| sound.alter_contacts(f, last, change), said);
    };
    let of_frame = "those of the frame to";
    alter(
        "a force",
        &|c| c.contacts[0].normal_force.z *= 1.0 + 1e-9,
        of_frame,
    );
    alter(
        "a friction force",
        &|c| c.contacts[1].friction_force.x += 1e-9,
        of_frame,
    );
    alter("a body", &|c| c.contacts[0].bodies[0] ^= 1, of_frame);
    alter("a contact", &|c| c.contacts.truncate(1), of_frame);
    alter(
        "a normal",
        &|c| c.contacts[0].normal.x += 1e-3,
        "no unit vector",
    );
    alter("a gap", &|c| c.contacts[0].gap = f64::NAN, "not finite");
    alter("names", &|c| c.names.swap(0, 1), "its names are not those");
    alter("no name", &|c| c.names.truncate(1), "which has no name");
    sound.finds(
        "a contact file that is not listed",
        &|f| {
            fs::copy(f.join(file), f.join("contacts_00009.vtp")).expect("room");
        },
        "frames.csv does not list it",
    );
    sound.finds(
        "an entry of contacts.pvd",
        &|f| replace(f, "contacts.pvd", "contacts_00003", "contacts_00004"),
        "contacts.pvd: its list of frames differs",
    );
    sound.finds(
        "a name of a frame",
        &|f| sound.alter_frame(f, 4, |frame| frame.names.swap(0, 1)),
        "frame_00004.vtu",
    );
    sound.finds(
        "all checksums of contacts",
        &|f| {
            alter_rows(f, "frames.csv", |rows| {
                for row in rows.iter_mut() {
                    row.truncate(row.rfind(',').expect("columns"));
                }
            });
        },
        "does not agree with the scene",
    );
    sound.finds(
        "a reaction",
        &|f| alter_rows(f, "reactions.csv", |rows| set(rows, 5, 9, "0.5")),
        "the reaction of wheel does not balance",
    );
    sound.finds(
        "the body of a reaction",
        &|f| alter_rows(f, "reactions.csv", |rows| set(rows, 5, 4, "soft")),
        "the scene has no driven wheel on soft",
    );
    sound.finds(
        "the time of a reaction",
        &|f| alter_rows(f, "reactions.csv", |rows| set(rows, 5, 1, "0.5")),
        "is not in order",
    );
    sound.finds(
        "no reactions",
        &|f| fs::remove_file(f.join("reactions.csv")).expect("there"),
        "reactions.csv",
    );
}

#[test]
fn altered_tables_are_found() {
    let sound = Sound::new();
    sound.finds(
        "a value of steps.csv",
        &|f| alter_rows(f, "steps.csv", |rows| set(rows, 3, 4, "77")),
        "summary.json",
    );
    sound.finds(
        "a row of steps.csv",
        &|f| {
            alter_rows(f, "steps.csv", |rows| {
                rows.remove(3);
            });
        },
        "steps.csv",
    );
    sound.finds(
        "words in steps.csv",
        &|f| alter_rows(f, "steps.csv", |rows| set(rows, 3, 4, "many")),
        "steps.csv",
    );
    sound.finds(
        "no steps.csv",
        &|f| fs::remove_file(f.join("steps.csv")).expect("there"),
        "steps.csv",
    );
    sound.finds(
        "an energy in energies.csv",
        &|f| alter_rows(f, "energies.csv", |rows| set(rows, 3, 4, "0.5")),
        "do not change by the sum of their causes",
    );
    sound.finds(
        "a contact impulse in energies.csv",
        &|f| alter_rows(f, "energies.csv", |rows| set(rows, 4, 25, "0.5")),
        "energies.csv",
    );
    sound.finds(
        "a row of energies.csv",
        &|f| {
            alter_rows(f, "energies.csv", |rows| {
                rows.remove(3);
            });
        },
        "is not in the order of steps and bodies",
    );
    sound.finds(
        "no energies.csv",
        &|f| fs::remove_file(f.join("energies.csv")).expect("there"),
        "`energies`",
    );
    sound.finds(
        "a place in rigid.csv",
        &|f| alter_rows(f, "rigid.csv", |rows| set(rows, 3, 4, "0.3005")),
        "rigid.csv",
    );
    sound.finds(
        "a force in rigid.csv",
        &|f| alter_rows(f, "rigid.csv", |rows| set(rows, 3, 17, "1.0")),
        "rigid.csv",
    );
    sound.finds(
        "a row of rigid.csv",
        &|f| {
            alter_rows(f, "rigid.csv", |rows| {
                rows.remove(3);
            });
        },
        "rigid.csv",
    );
    sound.finds(
        "no rigid.csv",
        &|f| fs::remove_file(f.join("rigid.csv")).expect("there"),
        "rigid.csv",
    );
    sound.finds(
        "a counter",
        &|f| {
            alter_json(f, "summary.json", |s| {
                s["counters"]["inexact_solves"] = json!(1);
            });
        },
        "`counters.inexact_solves`",
    );
    sound.finds(
        "a median",
        &|f| {
            alter_json(f, "summary.json", |s| {
                s["all"]["iterations"]["median"] = json!(1e9);
            });
        },
        "`all`",
    );
    sound.finds(
        "the outcome",
        &|f| {
            alter_json(f, "summary.json", |s| {
                s["outcome"]["status"] = json!("inexact");
            });
        },
        "`outcome`",
    );
    sound.finds(
        "no summary",
        &|f| fs::remove_file(f.join("summary.json")).expect("there"),
        "summary.json",
    );
    sound.finds(
        "no checkpoint",
        &|f| fs::remove_file(f.join("checkpoint.bin")).expect("there"),
        "checkpoint.bin",
    );
}

/// A motion whose end cannot be read is reported as unknown.
#[test]
fn unchecked_motions_are_reported() {
    let sound = Sound::new();
    let verification =
        sound.with(|folder| fs::remove_file(folder.join("frame_00003.vtu")).expect("there"));
    assert!(!verification.is_sound());
    assert_eq!((verification.motions, verification.unknown_motions), (6, 2));
    fs::remove_file(sound.place.path("out/frame_00003.vtu")).expect("there");
    let answer = sound.place.impinge(&["verify", "out"]);
    assert_eq!(answer.code, Some(1), "{}", answer.err);
    assert!(answer.out.contains("6 of 8 motions"), "{}", answer.out);
}

/// Symptom: sound runs are called unsound, their points "5.35e-13 m off the path". Law: the effect of rounded times on
/// a position grows with speed and time.
#[test]
fn fast_wheels_are_no_false_alarm() {
    for speed in ["300", "1000"] {
        let scene = format!(
            r#"title = "spin"
[time]
step = 1e-2
duration = 30.0
[world]
gravity = [0, 0, 0]
[output]
every = 500
[[body]]
name = "box"
kind = "rigid"
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
density = 1000
position = [0, 0, 3]
[[obstacle]]
name = "wheel"
shape = {{ cylinder = {{ radius = 0.3, height = 0.1, sides = 8 }} }}
motion = {{ angular_velocity = [0, 0, {speed}] }}
"#
        );
        let place = Place::new(&scene);
        let answer = place.impinge(&["run", "scene.toml", "--out", "out", "--quiet"]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let answer = place.impinge(&["verify", "out"]);
        assert_eq!(
            answer.code,
            Some(0),
            "{speed} rad/s: {}{}",
            answer.out,
            answer.err
        );
    }
}
