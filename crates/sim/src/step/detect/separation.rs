//! Colliding pairs among the candidates of a motion. Separation bounds save most continuous tests.
//!
//! At a reference configuration every pair has a *separation bound*, a lower bound on its distance. Let `u` be the
//! displacement of a point from there. For a straight motion, the difference `u_i − u_j` between a point of one feature
//! and a point of the other is largest at an end of the motion, and within features it is an average over corners. So
//! while `max ‖u_i − u_j‖` over both ends and all corners is less than the separation bound, the pair cannot collide.
//!
//! The rounds of a step test nearly the same motion again and again. The first round lists the near pairs: those whose
//! bound is used up except for a margin. While no point of two bodies ends farther than half of that margin from its
//! end then, their other pairs stay separated. A body that moves farther has its pairs listed again.
//!
//! A bound is first taken along the line between the middles of both features, which costs little. The bound along
//! the shortest connection is measured for pairs that would be near otherwise.

use crate::contacts::{
    contact::ContactKey,
    step_motion::{Hit, StepMotion},
};
use crate::step::detect::{changed::ChangedBodies, displacement::Moved};
use impinge_geometry::{
    broad_phase::CandidateSet,
    ccd::{self, CcdRule, Toi},
    distance::{self, point_triangle},
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

/// Smallest separation bound over the largest coordinate; below, rounding makes it worthless.
const SMALLEST_BOUND: f64 = 1e-12;

/// Margin of the list of near pairs, over the largest displacement of a point, 0.03 to 0.25: a longer list costs more
/// in every round than its renewal in the first ones, which change the motion most.
const MARGIN_PER_MOTION: f64 = 0.1;

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
    near: Near,
}

/// The separation bounds of candidates of one kind.
#[derive(Debug, Default)]
struct PairBounds {
    /// The candidates, ascending.
    pairs: Vec<[u32; 2]>,
    bound: Vec<Bound>,
    runs: Vec<Run>,
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
    /// Smallest of their bounds (m).
    bound: f64,
}

/// Near pairs: pairs that a motion close to the stored one may bring together.
#[derive(Debug, Default)]
struct Near {
    /// End of the stored motion (m).
    end: Vec<Vector3<f64>>,
    /// Margin (m) by which the other pairs stay separated on it.
    margin: f64,
    /// Whether the stored motion of a body has just been replaced.
    is_stored_anew: Vec<bool>,
    /// Largest square of the distance of a point from its stored end, for each body (m²).
    farthest_squared: Vec<f64>,
    /// Numbers among the candidates, ascending.
    vertex_face: Vec<u32>,
    edge_edge: Vec<u32>,
}

impl Near {
    /// Stores `motion` for all bodies.
    fn begin(&mut self, surface: &CollisionSurface, motion: StepMotion<'_>) {
        let of_vertex = |&vertex: &u32| {
            let point = vertex as usize;
            distance_squared(&motion.start[point], &motion.end[point])
        };
        let farthest_squared = surface.vertices().iter().map(of_vertex).fold(0.0, f64::max);
        self.margin = MARGIN_PER_MOTION * farthest_squared.sqrt();
        self.end.clear();
        self.end.extend_from_slice(motion.end);
        self.is_stored_anew.clear();
        self.is_stored_anew.resize(surface.passive().len(), true);
    }

    /// Stores the end of a motion with the same start for the bodies that moved too far from the stored one.
    fn follow(
        &mut self,
        surface: &CollisionSurface,
        end: &[Vector3<f64>],
        changed: &ChangedBodies,
    ) {
        self.farthest_squared.clear();
        self.farthest_squared.resize(surface.passive().len(), 0.0);
        for &vertex in surface.vertices() {
            let (point, body) = (vertex as usize, surface.body_of_point(vertex));
            if changed.contains(body) {
                let farthest = &mut self.farthest_squared[body as usize];
                *farthest = farthest.max(distance_squared(&self.end[point], &end[point]));
            }
        }
        for (anew, &farthest) in self.is_stored_anew.iter_mut().zip(&self.farthest_squared) {
            *anew = farthest > 0.0 && 2.0 * farthest.sqrt() >= self.margin;
        }
        if self.is_stored_anew.contains(&true) {
            for &vertex in surface.vertices() {
                let (point, body) = (vertex as usize, surface.body_of_point(vertex));
                if self.is_stored_anew[body as usize] {
                    self.end[point] = end[point];
                }
            }
        }
    }

