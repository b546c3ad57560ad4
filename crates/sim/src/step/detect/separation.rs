//! Colliding pairs among the candidates of a motion. Separation bounds save most continuous tests.
//!
//! At a reference configuration every pair has a *separation bound*, a lower bound on its distance. Let `u` be the
//! displacement of a point from there. For a straight motion, the difference `u_i − u_j` between a point of one feature
//! and a point of the other is largest at an end of the motion, and within features it is an average over corners. So
//! while `max ‖u_i − u_j‖` over both ends and all corners is less than the separation bound, the pair cannot collide.
//!
//! The rounds of a step test nearly the same motion again and again. The first round lists the near pairs: those with
//! less than a margin left of their bound. While no point of two bodies ends farther than half of that margin from its
//! stored end, their other pairs stay separated. A body that moves farther has its pairs listed again.
//!
//! A bound is first taken along the line between the middles of both features, which costs little. The bound along
//! the shortest connection is measured for pairs that would be near otherwise.

use crate::contacts::step_motion::{Hit, StepMotion};
use crate::step::detect::{
    candidate_kind::{CandidateKind, EdgeEdge, VertexFace},
    displacement::Moved,
    last_motion::LastMotion,
    stored_motion::StoredMotion,
    width::{between_middles, width_along},
};
use impinge_geometry::{
    broad_phase::CandidateSet,
    ccd::{CcdRule, Toi},
    surface::CollisionSurface,
};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Pairs per parallel task: enough to outweigh the task, few enough to balance.
const PAIRS_PER_TASK: usize = 2048;

/// Smallest number of points per parallel task.
pub(crate) const POINTS_PER_TASK: usize = 4096;

/// Largest number of pairs per run, and number of runs per task: together tasks are of the same order for short and
/// long runs.
const LONGEST_RUN: u32 = 256;
const RUNS_PER_TASK: usize = 64;

/// Share of a separation bound that is used; the rest exceeds rounding by far.
const RELIED_ON: f64 = 0.99;

/// Largest growth of coordinates since the reference; beyond, rounding might exceed the margin of [`RELIED_ON`].
const LARGEST_GROWTH: f64 = 4.0;

/// The separation bounds of all candidates, with their reference configuration.
#[derive(Debug, Default)]
pub(crate) struct SeparationBounds {
    /// Version of the candidates that the bounds belong to; 0 if there are none.
    version: u64,
    /// Reference configuration (m), and its largest coordinate.
    reference: Vec<Vector3<f64>>,
    size: f64,
    vertex_face: PairBounds,
    edge_edge: PairBounds,
    /// `u` at both ends of the motion.
    moved: Moved,
    stored: StoredMotion,
}

/// The separation bounds of candidates of one kind, by their number.
#[derive(Debug, Default)]
struct PairBounds {
    bound: Vec<Bound>,
    runs: Vec<Run>,
    /// Numbers of the near pairs, ascending: a motion close to the stored one may bring them together.
    near: Vec<u32>,
}

/// Lower bound on the distance of a pair at the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    /// Width of a slab that separates the features (m).
    width: f64,
    /// Whether the slab lies across their shortest connection.
    across: bool,
}

/// Consecutive pairs of the same two bodies.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// Number of its first pair among the candidates, and of the first pair of the next run.
    start: u32,
    end: u32,
    bodies: [u32; 2],
    /// Smallest of their bounds along the middles (m).
    bound: f64,
}

/// The candidate pairs of a surface.
#[derive(Clone, Copy)]
pub(crate) struct SurfaceCandidates<'a> {
    /// Always the same surface.
    pub(crate) surface: &'a CollisionSurface,
    pub(crate) pairs: &'a CandidateSet,
    /// Changes with the pairs, and is not 0.
    pub(crate) version: u64,
}

