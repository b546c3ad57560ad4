//! The examination of a motion in pieces: every vertex moves straight between its own instants.
//!
//! Each point goes from where one frame shows it to where the next one does, what is prescribed along its motion. Pairs of features come from boxes around
//! whole paths. Of each pair, the chords of the paths and how far these stray from them mostly prove that it stays apart;
//! else one plane is sought for all pieces, then for halves of them, and what is left is one piece of four straight ways.

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

/// Rounding of the length of a piece (1): times are differences of what may be many steps after the start. Any larger number
/// only allows prescribed points to cut their arcs a little more.
const TIME_SLACK: f64 = 1e-6;

/// Rounding of how far a path strays from its chord, in parts of the largest coordinate: a mean, a difference and a length.
const STRAY_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A motion between two frames.
pub(super) struct Motion<'a> {
    pub(super) pieces: &'a Pieces,
    /// Name of their file.
    pub(super) file: String,
    /// Times of the frames (s).
    pub(super) times: [f64; 2],
    /// The frames at its ends.
    pub(super) frames: [&'a Frame; 2],
}

/// Reads the pieces of the motion to frame `index` and says whether they are those that were written.
pub(super) fn load_pieces(
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

/// Straight from the first corner of a path to the last, and how far the path strays from that (m).
struct Chord {
    ends: [Vector3<f64>; 2],
    stray: f64,
}

impl Chord {
    fn of((times, positions): Corners<'_>) -> Self {
        let last = times.len() - 1;
        let ends = [positions[0], positions[last]];
        let along = |time: f64| between(&ends, [times[0], times[last]], time);
        let strays = (times.iter().zip(positions)).map(|(&time, x)| (x - along(time)).norm());
        let largest = positions.iter().map(Vector3::amax).fold(0.0, f64::max);
        Self {
            ends,
            stray: strays.fold(0.0, f64::max) + STRAY_ROUNDING * largest,
        }
    }
}

/// Times and positions of the corners of a path.
type Corners<'a> = (&'a [f64], &'a [Vector3<f64>]);

/// The place at `time` on the way between two `ends` at their `times`; a mean, which cannot overflow.
fn between(ends: &[Vector3<f64>; 2], times: [f64; 2], time: f64) -> Vector3<f64> {
    let part = (time - times[0]) / (times[1] - times[0]);
    ends[0] * (1.0 - part) + ends[1] * part
}

impl Examiner<'_> {
    /// Examines a motion and says whether it was examined as a whole: not, if its pieces are not those between the frames.
    pub(super) fn motion_in_pieces(
        &self,
        motion: &Motion<'_>,
        stamp: &Stamp,
        result: &mut Verification,
    ) -> bool {
        let of_pieces = Stamp {
            file: motion.file.clone(),
            time: stamp.time,
        };
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
        self.crossings(motion, stamp, result);
        true
    }

    fn paths_of<'a>(
        &self,
        motion: &Motion<'a>,
    ) -> impl Iterator<Item = (u32, Corners<'a>)> + use<'a> {
        let pieces = motion.pieces;
        let paths = (0..pieces.points().len()).map(|path| pieces.path(path));
        pieces.points().iter().copied().zip(paths)
    }

    /// Every path must lead from one frame to the other.
    fn ends(&self, motion: &Motion<'_>, stamp: &Stamp, result: &mut Verification) {
        let is_at = |(times, positions): Corners<'_>, corner: usize, end: usize, point: u32| {
            times[corner].to_bits() == motion.times[end].to_bits()
                && positions[corner] == motion.frames[end].points[point as usize]
        };
        let astray = self.paths_of(motion).filter_map(|(point, path)| {
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

    /// Prescribed points must have their corners on the path of their motion, as close to each other as the stepper puts them.
    fn prescribed_pieces(&self, motion: &Motion<'_>, stamp: &Stamp, result: &mut Verification) {
        let laws = self.manifest.map_or(&[][..], |manifest| &manifest.motions);
        let mut wrong = Vec::new();
        for (point, (times, positions)) in self.paths_of(motion) {
            let law = self.reference.motion_of_point[point as usize];
            let Some(law) = law.and_then(|law| laws.get(law as usize)) else {
                continue;
            };
            let off = (times.iter().zip(positions))
                .find_map(|(&time, place)| self.off_path(law, point, place, time));
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
            let behind = self.paths_of(motion).filter_map(|(point, (_, positions))| {
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
        let mut path_of_point = vec![usize::MAX; self.reference.points.len()];
        let (mut boxes, mut chords) = (Vec::new(), Vec::new());
        for (path, (point, corners)) in self.paths_of(motion).enumerate() {
            path_of_point[point as usize] = path;
            boxes.push(Bounds::around(corners.1));
            chords.push(Chord::of(corners));
        }
        let path_of = |point: u32| path_of_point[point as usize];
        let bounds = |points: &[u32]| {
            let boxes = points.iter().map(|&point| boxes[path_of(point)]);
            boxes.reduce(Bounds::merged).unwrap_or_default()
        };
        let mut pair = Pair::default();
        let mut crossings = Vec::new();
        self.for_each_pair(bounds, |points, kind| {
            let paths = points.map(path_of);
            if part_by_chords(kind, paths.map(|path| &chords[path])) {
                return;
            }
            pair.follow(paths.map(|path| motion.pieces.path(path)));
            if let Some(at) = pair.first_meeting(kind, 0, pair.times.len() - 1) {
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
    let [start, end] = [0, 1].map(|end| chords.map(|chord| chord.ends[end]));
    let split = match kind {
        Kind::VertexFace => 1,
        Kind::EdgeEdge => 2,
    };
    let (first, second) = chords.split_at(split);
    let most = |chords: &[&Chord]| chords.iter().map(|chord| chord.stray).fold(0.0, f64::max);
    part_along(kind, &[start, end], [most(first), most(second)])
}

/// Two features wherever one of their corners has a corner of its path.
#[derive(Default)]
struct Pair {
    times: Vec<f64>,
    places: Vec<[Vector3<f64>; 4]>,
}

impl Pair {
    /// Takes up the paths of the four corners, which begin and end together.
    fn follow(&mut self, paths: [Corners<'_>; 4]) {
        let Self { times, places } = self;
        times.clear();
        times.extend(paths.iter().flat_map(|path| path.0));
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        places.clear();
        let mut next = [0; 4];
        for &time in times.iter() {
            places.push(std::array::from_fn(|corner| {
                let ((times, positions), next) = (paths[corner], &mut next[corner]);
                while times[*next] < time && *next + 1 < times.len() {
                    *next += 1;
                }
                // On the way to the next corner, or there.
                match *next {
                    0 => positions[0],
                    next if times[next] <= time => positions[next],
                    next => between(
                        &[positions[next - 1], positions[next]],
                        [times[next - 1], times[next]],
                        time,
                    ),
                }
            }));
        }
    }

    /// When the features meet first between two of the times (s); `None` if they stay apart.
    fn first_meeting(&self, kind: Kind, from: usize, to: usize) -> Option<f64> {
        if from + 1 >= to {
            let part = first_meeting(kind, &self.places[from], &self.places[to])?;
            return Some(self.times[from] + part * (self.times[to] - self.times[from]));
        }
        if part_along(kind, &self.places[from..=to], [0.0; 2]) {
            return None;
        }
        let middle = usize::midpoint(from, to);
        (self.first_meeting(kind, from, middle)).or_else(|| self.first_meeting(kind, middle, to))
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
    /// itself, and settle most pairs that stay apart.
    #[test]
    fn no_meeting_is_missed() {
        let mut random = numbers();
        let (mut met, mut apart, mut by_chords) = (0, 0, 0);
        for number in 0..3000 {
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
            let corners = [0, 1, 2, 3].map(|k| (&*paths[k].0, &*paths[k].1));
            let chords = corners.map(Chord::of);
            let by_chord = part_by_chords(kind, [0, 1, 2, 3].map(|k| &chords[k]));
            let mut pair = Pair::default();
            pair.follow(corners);
            let last = pair.times.len() - 1;
            let found = pair.first_meeting(kind, 0, last);
            let first = (0..last).find(|&k| {
                let [start, end] = [k, k + 1].map(|k| pair.places[k]);
                first_meeting(kind, &start, &end).is_some()
            });
            match (found, first) {
                (None, None) => apart += 1,
                (Some(at), Some(piece)) => {
                    assert!((pair.times[piece]..=pair.times[piece + 1]).contains(&at));
                    assert!(!by_chord, "pair {number}");
                    met += 1;
                }
                other => panic!("pair {number}: {other:?}"),
            }
            by_chords += u32::from(by_chord);
        }
        assert!(
            met > 100 && by_chords > apart / 4,
            "{met} met, {by_chords} of {apart} apart by chords"
        );
    }
}
