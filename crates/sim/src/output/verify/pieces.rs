//! Checks a motion in pieces: every vertex moves straight between its own breakpoints.
//!
//! Each point moves from its place in one frame to its place in the next; prescribed points follow their motion. Pairs
//! of features come from boxes around whole paths. For each pair, chords of the paths with their deviations prove
//! separation, over the whole time, over halves of it, and so on. In the shortest intervals one plane is tried for all
//! pieces, then for halves of them, down to one piece with four straight paths.

use super::beside::read_beside;
use super::examine::{Examiner, Listed, Passage, Stamp, depth_below, report, report_some};
use super::meeting::{first_meeting, part_along};
use super::overlap::Bounds;
use super::{Problem, Verification};
use crate::output::companions::Companion;
use crate::output::pieces::decode;
use crate::output::{Frame, FrameEntry};
use crate::stepper::asynchronous::Pieces;
use impinge_ccd_oracle::Kind;
use nalgebra::Vector3;

/// Largest rotation of a prescribed motion in one straight piece (rad), with its rounding:
/// docs/methods/asynchronous.md.
const LARGEST_TURN: f64 = 0.5 * (1.0 + TIME_SLACK);

/// Relative rounding of the length of a piece: times are differences of times that may be many steps after the start. A
/// larger value only allows prescribed points a slightly larger deviation from their arcs.
const TIME_SLACK: f64 = 1e-6;

/// Number of corners of a path per part of the time: fewer need more chords, more need more tests of near pairs.
const CORNERS_PER_PART: usize = 8;

/// Rounding of the deviation of a path from its chord, relative to the largest coordinate: a mean, a difference and a
/// length.
const STRAY_ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A motion between two frames.
struct FrameMotion<'a> {
    pieces: &'a Pieces,
    /// The entry of the frame at its end.
    entry: &'a FrameEntry,
    /// Times of the frames (s).
    times: [f64; 2],
    /// The frames at its ends.
    frames: [&'a Frame; 2],
}

impl<'a> FrameMotion<'a> {
    /// Every point of the surface with the corners of its path.
    fn paths(&self) -> impl Iterator<Item = (u32, Corners<'a>)> + use<'a> {
        let pieces = self.pieces;
        let paths = (0..pieces.points().len()).map(|path| pieces.path(path));
        pieces.points().iter().copied().zip(paths)
    }
}

/// Reads the pieces of the motion to a frame, and checks that they are unchanged.
fn load_pieces(listed: Listed<'_>, result: &mut Verification) -> Option<Pieces> {
    let entry = listed.entry();
    let stamp = Stamp {
        file: Companion::Pieces.file(listed.index),
        time: Some(entry.time),
    };
    read_beside(listed.folder, &stamp, entry.pieces, decode, result)
}

/// Times and positions of the corners of a path.
type Corners<'a> = (&'a [f64], &'a [Vector3<f64>]);

/// The position at `time` on a straight path between two `ends` at their `times`; a mean, which cannot overflow.
fn between(ends: &[Vector3<f64>; 2], times: [f64; 2], time: f64) -> Vector3<f64> {
    let part = (time - times[0]) / (times[1] - times[0]);
    ends[0] * (1.0 - part) + ends[1] * part
}

/// The bound, or infinity if it is NaN.
fn certain(bound: f64) -> f64 {
    if bound.is_nan() { f64::INFINITY } else { bound }
}

/// The parts of the time between two frames: equal ones, a power of 2 in number.
struct Parts {
    /// Their starts, and the end of the last one (s).
    times: Vec<f64>,
}

impl Parts {
    /// As many parts as give paths [`CORNERS_PER_PART`] corners or more per part on average, so that chords need less
    /// memory than paths.
    fn of(motion: &FrameMotion<'_>) -> Self {
        let paths = motion.pieces.points().len().max(1);
        let wanted = motion.pieces.corners() / paths / CORNERS_PER_PART;
        let count = 1_usize << wanted.max(1).ilog2();
        let [from, to] = motion.times;
        let time = |part: usize| from + (to - from) * (part as f64 / count as f64);
        let mut times: Vec<f64> = (0..count).map(time).collect();
        times.push(to);
        Self { times }
    }

