//! Special cases of each format.

use impinge_geometry::io::{read_tet_mesh, read_triangle_mesh};
use impinge_geometry::{MeshError, MeshIoError, TetMesh, TriangleMesh};

use super::file;

fn solid(name: &str, content: impl AsRef<[u8]>) -> Result<TetMesh, MeshIoError> {
    let (_folder, path) = file(name, content);
    read_tet_mesh(path)
}

fn surface(name: &str, content: impl AsRef<[u8]>) -> Result<TriangleMesh, MeshIoError> {
    let (_folder, path) = file(name, content);
    read_triangle_mesh(path)
}

/// The message of an expected failure.
fn message<T>(result: Result<T, MeshIoError>) -> String {
    match result {
        Ok(_) => String::from("no error"),
        Err(error) => error.to_string(),
    }
}

/// The unit corner tetrahedron in the binary formats, numbers by `int`, `size` and `double`.
pub(super) fn binary(version: &str, big_endian: bool) -> Vec<u8> {
    let int = |value: i32| {
        if big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    };
    let size = |value: u64| {
        if big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    };
    let double = |value: f64| {
        if big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    };
    let positions = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    // Tags are neither dense nor ascending.
    let tags = [70u32, 10, 30, 20];

    let mut bytes = format!("$MeshFormat\n{version} 1 8\n").into_bytes();
    bytes.extend(int(1));
    bytes.extend(b"\n$EndMeshFormat\n$Comments\nany \x00\xff\n bytes\n$EndComments\n$Nodes\n");
    if version == "4.1" {
        bytes.extend([1, 4, 10, 70].into_iter().flat_map(size));
        // Parametric on a volume: three more numbers per node.
        bytes.extend([3, 1, 1].into_iter().flat_map(int));
        bytes.extend(size(4));
        bytes.extend(tags.into_iter().flat_map(|tag| size(u64::from(tag))));
        bytes.extend(
            positions
                .iter()
                .flat_map(|p| [p[0], p[1], p[2], 7.0, 8.0, 9.0])
                .flat_map(double),
        );
        bytes.extend(b"\n$EndNodes\n$Elements\n");
        bytes.extend([2, 2, 1, 2].into_iter().flat_map(size));
        bytes.extend([1, 1, 1].into_iter().flat_map(int));
        bytes.extend([1, 1, 70, 10].into_iter().flat_map(size));
        bytes.extend([3, 1, 4].into_iter().flat_map(int));
        bytes.extend([1, 2, 70, 10, 30, 20].into_iter().flat_map(size));
    } else {
        bytes.extend(b"4\n");
        for (tag, position) in tags.into_iter().zip(positions) {
            bytes.extend(int(tag.cast_signed()));
            bytes.extend(position.into_iter().flat_map(double));
        }
        bytes.extend(b"\n$EndNodes\n$Elements\n2\n");
        bytes.extend([1, 1, 2, 1, 99, 5, 70, 10].into_iter().flat_map(int));
        bytes.extend(
            [4, 1, 2, 2, 99, 5, 70, 10, 30, 20]
                .into_iter()
                .flat_map(int),
        );
    }
    bytes.extend(b"\n$EndElements\n");
    bytes
}

#[test]
fn binary_files_of_both_versions_and_byte_orders() {
    for version in ["2.2", "4.1"] {
        for big_endian in [false, true] {
            let mesh = solid("mesh.msh", binary(version, big_endian)).unwrap();
            assert_eq!(mesh.tets(), [[0, 1, 2, 3]], "{version}");
            assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
        }
    }
}

const NODES: &str = "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 0\n$EndNodes\n";

fn version2(elements: &str) -> String {
    format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{NODES}$Elements\n{elements}\n$EndElements\n")
}

#[test]
fn surface_elements_are_taken_and_inner_nodes_left_out() {
    // A quadrangle and a tetrahedron; node 4 lies on no surface element.
    let mesh = surface(
        "mesh.msh",
        version2("2\n1 3 2 0 1 1 2 5 3\n2 4 2 0 1 1 2 3 4"),
    )
    .unwrap();
    assert_eq!(
        (mesh.vertices().len(), mesh.triangles()),
        (4, &[[0, 1, 3], [0, 3, 2]][..])
    );
}

#[test]
fn wrong_elements_are_named() {
    let error = solid("mesh.msh", version2("2\n1 4 0 1 2 3 4\n17 7 0 1 2 5 3 4")).unwrap_err();
    assert!(
        matches!(&error, MeshIoError::WrongElement { tag: 17, found, .. } if found == "5-node pyramid"),
        "{error}"
    );
    let error = surface("mesh.msh", version2("1\n9 9 0 1 2 3 4 5 1")).unwrap_err();
    assert!(
        matches!(&error, MeshIoError::WrongElement { tag: 9, found, .. } if found == "6-node triangle"),
        "{error}"
    );
}

