//! Links and ropes as files of a run.

use std::fs;
use std::path::Path;

use crate::recorded::{findings, record, recorded, scene};
use impinge_sim::measure::lines::JointLine;
use impinge_sim::output::{
    Beside, Checksum, Frame, FrameLines, FrameStamp, FrameWriter, Manifest, OutputError, Recording,
    RunHeader, read_frame, read_lines, verify_run,
};
use impinge_sim::{Scene, Simulation};
use nalgebra::{Matrix3, Vector3};

/// Acceleration of gravity (m/s²).
const GRAVITY: f64 = 9.81;

fn lines_of(folder: &Path, index: usize) -> FrameLines {
    read_lines(folder.join(format!("lines_{index:05}.vtp"))).expect("a file of lines")
}

/// Two blocks on a rope through fixed points and over two points of a wheel that turns; a third block hangs from the
/// first by a spring.
const PULLEY: &str = r#"
title = "a rope over a wheel"
[time]
step = 2e-3
duration = 0.08
[output]
every = 10
[[body]]
name = "left"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 1
position = [-0.3, 0, 0.5]
angular_velocity = [0, 3, 1]
[[body]]
name = "right"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 3
position = [0.3, 0, 0.5]
[[body]]
name = "lower"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 0.5
position = [-0.3, 0, 0.1]
[[body]]
name = "wheel"
kind = "rigid"
mesh = { cylinder = { radius = 0.1, height = 0.1, rings = 1, layers = 1 } }
motion = { angular_velocity = [0, 2, 0.5], center = [0, 0, 1] }
position = [0, 0, 1]
[[joint]]
kind = "ball"
first = "lower"
anchor = [-0.3, 0, 0.1]
[[joint]]
name = "belt & rope"
kind = "rope"
first = "left"
second = "right"
anchor = [-0.28, 0.02, 0.55]
end = [0.3, 0, 0.55]
via = [
  { at = [-0.3, 0, 1] },
  { at = [-0.05, 0.02, 1.05], body = "wheel" },
  { at = [0.05, 0, 1.05], skin = { wheel = 0.25, left = 0.75 } },
  { at = [0.3, 0, 1] },
]
[[joint]]
kind = "link"
first = "lower"
second = "left"
anchor = [-0.3, 0, 0.15]
end = [-0.3, 0, 0.45]
compliance = 1e-2
"#;

/// The map from places on a rigid body in one frame to places in another, by four of its points.
struct Carried {
    starts: [Vector3<f64>; 2],
    turn: Matrix3<f64>,
}

impl Carried {
    fn of(name: &str, [first, frame]: [&Frame; 2]) -> Self {
        let named = first.names.iter().position(|other| other == name);
        let body = named.expect("a body") as u32;
        let is_of = |&point: &usize| first.body_of_point[point] == body;
        let points: Vec<usize> = (0..first.points.len()).filter(is_of).collect();
        let arms = |of: &Frame, corners: [usize; 3]| {
            Matrix3::from_columns(&corners.map(|point| of.points[point] - of.points[points[0]]))
        };
        let mut corners = points[1..].iter().flat_map(|&a| {
            let others = points[1..].iter().map(move |&b| [a, b]);
            others.flat_map(|[a, b]| points[1..].iter().map(move |&c| [a, b, c]))
        });
        let spread = |corners: &[usize; 3]| arms(first, *corners).determinant().abs() > 1e-6;
        let corners = corners.find(spread).expect("a body with a volume");
        let inverse = arms(first, corners)
            .try_inverse()
            .expect("independent arms");
        Self {
            starts: [first.points[points[0]], frame.points[points[0]]],
            turn: arms(frame, corners) * inverse,
        }
    }

    fn at(&self, place: [f64; 3]) -> Vector3<f64> {
        self.starts[1] + self.turn * (Vector3::from(place) - self.starts[0])
    }
}

