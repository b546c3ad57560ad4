//! Every defect is rejected with its type and place.

use impinge_geometry::MeshError;
use impinge_geometry::mesh::{TetMesh, TriangleMesh, tet_quality, tet_volume, triangle_area};
use nalgebra::Vector3;

/// The unit corner tetrahedron and one more node mirrored to below.
fn nodes() -> Vec<Vector3<f64>> {
    vec![
        Vector3::zeros(),
        Vector3::x(),
        Vector3::y(),
        Vector3::z(),
        -Vector3::z(),
    ]
}

const TETS: [[u32; 4]; 2] = [[0, 1, 2, 3], [0, 2, 1, 4]];

fn refused(nodes: Vec<Vector3<f64>>, tets: &[[u32; 4]]) -> MeshError {
    TetMesh::new(nodes, tets.to_vec()).expect_err("must be refused")
}

fn surface_refused(vertices: Vec<Vector3<f64>>, triangles: &[[u32; 3]]) -> MeshError {
    TriangleMesh::new(vertices, triangles.to_vec()).expect_err("must be refused")
}

/// The surface of the unit corner tetrahedron, wound outwards.
fn shell() -> TriangleMesh {
    let triangles = vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
    TriangleMesh::new(nodes()[..4].to_vec(), triangles).expect("a valid surface")
}

#[test]
fn a_valid_mesh_is_accepted() {
    let mesh = TetMesh::new(nodes(), TETS.to_vec()).unwrap();
    assert!((mesh.volume() - 1.0 / 3.0).abs() < 1e-15);
    assert_eq!(mesh.nodes().len(), 5);
    assert_eq!(mesh.tets(), TETS);
}

#[test]
fn no_elements() {
    assert!(matches!(
        refused(nodes(), &[]),
        MeshError::NoElements { .. }
    ));
    assert!(matches!(
        surface_refused(nodes(), &[]),
        MeshError::NoElements { .. }
    ));
    assert!(matches!(
        refused(Vec::new(), &[]),
        MeshError::NoElements { .. }
    ));
}

#[test]
fn bad_coordinates() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e200] {
        let mut positions = nodes();
        positions[3].y = bad;
        assert!(matches!(
            refused(positions.clone(), &TETS),
            MeshError::BadCoordinate { node: 3, .. }
        ));
        assert!(matches!(
            surface_refused(positions, &[[0, 1, 2]]),
            MeshError::BadCoordinate { node: 3, .. }
        ));
    }
}

#[test]
fn indices() {
    let error = refused(nodes(), &[[0, 1, 2, 3], [0, 2, 1, 5]]);
    assert_eq!(
        error,
        MeshError::IndexOutOfRange {
            kind: "tetrahedron",
            element: 1,
            node: 5,
            nodes: 5
        }
    );
    let error = refused(nodes(), &[[0, 1, 2, 3], [0, 2, 0, 4]]);
    assert_eq!(
        error,
        MeshError::RepeatedNode {
            kind: "tetrahedron",
            element: 1,
            node: 0
        }
    );
    let error = refused(nodes(), &[[0, 1, 2, 3]]);
    assert_eq!(
        error,
        MeshError::UnusedNode {
            node: 4,
            kind: "tetrahedron"
        }
    );
    let error = surface_refused(nodes(), &[[0, 1, 9]]);
    assert_eq!(
        error,
        MeshError::IndexOutOfRange {
            kind: "triangle",
            element: 0,
            node: 9,
            nodes: 5
        }
    );
    assert_eq!(
        surface_refused(nodes(), &[[0, 1, 1]]),
        MeshError::RepeatedNode {
            kind: "triangle",
            element: 0,
            node: 1
        }
    );
    assert_eq!(
        surface_refused(nodes(), &[[0, 1, 2]]),
        MeshError::UnusedNode {
            node: 3,
            kind: "triangle"
        }
    );
}