#[test]
fn mistakes_in_msh_files_name_the_line() {
    let bad_number = version2("1\n1 4 0 1 2 x 4");
    assert!(
        message(solid("a.msh", &bad_number))
            .contains("line 14 (section $Elements): expected an integer, found \"x\"")
    );
    let too_many = version2("2\n1 4 0 1 2 3 4");
    assert!(message(solid("a.msh", &too_many)).contains("line 15 (section $Elements)"));
    let too_few = version2("1\n1 4 0 1 2 3 4\n2 4 0 1 3 2 5");
    assert!(
        message(solid("a.msh", &too_few))
            .contains("line 15 (section $Elements): expected $EndElements")
    );
    let unknown_type = version2("1\n1 77 0 1 2 3 4");
    assert!(message(solid("a.msh", &unknown_type)).contains("element 1 has the unknown type 77"));
    let missing_node = version2("1\n1 4 0 1 2 3 6");
    assert!(message(solid("a.msh", &missing_node)).contains("node tag 6"));
    let repeated = version2("1\n1 4 0 1 2 3 4").replace("5 1 1 0", "4 1 1 0");
    assert!(message(solid("a.msh", &repeated)).contains("node tag 4 occurs twice"));
    let old = version2("").replace("2.2", "3.0");
    assert!(
        message(solid("a.msh", &old)).contains("format 3.0 is not supported: save as 4.1 or 2.2")
    );
    assert!(message(solid("a.msh", "")).contains("no $MeshFormat section"));
    assert!(message(solid("a.msh", "hello")).contains("line 1: expected the start of a section"));
    let unused = version2("1\n1 4 0 1 2 3 4");
    let error = solid("a.msh", &unused).unwrap_err();
    assert!(
        matches!(
            error,
            MeshIoError::Mesh {
                source: MeshError::UnusedNode { node: 4, .. },
                ..
            }
        ),
        "{error}"
    );
    let not_finite = version2("1\n1 4 0 1 2 3 4").replace("5 1 1 0", "5 nan 1 0");
    let error = solid("a.msh", &not_finite).unwrap_err();
    assert!(
        matches!(
            error,
            MeshIoError::Mesh {
                source: MeshError::BadCoordinate { node: 4, .. },
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_lying_count_allocates_nothing() {
    let huge = u64::MAX;
    let lie = version2("1\n1 4 0 1 2 3 4").replace("$Nodes\n5", &format!("$Nodes\n{huge}"));
    assert!(message(solid("a.msh", &lie)).contains("a count is too large"));
    let lie = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {huge} 1 {huge}\n3 0 0 {huge}\n1\n"
    );
    assert!(message(solid("a.msh", &lie)).contains("truncated"));
}

#[test]
fn obj_statements() {
    let text = "# a comment\nmtllib x.mtl\no box\nv 0 0 0 # first\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\nv 0 1 0\nvn 0 0 \
                1\nvt 0 0\ng\ns off\nf 1/1/1 2//1 \\\n 3/1 -1\n";
    let mesh = surface("mesh.obj", text).unwrap();
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
    let mesh = surface(
        "mesh.obj",
        text.replace('\n', "\r\n").replace("\\\r\n", " "),
    )
    .unwrap();
    assert_eq!(mesh.triangles().len(), 2);
}

#[test]
fn mistakes_in_obj_files_name_the_line() {
    let start = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let check = |rest: &str, part: &str| {
        let message = message(surface("a.obj", format!("{start}{rest}")));
        assert!(message.contains(part), "{message}");
    };
    check("f 1 2", "line 4: a face needs at least 3 corners, found 2");
    check("f 1 2 0", "line 4: there is no vertex 0");
    check("f 1 2 -4", "line 4: there is no vertex -4");
    check("f 1 2 x", "line 4: the face corner \"x\"");
    check("f 1 2 9", "triangle 0 refers to node 8");
    check(
        "f 1 2 99999999999999",
        "line 4: there is no vertex 99999999999999",
    );
    check("v 1 2", "line 4: a vertex needs 3 coordinates, found 2");
    check("v 1 2 z", "line 4: the coordinate \"z\" is not a number");
    check("", "the mesh has no triangles");
}

const LEGACY: &str = "# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
    0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";

#[test]
fn legacy_vtk() {
    let mesh = solid("a.vtk", LEGACY).unwrap();
    assert_eq!(mesh.tets(), [[0, 1, 2, 3]]);
    assert_eq!(surface("a.vtk", LEGACY).unwrap().triangles().len(), 4);
    let polygons = "# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n\
        0 0 0 1 0 0 1 1 0 0 1 0\nPOLYGONS 1 5\n4 0 1 2 3\n";
    assert_eq!(
        surface("a.vtk", polygons).unwrap().triangles(),
        [[0, 1, 2], [0, 2, 3]]
    );

    let hexahedron = LEGACY.replace("\n10\n", "\n12\n");
    assert!(message(solid("a.vtk", hexahedron)).contains("has 4 corners"));
    let pyramid = LEGACY.replace("\n10\n", "\n14\n");
    assert!(matches!(
        solid("a.vtk", pyramid),
        Err(MeshIoError::WrongElement { tag: 0, .. })
    ));
    let missing_point = LEGACY.replace("4 0 1 2 3", "4 0 1 2 7");
    assert!(matches!(
        solid("a.vtk", missing_point),
        Err(MeshIoError::Mesh {
            source: MeshError::IndexOutOfRange { node: 7, .. },
            ..
        })
    ));
    let contradiction = LEGACY.replace("4 0 1 2 3", "9 0 1 2 3");
    assert!(message(solid("a.vtk", contradiction)).contains("contradict"));
    assert!(message(solid("a.vtk", "nonsense")).contains("not a VTK file"));
}

#[test]
fn huge_coordinates_are_named_in_few_digits() {
    let said = message(surface("a.obj", "v 0 0 1e308\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
    assert!(said.contains("1e308") && said.len() < 300, "{said}");
}