impl SeparationBounds {
    /// Appends the hits of the candidates with a body that moves differently than on the motion before: first vertices
    /// and faces, then edges, each ascending by key.
    pub(crate) fn find_hits(
        &mut self,
        candidates: SurfaceCandidates<'_>,
        motion: StepMotion<'_>,
        last: &LastMotion,
        hits: &mut Vec<Hit>,
    ) {
        let SurfaceCandidates {
            surface,
            pairs,
            version,
        } = candidates;
        debug_assert!(
            self.version == 0 || self.reference.len() == motion.start.len(),
            "one surface for life"
        );
        let vertex_face = VertexFace {
            surface,
            pairs: &pairs.vertex_face,
        };
        let edge_edge = EdgeEdge {
            surface,
            pairs: &pairs.edge_edge,
        };
        let are_stale = self.version != version || self.has_grown(motion, last);
        if are_stale {
            self.version = version;
            self.reference.clear();
            self.reference.extend_from_slice(motion.start);
            self.size = largest_coordinate(motion.start);
        }
        let reference = Reference {
            positions: &self.reference,
            size: self.size,
        };
        if are_stale {
            self.vertex_face.measure(&vertex_face, reference);
            self.edge_edge.measure(&edge_edge, reference);
        }
        let (moved, stored) = (&mut self.moved, &mut self.stored);
        if are_stale || last.starts_anew() {
            moved.begin(surface, &self.reference, motion);
            stored.begin(surface, motion);
        } else {
            moved.follow(surface, &self.reference, motion.end, last);
            stored.follow(surface, motion.end, last);
        }
        if stored.is_new.contains(&true) {
            (self.vertex_face).list_near(&vertex_face, reference, moved, stored);
            (self.edge_edge).list_near(&edge_edge, reference, moved, stored);
        }
        (self.vertex_face).examine(&vertex_face, moved, (motion, last), hits);
        (self.edge_edge).examine(&edge_edge, moved, (motion, last), hits);
    }

    /// Whether coordinates have grown so much since the reference that rounding matters.
    fn has_grown(&self, motion: StepMotion<'_>, last: &LastMotion) -> bool {
        last.starts_anew() && largest_coordinate(motion.start) > LARGEST_GROWTH * self.size
    }
}

/// The reference configuration.
#[derive(Clone, Copy)]
struct Reference<'a> {
    positions: &'a [Vector3<f64>],
    /// Its largest coordinate (m).
    size: f64,
}

fn largest_coordinate(positions: &[Vector3<f64>]) -> f64 {
    (positions.par_iter().with_min_len(POINTS_PER_TASK))
        .map(Vector3::amax)
        .reduce(|| 0.0, f64::max)
}

impl PairBounds {
    /// Measures the bounds of the candidates along their middles, and gathers them into runs.
    fn measure<K: CandidateKind>(&mut self, kind: &K, reference: Reference<'_>) {
        let pairs = kind.pairs();
        let none = Bound {
            width: 0.0,
            across: false,
        };
        self.bound.resize(pairs.len(), none);
        let measure_chunk = |(chunk, (bounds, pairs)): (usize, (&mut [Bound], &[[u32; 2]]))| {
            let mut runs: Vec<Run> = Vec::new();
            let first = (chunk * PAIRS_PER_TASK) as u32;
            for (index, (bound, pair)) in (first..).zip(bounds.iter_mut().zip(pairs)) {
                let points = kind.points(*pair);
                let corners = points.map(|p| reference.positions[p as usize]);
                let along = between_middles(&corners, K::FIRST);
                let width = width_along(&corners, K::FIRST, along, reference.size);
                *bound = Bound {
                    width,
                    across: false,
                };
                let bodies =
                    [points[0], points[K::FIRST]].map(|point| kind.surface().body_of_point(point));
                match runs.last_mut() {
                    Some(run) if run.bodies == bodies && run.end - run.start < LONGEST_RUN => {
                        run.end = index + 1;
                        run.bound = run.bound.min(width);
                    }
                    _ => runs.push(Run {
                        start: index,
                        end: index + 1,
                        bodies,
                        bound: width,
                    }),
                }
            }
            runs
        };
        let chunks: Vec<Vec<Run>> = (self.bound.par_chunks_mut(PAIRS_PER_TASK))
            .zip(pairs.par_chunks(PAIRS_PER_TASK))
            .enumerate()
            .map(measure_chunk)
            .collect();
        self.runs.clear();
        for runs in chunks {
            self.runs.extend(runs);
        }
    }

    /// Lists the near pairs, those with less than a margin left of their bound. Near pairs of two bodies whose motion
    /// was stored before stay.
    ///
    /// The motion of bodies excludes most pairs, a whole run at once or one by one, without regard to their points.
    fn list_near<K: CandidateKind>(
        &mut self,
        kind: &K,
        reference: Reference<'_>,
        moved: &Moved,
        stored: &StoredMotion,
    ) {
        let pairs = kind.pairs();
        let Self { bound, runs, near } = &*self;
        let list_chunk = |runs: &[Run]| {
            let (mut listed, mut measured) = (Vec::new(), Vec::new());
            for run in runs {
                let Some(margin) = stored.margin_for(run.bodies) else {
                    let [first, last] = [run.start, run.end]
                        .map(|end| near.partition_point(|&number| number < end));
                    listed.extend_from_slice(&near[first..last]);
                    continue;
                };
                let most = moved.most_between(run.bodies);
                if most < RELIED_ON * run.bound - margin {
                    continue;
                }
                for index in run.start..run.end {
                    let Bound { width, across } = bound[index as usize];
                    let spare = RELIED_ON * width - margin;
                    if most < spare {
                        continue;
                    }
                    let points = kind.points(pairs[index as usize]);
                    let approach_squared = moved.approach_squared(points, K::FIRST);
                    let is_far = |spare: f64| spare > 0.0 && approach_squared < spare * spare;
                    if is_far(spare) {
                        continue;
                    }
                    if !across {
                        let corners = points.map(|p| reference.positions[p as usize]);
                        let width =
                            width_along(&corners, K::FIRST, K::between(&corners), reference.size)
                                .max(width);
                        measured.push((index, width));
                        if is_far(RELIED_ON * width - margin) {
                            continue;
                        }
                    }
                    listed.push(index);
                }
            }
            (listed, measured)
        };
        let chunks: Vec<_> = runs.par_chunks(RUNS_PER_TASK).map(list_chunk).collect();
        self.near.clear();
        for (listed, measured) in chunks {
            self.near.extend(listed);
            for (index, width) in measured {
                self.bound[index as usize] = Bound {
                    width,
                    across: true,
                };
            }
        }
    }