    fn count(&self) -> usize {
        self.times.len() - 1
    }
}

/// A chord of a path segment, and the largest deviation of the segment from it (m).
#[derive(Clone, Default)]
struct Chord {
    ends: [Vector3<f64>; 2],
    stray: f64,
}

/// A path with chords of all parts of the time, of every two neighbours, every four and so on.
struct Course<'a> {
    corners: Corners<'a>,
    /// Number 1 is the whole; the halves of number `k` are `2k` and `2k + 1`. The first part has the number of parts.
    chords: Vec<Chord>,
    /// The first corner after the start of each part.
    first: Vec<usize>,
}

impl<'a> Course<'a> {
    fn new(corners: Corners<'a>, parts: &Parts) -> Self {
        let count = parts.count();
        let mut course = Self {
            corners,
            chords: vec![Chord::default(); 2 * count],
            first: Vec::with_capacity(count),
        };
        let largest = corners.1.iter().map(Vector3::amax).fold(0.0, f64::max);
        let rounding = STRAY_ROUNDING * largest;
        let mut next = 0;
        let mut begin = course.at(parts.times[0], &mut next);
        for part in 0..count {
            let [from, to] = [parts.times[part], parts.times[part + 1]];
            while next < corners.0.len() && corners.0[next] <= from {
                next += 1;
            }
            course.first.push(next);
            let mut corner = next;
            let end = course.at(to, &mut next);
            let ends = [begin, end];
            let mut stray = rounding;
            while corner < corners.0.len() && corners.0[corner] < to {
                let along = between(&ends, [from, to], corners.0[corner]);
                stray = stray.max(certain((corners.1[corner] - along).norm() + rounding));
                corner += 1;
            }
            course.chords[count + part] = Chord { ends, stray };
            begin = end;
        }
        for number in (1..count).rev() {
            let row = 1 << number.ilog2();
            let (from, half) = ((number - row) * count / row, count / row / 2);
            let times = [0, 1, 2].map(|halves| parts.times[from + halves * half]);
            let [left, right] = [2 * number, 2 * number + 1].map(|half| &course.chords[half]);
            let ends = [left.ends[0], right.ends[1]];
            // The deviation of the whole is that of a half from its chord, plus the distance between the chords, which
            // is largest in the middle.
            let bend = (left.ends[1] - between(&ends, [times[0], times[2]], times[1])).norm();
            let stray = certain(left.stray.max(right.stray) + bend + rounding);
            course.chords[number] = Chord { ends, stray };
        }
        course
    }

    /// The position at `time`, which must not be before that of the last call with this `next` corner.
    fn at(&self, time: f64, next: &mut usize) -> Vector3<f64> {
        let (times, positions) = self.corners;
        while times[*next] < time && *next + 1 < times.len() {
            *next += 1;
        }
        match *next {
            0 => positions[0],
            next if times[next] <= time => positions[next],
            next => between(
                &[positions[next - 1], positions[next]],
                [times[next - 1], times[next]],
                time,
            ),
        }
    }
}

