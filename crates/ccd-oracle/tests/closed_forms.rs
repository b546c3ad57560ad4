//! Queries with answers known in closed form, down to single points in time.

use impinge_ccd_oracle::{Corners, ExactQuery, Kind};

fn query(kind: Kind, start: Corners, end: Corners, separation: f64) -> ExactQuery {
    ExactQuery::new(kind, &start, &end, separation).expect("finite numbers")
}

/// Passes the side `ab` of a triangle, whose plane is `z = 0`, at distance 1/2 with the least distance at `t = 2/5`.
fn passing_vertex(separation: f64) -> ExactQuery {
    let triangle = [[-4.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 8.0, 0.0]];
    let [a, b, c] = triangle;
    query(
        Kind::VertexFace,
        // Beyond the side, so the closest point is on the side; the vertex passes the height of the plane at 2/5.
        [[0.0, -0.5, 2.0], a, b, c],
        [[0.0, -0.5, -3.0], a, b, c],
        separation,
    )
}

#[test]
fn a_pass_at_exactly_the_separation_is_a_contact() {
    assert!(passing_vertex(0.5).touches());
    assert!(!passing_vertex(0.5_f64.next_down()).touches());
    // The only contact is at 2/5, which lies strictly between two numbers.
    let (after, before) = (0.4_f64, 0.4_f64.next_down());
    let grazing = passing_vertex(0.5);
    assert!(!grazing.touches_before(before) && !grazing.touches_within(after.next_up(), 1.0));
    assert!(grazing.touches_within(before, after.next_up()));
}

#[test]
fn edges_that_pass_at_exactly_the_separation_touch() {
    let still = [[0.0, -1.0, 0.25], [0.0, 1.0, 0.25]];
    let at = |x: f64| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0]];
    let query = |separation| {
        let ([a0, a1], [b0, b1]) = (at(-2.0), at(3.0));
        query(
            Kind::EdgeEdge,
            [a0, a1, still[0], still[1]],
            [b0, b1, still[0], still[1]],
            separation,
        )
    };
    assert!(query(0.25).touches());
    assert!(!query(0.25_f64.next_down()).touches());
    // The leading end arrives at t = 1/5, the trailing one leaves at 2/5.
    let arrival = 0.2_f64.next_down();
    assert!(!query(0.25).touches_before(arrival) && query(0.25).touches_within(0.2, 0.4));
    assert!(!query(0.25).touches_within(0.41, 1.0));
}

#[test]
fn parallel_edges_meet_end_to_end() {
    let start = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [3.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
    ];
    let end = |reach: f64| {
        [
            start[0],
            start[1],
            [3.0 - reach, 0.0, 0.0],
            [4.0 - reach, 0.0, 0.0],
        ]
    };
    for (reach, touches) in [(2.0, true), (2.0_f64.next_down(), false), (6.0, true)] {
        let found = query(Kind::EdgeEdge, start, end(reach), 0.0);
        assert_eq!(found.touches(), touches, "{reach}");
        assert!(!found.touches_before(2.0 / 6.0), "{reach}");
    }
    // The same motion with a drift off the line.
    let [a0, a1, mut b0, mut b1] = end(6.0);
    (b0[1], b1[1]) = (1e-300, 1e-300);
    assert!(!query(Kind::EdgeEdge, start, [a0, a1, b0, b1], 0.0).touches());
}

#[test]
fn collapsed_triangles_are_segments_and_points() {
    let p = |x: f64| [x, 0.0, 0.0];
    // A vertex that sweeps over a triangle collapsed to the segment from 1 to 3, and to the point 2.
    for (corners, first) in [([1.0, 3.0, 2.0], 0.25), ([2.0, 2.0, 2.0], 0.5)] {
        let [a, b, c] = corners.map(p);
        let found = query(Kind::VertexFace, [p(0.0), a, b, c], [p(4.0), a, b, c], 0.0);
        assert!(found.touches_within(0.0, first) && !found.touches_before(first));
        let lifted = [0.0, 1e-20, 0.0];
        let missed = query(
            Kind::VertexFace,
            [lifted, a, b, c],
            [[4.0, 1e-20, 0.0], a, b, c],
            0.0,
        );
        assert!(!missed.touches());
    }
}

#[test]
fn rest_is_decided_too() {
    let corners = [
        [0.25, 0.25, 0.0],
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
    ];
    assert!(query(Kind::VertexFace, corners, corners, 0.0).touches_within(0.3, 0.3));
    let mut above = corners;
    above[0][2] = f64::from_bits(1);
    let near = query(Kind::VertexFace, above, above, 0.0);
    assert!(!near.touches());
    assert!(query(Kind::VertexFace, above, above, f64::from_bits(1)).touches());
}

#[test]
fn invalid_queries_are_rejected() {
    let corners = [[0.0; 3]; 4];
    for wrong in [f64::NAN, f64::INFINITY] {
        let mut broken = corners;
        broken[2][1] = wrong;
        assert!(ExactQuery::new(Kind::EdgeEdge, &corners, &broken, 0.0).is_none());
        assert!(ExactQuery::new(Kind::EdgeEdge, &corners, &corners, wrong).is_none());
    }
    assert!(ExactQuery::new(Kind::EdgeEdge, &corners, &corners, -1.0).is_none());
}
