//! Bad input: one paragraph that names the place and a remedy, an exit code, and no file left behind.

use std::fs;

use super::{CUBOID, Place, SCENE};

/// Runs the scene with `from` replaced by `to`, and checks the message.
fn refused(from: &str, to: &str, words: &[&str]) {
    assert!(SCENE.contains(from), "`{from}` is not in the scene");
    let place = Place::new(&SCENE.replacen(from, to, 1));
    check(&place, words);
}

fn check(place: &Place, words: &[&str]) {
    let before = place.names();
    let answer = place.impinge(&["run", "scene.toml"]);
    assert_eq!(answer.code, Some(3), "{}{}", answer.out, answer.err);
    for word in words {
        assert!(
            answer.err.contains(word),
            "`{word}` is not said:\n{}",
            answer.err
        );
    }
    assert_eq!(answer.out, "");
    assert_eq!(place.names(), before, "something was left behind");
}

#[test]
fn values_without_meaning() {
    refused(
        "density = 1000",
        "density = -1000",
        &["scene.toml:10:", "density", "mend:"],
    );
    refused(
        "step = 1e-3",
        "step = 0",
        &["scene.toml:4:", "time step", "mend:"],
    );
    refused("step = 1e-3", "step = -1", &["scene.toml:4:", "mend:"]);
    refused(
        "step = 1e-3",
        "step = nan",
        &["scene.toml:4:", "NaN", "mend:"],
    );
    refused(
        "name = \"cube\"",
        "friction = -0.1",
        &["scene.toml:8:", "friction", "mend:"],
    );
}

#[test]
fn unknown_keys() {
    refused(
        "duration",
        "durration",
        &["scene.toml:5:", "did you mean `duration`"],
    );
}

#[test]
fn missing_and_truncated_meshes() {
    refused(
        CUBOID,
        "file = { path = \"none.msh\" }",
        &["scene.toml:9:", "none.msh", "mend:"],
    );
    let place = Place::new(&SCENE.replacen(CUBOID, "file = { path = \"cut.msh\" }", 1));
    fs::write(
        place.path("cut.msh"),
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1",
    )
    .unwrap();
    check(&place, &["scene.toml:9:", "cut.msh", "mend:"]);
}

#[test]
fn unusable_elements() {
    let mesh = |nodes: &str, tet: &str, kind: u32| {
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n{nodes}$EndNodes\n$Elements\n1\n1 {kind} 0 \
             {tet}\n$EndElements\n"
        )
    };
    let good = "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    let cases = [
        (
            mesh("1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n", "1 2 3 4", 4),
            "tetrahedron 0",
        ),
        (
            mesh("1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 nan\n", "1 2 3 4", 4),
            "node",
        ),
        (mesh(good, "1 2 3 4", 3), "bad.msh"),
    ];
    for (text, word) in cases {
        let place = Place::new(&SCENE.replacen(CUBOID, "file = { path = \"bad.msh\" }", 1));
        fs::write(place.path("bad.msh"), text).unwrap();
        check(&place, &["scene.toml:9:", "bad.msh", word, "mend:"]);
    }
}

#[test]
fn bodies_that_overlap_at_the_start() {
    let second = SCENE.find("[[body]]").unwrap()..SCENE.find("[[obstacle]]").unwrap();
    let body = SCENE[second]
        .replace("cube", "intruder")
        .replace("[0, 0, 0.2]", "[0.03, 0.02, 0.21]");
    let place = Place::new(&SCENE.replacen("[[obstacle]]", &format!("{body}[[obstacle]]"), 1));
    check(&place, &["cube", "intruder"]);
    refused("[0, 0, 0.2]", "[0, 0, 0.04]", &["cube", "ground"]);
}

#[test]
fn a_missing_scene() {
    let place = Place::new(SCENE);
    let answer = place.impinge(&["run", "other.toml"]);
    assert_eq!(answer.code, Some(3));
    assert!(
        answer.err.contains("other.toml") && answer.err.contains("mend:"),
        "{}",
        answer.err
    );
    assert_eq!(place.names(), ["scene.toml"]);
}

