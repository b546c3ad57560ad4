//! Asynchronous runs that store the straight pieces of their motion, and what `verify` proves from these.

use std::fs;

use impinge_sim::output::{
    Beside, Checksum, FrameStamp, FrameWriter, RunHeader, Verification, read_frame, read_pieces,
    verify_run,
};
use impinge_sim::stepper::asynchronous::Pieces;
use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;

use super::Place;
use super::tamper::{alter_rows, replace};

/// A sheet that falls on a ball beside a wheel, which turns 300 radians a second, above the ground.
const SHEET: &str = r#"title = "a sheet between obstacles"
stepper = "asynchronous"

[time]
step = 2e-3
duration = 2e-2

[asynchronous]
thickness = 4e-3
restitution = 0.3

[world]
friction = 0.3

[output]
every = 2
pieces = true

[[body]]
name = "sheet"
kind = "shell"
mesh = { grid = { size = [0.2, 0.2], cells = [6, 6] } }
shell = { stretch = 50, bend = 1e-5, density = 0.2 }
position = [0.01, 0.02, 0.115]
velocity = [0, 0, -4]

[[obstacle]]
name = "ball"
shape = { sphere = { radius = 0.05, subdivisions = 3 } }
position = [0, 0, 0.06]

[[obstacle]]
name = "wheel"
shape = { cylinder = { radius = 0.05, height = 0.1, sides = 8 } }
position = [0.3, 0, 0.1]
motion = { velocity = [0.5, 0, 0], angular_velocity = [0, 40, 300] }

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// Frame whose motion is altered: the sheet lies on the ball.
const INDEX: usize = 4;

/// Points of the sheet, which come first.
const SHEET_POINTS: u32 = 49;

/// Centre of the ball (m).
const CENTER: Vector3<f64> = Vector3::new(0.0, 0.0, 0.06);

