//! The examination of a motion in pieces: every vertex moves straight between its own instants.
//!
//! Each point goes from where one frame shows it to where the next one does, what is prescribed along its motion. Pairs
//! of features come from boxes around whole paths. Of each pair, the chords of the paths and how far these stray from
//! them prove that it stays apart, if not over the whole time then over halves of it, and so on. In the shortest
//! stretches of time one plane is sought for all pieces, then for halves of them, and what is left is one piece of four
//! straight ways.

use super::examine::{Examiner, Stamp, depth_below, report, report_some};
use super::meeting::{first_meeting, part_along};
use super::sweep::Bounds;
use super::{Finding, Problem, Verification};
use crate::output::listing::pieces_name;
use crate::output::pieces::decode;
use crate::output::{Checksum, Frame, FrameEntry, read_regular};
use crate::stepper::asynchronous::Pieces;
use impinge_ccd_oracle::Kind;
use nalgebra::Vector3;
use std::path::Path;

/// Most that a prescribed motion turns in one straight piece (rad), and its rounding: docs/methods/asynchronous.md.
const LARGEST_TURN: f64 = 0.5 * (1.0 + TIME_SLACK);

/// Rounding of the length of a piece (1): times are differences of what may be many steps after the start. Any larger
/// number only allows prescribed points to cut their arcs a little more.
const TIME_SLACK: f64 = 1e-6;

/// Corners of a path in a part of the time: fewer cost more chords, more cost more looks at pairs that are near each
/// other.
const CORNERS_PER_PART: usize = 8;

/// Rounding of how far a path strays from its chord, in parts of the largest coordinate: a mean, a difference and a
/// length.
const STRAY_ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A motion between two frames.
struct Motion<'a> {
    pieces: &'a Pieces,
    /// What the list says of the frame at its end.
    entry: &'a FrameEntry,
    /// Times of the frames (s).
    times: [f64; 2],
    /// The frames at its ends.
    frames: [&'a Frame; 2],
}

impl<'a> Motion<'a> {
    /// Every point of the surface with the corners of its path.
    fn paths(&self) -> impl Iterator<Item = (u32, Corners<'a>)> + use<'a> {
        let pieces = self.pieces;
        let paths = (0..pieces.points().len()).map(|path| pieces.path(path));
        pieces.points().iter().copied().zip(paths)
    }
}

/// Reads the pieces of the motion to frame `index` and says whether they are those that were written.
fn load_pieces(
    folder: &Path,
    index: usize,
    entry: &FrameEntry,
    result: &mut Verification,
) -> Option<Pieces> {
    let file = pieces_name(index);
    let path = folder.join(&file);
    let mut found = |problem| {
        result.findings.push(Finding {
            file: file.clone(),
            time: Some(entry.time),
            problem,
        });
    };
    let bytes = match read_regular(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            found(Problem::Unreadable(error.to_string()));
            return None;
        }
    };
    if entry.pieces != Some(Checksum::of(&bytes)) {
        found(Problem::Changed);
    }
    decode(&bytes, &path)
        .map_err(|error| found(Problem::Unreadable(error.to_string())))
        .ok()
}

/// Times and positions of the corners of a path.
type Corners<'a> = (&'a [f64], &'a [Vector3<f64>]);

/// The place at `time` on the way between two `ends` at their `times`; a mean, which cannot overflow.
fn between(ends: &[Vector3<f64>; 2], times: [f64; 2], time: f64) -> Vector3<f64> {
    let part = (time - times[0]) / (times[1] - times[0]);
    ends[0] * (1.0 - part) + ends[1] * part
}

/// The bound itself; infinite where it has none.
fn certain(bound: f64) -> f64 {
    if bound.is_nan() { f64::INFINITY } else { bound }
}

/// The parts that the time between two frames is divided into: equal ones, as many as a power of 2.
struct Parts {
    /// Where they begin, and where the last one ends (s).
    times: Vec<f64>,
}

impl Parts {
    /// So many that a path has [`CORNERS_PER_PART`] corners or more in a part in the mean, which keeps chords smaller
    /// than paths.
    fn of(motion: &Motion<'_>) -> Self {
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

/// The straight way from one end of a stretch of a path to the other, and how far the stretch strays from that (m).
#[derive(Clone, Default)]
struct Chord {
    ends: [Vector3<f64>; 2],
    stray: f64,
}

/// A path with chords of all parts of the time, of every two that are neighbours, every four and so on.
struct Course<'a> {
    corners: Corners<'a>,
    /// Number 1 is the whole; the halves of number `k` are `2k` and `2k + 1`. Parts begin at their count.
    chords: Vec<Chord>,
    /// The first corner after the beginning of each part.
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
            // Halves stray from their chords, and these from the whole one, most in the middle.
            let bend = (left.ends[1] - between(&ends, [times[0], times[2]], times[1])).norm();
            let stray = certain(left.stray.max(right.stray) + bend + rounding);
            course.chords[number] = Chord { ends, stray };
        }
        course
    }

    /// The place at `time`, which is not before that of the last call with this `next` corner.
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
    /// Examines the motion to frame `index`, between `frames`, if its pieces are there, and says whether it was
    /// examined as a whole: not, if they are not those between the frames.
    pub(super) fn motion_in_pieces(
        &self,
        folder: &Path,
        entries: &[FrameEntry],
        index: usize,
        frames: [&Frame; 2],
        result: &mut Verification,
    ) -> bool {
        let entry = &entries[index];
        let Some(pieces) = load_pieces(folder, index, entry, result) else {
            return false;
        };
        let motion = Motion {
            pieces: &pieces,
            entry,
            times: [entries[index - 1].time, entry.time],
            frames,
        };
        let is_whole = self.examine_pieces(&motion, &pieces_name(index), result);
        if is_whole {
            result.pieces = pieces.count();
        }
        is_whole
    }

    fn examine_pieces(&self, motion: &Motion<'_>, file: &str, result: &mut Verification) -> bool {
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
    fn ends(&self, motion: &Motion<'_>, stamp: &Stamp, result: &mut Verification) {
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

    /// Prescribed points must have their corners on the path of their motion, as close to each other as the stepper
    /// puts them.
    fn prescribed_pieces(&self, motion: &Motion<'_>, stamp: &Stamp, result: &mut Verification) {
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
                self.off_path(law, point, place, time, slack)
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

    /// Free points must have their corners before every half-space's plane: then all between them is.
    fn pieces_at_planes(&self, motion: &Motion<'_>, stamp: &Stamp, result: &mut Verification) {
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

    /// Proves that no two features meet.
    fn crossings(&self, motion: &Motion<'_>, stamp: &Stamp, result: &mut Verification) {
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

/// Whether the features stay apart however their corners stray from the chords.
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

/// Two features wherever one of their corners has a corner of its path, in one part of the time.
#[derive(Default)]
struct Pair {
    times: Vec<f64>,
    places: Vec<[Vector3<f64>; 4]>,
}

impl Pair {
    /// When the features meet first in the stretch of chord `number` (s); `None` if they stay apart.
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

    /// Takes up the ways of the four corners in a part of the time.
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

    /// When the features meet first between two of the times (s); `None` if they stay apart.
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

    /// Numbers that repeat, from 0 to 1.
    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 5u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24)
        }
    }

    /// Random paths with corners at times of their own: chords and planes are never of another mind than every piece by
    /// itself, and chords alone settle some pairs that stay apart.
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
        // Most of the paths turn wildly, which chords alone do not settle.
        let all = format!("{met} met, {by_chords} of {apart} apart by chords");
        assert!(met > 100 && by_chords > 100, "{all}");
    }
}