#[test]
fn usage_errors() {
    let place = Place::new(SCENE);
    for arguments in [
        &["run"] as &[&str],
        &["run", "scene.toml", "--steps", "0"],
        &["run", "scene.toml", "--until", "-1"],
        &["run", "scene.toml", "--until", "1", "--steps", "1"],
        &["run", "scene.toml", "--threads", "0"],
        &["dance"],
    ] {
        assert_eq!(place.impinge(arguments).code, Some(2), "{arguments:?}");
    }
    assert_eq!(place.names(), ["scene.toml"]);
}

/// Symptom: `--steps -3` was an "unexpected argument". Law: the message names the option and its range.
#[test]
fn negative_numbers_are_values_out_of_range() {
    let place = Place::new(SCENE);
    let at_least_one = "give a whole number that is at least 1";
    for (option, value, range) in [
        ("--steps", "-3", at_least_one),
        ("--steps", "0", at_least_one),
        ("--steps", "1.5", at_least_one),
        ("--until", "-0.5", "give a number greater than 0"),
        ("--threads", "-1", "give a whole number greater than 0"),
    ] {
        let answer = place.impinge(&["run", "scene.toml", option, value]);
        assert_eq!(answer.code, Some(2), "{option} {value}: {}", answer.err);
        for said in [option, value, range] {
            assert!(answer.err.contains(said), "{said}: {}", answer.err);
        }
    }
    assert_eq!(place.names(), ["scene.toml"]);
}

#[test]
fn an_override_that_has_no_meaning_is_named() {
    let place = Place::new(SCENE);
    let answer = place.impinge(&["run", "scene.toml", "--set", "body.0.material.young=-1"]);
    assert_eq!(answer.code, Some(3));
    assert!(
        answer.err.contains("--set body.0.material.young=-1"),
        "{}",
        answer.err
    );
    assert_eq!(place.names(), ["scene.toml"]);
}

#[test]
fn an_output_folder_that_cannot_be() {
    let place = Place::new(SCENE);
    fs::write(place.path("file"), "").unwrap();
    for out in ["file", "file/inside"] {
        let answer = place.impinge(&["run", "scene.toml", "--out", out]);
        assert_eq!(answer.code, Some(6), "{}", answer.err);
        assert!(
            answer.err.contains("file") && answer.err.contains("mend:"),
            "{}",
            answer.err
        );
    }
    assert_eq!(place.names(), ["file", "scene.toml"]);
}

/// Permissions do not restrict the superuser, as whom containers often run.
#[cfg(unix)]
#[test]
fn an_output_folder_that_may_not_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(SCENE);
    let folder = place.path("locked");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(folder.join("probe"), "").is_ok() {
        println!("skipped: permissions do not bind this user");
        return;
    }
    let answer = place.impinge(&["run", "scene.toml", "--out", "locked/run"]);
    assert_eq!(answer.code, Some(6), "{}", answer.err);
    assert!(answer.err.contains("locked"), "{}", answer.err);
}

#[test]
fn an_output_folder_with_other_files() {
    let place = Place::new(SCENE);
    let answer = place.impinge(&["run", "scene.toml", "--out", "."]);
    assert_eq!(answer.code, Some(6), "{}", answer.err);
    assert!(answer.err.contains("scene.toml"), "{}", answer.err);
    assert_eq!(place.names(), ["scene.toml"]);
}

#[test]
fn verify_rejects_other_paths() {
    let place = Place::new(SCENE);
    for path in [".", "scene.toml", "none"] {
        let answer = place.impinge(&["verify", path]);
        assert_eq!(answer.code, Some(3), "{path}: {}{}", answer.out, answer.err);
        assert!(answer.err.contains("mend:"), "{}", answer.err);
    }
    // The other files are checked nevertheless.
    let answer = place.impinge(&["verify", "none", "scene.toml"]);
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    for path in ["none", "scene.toml"] {
        assert!(answer.err.contains(path), "{path}: {}", answer.err);
    }
}