/// Points of lines are carried by their bodies, with every stepper.
#[test]
fn lines_run_through_the_points_of_their_bodies() {
    for stepper in ["synchronous", "constrained", "asynchronous"] {
        let text = match stepper {
            "synchronous" => PULLEY.to_owned(),
            "constrained" => format!("stepper = \"constrained\"{PULLEY}"),
            _ => format!("stepper = \"asynchronous\"{PULLEY}[asynchronous]\nthickness = 1e-3\n"),
        };
        let folder = recorded(&scene(&text, &[]));
        let frame = |index| {
            let name = format!("frame_{index:05}.vtu");
            read_frame(folder.path().join(name)).expect("a frame")
        };
        let (first, mut way) = (frame(0), 0.0_f64);
        for index in 0..5 {
            let lines = lines_of(folder.path(), index);
            assert_eq!(
                lines.names,
                [
                    "joint 0 of `lower` and the world",
                    "belt & rope",
                    "joint 2 of `lower` and `left`"
                ]
            );
            let joints: Vec<u32> = lines.lines.iter().map(|line| line.joint).collect();
            assert_eq!(joints, [1, 2]);
            let frame = frame(index);
            let on = |name: &str, place| Carried::of(name, [&first, &frame]).at(place);
            let shared = [0.05, 0.0, 1.05];
            let rope = [
                on("left", [-0.28, 0.02, 0.55]),
                Vector3::new(-0.3, 0.0, 1.0),
                on("wheel", [-0.05, 0.02, 1.05]),
                on("wheel", shared) * 0.25 + on("left", shared) * 0.75,
                Vector3::new(0.3, 0.0, 1.0),
                on("right", [0.3, 0.0, 0.55]),
            ];
            let spring = [
                on("lower", [-0.3, 0.0, 0.15]),
                on("left", [-0.3, 0.0, 0.45]),
            ];
            for (line, expected) in lines.lines.iter().zip([&rope[..], &spring]) {
                assert_eq!(line.points.len(), expected.len());
                for (point, expected) in line.points.iter().zip(expected) {
                    let off = (point - expected).norm();
                    assert!(off < 1e-9, "{stepper}, frame {index}: {off} m");
                }
            }
            let start = Vector3::new(-0.28, 0.02, 0.55);
            way = way.max((lines.lines[0].points[0] - start).norm());
        }
        assert!(way > 5e-3, "{stepper}: the rope moves by {way} m");
    }
}

/// A block on a spring in the given form, and two blocks on a rope over two fixed points.
fn hanging(form: &str) -> String {
    let block = |name: &str, mass: f64, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = {mass}\nposition = [{x}, 0, 0]\n\
             mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n"
        )
    };
    let bodies = [("a", 1.0, 0.0), ("b", 3.0, 1.0), ("hung", 2.0, 2.0)];
    let bodies = bodies.map(|(name, mass, x)| block(name, mass, x)).concat();
    format!(
        "[time]\nstep = 1e-3\nduration = 0.1\n[output]\nevery = 100\n{bodies}\
         [[joint]]\nkind = \"rope\"\nfirst = \"a\"\nsecond = \"b\"\nanchor = [0, 0, 0.05]\nend = [1, 0, 0.05]\n\
         via = [{{ at = [0, 0, 1] }}, {{ at = [1, 0, 1] }}]\n\
         [[joint]]\nkind = \"link\"\nfirst = \"hung\"\nanchor = [2, 0, 0.05]\nend = [2, 0, 1.05]\nlength = 0.99\n\
         compliance = {}\n{form}\n",
        0.01 / (2.0 * GRAVITY)
    )
}

/// A rope over fixed points that joins masses `m` and `M` has the tension `2 m M g / (m + M)`; a spring at rest carries
/// the weight.
#[test]
fn forces_are_the_tension() {
    for form in [
        "formulation = \"compliance\"",
        "formulation = \"stiffness\"",
    ] {
        let folder = recorded(&scene(&hanging(form), &[]));
        let lines = lines_of(folder.path(), 1).lines;
        let expected = [1.5 * GRAVITY, 2.0 * GRAVITY];
        for (line, expected) in lines.iter().zip(expected) {
            let off = (line.force - expected).abs();
            assert!(
                off < 1e-3 * expected,
                "{form}: {} N, not {expected} N",
                line.force
            );
        }
    }
    // A rod under a weight is under pressure.
    let rod = hanging("").replace(
        "end = [2, 0, 1.05]\nlength = 0.99",
        "end = [2, 0, -1]\nlength = 1.06",
    );
    let pressed = lines_of(recorded(&scene(&rod, &[])).path(), 1).lines[1].force;
    assert!(
        (pressed + 2.0 * GRAVITY).abs() < 0.02 * GRAVITY,
        "{pressed} N"
    );
}

