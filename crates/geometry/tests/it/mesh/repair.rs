//! Mesh defects, each repaired and counted alone.

use impinge_geometry::mesh::repair::{RawMesh, RepairReport};
use impinge_geometry::mesh::{MeshError, TriangleMesh, generate, hexahedron_tets};
use nalgebra::Vector3;

/// A box with this lower corner, as an outward surface.
fn cube(corner: [f64; 3]) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let mesh = generate::cuboid_surface([1.0; 3]).expect("a box");
    let shift = Vector3::from(corner) + Vector3::repeat(0.5);
    let nodes = mesh.vertices().iter().map(|x| x + shift).collect();
    (nodes, mesh.triangles().to_vec())
}

/// Several boxes in one mesh.
fn cubes(corners: &[[f64; 3]]) -> RawMesh {
    let mut raw = RawMesh::default();
    for corner in corners {
        let (nodes, triangles) = cube(*corner);
        let first = raw.nodes.len() as u32;
        raw.nodes.extend(nodes);
        raw.triangles
            .extend(triangles.iter().map(|t| t.map(|node| node + first)));
    }
    raw
}

fn surface(raw: RawMesh) -> (TriangleMesh, RepairReport) {
    raw.repaired_surface(None).expect("a surface")
}

#[test]
fn a_sound_mesh_stays_as_it_is() {
    let raw = cubes(&[[0.0; 3]]);
    let (mesh, report) = surface(raw.clone());
    assert_eq!(mesh.vertices(), raw.nodes);
    assert_eq!(mesh.triangles(), raw.triangles);
    assert!(report.is_unchanged());
    assert_eq!(report.to_string(), "nothing to change\n");
    let solid = generate::sphere(1.0, 3).expect("a ball");
    let raw = RawMesh {
        nodes: solid.nodes().to_vec(),
        tets: solid.tets().to_vec(),
        ..RawMesh::default()
    };
    let (mesh, report) = raw.repaired_solid(None).expect("a solid");
    assert_eq!(mesh, solid);
    assert!(report.is_unchanged());
}

#[test]
fn faults_of_a_surface_are_mended_and_counted() {
    let mut raw = cubes(&[[0.0; 3]]);
    // Two triangles reversed, one doubled, one with a corner twice, one far node, and one corner split with a small
    // gap.
    raw.triangles[1].swap(0, 1);
    raw.triangles[7].swap(1, 2);
    raw.triangles.push(raw.triangles[3]);
    raw.triangles.push([0, 0, 1]);
    raw.nodes.push(Vector3::repeat(0.25));
    let corner = raw.triangles[0][0];
    raw.nodes
        .push(raw.nodes[corner as usize] + Vector3::repeat(1e-8));
    raw.triangles[0][0] = 9;
    let (mesh, report) = surface(raw);
    mesh.check_closed_outwards().expect("closed");
    assert!((mesh.signed_volume() - 1.0).abs() < 1e-12);
    assert_eq!(
        (
            report.reversed_elements,
            report.duplicate_elements,
            report.flat_elements,
            report.unused_nodes,
            report.welded_nodes
        ),
        (2, 1, 1, 1, 1)
    );
    assert_eq!(report.to_string().lines().count(), 5);
}

#[test]
fn a_surface_inside_out_is_turned_over() {
    let mut raw = cubes(&[[0.0; 3]]);
    for triangle in &mut raw.triangles {
        triangle.swap(0, 1);
    }
    let (mesh, report) = surface(raw);
    mesh.check_closed_outwards().expect("outwards");
    assert_eq!(report.reversed_elements, 12);
}

