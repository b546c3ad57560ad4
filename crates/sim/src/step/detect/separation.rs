//! Which candidate pairs collide on a motion; most need no continuous test, because they have not come near each other.
//!
//! At a reference configuration every pair is proven to be some *room* apart. Let `u` be the displacement of a point
//! from there. On a straight motion the difference `u_i − u_j` between a point of the one side and one of the other is
//! largest at an end of the motion, and for points within the features it is an average over their corners: while
//! `max ‖u_i − u_j‖` over both ends and all corners is less than the room, the pair is proven apart.
//!
//! The rounds of a step look at nearly the same motion again and again. The first one lists the pairs that have used up
//! their room but for a margin; while no point ends farther than half of that margin from where it ended there, the
//! others need no look.

use crate::contacts::{
    contact::ContactKey,
    sweep::{Hit, Sweep},
};
use crate::step::detect::displacement::Moved;
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

/// Points per parallel task at the least.
pub(crate) const POINTS_PER_TASK: usize = 4096;

/// Most pairs of a run, and runs per task: together they make tasks of the same order, be runs long or short.
const LONGEST_RUN: u32 = 256;
const RUNS_PER_TASK: usize = 64;

/// Room that is relied on: rounding is far below the rest.
const RELIED_ON: f64 = 0.99;

/// Room, over the largest coordinate, that rounding makes worthless.
const LEAST_ROOM: f64 = 1e-12;

/// Margin of the list of near pairs, over the farthest that a point moves: rounds of a step change the motion by less.
const MARGIN_PER_MOTION: f64 = 0.25;

/// Growth of coordinates since the room was measured beyond which rounding might be more than [`RELIED_ON`] leaves for
/// it.
const MOST_GROWTH: f64 = 4.0;

/// Further continuous tests, over the number of pairs, that cost as much as to measure the room anew.
const WORN: f64 = 0.5;

/// The room of all candidates, and what it was measured at.
#[derive(Debug, Default)]
pub(crate) struct Apart {
    /// Version of the candidates that the room belongs to; 0 before there are any.
    version: u64,
    /// Whether so many pairs have used up their room that it is worth measuring it anew.
    worn: bool,
    /// Continuous tests right after the measurement, and those in excess of it since.
    tests_when_new: usize,
    further_tests: usize,
    /// Where the room was measured (m), and the largest coordinate there.
    reference: Vec<Vector3<f64>>,
    size: f64,
    vertex_face: Rooms,
    edge_edge: Rooms,
    /// `u` at both ends of the motion.
    moved: Moved,
    near: Near,
}

/// The room of candidates of one kind.
#[derive(Debug, Default)]
struct Rooms {
    /// The candidates, ascending.
    pairs: Vec<[u32; 2]>,
    /// Distance that each is proven to have at the reference (m).
    room: Vec<f64>,
    runs: Vec<Run>,
    /// Room of the candidates that follow, while they take the place of these.
    next: Vec<f64>,
}

/// Pairs one after the other that are of the same two bodies.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The first of them among the candidates, and the first of the next run.
    start: u32,
    end: u32,
    bodies: [u32; 2],
    /// Least room of them (m).
    room: f64,
}

/// The pairs that a motion like the surveyed one may bring together.
#[derive(Debug, Default)]
struct Near {
    /// The motion that was surveyed (m); empty before there is any.
    start: Vec<Vector3<f64>>,
    end: Vec<Vector3<f64>>,
    /// Room that the pairs left out have to spare (m).
    margin: f64,
    /// Places among the candidates, ascending.
    vertex_face: Vec<u32>,
    edge_edge: Vec<u32>,
}

impl Near {
    /// Whether the pairs left out are proven apart on `sweep` too.
    fn covers(&self, sweep: Sweep<'_>) -> bool {
        let moved = farthest(&self.end, sweep.end);
        self.start == sweep.start && 2.0 * moved < self.margin
    }

    /// Forgets its pairs; `sweep` is the motion whose pairs are to follow.
    fn begin(&mut self, sweep: Sweep<'_>) {
        self.margin = MARGIN_PER_MOTION * farthest(sweep.start, sweep.end);
        self.start.clear();
        self.start.extend_from_slice(sweep.start);
        self.end.clear();
        self.end.extend_from_slice(sweep.end);
    }
}

/// Largest distance of two points with the same number; infinite where one is not a number.
fn farthest(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    let squared = |(a, b): (&Vector3<f64>, &Vector3<f64>)| {
        let squared = (a - b).norm_squared();
        if squared.is_nan() {
            f64::INFINITY
        } else {
            squared
        }
    };
    (a.par_iter().zip(b))
        .with_min_len(POINTS_PER_TASK)
        .map(squared)
        .reduce(|| 0.0, f64::max)
        .sqrt()
}

