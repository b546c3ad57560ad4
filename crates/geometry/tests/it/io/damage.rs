//! Readers reject or read damaged files of every format, but never panic and never hang.

use std::sync::LazyLock;

use impinge_damage::{mutants, peak_memory};
use impinge_geometry::io::{
    read_tet_mesh, read_triangle_mesh, write_tet_mesh, write_triangle_mesh,
};
use impinge_geometry::mesh::generate;
use proptest::prelude::*;

use super::file;
use super::formats::binary;
use super::{ply, stl, vtk};

/// Mutants of each valid file.
const MUTANTS: usize = 160;

/// A valid file of each format.
fn sound_files() -> Vec<(&'static str, Vec<u8>)> {
    // Created once: every written file waits for the disk.
    static FILES: LazyLock<Vec<(&'static str, Vec<u8>)>> = LazyLock::new(make_sound_files);
    FILES.clone()
}

fn make_sound_files() -> Vec<(&'static str, Vec<u8>)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let solid = generate::cuboid([1.0, 1.0, 1.0], [1, 1, 1]).expect("a box");
    let surface = generate::cuboid_surface([1.0, 1.0, 1.0]).expect("a box");
    let [msh, vtu, mesh] = ["a.msh", "a.vtu", "a.mesh"].map(|name| folder.path().join(name));
    let [obj, ascii_stl] = ["a.obj", "a.stl"].map(|name| folder.path().join(name));
    write_tet_mesh(&msh, &solid).expect("a writable folder");
    write_tet_mesh(&vtu, &solid).expect("a writable folder");
    write_tet_mesh(&mesh, &solid).expect("a writable folder");
    write_triangle_mesh(&obj, &surface).expect("a writable folder");
    write_triangle_mesh(&ascii_stl, &surface).expect("a writable folder");
    let read = |path| std::fs::read(path).expect("a readable folder");
    let legacy = "# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
        0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";
    let mut files = vec![
        ("a.msh", read(msh)),
        ("a.vtu", read(vtu)),
        ("a.obj", read(obj)),
        ("a.msh", binary("2.2", false)),
        ("a.msh", binary("4.1", false)),
        ("a.msh", binary("4.1", true)),
        ("a.vtk", legacy.as_bytes().to_vec()),
        ("a.mesh", read(mesh)),
        ("a.stl", read(ascii_stl)),
        (
            "a.stl",
            stl::binary(&surface, "solid by its first word alone"),
        ),
        ("a.ply", ply::tetrahedron("ascii")),
        ("a.ply", ply::tetrahedron("binary_little_endian")),
        ("a.ply", ply::tetrahedron("binary_big_endian")),
        ("a.msh", super::groups::FORMAT_1.into()),
        ("a.msh", super::groups::FORMAT_4_0.into()),
    ];
    for options in vtk::Options::all() {
        files.push(("a.vtu", vtk::grid(options, "Float64", "Int64")));
        files.push(("a.vtp", vtk::polygons(options)));
    }
    files
}

/// Number of valid files.
const FILES: usize = 15 + 2 * 48;

/// Reads as solid and as surface; any answer is valid.
fn read_both(name: &str, content: &[u8]) {
    let (_folder, path) = file(name, content);
    let _ = read_tet_mesh(&path);
    let _ = read_triangle_mesh(&path);
}

/// Bound of the memory of a reader for files of a few kilobytes (bytes): far above its need, far below the size of a
/// damaged count.
const MOST_MEMORY: usize = 16 << 20;

/// A few hundred mutants of every valid file.
#[test]
fn mutants_of_every_format() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (seed, (name, sound)) in (0..).zip(sound_files()) {
        let path = folder.path().join(name);
        // There are many VTK files, so each has a smaller share.
        let share = if ["a.vtu", "a.vtp"].contains(&name) {
            16
        } else {
            1
        };
        for content in mutants(&sound, seed).take(MUTANTS / share) {
            std::fs::write(&path, &content).expect("a writable folder");
            let ((), bytes) = peak_memory(|| {
                let _ = read_tet_mesh(&path);
                let _ = read_triangle_mesh(&path);
            });
            let shown = || String::from_utf8_lossy(&content).into_owned();
            assert!(
                bytes < MOST_MEMORY,
                "{name} takes {bytes} bytes: {}",
                shown()
            );
        }
    }
}

