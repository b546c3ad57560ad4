//! Continuous collision detection over a set of candidates.

use std::sync::atomic::{AtomicU64, Ordering};

use nalgebra::Vector3;
use rayon::prelude::*;

use super::{CcdRule, edge_edge_until, vertex_face_until};
use crate::broad_phase::CandidateSet;
use crate::surface::CollisionSurface;

/// Candidates per parallel task: enough to outweigh the task, few enough to balance. Results do not depend on it.
const PAIRS_PER_TASK: usize = 1024;

/// A pair of features in a [`CandidateSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CandidatePair {
    /// An entry of [`CandidateSet::vertex_face`].
    VertexFace {
        /// Point id.
        vertex: u32,
        /// Triangle index.
        face: u32,
    },
    /// An entry of [`CandidateSet::edge_edge`].
    EdgeEdge {
        /// The smaller edge index.
        first: u32,
        /// The larger edge index.
        second: u32,
    },
}

impl CandidatePair {
    /// The four points whose motion decides, in the order in which [`vertex_face`](super::vertex_face) and
    /// [`edge_edge`](super::edge_edge) take them.
    ///
    /// # Panics
    /// If the surface has no such feature.
    #[inline]
    pub fn points(self, surface: &CollisionSurface) -> [u32; 4] {
        match self {
            Self::VertexFace { vertex, face } => {
                let [a, b, c] = surface.triangles()[face as usize];
                [vertex, a, b, c]
            }
            Self::EdgeEdge { first, second } => {
                let [a0, a1] = surface.edges()[first as usize];
                let [b0, b1] = surface.edges()[second as usize];
                [a0, a1, b0, b1]
            }
        }
    }
}

/// A candidate that was not proven separated: an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateImpact {
    /// The pair.
    pub pair: CandidatePair,
    /// Fraction of the step before which it is proven separated, see [`Toi::Impact`](super::Toi::Impact).
    pub time: f64,
    /// Whether the search ended at [`CcdRule::work_limit`] instead of a tolerance.
    pub work_limited: bool,
}

/// A straight motion of all points of a surface: positions in m, one per point, at the start and the end of the step.
#[derive(Clone, Copy, Debug)]
pub struct LinearMotion<'a> {
    /// Positions at the start, m.
    pub start: &'a [Vector3<f64>],
    /// Positions at the end, m.
    pub end: &'a [Vector3<f64>],
}

impl LinearMotion<'_> {
    #[track_caller]
    fn assert_fits(&self, surface: &CollisionSurface) {
        assert!(
            self.start.len() == surface.point_count() && self.end.len() == surface.point_count(),
            "one position per point of the surface, at the start and at the end"
        );
    }

    #[inline]
    fn test(
        &self,
        surface: &CollisionSurface,
        pair: CandidatePair,
        rule: &CcdRule,
        latest: f64,
    ) -> Option<CandidateImpact> {
        let points = pair.points(surface);
        let start = points.map(|point| self.start[point as usize]);
        let end = points.map(|point| self.end[point as usize]);
        let found = match pair {
            CandidatePair::VertexFace { .. } => vertex_face_until(&start, &end, rule, latest),
            CandidatePair::EdgeEdge { .. } => edge_edge_until(&start, &end, rule, latest),
        };
        found.map(|(time, work_limited)| CandidateImpact {
            pair,
            time,
            work_limited,
        })
    }
}

/// Clears `out` and fills it with every candidate that is not proven separated, vertex-face pairs first, in their
/// order.
///
/// Runs on the current rayon pool; the result does not depend on the number of threads.
///
/// # Panics
/// If the motion does not have one position per point, or a candidate names a feature that the surface does not have.
#[track_caller]
pub fn impacts(
    surface: &CollisionSurface,
    candidates: &CandidateSet,
    motion: LinearMotion<'_>,
    rule: &CcdRule,
    out: &mut Vec<CandidateImpact>,
) {
    motion.assert_fits(surface);
    out.clear();
    let test = |pair| motion.test(surface, pair, rule, 1.0);
    if candidates.len() <= PAIRS_PER_TASK {
        out.extend(candidates.iter().filter_map(test));
        return;
    }
    let found: Vec<Vec<CandidateImpact>> = candidates
        .tasks(PAIRS_PER_TASK)
        .map(|task| task.filter_map(test).collect())
        .collect();
    out.extend(found.into_iter().flatten());
}

/// The earliest of all [`impacts`]; of equally early ones the first in candidate order. `None` proves that no candidate
/// touches.
///
/// A search ends as soon as it is past the earliest impact known so far, so this is faster than [`impacts`]. Runs on
/// the current rayon pool; the result does not depend on the number of threads: a search that is ended could not have
/// returned the earliest impact.
///
/// # Panics
/// As [`impacts`].
#[track_caller]
pub fn earliest_impact(
    surface: &CollisionSurface,
    candidates: &CandidateSet,
    motion: LinearMotion<'_>,
    rule: &CcdRule,
) -> Option<CandidateImpact> {
    motion.assert_fits(surface);
    // Times are not negative, so they are ordered like their bits.
    let earliest = AtomicU64::new(1.0_f64.to_bits());
    let test = |pair| {
        let latest = f64::from_bits(earliest.load(Ordering::Relaxed));
        let found = motion.test(surface, pair, rule, latest);
        if let Some(impact) = found {
            earliest.fetch_min(impact.time.to_bits(), Ordering::Relaxed);
        }
        found
    };
    candidates
        .tasks(PAIRS_PER_TASK)
        .filter_map(|task| task.filter_map(test).reduce(earlier))
        .reduce_with(earlier)
}

/// The earlier impact; the pair decides between equal times.
pub(super) fn earlier(a: CandidateImpact, b: CandidateImpact) -> CandidateImpact {
    if b.time.total_cmp(&a.time).then(b.pair.cmp(&a.pair)).is_lt() {
        b
    } else {
        a
    }
}

impl CandidateSet {
    /// All pairs, vertex-face first.
    pub fn iter(&self) -> impl Iterator<Item = CandidatePair> + '_ {
        self.part(0, self.len())
    }

    fn part(&self, from: usize, to: usize) -> impl Iterator<Item = CandidatePair> + '_ {
        let faces = self.vertex_face.len();
        let vertex_face = self.vertex_face[from.min(faces)..to.min(faces)].iter();
        let edge_edge = self.edge_edge[from.max(faces) - faces..to.max(faces) - faces].iter();
        vertex_face
            .map(|&[vertex, face]| CandidatePair::VertexFace { vertex, face })
            .chain(edge_edge.map(|&[first, second]| CandidatePair::EdgeEdge { first, second }))
    }

    /// All pairs in order, a task at a time.
    fn tasks(
        &self,
        size: usize,
    ) -> impl IndexedParallelIterator<Item = impl Iterator<Item = CandidatePair> + '_> {
        let count = self.len().div_ceil(size);
        (0..count)
            .into_par_iter()
            .map(move |task| self.part(task * size, ((task + 1) * size).min(self.len())))
    }
}
