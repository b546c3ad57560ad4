//! `run --resume`: a resumed run equals one that never ended early.

use std::fs;
use std::path::Path;

use super::{Place, SCENE, names};

/// Two boxes, one of them rigid, that hit the ground and slide.
const BOXES: &str = r#"title = "boxes slide"

[time]
step = 2e-3
duration = 4e-2

[world]
friction = 0.3

[output]
every = 4

[[body]]
name = "soft"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.0505]
velocity = [0.5, 0.2, -0.5]

[[body]]
name = "rigid"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0.3, 0, 0.0505]
velocity = [0.5, 0, -0.5]

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

fn run(place: &Place, arguments: &[&str]) {
    let answer = place.impinge(&[&["run", "scene.toml"], arguments].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}

/// The rows of a table without the columns of wall time.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).expect("a table");
    let mut lines = text.lines().map(|line| line.split(','));
    let header: Vec<&str> = lines.next().expect("a header").collect();
    let rows = lines.map(|row| {
        let fields = header.iter().zip(row);
        let same = fields.filter(|(name, _)| !name.starts_with("time_"));
        same.map(|(_, field)| field.to_owned()).collect()
    });
    rows.collect()
}

/// Everything on disk except wall times and values that depend on the time of candidate searches.
fn assert_same(place: &Place, whole: &str, resumed: &str) {
    let (whole, resumed) = (place.path(whole), place.path(resumed));
    assert_eq!(names(&whole), names(&resumed));
    for name in names(&whole) {
        let (one, other) = (whole.join(&name), resumed.join(&name));
        match Path::new(&name).extension().and_then(|e| e.to_str()) {
            Some("vtu" | "pvd") => assert_eq!(
                fs::read(one).expect("a file"),
                fs::read(other).expect("a file"),
                "{name}"
            ),
            Some("csv") => {
                let without_candidates = |mut row: Vec<String>| {
                    if name == "steps.csv" {
                        for column in [14, 19, 20, 21] {
                            row[column].clear();
                        }
                    }
                    row
                };
                let table = |path: &Path| -> Vec<_> {
                    rows(path).into_iter().map(without_candidates).collect()
                };
                assert_eq!(table(&one), table(&other), "{name}");
            }
            _ => {}
        }
    }
}

