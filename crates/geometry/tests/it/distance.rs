//! Closest points are tested by optimality (no step towards any corner reduces the distance), and by dense sampling.

use impinge_geometry::distance::{EdgePart, TriangleFeature, edge_edge, point_triangle};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Rounding of squared distances, relative to the squared size of the query. Slivers near the sliver threshold lose the
/// most.
const ROUNDING: f64 = 1e-13;

fn size_squared(points: &[Vector3<f64>]) -> f64 {
    let spread = |p: &Vector3<f64>| (p - points[0]).norm_squared();
    points.iter().map(spread).fold(1e-300, f64::max)
}

/// Reduction of the squared length of `gap` by adding a part, at most all, of `step`.
fn improvement(gap: Vector3<f64>, step: Vector3<f64>) -> f64 {
    let best = (-gap.dot(&step) / step.norm_squared().max(1e-300)).clamp(0.0, 1.0);
    gap.norm_squared() - (gap + step * best).norm_squared()
}

fn check_point_triangle(p: Vector3<f64>, t: [Vector3<f64>; 3]) -> Result<(), TestCaseError> {
    let found = point_triangle(&p, &t);
    // Relative to the query point, so that positions round by the size of the query, not by its place.
    let (p, t) = (Vector3::zeros(), t.map(|corner| corner - p));
    let [a, b, c] = found.barycentric;
    let q = t[0] * a + t[1] * b + t[2] * c;
    let tolerance = ROUNDING * size_squared(&[p, t[0], t[1], t[2]]);
    prop_assert!(
        found
            .barycentric
            .iter()
            .all(|weight| (0.0..=1.0).contains(weight))
    );
    prop_assert!((a + b + c - 1.0).abs() < 1e-14);
    prop_assert!(((p - q).norm_squared() - found.distance_squared).abs() <= tolerance);
    for corner in t {
        let gained = improvement(p - q, q - corner);
        prop_assert!(gained <= tolerance, "{found:?} {gained:e}");
    }
    for i in 0..=20 {
        for j in 0..=20 - i {
            let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
            let sample = t[0] * (1.0 - u - v) + t[1] * u + t[2] * v;
            prop_assert!(found.distance_squared <= (p - sample).norm_squared() + tolerance);
        }
    }
    let nonzero = |i: usize| found.barycentric[i] > 0.0;
    let agrees = match found.feature {
        TriangleFeature::Vertex(i) => nonzero(i) && !nonzero((i + 1) % 3) && !nonzero((i + 2) % 3),
        TriangleFeature::Edge(i) => nonzero(i) && nonzero((i + 1) % 3) && !nonzero((i + 2) % 3),
        TriangleFeature::Face => (0..3).all(nonzero),
    };
    prop_assert!(agrees);
    Ok(())
}

fn check_edge_edge(e: [Vector3<f64>; 2], f: [Vector3<f64>; 2]) -> Result<(), TestCaseError> {
    let found = edge_edge(&e, &f);
    let seen = |x: Vector3<f64>| x - e[0];
    let (e, f) = (e.map(seen), f.map(seen));
    let (p, q) = (
        e[0] + (e[1] - e[0]) * found.a,
        f[0] + (f[1] - f[0]) * found.b,
    );
    let tolerance = ROUNDING * size_squared(&[e[0], e[1], f[0], f[1]]);
    prop_assert!((0.0..=1.0).contains(&found.a) && (0.0..=1.0).contains(&found.b));
    prop_assert!(((p - q).norm_squared() - found.distance_squared).abs() <= tolerance);
    for k in 0..2 {
        let steps = [
            e[k] - p,
            q - f[k],
            e[k] - p + q - f[k],
            e[k] - p + q - f[1 - k],
        ];
        for step in steps {
            let gained = improvement(p - q, step);
            prop_assert!(gained <= tolerance, "{found:?} {gained:e}");
        }
    }
    for i in 0..=20 {
        for j in 0..=20 {
            let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
            let sample = e[0] * (1.0 - u) + e[1] * u - f[0] * (1.0 - v) - f[1] * v;
            prop_assert!(found.distance_squared <= sample.norm_squared() + tolerance);
        }
    }
    let agrees = |part, parameter: f64| match part {
        EdgePart::Start => parameter <= 0.0,
        EdgePart::Interior => parameter > 0.0 && parameter < 1.0,
        EdgePart::End => parameter >= 1.0,
    };
    prop_assert!(agrees(found.part_a, found.a) && agrees(found.part_b, found.b));
    Ok(())
}

fn generic() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-1.0..1.0).prop_map(Vector3::from)
}

/// Few values, so that coincident, collinear, coplanar and parallel inputs are frequent.
fn coarse() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3((-1..=1).prop_map(f64::from)).prop_map(Vector3::from)
}

/// Coarse points moved by tiny amounts: slivers and nearly parallel edges of all degrees.
fn nearly_coarse() -> impl Strategy<Value = Vector3<f64>> {
    (coarse(), generic(), -18..-3).prop_map(|(p, q, power)| p + q * 10_f64.powi(power))
}

