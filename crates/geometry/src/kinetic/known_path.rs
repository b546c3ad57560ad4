//! Separation along known paths: close approaches within a finished stretch of piecewise straight motion.

use super::certificate::length_guard;
use super::feature_pair::PairKind;
use nalgebra::Vector3;

/// A breakpoint of a path: between two of them it is straight and of constant speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breakpoint {
    /// Time (s).
    pub time: f64,
    /// Position (m).
    pub position: Vector3<f64>,
}

/// A path segment in short: the straight line from its first breakpoint to its last, and the deviation from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chord {
    /// Position at the first breakpoint (m).
    pub start: Vector3<f64>,
    /// Position at the last breakpoint (m).
    pub end: Vector3<f64>,
    /// Largest distance of the path from the point that follows the chord at constant speed (m).
    pub deviation: f64,
}

impl Chord {
    /// The chord of the part of a path that lies within `span` (s).
    ///
    /// A path and its chord differ by a function that is linear between breakpoints, so its largest value is at a
    /// breakpoint.
    ///
    /// # Panics
    /// If there is no breakpoint.
    #[inline]
    pub fn of(path: &[Breakpoint], span: [f64; 2]) -> Self {
        let [from, to] = span.map(|time| cursor(path, time));
        Self::between(path, [from, to], span)
    }

    /// The chords of consecutive parts of a path: part `k` lies between `times[k]` and `times[k + 1]` (s).
    ///
    /// # Panics
    /// If there is no breakpoint, or if there is not one time more than chords.
    pub fn of_parts(path: &[Breakpoint], times: &[f64], chords: &mut [Self]) {
        assert_eq!(times.len(), chords.len() + 1, "parts lie between times");
        let mut from = cursor(path, times[0]);
        for (chord, ends) in chords.iter_mut().zip(times.windows(2)) {
            let mut to = from;
            while path
                .get(to + 1)
                .is_some_and(|breakpoint| breakpoint.time <= ends[1])
            {
                to += 1;
            }
            *chord = Self::between(path, [from, to], [ends[0], ends[1]]);
            from = to;
        }
    }

    /// The chord within `span`, given the last breakpoints that are not later than its ends.
    #[inline]
    fn between(path: &[Breakpoint], [from, to]: [usize; 2], span: [f64; 2]) -> Self {
        let start = position(path, from, span[0]);
        let end = position(path, to, span[1]);
        let rate = (end - start) / (span[1] - span[0]);
        let mut most = 0.0_f64;
        for breakpoint in &path[from + 1..=to.max(from)] {
            let off = breakpoint.position - start - rate * (breakpoint.time - span[0]);
            most = most.max(off.norm_squared());
        }
        Self {
            start,
            end,
            deviation: most.sqrt(),
        }
    }

    #[inline]
    fn largest(&self) -> f64 {
        self.start.amax().max(self.end.amax()) + self.deviation
    }
}

/// Widths (m) at the first and at the last instant of a slab between two features. At all times in between they are
/// provably farther apart than the smaller of both.
///
/// The slab has the normal of the closest points of the chords halfway, and subtracts the deviation of the paths. Along
/// the chords its width is a concave function of time.
#[inline]
pub fn chord_widths(kind: PairKind, chords: &[&Chord; 4]) -> (f64, f64) {
    let middle = chords.map(|chord| (chord.start + chord.end) * 0.5);
    let normal = kind.closest(&middle).normal;
    let largest = chords
        .iter()
        .fold(0.0, |most, chord| chord.largest().max(most));
    let guard = 2.0 * length_guard(largest);
    let split = kind.first_side();
    let (mut least, mut most) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for chord in &chords[..split] {
        least[0] = least[0].min(normal.dot(&chord.start) - chord.deviation);
        least[1] = least[1].min(normal.dot(&chord.end) - chord.deviation);
    }
    for chord in &chords[split..] {
        most[0] = most[0].max(normal.dot(&chord.start) + chord.deviation);
        most[1] = most[1].max(normal.dot(&chord.end) + chord.deviation);
    }
    (least[0] - most[0] - guard, least[1] - most[1] - guard)
}

/// An instant at which two features are near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Time (s).
    pub time: f64,
    /// Distance (m).
    pub distance: f64,
}

