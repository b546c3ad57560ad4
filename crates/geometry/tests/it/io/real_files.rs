//! Every real mesh against measurements of other programs. Needs the folder named by `IMPINGE_DATA`.

use std::path::PathBuf;

use impinge_geometry::io::{
    read_tet_mesh, read_triangle_mesh, write_tet_mesh, write_triangle_mesh,
};
use impinge_geometry::mesh::MeshSummary;
use impinge_geometry::{MeshError, MeshIoError};

use super::table::{Row, rows};

/// The table has four significant digits.
const TABLE_DIGITS: f64 = 6e-4;

#[expect(clippy::print_stderr, reason = "a skipped test says why")]
fn meshes() -> Option<PathBuf> {
    let folder = std::env::var_os("IMPINGE_DATA").map(|data| PathBuf::from(data).join("meshes"));
    if folder.is_none() {
        eprintln!("skipped: IMPINGE_DATA does not name the folder with the real meshes");
    }
    folder
}

/// Checks a value against the table, relative to `scale` if the table entry is near zero.
fn check(row: &Row, what: &str, value: f64, expected: f64, scale: f64) {
    let error = (value - expected).abs();
    assert!(
        error <= TABLE_DIGITS * expected.abs().max(scale),
        "{}: {what} {value:e}, not {expected:e}",
        row.file
    );
}

fn check_summary(row: &Row, summary: &MeshSummary) {
    let counts = (
        summary.nodes,
        summary.solid.map_or(0, |solid| solid.tets),
        summary.triangles,
    );
    assert_eq!(counts, (row.nodes, row.tets, row.triangles), "{}", row.file);
    let topology = (
        summary.euler_characteristic,
        summary.parts,
        summary.open_edges,
    );
    assert_eq!(
        topology,
        (row.chi, row.parts, row.open_edges),
        "{}",
        row.file
    );
    assert_eq!(summary.is_closed(), row.open_edges == 0, "{}", row.file);
    let size = summary.upper - summary.lower;
    // Some entries are rounding noise around 0, so a thousandth of the size is the tolerance there.
    let scale = 1e-3 * size.max();
    for axis in 0..3 {
        check(row, "size", size[axis], row.size[axis], scale);
        check(
            row,
            "lowest corner",
            summary.lower[axis],
            row.lowest[axis],
            scale,
        );
    }
    check(
        row,
        "shortest edge",
        summary.shortest_surface_edge,
        row.shortest_edge,
        0.0,
    );
    assert_eq!(
        summary.volume.is_some(),
        row.volume.is_some(),
        "{}",
        row.file
    );
    if let (Some(volume), Some(expected)) = (summary.volume, row.volume) {
        check(row, "volume", volume, expected, 0.0);
    }
    if let Some(solid) = summary.solid {
        check(
            row,
            "smallest tetrahedron",
            solid.smallest_volume,
            row.smallest_tet.expect("a solid"),
            0.0,
        );
        check(
            row,
            "worst quality",
            solid.worst_quality,
            row.worst_quality.expect("a solid"),
            0.0,
        );
    }
}

#[test]
fn every_solid_is_as_measured_and_survives_writing() {
    let Some(folder) = meshes() else { return };
    let scratch = tempfile::tempdir().unwrap();
    for row in rows().iter().filter(|row| row.tets > 0) {
        let mesh = read_tet_mesh(folder.join(row.file)).unwrap();
        check_summary(row, &MeshSummary::of_solid(&mesh).unwrap());
        let copy = scratch.path().join("copy.msh");
        write_tet_mesh(&copy, &mesh).unwrap();
        assert_eq!(read_tet_mesh(&copy).unwrap(), mesh, "{}", row.file);
    }
}

#[test]
fn every_surface_is_as_measured_and_survives_writing() {
    let Some(folder) = meshes() else { return };
    let scratch = tempfile::tempdir().unwrap();
    for row in rows().iter().filter(|row| row.tets == 0) {
        let mesh = read_triangle_mesh(folder.join(row.file)).unwrap();
        check_summary(row, &MeshSummary::of_surface(&mesh));
        let copy = scratch.path().join("copy.obj");
        write_triangle_mesh(&copy, &mesh).unwrap();
        assert_eq!(read_triangle_mesh(&copy).unwrap(), mesh, "{}", row.file);
    }
}