    /// How far the present motion of two bodies (m) must keep their other pairs separated. It is none if their pairs
    /// need not be listed again.
    fn reach(&self, bodies: [u32; 2]) -> Option<f64> {
        match bodies.map(|body| self.is_stored_anew[body as usize]) {
            [false, false] => None,
            [true, true] => Some(self.margin),
            // The other body ends within half a margin of its stored end.
            _ => Some(1.5 * self.margin),
        }
    }
}

/// Square of the distance of two points; infinite if it is NaN.
fn distance_squared(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    let squared = (a - b).norm_squared();
    if squared.is_nan() {
        f64::INFINITY
    } else {
        squared
    }
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
    /// Appends the candidates with a body that moves otherwise than on the motion before, and that are not proven
    /// separated on `motion`: first vertices and faces, then edges, each ascending by key.
    pub(crate) fn find_hits(
        &mut self,
        candidates: SurfaceCandidates<'_>,
        motion: StepMotion<'_>,
        changed: &ChangedBodies,
        hits: &mut Vec<Hit>,
    ) {
        let SurfaceCandidates {
            surface,
            pairs: candidates,
            version,
        } = candidates;
        let kinds = (VertexFace(surface), EdgeEdge(surface));
        debug_assert!(
            self.version == 0 || self.reference.len() == motion.start.len(),
            "one surface for life"
        );
        let measure = self.version != version || self.has_grown(motion, changed);
        if measure {
            self.version = version;
            self.measure(&kinds, candidates, motion.start);
        }
        let reference = &self.reference;
        if measure || changed.starts_anew() {
            self.moved.begin(surface, reference, motion);
            self.near.begin(surface, motion);
        } else {
            (self.moved).follow(surface, reference, motion.end, changed);
            self.near.follow(surface, motion.end, changed);
        }
        let (moved, near) = (&self.moved, &mut self.near);
        let reference = Reference {
            positions: &self.reference,
            size: self.size,
        };
        let mut numbers = std::mem::take(&mut near.vertex_face);
        (self.vertex_face).list_near(&kinds.0, reference, moved, near, &mut numbers);
        near.vertex_face = numbers;
        let mut numbers = std::mem::take(&mut near.edge_edge);
        (self.edge_edge).list_near(&kinds.1, reference, moved, near, &mut numbers);
        near.edge_edge = numbers;
        let near_faces = NearPairs {
            kind: &kinds.0,
            bounds: &self.vertex_face,
            numbers: &near.vertex_face,
        };
        let near_edges = NearPairs {
            kind: &kinds.1,
            bounds: &self.edge_edge,
            numbers: &near.edge_edge,
        };
        near_faces.examine(moved, motion, changed, hits);
        near_edges.examine(moved, motion, changed, hits);
    }

    /// Whether coordinates have grown so much since the reference that rounding matters.
    fn has_grown(&self, motion: StepMotion<'_>, changed: &ChangedBodies) -> bool {
        changed.starts_anew() && largest_coordinate(motion.start) > LARGEST_GROWTH * self.size
    }

    /// Measures the bounds of all candidates at `positions` (m).
    fn measure(
        &mut self,
        kinds: &(VertexFace<'_>, EdgeEdge<'_>),
        candidates: &CandidateSet,
        positions: &[Vector3<f64>],
    ) {
        self.reference.clear();
        self.reference.extend_from_slice(positions);
        self.size = largest_coordinate(positions);
        let reference = Reference {
            positions,
            size: self.size,
        };
        (self.vertex_face).measure(&kinds.0, &candidates.vertex_face, reference);
        (self.edge_edge).measure(&kinds.1, &candidates.edge_edge, reference);
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

/// One kind of candidates.
trait CandidateKind: Sync {
    /// Number of the four points that belong to the first feature.
    const FIRST: usize;
    /// The surface of the pairs.
    fn surface(&self) -> &CollisionSurface;
    /// Key of a pair.
    fn key(&self, pair: [u32; 2]) -> ContactKey;
    /// Points of a pair, the first feature first.
    fn points(&self, pair: [u32; 2]) -> [u32; 4];
    /// Vector from the closest point of the second feature to that of the first, as computed (m), without proof.
    fn between(corners: &[Vector3<f64>; 4]) -> Vector3<f64>;
    /// The continuous test.
    fn test(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi;
}

struct VertexFace<'a>(&'a CollisionSurface);

impl CandidateKind for VertexFace<'_> {
    const FIRST: usize = 1;

    fn surface(&self) -> &CollisionSurface {
        self.0
    }

    fn key(&self, [vertex, face]: [u32; 2]) -> ContactKey {
        ContactKey::VertexFace { vertex, face }
    }

    fn points(&self, [vertex, face]: [u32; 2]) -> [u32; 4] {
        let [a, b, c] = self.0.triangles()[face as usize];
        [vertex, a, b, c]
    }

    fn between([p, a, b, c]: &[Vector3<f64>; 4]) -> Vector3<f64> {
        let [w_a, w_b, w_c] = point_triangle(p, &[*a, *b, *c]).barycentric;
        p - a * w_a - b * w_b - c * w_c
    }

    fn test(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi {
        ccd::vertex_face(start, end, rule)
    }
}

struct EdgeEdge<'a>(&'a CollisionSurface);

impl CandidateKind for EdgeEdge<'_> {
    const FIRST: usize = 2;

    fn surface(&self) -> &CollisionSurface {
        self.0
    }

    fn key(&self, [first, second]: [u32; 2]) -> ContactKey {
        ContactKey::EdgeEdge { first, second }
    }

    fn points(&self, [first, second]: [u32; 2]) -> [u32; 4] {
        let edges = self.0.edges();
        let ([a0, a1], [b0, b1]) = (edges[first as usize], edges[second as usize]);
        [a0, a1, b0, b1]
    }

    fn between([a0, a1, b0, b1]: &[Vector3<f64>; 4]) -> Vector3<f64> {
        let closest = distance::edge_edge(&[*a0, *a1], &[*b0, *b1]);
        a0 + (a1 - a0) * closest.a - b0 - (b1 - b0) * closest.b
    }

    fn test(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi {
        ccd::edge_edge(start, end, rule)
    }
}

impl PairBounds {
    /// Measures the bounds of `pairs` (ascending) along their middles, and gathers the pairs into runs.
    fn measure<K: CandidateKind>(
        &mut self,
        kind: &K,
        pairs: &[[u32; 2]],
        reference: Reference<'_>,
    ) {
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
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
}

/// A vector along the line from the middle of the second feature to that of the first, which has `first_side` corners.
fn between_middles(corners: &[Vector3<f64>; 4], first_side: usize) -> Vector3<f64> {
    let (first, second) = corners.split_at(first_side);
    let sum = |corners: &[Vector3<f64>]| corners.iter().sum::<Vector3<f64>>();
    sum(first) * second.len() as f64 - sum(second) * first.len() as f64
}

/// Separation bound of two features: width of the slab across `direction` between their corners (m), whose coordinates
/// are at most `size`; 0 if there is none.
///
/// It is a lower bound of the distance for any direction. For the shortest connection it nearly equals the distance.
fn width_along(
    corners: &[Vector3<f64>; 4],
    first_side: usize,
    direction: Vector3<f64>,
    size: f64,
) -> f64 {
    let squared = direction.norm_squared();
    if squared.is_nan() || squared < f64::MIN_POSITIVE {
        return 0.0;
    }
    let (first, second) = corners.split_at(first_side);
    let along = |x: &Vector3<f64>| direction.dot(x);
    let least = first.iter().map(along).fold(f64::INFINITY, f64::min);
    let most = second.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    let width = (least - most) / squared.sqrt();
    if width > SMALLEST_BOUND * size {
        width
    } else {
        0.0
    }
}

impl PairBounds {
    /// Lists the pairs with less than a margin left of their bound, in order. Pairs of bodies whose stored motion is
    /// that of the last call stay as they are.
    ///
    /// The motion of bodies excludes most pairs, a whole run at once or one by one, without regard to their points.
    fn list_near<K: CandidateKind>(
        &mut self,
        kind: &K,
        reference: Reference<'_>,
        moved: &Moved,
        near: &Near,
        numbers: &mut Vec<u32>,
    ) {
        if !near.is_stored_anew.contains(&true) {
            return;
        }
        let Self {
            pairs, bound, runs, ..
        } = &*self;
        let listed_before = &*numbers;
        let list_chunk = |runs: &[Run]| {
            let (mut listed, mut measured) = (Vec::new(), Vec::new());
            for run in runs {
                let Some(reach) = near.reach(run.bodies) else {
                    let [first, last] = [run.start, run.end]
                        .map(|end| listed_before.partition_point(|&number| number < end));
                    listed.extend_from_slice(&listed_before[first..last]);
                    continue;
                };
                let most = moved.most_between(run.bodies);
                if most < RELIED_ON * run.bound - reach {
                    continue;
                }
                for index in run.start..run.end {
                    let Bound { width, across } = bound[index as usize];
                    let spare = RELIED_ON * width - reach;
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
                        if is_far(RELIED_ON * width - reach) {
                            continue;
                        }
                    }
                    listed.push(index);
                }
            }
            (listed, measured)
        };
        let chunks: Vec<_> = runs.par_chunks(RUNS_PER_TASK).map(list_chunk).collect();
        numbers.clear();
        for (listed, measured) in chunks {
            numbers.extend(listed);
            for (index, width) in measured {
                self.bound[index as usize] = Bound {
                    width,
                    across: true,
                };
            }
        }
    }
}

/// Near pairs of one kind.
struct NearPairs<'a, K> {
    kind: &'a K,
    bounds: &'a PairBounds,
    /// Their numbers among the candidates, ascending.
    numbers: &'a [u32],
}

