//! Every broad phase must return exactly the set of brute force.

use impinge_geometry::broad_phase::{Aabb, BroadPhase, BruteForce, Bvh, CandidateSet, TreeUpdate};
use impinge_geometry::ccd::CcdRule;
use impinge_geometry::mesh::generate::{RingShape, ring};
use impinge_geometry::surface::{CollisionSurface, PairFilter};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Bodies of few points with random triangles, which share many points and edges and often touch.
fn surface() -> impl Strategy<Value = CollisionSurface> {
    let corners = prop::collection::vec(prop::array::uniform3(0_u32..7), 0..12);
    prop::collection::vec((corners, any::<bool>()), 0..6).prop_map(|bodies| {
        let mut triangles = Vec::new();
        let mut group = Vec::new();
        let mut passive = Vec::new();
        for (body, (corners, is_passive)) in (0..).zip(bodies) {
            let first = group.len() as u32;
            group.extend([body; 7]);
            passive.push(is_passive);
            triangles.extend(
                corners
                    .into_iter()
                    .filter(|[a, b, c]| a != b && b != c && c != a)
                    .map(|corners| corners.map(|corner| first + corner)),
            );
        }
        CollisionSurface::new(triangles, group.len(), group, passive)
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

/// Filters of a surface of up to six bodies of seven points each; entries beyond the surface are dropped.
fn filter() -> impl Strategy<Value = PairFilter> {
    let pairs = |bound: u32| prop::collection::vec(prop::array::uniform2(0..bound), 0..4);
    (
        prop::collection::vec(0_u32..6, 0..3),
        prop::collection::vec(0_u32..3, 6),
        pairs(3),
        pairs(42),
    )
        .prop_map(
            |(without_self_contact, user_group, excluded_groups, attachments)| PairFilter {
                without_self_contact,
                user_group,
                excluded_groups,
                attachments,
            },
        )
}

fn fitted(mut filter: PairFilter, surface: &CollisionSurface) -> PairFilter {
    let (bodies, points) = (surface.passive().len(), surface.point_count());
    filter
        .without_self_contact
        .retain(|&body| (body as usize) < bodies);
    filter.user_group.truncate(bodies);
    filter
        .attachments
        .retain(|pair| pair.iter().all(|&point| (point as usize) < points));
    filter
}

/// Whether the filter admits a pair, written from its documentation.
fn admitted(filter: &PairFilter, surface: &CollisionSurface, a: &[u32], b: &[u32]) -> bool {
    let (body_a, body_b) = (surface.body_of_point(a[0]), surface.body_of_point(b[0]));
    let group = |body: u32| filter.user_group.get(body as usize).copied().unwrap_or(0);
    let excluded = if body_a == body_b {
        filter.without_self_contact.contains(&body_a)
    } else {
        let pair = [group(body_a), group(body_b)];
        filter.excluded_groups.contains(&pair)
            || filter.excluded_groups.contains(&[pair[1], pair[0]])
    };
    // All points attached to `point`, itself included.
    let held = |point: u32| {
        let mut held = vec![point];
        for _ in 0..=filter.attachments.len() {
            for &[p, q] in &filter.attachments {
                if held.contains(&p) {
                    held.push(q);
                } else if held.contains(&q) {
                    held.push(p);
                }
            }
            held.sort_unstable();
            held.dedup();
        }
        held
    };
    !excluded
        && !a
            .iter()
            .any(|&point| held(point).iter().any(|p| b.contains(p)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn filters_exclude_their_pairs(
        surface in surface(),
        boxes in boxes(),
        filter in filter(),
    ) {
        let filter = fitted(filter, &surface);
        let boxes = &boxes[..surface.point_count()];
        let (mut bvh, mut found, mut all) = (Bvh::new(), CandidateSet::default(), CandidateSet::default());
        // The same trees with and without the filter: they must notice the change.
        bvh.collect(&surface, boxes, &mut all);
        let filtered = surface.clone().with_filter(&filter);
        bvh.collect(&filtered, boxes, &mut found);
        let (triangles, edges) = (surface.triangles(), surface.edges());
        all.vertex_face.retain(|&[v, f]| admitted(&filter, &surface, &[v], &triangles[f as usize]));
        all.edge_edge.retain(|&[a, b]| admitted(&filter, &surface, &edges[a as usize], &edges[b as usize]));
        prop_assert_eq!(&found, &all);
        BruteForce.collect(&filtered, boxes, &mut found);
        prop_assert_eq!(&found, &all);
    }

    #[test]
    fn bvh_gives_the_pairs_of_brute_force(
        surfaces in prop::collection::vec(surface(), 1..4),
        frames in prop::collection::vec(boxes(), 1..6),
    ) {
        // One value through refits, rebuilds and changes of surface.
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
    fn gaps_below_single_precision_part_boxes(
        surface in surface(),
        boxes in boxes(),
        steps in prop::collection::vec(prop::array::uniform3(-3_i32..4), 42),
        far in prop::sample::select(vec![0.0, 1e3, -7e6]),
    ) {
        // Corners that differ by units in the last place of double precision, and are equal in single precision.
        let boxes: Vec<Aabb> = boxes[..surface.point_count()]
            .iter()
            .zip(&steps)
            .map(|(b, steps)| {
                let moved = |x: f64, k: i32| (0..k.abs()).fold(x + far, |x, _| {
                    if k < 0 { x.next_down() } else { x.next_up() }
                });
                Aabb {
                    lower: Vector3::from_fn(|c, _| moved(b.lower[c], steps[c])),
                    upper: Vector3::from_fn(|c, _| moved(b.upper[c], steps[c].max(steps[(c + 1) % 3]))),
                }
            })
            .collect();
        let (mut found, mut expected) = (CandidateSet::default(), CandidateSet::default());
        Bvh::new().collect(&surface, &boxes, &mut found);
        BruteForce.collect(&surface, &boxes, &mut expected);
        prop_assert_eq!(&found, &expected);
    }

    #[test]
    fn boxes_contain_their_points(
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

/// Two opposite triangles at distance zero.
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

/// A heap of rings that move apart: enough triangles for several tasks.
fn heap(bodies: u32) -> (CollisionSurface, Vec<Vector3<f64>>) {
    let shape = ring(RingShape {
        major_radius: 0.05,
        section: 0.02,
        segments: 18,
    })
    .expect("a ring");
    let outside = shape.surface().expect("a ring has an outside");
    let count = shape.nodes().len() as u32;
    let (mut triangles, mut group, mut points) = (Vec::new(), Vec::new(), Vec::new());
    for body in 0..bodies {
        triangles.extend(
            outside
                .triangles()
                .iter()
                .map(|t| t.map(|p| body * count + p)),
        );
        group.extend((0..count).map(|_| body));
        let place = Vector3::new(0.03, 0.04, 0.015) * f64::from(body % 12)
            + Vector3::new(-0.02, 0.01, 0.03) * f64::from(body / 12);
        points.extend(shape.nodes().iter().map(|x| x + place));
    }
    let surface = CollisionSurface::new(
        triangles,
        points.len(),
        group,
        (0..bodies).map(|body| body % 7 == 6).collect(),
    );
    (surface, points)
}

#[test]
fn decayed_trees_are_rebuilt_and_right_throughout() {
    let (surface, points) = heap(12);
    let mut bvh = Bvh::new();
    let (mut found, mut expected) = (CandidateSet::default(), CandidateSet::default());
    let mut updates = Vec::new();
    for step in 0..6 {
        // Each ring moves in its own direction, so the triangles of a cluster separate.
        let boxes: Vec<Aabb> = points
            .iter()
            .zip(surface.group())
            .map(|(x, &body)| {
                let angle = 2.4 * f64::from(body);
                let way = Vector3::new(angle.cos(), angle.sin(), (0.7 * angle).sin());
                Aabb::from_point(&(x + way * 0.08 * f64::from(step))).inflated(1e-3)
            })
            .collect();
        updates.push(bvh.update(&surface, &boxes));
        bvh.find(&surface, &boxes, &mut found);
        BruteForce.collect(&surface, &boxes, &mut expected);
        assert_eq!(found, expected, "step {step}");
    }
    assert_eq!(updates[0], TreeUpdate::Built);
    assert!(updates.contains(&TreeUpdate::Rebuilt), "{updates:?}");
}

#[test]
fn resting_trees_are_refitted() {
    let (surface, points) = heap(3);
    let boxes: Vec<Aabb> = points.iter().map(Aabb::from_point).collect();
    let mut bvh = Bvh::new();
    assert_eq!(bvh.update(&surface, &boxes), TreeUpdate::Built);
    assert_eq!(bvh.update(&surface.clone(), &boxes), TreeUpdate::Refitted);
    // An equal surface that is not a clone counts as another one.
    assert_eq!(bvh.update(&heap(3).0, &boxes), TreeUpdate::Built);
}

#[test]
fn pairs_do_not_depend_on_the_number_of_threads() {
    let (surface, points) = heap(40);
    let boxes: Vec<Aabb> = points
        .iter()
        .map(|x| Aabb::from_point(x).inflated(2e-3))
        .collect();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        pool.install(|| {
            let mut found = CandidateSet::default();
            let mut bvh = Bvh::new();
            for _ in 0..2 {
                bvh.collect(&surface, &boxes, &mut found);
            }
            found
        })
    };
    let one = with(1);
    assert!(one.len() > 20_000, "{}", one.len());
    let mut expected = CandidateSet::default();
    BruteForce.collect(&surface, &boxes, &mut expected);
    assert_eq!(one, expected);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}

#[test]
fn boxes_beyond_single_precision_are_paired_like_others() {
    let (surface, boxes) = touching_pair([false, false]);
    for factor in [1e-300, 1e-40, 1e30, 1e60, 1e300] {
        let scaled: Vec<Aabb> = boxes
            .iter()
            .map(|b| Aabb {
                lower: b.lower * factor,
                upper: b.upper * factor,
            })
            .collect();
        let (mut found, mut expected) = (CandidateSet::default(), CandidateSet::default());
        Bvh::new().collect(&surface, &scaled, &mut found);
        BruteForce.collect(&surface, &scaled, &mut expected);
        assert_eq!(found, expected, "{factor}");
        assert_eq!(found.len(), 15);
    }
    // Boxes over the whole range of double precision; corners beyond that of single precision.
    let everywhere = vec![
        Aabb {
            lower: Vector3::repeat(-1e300),
            upper: Vector3::repeat(1e300),
        };
        6
    ];
    let mut found = CandidateSet::default();
    Bvh::new().collect(&surface, &everywhere, &mut found);
    assert_eq!(found.len(), 15);
}

/// A vertex whose box ends below that of a face by less than a unit in the last place is no candidate, and cannot
/// collide: points stay within their boxes, and exact arithmetic finds no contact. Broad phases that grow boxes by a
/// unit in the last place list such a pair.
#[test]
fn boxes_that_are_apart_by_the_least_amount_hold_nothing_that_collides() {
    let height = 4.2e-22;
    let start = [
        Vector3::new(0.25, 0.25, -height),
        Vector3::new(0.0, 0.0, 0.0),
        Vector3::new(1.0, 0.0, 0.0),
        Vector3::new(0.0, 1.0, 0.0),
    ];
    let mut end = start;
    end[0] += Vector3::new(0.5, 0.25, -0.1);
    let boxes: Vec<Aabb> = (start.iter().zip(&end))
        .map(|(&a, &b)| Aabb::from_points(&[a, b]))
        .collect();
    let surface = CollisionSurface::new(
        vec![[1, 2, 3], [0, 4, 5]],
        6,
        vec![0, 1, 1, 1, 0, 0],
        vec![false; 2],
    );
    // The other corners of the vertex's triangle are far below.
    let far = Aabb::from_points(&[Vector3::new(0.0, 0.0, -5.0)]);
    let boxes = [boxes, vec![far, far]].concat();
    for phase in [&mut BruteForce as &mut dyn BroadPhase, &mut Bvh::new()] {
        let mut found = CandidateSet::default();
        phase.collect(&surface, &boxes, &mut found);
        assert_eq!(found.vertex_face, Vec::<[u32; 2]>::new());
    }
    let toi = impinge_geometry::ccd::vertex_face(&start, &end, &CcdRule::default());
    assert_eq!(toi.time(), None);
    // If the boxes touch, the pair is listed.
    let mut touching = boxes;
    touching[0].upper.z = 0.0;
    let mut found = CandidateSet::default();
    Bvh::new().collect(&surface, &touching, &mut found);
    assert!(found.vertex_face.contains(&[0, 0]));
}