/// A run of the scene with `set`, in the folder `out` of its place.
fn run(set: &[&str]) -> Place {
    let place = Place::new(SHEET);
    let mut arguments = vec!["run", "scene.toml", "--out", "out", "--quiet"];
    for set in set {
        arguments.extend(["--set", set]);
    }
    let answer = place.impinge(&arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    place
}

fn verified(place: &Place) -> Verification {
    verify_run(place.path("out"), &|| ()).expect("a manifest")
}

/// Asserts that `verify` finds something in the run, in words with all of `said`.
fn finds(place: &Place, said: &[&str]) {
    let findings = verified(place).findings;
    let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
    let is_found = |finding: &String| said.iter().all(|said| finding.contains(said));
    assert!(findings.iter().any(is_found), "{said:?}: {findings:#?}");
}

/// Times and positions of the corners of a path.
type Corners = Vec<(f64, Vector3<f64>)>;

/// Replaces the pieces to frame [`INDEX`] by themselves with `change` to the path of each point, and their checksum.
fn alter(place: &Place, change: impl Fn(u32, &mut Corners)) {
    let name = format!("pieces_{INDEX:05}.bin");
    let path = place.path("out").join(&name);
    let before = fs::read(&path).expect("pieces");
    let pieces = read_pieces(&path).expect("pieces");
    let mut altered = Pieces::default();
    for (number, &point) in pieces.points().iter().enumerate() {
        let (times, positions) = pieces.path(number);
        let mut corners: Corners = times
            .iter()
            .copied()
            .zip(positions.iter().copied())
            .collect();
        change(point, &mut corners);
        altered.push(point, corners);
    }
    // A writer of its own knows the format.
    let scene = Scene::load(place.path("scene.toml"), &[""; 0]).expect("a scene");
    let simulation = Simulation::new(&scene).expect("a scene");
    let other = tempfile::tempdir().expect("a temporary folder");
    let header = RunHeader::new(&scene, simulation.model());
    let mut writer = FrameWriter::create(other.path(), &header).expect("room");
    let frame = read_frame(place.path("out/frame_00000.vtu")).expect("a frame");
    let stamp = FrameStamp {
        step: 0,
        time: 0.0,
        parts: 0,
    };
    let beside = Beside {
        pieces: Some(&altered),
        ..Beside::default()
    };
    writer.write_with(&frame, beside, stamp).expect("room");
    let after = fs::read(other.path().join("pieces_00000.bin")).expect("pieces");
    fs::write(&path, &after).expect("room");
    let sum = |bytes: &[u8]| Checksum::of(bytes).to_string();
    replace(
        &place.path("out"),
        "frames.csv",
        &sum(&before),
        &sum(&after),
    );
}

/// The point of the sheet that is nearest to the top of the ball in the frame before [`INDEX`].
fn on_top(place: &Place) -> u32 {
    let frame = read_frame(place.path(&format!("out/frame_{:05}.vtu", INDEX - 1)));
    let points = frame.expect("a frame").points;
    let side = |point: &u32| (points[*point as usize] - CENTER).xy().norm();
    (0..SHEET_POINTS)
        .min_by(|a, b| side(a).total_cmp(&side(b)))
        .expect("a sheet")
}

/// A corner in the middle of a piece of `path`, moved by `way`.
fn dip(path: &mut Corners, way: Vector3<f64>) {
    let at = path.len() / 2;
    let middle = 0.5 * (path[at - 1].0 + path[at].0);
    let place = 0.5 * (path[at - 1].1 + path[at].1);
    path.insert(at, (middle, place + way));
}

#[test]
fn the_motion_of_a_run_with_pieces_is_proved() {
    let place = run(&[]);
    let verification = verified(&place);
    assert!(verification.is_sound(), "{:#?}", verification.findings);
    assert_eq!((verification.motions, verification.unknown_motions), (5, 0));
    assert!(verification.pieces > 10_000, "{}", verification.pieces);
    let answer = place.impinge(&["verify", "out"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.out.contains("motion proved"), "{}", answer.out);
    let without = run(&["output.pieces=false"]);
    let verification = verified(&without);
    assert!(verification.is_sound(), "{:#?}", verification.findings);
    assert_eq!((verification.motions, verification.unknown_motions), (0, 5));
    let said = without.impinge(&["verify", "out"]);
    assert!(said.err.contains("output.pieces = true"), "{}", said.err);
}

/// Frames have the same bits with and without pieces. Both broad phases give the same pieces.
#[test]
fn recording_changes_nothing() {
    let with = run(&[]);
    let without = run(&["output.pieces=false"]);
    let speculative = run(&["asynchronous.detection=speculative"]);
    let same = |other: &Place, name: &str| {
        let [one, other] = [&with, other].map(|place| fs::read(place.path("out").join(name)));
        assert_eq!(one.expect("a file"), other.expect("a file"), "{name}");
    };
    for index in 0..=5 {
        let frame = format!("frame_{index:05}.vtu");
        same(&without, &frame);
        same(&speculative, &frame);
        if index > 0 {
            same(&speculative, &format!("pieces_{index:05}.bin"));
        }
    }
    let names = super::names(&without.path("out"));
    assert!(
        names.iter().all(|name| !name.contains("pieces")),
        "{names:?}"
    );
}

/// Frames do not show that a point crosses the ball's surface and returns between them.
#[test]
fn a_point_that_passes_through_a_face_is_found() {
    let place = run(&[]);
    let top = on_top(&place);
    alter(&place, |point, path| {
        if point == top {
            dip(path, Vector3::new(0.0, 0.0, -0.02));
        }
    });
    finds(&place, &["frame_00004.vtu", "crosses", "of ball"]);
    assert_eq!(verified(&place).unknown_motions, 0);
    // The same way up touches nothing.
    let place = run(&[]);
    alter(&place, |point, path| {
        if point == top {
            dip(path, Vector3::new(0.0, 0.0, 1e-4));
        }
    });
    let verification = verified(&place);
    assert!(verification.is_sound(), "{:#?}", verification.findings);
}

/// Pieces below a plane, off the path of an obstacle, too long for its arc, or apart from the frames.
#[test]
fn altered_pieces_are_found() {
    let place = run(&[]);
    let top = on_top(&place);
    let altered = |change: &dyn Fn(u32, &mut Corners), said: &[&str]| {
        let place = run(&[]);
        alter(&place, change);
        finds(&place, said);
    };
    let is_wheel = |point: u32| point == SHEET_POINTS + 92;
    altered(
        &|point, path| {
            if point == top {
                dip(path, Vector3::new(0.0, 0.0, -0.2));
            }
        },
        &["pieces_00004.bin", "behind the plane of ground"],
    );
    altered(
        &|point, path| {
            if is_wheel(point) {
                dip(path, Vector3::new(0.0, 0.0, 1e-6));
            }
        },
        &["pieces_00004.bin", "of wheel", "from its prescribed path"],
    );
    altered(
        &|point, path| {
            if is_wheel(point) {
                path.drain(1..path.len() - 1);
            }
        },
        &["pieces_00004.bin", "of wheel is longer than"],
    );
    altered(
        &|point, path| {
            if point == top {
                path[0].1.z += 1e-9;
            }
        },
        &["pieces_00004.bin", "does not begin"],
    );
    altered(
        &|point, path| {
            if point == top
                && let Some(last) = path.last_mut()
            {
                last.0 += 1e-12;
            }
        },
        &["pieces_00004.bin", "does not end"],
    );
}

#[test]
fn missing_and_damaged_files_are_found_by_name() {
    let place = run(&[]);
    let (out, name) = (place.path("out"), "pieces_00003.bin");
    let path = out.join(name);
    let whole = fs::read(&path).expect("pieces");
    let sum = |bytes: &[u8]| Checksum::of(bytes).to_string();
    let unknown = |said: &str| {
        finds(&place, &[name, said]);
        assert_eq!(verified(&place).unknown_motions, 1);
    };

    fs::remove_file(&path).expect("there");
    unknown("cannot be read");
    for cut in [0, 20, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..cut]).expect("room");
        finds(&place, &[name, "its checksum differs"]);
        replace(&out, "frames.csv", &sum(&whole), &sum(&whole[..cut]));
        unknown("is damaged");
        replace(&out, "frames.csv", &sum(&whole[..cut]), &sum(&whole));
    }
    // Counts that would take more memory than there is.
    let mut huge = whole.clone();
    huge[12..24].fill(0xff);
    fs::write(&path, &huge).expect("room");
    unknown("is damaged");
    fs::copy(out.join("pieces_00002.bin"), &path).expect("there");
    unknown("does not begin");
    fs::write(&path, &whole).expect("room");
    assert!(verified(&place).is_sound());

    alter_rows(&out, "frames.csv", |rows| {
        rows[4] = rows[4].replace(&sum(&whole), "");
    });
    finds(&place, &["frames.csv", "lists no file pieces_00003.bin"]);
    finds(&place, &["pieces_00003.bin", "does not list it"]);
}

