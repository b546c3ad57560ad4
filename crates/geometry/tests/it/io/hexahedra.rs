//! Hexahedra from files: all formats give the same cells, their tetrahedra meet face to face, and errors name twisted
//! cells.

use impinge_geometry::io::{SolidMesh, read_solid_mesh, read_triangle_mesh};
use impinge_geometry::mesh::{generate, hexahedron_tets};
use impinge_geometry::{MeshIoError, TetMesh};
use nalgebra::Vector3;
use std::fmt::Write;

use super::file;

/// Two boxes of 1 m side by side; the corners of the second start elsewhere.
const CELLS: [[u32; 8]; 2] = [[0, 1, 4, 3, 6, 7, 10, 9], [5, 4, 1, 2, 11, 10, 7, 8]];

fn nodes() -> Vec<Vector3<f64>> {
    let at = |index: usize| {
        Vector3::new(
            (index % 3) as f64,
            (index / 3 % 2) as f64,
            (index / 6) as f64,
        )
    };
    (0..12).map(at).collect()
}

fn listed<const N: usize>(cells: &[[u32; N]], first: u32, before: &str) -> String {
    let mut text = String::new();
    for (number, cell) in cells.iter().enumerate() {
        let corners = cell.map(|corner| (corner + first).to_string()).join(" ");
        let before = before.replace('#', &(number + 1).to_string());
        writeln!(text, "{before}{corners}").expect("memory");
    }
    text
}

fn points(before: bool) -> String {
    let mut text = String::new();
    for (index, x) in nodes().iter().enumerate() {
        if before {
            write!(text, "{} ", index + 1).expect("memory");
        }
        writeln!(text, "{} {} {}", x.x, x.y, x.z).expect("memory");
    }
    text
}

fn vtk(cells: &[[u32; 8]]) -> String {
    let (count, points) = (cells.len(), points(false));
    let list = listed(cells, 0, "8 ");
    format!(
        "# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 double\n{points}\
         CELLS {count} {}\n{list}CELL_TYPES {count}\n{}",
        9 * count,
        "12\n".repeat(count)
    )
}

fn read(name: &str, content: &str) -> Result<SolidMesh, MeshIoError> {
    let (_folder, path) = file(name, content);
    read_solid_mesh(path)
}

fn refused(name: &str, content: &str) -> String {
    read(name, content).map_or_else(|error| error.to_string(), |_| "no error".to_owned())
}

#[test]
fn every_format_gives_the_same_hexahedra() {
    let files = [
        ("a.vtk", vtk(&CELLS)),
        (
            "a.msh",
            format!(
                "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n{}$EndNodes\n$Elements\n2\n{}$EndElements\n",
                points(true),
                listed(&CELLS, 1, "# 5 2 0 1 ")
            ),
        ),
        (
            "a.mesh",
            format!(
                "MeshVersionFormatted 2\nDimension 3\nVertices\n12\n{}Hexahedra\n2\n{}End\n",
                points(false).replace('\n', " 0\n"),
                listed(&CELLS, 1, "").replace('\n', " 0\n")
            ),
        ),
    ];
    for (name, content) in files {
        let solid = read(name, &content).expect(name);
        assert_eq!(solid.hexahedra, CELLS, "{name}");
        assert_eq!(solid.mesh.tets().len(), 12, "{name}");
        assert!((solid.mesh.volume() - 2.0).abs() < 1e-15, "{name}");
        // Ten faces of two triangles; inner faces cancel.
        let (_folder, path) = file(name, content);
        let outside = read_triangle_mesh(path).expect(name);
        assert_eq!(outside.triangles().len(), 20, "{name}");
    }
}

/// Neighbours cut their common face alike for any numbering of the nodes.
#[test]
fn tetrahedra_meet_face_to_face_in_any_numbering() {
    let box_of = generate::cuboid([1.0; 3], [3, 2, 2]).expect("sound");
    let cells = generate::cuboid_cells([3, 2, 2]);
    let count = box_of.nodes().len() as u32;
    for seed in 1..40_u32 {
        // Steps coprime to the count of 36.
        let step = [5, 7, 11, 13, 17, 19, 23, 25, 29, 31, 35][seed as usize % 11];
        let new = |node: u32| (node * step + seed) % count;
        let mut nodes = vec![Vector3::zeros(); count as usize];
        for (node, x) in (0..).zip(box_of.nodes()) {
            nodes[new(node) as usize] = *x;
        }
        let tets = cells
            .iter()
            .flat_map(|cell| hexahedron_tets(&cell.map(new)))
            .collect();
        let mesh = TetMesh::new(nodes, tets).expect("positive volumes");
        assert!((mesh.volume() - 1.0).abs() < 1e-14);
        let surface = mesh.surface().expect("closed");
        assert_eq!(
            surface
                .to_triangle_mesh(&mesh)
                .expect("closed")
                .triangles()
                .len(),
            2 * 32
        );
    }
}

#[test]
fn twisted_and_mixed_solids_are_named() {
    let mut twisted = CELLS;
    twisted[1].swap(2, 3);
    let message = refused("a.vtk", &vtk(&twisted));
    assert!(
        message.contains("hexahedron 1") && message.contains("four around the bottom"),
        "{message}"
    );
    // Upside down: its volume is negative.
    let mut inverted = CELLS;
    inverted[1].rotate_left(4);
    let message = refused("a.vtk", &vtk(&inverted));
    assert!(message.contains("hexahedron 1"), "{message}");
    // Its top is its bottom again: no volume.
    let mut flat = CELLS;
    flat[0].copy_within(0..4, 4);
    let message = refused("a.vtk", &vtk(&flat));
    assert!(message.contains("hexahedron 0"), "{message}");
    let mixed = vtk(&CELLS)
        .replace("CELLS 2 18", "CELLS 2 14")
        .replace("8 5 4 1 2 11 10 7 8", "4 1 2 5 8")
        .replace("12\n12\n", "12\n10\n");
    let message = refused("a.vtk", &mixed);
    assert!(
        message.contains("1 tetrahedra and 1 hexahedra"),
        "{message}"
    );
}
