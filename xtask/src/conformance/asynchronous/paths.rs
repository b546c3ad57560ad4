//! Whether features met on their paths: continuous collision detection of every straight piece.
//!
//! Independent of the stepper's layers and certificates: pairs come from boxes around whole paths. Each piece of a pair
//! is tested, with exact arithmetic if the proof fails.

use impinge_ccd_oracle::{ExactQuery, Kind};
use impinge_geometry::CollisionSurface;
use impinge_geometry::broad_phase::{Aabb, BroadPhase, Bvh, CandidateSet};
use impinge_geometry::ccd::{CandidatePair, CcdRule, Toi, edge_edge, vertex_face};
use impinge_sim::stepper::asynchronous::Vertex;
use nalgebra::Vector3;

/// Growth of a box beyond its path, relative to its coordinates: positions between breakpoints are rounded.
const ROUNDING: f64 = 1e-14;

/// The strictest rule of the query; exact arithmetic decides unproven pieces.
const STRICT: CcdRule = CcdRule {
    minimum_separation: 0.0,
    time_tolerance: 1.0 / (1_u64 << 50) as f64,
    distance_tolerance: 0.0,
    work_limit: 1 << 14,
};

/// Time (s) and position of a point.
type Breakpoint = (f64, Vector3<f64>);

/// The paths of all points over an interval, straight between breakpoints.
#[derive(Debug, Default)]
pub(super) struct Paths {
    breakpoints: Vec<Vec<Breakpoint>>,
    velocities: Vec<Vector3<f64>>,
}

/// Counts of the tests of some paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Pairs of features whose paths have overlapping boxes.
    pub(super) pairs: usize,
    /// Tested straight pieces of those pairs.
    pub(super) pieces: usize,
    /// Pieces that only exact arithmetic could decide.
    pub(super) exact: usize,
    /// Pieces on which the features met.
    pub(super) met: usize,
}

impl Verdict {
    pub(super) fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.pieces += other.pieces;
        self.exact += other.exact;
        self.met += other.met;
    }
}

impl Paths {
    /// Paths that begin at `time` (s).
    pub(super) fn begin(vertices: &[Vertex], time: f64) -> Self {
        Self {
            breakpoints: vertices.iter().map(|v| vec![(time, v.at(time))]).collect(),
            velocities: vertices.iter().map(|v| v.velocity).collect(),
        }
    }

    /// Records every velocity that an event changed.
    pub(super) fn note(&mut self, vertices: &[Vertex]) {
        for ((breakpoints, velocity), vertex) in self
            .breakpoints
            .iter_mut()
            .zip(&mut self.velocities)
            .zip(vertices)
        {
            if vertex.velocity != *velocity {
                *velocity = vertex.velocity;
                push(breakpoints, (vertex.time, vertex.position));
            }
        }
    }

    /// Ends all paths at `time` (s).
    pub(super) fn end(&mut self, vertices: &[Vertex], time: f64) {
        for (breakpoints, vertex) in self.breakpoints.iter_mut().zip(vertices) {
            push(breakpoints, (time, vertex.at(time)));
        }
    }

    /// Tests every pair of the surface on every piece on which all four points move straight.
    pub(super) fn judge(&self, surface: &CollisionSurface) -> Verdict {
        let boxes: Vec<Aabb> = self
            .breakpoints
            .iter()
            .map(|breakpoints| box_of(breakpoints))
            .collect();
        let mut candidates = CandidateSet::default();
        Bvh::default().collect(surface, &boxes, &mut candidates);
        let mut verdict = Verdict {
            pairs: candidates.len(),
            ..Verdict::default()
        };
        let mut times = Vec::new();
        for pair in candidates.iter() {
            let points = pair.points(surface);
            let paths = points.map(|point| self.breakpoints[point as usize].as_slice());
            times.clear();
            times.extend(
                paths
                    .iter()
                    .copied()
                    .flatten()
                    .map(|breakpoint| breakpoint.0),
            );
            times.sort_unstable_by(f64::total_cmp);
            times.dedup();
            let mut places = [0; 4];
            let mut start = at(&paths, &mut places, times[0]);
            for &time in &times[1..] {
                let end = at(&paths, &mut places, time);
                verdict.pieces += 1;
                if !is_apart(pair, &start, &end) {
                    verdict.exact += 1;
                    verdict.met += usize::from(meets(pair, &start, &end));
                }
                start = end;
            }
        }
        verdict
    }