#[test]
fn a_run_that_is_taken_up_again_is_the_one_that_never_ended() {
    let place = Place::new(BOXES);
    run(&place, &["--out", "whole"]);
    run(&place, &["--out", "parts", "--steps", "8"]);
    fs::copy(place.path("parts/checkpoint.bin"), place.path("early.bin")).expect("a checkpoint");
    run(&place, &["--out", "parts", "--resume", "--steps", "12"]);
    run(&place, &["--out", "parts", "--resume"]);
    assert_same(&place, "whole", "parts");

    // Killed after frames and rows that its checkpoint does not contain yet, in the middle of a row.
    fs::copy(place.path("early.bin"), place.path("parts/checkpoint.bin")).expect("room");
    let path = place.path("parts/steps.csv");
    let rows = fs::read_to_string(&path).expect("a table");
    fs::write(&path, &rows[..rows.len() - 40]).expect("room");
    run(&place, &["--out", "parts", "--resume"]);
    assert_same(&place, "whole", "parts");

    let verified = place.impinge(&["verify", "parts"]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
}

#[test]
fn a_run_that_is_complete_has_nothing_left_to_do() {
    let place = Place::new(SCENE);
    run(&place, &["--out", "out"]);
    let frames = names(&place.path("out"));
    run(&place, &["--out", "out", "--resume"]);
    assert_eq!(names(&place.path("out")), frames);
}

/// Prints `words`, ends with the code of bad input, and changes no file.
fn refused(place: &Place, arguments: &[&str], words: &[&str]) {
    let content = || -> Vec<_> {
        let folder = place.path("out");
        let files = names(&folder).into_iter();
        files
            .map(|name| fs::read(folder.join(name)).expect("a file"))
            .collect()
    };
    let before = content();
    let answer = place.impinge(
        &[
            &["run", "scene.toml", "--out", "out", "--resume"],
            arguments,
        ]
        .concat(),
    );
    assert_eq!(answer.code, Some(3), "{}{}", answer.out, answer.err);
    for word in words {
        assert!(
            answer.err.contains(word),
            "`{word}` is not said:\n{}",
            answer.err
        );
    }
    assert!(content() == before, "a file was touched");
}

#[test]
fn runs_that_cannot_be_resumed_are_rejected_and_unchanged() {
    let place = Place::new(SCENE);
    fs::create_dir(place.path("out")).expect("room");
    refused(
        &place,
        &[],
        &["out", "no run that can be resumed", "mend:", "--resume"],
    );
    run(&place, &["--out", "out"]);
    refused(
        &place,
        &["--set", "body.0.material.young=2e5"],
        &["a different scene", "material.young", "mend:"],
    );
    let path = place.path("out/checkpoint.bin");
    let sound = fs::read(&path).expect("a checkpoint");
    for damage in [
        |bytes: &mut Vec<u8>| bytes.truncate(25),
        |bytes: &mut Vec<u8>| bytes[0] ^= 1,
        |bytes: &mut Vec<u8>| *bytes.last_mut().expect("bytes") ^= 1,
    ] {
        let mut bytes = sound.clone();
        damage(&mut bytes);
        fs::write(&path, bytes).expect("room");
        refused(&place, &[], &["checkpoint.bin", "is damaged", "mend:"]);
    }
}

#[test]
fn tables_that_lack_rows_are_refused_before_anything_is_cut() {
    let place = Place::new(BOXES);
    run(&place, &["--out", "out", "--steps", "8"]);
    for (table, row) in [("out/steps.csv", 3), ("out/rigid.csv", 3)] {
        let path = place.path(table);
        let sound = fs::read_to_string(&path).expect("a table");
        let lines: Vec<&str> = sound.lines().collect();
        let without: Vec<&str> = match table {
            "out/steps.csv" => [&lines[..row], &lines[row + 1..]].concat(),
            _ => lines[..row].to_vec(),
        };
        fs::write(&path, without.join("\n")).expect("room");
        refused(&place, &[], &[table, "one is missing", "step 8", "mend:"]);
        fs::write(&path, sound).expect("room");
    }
    run(&place, &["--out", "out", "--resume"]);
}

/// Rows after the checkpoint, as a killed program leaves them, would be cut; a damaged number before it stops that.
#[test]
fn a_damaged_number_is_refused_before_anything_is_cut() {
    let place = Place::new(BOXES);
    run(&place, &["--out", "out", "--steps", "8"]);
    let path = place.path("out/energies.csv");
    let sound = fs::read_to_string(&path).expect("a table");
    let last = sound.lines().next_back().expect("rows");
    let (_, fields) = last.split_once(',').expect("a step");
    let longer = format!("{sound}9,{fields}\n");
    let row = sound.lines().nth(3).expect("a row");
    let (start, _) = row.rsplit_once(',').expect("numbers");
    let damaged = longer.replacen(row, &format!("{start},none"), 1);
    assert_ne!(damaged, longer);
    fs::write(&path, damaged).expect("room");
    refused(
        &place,
        &[],
        &["energies.csv", "row 3", "is damaged", "mend:"],
    );
    fs::write(&path, &longer).expect("room");
    run(&place, &["--out", "out", "--resume"]);
}

#[test]
fn the_asynchronous_stepper_says_that_it_cannot() {
    let sheet = r#"stepper = "asynchronous"
title = "a sheet falls"
[time]
step = 1e-3
duration = 2e-3
[asynchronous]
thickness = 2e-3
[[body]]
name = "sheet"
kind = "shell"
mesh = { grid = { size = [0.4, 0.4], cells = [4, 4] } }
shell = { stretch = 50, bend = 1e-6, density = 0.2 }
"#;
    let place = Place::new(sheet);
    run(&place, &["--out", "out"]);
    assert!(!names(&place.path("out")).contains(&"checkpoint.bin".to_owned()));
    refused(&place, &[], &["asynchronous", "event times"]);
    // Storing more frames would not help, and is not recommended.
    let answer = place.impinge(&["verify", "out"]);
    assert!(
        answer.err.contains("do not move straight within a step"),
        "{}",
        answer.err
    );
}

/// The scene is the same word for word, and its mesh becomes half as high: that is another run.
#[test]
fn a_mesh_file_that_changed_is_noticed() {
    let scene = SCENE.replace(
        "mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }",
        "mesh = { file = { path = \"c.msh\" } }",
    );
    assert_ne!(scene, SCENE);
    let place = Place::new(&scene);
    let make = |height: &str| {
        let answer = place.impinge(&[
            "mesh", "make", "cuboid", "--size", "0.1", "0.1", height, "--cells", "1", "1", "1",
            "c.msh",
        ]);
        assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.err);
    };
    make("0.1");
    run(&place, &["--out", "out", "--steps", "1"]);
    make("0.05");
    refused(
        &place,
        &[],
        &[
            "a mesh file or the mesh generator has changed",
            "without --resume",
        ],
    );
    make("0.1");
    run(&place, &["--out", "out", "--resume"]);
}

