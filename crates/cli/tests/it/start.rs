//! `scene new`: a scene to start from.

use std::fs;

use super::{Place, SCENE};

#[test]
fn the_starter_runs_as_it_says() {
    let place = Place::new(SCENE);
    let answer = place.impinge(&["scene", "new", "crate"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(
        answer.out.starts_with("wrote crate.toml\n"),
        "{}",
        answer.out
    );
    let text = fs::read_to_string(place.path("crate.toml")).expect("the scene was written");
    assert!(text.contains("impinge run crate.toml") && text.contains("impinge view out/crate"));
    let answer = place.impinge(&["doctor", "crate.toml"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.err);
    assert!(
        answer.out.contains("0 errors, 0 warnings"),
        "{}",
        answer.out
    );
    let answer = place.impinge(&["run", "crate.toml", "--steps", "200"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.err);
    let answer = place.impinge(&["verify", "out/crate"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.err);
}

/// Each commented part of the starter is a valid part of its scene, once the marks of the comment are removed.
#[test]
fn the_commented_parts_of_the_starter_are_valid() {
    let place = Place::new(SCENE);
    assert_eq!(
        place.impinge(&["scene", "new"]).code,
        Some(3),
        "scene.toml exists"
    );
    assert_eq!(place.impinge(&["scene", "new", "a.toml"]).code, Some(0));
    let text = fs::read_to_string(place.path("a.toml")).expect("the scene was written");
    let cloth = text.find("# [[body]]").expect("the starter has a cloth");
    let end = cloth + text[cloth..].find("\n\n").expect("an obstacle follows");
    let block = text[cloth..end].replace("# [[", "[[").replace("\n# ", "\n");
    let text = text.replace(&text[cloth..end], &block);
    let text = text.replace("# copies", "copies");
    let text = text.replace("# mesh = { filled", "filled = { filled");
    let filled = text.find("filled = ").expect("the starter has a mesh file");
    let line = filled + text[filled..].find('\n').expect("the line ends");
    let ball = "mesh = { sphere = { radius = 0.1, subdivisions = 4 } }";
    assert!(text.contains(ball));
    let mesh = text[filled..line].replacen("filled = ", "mesh = ", 1);
    let text = text.replace(&text[filled..line], "").replace(ball, &mesh);
    // A ball of 100 mm.
    let answer = place.impinge(&["mesh", "make", "sphere", "--radius", "100", "part.stl"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    fs::write(place.path("a.toml"), &text).expect("room for a file");
    let answer = place.impinge(&["scene", "validate", "a.toml"]);
    assert_eq!(answer.code, Some(0), "{}\n{text}", answer.err);
    assert!(
        answer.out.contains("valid; 22 bodies, 1 obstacles"),
        "{}",
        answer.out
    );
}

#[test]
fn an_existing_file_stays() {
    let place = Place::new(SCENE);
    for name in ["scene.toml", "scene"] {
        let answer = place.impinge(&["scene", "new", name]);
        assert_eq!(answer.code, Some(3));
        assert!(answer.err.contains("scene.toml exists"), "{}", answer.err);
    }
    assert_eq!(
        fs::read_to_string(place.path("scene.toml")).expect("it exists"),
        SCENE
    );
    let answer = place.impinge(&["scene", "new", "no/such/scene.toml"]);
    assert_eq!(answer.code, Some(6));
    assert!(answer.err.contains("mend: "), "{}", answer.err);
    assert_eq!(place.names(), ["scene.toml"]);
}

/// A part in millimetres, and elements whose size does not fit it: one remedy, which names the unit.
#[test]
fn a_file_in_millimetres_gets_a_hint() {
    let place = Place::new(SCENE);
    let made = place.impinge(&[
        "mesh",
        "make",
        "ring",
        "--major-radius",
        "50",
        "--section",
        "20",
        "part.stl",
    ]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let cuboid = "cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }";
    let with = |mesh: &str| {
        fs::write(place.path("part.toml"), SCENE.replace(cuboid, mesh)).expect("room for a file");
        place.impinge(&["doctor", "part.toml"]).out
    };
    let said = with(r#"filled = { path = "part.stl", size = 0.02 }"#);
    assert!(
        said.contains("a file in millimetres also needs `scale = 0.001`"),
        "{said}"
    );
    assert_eq!(said.matches("mend: ").count(), 1, "{said}");
    let said = with(r#"filled = { path = "part.stl", size = 10 }"#);
    assert!(
        said.contains("a mesh in millimetres needs `scale = 0.001`"),
        "{said}"
    );
    let said = with(r#"filled = { path = "part.stl", scale = 0.001, size = 0.01 }"#);
    assert!(said.contains("0 errors, 0 warnings"), "{said}");
}