    /// Breakpoints at which a point is not above a half-space `n · x > c`.
    pub(super) fn below(&self, points: &[u32], normal: &Vector3<f64>, offset: f64) -> usize {
        points
            .iter()
            .flat_map(|&point| &self.breakpoints[point as usize])
            .filter(|breakpoint| normal.dot(&breakpoint.1) <= offset)
            .count()
    }
}

/// Several events at one instant share one breakpoint, since the position is the same.
fn push(breakpoints: &mut Vec<Breakpoint>, breakpoint: Breakpoint) {
    match breakpoints.last_mut() {
        Some(last) if last.0 >= breakpoint.0 => *last = breakpoint,
        _ => breakpoints.push(breakpoint),
    }
}

fn box_of(breakpoints: &[Breakpoint]) -> Aabb {
    let bounds = Aabb::from_points(breakpoints.iter().map(|breakpoint| &breakpoint.1));
    let largest = breakpoints
        .iter()
        .map(|breakpoint| breakpoint.1.amax())
        .fold(0.0, f64::max);
    bounds.inflated(ROUNDING * largest)
}

/// Positions at `time`, which must not decrease between calls with the same `places`.
fn at(paths: &[&[Breakpoint]; 4], places: &mut [usize; 4], time: f64) -> [Vector3<f64>; 4] {
    std::array::from_fn(|k| {
        let (path, place) = (paths[k], &mut places[k]);
        while *place + 1 < path.len() && path[*place + 1].0 <= time {
            *place += 1;
        }
        let (from, here) = path[*place];
        match path.get(*place + 1) {
            Some(&(to, there)) if from < time => {
                here + (there - here) * ((time - from) / (to - from))
            }
            _ => here,
        }
    })
}

fn is_apart(pair: CandidatePair, start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4]) -> bool {
    let answer = match pair {
        CandidatePair::VertexFace { .. } => vertex_face(start, end, &STRICT),
        CandidatePair::EdgeEdge { .. } => edge_edge(start, end, &STRICT),
    };
    answer == Toi::Separated
}

fn meets(pair: CandidatePair, start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4]) -> bool {
    let kind = match pair {
        CandidatePair::VertexFace { .. } => Kind::VertexFace,
        CandidatePair::EdgeEdge { .. } => Kind::EdgeEdge,
    };
    let corners = |x: &[Vector3<f64>; 4]| x.map(Into::into);
    // Numbers that are not finite have no proof either.
    ExactQuery::new(kind, &corners(start), &corners(end), 0.0).is_none_or(|query| query.touches())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle at rest and one that dips through it between breakpoints 1 and 3, and leaves before the end.
    ///
    /// The one at rest slopes, with height 0 under the tip, so that their boxes overlap for every depth.
    fn dipping(depth: f64) -> Verdict {
        let below = [[0.0, 0.0, -0.2], [1.0, 0.0, 0.8], [0.0, 1.0, -0.2]];
        let above = [[0.2, 0.2, 1.0], [0.3, 0.2, 2.0], [0.2, 0.3, 2.0]];
        let surface = CollisionSurface::new(
            vec![[0, 1, 2], [3, 4, 5]],
            6,
            vec![0, 0, 0, 1, 1, 1],
            vec![false; 2],
        );
        let vertex = |position: [f64; 3]| Vertex {
            position: position.into(),
            time: 0.0,
            velocity: Vector3::zeros(),
            inverse_mass: 1.0,
        };
        let mut vertices = below.map(vertex).to_vec();
        vertices.extend(above.map(vertex));
        let mut paths = Paths::begin(&vertices, 0.0);
        // The tip falls for a second, reverses, and is back after another.
        for (time, velocity) in [(1.0, -(1.0 + depth)), (2.0, 1.0 + depth), (3.0, 0.0)] {
            let tip = &mut vertices[3];
            tip.sync(time);
            tip.velocity.z = velocity;
            paths.note(&vertices);
        }
        paths.end(&vertices, 4.0);
        paths.judge(&surface)
    }

    /// The tip crosses the triangle on its way down and on its way up; at start and end it is apart.
    #[test]
    fn a_dip_between_two_looks_is_seen() {
        let verdict = dipping(0.1);
        assert!(verdict.met >= 2, "{verdict:?}");
    }

    #[test]
    fn a_dip_that_ends_above_is_none() {
        let verdict = dipping(-1e-9);
        assert!(verdict.pieces > 4, "{verdict:?}");
        assert_eq!(verdict.met, 0, "{verdict:?}");
    }
}
