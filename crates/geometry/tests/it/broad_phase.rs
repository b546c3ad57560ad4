//! Every broad phase must give exactly the set of brute force.

use impinge_geometry::broad_phase::{Aabb, BroadPhase, BruteForce, Bvh, CandidateSet};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;
use proptest::prelude::*;

/// Bodies of few points with random triangles, so that shared points, edges of many triangles and touching boxes abound.
fn surface() -> impl Strategy<Value = CollisionSurface> {
    let corners = prop::collection::vec(prop::array::uniform3(0_u32..7), 0..12);
    prop::collection::vec((corners, any::<bool>(), any::<bool>()), 0..6).prop_map(|bodies| {
        let mut triangles = Vec::new();
        let mut group = Vec::new();
        let (mut passive, mut rigid) = (Vec::new(), Vec::new());
        for (body, (corners, is_passive, is_rigid)) in (0..).zip(bodies) {
            let first = group.len() as u32;
            group.extend([body; 7]);
            passive.push(is_passive);
            rigid.push(is_rigid);
            triangles.extend(
                corners
                    .into_iter()
                    .filter(|[a, b, c]| a != b && b != c && c != a)
                    .map(|corners| corners.map(|corner| first + corner)),
            );
        }
        CollisionSurface::new(triangles, group.len(), group, passive).with_rigid(rigid)
    })
}

/// Boxes with whole-number corners, for any number of points up to 42.
fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
    let corner = || prop::array::uniform3((-6..6).prop_map(f64::from)).prop_map(Vector3::from);
    let sweep = prop::array::uniform3((0..3).prop_map(f64::from)).prop_map(Vector3::from);
    prop::collection::vec(
        (corner(), sweep).prop_map(|(lower, sweep)| Aabb {
            lower,
            upper: lower + sweep,
        }),
        42,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn bvh_gives_the_pairs_of_brute_force(
        surfaces in prop::collection::vec(surface(), 1..4),
        frames in prop::collection::vec(boxes(), 1..6),
    ) {
        // One value lives through refits, rebuilds and changes of surface.
        let mut bvh = Bvh::new();
        let (mut found, mut expected) = (CandidateSet::default(), CandidateSet::default());
        for surface in &surfaces {
            for boxes in &frames {
                let boxes = &boxes[..surface.point_count()];
                bvh.collect(surface, boxes, &mut found);
                BruteForce.collect(surface, boxes, &mut expected);
                prop_assert_eq!(&found, &expected);
                prop_assert!(found.vertex_face.is_sorted_by(|a, b| a < b));
                prop_assert!(found.edge_edge.is_sorted_by(|a, b| a < b && a[0] < a[1]));
            }
        }
    }

    #[test]
    fn boxes_hold_what_they_are_made_of(
        points in prop::collection::vec(prop::array::uniform3(-1e3..1e3), 1..6),
        margin in 0.0..1e-3,
        t in 0.0..1.0,
    ) {
        let points: Vec<Vector3<f64>> = points.into_iter().map(Vector3::from).collect();
        let all = Aabb::from_points(&points);
        let grown = all.inflated(margin);
        prop_assert!(all.is_valid() && grown.contains(&all));
        for point in &points {
            let on_the_way = points[0].lerp(point, t);
            prop_assert!(grown.inflated(1e-12).contains(&Aabb::from_point(&on_the_way)));
            prop_assert!(all.overlaps(&Aabb::from_point(point)));
        }
        prop_assert!((all.lower - grown.lower).min() >= margin * (1.0 - 1e-9) - 1e-12);
    }
}

fn point_box(x: f64, y: f64, z: f64) -> Aabb {
    Aabb::from_point(&Vector3::new(x, y, z))
}

/// Two triangles face to face at distance zero.
fn touching_pair(passive: [bool; 2]) -> (CollisionSurface, Vec<Aabb>) {
    let triangles = vec![[0, 1, 2], [3, 4, 5]];
    let surface = CollisionSurface::new(triangles, 6, vec![0, 0, 0, 1, 1, 1], passive.to_vec());
    let corners = [
        point_box(0.0, 0.0, 0.0),
        point_box(1.0, 0.0, 0.0),
        point_box(0.0, 1.0, 0.0),
    ];
    (surface, [corners, corners].concat())
}

#[test]
fn touching_boxes_are_pairs() {
    let (surface, boxes) = touching_pair([false, true]);
    let mut found = CandidateSet::default();
    Bvh::new().collect(&surface, &boxes, &mut found);
    assert_eq!(
        found.vertex_face,
        [[0, 1], [1, 1], [2, 1], [3, 0], [4, 0], [5, 0]]
    );
    assert_eq!(found.edge_edge.len(), 9);
}

#[test]
fn passive_bodies_are_never_paired() {
    let (surface, boxes) = touching_pair([true, true]);
    let mut found = CandidateSet::default();
    Bvh::new().collect(&surface, &boxes, &mut found);
    assert!(found.is_empty());
}

#[test]
fn nothing_is_left_over_from_the_call_before() {
    let (surface, mut boxes) = touching_pair([false, false]);
    let mut bvh = Bvh::new();
    let mut found = CandidateSet::default();
    bvh.collect(&surface, &boxes, &mut found);
    assert_eq!(found.len(), 15);
    for corner in &mut boxes[3..] {
        corner.lower.z += 1.0;
        corner.upper.z += 1.0;
    }
    bvh.collect(&surface, &boxes, &mut found);
    assert!(found.is_empty());
}

#[test]
#[should_panic(expected = "the box of point 4")]
fn boxes_that_are_not_finite_are_refused() {
    let (surface, mut boxes) = touching_pair([false, false]);
    boxes[4].upper.x = f64::NAN;
    Bvh::new().collect(&surface, &boxes, &mut CandidateSet::default());
}