impl Examiner<'_> {
    /// Checks the motion to a frame, between `frames`, if its pieces are stored. Returns whether the whole motion was
    /// checked, which fails if the pieces do not connect the frames.
    pub(super) fn motion_in_pieces(
        &self,
        listed: Listed<'_>,
        frames: [&Frame; 2],
        result: &mut Verification,
    ) -> bool {
        let (entry, Some(before)) = (listed.entry(), listed.before()) else {
            return false;
        };
        let Some(pieces) = load_pieces(listed, result) else {
            return false;
        };
        let motion = FrameMotion {
            pieces: &pieces,
            entry,
            times: [before.time, entry.time],
            frames,
        };
        let is_whole = self.examine_pieces(&motion, &Companion::Pieces.file(listed.index), result);
        if is_whole {
            result.pieces = pieces.count();
        }
        is_whole
    }

    fn examine_pieces(
        &self,
        motion: &FrameMotion<'_>,
        file: &str,
        result: &mut Verification,
    ) -> bool {
        let [stamp, of_pieces] = [&motion.entry.file[..], file].map(|file| Stamp {
            file: file.to_owned(),
            time: Some(motion.entry.time),
        });
        if motion.pieces.points() != self.surface.vertices() {
            let what = "its points are not those of the surfaces".to_owned();
            report(result, &of_pieces, Problem::Disagrees(what));
            return false;
        }
        let before = result.findings.len();
        self.ends(motion, &of_pieces, result);
        if result.findings.len() > before {
            return false;
        }
        self.prescribed_pieces(motion, &of_pieces, result);
        self.pieces_at_planes(motion, &of_pieces, result);
        self.crossings(motion, &stamp, result);
        true
    }

    /// Every path must lead from one frame to the other.
    fn ends(&self, motion: &FrameMotion<'_>, stamp: &Stamp, result: &mut Verification) {
        let is_at = |(times, positions): Corners<'_>, corner: usize, end: usize, point: u32| {
            times[corner].to_bits() == motion.times[end].to_bits()
                && positions[corner] == motion.frames[end].points[point as usize]
        };
        let astray = motion.paths().filter_map(|(point, path)| {
            let last = path.0.len() - 1;
            let end = if !is_at(path, 0, 0, point) {
                "begin where and when the frame before"
            } else if !is_at(path, last, 1, point) {
                "end where and when the frame"
            } else {
                return None;
            };
            let body = self.body_name(point);
            Some(Problem::Disagrees(format!(
                "the path of point {point} of {body} does not {end} shows it"
            )))
        });
        report_some(result, stamp, astray);
    }

    /// Corners of prescribed points must be on the path of their motion, as close to each other as in the stepper.
    fn prescribed_pieces(
        &self,
        motion: &FrameMotion<'_>,
        stamp: &Stamp,
        result: &mut Verification,
    ) {
        let laws = self.manifest.map_or(&[][..], |manifest| &manifest.motions);
        let mut wrong = Vec::new();
        for (point, (times, positions)) in motion.paths() {
            let law = self.reference.motion_of_point[point as usize];
            let Some(law) = law.and_then(|law| laws.get(law as usize)) else {
                continue;
            };
            let at_end = self.arc_slack(law, motion.entry);
            let off = times.iter().zip(positions).find_map(|(&time, place)| {
                let is_end = time.to_bits() == motion.times[1].to_bits();
                let slack = if is_end { at_end } else { 0.0 };
                self.off_path(law, Passage { point, place, time }, slack)
            });
            if let Some(distance) = off {
                let body = self.body_name(point);
                wrong.push(Problem::OffPath {
                    body,
                    point,
                    distance,
                });
            }
            let by_turn = LARGEST_TURN / law.fastest_turn();
            let longest = self
                .longest_piece
                .map_or(by_turn, |longest| by_turn.min(longest * (1.0 + TIME_SLACK)));
            let is_long = |ends: &[f64]| ends[1] - ends[0] > longest;
            if !law.is_rest() && times.windows(2).any(is_long) {
                let body = self.body_name(point);
                wrong.push(Problem::Disagrees(format!(
                    "a piece of prescribed point {point} of {body} is longer than {longest:e} s"
                )));
            }
        }
        report_some(result, stamp, wrong.into_iter());
    }

    /// Corners of free points must be in front of the plane of every half-space: then the whole path is.
    fn pieces_at_planes(&self, motion: &FrameMotion<'_>, stamp: &Stamp, result: &mut Verification) {
        for half_space in self.manifest.iter().flat_map(|m| &m.half_spaces) {
            let behind = motion.paths().filter_map(|(point, (_, positions))| {
                if self.reference.motion_of_point[point as usize].is_some() {
                    return None;
                }
                let depths = positions.iter().filter_map(|x| depth_below(half_space, x));
                Some((point, depths.reduce(f64::max)?))
            });
            let behind = behind.map(|(point, depth)| Problem::BelowPlane {
                half_space: half_space.name.clone(),
                body: self.body_name(point),
                point,
                depth,
            });
            report_some(result, stamp, behind);
        }
    }

    /// Proves that no two features collide.
    fn crossings(&self, motion: &FrameMotion<'_>, stamp: &Stamp, result: &mut Verification) {
        let parts = Parts::of(motion);
        let mut path_of_point = vec![usize::MAX; self.reference.points.len()];
        let (mut boxes, mut courses) = (Vec::new(), Vec::new());
        for (path, (point, corners)) in motion.paths().enumerate() {
            path_of_point[point as usize] = path;
            boxes.push(Bounds::around(corners.1));
            courses.push(Course::new(corners, &parts));
        }
        let path_of = |point: u32| path_of_point[point as usize];
        let bounds = |points: &[u32]| {
            let boxes = points.iter().map(|&point| boxes[path_of(point)]);
            boxes.reduce(Bounds::merged).unwrap_or_default()
        };
        let mut pair = Pair::default();
        let mut crossings = Vec::new();
        self.for_each_pair(bounds, |points, kind| {
            let courses = points.map(|point| &courses[path_of(point)]);
            if let Some(at) = pair.first_meeting(kind, courses, &parts, 1) {
                crossings.push(Problem::Crossing {
                    bodies: [points[0], points[2]].map(|point| self.body_name(point)),
                    points,
                    vertex_face: kind == Kind::VertexFace,
                    at,
                });
            }
        });
        report_some(result, stamp, crossings.into_iter());
    }
}

