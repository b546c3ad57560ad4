//! Which candidate pairs collide on a motion, tested anew only where the motion has changed enough to matter.
//!
//! The rounds of a step solve nearly the same motion again and again. In the first of them most pairs are proven to stay
//! farther apart than a margin. As long as a later motion of the same start ends, for all of a pair's points, so near
//! that earlier end that `max ‖δ‖` over the one side plus `max ‖δ‖` over the other is less than the margin, the pair is
//! proven apart on that motion too: at time `t` its points are displaced by `t δ`, and points of its features by no more.

use super::contact::ContactKey;
use impinge_geometry::{
    ccd::{self, CcdRule, Toi},
    surface::CollisionSurface,
};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Pairs per parallel task: enough to outweigh the task, few enough to balance.
const PAIRS_PER_TASK: usize = 2048;

/// Share of the margin that is relied on: rounding of the displacements is far below the rest.
const RELIED_ON: f64 = 0.9;

/// A pair that the continuous test could not prove apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) key: ContactKey,
    /// Fraction of the step before which the pair is proven apart.
    pub(super) time: f64,
    pub(super) work_limited: bool,
}

/// A straight motion of all points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sweep<'a> {
    /// Positions at the start (m).
    pub(crate) start: &'a [Vector3<f64>],
    /// Positions at the end (m).
    pub(crate) end: &'a [Vector3<f64>],
}

impl Sweep<'_> {
    fn corners(&self, points: [u32; 4]) -> ([Vector3<f64>; 4], [Vector3<f64>; 4]) {
        (
            points.map(|p| self.start[p as usize]),
            points.map(|p| self.end[p as usize]),
        )
    }
}

/// What is known of the candidates from the first motion of a step.
#[derive(Debug, Default)]
pub(super) struct Apart {
    /// Whether the proofs below hold for the present start and candidates.
    known: bool,
    /// Version of the candidates that they are about.
    version: u64,
    /// Distance that pairs which are not near keep (m).
    margin: f64,
    /// End of the motion that they are about (m).
    end: Vec<Vector3<f64>>,
    near_vertex_face: Vec<bool>,
    near_edge_edge: Vec<bool>,
    /// `‖δ‖` of every point (m).
    moved: Vec<f64>,
}

/// One kind of candidates: how to name a pair, and which points it has on its two sides.
trait Kind: Sync {
    fn key(&self, pair: [u32; 2]) -> ContactKey;
    fn points(&self, pair: [u32; 2]) -> [u32; 4];
    /// How many of the points belong to the first side.
    const FIRST: usize;
    fn test(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi;
}

struct VertexFace<'a>(&'a CollisionSurface);

impl Kind for VertexFace<'_> {
    const FIRST: usize = 1;

    fn key(&self, [vertex, face]: [u32; 2]) -> ContactKey {
        ContactKey::VertexFace { vertex, face }
    }

    fn points(&self, [vertex, face]: [u32; 2]) -> [u32; 4] {
        let [a, b, c] = self.0.triangles()[face as usize];
        [vertex, a, b, c]
    }

    fn test(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi {
        ccd::vertex_face(start, end, rule)
    }
}

struct EdgeEdge<'a>(&'a CollisionSurface);

impl Kind for EdgeEdge<'_> {
    const FIRST: usize = 2;

    fn key(&self, [first, second]: [u32; 2]) -> ContactKey {
        ContactKey::EdgeEdge { first, second }
    }

    fn points(&self, [first, second]: [u32; 2]) -> [u32; 4] {
        let ([a0, a1], [b0, b1]) = (
            self.0.edges()[first as usize],
            self.0.edges()[second as usize],
        );
        [a0, a1, b0, b1]
    }

    fn test(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi {
        ccd::edge_edge(start, end, rule)
    }
}

impl Apart {
    /// Forgets everything: the next motion starts elsewhere.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// Appends the pairs among the candidates that are not proven apart on `sweep`, ascending by key.
    ///
    /// `version` must change whenever the candidates do; `margin` (m) should exceed what later rounds change.
    pub(super) fn find_hits(
        &mut self,
        surface: &CollisionSurface,
        candidates: &impinge_geometry::broad_phase::CandidateSet,
        version: u64,
        margin: f64,
        sweep: Sweep<'_>,
        hits: &mut Vec<Hit>,
    ) {
        self.known &= self.version == version;
        if self.known {
            self.moved.clear();
            self.moved.extend(
                sweep
                    .end
                    .iter()
                    .zip(&self.end)
                    .map(|(now, then)| (now - then).norm()),
            );
        } else {
            self.version = version;
            self.margin = margin;
            self.end.clear();
            self.end.extend_from_slice(sweep.end);
        }
        let relied_on = RELIED_ON * self.margin;
        let known = self.known.then_some(self.moved.as_slice());
        let vertex_face = VertexFace(surface);
        let edge_edge = EdgeEdge(surface);
        let near = &mut self.near_vertex_face;
        let pairs = &candidates.vertex_face;
        examine(&vertex_face, pairs, near, known, relied_on, sweep, hits);
        let near = &mut self.near_edge_edge;
        let pairs = &candidates.edge_edge;
        examine(&edge_edge, pairs, near, known, relied_on, sweep, hits);
        self.known = true;
    }
}

/// Tests `pairs` in their order, whatever the number of threads; `near` is read where `moved` is known, else written.
fn examine<K: Kind>(
    kind: &K,
    pairs: &[[u32; 2]],
    near: &mut Vec<bool>,
    moved: Option<&[f64]>,
    relied_on: f64,
    sweep: Sweep<'_>,
    hits: &mut Vec<Hit>,
) {
    let rule = CcdRule::default();
    // Not worth a fine search: what is not soon proven counts as near.
    let roomy = CcdRule {
        minimum_separation: relied_on / RELIED_ON,
        time_tolerance: 1.0 / 32.0,
        work_limit: 16,
        ..rule
    };
    near.resize(pairs.len(), true);
    let examine_one = |pair: &[u32; 2], near: &mut bool| {
        let points = kind.points(*pair);
        if let Some(moved) = moved {
            let largest = |side: &[u32]| side.iter().map(|&p| moved[p as usize]).fold(0.0, worst);
            let (first, second) = points.split_at(K::FIRST);
            if !*near && largest(first) + largest(second) < relied_on {
                return None;
            }
        }
        let (start, end) = sweep.corners(points);
        if moved.is_none() {
            *near = K::test(&start, &end, &roomy) != Toi::Separated;
            if !*near {
                return None;
            }
        }
        match K::test(&start, &end, &rule) {
            Toi::Separated => None,
            Toi::Impact { time, work_limited } => Some(Hit {
                key: kind.key(*pair),
                time,
                work_limited,
            }),
        }
    };
    let found: Vec<Vec<Hit>> = pairs
        .par_chunks(PAIRS_PER_TASK)
        .zip(near.par_chunks_mut(PAIRS_PER_TASK))
        .map(|(pairs, near)| {
            pairs
                .iter()
                .zip(near)
                .filter_map(|(pair, near)| examine_one(pair, near))
                .collect()
        })
        .collect();
    hits.extend(found.into_iter().flatten());
}

/// The larger of the two, where NaN is larger than anything: a motion that is not a number proves nothing.
fn worst(so_far: f64, value: f64) -> f64 {
    if value.is_nan() || value > so_far {
        value
    } else {
        so_far
    }
}