impl Apart {
    /// Appends the pairs among the candidates that are not proven apart on `sweep`, ascending by key.
    ///
    /// `version` must change whenever the candidates do, and must not be 0; the surface stays the same for life.
    pub(crate) fn find_hits(
        &mut self,
        surface: &CollisionSurface,
        candidates: &CandidateSet,
        version: u64,
        sweep: Sweep<'_>,
        hits: &mut Vec<Hit>,
    ) {
        let kinds = (VertexFace(surface), EdgeEdge(surface));
        debug_assert!(
            self.version == 0 || self.reference.len() == sweep.start.len(),
            "one surface for life"
        );
        let size = (sweep.start.par_iter().with_min_len(POINTS_PER_TASK))
            .map(Vector3::amax)
            .reduce(|| 0.0, f64::max);
        let grown = size > MOST_GROWTH * self.size;
        let measure_anew = self.version == 0 || self.worn || grown;
        if measure_anew {
            self.worn = false;
            self.reference.clear();
            self.reference.extend_from_slice(sweep.start);
            self.size = size;
            self.vertex_face.forget();
            self.edge_edge.forget();
        }
        let other_pairs = measure_anew || self.version != version;
        if other_pairs {
            self.version = version;
            let reference = &self.reference;
            (self.vertex_face).take_over(&kinds.0, &candidates.vertex_face, reference);
            (self.edge_edge).take_over(&kinds.1, &candidates.edge_edge, reference);
        }
        let survey = other_pairs || !self.near.covers(sweep);
        if survey {
            self.near.begin(sweep);
        }
        self.moved.update(surface, &self.reference, sweep);
        let (moved, near) = (&self.moved, &mut self.near);
        if survey {
            let margin = near.margin;
            list_near(
                &kinds.0,
                &self.vertex_face,
                moved,
                margin,
                &mut near.vertex_face,
            );
            list_near(
                &kinds.1,
                &self.edge_edge,
                moved,
                margin,
                &mut near.edge_edge,
            );
        }
        let of_one = &near.vertex_face;
        let mut tests = examine(&kinds.0, &self.vertex_face, of_one, moved, sweep, hits);
        let of_other = &near.edge_edge;
        tests += examine(&kinds.1, &self.edge_edge, of_other, moved, sweep, hits);
        if measure_anew {
            (self.tests_when_new, self.further_tests) = (tests, 0);
        }
        // It may have been a busy motion.
        self.tests_when_new = self.tests_when_new.min(tests);
        self.further_tests += tests.saturating_sub(self.tests_when_new);
        let pairs = candidates.vertex_face.len() + candidates.edge_edge.len();
        self.worn = self.further_tests as f64 > WORN * pairs as f64;
    }
}

/// One kind of candidates.
trait Kind: Sync {
    /// How many of the four points belong to the first side.
    const FIRST: usize;
    /// Whose pairs these are.
    fn surface(&self) -> &CollisionSurface;
    /// Name of a pair.
    fn key(&self, pair: [u32; 2]) -> ContactKey;
    /// Its points, the first side first.
    fn points(&self, pair: [u32; 2]) -> [u32; 4];
    /// From the closest point of the second side to that of the first, as computed (m): no proof.
    fn between(corners: &[Vector3<f64>; 4]) -> Vector3<f64>;
    /// The continuous test.
    fn test(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi;
}

struct VertexFace<'a>(&'a CollisionSurface);

impl Kind for VertexFace<'_> {
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

impl Kind for EdgeEdge<'_> {
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

impl Rooms {
    /// Forgets all pairs: their room is to be measured at another reference.
    fn forget(&mut self) {
        self.pairs.clear();
    }

    /// Makes `pairs` (ascending) those of the rooms. Pairs that were among them keep their room, the others are
    /// measured at `reference` too.
    fn take_over<K: Kind>(&mut self, kind: &K, pairs: &[[u32; 2]], reference: &[Vector3<f64>]) {
        let (known, room) = (&self.pairs, &self.room);
        let fill_chunk = |(next, pairs): (&mut [f64], &[[u32; 2]])| {
            let mut place = known.partition_point(|known| *known < pairs[0]);
            for (next, pair) in next.iter_mut().zip(pairs) {
                while known.get(place).is_some_and(|known| known < pair) {
                    place += 1;
                }
                *next = if known.get(place) == Some(pair) {
                    room[place]
                } else {
                    room_of(kind, *pair, reference)
                };
            }
        };
        self.next.resize(pairs.len(), 0.0);
        (self.next.par_chunks_mut(PAIRS_PER_TASK))
            .zip(pairs.par_chunks(PAIRS_PER_TASK))
            .for_each(fill_chunk);
        std::mem::swap(&mut self.room, &mut self.next);
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.find_runs(kind);
    }

