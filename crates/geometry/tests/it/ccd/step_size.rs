//! The step size over arrays: certified, no smaller than the earliest impact allows, and typed errors for bad arrays.

use impinge_ccd_oracle::{ExactQuery, Kind};
use impinge_geometry::broad_phase::{Aabb, BroadPhase, BruteForce, CandidateSet};
use impinge_geometry::ccd::{
    CandidatePair, CcdRule, LinearMotion, StepSizeError, SurfaceArrays, earliest_impact, step_size,
    step_size_under,
};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;
use proptest::prelude::*;

/// Four triangles of three points each, moving anywhere within a unit cube.
const TRIANGLES: usize = 4;

fn soup() -> CollisionSurface {
    let triangles = (0..TRIANGLES as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
    let points = 3 * TRIANGLES;
    CollisionSurface::new(triangles.collect(), points, vec![0; points], vec![false])
}

fn arrays(surface: &CollisionSurface) -> SurfaceArrays<'_> {
    SurfaceArrays {
        vertices: surface.vertices(),
        edges: surface.edges(),
        faces: surface.triangles(),
    }
}

fn places() -> impl Strategy<Value = Vec<[f64; 3]>> {
    prop::collection::vec(prop::array::uniform3(0.0..1.0), 3 * TRIANGLES)
}

proptest! {
    #[test]
    fn the_step_is_the_one_of_all_pairs(
        start in places(),
        way in places(),
        separation in 0.0..0.01,
        scale in 0.0..1.0,
    ) {
        let end: Vec<[f64; 3]> = (start.iter().zip(&way))
            .map(|(x, by)| [0, 1, 2].map(|axis| x[axis] + scale * (by[axis] - 0.5)))
            .collect();
        let surface = soup();
        let rule = CcdRule { minimum_separation: separation, ..CcdRule::default() };
        let step = step_size_under(arrays(&surface), &start, &end, &rule)?;

        let vectors = |places: &[[f64; 3]]| -> Vec<Vector3<f64>> { places.iter().map(|&x| x.into()).collect() };
        let (from, to) = (vectors(&start), vectors(&end));
        let everywhere = vec![Aabb::from_points(from.iter().chain(&to)); from.len()];
        let mut candidates = CandidateSet::default();
        BruteForce.collect(&surface, &everywhere, &mut candidates);
        let motion = LinearMotion { start: &from, end: &to };
        let earliest = earliest_impact(&surface, &candidates, motion, &rule);
        prop_assert_eq!(step.limit, earliest);
        let fraction = earliest.map_or(1.0, |impact| impact.time.next_down().max(0.0));
        prop_assert_eq!(step.fraction.to_bits(), fraction.to_bits());
    }

    #[test]
    fn the_fraction_is_certified_by_exact_arithmetic(start in places(), way in places()) {
        let end: Vec<[f64; 3]> = (start.iter().zip(&way))
            .map(|(x, by)| [0, 1, 2].map(|axis| x[axis] + 0.3 * (by[axis] - 0.5)))
            .collect();
        let surface = soup();
        let step = step_size(arrays(&surface), &start, &end)?;
        prop_assume!(step.fraction > 0.0);
        for pair in candidates_of(&surface) {
            let points = pair.points(&surface);
            let kind = match pair {
                CandidatePair::VertexFace { .. } => Kind::VertexFace,
                CandidatePair::EdgeEdge { .. } => Kind::EdgeEdge,
            };
            let corners = |places: &[[f64; 3]]| points.map(|point| places[point as usize]);
            let query = ExactQuery::new(kind, &corners(&start), &corners(&end), 0.0).expect("finite");
            prop_assert!(!query.touches_within(0.0, step.fraction), "{:?}", pair);
        }
    }
}

fn candidates_of(surface: &CollisionSurface) -> Vec<CandidatePair> {
    let mut candidates = CandidateSet::default();
    let everywhere =
        vec![Aabb::from_points([&Vector3::zeros(), &Vector3::repeat(1.0)]); surface.point_count()];
    BruteForce.collect(surface, &everywhere, &mut candidates);
    candidates.iter().collect()
}

#[test]
fn loose_edges_collide_too() {
    let start = [
        [-1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, -1.0, 1.0],
        [0.0, 1.0, 1.0],
    ];
    let mut end = start;
    end[2][2] = -1.0;
    end[3][2] = -1.0;
    let edges = SurfaceArrays {
        edges: &[[0, 1], [2, 3]],
        ..SurfaceArrays::default()
    };
    let step = step_size(edges, &start, &end).expect("sound arrays");
    assert!(step.fraction < 0.5 && step.fraction > 0.499_999);
    let limit = step.limit.expect("they cross").pair;
    assert_eq!(
        limit,
        CandidatePair::EdgeEdge {
            first: 0,
            second: 1
        }
    );
}

#[test]
fn nothing_that_may_touch_takes_the_whole_step() {
    let none: [[f64; 3]; 0] = [];
    let step = step_size(SurfaceArrays::default(), &none, &none).expect("sound arrays");
    assert_eq!((step.fraction, step.limit), (1.0, None));
}

#[test]
fn surfaces_that_touch_at_the_start_take_no_step() {
    let places = [
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.25, 0.25, 0.0],
    ]
    .map(Vector3::from);
    let surface = SurfaceArrays {
        vertices: &[3],
        faces: &[[0, 1, 2]],
        ..SurfaceArrays::default()
    };
    let step = step_size(surface, &places, &places).expect("sound arrays");
    assert_eq!(step.fraction.to_bits(), 0);
    assert!(step.limit.is_some());
}

#[test]
fn bad_arrays_are_refused_with_their_place() {
    let places = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let of = |surface| {
        step_size(surface, &places, &places)
            .expect_err("bad arrays")
            .to_string()
    };
    let faces = |faces| SurfaceArrays {
        faces,
        ..SurfaceArrays::default()
    };
    assert_eq!(
        of(faces(&[[0, 1, 2], [0, 1, 7]])),
        "face 1 names point 7, but there are 3 points; correct the index"
    );
    assert_eq!(
        of(faces(&[[0, 1, 1]])),
        "face 0 names point 1 twice; remove the feature"
    );
    let vertices = SurfaceArrays {
        vertices: &[3],
        ..SurfaceArrays::default()
    };
    assert_eq!(
        of(vertices),
        "vertex 0 names point 3, but there are 3 points; correct the index"
    );

    let none = SurfaceArrays::default();
    let short = step_size(none, &places, &places[..2]).expect_err("a length");
    assert_eq!(short, StepSizeError::Lengths { start: 3, end: 2 });
    let mut lost = places;
    lost[1][2] = f64::NAN;
    let lost = step_size(none, &places, &lost).expect_err("no number");
    assert!(matches!(
        lost,
        StepSizeError::NotFinite {
            point: 1,
            when: "end",
            ..
        }
    ));
}
