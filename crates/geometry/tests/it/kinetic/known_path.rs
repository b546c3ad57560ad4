//! Known paths: proven separation and reported approaches are true, and widths from chords are lower bounds.

use super::support::vector;
use impinge_geometry::kinetic::known_path::{chord_widths, first_approach, position_at};
use impinge_geometry::kinetic::{Breakpoint, Chord, PairKind};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Instants at which a path is sampled.
const SAMPLES: i32 = 200;

/// Rounding of positions of a few metres (m).
const ROUNDING: f64 = 1e-12;

fn kind() -> impl Strategy<Value = PairKind> {
    prop_oneof![Just(PairKind::VertexFace), Just(PairKind::EdgeEdge)]
}

/// A path from time 0 to 1 with some breakpoints in between, or one at rest.
fn path() -> impl Strategy<Value = Vec<Breakpoint>> {
    let moving = (
        vector(1.0),
        prop::collection::vec((0.0..1.0_f64, vector(0.3)), 0..6),
        vector(0.6),
    )
        .prop_map(|(start, mut bends, way)| {
            bends.sort_by(|a, b| a.0.total_cmp(&b.0));
            bends.dedup_by(|a, b| a.0 <= b.0);
            bends.retain(|bend| bend.0 > 0.0);
            let first = std::iter::once((0.0, Vector3::zeros()));
            let last = std::iter::once((1.0, Vector3::zeros()));
            first
                .chain(bends)
                .chain(last)
                .map(|(time, off)| Breakpoint {
                    time,
                    position: start + way * time + off,
                })
                .collect()
        });
    let resting = vector(1.0).prop_map(|position| {
        vec![Breakpoint {
            time: 0.0,
            position,
        }]
    });
    prop_oneof![4 => moving, 1 => resting]
}

fn distance_at(kind: PairKind, paths: &[&[Breakpoint]; 4], time: f64) -> f64 {
    kind.closest(&paths.map(|path| position_at(path, time)))
        .distance
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn separated_intervals_are_separated_and_approaches_are_near(
        kind in kind(),
        paths in [path(), path(), path(), path()],
        share in 0.05..1.2_f64,
        proximity in prop_oneof![Just(1e-3), Just(0.1)],
        span in [0.0..1.0_f64, 0.0..1.0_f64],
    ) {
        let paths = [&paths[0][..], &paths[1][..], &paths[2][..], &paths[3][..]];
        let span = [span[0].min(span[1]), span[0].max(span[1])];
        let separation = share * distance_at(kind, &paths, span[0]);
        let near = separation * (1.0 + proximity);
        let approach = first_approach(kind, &paths, span, separation, near);
        let last = approach.map_or(span[1], |approach| approach.time);
        prop_assert!(span[0] <= last && last <= span[1]);
        for sample in 0..=SAMPLES {
            let time = span[0] + (last - span[0]) * f64::from(sample) / f64::from(SAMPLES);
            let distance = distance_at(kind, &paths, time);
            // At the reported instant they may be arbitrarily near; it is the first one.
            let named = approach.is_some_and(|approach| time >= approach.time);
            prop_assert!(named || distance >= separation - ROUNDING, "{distance} at {time}");
        }
        if let Some(approach) = approach {
            let distance = distance_at(kind, &paths, approach.time);
            prop_assert!((approach.distance - distance).abs() <= ROUNDING);
            prop_assert!(distance <= near + ROUNDING, "{distance} is not near {near}");
        }
    }

    /// One pass along the path gives the same chords as each part by itself.
    #[test]
    fn chords_of_parts_are_those_of_each_part(
        path in path(),
        mut times in prop::collection::vec(0.0..1.0_f64, 2..12),
    ) {
        times.sort_unstable_by(f64::total_cmp);
        let nothing = Chord { start: Vector3::zeros(), end: Vector3::zeros(), deviation: 0.0 };
        let mut chords = vec![nothing; times.len() - 1];
        Chord::of_parts(&path, &times, &mut chords);
        for (chord, ends) in chords.iter().zip(times.windows(2)) {
            prop_assume!(ends[0] < ends[1]);
            prop_assert_eq!(*chord, Chord::of(&path, [ends[0], ends[1]]));
        }
    }

    #[test]
    fn chords_hold_their_paths_and_promise_nothing_more(
        kind in kind(),
        paths in [path(), path(), path(), path()],
        span in [0.0..1.0_f64, 0.0..1.0_f64],
    ) {
        let paths = [&paths[0][..], &paths[1][..], &paths[2][..], &paths[3][..]];
        let span = [span[0].min(span[1]), span[0].max(span[1])];
        prop_assume!(span[1] - span[0] > 1e-6);
        let chords = paths.map(|path| Chord::of(path, span));
        let (start, end) = chord_widths(kind, &[&chords[0], &chords[1], &chords[2], &chords[3]]);
        for sample in 0..=SAMPLES {
            let part = f64::from(sample) / f64::from(SAMPLES);
            let time = span[0] + (span[1] - span[0]) * part;
            for (path, chord) in paths.iter().zip(&chords) {
                let on_chord = chord.start + (chord.end - chord.start) * part;
                let off = (position_at(path, time) - on_chord).norm();
                prop_assert!(off <= chord.deviation + ROUNDING, "{off} of {}", chord.deviation);
            }
            prop_assert!(distance_at(kind, &paths, time) >= start.min(end) - ROUNDING);
        }
    }
}