fn any_point() -> impl Strategy<Value = Vector3<f64>> {
    prop_oneof![generic(), coarse(), nearly_coarse()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn closest_point_of_a_triangle_is_optimal(p in any_point(), t in prop::array::uniform3(any_point())) {
        check_point_triangle(p, t)?;
    }

    #[test]
    fn closest_points_of_edges_are_optimal(
        e in prop::array::uniform2(any_point()),
        f in prop::array::uniform2(any_point()),
    ) {
        check_edge_edge(e, f)?;
    }

    #[test]
    fn scale_does_not_matter(
        t in prop::array::uniform3(generic()), p in generic(), q in generic(), power in -60..60,
    ) {
        let scale = 2_f64.powi(power);
        let scaled = |v: Vector3<f64>| v * scale;
        // Scaling by powers of two does not round, so the bits agree.
        let (one, other) = (point_triangle(&p, &t), point_triangle(&scaled(p), &t.map(scaled)));
        prop_assert_eq!(one.barycentric.map(f64::to_bits), other.barycentric.map(f64::to_bits));
        prop_assert_eq!(one.feature, other.feature);
        let (e, f) = ([p, q], [t[0], t[1]]);
        let (one, other) = (edge_edge(&e, &f), edge_edge(&e.map(scaled), &f.map(scaled)));
        prop_assert_eq!((one.a.to_bits(), one.b.to_bits()), (other.a.to_bits(), other.b.to_bits()));
    }
}

fn v(x: f64, y: f64, z: f64) -> Vector3<f64> {
    Vector3::new(x, y, z)
}

fn assert_close(value: f64, expected: f64) {
    assert!(
        (value - expected).abs() < 1e-15,
        "{value} is not {expected}"
    );
}

/// Symptom: a random query failed, as sums of the corners' positions round by more than its tolerance, which is that of
/// so small a query.
#[test]
fn a_triangle_shrunk_to_a_point_is_judged_by_the_size_of_the_query() {
    let corner = |nudge: f64| v(-1.0, -1.0, -1.0 + nudge);
    for nudge in [0.0, 2.0_f64.powi(-53), 2.0_f64.powi(-52)] {
        let triangle = [corner(0.0), corner(nudge), corner(2.0 * nudge)];
        check_point_triangle(v(-1.0, -1.0, -1.000_008_587_702_909), triangle).expect("optimal");
    }
}

#[test]
fn known_point_triangle_features() {
    let t = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    let cases = [
        (v(0.25, 0.25, 2.0), TriangleFeature::Face, 4.0),
        (v(0.5, -1.0, 0.0), TriangleFeature::Edge(0), 1.0),
        (v(1.0, 1.0, 0.0), TriangleFeature::Edge(1), 0.5),
        (v(-1.0, 0.5, 0.0), TriangleFeature::Edge(2), 1.0),
        (v(-1.0, -1.0, 0.0), TriangleFeature::Vertex(0), 2.0),
        (v(3.0, 0.0, 0.0), TriangleFeature::Vertex(1), 4.0),
        (v(0.0, 2.0, 1.0), TriangleFeature::Vertex(2), 2.0),
    ];
    for (p, feature, distance_squared) in cases {
        let found = point_triangle(&p, &t);
        assert_eq!(found.feature, feature);
        assert_close(found.distance_squared, distance_squared);
    }
}

#[test]
fn obtuse_corner_hides_the_edge_behind_it() {
    // The point is beyond edge 2 in the plane, but closest to corner 0.
    let t = [v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0), v(-4.0, 1.0, 0.0)];
    let found = point_triangle(&v(-0.1, -1.0, 0.0), &t);
    assert_eq!(found.feature, TriangleFeature::Vertex(0));
}

#[test]
fn collapsed_triangles_act_as_segments_and_points() {
    let segment = [v(0.0, 0.0, 0.0), v(2.0, 0.0, 0.0), v(1.0, 0.0, 0.0)];
    assert_close(
        point_triangle(&v(1.5, 3.0, 0.0), &segment).distance_squared,
        9.0,
    );
    let point = [v(1.0, 1.0, 1.0); 3];
    assert_close(
        point_triangle(&v(1.0, 1.0, 3.0), &point).distance_squared,
        4.0,
    );
}

#[test]
fn parallel_and_collapsed_edges() {
    let e = [v(0.0, 0.0, 0.0), v(2.0, 0.0, 0.0)];
    let cases = [
        // Overlapping side by side, overlapping in line, apart in line, a point beside, a point beyond.
        ([v(1.0, 1.0, 0.0), v(3.0, 1.0, 0.0)], 1.0),
        ([v(1.0, 0.0, 0.0), v(3.0, 0.0, 0.0)], 0.0),
        ([v(3.0, 0.0, 0.0), v(4.0, 0.0, 0.0)], 1.0),
        ([v(0.5, 0.0, 2.0), v(0.5, 0.0, 2.0)], 4.0),
        ([v(5.0, 0.0, 0.0), v(5.0, 0.0, 0.0)], 9.0),
    ];
    for (f, distance_squared) in cases {
        assert_close(edge_edge(&e, &f).distance_squared, distance_squared);
        assert_close(edge_edge(&f, &e).distance_squared, distance_squared);
        let reversed = [f[1], f[0]];
        assert_close(edge_edge(&e, &reversed).distance_squared, distance_squared);
    }
    let point = [v(1.0, 2.0, 3.0); 2];
    assert_close(edge_edge(&point, &point).distance_squared, 0.0);
}
