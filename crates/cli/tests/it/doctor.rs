//! `doctor`, and the warnings of `run` before it starts.

use std::fs;

use super::{Place, SCENE};

/// The cube overlaps the ground and a second cube.
fn heap() -> String {
    let second =
        SCENE.find("[[body]]").unwrap_or_default()..SCENE.find("[[obstacle]]").unwrap_or_default();
    let body = SCENE[second]
        .replace("cube", "intruder")
        .replace("[0, 0, 0.2]", "[0.03, 0.02, 0.0501]");
    SCENE
        .replacen("[[obstacle]]", &format!("{body}[[obstacle]]"), 1)
        .replacen("[0, 0, 0.2]", "[0, 0, 0.04]", 1)
}

#[test]
fn a_sound_scene_is_called_so() {
    let place = Place::new(SCENE);
    let answer = place.impinge(&["doctor", "scene.toml"]);
    assert_eq!(
        (answer.code, answer.out.as_str(), answer.err.as_str()),
        (Some(0), "scene.toml: 0 errors, 0 warnings, 0 notes\n", "")
    );
    assert_eq!(place.names(), ["scene.toml"]);
}

#[test]
fn overlaps_are_found_separated_and_run() {
    let place = Place::new(&heap());
    assert_eq!(place.impinge(&["run", "scene.toml"]).code, Some(3));
    assert_eq!(place.impinge(&["doctor", "scene.toml"]).code, Some(1));
    assert_eq!(place.names(), ["scene.toml"]);

    let answer = place.impinge(&["doctor", "scene.toml", "--separate", "apart.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    insta::assert_snapshot!("doctor_separate", answer.out);
    assert_eq!(place.impinge(&["doctor", "apart.toml"]).code, Some(0));
    let answer = place.impinge(&["run", "apart.toml", "--out", "r"]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    assert_eq!(place.impinge(&["verify", "r"]).code, Some(0));
}

#[test]
fn the_scene_is_not_overwritten() {
    let place = Place::new(&heap());
    let answer = place.impinge(&["doctor", "scene.toml", "--separate", "./scene.toml"]);
    assert_eq!((answer.code, answer.out.as_str()), (Some(3), ""));
    let said = "--separate ./scene.toml: this is an input file";
    assert!(answer.err.contains(said), "{}", answer.err);
    let left = fs::read_to_string(place.path("scene.toml")).expect("the scene");
    assert_eq!(left, heap());
}

/// Meshes of the scene are not overwritten, whatever path names them.
#[test]
fn meshes_that_are_read_are_not_overwritten() {
    let place = Place::new(SCENE);
    fs::write(place.path("shape.obj"), "whatever it is").expect("a file");
    let folder = place.path("shape.obj").with_file_name("");
    let folder = folder.display().to_string().replace('\\', "/");
    let absolute = format!("{folder}shape.obj");
    for mesh in [
        r#"file = { path = "shape.obj" }"#.to_owned(),
        format!(r#"file = {{ path = "{absolute}" }}"#),
        r#"filled = { path = "./shape.obj", size = 0.1 }"#.to_owned(),
    ] {
        let scene = SCENE.replacen(super::CUBOID, &mesh, 1);
        fs::write(place.path("scene.toml"), &scene).expect("a file");
        for out in ["shape.obj", "./shape.obj", &absolute] {
            let answer = place.impinge(&["doctor", "scene.toml", "--separate", out]);
            assert_eq!((answer.code, answer.out.as_str()), (Some(3), ""), "{mesh}");
            assert!(
                answer.err.contains("this is an input file"),
                "{}",
                answer.err
            );
            let left = fs::read_to_string(place.path("shape.obj")).expect("the mesh");
            assert_eq!(left, "whatever it is");
        }
    }
}

#[test]
fn json_holds_findings_and_moves() {
    let place = Place::new(&heap());
    let answer = place.impinge(&["doctor", "scene.toml", "--json", "--separate", "apart.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let value: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(value["errors"], value["findings"].as_array().unwrap().len());
    let overlap = &value["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["kind"] == "overlap")
        .unwrap();
    assert_eq!(
        (&overlap["first"], &overlap["second"]),
        (&"cube".into(), &"intruder".into())
    );
    assert!(overlap["depth"].as_f64().unwrap() > 0.0 && overlap["severity"] == "error");
    assert!(value["separated"]["moves"][0]["length"].as_f64().unwrap() > 0.0);
}

#[test]
fn trouble_has_exit_codes() {
    let place = Place::new(&SCENE.replacen("young = 1e5", "young = -1", 1));
    assert_eq!(place.impinge(&["doctor", "scene.toml"]).code, Some(3));
    assert_eq!(place.impinge(&["doctor", "none.toml"]).code, Some(3));
    fs::write(place.path("cut.msh"), "$MeshFormat\n").unwrap();
    let file = SCENE.replacen(super::CUBOID, "file = { path = \"cut.msh\" }", 1);
    fs::write(place.path("scene.toml"), file).unwrap();
    let answer = place.impinge(&["doctor", "scene.toml", "--separate", "out.toml"]);
    assert_eq!(answer.code, Some(3));
    assert!(answer.out.contains("cut.msh"), "{}", answer.out);
    fs::write(place.path("scene.toml"), heap()).unwrap();
    let answer = place.impinge(&["doctor", "scene.toml", "--separate", "none/out.toml"]);
    assert_eq!(answer.code, Some(6), "{}", answer.err);
    assert_eq!(place.names(), ["cut.msh", "scene.toml"]);
}

#[test]
fn a_run_warns_before_it_starts() {
    let place = Place::new(&SCENE.replacen("young = 1e5", "young = 2e3", 1));
    let answer = place.impinge(&["run", "scene.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(
        answer
            .err
            .starts_with("warning: `cube` is strained by about")
            && answer.err.contains("mend:"),
        "{}",
        answer.err
    );
    let answer = place.impinge(&["run", "scene.toml", "--quiet"]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
}

/// A touching start runs with a message, and `verify` accepts it.
#[test]
fn a_start_that_touches_is_run_and_verified() {
    let place = Place::new(&SCENE.replacen("[0, 0, 0.2]", "[0, 0, 0.05]", 1));
    let answer = place.impinge(&["doctor", "scene.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(
        answer.out.starts_with("note: `cube` and `ground` touch"),
        "{}",
        answer.out
    );
    let answer = place.impinge(&["run", "scene.toml", "--out", "r"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.err.contains("touch at the start"), "{}", answer.err);
    assert_eq!(place.impinge(&["verify", "r"]).code, Some(0));
}