#[test]
fn a_flat_triangle_gives_its_middle_corner_to_its_neighbour() {
    let mut raw = cubes(&[[0.0; 3]]);
    // A node on a diagonal, used on one side only: the flat triangle fills the gap between the two.
    let [a, b, c] = raw.triangles[0];
    let longest = [(a, b, c), (b, c, a), (c, a, b)]
        .into_iter()
        .find(|&(p, q, _)| (raw.nodes[p as usize] - raw.nodes[q as usize]).norm() > 1.2);
    let (p, q, apex) = longest.expect("a diagonal");
    let middle = raw.nodes.len() as u32;
    raw.nodes
        .push(0.5 * (raw.nodes[p as usize] + raw.nodes[q as usize]));
    raw.triangles[0] = [p, middle, apex];
    raw.triangles.extend([[middle, q, apex], [p, q, middle]]);
    let (mesh, report) = surface(raw);
    mesh.check_closed_outwards().expect("closed");
    assert_eq!((mesh.triangles().len(), report.flat_elements), (14, 1));
}

/// Nodes become one within the given distance, and no farther.
#[test]
fn nodes_are_welded_up_to_the_distance() {
    let shifted = |by: f64| {
        let mut raw = cubes(&[[0.0; 3]]);
        // One triangle gets a node of its own, beside the one that it shared.
        let [a, b, c] = raw.triangles[0];
        let own = raw.nodes.len() as u32;
        raw.nodes.push(raw.nodes[a as usize] + Vector3::x() * by);
        raw.triangles[0] = [own, b, c];
        raw.repaired_surface(Some(1e-3)).map(|(_, report)| report)
    };
    let near = shifted(0.9e-3).expect("one node");
    assert_eq!((near.welded_nodes, near.intersections), (1, 0));
    let far = shifted(1.1e-3);
    assert!(far.map_or(0, |report| report.welded_nodes) == 0);
}

/// Where boxes touch in an edge or a corner, each gets its own nodes, a little apart.
#[test]
fn sheets_that_touch_are_split() {
    for (corner, split) in [([1.0, 1.0, 0.0], 2), ([1.0, 1.0, 1.0], 1)] {
        let (mesh, report) = surface(cubes(&[[0.0; 3], corner]));
        mesh.check_closed_outwards().expect("closed");
        assert_eq!((report.welded_nodes, report.split_nodes), (split, split));
        assert_eq!(report.intersections, 0, "they do not touch any more");
        assert!((mesh.signed_volume() - 2.0).abs() < 1e-2);
        assert!(report.split_distance > 0.0 && report.split_distance < 2e-3);
    }
}

#[test]
fn two_boxes_with_a_common_wall_are_one() {
    let (mesh, report) = surface(cubes(&[[0.0; 3], [1.0, 0.0, 0.0]]));
    mesh.check_closed_outwards().expect("closed");
    assert_eq!(
        (report.wall_triangles, mesh.triangles().len()),
        (4, 20),
        "{report}"
    );
    assert!((mesh.signed_volume() - 2.0).abs() < 1e-12);
}

#[test]
fn a_sheet_drawn_on_both_sides_keeps_one() {
    let raw = RawMesh {
        nodes: vec![
            Vector3::zeros(),
            Vector3::x(),
            Vector3::new(1.0, 1.0, 0.0),
            Vector3::y(),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]],
        ..RawMesh::default()
    };
    let (mesh, report) = surface(raw);
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!((report.duplicate_elements, report.open_edges), (2, 4));
}

