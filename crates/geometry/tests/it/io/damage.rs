//! Damaged files of every format are refused or read, but never panic and never hang.

use impinge_geometry::io::{
    read_tet_mesh, read_triangle_mesh, write_tet_mesh, write_triangle_mesh,
};
use impinge_geometry::mesh::generate;
use proptest::prelude::*;

use super::file;
use super::formats::binary;

/// A sound file of each format.
fn sound_files() -> Vec<(&'static str, Vec<u8>)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let solid = generate::cuboid([1.0, 1.0, 1.0], [1, 1, 1]).expect("a box");
    let surface = generate::cuboid_surface([1.0, 1.0, 1.0]).expect("a box");
    let [msh, vtu, obj] = ["a.msh", "a.vtu", "a.obj"].map(|name| folder.path().join(name));
    write_tet_mesh(&msh, &solid).expect("a writable folder");
    write_tet_mesh(&vtu, &solid).expect("a writable folder");
    write_triangle_mesh(&obj, &surface).expect("a writable folder");
    let read = |path| std::fs::read(path).expect("a readable folder");
    let legacy = "# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
        0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";
    vec![
        ("a.msh", read(msh)),
        ("a.vtu", read(vtu)),
        ("a.obj", read(obj)),
        ("a.msh", binary("2.2", false)),
        ("a.msh", binary("4.1", false)),
        ("a.msh", binary("4.1", true)),
        ("a.vtk", legacy.as_bytes().to_vec()),
    ]
}

/// Reads as both kinds; any answer will do.
fn read_both(name: &str, content: &[u8]) {
    let (_folder, path) = file(name, content);
    let _ = read_tet_mesh(&path);
    let _ = read_triangle_mesh(&path);
}

#[test]
fn the_sound_files_are_sound() {
    for (name, content) in sound_files() {
        let (_folder, path) = file(name, content);
        if name == "a.obj" {
            read_triangle_mesh(path).unwrap();
        } else {
            read_tet_mesh(path).unwrap();
        }
    }
}

#[test]
fn a_truncated_msh_file_is_always_an_error() {
    for (name, content) in sound_files()
        .into_iter()
        .filter(|(name, _)| *name == "a.msh")
    {
        // Up to the last newline and the end mark there is nothing to lose.
        for length in 0..content.len() - 1 {
            let (_folder, path) = file(name, &content[..length]);
            assert!(
                read_tet_mesh(path).is_err(),
                "cut at {length} of {}",
                content.len()
            );
        }
    }
}

proptest! {
    #[test]
    fn truncated_files(which in 0usize..7, cut in 0.0..1.0f64) {
        let (name, content) = sound_files().swap_remove(which);
        #[expect(clippy::cast_sign_loss, reason = "a part of a length")]
        let length = (cut * content.len() as f64) as usize;
        read_both(name, &content[..length]);
    }

    #[test]
    fn overwritten_bytes(which in 0usize..7, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let (name, mut content) = sound_files().swap_remove(which);
        for (place, byte) in changes {
            let place = place.index(content.len());
            content[place] = byte;
        }
        read_both(name, &content);
    }

    #[test]
    fn overwritten_digits(which in 0usize..7, changes in prop::collection::vec((any::<prop::sample::Index>(), b'0'..=b'9'), 1..4)) {
        // Digits in the place of digits change counts and indices while the file stays well-formed.
        let (name, mut content) = sound_files().swap_remove(which);
        let digits: Vec<usize> = (0..content.len()).filter(|&place| content[place].is_ascii_digit()).collect();
        for (place, digit) in changes {
            content[*place.get(&digits)] = digit;
        }
        read_both(name, &content);
    }

    #[test]
    fn any_bytes(content in prop::collection::vec(any::<u8>(), 0..200)) {
        for name in ["a.msh", "a.obj", "a.vtk", "a.vtu"] {
            read_both(name, &content);
        }
    }
}