impl<K: CandidateKind> NearPairs<'_, K> {
    /// Tests the pairs with a changed body in order, independently of the number of threads.
    fn examine(
        &self,
        moved: &Moved,
        motion: StepMotion<'_>,
        changed: &ChangedBodies,
        hits: &mut Vec<Hit>,
    ) {
        let (kind, numbers) = (self.kind, self.numbers);
        let PairBounds { pairs, bound, .. } = self.bounds;
        let rule = CcdRule::default();
        let examine_chunk = |numbers: &[u32]| {
            let mut found = Vec::new();
            for &index in numbers {
                let pair = pairs[index as usize];
                let relied_on = RELIED_ON * bound[index as usize].width;
                let points = kind.points(pair);
                let bodies = [points[0], points[K::FIRST]];
                if !changed.contains_any(bodies.map(|point| kind.surface().body_of_point(point))) {
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
        let chunks: Vec<Vec<Hit>> = numbers
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
    use impinge_geometry::broad_phase::{Aabb, BroadPhase, BruteForce};
    use proptest::prelude::*;

    const TRIANGLES: usize = 12;

    fn points(size: f64) -> impl Strategy<Value = Vec<Vector3<f64>>> {
        let number = -size..size;
        let point = [number.clone(), number.clone(), number].prop_map(Vector3::from);
        prop::collection::vec(point, 3 * TRIANGLES)
    }

    /// Colliding pairs by continuous tests of all pairs.
    fn all_hits<K: CandidateKind>(
        kind: &K,
        pairs: &[[u32; 2]],
        motion: StepMotion<'_>,
    ) -> Vec<(ContactKey, f64)> {
        let hit = |pair: &[u32; 2]| {
            let points = kind.points(*pair);
            let start = points.map(|p| motion.start[p as usize]);
            let end = points.map(|p| motion.end[p as usize]);
            let time = K::test(&start, &end, &CcdRule::default()).time()?;
            Some((kind.key(*pair), time))
        };
        pairs.iter().filter_map(hit).collect()
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
        /// test of all pairs, and those of unchanged bodies are kept.
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

            let (mut separation, mut changed) = (SeparationBounds::default(), ChangedBodies::default());
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
                // Three of four motions are further rounds of the same step: some triangles move to nearly the same end.
                let is_further = round % 4 != 0;
                let (from, share) = if is_further { (&end, 0.1 * share) } else { (&start, share) };
                let moves = |point: usize| !is_further || (point / 3) % 3 != round % 3;
                end = (from.iter().zip(&direction).enumerate())
                    .map(|(point, (x, d))| if moves(point) { x + d * share } else { *x })
                    .collect();
                let motion = StepMotion { start: &start, end: &end, time_step: 1e-3 };
                changed.compare(&surface, motion);
                let of_changed = |key: ContactKey| changed.contains_any(bodies_of(&surface, key));
                hits.retain(|hit| !of_changed(hit.key));
                expected.retain(|&(key, _)| !of_changed(key));
                let of_surface = SurfaceCandidates { surface: &surface, pairs: &candidates, version };
                separation.find_hits(of_surface, motion, &changed, &mut hits);
                let mut found: Vec<_> = hits.iter().map(|hit| (hit.key, hit.time)).collect();
                let mut tested = all_hits(&VertexFace(&surface), &candidates.vertex_face, motion);
                tested.extend(all_hits(&EdgeEdge(&surface), &candidates.edge_edge, motion));
                expected.extend(tested.into_iter().filter(|&(key, _)| of_changed(key)));
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

    proptest! {
        /// Any direction gives a lower bound of the distance, and that of the shortest connection gives all of it.
        #[test]
        fn widths_are_lower_bounds(corners in points(1.0), direction in points(1.0)) {
            fn check<K: CandidateKind>(corners: &[Vector3<f64>; 4], direction: Vector3<f64>) -> Result<(), TestCaseError> {
                let between = K::between(corners);
                let distance = between.norm();
                for along in [direction, between_middles(corners, K::FIRST)] {
                    prop_assert!(width_along(corners, K::FIRST, along, 1.0) <= distance + 1e-12);
                }
                let across = width_along(corners, K::FIRST, between, 1.0);
                prop_assert!((across - distance).abs() <= 1e-9, "{} {}", across, distance);
                Ok(())
            }
            let corners = [corners[0], corners[1], corners[2], corners[3]];
            check::<VertexFace<'_>>(&corners, direction[0])?;
            check::<EdgeEdge<'_>>(&corners, direction[0])?;
            prop_assert_eq!(width_along(&corners, 1, Vector3::zeros(), 1.0), 0.0);
            prop_assert_eq!(width_along(&corners, 1, Vector3::repeat(f64::NAN), 1.0), 0.0);
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
        let kind = VertexFace(&surface);
        let mut bounds = PairBounds::default();
        let reference = Reference {
            positions: &points,
            size: 1.0,
        };
        bounds.measure(&kind, &pairs, reference);
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
        let mut numbers = Vec::new();
        for (end, expected) in [(&points, 0), (&moved, 3)] {
            let (start, mut by, mut near) = (&points, Moved::default(), Near::default());
            let motion = StepMotion {
                start,
                end,
                time_step: 1e-3,
            };
            by.begin(&surface, &points, motion);
            near.begin(&surface, motion);
            near.margin = 0.1;
            bounds.list_near(&kind, reference, &by, &near, &mut numbers);
            assert_eq!(numbers.len(), expected);
        }
        // The motion that used up the first bounds had them measured across the shortest connection.
        let across = |bound: &Bound| bound.across && (bound.width - 1.0).abs() < 1e-12;
        assert!(bounds.bound.iter().all(across), "{bounds:?}");
    }
}
