//! The collision surface: edges, vertices and their owners.

use impinge_geometry::mesh::generate;
use impinge_geometry::surface::CollisionSurface;
use proptest::prelude::*;

/// A ring of triangles and a separate tetrahedron surface, in two bodies.
fn two_bodies() -> CollisionSurface {
    let strip: Vec<[u32; 3]> = vec![[0, 1, 2], [2, 1, 3], [2, 3, 4]];
    let tet: Vec<[u32; 3]> = vec![[6, 8, 7], [6, 7, 9], [6, 9, 8], [7, 8, 9]];
    // Point 5 belongs to the first body but to no triangle.
    CollisionSurface::new(
        strip.into_iter().chain(tet).collect(),
        10,
        vec![0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
        vec![false, true],
    )
}

#[test]
fn edges_are_sorted_unique_and_ascending() {
    let surface = two_bodies();
    assert_eq!(
        surface.edges(),
        [
            [0, 1],
            [0, 2],
            [1, 2],
            [1, 3],
            [2, 3],
            [2, 4],
            [3, 4],
            [6, 7],
            [6, 8],
            [6, 9],
            [7, 8],
            [7, 9],
            [8, 9]
        ]
    );
    assert_eq!(surface.vertices(), [0, 1, 2, 3, 4, 6, 7, 8, 9]);
    assert_eq!(surface.triangle_edges()[1], [2, 3, 4]);
    assert!(surface.is_passive_point(6) && !surface.is_passive_point(5));
    assert_eq!((surface.body_of_point(9), surface.point_count()), (1, 10));
}

#[test]
fn owners_are_the_smallest_incident_triangles() {
    let surface = two_bodies();
    for (edge, &owner) in surface.edges().iter().zip(surface.edge_owners()) {
        let first = surface
            .triangles()
            .iter()
            .position(|t| edge.iter().all(|point| t.contains(point)));
        assert_eq!(first, Some(owner as usize));
    }
    for (vertex, &owner) in surface.vertices().iter().zip(surface.vertex_owners()) {
        let first = surface.triangles().iter().position(|t| t.contains(vertex));
        assert_eq!(first, Some(owner as usize));
    }
}

#[test]
fn a_closed_mesh_has_three_edges_for_two_triangles() {
    let sphere = generate::sphere_surface(1.0, 4).unwrap();
    let points = sphere.vertices().len();
    let surface = CollisionSurface::new(
        sphere.triangles().to_vec(),
        points,
        vec![0; points],
        vec![false],
    );
    assert_eq!(2 * surface.edges().len(), 3 * surface.triangles().len());
    assert_eq!(surface.vertices().len(), points);
    assert_eq!(surface.edges(), sphere.edges());
}

#[test]
fn no_triangles_is_no_surface() {
    let surface = CollisionSurface::new(Vec::new(), 3, vec![0; 3], vec![true]);
    assert!(surface.edges().is_empty() && surface.vertices().is_empty());
}

#[test]
#[should_panic(expected = "triangle 1 names a point beyond")]
fn a_missing_point_is_the_callers_bug() {
    CollisionSurface::new(vec![[0, 1, 2], [1, 2, 3]], 3, vec![0; 3], vec![false]);
}

#[test]
#[should_panic(expected = "triangle 0 joins two bodies")]
fn a_triangle_across_bodies_is_the_callers_bug() {
    CollisionSurface::new(vec![[0, 1, 2]], 3, vec![0, 0, 1], vec![false, false]);
}

#[test]
#[should_panic(expected = "one group per point")]
fn a_missing_group_is_the_callers_bug() {
    CollisionSurface::new(vec![[0, 1, 2]], 3, vec![0, 0], vec![false]);
}

/// A triangle with three different corners below `points`.
fn triangle(points: u32) -> impl Strategy<Value = [u32; 3]> {
    (0..points, 1..points - 1, 1..points - 1).prop_map(move |(a, step, other)| {
        let b = (a + step) % points;
        let c = (0..points)
            .map(|extra| (a + other + extra) % points)
            .find(|c| *c != a && *c != b);
        [a, b, c.expect("three points at least")]
    })
}

proptest! {
    #[test]
    fn every_side_of_every_triangle_is_its_edge(triangles in prop::collection::vec(triangle(9), 0..40)) {
        let surface = CollisionSurface::new(triangles.clone(), 9, vec![0; 9], vec![false]);
        prop_assert!(surface.edges().is_sorted_by(|a, b| a < b));
        for (&[a, b, c], sides) in triangles.iter().zip(surface.triangle_edges()) {
            for ([from, to], &side) in [[a, b], [b, c], [c, a]].into_iter().zip(sides) {
                prop_assert_eq!(surface.edges()[side as usize], [from.min(to), from.max(to)]);
            }
        }
        let sides: Vec<u32> = surface.triangle_edges().as_flattened().to_vec();
        for (edge, &owner) in (0u32..).zip(surface.edge_owners()) {
            let first = sides.iter().position(|&side| side == edge).map(|place| place / 3);
            prop_assert_eq!(first, Some(owner as usize));
        }
    }
}
