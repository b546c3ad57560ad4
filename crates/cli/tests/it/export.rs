//! `impinge export`.

use std::fs;

use super::Place;
use super::view::{ends, landed};

#[test]
fn the_end_of_the_name_decides_the_format() {
    let place = landed();
    let marks: [(&str, &[u8]); 4] = [
        ("run.glb", b"glTF"),
        ("run.usda", b"#usda 1.0\n"),
        ("run.png", b"\x89PNG"),
        ("films/run.apng", b"\x89PNG"),
    ];
    for (name, mark) in marks {
        let out = ends(&place, &["export", "run", name, "--size", "64", "48"], 0);
        assert!(out.contains(name), "{out}");
        let bytes = fs::read(place.path(name)).expect("a file");
        assert!(bytes.starts_with(mark), "{name}");
    }
    let film = fs::read(place.path("films/run.apng")).expect("a film");
    let controls = film.windows(4).filter(|name| name == b"fcTL").count();
    assert_eq!(controls, 5, "the start and four steps");
    for name in ["run.obj", "run", "run.gif"] {
        let out = ends(&place, &["export", "run", name], 3);
        assert!(out.contains(".glb"), "{out}");
        assert!(!place.path(name).is_file());
    }
}

#[test]
fn a_picture_shows_the_frame_of_its_time() {
    let place = landed();
    let picture = |time: &[&str]| {
        let arguments = ["export", "run", "a.png", "--size", "128", "96", "--quiet"];
        assert_eq!(ends(&place, &[&arguments, time].concat(), 0), "");
        fs::read(place.path("a.png")).expect("a picture")
    };
    let last = picture(&[]);
    assert_eq!(picture(&["--time", "4e-3"]), last);
    assert_eq!(picture(&["--time", "4.5e-3"]), last);
    assert_ne!(picture(&["--time", "0", "--colour", "stress"]), last);
}

/// Symptom: a picture for a time after the end of the run showed its last frame. Law: the time is refused with the last
/// possible one.
#[test]
fn a_picture_of_a_time_after_the_run_is_refused() {
    let place = landed();
    for time in ["6e-3", "100"] {
        let said = ends(&place, &["export", "run", "late.png", "--time", time], 3);
        assert!(said.contains("is at 0.004 s"), "{said}");
        assert!(
            said.contains("mend: give a time from 0 to 0.004 s"),
            "{said}"
        );
        assert!(!place.path("late.png").exists());
    }
    let said = ends(&place, &["export", "run", "a.png", "--time", "-1"], 2);
    assert!(said.contains("at least 0"), "{said}");
}

/// A cube that swings on a rope.
const SWING: &str = r#"
[time]
step = 1e-2
duration = 5e-2
[output]
every = 1
[[body]]
name = "cube"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
[[joint]]
kind = "rope"
first = "cube"
anchor = [0.05, 0, 0.05]
end = [0.5, 0, 0.5]
"#;

/// Pages and pictures of a run show its ropes, and say so if their file was lost.
#[test]
fn a_rope_is_shown() {
    let place = Place::new(SWING);
    ends(&place, &["run", "scene.toml", "--out", "run", "--quiet"], 0);
    let said = ends(&place, &["verify", "run"], 0);
    assert!(said.contains("6 stored links and ropes"), "{said}");
    ends(&place, &["view", "run"], 0);
    let html = fs::read_to_string(place.path("run.html")).expect("a page");
    assert!(html.contains("\"lines\":[2]"));
    let picture = ["export", "run", "a.png", "--size", "128", "96", "--quiet"];
    ends(&place, &picture, 0);
    fs::remove_file(place.path("run/lines_00005.vtp")).expect("lines");
    assert!(ends(&place, &picture, 3).contains("lines_00005.vtp"));
    assert!(ends(&place, &["verify", "run"], 1).contains("lines_00005.vtp"));
}

#[test]
fn every_second_frame_makes_a_smaller_model() {
    let place = landed();
    let size = |every| {
        ends(&place, &["export", "run", "run.glb", "--every", every], 0);
        fs::metadata(place.path("run.glb")).expect("a model").len()
    };
    assert!(size("1") > size("2"));
    assert!(size("2") > size("100"));
}

/// A program of the name `ffmpeg` that copies its input to the file that the last argument names.
#[cfg(unix)]
#[test]
fn a_film_goes_through_ffmpeg_or_says_that_it_is_missing() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = landed();
    let export = |folders: &std::path::Path| {
        let mut command =
            place.command(&["export", "run", "run.mp4", "--size", "32", "16", "--quiet"]);
        command.env("PATH", folders).output().expect("the program")
    };
    let tools = place.path("tools");
    fs::create_dir(&tools).expect("room");
    let answer = export(&tools);
    assert_eq!(answer.status.code(), Some(6));
    assert!(String::from_utf8_lossy(&answer.stderr).contains("install ffmpeg"));

    let copy = "#!/bin/sh\nfor last; do :; done\nexec /bin/cat > \"$last\"\n";
    fs::write(tools.join("ffmpeg"), copy).expect("room");
    fs::set_permissions(tools.join("ffmpeg"), fs::Permissions::from_mode(0o755))
        .expect("a program");
    let answer = export(&tools);
    assert_eq!(
        answer.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&answer.stderr)
    );
    let film = fs::metadata(place.path("run.mp4")).expect("a film");
    assert_eq!(film.len(), 5 * 3 * 32 * 16);
}