    /// Tests the near pairs with a body that moves differently, in order and independently of the number of threads.
    fn examine<K: CandidateKind>(
        &self,
        kind: &K,
        moved: &Moved,
        (motion, last): (StepMotion<'_>, &LastMotion),
        hits: &mut Vec<Hit>,
    ) {
        let (pairs, bound) = (kind.pairs(), &self.bound);
        let rule = CcdRule::default();
        let examine_chunk = |numbers: &[u32]| {
            let mut found = Vec::new();
            for &index in numbers {
                let pair = pairs[index as usize];
                let relied_on = RELIED_ON * bound[index as usize].width;
                let points = kind.points(pair);
                let bodies = [points[0], points[K::FIRST]];
                if !last.differs_any(bodies.map(|point| kind.surface().body_of_point(point))) {
                    continue;
                }
                if moved.approach_squared(points, K::FIRST) < relied_on * relied_on {
                    continue;
                }
                let start = points.map(|p| motion.start[p as usize]);
                let end = points.map(|p| motion.end[p as usize]);
                if let Toi::Impact { time, work_limited } = K::test(&start, &end, &rule) {
                    found.push(Hit {
                        key: kind.key(pair),
                        time,
                        work_limited,
                    });
                }
            }
            found
        };
        let chunks: Vec<Vec<Hit>> = (self.near)
            .par_chunks(PAIRS_PER_TASK)
            .map(examine_chunk)
            .collect();
        for found in chunks {
            hits.extend(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::contact::ContactKey;
    use impinge_geometry::broad_phase::{Aabb, BroadPhase, BruteForce};
    use proptest::prelude::*;

    const TRIANGLES: usize = 12;

    fn points(size: f64) -> impl Strategy<Value = Vec<Vector3<f64>>> {
        let number = -size..size;
        let point = [number.clone(), number.clone(), number].prop_map(Vector3::from);
        prop::collection::vec(point, 3 * TRIANGLES)
    }

    /// Colliding pairs by continuous tests of all pairs.
    fn all_hits<K: CandidateKind>(kind: &K, motion: StepMotion<'_>) -> Vec<(ContactKey, f64)> {
        let hit = |pair: &[u32; 2]| {
            let points = kind.points(*pair);
            let start = points.map(|p| motion.start[p as usize]);
            let end = points.map(|p| motion.end[p as usize]);
            let time = K::test(&start, &end, &CcdRule::default()).time()?;
            Some((kind.key(*pair), time))
        };
        kind.pairs().iter().filter_map(hit).collect()
    }

    fn bodies_of(surface: &CollisionSurface, key: ContactKey) -> [u32; 2] {
        let point = match key {
            ContactKey::VertexFace { vertex, face } => {
                [vertex, surface.triangles()[face as usize][0]]
            }
            ContactKey::EdgeEdge { first, second } => {
                [first, second].map(|edge| surface.edges()[edge as usize][0])
            }
            _ => unreachable!("a colliding pair"),
        };
        point.map(|point| surface.body_of_point(point))
    }

    proptest! {
        /// Over steps and rounds, with any earlier bounds and changing candidates, the colliding pairs are those of a
        /// test of all pairs, and pairs of bodies with the same motion keep their hits.
        #[test]
        fn no_collision_is_missed(
            first in points(1.0),
            moves in prop::collection::vec((points(1.0), 0.001..0.3, prop::option::of(2..5_usize)), 8),
        ) {
            let triangles = (0..TRIANGLES as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let bodies = (0..3 * TRIANGLES as u32).map(|p| p / 3).collect();
            let surface = CollisionSurface::new(triangles, first.len(), bodies, vec![false; TRIANGLES]);
            let everywhere = Aabb::from_points([&Vector3::repeat(-9.0), &Vector3::repeat(9.0)]);
            let mut all = CandidateSet::default();
            BruteForce.collect(&surface, &vec![everywhere; first.len()], &mut all);
            let (mut candidates, mut version) = (all.clone(), 1);

            let (mut separation, mut last) = (SeparationBounds::default(), LastMotion::default());
            let (mut hits, mut expected): (Vec<Hit>, Vec<(ContactKey, f64)>) = Default::default();
            let mut start = first;
            let mut end = start.clone();
            for (round, (direction, share, left_out)) in moves.into_iter().enumerate() {
                if let Some(every) = left_out {
                    let some = |pairs: &[[u32; 2]]| -> Vec<[u32; 2]> {
                        let kept = pairs.iter().enumerate().filter(|(i, _)| (i + round) % every != 0);
                        kept.map(|(_, pair)| *pair).collect()
                    };
                    candidates.vertex_face = some(&all.vertex_face);
                    candidates.edge_edge = some(&all.edge_edge);
                    version += 1;
                }
                // Three of four motions are further rounds of the same step: some triangles move to nearly the same
                // end.
                let is_further = round % 4 != 0;
                let (from, share) = if is_further { (&end, 0.1 * share) } else { (&start, share) };
                let moves = |point: usize| !is_further || (point / 3) % 3 != round % 3;
                end = (from.iter().zip(&direction).enumerate())
                    .map(|(point, (x, d))| if moves(point) { x + d * share } else { *x })
                    .collect();
                let motion = StepMotion { start: &start, end: &end, time_step: 1e-3 };
                last.compare(&surface, motion);
                let differs = |key: ContactKey| last.differs_any(bodies_of(&surface, key));
                hits.retain(|hit| !differs(hit.key));
                expected.retain(|&(key, _)| !differs(key));
                let of_surface = SurfaceCandidates { surface: &surface, pairs: &candidates, version };
                separation.find_hits(of_surface, motion, &last, &mut hits);
                let mut found: Vec<_> = hits.iter().map(|hit| (hit.key, hit.time)).collect();
                let faces = VertexFace { surface: &surface, pairs: &candidates.vertex_face };
                let edges = EdgeEdge { surface: &surface, pairs: &candidates.edge_edge };
                let mut tested = all_hits(&faces, motion);
                tested.extend(all_hits(&edges, motion));
                expected.extend(tested.into_iter().filter(|&(key, _)| differs(key)));
                for pairs in [&mut found, &mut expected] {
                    pairs.sort_by_key(|&(key, _)| key);
                }
                prop_assert_eq!(&found, &expected);
                if round % 4 == 3 {
                    start.clone_from(&end);
                }
            }
        }
    }

    /// A scene at rest needs no test; a motion with NaN needs all of them.
    #[test]
    fn bounds_save_tests_and_nan_does_not_pass() {
        let points: Vec<_> = (0..6)
            .map(|i| {
                Vector3::new(
                    f64::from(i % 3 == 1),
                    f64::from(i % 3 == 2),
                    f64::from(i / 3),
                )
            })
            .collect();
        let surface = CollisionSurface::new(
            vec![[0, 1, 2], [3, 4, 5]],
            6,
            vec![0, 0, 0, 1, 1, 1],
            vec![false; 2],
        );
        let pairs = [[0, 1], [1, 1], [2, 1]];
        let kind = VertexFace {
            surface: &surface,
            pairs: &pairs,
        };
        let mut bounds = PairBounds::default();
        let reference = Reference {
            positions: &points,
            size: 1.0,
        };
        bounds.measure(&kind, reference);
        assert!(
            (bounds.bound.iter()).all(|bound| bound.width > 0.4 && bound.width <= 1.0),
            "{bounds:?}"
        );
        let [run] = bounds.runs[..] else {
            panic!("of the same bodies: {bounds:?}")
        };
        assert_eq!((run.start, run.end, run.bodies), (0, 3, [0, 1]));
        let mut moved = points.clone();
        moved[4].x = f64::NAN;
        for (end, expected) in [(&points, 0), (&moved, 3)] {
            let (start, mut by, mut stored) = (&points, Moved::default(), StoredMotion::default());
            let motion = StepMotion {
                start,
                end,
                time_step: 1e-3,
            };
            by.begin(&surface, &points, motion);
            stored.begin(&surface, motion);
            stored.margin = 0.1;
            bounds.list_near(&kind, reference, &by, &stored);
            assert_eq!(bounds.near.len(), expected);
        }
        // The motion that used up the first bounds had them measured across the shortest connection.
        let across = |bound: &Bound| bound.across && (bound.width - 1.0).abs() < 1e-12;
        assert!(bounds.bound.iter().all(across), "{bounds:?}");
    }
}
