//! `run`, `verify` and `scene` on good input.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{Place, SCENE, names};

#[test]
fn a_run_is_complete_and_verifies() {
    let place = Place::new(SCENE);
    let answer = place.impinge(&["run", "scene.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.out.contains("completed: 2 steps"), "{}", answer.out);
    assert_eq!(
        names(&place.path("out/scene")),
        [
            ".lock",
            "checkpoint.bin",
            "contacts.pvd",
            "contacts_00000.vtp",
            "contacts_00001.vtp",
            "contacts_00002.vtp",
            "energies.csv",
            "frame_00000.vtu",
            "frame_00001.vtu",
            "frame_00002.vtu",
            "frames.csv",
            "frames.pvd",
            "manifest.json",
            "steps.csv",
            "summary.json"
        ]
    );
    let answer = place.impinge(&["verify", "out/scene"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.err);
    assert!(
        answer.out.contains("sound; 3 frames, 2 of 2 motions"),
        "{}",
        answer.out
    );
}

/// Steps of second order, with a body that falls, one that meets the ground, and a held one that swings until it is let
/// go: momenta and energies add up.
#[test]
fn a_run_of_second_order_verifies() {
    let bodies = "[[body]]\nname = \"swings\"\nmesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\n\
                  material = { young = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 1e-3 }\n\
                  position = [0, 0, 2]\nfixed = [{ box = { lower = [-1, -1, 2.04], upper = [1, 1, 3] }, motion = \
                  { angular_velocity = [0, 1, 0], center = [0, 0, 2] }, until = 5e-3 }]\n\
                  [[body]]\nname = \"rows\"\nmesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\n\
                  material = { young = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 1e-3, formulation = \
                  \"compliance\" }\nposition = [2, 0, 2]\n\
                  [[body]]\nname = \"box\"\nkind = \"rigid\"\nmass = 1\nposition = [1, 0, 1]\n\
                  mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\nforce = [0.1, 0, 0]\n";
    let place = Place::new(&format!("{SCENE}\n{bodies}"));
    let options = [
        "run",
        "scene.toml",
        "--set",
        "time.integrator=bdf2",
        "--set",
        "time.duration=0.02",
        "--set",
        "output.every=1",
    ];
    let answer = place.impinge(&options);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let answer = place.impinge(&["verify", "out/scene"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.err);
}

/// Nodes that are released are prescribed in the first frames only; their later motion is verified like that of free
/// nodes.
#[test]
fn a_run_that_lets_go_verifies() {
    let held = "position = [0, 0, 0.2]\nfixed = [{ box = { lower = [-1, -1, 0.24], upper = [1, 1, 1] }, until = 1e-3 \
                }]";
    let place = Place::new(&SCENE.replace("position = [0, 0, 0.2]", held));
    let answer = place.impinge(&["run", "scene.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let answer = place.impinge(&["verify", "out/scene"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.err);
    let proven = "sound; 3 frames, 2 of 2 motions between frames, 8 prescribed positions";
    assert!(answer.out.contains(proven), "{}", answer.out);
}

#[test]
fn verify_names_frame_and_time_of_a_corrupted_coordinate() {
    let place = Place::new(SCENE);
    place.impinge(&["run", "scene.toml", "--out", "r"]);
    let path = place.path("r/frame_00001.vtu");
    let mut bytes = fs::read(&path).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let start = text.find("<Points>").unwrap();
    let at = start + text[start..].find("\">").unwrap() + 60;
    bytes[at] = if bytes[at] == b'B' { b'C' } else { b'B' };
    fs::write(&path, bytes).unwrap();
    let answer = place.impinge(&["verify", "r"]);
    assert_eq!(answer.code, Some(1));
    assert!(
        answer.out.contains("frame_00001.vtu at 0.001 s"),
        "{}",
        answer.out
    );
}

#[test]
fn steps_until_and_overrides_shorten_a_run() {
    let place = Place::new(SCENE);
    let answer = place.impinge(&["run", "scene.toml", "--steps", "1", "--out", "a", "--quiet"]);
    assert_eq!(
        (answer.code, answer.out.as_str(), answer.err.as_str()),
        (Some(0), "", "")
    );
    assert_eq!(
        fs::read_to_string(place.path("a/steps.csv"))
            .unwrap()
            .lines()
            .count(),
        2
    );
    place.impinge(&["run", "scene.toml", "--until", "0.005", "--out", "b"]);
    assert_eq!(
        fs::read_to_string(place.path("b/steps.csv"))
            .unwrap()
            .lines()
            .count(),
        6
    );
    place.impinge(&[
        "run",
        "scene.toml",
        "--set",
        "time.duration=0.003",
        "--set",
        "output.every=2",
        "--out",
        "c",
    ]);
    // Frames 0 and 2, and the last state.
    assert_eq!(
        names(&place.path("c"))
            .iter()
            .filter(|name| name.starts_with("frame_"))
            .count(),
        3
    );
    let manifest = fs::read_to_string(place.path("c/manifest.json")).unwrap();
    assert!(manifest.contains("\"duration\":0.003"), "{manifest}");
}

#[test]
fn threads_do_not_change_a_frame() {
    let place = Place::new(SCENE);
    place.impinge(&["run", "scene.toml", "--threads", "1", "--out", "one"]);
    place.impinge(&["run", "scene.toml", "--threads", "3", "--out", "three"]);
    for frame in ["frame_00000.vtu", "frame_00002.vtu"] {
        let read = |folder: &str| fs::read(place.path(folder).join(frame)).expect("a stored frame");
        assert!(read("one") == read("three"), "{frame} differs");
    }
}

/// Waits until a run has written its first steps.
fn wait_for_steps(csv: &Path) {
    let begin = Instant::now();
    while fs::read_to_string(csv).map_or(0, |text| text.lines().count()) < 3 {
        assert!(
            begin.elapsed() < Duration::from_mins(1),
            "the run did not begin"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Symptom: two runs in one folder remove each other's frames and mix their own. Law: the second run is rejected, and a
/// killed run leaves the folder free.
#[test]
fn a_folder_that_a_run_writes_to_is_refused_to_others() {
    let place = Place::new(SCENE);
    let endless = [
        "--steps",
        "100000000",
        "--set",
        "output.every=1000000",
        "--quiet",
    ];
    let mut child = place
        .command(&[&["run", "scene.toml", "--out", "r"], &endless[..]].concat())
        .spawn()
        .unwrap();
    let csv = place.path("r/steps.csv");
    wait_for_steps(&csv);
    for again in [&["--steps", "1"] as &[&str], &["--resume"]] {
        let answer = place.impinge(&[&["run", "scene.toml", "--out", "r"], again].concat());
        assert_eq!(answer.code, Some(6), "{}{}", answer.out, answer.err);
        let said = ["the folder r is in use", "mend: "];
        assert!(
            said.iter().all(|word| answer.err.contains(word)),
            "{}",
            answer.err
        );
    }
    assert!(child.try_wait().unwrap().is_none(), "the first goes on");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(fs::read_to_string(&csv).unwrap().lines().count() > 3);
    let answer = place.impinge(&["run", "scene.toml", "--out", "r"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert_eq!(place.impinge(&["verify", "r"]).code, Some(0));
}

/// Ctrl-C in the middle of a long run leaves complete results and a message.
#[cfg(unix)]
#[test]
fn an_interrupted_run_is_readable() {
    let place = Place::new(SCENE);
    let child = place
        .command(&[
            "run",
            "scene.toml",
            "--steps",
            "100000000",
            "--set",
            "output.every=1000000",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_steps(&place.path("out/scene/steps.csv"));
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let summary = fs::read_to_string(place.path("out/scene/summary.json")).unwrap();
    assert!(summary.contains("\"interrupted\""), "{summary}");
    assert!(place.path("out/scene/frame_00001.vtu").exists());
    assert_eq!(place.impinge(&["verify", "out/scene"]).code, Some(0));
}

#[test]
fn a_scene_is_validated_without_running() {
    let place = Place::new(SCENE);
    let answer = place.impinge(&["scene", "validate", "scene.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(
        answer
            .out
            .contains("valid; 1 bodies, 1 obstacles, 8 points"),
        "{}",
        answer.out
    );
    assert_eq!(place.names(), ["scene.toml"]);
}

#[test]
fn the_schema_is_json() {
    let answer = Place::new(SCENE).impinge(&["scene", "schema"]);
    assert_eq!(answer.code, Some(0));
    let schema: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    assert!(schema["properties"]["time"].is_object());
}

#[test]
fn help_tells_the_exit_codes() {
    let answer = Place::new(SCENE).impinge(&["--help"]);
    assert_eq!(answer.code, Some(0));
    insta::assert_snapshot!("help", answer.out);
}

/// A soft cube and a rigid one above it, held together by a ball joint: they may overlap there. The last frame alone
/// does not contain the joint.
#[test]
fn joined_bodies_may_overlap() {
    let place = Place::new(
        r#"[time]
step = 2e-3
duration = 0.3

[[body]]
name = "soft"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.2]

[[body]]
name = "rigid"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0.02, 0, 0.32]

[[joint]]
kind = "ball"
first = "rigid"
second = "soft"
anchor = [0, 0, 0.25]

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#,
    );
    let ran = place.impinge(&["run", "scene.toml", "--out", "r"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let last = place.impinge(&["verify", "r/frame_00150.vtu"]);
    assert_eq!(last.code, Some(1), "{}{}", last.out, last.err);
    assert!(last.out.contains("intersects"), "{}", last.out);
    let whole = place.impinge(&["verify", "r"]);
    assert_eq!(whole.code, Some(0), "{}{}", whole.out, whole.err);
}

/// A file that is no frame is not quoted in full.
#[test]
fn verify_names_its_expected_input() {
    let place = Place::new(SCENE);
    let long = format!("<VTKFile>{}</VTKFile>", "<Piece n='1'/>".repeat(500));
    fs::write(place.path("long.vtu"), long).expect("room for a file");
    for (file, words) in [
        (
            "scene.toml",
            "it is no frame (.vtu); give one, or the folder of a run",
        ),
        ("long.vtu", "long.vtu is damaged"),
    ] {
        let answer = place.impinge(&["verify", file]);
        assert_eq!(answer.code, Some(3), "{}{}", answer.out, answer.err);
        assert!(
            answer.err.contains(words) && answer.err.len() < 600,
            "{}",
            answer.err
        );
    }
}

/// The constrained stepper lets bodies pass through each other: the run reports the bodies and the time, and has the
/// exit code of unmet guarantees.
#[test]
fn a_run_in_which_bodies_pass_through_each_other_is_inexact() {
    let body = |name: &str, x: f64, v: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\ndensity = 1000\n\
             mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n\
             position = [{x}, 0, 0]\nvelocity = [{v}, 0, 0]\n"
        )
    };
    let time = "stepper = \"constrained\"\n[time]\nstep = 0.01\nduration = 0.05\n";
    let scene = format!(
        "{time}{}{}",
        body("left", 0.0, 1.0),
        body("right", 0.15, -1.0)
    );
    let place = Place::new(&scene);
    let answer = place.impinge(&["run", "scene.toml", "--out", "a"]);
    assert_eq!(answer.code, Some(5), "{}", answer.err);
    for word in [
        "`left`",
        "`right`",
        "0.0250",
        "crossings",
        "--accept-inexact",
    ] {
        assert!(answer.err.contains(word), "{word}: {}", answer.err);
    }
    let accepted = place.impinge(&["run", "scene.toml", "--out", "b", "--accept-inexact"]);
    assert_eq!(accepted.code, Some(0), "{}", accepted.err);
    assert!(accepted.err.contains("crossings"), "{}", accepted.err);
}