    /// Gathers pairs into runs.
    fn find_runs<K: Kind>(&mut self, kind: &K) {
        let runs_of = |(chunk, (pairs, rooms)): (usize, (&[[u32; 2]], &[f64]))| {
            let mut runs: Vec<Run> = Vec::new();
            let first = (chunk * PAIRS_PER_TASK) as u32;
            for (index, (pair, &room)) in (first..).zip(pairs.iter().zip(rooms)) {
                let points = kind.points(*pair);
                let bodies =
                    [points[0], points[K::FIRST]].map(|point| kind.surface().body_of_point(point));
                match runs.last_mut() {
                    Some(run) if run.bodies == bodies && run.end - run.start < LONGEST_RUN => {
                        run.end = index + 1;
                        run.room = run.room.min(room);
                    }
                    _ => runs.push(Run {
                        start: index,
                        end: index + 1,
                        bodies,
                        room,
                    }),
                }
            }
            runs
        };
        let chunks: Vec<Vec<Run>> = (self.pairs.par_chunks(PAIRS_PER_TASK))
            .zip(self.room.par_chunks(PAIRS_PER_TASK))
            .enumerate()
            .map(runs_of)
            .collect();
        self.runs.clear();
        for runs in chunks {
            self.runs.extend(runs);
        }
    }
}

/// Room of a pair at `reference`: how far a plane across the shortest connection keeps its corners apart.
///
/// Whatever the direction, that is a lower bound of the distance; for the computed one it is nearly the distance.
fn room_of<K: Kind>(kind: &K, pair: [u32; 2], reference: &[Vector3<f64>]) -> f64 {
    let corners = kind.points(pair).map(|p| reference[p as usize]);
    let Some(across) = K::between(&corners).try_normalize(f64::MIN_POSITIVE) else {
        return 0.0;
    };
    let (first, second) = corners.split_at(K::FIRST);
    let mut room = f64::INFINITY;
    for one in first {
        for other in second {
            let apart = across.dot(&(one - other));
            if apart < room || apart.is_nan() {
                room = apart;
            }
        }
    }
    let size = corners.iter().map(Vector3::amax).fold(0.0, f64::max);
    if room > LEAST_ROOM * size { room } else { 0.0 }
}

/// Lists the pairs that keep less than `margin` of their room, in their order.
///
/// Most are known to keep more from how far their bodies moved, all of a run at once or by their own room, without a
/// look at their points.
fn list_near<K: Kind>(
    kind: &K,
    Rooms {
        pairs, room, runs, ..
    }: &Rooms,
    moved: &Moved,
    margin: f64,
    near: &mut Vec<u32>,
) {
    let list_chunk = |runs: &[Run]| {
        let mut listed = Vec::new();
        for run in runs {
            let most = moved.most_between(run.bodies);
            if most < RELIED_ON * run.room - margin {
                continue;
            }
            for index in run.start..run.end {
                let spare = RELIED_ON * room[index as usize] - margin;
                if most < spare {
                    continue;
                }
                let points = kind.points(pairs[index as usize]);
                let far = spare > 0.0 && moved.approach_squared(points, K::FIRST) < spare * spare;
                if !far {
                    listed.push(index);
                }
            }
        }
        listed
    };
    let chunks: Vec<Vec<u32>> = runs.par_chunks(RUNS_PER_TASK).map(list_chunk).collect();
    near.clear();
    for listed in chunks {
        near.extend(listed);
    }
}