#[test]
fn coincident_nodes_with_either_zero() {
    let mut positions = nodes();
    positions.push(Vector3::new(-0.0, 1.0, 0.0));
    let error = refused(positions, &[[0, 1, 2, 3], [0, 5, 1, 4]]);
    assert_eq!(
        error,
        MeshError::CoincidentNodes {
            first: 2,
            second: 5
        }
    );
}

#[test]
fn duplicate_elements_in_any_order() {
    let error = refused(nodes(), &[[0, 1, 2, 3], [0, 2, 1, 4], [2, 0, 1, 3]]);
    assert_eq!(
        error,
        MeshError::DuplicateElement {
            kind: "tetrahedron",
            first: 0,
            second: 2
        }
    );
    let error = surface_refused(nodes()[..3].to_vec(), &[[0, 1, 2], [0, 2, 1]]);
    assert_eq!(
        error,
        MeshError::DuplicateElement {
            kind: "triangle",
            first: 0,
            second: 1
        }
    );
}

#[test]
fn flat_and_inverted_tetrahedra() {
    let error = refused(nodes(), &[[0, 1, 2, 3], [0, 1, 2, 4]]);
    assert!(
        matches!(error, MeshError::Inverted { tet: 1, volume } if (volume + 1.0 / 6.0).abs() < 1e-15)
    );
    let flat = vec![
        Vector3::zeros(),
        Vector3::x(),
        Vector3::y(),
        Vector3::new(0.1, 0.7, 0.0),
    ];
    assert_eq!(
        refused(flat, &[[0, 1, 2, 3]]),
        MeshError::ZeroVolume { tet: 0 }
    );
}

#[test]
fn the_thinnest_sliver_is_legal_and_its_mirror_image_is_not() {
    // Volumes far below any tolerance; the exact sign alone decides.
    for height in [1e-9, 1e-18, 1e-100, f64::EPSILON * 1e-200] {
        let sliver = vec![
            Vector3::zeros(),
            Vector3::x(),
            Vector3::y(),
            Vector3::new(0.3, 0.3, height),
        ];
        assert!(
            TetMesh::new(sliver.clone(), vec![[0, 1, 2, 3]]).is_ok(),
            "height {height}"
        );
        assert!(matches!(
            refused(sliver, &[[0, 2, 1, 3]]),
            MeshError::Inverted { tet: 0, .. }
        ));
    }
    // Positive, but the volume underflows: a division by it would give infinity.
    let dust: Vec<_> = nodes()[..4].iter().map(|node| node * 1e-110).collect();
    assert_eq!(
        refused(dust, &[[0, 1, 2, 3]]),
        MeshError::ZeroVolume { tet: 0 }
    );
}

#[test]
fn flat_triangles_are_found_exactly() {
    let line = |t: f64| Vector3::new(1.0, 2.0, -3.0) * t;
    let error = surface_refused(vec![line(0.0), line(0.25), line(4.0)], &[[0, 1, 2]]);
    assert_eq!(error, MeshError::ZeroArea { triangle: 0 });
    let thin = vec![
        Vector3::zeros(),
        Vector3::x(),
        Vector3::new(0.5, 1e-100, 0.0),
    ];
    assert!(TriangleMesh::new(thin, vec![[0, 1, 2]]).is_ok());
}

#[test]
fn a_closed_shell_is_closed() {
    let shell = shell();
    shell.check_closed().unwrap();
    shell.check_closed_outwards().unwrap();
    assert!((shell.signed_volume() - 1.0 / 6.0).abs() < 1e-15);
    let reversed = shell.reversed();
    reversed.check_closed().unwrap();
    assert!(
        matches!(reversed.check_closed_outwards(), Err(MeshError::WoundInwards { volume }) if volume < 0.0)
    );
}

#[test]
fn open_and_badly_wound_surfaces() {
    let vertices = nodes()[..4].to_vec();
    let open = TriangleMesh::new(vertices.clone(), vec![[1, 2, 3], [0, 3, 2], [0, 1, 3]]).unwrap();
    assert_eq!(
        open.check_closed(),
        Err(MeshError::OpenEdge {
            edge: [0, 1],
            triangle: 2
        })
    );

    let twisted =
        TriangleMesh::new(vertices, vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 1, 2]]).unwrap();
    assert_eq!(
        twisted.check_closed(),
        Err(MeshError::InconsistentWinding {
            edge: [0, 1],
            first: 2,
            second: 3
        })
    );
}

