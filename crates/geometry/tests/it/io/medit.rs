//! Medit files.

use impinge_geometry::MeshIoError;
use impinge_geometry::io::{read_tet_mesh, read_triangle_mesh};

use super::file;

const HEAD: &str = "MeshVersionFormatted 1\n# a comment\nDimension\n3\nVertices 5\n0 0 0 1\n1 0 0 1 # here too\n0 1 \
                    0\n0 0 1 1\n1 1 0 1\n";

#[test]
fn sections_of_all_kinds() {
    let text = format!(
        "{HEAD}Corners\n2\n1\n2\nEdges 1 1 2 0\nTetrahedra\n1\n1 2 3 4 7\nQuadrilaterals 1\n1 2 5 3 \
         0\nRequiredVertices 1 1\nEnd\nnonsense"
    );
    let (_folder, path) = file(
        "a.mesh",
        text.replace("1 1 0 1\n", "")
            .replace("Vertices 5", "Vertices 4")
            .replace("Quadrilaterals 1\n1 2 5 3 0\n", ""),
    );
    let solid = read_tet_mesh(&path).unwrap();
    assert_eq!(
        (solid.nodes().len(), solid.tets()),
        (4, &[[0, 1, 2, 3]][..])
    );
    // Without surface elements: the boundary of the tetrahedron.
    assert_eq!(read_triangle_mesh(&path).unwrap().triangles().len(), 4);
    let (_folder, path) = file("a.mesh", text);
    assert_eq!(
        read_triangle_mesh(path).unwrap().triangles(),
        [[0, 1, 3], [0, 3, 2]]
    );
}

#[test]
fn mistakes_are_placed() {
    for (text, words) in [
        (
            format!("{HEAD}Tetrahedra\n1\n1 2 3 x 7\nEnd\n"),
            ["line 13", "\"x\""],
        ),
        (
            format!("{HEAD}Tetrahedra\n1\n0 2 3 4 7\nEnd\n"),
            ["line 13", "start at 1"],
        ),
        (
            format!("{HEAD}Tetrahedra\n2\n1 2 3 4 7\nEnd\n"),
            ["line 14", "\"End\""],
        ),
        (
            format!("{HEAD}Tetrahedra\n1\n1 2 3 4 7\n2 3 4 5 7\nEnd\n"),
            ["line 14", "a count is wrong"],
        ),
        (
            format!("{HEAD}Tetrahedra\n1\n1 2 3"),
            ["line 13", "truncated"],
        ),
        (HEAD.replace("\n3\n", "\n2\n"), ["line 4", "dimension is 2"]),
        (
            "Dimension 3\nEnd\n".to_owned(),
            ["the file as a whole", "Vertices"],
        ),
    ] {
        let (_folder, path) = file("a.mesh", &text);
        let message =
            read_tet_mesh(path).map_or_else(|error| error.to_string(), |_| "no error".to_owned());
        for word in words {
            assert!(message.contains(word), "{word}: {message}");
        }
    }
    let (_folder, path) = file("a.mesh", format!("{HEAD}Prisms\n1\n1 2 3 4 5 1 0\nEnd\n"));
    assert!(matches!(
        read_tet_mesh(path),
        Err(MeshIoError::WrongElement { tag: 0, .. })
    ));
}