/// Symptom: the checkpoint and the manifest contain every step and are written with every frame. Law: neither grows
/// with the steps, and lists grow in place.
#[test]
fn the_cost_of_a_frame_does_not_grow() {
    let scene = BOXES
        .replace("every = 4", "every = 1")
        .replace("duration = 4e-2", "duration = 1");
    let place = Place::new(&scene);
    let sizes = |steps: &str| {
        run(
            &place,
            &["--out", "out", "--steps", steps, "--accept-inexact"],
        );
        ["manifest.json", "checkpoint.bin"].map(|name| {
            let path = place.path("out").join(name);
            fs::metadata(path).expect("a file").len()
        })
    };
    let (few, many) = (sizes("5"), sizes("60"));
    // The number of contacts varies, at half a kilobyte each.
    assert!(
        few[0] == many[0] && many[1] < few[1] + 16_000,
        "{few:?} {many:?}"
    );
}

/// A missing or altered frame prevents a resumed run.
#[test]
fn earlier_frames_have_to_be_there() {
    let place = Place::new(BOXES);
    run(
        &place,
        &["--out", "out", "--steps", "12", "--accept-inexact"],
    );
    let path = place.path("out/frame_00001.vtu");
    let sound = fs::read(&path).expect("a frame");
    fs::remove_file(&path).expect("there");
    refused(&place, &[], &["frame_00001.vtu", "is missing", "mend:"]);
    let mut altered = sound.clone();
    let last = altered.len() - 20;
    altered[last] ^= 1;
    fs::write(&path, altered).expect("room");
    refused(&place, &[], &["frame_00001.vtu", "checksum", "mend:"]);
    fs::write(&path, sound).expect("room");
    run(&place, &["--out", "out", "--resume", "--accept-inexact"]);
}

/// The files of a killed run can be replaced, whenever it was killed.
#[cfg(unix)]
#[test]
fn a_killed_run_can_be_replaced() {
    let place = Place::new(SCENE);
    for delay in 0..12 {
        let arguments = ["run", "scene.toml", "--out", "out", "--quiet"];
        let mut child = place
            .command(&arguments)
            .spawn()
            .expect("the program was built");
        while !place.path("out/.lock").exists() && child.try_wait().expect("a child").is_none() {}
        std::thread::sleep(std::time::Duration::from_micros(150 * delay));
        child.kill().expect("a child");
        child.wait().expect("a child");
        run(&place, &["--out", "out", "--steps", "1"]);
        fs::remove_dir_all(place.path("out")).expect("there");
    }
}