#[test]
fn the_sound_files_are_sound() {
    let files = sound_files();
    assert_eq!(files.len(), FILES);
    for (name, content) in files {
        let (_folder, path) = file(name, content);
        if ["a.obj", "a.stl", "a.ply", "a.vtp"].contains(&name) {
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
        // Without the last newline and the end mark, no content is lost.
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
    fn truncated_files(which in 0..FILES, cut in 0.0..1.0f64) {
        let (name, content) = sound_files().swap_remove(which);
        #[expect(clippy::cast_sign_loss, reason = "a part of a length")]
        let length = (cut * content.len() as f64) as usize;
        read_both(name, &content[..length]);
    }

    #[test]
    fn overwritten_bytes(
        which in 0..FILES,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (name, mut content) = sound_files().swap_remove(which);
        for (place, byte) in changes {
            let place = place.index(content.len());
            content[place] = byte;
        }
        read_both(name, &content);
    }

    #[test]
    fn overwritten_digits(
        which in 0..FILES,
        changes in prop::collection::vec((any::<prop::sample::Index>(), b'0'..=b'9'), 1..4),
    ) {
        // Digits replace digits, which changes counts and indices while the file stays well-formed.
        let (name, mut content) = sound_files().swap_remove(which);
        let digits: Vec<usize> = (0..content.len()).filter(|&place| content[place].is_ascii_digit()).collect();
        prop_assume!(!digits.is_empty());
        for (place, digit) in changes {
            content[*place.get(&digits)] = digit;
        }
        read_both(name, &content);
    }

    #[test]
    fn any_bytes(content in prop::collection::vec(any::<u8>(), 0..200)) {
        for name in [
            "a.msh", "a.mesh", "a.obj", "a.stl", "a.ply", "a.vtk", "a.vtu", "a.vtp",
        ] {
            read_both(name, &content);
        }
    }
}

/// Counts that would exhaust the memory, or keep a loop running for ever, if trusted.
#[test]
fn lying_counts_are_refused_at_once() {
    let many = ["4294967295", "99999999999999", "18446744073709551615"];
    let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
    for n in many {
        files.push((
            "a.ply",
            format!("ply\nformat binary_little_endian 1.0\nelement vertex {n}\nend_header\n")
                .into(),
        ));
        files.push((
            "a.ply",
            format!("ply\nformat ascii 1.0\nelement vertex {n}\nproperty float x\nend_header\n0\n")
                .into(),
        ));
        files.push((
            "a.ply",
            format!(
                "ply\nformat binary_big_endian 1.0\nelement face {n}\nproperty list uint uint \
                     vertex_index\nend_header\n\u{7f}\u{7f}\u{7f}\u{7f}"
            )
            .into(),
        ));
        files.push((
            "a.mesh",
            format!("MeshVersionFormatted 2\nDimension 3\nVertices\n{n}\n0 0 0 0\n").into(),
        ));
        files.push((
            "a.mesh",
            format!("MeshVersionFormatted 2\nVertices 1 0 0 0 0 Tetrahedra {n}").into(),
        ));
        files.push((
            "a.vtk",
            format!("# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {n} double\n0 0 \
                     0\n").into(),
        ));
        files.push((
            "a.vtk",
            format!(
                "# vtk DataFile Version 2.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS {n} float\n0 0 0\n"
            )
            .into(),
        ));
        files.push((
            "a.msh",
            format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{n}\n1 0 0 0\n").into(),
        ));
        files.push((
            "a.msh",
            format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n{n} {n} 1 {n}\n3 1 0 {n}\n")
                .into(),
        ));
    }
    let mut header = [0u8; 84];
    header[80..].fill(0xff);
    files.push(("a.stl", header.to_vec()));
    for (name, content) in files {
        let (_folder, path) = file(name, &content);
        assert!(
            read_triangle_mesh(&path).is_err(),
            "{}",
            String::from_utf8_lossy(&content)
        );
        assert!(read_tet_mesh(&path).is_err());
    }
}