#[test]
fn surfaces_that_touch_themselves() {
    // Two shells that share an edge.
    let mut vertices = nodes()[..4].to_vec();
    vertices.extend([Vector3::new(0.0, -1.0, 0.0), Vector3::new(0.0, -1.0, -1.0)]);
    let mut triangles = shell().triangles().to_vec();
    triangles.extend([[0, 4, 1], [0, 1, 5], [0, 5, 4], [1, 4, 5]]);
    let by_edge = TriangleMesh::new(vertices, triangles).unwrap();
    assert_eq!(
        by_edge.check_closed(),
        Err(MeshError::NonManifoldEdge {
            edge: [0, 1],
            triangle: 2,
            count: 4
        })
    );

    // Two shells that share a vertex.
    let mut vertices = nodes()[..4].to_vec();
    vertices.extend([-Vector3::x(), -Vector3::y(), -Vector3::z()]);
    let mut triangles = shell().triangles().to_vec();
    triangles.extend([[4, 6, 5], [0, 5, 6], [0, 6, 4], [0, 4, 5]]);
    let by_vertex = TriangleMesh::new(vertices, triangles).unwrap();
    assert_eq!(
        by_vertex.check_closed(),
        Err(MeshError::NonManifoldVertex { node: 0, fans: 2 })
    );
}

#[test]
fn welding_closes_a_seam() {
    // The shell with one face on its own corners.
    let mut vertices = nodes()[..4].to_vec();
    vertices.extend_from_slice(&nodes()[1..4]);
    let triangles = vec![[4, 5, 6], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
    let seamed = TriangleMesh::new(vertices, triangles).unwrap();
    assert!(matches!(
        seamed.check_closed(),
        Err(MeshError::OpenEdge { .. })
    ));
    assert_eq!(seamed.coincident_vertices(), [(1, 4), (2, 5), (3, 6)]);
    let welded = seamed.welded().unwrap();
    assert_eq!(welded, shell());
    welded.check_closed_outwards().unwrap();
}

#[test]
fn measures_have_their_known_values() {
    let corners = [
        Vector3::new(1.0, 1.0, 1.0),
        Vector3::new(-1.0, 1.0, -1.0),
        Vector3::new(1.0, -1.0, -1.0),
        Vector3::new(-1.0, -1.0, 1.0),
    ];
    // Edge √8, volume ℓ³/(6√2).
    assert!((tet_volume(corners) - 8.0 / 3.0).abs() < 1e-14);
    assert!((tet_quality(corners) - 1.0).abs() < 1e-14);
    assert!(
        (triangle_area([corners[0], corners[1], corners[2]]) - 2.0 * 3.0_f64.sqrt()).abs() < 1e-14
    );
}

#[test]
fn every_message_names_the_place_and_the_mend() {
    let error = refused(nodes(), &[[0, 1, 2, 3], [0, 1, 2, 4]]);
    let message = error.to_string();
    assert!(
        message.contains("tetrahedron 1") && message.contains("repair` swaps two"),
        "{message}"
    );
}

#[test]
fn moving_nodes_validates_again() {
    let mesh = TetMesh::new(nodes(), TETS.to_vec()).unwrap();
    let moved = mesh.map_nodes(|node| 2.0 * node + Vector3::x()).unwrap();
    assert!((moved.volume() - 8.0 * mesh.volume()).abs() < 1e-14);
    assert!(matches!(
        mesh.map_nodes(|node| Vector3::new(-node.x, node.y, node.z)),
        Err(MeshError::Inverted { tet: 0, .. })
    ));
    assert!(shell().map_vertices(|vertex| vertex * f64::NAN).is_err());
}
