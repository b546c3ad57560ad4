//! Written files are read back bit for bit, and no partial file remains.

use impinge_geometry::io::{
    read_tet_mesh, read_triangle_mesh, write_tet_mesh, write_triangle_mesh,
};
use impinge_geometry::mesh::generate;
use impinge_geometry::{MeshIoError, TetMesh, TriangleMesh};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Coordinates of all magnitudes, with both zeros.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        -10.0..10.0f64,
        any::<f64>().prop_filter("in range", |x| x.abs() < 1e80),
        Just(0.0),
        Just(-0.0)
    ]
}

fn point() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(coordinate()).prop_map(Vector3::from)
}

fn bits(points: &[Vector3<f64>]) -> Vec<[u64; 3]> {
    points
        .iter()
        .map(|point| [point.x, point.y, point.z].map(f64::to_bits))
        .collect()
}

proptest! {
    #[test]
    fn solids_round_trip(nodes in prop::collection::vec(point(), 4)) {
        let mesh = [[0, 1, 2, 3], [0, 2, 1, 3]]
            .into_iter()
            .find_map(|tet| TetMesh::new(nodes.clone(), vec![tet]).ok());
        // Flat by chance: no mesh to test.
        let Some(mesh) = mesh else { return Ok(()) };
        let folder = tempfile::tempdir().unwrap();
        for name in ["mesh.msh", "mesh.vtu", "mesh.mesh"] {
            let path = folder.path().join(name);
            write_tet_mesh(&path, &mesh).unwrap();
            let copy = read_tet_mesh(&path).unwrap();
            prop_assert_eq!(bits(copy.nodes()), bits(mesh.nodes()), "{}", name);
            prop_assert_eq!(copy.tets(), mesh.tets());
        }
    }

    #[test]
    fn surfaces_round_trip(vertices in prop::collection::vec(point(), 3)) {
        let Ok(mesh) = TriangleMesh::new(vertices, vec![[2, 0, 1]]) else { return Ok(()) };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mesh.obj");
        write_triangle_mesh(&path, &mesh).unwrap();
        let copy = read_triangle_mesh(&path).unwrap();
        prop_assert_eq!(bits(copy.vertices()), bits(mesh.vertices()));
        prop_assert_eq!(copy.triangles(), mesh.triangles());

        // Vertices get new numbers; both zeros are one position.
        let path = folder.path().join("mesh.stl");
        write_triangle_mesh(&path, &mesh).unwrap();
        let copy = read_triangle_mesh(&path).unwrap();
        prop_assert_eq!(copy.triangles().len(), 1);
        prop_assert_eq!(copy.corners(0), mesh.corners(0));
    }
}

#[test]
fn a_closed_surface_is_closed_again_after_stl() {
    let mesh = generate::sphere_surface(0.3, 6).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.stl");
    write_triangle_mesh(&path, &mesh).unwrap();
    let copy = read_triangle_mesh(&path).unwrap();
    copy.check_closed_outwards().unwrap();
    assert_eq!(copy.vertices().len(), mesh.vertices().len());
    for triangle in 0..mesh.triangles().len() {
        assert_eq!(copy.corners(triangle), mesh.corners(triangle));
    }
}

#[test]
fn larger_solids_round_trip() {
    let mesh = generate::sphere(0.3, 5).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["ball.msh", "ball.vtu", "ball.mesh"] {
        let path = folder.path().join(name);
        write_tet_mesh(&path, &mesh).unwrap();
        assert_eq!(read_tet_mesh(&path).unwrap(), mesh);
        // Read as a surface, the same file gives the boundary.
        assert_eq!(
            read_triangle_mesh(&path).unwrap().triangles().len(),
            20 * 25
        );
    }
}

#[test]
fn other_programs_read_written_meshes() {
    let mesh = generate::cuboid([1.0, 2.0, 3.0], [2, 1, 1]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.msh");
    write_tet_mesh(&path, &mesh).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let file = mshio::parse_msh_bytes(&bytes)
        .map_err(|error| format!("{error:?}"))
        .unwrap();
    let nodes = file.data.nodes.unwrap();
    let read: Vec<[f64; 3]> = nodes.node_blocks[0]
        .nodes
        .iter()
        .map(|node| [node.x, node.y, node.z])
        .collect();
    assert!(
        read.iter()
            .copied()
            .map(Vector3::from)
            .eq(mesh.nodes().iter().copied())
    );
    let elements = file.data.elements.unwrap();
    assert_eq!(elements.num_elements, 12);

    let path = folder.path().join("box.obj");
    let surface = generate::cuboid_surface([1.0, 2.0, 3.0]).unwrap();
    write_triangle_mesh(&path, &surface).unwrap();
    let (models, _) = tobj::load_obj(&path, &tobj::GPU_LOAD_OPTIONS).unwrap();
    assert_eq!(models[0].mesh.indices.len(), 36);
    assert_eq!(models[0].mesh.positions.len(), 24);
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let mesh = generate::cuboid([1.0, 1.0, 1.0], [1, 1, 1]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.msh");
    std::fs::write(&path, "old").unwrap();
    write_tet_mesh(&path, &mesh).unwrap();
    assert_eq!(read_tet_mesh(&path).unwrap(), mesh);

    // A folder at the path: the error names the file, and no temporary file remains.
    let blocked = folder.path().join("blocked.msh");
    std::fs::create_dir(&blocked).unwrap();
    std::fs::write(blocked.join("inside"), "").unwrap();
    let error = write_tet_mesh(&blocked, &mesh).unwrap_err();
    assert!(
        matches!(&error, MeshIoError::Write { path, .. } if *path == blocked),
        "{error}"
    );
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["blocked.msh", "box.msh"]);

    let missing = folder.path().join("no-such-folder").join("box.vtu");
    assert!(matches!(
        write_tet_mesh(missing, &mesh),
        Err(MeshIoError::Write { .. })
    ));
}

#[test]
fn unknown_formats_are_named() {
    let mesh = generate::cuboid([1.0, 1.0, 1.0], [1, 1, 1]).unwrap();
    let surface = generate::cuboid_surface([1.0, 1.0, 1.0]).unwrap();
    for error in [
        write_tet_mesh("mesh.obj", &mesh).unwrap_err(),
        write_triangle_mesh("mesh.msh", &surface).unwrap_err(),
        read_tet_mesh("mesh.obj").unwrap_err(),
        read_triangle_mesh("mesh").unwrap_err(),
    ] {
        assert!(matches!(error, MeshIoError::Extension { .. }), "{error}");
    }
    assert!(matches!(
        read_tet_mesh("no-such-file.MSH"),
        Err(MeshIoError::Read { .. })
    ));
}
