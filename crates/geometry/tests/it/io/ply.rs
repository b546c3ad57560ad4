//! Polygon files.

use impinge_geometry::io::{read_tet_mesh, read_triangle_mesh};
use impinge_geometry::{MeshError, MeshIoError, TriangleMesh};

use super::file;

const POSITIONS: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
];
const FACES: [&[i32]; 4] = [&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[2, 0, 3]];

/// The unit corner tetrahedron, with colours and edges, which are ignored.
pub(super) fn tetrahedron(format: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {format} 1.0\ncomment made by hand\nelement vertex 4\nproperty double x\nproperty float y\n\
         property double z\nproperty uchar red\nelement edge 1\nproperty short a\nelement face 4\n\
         property list uchar int vertex_indices\nproperty float quality\nend_header\n"
    )
    .into_bytes();
    let big_endian = format == "binary_big_endian";
    macro_rules! number {
        ($value:expr) => {
            if big_endian {
                $value.to_be_bytes()
            } else {
                $value.to_le_bytes()
            }
        };
    }
    if format == "ascii" {
        for [x, y, z] in POSITIONS {
            bytes.extend(format!("{x} {y} {z} 255\n").bytes());
        }
        bytes.extend(b"7\n");
        for face in FACES {
            let corners: Vec<String> = face.iter().map(ToString::to_string).collect();
            bytes.extend(format!("{} {} 0.5\n", face.len(), corners.join(" ")).bytes());
        }
        return bytes;
    }
    for [x, y, z] in POSITIONS {
        bytes.extend(number!(x));
        bytes.extend(number!(y as f32));
        bytes.extend(number!(z));
        bytes.push(255);
    }
    bytes.extend(number!(7i16));
    for face in FACES {
        bytes.push(face.len() as u8);
        for corner in face {
            bytes.extend(number!(corner));
        }
        bytes.extend(number!(0.5f32));
    }
    bytes
}

fn read(content: impl AsRef<[u8]>) -> Result<TriangleMesh, MeshIoError> {
    let (_folder, path) = file("mesh.ply", content);
    read_triangle_mesh(path)
}

#[test]
fn all_three_encodings() {
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let mesh = read(tetrahedron(format)).unwrap_or_else(|error| panic!("{format}: {error}"));
        mesh.check_closed_outwards().unwrap();
        assert_eq!(mesh.triangles()[1], [0, 1, 3], "{format}");
        assert!((mesh.signed_volume() - 1.0 / 6.0).abs() < 1e-15, "{format}");
    }
}

#[test]
fn polygons_become_fans_and_loose_points_are_left_out() {
    let text = "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar uint vertex_index\nend_header\n\
        9 9 9\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n-1 0.5 0\n5 1 2 3 4 5\n";
    let mesh = read(text).unwrap();
    assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (5, 3));
}

#[test]
fn mistakes_are_placed() {
    let ascii = String::from_utf8(tetrahedron("ascii")).unwrap();
    for (content, words) in [
        (ascii.replace("1 0 0 255", "1 0"), ["line 16", "mesh.ply"]),
        (
            ascii.replace("1 0 0 255", "1 0 here 255"),
            ["line 16", "here"],
        ),
        (
            ascii.replace("double z", "double height"),
            ["`z`", "vertices"],
        ),
        (
            ascii.replace("3 0 2 1 0.5", "2 0 2 0.5"),
            ["face 0", "at least 3"],
        ),
        (
            ascii.replace("element face 4", "element face 5"),
            ["line", "face"],
        ),
        (
            ascii.replace("ply\nformat", "plot\nformat"),
            ["line 1", "mesh.ply"],
        ),
    ] {
        let text = read(&content).map_or_else(|error| error.to_string(), |_| "no error".to_owned());
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
    }
    let error = read(ascii.replace("3 0 2 1 0.5", "3 0 -2 1 0.5")).unwrap_err();
    assert!(
        matches!(
            error,
            MeshIoError::Mesh {
                source: MeshError::IndexOutOfRange { element: 0, .. },
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn there_are_no_solids_in_it() {
    let (_folder, path) = file("mesh.ply", tetrahedron("ascii"));
    assert!(matches!(
        read_tet_mesh(path),
        Err(MeshIoError::Extension { .. })
    ));
}
