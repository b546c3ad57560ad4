//! The boundary of a solid, its curve order and its summary.

use impinge_geometry::mesh::{MeshSummary, TetMesh, generate};
use impinge_geometry::{MeshError, TriangleMesh};
use nalgebra::Vector3;

#[test]
fn the_outside_is_closed_and_encloses_the_volume() {
    for mesh in [
        generate::cuboid([1.0, 2.0, 3.0], [2, 3, 4]).unwrap(),
        generate::sphere(0.7, 3).unwrap(),
        generate::cylinder(0.5, 2.0, 3, 4).unwrap(),
    ] {
        let surface = mesh.surface().unwrap();
        surface.check_closed().unwrap();
        let shell = surface.to_triangle_mesh(&mesh).unwrap();
        shell.check_closed_outwards().unwrap();
        assert!((shell.signed_volume() / mesh.volume() - 1.0).abs() < 1e-12);
        for (vertex, &node) in shell.vertices().iter().zip(surface.nodes()) {
            assert_eq!(*vertex, mesh.nodes()[node as usize]);
        }
        for (triangle, &tet) in surface.triangles().iter().zip(surface.tet_of_triangle()) {
            assert!(
                triangle
                    .iter()
                    .all(|node| mesh.tets()[tet as usize].contains(node))
            );
        }
        assert!(surface.nodes().is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn overlapping_tetrahedra_are_refused() {
    // Two tetrahedra above the same face.
    let nodes = vec![
        Vector3::zeros(),
        Vector3::x(),
        Vector3::y(),
        Vector3::z(),
        Vector3::new(0.2, 0.2, 0.5),
        -Vector3::z(),
    ];
    let above = TetMesh::new(nodes[..5].to_vec(), vec![[0, 1, 2, 3], [0, 1, 2, 4]]).unwrap();
    assert_eq!(
        above.surface(),
        Err(MeshError::OverlappingTets {
            nodes: [0, 1, 2],
            first: 0,
            second: 1
        })
    );

    let three = TetMesh::new(nodes, vec![[0, 1, 2, 3], [0, 1, 2, 4], [0, 2, 1, 5]]).unwrap();
    assert_eq!(
        three.surface(),
        Err(MeshError::OvercrowdedFace {
            nodes: [0, 1, 2],
            first: 0,
            second: 1,
            third: 2
        })
    );
}

#[test]
fn solids_that_touch_in_a_node_are_told() {
    let nodes = vec![
        Vector3::zeros(),
        Vector3::x(),
        Vector3::y(),
        Vector3::z(),
        -Vector3::x(),
        -Vector3::y(),
        -Vector3::z(),
    ];
    let mesh = TetMesh::new(nodes, vec![[0, 1, 2, 3], [0, 5, 4, 6]]).unwrap();
    let surface = mesh.surface().unwrap();
    assert_eq!(
        surface.check_closed(),
        Err(MeshError::NonManifoldVertex { node: 0, fans: 2 })
    );
    assert!(!MeshSummary::of_solid(&mesh).unwrap().is_closed());
}

#[test]
fn curve_order_is_a_renumbering() {
    let mesh = generate::sphere(1.0, 4).unwrap();
    let (reordered, original) = mesh.reordered_along_curve();
    let mut seen = original.clone();
    seen.sort_unstable();
    assert!(seen.iter().copied().eq(0..mesh.nodes().len() as u32));
    for (node, &old) in reordered.nodes().iter().zip(&original) {
        assert_eq!(*node, mesh.nodes()[old as usize]);
    }
    // The tetrahedra are the same ones with the same corner order.
    let mut before = mesh.tets().to_vec();
    let mut after: Vec<[u32; 4]> = reordered
        .tets()
        .iter()
        .map(|corners| corners.map(|node| original[node as usize]))
        .collect();
    before.sort_unstable();
    after.sort_unstable();
    assert_eq!(before, after);
    assert_eq!(
        TetMesh::new(reordered.nodes().to_vec(), reordered.tets().to_vec()).unwrap(),
        reordered
    );
}

#[test]
fn curve_order_brings_neighbours_together() {
    // Mean distance in memory between the corners of a tetrahedron, compared with the row order of the grid.
    let spread = |mesh: &TetMesh| {
        let total: u32 = mesh
            .tets()
            .iter()
            .map(|tet| {
                tet.iter().max().expect("four corners") - tet.iter().min().expect("four corners")
            })
            .sum();
        f64::from(total) / mesh.tets().len() as f64
    };
    let grid = generate::cuboid([1.0, 1.0, 1.0], [15, 15, 15]).unwrap();
    let mut scattered: Vec<u32> = (0..grid.nodes().len() as u32).collect();
    scattered.sort_by_key(|node| node.wrapping_mul(2_654_435_761));
    let mut new_of_old = vec![0u32; scattered.len()];
    for (new, &old) in (0u32..).zip(&scattered) {
        new_of_old[old as usize] = new;
    }
    let shuffled = TetMesh::new(
        scattered
            .iter()
            .map(|&old| grid.nodes()[old as usize])
            .collect(),
        grid.tets()
            .iter()
            .map(|tet| tet.map(|node| new_of_old[node as usize]))
            .collect(),
    )
    .unwrap();
    let (reordered, _) = shuffled.reordered_along_curve();
    assert!(spread(&reordered) < 0.3 * spread(&shuffled));
}

#[test]
fn the_summary_of_a_box_is_known() {
    let mesh = generate::cuboid([2.0, 1.0, 1.0], [2, 1, 1]).unwrap();
    let summary = MeshSummary::of_solid(&mesh).unwrap();
    assert_eq!(
        (summary.nodes, summary.triangles, summary.edges),
        (12, 20, 30)
    );
    let solid = summary.solid.unwrap();
    assert_eq!(solid.tets, 12);
    assert!((solid.smallest_volume - 1.0 / 6.0).abs() < 1e-15);
    // Kuhn's tetrahedron has three edges of 1, two of √2 and one of √3.
    let quality = 2.0_f64.sqrt() / (10.0_f64 / 6.0).powf(1.5);
    assert!((solid.worst_quality - quality).abs() < 1e-14);
    assert_eq!(
        (
            summary.euler_characteristic,
            summary.parts,
            summary.open_edges
        ),
        (2, 1, 0)
    );
    assert!((summary.shortest_surface_edge - 1.0).abs() < 1e-15);
    insta::assert_snapshot!(summary, @r"
    nodes                  12
    tetrahedra             12
    surface triangles      20
    surface edges          30
    bounding box           2 x 1 x 1 m
      lowest corner        (-1, -0.5, -0.5) m
    volume                 2 m³
    smallest tetrahedron   0.1667 m³
    worst quality          0.6573 (1 regular, 0 flat)
    shortest surface edge  1 m
    Euler characteristic   2
    parts                  1
    surface                closed
    ");
}

#[test]
fn the_summary_of_an_open_surface_says_where() {
    let mesh = TriangleMesh::new(
        vec![
            Vector3::zeros(),
            Vector3::x(),
            Vector3::new(1.0, 1.0, 0.0),
            Vector3::y(),
        ],
        vec![[0, 1, 2], [0, 2, 3]],
    )
    .unwrap();
    let summary = MeshSummary::of_surface(&mesh);
    assert_eq!(
        (
            summary.open_edges,
            summary.euler_characteristic,
            summary.volume
        ),
        (4, 1, None)
    );
    assert!(
        summary
            .to_string()
            .contains("not closed, 4 open edges: the surface is open at the edge between nodes")
    );
}

#[test]
fn parts_are_counted() {
    let box_surface = generate::cuboid_surface([1.0, 1.0, 1.0]).unwrap();
    let mut vertices = box_surface.vertices().to_vec();
    vertices.extend(
        box_surface
            .vertices()
            .iter()
            .map(|vertex| vertex + Vector3::x() * 5.0),
    );
    let mut triangles = box_surface.triangles().to_vec();
    triangles.extend(
        box_surface
            .triangles()
            .iter()
            .map(|triangle| triangle.map(|vertex| vertex + 8)),
    );
    let summary = MeshSummary::of_surface(&TriangleMesh::new(vertices, triangles).unwrap());
    assert_eq!((summary.parts, summary.euler_characteristic), (2, 4));
    assert!(summary.is_closed());
}