/// Whether the features are separated for any deviations of their corners from the chords.
fn part_by_chords(kind: Kind, chords: [&Chord; 4]) -> bool {
    let split = match kind {
        Kind::VertexFace => 1,
        Kind::EdgeEdge => 2,
    };
    let (first, second) = chords.split_at(split);
    let [of_first, of_second] = [first, second].map(|chords| {
        let stray = chords.iter().map(|chord| chord.stray).fold(0.0, f64::max);
        let bounds = Bounds::around(chords.iter().flat_map(|chord| &chord.ends));
        (stray, bounds.grown(stray))
    });
    if !of_first.1.overlaps(&of_second.1) {
        return true;
    }
    let [start, end] = [0, 1].map(|end| chords.map(|chord| chord.ends[end]));
    part_along(kind, &[start, end], [of_first.0, of_second.0])
}

/// Positions of two features at all times at which one of their corners has a corner of its path, in one part of the
/// time.
#[derive(Default)]
struct Pair {
    times: Vec<f64>,
    places: Vec<[Vector3<f64>; 4]>,
}

impl Pair {
    /// Time of the first collision in the interval of chord `number` (s); `None` if there is none.
    fn first_meeting(
        &mut self,
        kind: Kind,
        courses: [&Course<'_>; 4],
        parts: &Parts,
        number: usize,
    ) -> Option<f64> {
        if part_by_chords(kind, courses.map(|course| &course.chords[number])) {
            return None;
        }
        if let Some(part) = number.checked_sub(parts.count()) {
            self.follow(courses, parts, part);
            return self.meeting_between(kind, 0, self.times.len() - 1);
        }
        let mut half = |half| self.first_meeting(kind, courses, parts, half);
        half(2 * number).or_else(|| half(2 * number + 1))
    }

    /// Loads the paths of the four corners in one part of the time.
    fn follow(&mut self, courses: [&Course<'_>; 4], parts: &Parts, part: usize) {
        let Self { times, places } = self;
        let [from, to] = [parts.times[part], parts.times[part + 1]];
        times.clear();
        for course in courses {
            let after = &course.corners.0[course.first[part]..];
            times.extend(after.iter().take_while(|time| **time < to));
        }
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        let of_part = courses.map(|course| &course.chords[parts.count() + part].ends);
        places.clear();
        places.push(of_part.map(|ends| ends[0]));
        let mut next = courses.map(|course| course.first[part]);
        for &time in times.iter() {
            let place = |corner: usize| courses[corner].at(time, &mut next[corner]);
            places.push([0, 1, 2, 3].map(place));
        }
        places.push(of_part.map(|ends| ends[1]));
        times.insert(0, from);
        times.push(to);
    }

    /// Time of the first collision between two of the times (s); `None` if there is none.
    fn meeting_between(&self, kind: Kind, from: usize, to: usize) -> Option<f64> {
        if from + 1 >= to {
            let part = first_meeting(kind, &self.places[from], &self.places[to])?;
            return Some(self.times[from] + part * (self.times[to] - self.times[from]));
        }
        if part_along(kind, &self.places[from..=to], [0.0; 2]) {
            return None;
        }
        let middle = usize::midpoint(from, to);
        (self.meeting_between(kind, from, middle))
            .or_else(|| self.meeting_between(kind, middle, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reproducible sequence of numbers from 0 to 1.
    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 5u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24)
        }
    }

    /// On random paths with corners at different times, chords and planes agree with a test of every piece, and chords
    /// alone decide some separated pairs.
    #[test]
    fn no_meeting_is_missed() {
        let mut random = numbers();
        let (mut met, mut apart, mut by_chords) = (0, 0, 0);
        for number in 0..3000_usize {
            let count = 1 << (number % 4);
            let parts = Parts {
                times: (0..=count)
                    .map(|k| f64::from(k) / f64::from(count))
                    .collect(),
            };
            let kind = [Kind::VertexFace, Kind::EdgeEdge][number % 2];
            let wild = 0.5 * random();
            let paths: [(Vec<f64>, Vec<Vector3<f64>>); 4] = std::array::from_fn(|_| {
                let mut vector = || Vector3::new(random(), random(), random());
                let (from, to) = (vector() * 2.0, vector() * 2.0);
                let turns: Vec<Vector3<f64>> = (0..3).map(|_| vector() * wild).collect();
                let mut times = vec![0.0, random(), random(), random(), 1.0];
                times[1..4].sort_by(f64::total_cmp);
                let mut places: Vec<Vector3<f64>> =
                    times.iter().map(|&t| from + (to - from) * t).collect();
                for (place, turn) in places[1..4].iter_mut().zip(turns) {
                    *place += turn;
                }
                (times, places)
            });
            let courses = [0, 1, 2, 3].map(|k| Course::new((&*paths[k].0, &*paths[k].1), &parts));
            let courses = [0, 1, 2, 3].map(|k| &courses[k]);
            let by_chord = part_by_chords(kind, courses.map(|course| &course.chords[1]));
            let found = Pair::default().first_meeting(kind, courses, &parts, 1);
            let mut times: Vec<f64> = paths.iter().flat_map(|path| path.0.clone()).collect();
            times.sort_by(f64::total_cmp);
            times.dedup();
            let at = |time: f64| courses.map(|course| course.at(time, &mut 0));
            let first = times
                .windows(2)
                .find(|times| first_meeting(kind, &at(times[0]), &at(times[1])).is_some());
            match (found, first) {
                (None, None) => apart += 1,
                (Some(at), Some(piece)) => {
                    assert!(
                        piece[0] - 1e-9 <= at && at <= piece[1] + 1e-9,
                        "pair {number}"
                    );
                    assert!(!by_chord, "pair {number}");
                    met += 1;
                }
                other => panic!("pair {number}: {other:?}"),
            }
            by_chords += u32::from(by_chord);
        }
        // Most paths change direction strongly, so that chords alone do not decide them.
        let all = format!("{met} met, {by_chords} of {apart} apart by chords");
        assert!(met > 100 && by_chords > 100, "{all}");
    }
}