/// Tests the `near` ones of pairs in their order, whatever the number of threads; returns how many needed the
/// continuous test.
fn examine<K: Kind>(
    kind: &K,
    Rooms { pairs, room, .. }: &Rooms,
    near: &[u32],
    moved: &Moved,
    sweep: Sweep<'_>,
    hits: &mut Vec<Hit>,
) -> usize {
    let rule = CcdRule::default();
    let examine_chunk = |near: &[u32]| {
        let (mut found, mut tests) = (Vec::new(), 0);
        for &index in near {
            let pair = pairs[index as usize];
            let relied_on = RELIED_ON * room[index as usize];
            let points = kind.points(pair);
            if moved.approach_squared(points, K::FIRST) < relied_on * relied_on {
                continue;
            }
            tests += 1;
            let start = points.map(|p| sweep.start[p as usize]);
            let end = points.map(|p| sweep.end[p as usize]);
            if let Toi::Impact { time, work_limited } = K::test(&start, &end, &rule) {
                found.push(Hit {
                    key: kind.key(pair),
                    time,
                    work_limited,
                });
            }
        }
        (found, tests)
    };
    let chunks: Vec<(Vec<Hit>, usize)> =
        near.par_chunks(PAIRS_PER_TASK).map(examine_chunk).collect();
    let mut tests = 0;
    for (found, tested) in chunks {
        hits.extend(found);
        tests += tested;
    }
    tests
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

    /// Every pair, by the continuous test alone.
    fn all_hits<K: Kind>(kind: &K, pairs: &[[u32; 2]], sweep: Sweep<'_>) -> Vec<(ContactKey, f64)> {
        let hit = |pair: &[u32; 2]| {
            let points = kind.points(*pair);
            let start = points.map(|p| sweep.start[p as usize]);
            let end = points.map(|p| sweep.end[p as usize]);
            let time = K::test(&start, &end, &CcdRule::default()).time()?;
            Some((kind.key(*pair), time))
        };
        pairs.iter().filter_map(hit).collect()
    }

    proptest! {
        /// Over steps and rounds, whatever was proven before and whichever candidates come and go: the same hits as if
        /// every pair were tested.
        #[test]
        fn nothing_is_missed(
            first in points(1.0),
            moves in prop::collection::vec((points(1.0), 0.001..0.3, prop::option::of(2..5_usize)), 6),
        ) {
            let triangles = (0..TRIANGLES as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let bodies = (0..3 * TRIANGLES as u32).map(|p| p / 3).collect();
            let surface = CollisionSurface::new(triangles, first.len(), bodies, vec![false; TRIANGLES]);
            let everywhere = Aabb::from_points([&Vector3::repeat(-9.0), &Vector3::repeat(9.0)]);
            let mut all = CandidateSet::default();
            BruteForce.collect(&surface, &vec![everywhere; first.len()], &mut all);
            let (mut candidates, mut version) = (all.clone(), 1);

            let mut apart = Apart::default();
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
                // Every other motion is one more round of the same step, and ends near the one before.
                let (from, share) = if round % 2 == 1 { (&end, 0.1 * share) } else { (&start, share) };
                end = from.iter().zip(&direction).map(|(x, d)| x + d * share).collect();
                let sweep = Sweep { start: &start, end: &end, time_step: 1e-3 };
                let mut found = Vec::new();
                apart.find_hits(&surface, &candidates, version, sweep, &mut found);
                let found: Vec<_> = found.iter().map(|hit| (hit.key, hit.time)).collect();
                let mut expected = all_hits(&VertexFace(&surface), &candidates.vertex_face, sweep);
                expected.extend(all_hits(&EdgeEdge(&surface), &candidates.edge_edge, sweep));
                prop_assert_eq!(found, expected);
                if round % 2 == 1 {
                    start.clone_from(&end);
                }
            }
        }
    }

    /// What a pair was proven to have stays; only new ones are measured, at the same reference.
    #[test]
    fn candidates_that_stay_keep_their_room() {
        let triangles = (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let bodies = (0..12).map(|p| p / 3).collect();
        let surface = CollisionSurface::new(triangles, 12, bodies, vec![false; 4]);
        let points: Vec<_> = (0..12)
            .map(|i| Vector3::new(f64::from(i % 3), f64::from(i * i % 5), f64::from(i / 3)))
            .collect();
        let kind = VertexFace(&surface);
        let mut rooms = Rooms::default();
        rooms.take_over(&kind, &[[0, 1], [0, 2], [4, 0]], &points);
        rooms.room[1] = 0.125;
        let pairs = [[0, 2], [3, 0], [4, 0], [9, 1]];
        rooms.take_over(&kind, &pairs, &points);
        assert_eq!(rooms.pairs, pairs);
        let measured = |place: usize| room_of(&kind, pairs[place], &points);
        assert_eq!(rooms.room, [0.125, measured(1), measured(2), measured(3)]);
        rooms.forget();
        rooms.take_over(&kind, &pairs[..1], &points);
        assert_eq!(rooms.room, [measured(0)]);
    }

    /// A resting scene needs no test, a motion that is not a number needs all of them.
    #[test]
    fn room_saves_tests_and_nan_does_not_pass() {
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
        let mut rooms = Rooms::default();
        rooms.take_over(&VertexFace(&surface), &pairs, &points);
        assert!(
            rooms.room.iter().all(|room| (room - 1.0).abs() < 1e-12),
            "{rooms:?}"
        );
        let [run] = rooms.runs[..] else {
            panic!("of the same bodies: {rooms:?}")
        };
        assert_eq!((run.start, run.end, run.bodies), (0, 3, [0, 1]));
        let mut moved = points.clone();
        moved[4].x = f64::NAN;
        let mut near = Vec::new();
        for (end, expected) in [(&points, 0), (&moved, 3)] {
            let (start, mut by) = (&points, Moved::default());
            by.update(
                &surface,
                &points,
                Sweep {
                    start,
                    end,
                    time_step: 1e-3,
                },
            );
            list_near(&VertexFace(&surface), &rooms, &by, 0.1, &mut near);
            assert_eq!(near.len(), expected);
        }
    }
}