/// A run that was ended at any frame, with files of later steps left by a killed program, goes on to the same files.
#[test]
fn a_resumed_run_stores_the_same_lines() {
    let scene = scene(PULLEY, &[]);
    let whole = recorded(&scene);
    for pause in [0, 10, 30] {
        let folder = tempfile::tempdir().unwrap();
        record(&scene, folder.path(), pause);
        for name in [
            format!("lines_{:05}.vtp", pause / 10 + 1),
            ".lines_00004.vtp.part".to_owned(),
        ] {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        record(&scene, folder.path(), scene.time.steps());
        for index in 0..5 {
            let name = format!("lines_{index:05}.vtp");
            let read = |of: &Path| fs::read(of.join(&name)).expect("lines");
            assert_eq!(
                read(folder.path()),
                read(whole.path()),
                "{name} after {pause}"
            );
        }
        for name in ["lines.pvd", "frames.csv"] {
            let read = |of: &Path| fs::read_to_string(of.join(name)).expect("a list");
            assert_eq!(
                read(folder.path()),
                read(whole.path()),
                "{name} after {pause}"
            );
        }
        assert_eq!(findings(folder.path()), [""; 0]);
    }
}

/// A run whose lines were changed is not resumed.
#[test]
fn changed_lines_are_no_run_to_resume() {
    let scene = scene(PULLEY, &[]);
    let folder = tempfile::tempdir().unwrap();
    record(&scene, folder.path(), 20);
    let path = folder.path().join("lines_00001.vtp");
    let sound = fs::read(&path).unwrap();
    let refusal = || {
        let simulation = Simulation::new(&scene).unwrap();
        let resumed = Recording::resume(folder.path().to_owned(), &scene, simulation);
        resumed.err().expect("a refusal").to_string()
    };
    fs::write(&path, &sound[..sound.len() - 3]).unwrap();
    assert!(refusal().contains("lines_00001.vtp"), "{}", refusal());
    fs::remove_file(&path).unwrap();
    assert!(refusal().contains("lines_00001.vtp"), "{}", refusal());
}

/// Applies `change` to the lines of frame `index` of `folder`, and updates their checksum.
fn alter(scene: &Scene, folder: &Path, index: usize, change: &dyn Fn(&mut FrameLines)) {
    let path = folder.join(format!("lines_{index:05}.vtp"));
    let before = fs::read(&path).expect("a file");
    let mut lines = read_lines(&path).expect("a file");
    change(&mut lines);
    // A writer of its own knows the format.
    let simulation = Simulation::new(scene).expect("a simulation");
    let other = tempfile::tempdir().expect("a temporary folder");
    let header = RunHeader::new(scene, simulation.model());
    let mut writer = FrameWriter::create(other.path(), &header).expect("room");
    let beside = Beside {
        lines: Some(&lines),
        ..Beside::default()
    };
    let frame = read_frame(folder.join("frame_00000.vtu")).expect("a file");
    let stamp = FrameStamp {
        step: 0,
        time: 0.0,
        parts: 0,
    };
    writer.write_with(&frame, beside, stamp).expect("room");
    let after = fs::read(other.path().join("lines_00000.vtp")).expect("a file");
    fs::write(&path, &after).expect("room");
    let sum = |bytes: &[u8]| Checksum::of(bytes).to_string();
    let csv = folder.join("frames.csv");
    let text = fs::read_to_string(&csv).expect("a file");
    fs::write(csv, text.replacen(&sum(&before), &sum(&after), 1)).expect("room");
}

/// A cube on two strings, one of them to a fixed point.
const STRINGS: &str = r#"
[time]
step = 2e-3
duration = 0.02
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
[[body]]
name = "block"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [1, 0, 0]
[[joint]]
kind = "rope"
first = "cube"
anchor = [0.01, 0.02, 0.05]
end = [0, 0, 1]
[[joint]]
kind = "link"
first = "block"
second = "cube"
anchor = [0.95, 0, 0]
end = [0.05, 0.01, 0.02]
compliance = 1e-3
"#;

/// Asserts that `verify` finds `change` in a copy of the run in `sound`, in a message that contains `said`.
fn assert_found(sound: &Path, change: &dyn Fn(&Path), said: &str) {
    let copy = tempfile::tempdir().expect("a temporary folder");
    for entry in fs::read_dir(sound).expect("a file") {
        let path = entry.expect("room").path();
        fs::copy(&path, copy.path().join(path.file_name().expect("room"))).expect("room");
    }
    change(copy.path());
    let found = findings(copy.path());
    let is_found = found.iter().any(|finding| finding.contains(said));
    assert!(is_found, "nothing says `{said}`: {found:#?}");
}

/// Changed, missing and further files of lines, and changed lists of them.
#[test]
fn altered_files_of_lines_are_found() {
    let sound = recorded(&scene(STRINGS, &[]));
    let file = "lines_00004.vtp";
    let finds = |change: &dyn Fn(&Path), said: &str| assert_found(sound.path(), change, said);
    finds(&|f| fs::write(f.join(file), b"<").unwrap(), "was changed");
    finds(&|f| fs::remove_file(f.join(file)).unwrap(), file);
    let copied = |f: &Path| {
        fs::copy(f.join(file), f.join("lines_00011.vtp")).unwrap();
    };
    finds(&copied, "lines_00011.vtp: frames.csv does not list it");
    let with = |f: &Path, list: &str, change: &dyn Fn(String) -> String| {
        let text = fs::read_to_string(f.join(list)).unwrap();
        fs::write(f.join(list), change(text)).unwrap();
    };
    finds(
        &|f| with(f, "lines.pvd", &|text| text.replace("s_00003", "s_00004")),
        "lines.pvd: its list of frames differs",
    );
    let row = |line: &str| line.rsplit_once(',').unwrap().0.to_owned() + "\n";
    finds(
        &|f| with(f, "frames.csv", &|text| text.lines().map(row).collect()),
        "no file lines_00004.vtp with the lines of",
    );
}

/// `verify` finds every altered number that the folder can reveal, even with matching checksums.
#[test]
fn altered_lines_are_found() {
    let scene = scene(STRINGS, &[]);
    let sound = recorded(&scene);
    let lines = verify_run(sound.path(), &|| ()).unwrap().lines;
    assert_eq!(lines, 2 * 11);
    let finds = |change: &dyn Fn(&mut FrameLines), said: &str| {
        assert_found(sound.path(), &|f| alter(&scene, f, 4, change), said);
    };
    // A point of an element, a fixed one, one of a rigid body, and one of another element.
    finds(&|l| l.lines[0].points[0].x += 1e-9, "point 0 of line 0");
    finds(&|l| l.lines[0].points[1].x += 1e-9, "point 1 of line 0");
    finds(&|l| l.lines[1].points[0].y += 1e-9, "point 0 of line 1");
    finds(&|l| l.lines[1].points[1].z += 1e-9, "point 1 of line 1");
    finds(&|l| l.lines[0].force = f64::NAN, "not finite");
    let of_joints = "its lines are not those of the joints";
    finds(&|l| l.lines[0].joint = 1, of_joints);
    finds(&|l| l.lines.truncate(1), of_joints);
    finds(&|l| l.lines[0].points.push(Vector3::x()), of_joints);
    finds(&|l| l.names.swap(0, 1), "its names are not those");
    finds(&|l| l.names.truncate(1), "which has no name");
}

/// The text around the numbers of a file of lines, and the lists of a short run.
#[test]
fn the_form_of_the_files() {
    let folder = recorded(&scene(STRINGS, &["output.every=5"]));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    insta::assert_snapshot!("lines_pvd", read("lines.pvd"));
    insta::assert_snapshot!("lines_vtp", read("lines_00000.vtp"));
    let head = read("frames.csv");
    assert_eq!(
        head.lines().next(),
        Some("file,step,time,parts,checksum,contacts,lines")
    );
    let error = read_lines(folder.path().join("frame_00000.vtu")).unwrap_err();
    assert!(matches!(error, OutputError::Format { .. }), "{error}");
}

/// Joints that are no lines, and copies that are joined to a chain.
#[test]
fn each_link_of_a_chain_is_a_line_and_a_ball_joint_is_none() {
    let chain = r#"
[time]
step = 2e-3
duration = 0.01
[[body]]
name = "bead"
kind = "rigid"
mesh = { cuboid = { size = [0.03, 0.03, 0.03], cells = [1, 1, 1] } }
mass = 1
position = [1, 0, 0]
copies = { count = 4, columns = [4, 1], spacing = [0.2, 0.1, 0.1] }
[[joint]]
kind = "KIND"
first = "bead"
second = "bead"
anchor = [0.7, 0, 0]
"#;
    let links = chain.replace("KIND", "link") + "end = [0.9, 0, 0]\n";
    let folder = recorded(&scene(&links, &[]));
    let lines = lines_of(folder.path(), 0).lines;
    assert_eq!(lines.len(), 3);
    for (JointLine { joint, points, .. }, x) in lines.iter().zip([0.7, 0.9, 1.1]) {
        assert_eq!(*joint, 0);
        let expected = [x, x + 0.2].map(|x| Vector3::new(x, 0.0, 0.0));
        let off = (points[0] - expected[0]).norm() + (points[1] - expected[1]).norm();
        assert!(points.len() == 2 && off < 1e-12, "{points:?}");
    }
    let folder = recorded(&scene(&chain.replace("KIND", "ball"), &[]));
    let names = fs::read_dir(folder.path()).unwrap();
    let mut names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    assert!(!names.any(|name| name.contains("lines")));
    let manifest = Manifest::read(folder.path()).unwrap();
    assert!(manifest.frames.iter().all(|entry| entry.lines.is_none()));
    assert_eq!(manifest.lines_file(0), None);
    let head = fs::read_to_string(folder.path().join("frames.csv")).unwrap();
    assert!(
        head.starts_with("file,step,time,parts,checksum,contacts\n"),
        "{head}"
    );
}
