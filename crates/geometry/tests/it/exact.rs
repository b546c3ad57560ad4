//! Exact predicates against integer arithmetic on whole-number coordinates, and against cases made by hand.

use impinge_geometry::exact::{
    Orientation, segment_crosses_triangle, segments_intersect, surface_intersections,
    tet_orientation, triangles_intersect, winding_number,
};
use impinge_geometry::mesh::generate;
use impinge_geometry::surface::{CollisionSurface, PairFilter};
use nalgebra::Vector3;
use proptest::prelude::*;

type Int = [i64; 3];

fn minus(a: Int, b: Int) -> Int {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Int, b: Int) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Int, b: Int) -> Int {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Whether the origin is in the hull of some points: by Carathéodory's theorem, in one of the simplices they span.
fn hull_holds_origin(points: &[Int]) -> bool {
    let n = points.len();
    let tets = || {
        (0..n).flat_map(move |i| {
            (0..i).flat_map(move |j| (0..j).flat_map(move |k| (0..k).map(move |l| [i, j, k, l])))
        })
    };
    points.contains(&[0; 3])
        || (0..n).any(|i| (0..i).any(|j| segment_holds_origin(points[i], points[j])))
        || (0..n).any(|i| {
            (0..i).any(|j| (0..j).any(|k| face_holds_origin(points[i], points[j], points[k])))
        })
        || tets().any(|tet| tet_holds_origin(tet.map(|i| points[i])))
}

fn segment_holds_origin(a: Int, b: Int) -> bool {
    cross(a, b) == [0; 3] && dot(a, b) <= 0
}

/// For triangles with area; the sides cover the others.
fn face_holds_origin(a: Int, b: Int, c: Int) -> bool {
    let normal = cross(minus(b, a), minus(c, a));
    normal != [0; 3]
        && dot(normal, a) == 0
        && [(a, b), (b, c), (c, a)]
            .iter()
            .all(|&(p, q)| dot(normal, cross(p, q)) >= 0)
}

/// For tetrahedra with volume; the faces cover the others.
fn tet_holds_origin([a, b, c, d]: [Int; 4]) -> bool {
    let volume =
        |a: Int, b: Int, c: Int, d: Int| dot(cross(minus(b, a), minus(c, a)), minus(d, a)).signum();
    let o = [0; 3];
    let whole = volume(a, b, c, d);
    whole != 0
        && [(o, b, c, d), (a, o, c, d), (a, b, o, d), (a, b, c, o)]
            .iter()
            .all(|&(a, b, c, d)| volume(a, b, c, d) * whole >= 0)
}

fn hulls_meet(first: &[Int], second: &[Int]) -> bool {
    let differences: Vec<Int> = first
        .iter()
        .flat_map(|&p| second.iter().map(move |&q| minus(p, q)))
        .collect();
    hull_holds_origin(&differences)
}

fn to_float(p: Int) -> Vector3<f64> {
    Vector3::from(p.map(|x| x as f64))
}

fn int_point(size: i64) -> impl Strategy<Value = Int> {
    prop::array::uniform3(-size..=size)
}

/// Coarse and fine whole numbers: the former give coincidences, the latter generic positions.
fn any_int_point() -> impl Strategy<Value = Int> {
    prop_oneof![int_point(1), int_point(3), int_point(1000)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn triangles_agree_with_integers(
        s in prop::array::uniform3(any_int_point()), t in prop::array::uniform3(any_int_point()),
    ) {
        let expected = hulls_meet(&s, &t);
        prop_assert_eq!(triangles_intersect(&s.map(to_float), &t.map(to_float)), expected);
        prop_assert_eq!(triangles_intersect(&t.map(to_float), &s.map(to_float)), expected);
    }

    #[test]
    fn segments_agree_with_integers(
        e in prop::array::uniform2(any_int_point()),
        f in prop::array::uniform2(any_int_point()),
        t in prop::array::uniform3(any_int_point()),
    ) {
        let (e_float, f_float, t_float) = (e.map(to_float), f.map(to_float), t.map(to_float));
        prop_assert_eq!(segments_intersect(&e_float, &f_float), hulls_meet(&e, &f));
        prop_assert_eq!(segment_crosses_triangle(&e_float, &t_float), hulls_meet(&e, &t));
    }

    #[test]
    fn fans_agree_with_integers(
        apex in int_point(2), p in int_point(2), q in int_point(2), r in int_point(2), s in int_point(2),
    ) {
        let out = |corner| minus(corner, apex);
        if cross(out(p), out(q)) == [0; 3] || cross(out(r), out(s)) == [0; 3] {
            return Ok(());
        }
        // Close to the apex the triangles are cones, which meet elsewhere if and only if a combination of the first's
        // directions equals one of the second's.
        let back = |corner| minus(apex, corner);
        let expected = hull_holds_origin(&[out(p), out(q), back(r), back(s)]);
        let points = [apex, p, q, r, s].map(to_float);
        let surface = CollisionSurface::new(vec![[0, 1, 2], [3, 0, 4]], 5, vec![0; 5], vec![false]);
        let found = surface_intersections(&points, &surface, usize::MAX);
        prop_assert_eq!(!found.is_empty(), expected);
    }

    #[test]
    fn hinges_agree_with_integers(
        u in int_point(2), v in int_point(2), p in int_point(2), q in int_point(2),
    ) {
        let side = |corner| cross(minus(v, u), minus(corner, u));
        if side(p) == [0; 3] || side(q) == [0; 3] {
            return Ok(());
        }
        let expected = cross(side(p), side(q)) == [0; 3] && dot(side(p), side(q)) > 0;
        let points = [u, v, p, q].map(to_float);
        let surface = CollisionSurface::new(vec![[0, 1, 2], [1, 0, 3]], 4, vec![0; 4], vec![false]);
        let found = surface_intersections(&points, &surface, usize::MAX);
        prop_assert_eq!(!found.is_empty(), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_sweep_finds_all_pairs(
        corners in prop::collection::vec(prop::array::uniform3(int_point(6)), 0..40),
        passive in prop::array::uniform2(any::<bool>()),
    ) {
        // Unconnected triangles, alternately of either body.
        let points: Vec<Vector3<f64>> = corners.iter().flatten().map(|&p| to_float(p)).collect();
        let count = corners.len() as u32;
        let triangles = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let group: Vec<u32> = (0..3 * count).map(|i| i / 3 % 2).collect();
        let surface = CollisionSurface::new(triangles, points.len(), group, passive.to_vec());
        let mut expected = Vec::new();
        for i in 0..count {
            for j in i + 1..count {
                let both_passive = passive[(i % 2) as usize] && passive[(j % 2) as usize];
                if !both_passive && hulls_meet(&corners[i as usize], &corners[j as usize]) {
                    expected.push([i, j]);
                }
            }
        }
        let found = surface_intersections(&points, &surface, usize::MAX);
        prop_assert_eq!(found.iter().map(|pair| pair.triangles).collect::<Vec<_>>(), &expected[..]);
        let limit = expected.len() / 2;
        let some = surface_intersections(&points, &surface, limit);
        prop_assert_eq!(some.len(), limit);
        prop_assert!(some.iter().all(|pair| found.contains(pair)));
    }
}

fn v(x: f64, y: f64, z: f64) -> Vector3<f64> {
    Vector3::new(x, y, z)
}

fn unit_triangle() -> [Vector3<f64>; 3] {
    [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)]
}

#[test]
fn cases_made_by_hand() {
    let t = unit_triangle();
    let moved = |x, y, z| t.map(|p| p + v(x, y, z));
    let spike = |z| [v(0.25, 0.25, z), v(0.2, 0.2, 2.0), v(0.3, 0.2, 2.0)];
    let cases = [
        (spike(-1.0), true, "piercing"),
        (spike(0.0), true, "touching the face with a corner"),
        (spike(f64::MIN_POSITIVE), false, "just above"),
        (
            [v(0.5, 0.5, 0.0), v(1.0, 1.0, 1.0), v(1.0, 1.0, -1.0)],
            true,
            "corner on a side",
        ),
        (
            [v(1.0, 0.0, -1.0), v(1.0, 0.0, 1.0), v(2.0, 0.0, 0.0)],
            true,
            "side through a corner",
        ),
        (moved(1.0, 0.0, 0.0), true, "coplanar, corner on corner"),
        (moved(0.25, 0.25, 0.0), true, "coplanar, overlapping"),
        (
            t.map(|p| v(0.1, 0.1, 0.0) + p * 0.1),
            true,
            "coplanar, one inside the other",
        ),
        (moved(1.0, 1.0, 0.0), false, "coplanar, apart"),
        (
            t.map(|p| v(1.1, 1.1, 0.0) - p),
            false,
            "coplanar, apart across parallel sides",
        ),
        (
            moved(0.0, 0.0, 1e-300),
            false,
            "parallel, as close as can be",
        ),
        ([v(0.2, 0.2, 0.0); 3], true, "collapsed to a point inside"),
        (
            [v(0.2, 0.2, 1.0), v(0.2, 0.2, -1.0), v(0.2, 0.2, 0.5)],
            true,
            "collapsed, piercing",
        ),
        (
            [v(0.2, 0.2, 1.0), v(0.2, 0.2, 0.1), v(0.2, 0.2, 0.5)],
            false,
            "collapsed, above",
        ),
    ];
    for (other, expected, name) in cases {
        assert_eq!(triangles_intersect(&t, &other), expected, "{name}");
        assert_eq!(triangles_intersect(&other, &t), expected, "{name}");
    }
}

#[test]
fn nearly_parallel_triangles_are_told_apart() {
    // Tilted by one bit: above the plane except where a corner reaches exactly down to it.
    let t = unit_triangle();
    let tiny = f64::EPSILON;
    let touching = [v(0.5, 0.25, 0.0), v(0.0, 0.25, tiny), v(0.25, 0.5, tiny)];
    let apart = [
        v(0.5, 0.25, tiny),
        v(0.0, 0.25, 2.0 * tiny),
        v(0.25, 0.5, tiny),
    ];
    assert!(triangles_intersect(&t, &touching));
    assert!(!triangles_intersect(&t, &apart));
}

#[test]
fn orientation_is_that_of_the_volume() {
    let tet = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
    assert_eq!(tet_orientation(&tet), Orientation::Positive);
    let [a, b, c, d] = tet;
    assert_eq!(tet_orientation(&[b, a, c, d]), Orientation::Negative);
    assert_eq!(tet_orientation(&[a, b, c, b + c]), Orientation::Degenerate);
}

#[test]
fn a_surface_folded_through_itself_at_a_corner() {
    // The second triangle of a fan swings down through the first.
    let fan = |height: f64| {
        [
            v(0.0, 0.0, 0.0),
            v(1.0, -1.0, 0.0),
            v(1.0, 1.0, 0.0),
            v(1.0, 0.0, 0.5),
            v(1.0, 0.5, height),
        ]
    };
    let surface = CollisionSurface::new(vec![[0, 1, 2], [0, 3, 4]], 5, vec![0; 5], vec![false]);
    assert!(surface_intersections(&fan(0.1), &surface, 10).is_empty());
    let found = surface_intersections(&fan(-0.1), &surface, 10);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].triangles, [0, 1]);
}

/// Bodies excluded by the filter may overlap; a body is tested against itself whatever the filter says.
#[test]
fn bodies_that_are_left_out_are_not_tested() {
    let points = [
        v(0.0, 0.0, 0.0),
        v(1.0, 0.0, 0.0),
        v(0.0, 1.0, 0.0),
        v(0.2, 0.2, -0.5),
        v(0.2, 0.2, 0.5),
        v(0.4, 0.4, 0.5),
    ];
    let found = |bodies: [u32; 2], filter: &PairFilter| {
        let [a, b] = bodies;
        let triangles = vec![[0, 1, 2], [3, 4, 5]];
        let surface = CollisionSurface::new(triangles, 6, vec![a, a, a, b, b, b], vec![false; 2]);
        surface_intersections(&points, &surface.with_filter(filter), 10).len()
    };
    let joined = PairFilter {
        user_group: vec![0, 1],
        excluded_groups: vec![[0, 1]],
        without_self_contact: vec![0],
        ..PairFilter::default()
    };
    assert_eq!(found([0, 1], &PairFilter::default()), 1);
    assert_eq!(found([0, 1], &joined), 0);
    assert_eq!(found([0, 0], &joined), 1);
}

#[test]
#[should_panic(expected = "point 1 is not finite")]
fn positions_that_are_not_finite_are_refused() {
    let surface = CollisionSurface::new(vec![[0, 1, 2]], 3, vec![0; 3], vec![false]);
    let mut points = unit_triangle();
    points[1].y = f64::NAN;
    surface_intersections(&points, &surface, 10);
}

/// A box of whole numbers with points on its faces, edges and corners: those count as moved by `(ε, ε², ε³)`, so the
/// lower sides are inside and the upper ones outside.
#[test]
fn winding_numbers_of_a_box_with_all_ties() {
    let cuboid = generate::cuboid_surface([2.0, 2.0, 2.0]).unwrap();
    let triangles = || (0..cuboid.triangles().len()).map(|triangle| cuboid.corners(triangle));
    for x in -2..=2 {
        for y in -2..=2 {
            for z in -2..=2 {
                let inside = [x, y, z].iter().all(|c| (-1..1).contains(c));
                let point = Vector3::new(f64::from(x), f64::from(y), f64::from(z));
                assert_eq!(
                    winding_number(&point, triangles()),
                    i32::from(inside),
                    "{point}"
                );
                let reversed = triangles().map(|[a, b, c]| [a, c, b]);
                assert_eq!(winding_number(&point, reversed), -i32::from(inside));
            }
        }
    }
}

proptest! {
    /// Against the distance from the centre, except close to the facets.
    #[test]
    fn winding_numbers_of_a_ball(point in prop::array::uniform3(-1.5..1.5f64), depth in 1i32..3) {
        let point = Vector3::from(point);
        let ball = generate::sphere_surface(1.0, 6).unwrap();
        prop_assume!((point.norm() - 0.98).abs() > 0.03);
        let shells = (0..depth).flat_map(|_| (0..ball.triangles().len()).map(|t| ball.corners(t)));
        let expected = if point.norm() < 0.98 { depth } else { 0 };
        prop_assert_eq!(winding_number(&point, shells), expected);
    }
}