#[test]
fn the_outside_of_a_solid_is_its_surface_section() {
    let Some(folder) = meshes() else { return };
    for row in rows().iter().filter(|row| row.tets > 0) {
        let path = folder.join(row.file);
        let text = std::fs::read_to_string(&path).unwrap();
        let Some((_, section)) = text.split_once("$Surface") else {
            continue;
        };
        // Rotated so that the smallest tag comes first, which keeps the winding.
        let rotated = |corners: [u32; 3]| {
            let first = (0..3)
                .min_by_key(|&place| corners[place])
                .expect("three corners");
            [
                corners[first],
                corners[(first + 1) % 3],
                corners[(first + 2) % 3],
            ]
        };
        let numbers: Vec<u32> = section
            .split_ascii_whitespace()
            .map_while(|word| word.parse().ok())
            .skip(1)
            .collect();
        let mut expected: Vec<[u32; 3]> = numbers
            .as_chunks::<3>()
            .0
            .iter()
            .map(|corners| rotated(corners.map(|tag| tag - 1)))
            .collect();
        let mesh = read_tet_mesh(&path).unwrap();
        let mut found: Vec<[u32; 3]> = mesh
            .surface()
            .unwrap()
            .triangles()
            .iter()
            .copied()
            .map(rotated)
            .collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{}", row.file);
        assert_eq!(
            read_triangle_mesh(&path).unwrap().triangles().len(),
            row.triangles
        );
    }
}

#[test]
fn both_formats_hold_the_same_mesh() {
    let Some(folder) = meshes() else { return };
    for (version2, version4) in [
        ("sofa/chain-torus.msh", "tetMeshes/torus.msh"),
        ("sofa/knives-mat40x40.msh", "tetMeshes/mat40x40.msh"),
    ] {
        let [a, b] = [version2, version4].map(|file| read_tet_mesh(folder.join(file)).unwrap());
        assert_eq!(a.tets(), b.tets());
        for (p, q) in a.nodes().iter().zip(b.nodes()) {
            assert!((p - q).norm() < 1e-6);
        }
    }
}

#[test]
fn all_stones_of_the_arch_are_boxes() {
    let Some(folder) = meshes() else { return };
    for stone in 1..=25 {
        let mesh =
            read_tet_mesh(folder.join(format!("tetMeshes/arch/largeArch.{stone:02}.msh"))).unwrap();
        let summary = MeshSummary::of_solid(&mesh).unwrap();
        let tets = summary.solid.unwrap().tets;
        assert_eq!(
            (
                summary.nodes,
                tets,
                summary.triangles,
                summary.euler_characteristic
            ),
            (8, 6, 12, 2)
        );
        assert!(summary.is_closed() && (259.0..562.0).contains(&mesh.volume()));
    }
}

#[test]
fn defects_of_real_surfaces_have_their_type() {
    let Some(folder) = meshes() else { return };
    let read = |file: &str| read_triangle_mesh(folder.join(file)).expect("a readable file");
    for file in [
        "triMeshes/bowl.obj",
        "triMeshes/tube.obj",
        "triMeshes/erleben/hole.obj",
        "triMeshes/hammer.obj",
    ] {
        assert!(
            matches!(read(file).check_closed(), Err(MeshError::OpenEdge { .. })),
            "{file}"
        );
    }
    // Closed, but wound inwards.
    let funnel = read("sofa/dolphin-funnel.obj");
    funnel.check_closed().unwrap();
    assert!(matches!(
        funnel.check_closed_outwards(),
        Err(MeshError::WoundInwards { .. })
    ));
    funnel.reversed().check_closed_outwards().unwrap();
    // A seam of 60 doubled vertices.
    let hammer = read("triMeshes/hammer.obj");
    assert_eq!(hammer.coincident_vertices().len(), 60);
    hammer.welded().unwrap().check_closed_outwards().unwrap();
    // Points only.
    for file in ["triMeshes/point.obj", "triMeshes/pointPlane.obj"] {
        let error = read_triangle_mesh(folder.join(file)).unwrap_err();
        assert!(
            matches!(
                error,
                MeshIoError::Mesh {
                    source: MeshError::NoElements { .. },
                    ..
                }
            ),
            "{file}"
        );
    }
}
