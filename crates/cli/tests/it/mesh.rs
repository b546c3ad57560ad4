//! `mesh info`, `mesh convert` and `mesh make`.

use std::fs;

use super::{CUBOID, Place, SCENE};

#[test]
fn a_ring_is_made_examined_and_converted() {
    let place = Place::new(SCENE);
    assert_eq!(
        place.impinge(&["mesh", "make", "ring", "ring.msh"]).code,
        Some(0)
    );
    let answer = place.impinge(&["mesh", "info", "ring.msh"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for number in ["72", "108", "144", "216"] {
        assert!(answer.out.contains(number), "{number}: {}", answer.out);
    }
    assert_eq!(
        place
            .impinge(&["mesh", "convert", "ring.msh", "ring.vtu", "--scale", "2"])
            .code,
        Some(0)
    );
    assert_eq!(
        place
            .impinge(&["mesh", "convert", "ring.vtu", "ring.obj"])
            .code,
        Some(0)
    );
    let answer = place.impinge(&["mesh", "info", "ring.obj"]);
    assert!(answer.out.contains("144"), "{}", answer.out);
}

#[test]
fn every_shape_is_made() {
    let place = Place::new(SCENE);
    for shape in ["ring", "torus", "cuboid", "sphere", "cylinder", "sheet"] {
        let file = format!("{shape}.msh");
        let answer = place.impinge(&["mesh", "make", shape, &file]);
        assert_eq!(answer.code, Some(0), "{shape}: {}", answer.err);
        assert_eq!(
            place.impinge(&["mesh", "info", &file]).code,
            Some(0),
            "{shape}"
        );
    }
}

#[test]
fn bad_meshes_and_formats_are_refused() {
    let place = Place::new(SCENE);
    fs::write(place.path("cut.msh"), "$MeshFormat\n").unwrap();
    let before = place.names();
    for (arguments, code, word) in [
        (&["mesh", "info", "none.msh"] as &[&str], 3, "none.msh"),
        (&["mesh", "info", "cut.msh"], 3, "cut.msh"),
        (&["mesh", "convert", "cut.msh", "b.vtu"], 3, "cut.msh"),
        (&["mesh", "make", "ring", "ring.xyz"], 6, ".xyz"),
        (
            &["mesh", "make", "ring", "--section", "1", "ring.msh"],
            3,
            "ring",
        ),
        (&["mesh", "make", "ring", "none/ring.msh"], 6, "none"),
    ] {
        let answer = place.impinge(arguments);
        assert_eq!(
            answer.code,
            Some(code),
            "{arguments:?}: {}{}",
            answer.out,
            answer.err
        );
        assert!(answer.err.contains(word), "{arguments:?}: {}", answer.err);
    }
    assert_eq!(place.names(), before);
}

#[test]
fn a_surface_becomes_a_solid_that_runs() {
    let place = Place::new(SCENE);
    let quiet = |arguments: &[&str]| {
        let answer = place.impinge(arguments);
        assert_eq!(answer.code, Some(0), "{arguments:?}: {}", answer.err);
        answer
    };
    quiet(&[
        "mesh", "make", "cylinder", "--radius", "0.05", "--height", "0.1", "can.stl",
    ]);
    let answer = quiet(&[
        "mesh",
        "tetrahedralize",
        "can.stl",
        "can.msh",
        "--size",
        "0.025",
    ]);
    insta::assert_snapshot!("tetrahedralize", answer.out);
    quiet(&[
        "mesh",
        "tetrahedralize",
        "can.stl",
        "can.mesh",
        "--size",
        "0.025",
        "--quiet",
    ]);
    quiet(&["mesh", "convert", "can.mesh", "can.vtu"]);

    let scene = SCENE.replacen(CUBOID, "file = { path = \"can.vtu\" }", 1);
    fs::write(place.path("can.toml"), scene).unwrap();
    quiet(&["run", "can.toml", "--out", "r"]);
    quiet(&["verify", "r"]);
}

#[test]
fn surfaces_that_enclose_nothing_are_refused_with_a_mend() {
    let place = Place::new(SCENE);
    place.impinge(&["mesh", "make", "sphere", "ball.obj"]);
    let text = fs::read_to_string(place.path("ball.obj")).unwrap();
    let (open, _) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(place.path("open.obj"), open).unwrap();
    place.impinge(&["mesh", "convert", "ball.obj", "inwards.obj", "--reverse"]);
    let before = place.names();
    let mut said = String::new();
    for arguments in [
        &["open.obj", "a.msh", "--size", "0.1"] as &[&str],
        &["inwards.obj", "a.msh", "--size", "0.1"],
        &["ball.obj", "a.msh", "--size", "1e-4"],
        &["ball.obj", "a.msh", "--size", "1e-200"],
        &["ball.obj", "a.msh", "--size", "3"],
    ] {
        let answer = place.impinge(&[&["mesh", "tetrahedralize"], arguments].concat());
        assert_eq!(answer.code, Some(3), "{arguments:?}: {}", answer.err);
        said += &answer.err;
    }
    insta::assert_snapshot!("tetrahedralize_refusals", said);
    assert_eq!(place.names(), before);
    // The remedy in the message.
    place.impinge(&["mesh", "convert", "inwards.obj", "again.obj", "--reverse"]);
    let answer = place.impinge(&[
        "mesh",
        "tetrahedralize",
        "again.obj",
        "a.msh",
        "--size",
        "0.2",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}
