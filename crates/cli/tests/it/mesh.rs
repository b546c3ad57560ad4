//! `mesh info`, `mesh convert` and `mesh make`.

use std::fs;

use super::{Place, SCENE};

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
    for shape in ["ring", "cuboid", "sphere", "cylinder", "sheet"] {
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
        (&["mesh", "make", "ring", "ring.stl"], 6, ".stl"),
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