/// A run in the same folder removes the pieces of the one before, and so only its own are there.
#[test]
fn pieces_of_an_earlier_run_are_removed() {
    let place = run(&[]);
    let again = [
        "run",
        "scene.toml",
        "--out",
        "out",
        "--quiet",
        "--steps",
        "2",
    ];
    assert_eq!(place.impinge(&again).code, Some(0));
    let names = super::names(&place.path("out"));
    let pieces = names.iter().filter(|name| name.starts_with("pieces"));
    assert_eq!(pieces.collect::<Vec<_>>(), ["pieces_00001.bin"]);
    assert!(verified(&place).is_sound());
}

/// The last frame of a run that stops within a step has pieces up to there.
#[test]
fn the_motion_up_to_a_stop_is_proved() {
    let place = Place::new(
        &SHEET
            .replace("position = [0.3, 0, 0.1]", "position = [-0.3, 0, 0.06]")
            .replace("velocity = [0.5, 0, 0]", "velocity = [20, 0, 0]")
            .replace("every = 2", "every = 8"),
    );
    let answer = place.impinge(&["run", "scene.toml", "--out", "out", "--quiet"]);
    assert_eq!(answer.code, Some(4), "{} {}", answer.out, answer.err);
    let verification = verified(&place);
    assert!(verification.is_sound(), "{:#?}", verification.findings);
    assert_eq!(verification.unknown_motions, 0);
    let rows = fs::read_to_string(place.path("out/frames.csv")).expect("a list");
    assert!(rows.lines().count() > 2, "{rows}");
}
