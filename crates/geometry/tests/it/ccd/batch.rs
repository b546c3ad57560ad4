//! Queries over a candidate set: the same answers as one by one, for any number of threads.

use impinge_geometry::broad_phase::{Aabb, BroadPhase, Bvh, CandidateSet};
use impinge_geometry::ccd::{
    CandidateImpact, CandidatePair, CcdRule, LinearMotion, Toi, earliest_impact, edge_edge,
    impacts, vertex_face,
};
use impinge_geometry::mesh::generate::{RingShape, ring};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;

/// Rings that approach each other, their candidates, and their positions at the start and the end.
struct Crash {
    surface: CollisionSurface,
    candidates: CandidateSet,
    start: Vec<Vector3<f64>>,
    end: Vec<Vector3<f64>>,
}

fn crash(speed: f64) -> Crash {
    let shape = ring(RingShape {
        major_radius: 0.05,
        section: 0.02,
        segments: 18,
    })
    .expect("a ring");
    let outside = shape.surface().expect("a ring has an outside");
    let count = shape.nodes().len() as u32;
    let bodies = 5;
    let (mut triangles, mut group) = (Vec::new(), Vec::new());
    let (mut start, mut end) = (Vec::new(), Vec::new());
    for body in 0..bodies {
        triangles.extend(
            outside
                .triangles()
                .iter()
                .map(|t| t.map(|p| body * count + p)),
        );
        group.extend((0..count).map(|_| body));
        let height = f64::from(body);
        for node in shape.nodes() {
            let at = node + Vector3::new(0.013 * height, 0.007 * height, 0.03 * height);
            start.push(at);
            end.push(at - Vector3::z() * speed * height);
        }
    }
    let surface =
        CollisionSurface::new(triangles, start.len(), group, vec![false; bodies as usize]);
    let boxes: Vec<Aabb> = start
        .iter()
        .zip(&end)
        .map(|(a, b)| Aabb::from_points([a, b]))
        .collect();
    let mut candidates = CandidateSet::default();
    Bvh::new().collect(&surface, &boxes, &mut candidates);
    Crash {
        surface,
        candidates,
        start,
        end,
    }
}

impl Crash {
    fn motion(&self) -> LinearMotion<'_> {
        LinearMotion {
            start: &self.start,
            end: &self.end,
        }
    }

    fn one_by_one(&self, rule: &CcdRule) -> Vec<CandidateImpact> {
        let mut found = Vec::new();
        for pair in self.candidates.iter() {
            let points = pair.points(&self.surface);
            let start = points.map(|p| self.start[p as usize]);
            let end = points.map(|p| self.end[p as usize]);
            let toi = match pair {
                CandidatePair::VertexFace { .. } => vertex_face(&start, &end, rule),
                CandidatePair::EdgeEdge { .. } => edge_edge(&start, &end, rule),
            };
            if let Toi::Impact { time, work_limited } = toi {
                found.push(CandidateImpact {
                    pair,
                    time,
                    work_limited,
                });
            }
        }
        found
    }
}

#[test]
fn a_batch_is_the_single_queries_in_order() {
    let crash = crash(0.02);
    assert!(crash.candidates.len() > 5_000, "{}", crash.candidates.len());
    for rule in [
        CcdRule::default(),
        CcdRule {
            minimum_separation: 1e-3,
            work_limit: 5,
            ..CcdRule::default()
        },
    ] {
        let expected = crash.one_by_one(&rule);
        assert!(expected.len() > 100);
        let mut first = expected[0];
        for &impact in &expected {
            if impact.time < first.time {
                first = impact;
            }
        }
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads");
            pool.install(|| {
                let mut found = Vec::new();
                impacts(
                    &crash.surface,
                    &crash.candidates,
                    crash.motion(),
                    &rule,
                    &mut found,
                );
                assert_eq!(found, expected);
                let earliest =
                    earliest_impact(&crash.surface, &crash.candidates, crash.motion(), &rule);
                assert_eq!(earliest, Some(first));
            });
        }
    }
}

#[test]
fn separated_pairs_have_no_earliest_impact() {
    let crash = crash(1e-4);
    let rule = CcdRule::default();
    let mut found = Vec::new();
    impacts(
        &crash.surface,
        &crash.candidates,
        crash.motion(),
        &rule,
        &mut found,
    );
    assert!(found.is_empty());
    assert_eq!(
        earliest_impact(&crash.surface, &crash.candidates, crash.motion(), &rule),
        None
    );
}

#[test]
#[should_panic(expected = "one position per point")]
fn a_motion_of_other_points_is_refused() {
    let crash = crash(1e-4);
    let motion = LinearMotion {
        start: &crash.start[1..],
        end: &crash.end,
    };
    let _ = earliest_impact(
        &crash.surface,
        &crash.candidates,
        motion,
        &CcdRule::default(),
    );
}