/// The first instant of `span` (s) at which two features on known paths are found no farther apart than `near` (m);
/// `None` proves that they stay farther apart than `separation` (m) all that time.
///
/// A slab with the normal of the closest points is followed from breakpoint to breakpoint while it is wide enough at
/// each of them: in between its width is a concave function of time. Where it ends, a new one begins.
///
/// # Shapes and units
/// Paths in the order of [`PairKind`]. Each covers the span, except one of a single breakpoint, which rests. `near`
/// exceeds `separation`, so that every slab has a positive duration.
///
/// # Panics
/// If a path has no breakpoint.
pub fn first_approach(
    kind: PairKind,
    paths: &[&[Breakpoint]; 4],
    span: [f64; 2],
    separation: f64,
    near: f64,
) -> Option<Approach> {
    let [mut time, end] = span;
    let mut cursors = paths.map(|path| cursor(path, time));
    let mut at: [_; 4] = std::array::from_fn(|k| position(paths[k], cursors[k], time));
    loop {
        let closest = kind.closest(&at);
        if closest.distance.is_nan() || closest.distance <= near {
            return Some(Approach {
                time,
                distance: closest.distance,
            });
        }
        let (mut from, mut from_time) = (at, time);
        let mut width = clearance(kind, &closest.normal, &from);
        loop {
            if from_time >= end {
                return None;
            }
            let next = (0..4).fold(end, |next, k| {
                next.min(
                    paths[k]
                        .get(cursors[k] + 1)
                        .map_or(end, |breakpoint| breakpoint.time),
                )
            });
            let to: [_; 4] = std::array::from_fn(|k| position(paths[k], cursors[k], next));
            let next_width = clearance(kind, &closest.normal, &to);
            let largest = to.iter().fold(0.0, |most, x| x.amax().max(most));
            let margin = separation + 2.0 * length_guard(largest);
            if next_width > margin {
                for k in 0..4 {
                    while paths[k]
                        .get(cursors[k] + 1)
                        .is_some_and(|breakpoint| breakpoint.time <= next)
                    {
                        cursors[k] += 1;
                    }
                }
                (from, from_time, width) = (to, next, next_width);
                continue;
            }
            // Concave: the width is at least that of the straight line between both.
            let share = ((width - margin) / (width - next_width)).clamp(0.0, 1.0);
            let instant = from_time + share * (1.0 - 1e-15) * (next - from_time);
            if instant.is_nan() || instant <= time {
                // Too fast for the resolution of time.
                return Some(Approach {
                    time,
                    distance: closest.distance,
                });
            }
            let part = (instant - from_time) / (next - from_time);
            at = std::array::from_fn(|k| from[k] + (to[k] - from[k]) * part);
            time = instant;
            break;
        }
    }
}

/// Position of a path at an instant (s) between its first breakpoint and its last.
///
/// # Panics
/// If there is no breakpoint.
pub fn position_at(path: &[Breakpoint], time: f64) -> Vector3<f64> {
    position(path, cursor(path, time), time)
}

/// The last breakpoint that is not later than `time`, or the first one.
#[inline]
fn cursor(path: &[Breakpoint], time: f64) -> usize {
    path.partition_point(|breakpoint| breakpoint.time <= time)
        .saturating_sub(1)
}

/// Position on the segment that begins at `cursor`.
#[inline]
fn position(path: &[Breakpoint], cursor: usize, time: f64) -> Vector3<f64> {
    let from = path[cursor];
    let Some(to) = path.get(cursor + 1) else {
        return from.position;
    };
    if to.time <= time {
        return to.position;
    }
    let share = (time - from.time) / (to.time - from.time);
    from.position + (to.position - from.position) * share
}

/// Width of the slab of a normal between two features; negative if it does not separate them.
#[inline]
fn clearance(kind: PairKind, normal: &Vector3<f64>, points: &[Vector3<f64>; 4]) -> f64 {
    let split = kind.first_side();
    let along = |x: &Vector3<f64>| normal.dot(x);
    let least = points[..split]
        .iter()
        .map(along)
        .fold(f64::INFINITY, f64::min);
    let most = points[split..]
        .iter()
        .map(along)
        .fold(f64::NEG_INFINITY, f64::max);
    least - most
}