#[test]
fn irreparable_defects_are_named() {
    let (_, report) = surface(cubes(&[[0.0; 3], [0.5, 0.3, 0.2]]));
    assert!(report.first_intersection.is_some() && report.to_string().contains("unite"));
    // A small box inside a large one, outwards: not a cavity.
    let mut raw = cubes(&[[0.0; 3], [0.0; 3]]);
    for node in &mut raw.nodes[8..] {
        *node = 0.2 * *node + Vector3::repeat(0.3);
    }
    let (_, report) = surface(raw.clone());
    assert_eq!((report.nested_shells, report.reversed_elements), (1, 0));
    for triangle in &mut raw.triangles[12..] {
        triangle.swap(0, 1);
    }
    let (mesh, report) = surface(raw);
    assert_eq!((report.nested_shells, report.reversed_elements), (0, 0));
    assert!((mesh.signed_volume() - (1.0 - 0.008)).abs() < 1e-12);
    // A one-sided strip.
    let count = 12_u32;
    let nodes = (0..2 * count).map(|node| {
        let (angle, side) = (
            f64::from(node / 2) * std::f64::consts::TAU / f64::from(count),
            node % 2,
        );
        let across = if side == 0 { -0.2 } else { 0.2 };
        let radius = 1.0 + across * (angle / 2.0).cos();
        Vector3::new(
            radius * angle.cos(),
            radius * angle.sin(),
            across * (angle / 2.0).sin(),
        )
    });
    let triangles = (0..count).flat_map(|at| {
        let [a, b] = [2 * at, 2 * at + 1];
        let [c, d] = if at + 1 == count {
            [1, 0]
        } else {
            [a + 2, b + 2]
        };
        [[a, c, b], [b, c, d]]
    });
    let (_, report) = surface(RawMesh {
        nodes: nodes.collect(),
        triangles: triangles.collect(),
        ..RawMesh::default()
    });
    assert!(matches!(
        report.defect,
        Some(MeshError::InconsistentWinding { .. })
    ));
    let error = RawMesh {
        nodes: vec![Vector3::repeat(f64::NAN)],
        triangles: vec![[0, 0, 0]],
        ..RawMesh::default()
    }
    .repaired_surface(None);
    assert!(matches!(error, Err(MeshError::BadCoordinate { .. })));
}

/// The four corners of a translated tetrahedron.
fn corner_tet(at: [f64; 3], sign: f64) -> [Vector3<f64>; 4] {
    let at = Vector3::from(at);
    [
        at,
        at + sign * Vector3::x(),
        at + sign * Vector3::y(),
        at + sign * Vector3::z(),
    ]
}

#[test]
fn faults_of_a_solid_are_mended_and_counted() {
    // Two tetrahedra that meet in a node, one inverted, one doubled, one flat; and an unused node.
    let mut nodes = corner_tet([0.0; 3], 1.0).to_vec();
    nodes.extend(corner_tet([0.0; 3], -1.0));
    nodes.push(Vector3::repeat(3.0));
    let raw = RawMesh {
        nodes,
        tets: vec![[0, 1, 2, 3], [4, 5, 6, 7], [3, 2, 1, 0], [0, 1, 2, 5]],
        ..RawMesh::default()
    };
    let (mesh, report) = raw.repaired_solid(None).expect("a solid");
    assert_eq!(
        (
            report.reversed_elements,
            report.duplicate_elements,
            report.flat_elements,
            report.unused_nodes,
            report.welded_nodes,
            report.split_nodes
        ),
        (1, 1, 1, 1, 1, 1)
    );
    assert_eq!((mesh.nodes().len(), mesh.tets().len()), (8, 2));
    mesh.closed_surface().expect("clean");
}

/// Cells that cut their common face along different diagonals do not meet face to face: an error names them, and no
/// node is split.
#[test]
fn mismatched_diagonals_are_named() {
    let box_of = generate::cuboid([1.0; 3], [2, 1, 1]).expect("a box");
    let cells = generate::cuboid_cells([2, 1, 1]);
    // With its node 4 numbered before all others, the second cell cuts the common face from there.
    let renumbered = |node: u32| if node == 4 { 0 } else { node };
    let back = |node: u32| if node == 0 { 4 } else { node };
    let other = hexahedron_tets(&cells[1].map(renumbered)).map(|tet| tet.map(back));
    let raw = RawMesh {
        nodes: box_of.nodes().to_vec(),
        tets: hexahedron_tets(&cells[0])
            .into_iter()
            .chain(other)
            .collect(),
        ..RawMesh::default()
    };
    let error = raw.repaired_solid(None).expect_err("a fault");
    assert!(
        matches!(error, MeshError::MismatchedDiagonals { .. }),
        "{error}"
    );
}