/// Symptom: a run with a hundred thousand threads hangs before the first step.
#[test]
fn more_threads_than_can_be_of_use_are_refused() {
    let place = Place::new(SCENE);
    for command in ["run", "compare"] {
        let answer = place.impinge(&[command, "scene.toml", "--threads", "100000"]);
        assert_eq!(answer.code, Some(3), "{}", answer.err);
        for said in ["--threads 100000", "processors", "mend: give at most"] {
            assert!(answer.err.contains(said), "{said}: {}", answer.err);
        }
    }
    assert_eq!(place.names(), ["scene.toml"]);
}

/// Failing to write results to standard output is an error.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_told() {
    let place = Place::new(SCENE);
    let made = place.impinge(&["mesh", "make", "cuboid", "c.msh"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let compare = [
        "compare",
        "scene.toml",
        "--json",
        "--methods",
        "cr",
        "--steps",
        "1",
        "--quiet",
    ];
    for arguments in [
        &["scene", "schema"][..],
        &["doctor", "scene.toml", "--json"],
        &["mesh", "info", "c.msh"],
        &compare,
    ] {
        let full = fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("a device");
        let output = place
            .command(arguments)
            .stdout(full)
            .output()
            .expect("the program was built");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(6), "{arguments:?}: {error}");
        assert!(error.contains("mend:"), "{error}");
    }
}

/// Text in a scene must not lead out of its folder or reach the terminal unescaped.
#[test]
fn scenes_of_others_do_no_harm() {
    let place = Place::new(SCENE);
    let run = |arguments: &[&str]| {
        place.impinge(&[&["run", "scene.toml", "--quiet"], arguments].concat())
    };
    for folder in ["../x", "/tmp/x", "a/../../x"] {
        let answer = run(&["--set", &format!("solver.rest_compliance={folder}")]);
        assert_eq!(answer.code, Some(3), "{}", answer.err);
        assert!(
            answer.err.contains("rest_compliance") && answer.err.contains("mend:"),
            "{}",
            answer.err
        );
    }
    fs::copy(place.path("scene.toml"), place.path("...toml")).expect("room");
    let answer = place.impinge(&["run", "...toml", "--quiet"]);
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert!(answer.err.contains("--out"), "{}", answer.err);
    assert!(!place.path("manifest.json").exists());

    let many = SCENE.replace(
        "position = [0, 0, 0.2]",
        "position = [0, 0, 0.2]\ncopies = { count = 1000000, columns = [1000, 10], spacing = [1, 1, 1] }",
    );
    assert_ne!(many, SCENE);
    fs::write(place.path("many.toml"), many).expect("room");
    let answer = place.impinge(&["run", "many.toml", "--quiet"]);
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert!(
        answer.err.contains("bodies") && answer.err.contains("copies"),
        "{}",
        answer.err
    );

    let escape = SCENE.replace(
        "name = \"cube\"",
        "name = \"\\u001b[2Jcube\"\nfriction = -1",
    );
    assert_ne!(escape, SCENE);
    fs::write(place.path("escape.toml"), escape).expect("room");
    for command in ["run", "doctor"] {
        let answer = place.impinge(&[command, "escape.toml"]);
        assert!(!answer.err.contains('\u{1b}') && !answer.out.contains('\u{1b}'));
    }
}

/// A mesh that is a link to an endless device is rejected at once.
#[cfg(target_os = "linux")]
#[test]
fn endless_meshes_are_refused() {
    let place = Place::new(SCENE);
    std::os::unix::fs::symlink("/dev/zero", place.path("endless.stl")).expect("room");
    let answer = place.impinge(&["mesh", "info", "endless.stl"]);
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert!(answer.err.contains("device"), "{}", answer.err);
}
