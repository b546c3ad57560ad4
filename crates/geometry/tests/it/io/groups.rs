//! Gmsh files of all versions: the same mesh and the same physical groups.

use impinge_geometry::io::{NodeGroup, SolidMesh, read_solid_mesh, read_triangle_mesh};

use super::file;

/// A tetrahedron in group 7 and one of its faces in group 3.
pub(super) const FORMAT_1: &str = "$NOD\n4\n1 0 0 0\n2 1 0 0\n5 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n2\n\
    1 2 3 9 3 1 2 5\n2 4 7 1 4 1 2 5 4\n$ENDELM\n";

const NAMES: &str = "$PhysicalNames\n2\n2 3 \"the bottom\"\n3 7 \"all\"\n$EndPhysicalNames\n";

/// The same with names.
const FORMAT_2: &str = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n5 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n2\n\
    1 2 2 3 9 1 2 5\n2 4 3 7 1 0 1 2 5 4\n$EndElements\n";

pub(super) const FORMAT_4_0: &str = "$MeshFormat\n4 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 3 \"the bottom\"\n3 7 \
    \"all\"\n$EndPhysicalNames\n$Entities\n1 1 1 1\n1 0 0 0 0 0 0 0\n1 0 0 0 1 0 0 0 2 1 -1\n9 0 0 0 1 1 0 1 -3 1 1\n\
    1 0 0 0 1 1 1 1 7 1 9\n$EndEntities\n$Nodes\n2 4\n1 0 0 1\n1 0 0 0\n1 3 0 3\n2 1 0 0\n5 0 1 0\n4 0 0 1\n$EndNodes\n\
    $Elements\n2 2\n9 2 2 1\n1 1 2 5\n1 3 4 1\n2 1 2 5 4\n$EndElements\n";

const FORMAT_4_1: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 3 \"the bottom\"\n3 7 \"all\"\n\
    $EndPhysicalNames\n$Entities\n1 1 1 1\n1 0 0 0 0\n1 0 0 0 1 0 0 0 2 1 -1\n9 0 0 0 1 1 0 1 -3 1 1\n\
    1 0 0 0 1 1 1 1 7 1 9\n$EndEntities\n$Nodes\n2 4 1 5\n0 1 0 1\n1\n0 0 0\n3 1 0 3\n2\n5\n4\n1 0 0\n0 1 0\n0 0 \
    1\n$EndNodes\n$Elements\n2 2 1 2\n2 9 2 1\n1 1 2 5\n3 1 4 1\n2 1 2 5 4\n$EndElements\n";

fn read(content: &str) -> SolidMesh {
    let (_folder, path) = file("a.msh", content);
    read_solid_mesh(path).unwrap_or_else(|error| panic!("{content}: {error}"))
}

#[test]
fn all_versions_give_the_same_mesh_and_groups() {
    let group = |dimension, id, name: &str, nodes: &[u32]| NodeGroup {
        dimension,
        id,
        name: (!name.is_empty()).then(|| name.to_owned()),
        nodes: nodes.to_vec(),
    };
    let named = [
        group(2, 3, "the bottom", &[0, 1, 2]),
        group(3, 7, "all", &[0, 1, 2, 3]),
    ];
    let format_2 = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{NAMES}{FORMAT_2}");
    for content in [format_2.as_str(), FORMAT_4_0, FORMAT_4_1] {
        let solid = read(content);
        assert_eq!(solid.groups, named, "{content}");
        assert_eq!(solid.mesh.tets(), [[0, 1, 2, 3]]);
    }
    let unnamed = [group(2, 3, "", &[0, 1, 2]), group(3, 7, "", &[0, 1, 2, 3])];
    let solid = read(FORMAT_1);
    assert_eq!(solid.groups, unnamed);
    assert_eq!(solid.mesh.tets(), [[0, 1, 2, 3]]);
    let (_folder, path) = file("a.msh", FORMAT_1);
    assert_eq!(
        read_triangle_mesh(path).expect("a face").triangles().len(),
        1
    );
}

/// All tetrahedra inverted, as in the files of some programs.
#[test]
fn a_mesh_of_the_other_orientation_is_turned_over() {
    let solid = read(&FORMAT_1.replace("1 2 5 4\n", "2 1 5 4\n"));
    assert!(solid.reoriented && (solid.mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
    assert!(!read(FORMAT_1).reoriented);
    // One of two inverted: damage, not a convention.
    let mixed = FORMAT_1
        .replace("$NOD\n4\n", "$NOD\n5\n6 1 1 1\n")
        .replace("$ELM\n2\n", "$ELM\n3\n3 4 7 1 4 5 2 6 4\n");
    let mixed = mixed.replace("1 2 5 4\n", "2 1 5 4\n");
    let (_folder, path) = file("a.msh", mixed);
    let said = read_solid_mesh(path)
        .expect_err("two orientations")
        .to_string();
    assert!(
        said.contains("inverted") && said.contains("mesh repair"),
        "{said}"
    );
}
