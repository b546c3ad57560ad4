//! Stereolithography files.

use impinge_geometry::io::read_triangle_mesh;
use impinge_geometry::mesh::generate;
use impinge_geometry::{MeshError, MeshIoError, TriangleMesh};
use nalgebra::Vector3;

use super::file;

/// A binary file with this title; normals are zero.
pub(super) fn binary(mesh: &TriangleMesh, title: &str) -> Vec<u8> {
    let mut bytes = title.as_bytes().to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
    for triangle in 0..mesh.triangles().len() {
        bytes.extend([0; 12]);
        for corner in mesh.corners(triangle) {
            bytes.extend(corner.iter().flat_map(|&x| (x as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn read(content: impl AsRef<[u8]>) -> Result<TriangleMesh, MeshIoError> {
    let (_folder, path) = file("mesh.STL", content);
    read_triangle_mesh(path)
}

fn message(content: impl AsRef<[u8]>) -> String {
    read(content).map_or_else(|error| error.to_string(), |_| "no error".to_owned())
}

#[test]
fn binary_files_are_welded_whatever_their_title() {
    let mesh = generate::cuboid_surface([1.0, 2.0, 4.0]).unwrap();
    for title in ["solid box", "a box", ""] {
        let copy = read(binary(&mesh, title)).unwrap();
        copy.check_closed_outwards().unwrap();
        assert_eq!(
            (copy.vertices().len(), copy.triangles().len()),
            (8, 12),
            "{title}"
        );
        assert!((copy.signed_volume() - 8.0).abs() < 1e-12);
    }
}

const FACET: &str = "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  VERTEX 1 0 0\n  vertex 0 1e0 \
                     0.1234567890123456\n endloop\nendfacet\n";

#[test]
fn ascii_keeps_all_digits_and_any_number_of_solids() {
    let mesh = read(format!(
        "solid one\n{FACET}endsolid\nSOLID two\nendsolid two\n"
    ))
    .unwrap();
    assert_eq!(
        mesh.corners(0)[2],
        Vector3::new(0.0, 1.0, 0.123_456_789_012_345_6)
    );
    // Both zeros are the same corner.
    let text = format!(
        "solid\n{FACET}{}",
        FACET
            .replace("0 1e0", "-0 -1")
            .replace("vertex 0 0 0", "vertex -0 0 -0")
    );
    assert_eq!(read(text).unwrap().vertices().len(), 4);
}

#[test]
fn mistakes_are_placed() {
    let mesh = generate::cuboid_surface([1.0, 2.0, 4.0]).unwrap();
    let mut cut = binary(&mesh, "a box");
    cut.truncate(400);
    for (content, words) in [
        (cut, ["byte 80", "12 triangles"]),
        (b"hello".to_vec(), ["solid", "truncated"]),
        (Vec::new(), ["solid", "truncated"]),
        (
            format!("solid\n{}", FACET.replace("1 0 0", "1 0")).into(),
            ["line 5", "3 coordinates"],
        ),
        (
            format!("solid\n{}", FACET.replace("1 0 0", "1 0 x")).into(),
            ["line 5", "\"x\""],
        ),
        (
            format!("solid\n{}", FACET.replace("  VERTEX 1 0 0\n", "")).into(),
            ["line 7", "found 2"],
        ),
        (
            format!("solid\n{}", FACET.replace("endloop", "vertex 1 1 1")).into(),
            ["line 7", "more than 3"],
        ),
        (
            format!("solid\n{}", FACET.replace("endfacet\n", "")).into(),
            ["line 7", "truncated"],
        ),
        (format!("solid\nbeam\n{FACET}").into(), ["line 2", "beam"]),
    ] {
        let text = message(&content);
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
    }
}

#[test]
fn unusable_triangles_are_named() {
    let flat = FACET.replace("vertex 0 1e0 0.1234567890123456", "vertex 2 0 0");
    let error = read(format!("solid\n{FACET}{flat}")).unwrap_err();
    assert!(
        matches!(
            error,
            MeshIoError::Mesh {
                source: MeshError::ZeroArea { triangle: 1 },
                ..
            }
        ),
        "{error}"
    );
    let nan = FACET.replace("1e0", "nan");
    let error = read(format!("solid\n{FACET}{nan}")).unwrap_err();
    assert!(
        matches!(
            error,
            MeshIoError::Mesh {
                source: MeshError::BadCoordinate { node: 3, .. },
                ..
            }
        ),
        "{error}"
    );
    let collapsed = FACET.replace("VERTEX 1 0 0", "VERTEX 0 0 0");
    let error = read(format!("solid\n{FACET}{collapsed}")).unwrap_err();
    assert!(
        matches!(
            error,
            MeshIoError::Mesh {
                source: MeshError::RepeatedNode { element: 1, .. },
                ..
            }
        ),
        "{error}"
    );
}
