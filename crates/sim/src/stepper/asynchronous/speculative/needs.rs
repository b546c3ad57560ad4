//! Layers that a pair of features needs after a window, at once or soon.

use crate::stepper::asynchronous::layer_rules::{FAR, LayerRules};
use crate::stepper::asynchronous::pairs::{Features, Pairs};
use crate::stepper::asynchronous::system::Plane;
use crate::stepper::asynchronous::trajectory::Vertex;
use impinge_contact::penalty::layers::PROXIMITY;
use impinge_geometry::kinetic::Breakpoint;
use impinge_geometry::kinetic::known_path::{Approach, position_at};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;

/// Time over which the need of layers is predicted, in windows.
const WINDOWS_AHEAD: f64 = 1.5;

/// The parts of the engine that collision detection reads.
#[derive(Clone, Copy)]
pub(super) struct Watched<'a> {
    pub(super) surface: &'a CollisionSurface,
    pub(super) planes: &'a [Plane],
    pub(super) vertices: &'a [Vertex],
    pub(super) rules: &'a LayerRules,
    pub(super) pairs: &'a Pairs,
}

/// A pair that came close, or is about to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) features: Features,
    /// Number of layers that it needs.
    pub(super) depth: u32,
    /// Its distance (m).
    pub(super) distance: f64,
    /// Time of that distance (s).
    pub(super) time: f64,
    /// Position of its first point at that time (m).
    pub(super) place: Vector3<f64>,
}

/// Whether a pair whose distance changed from `start` to `end` (m) is near the `first` layer, or will be in the next
/// window.
pub(super) fn is_nearing([start, end]: [f64; 2], first: f64) -> bool {
    end < FAR * first || end - WINDOWS_AHEAD * (start - end) < first
}

/// The need of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) enum Need {
    AtOnce(Near),
    Ahead(Near),
}

/// The need of a pair that reached an inactive layer.
pub(super) fn hit(
    watched: Watched<'_>,
    features: Features,
    depth: u32,
    Approach { time, distance }: Approach,
    place: Vector3<f64>,
) -> Need {
    let reached = watched.rules.law.layers_at(distance / (1.0 + PROXIMITY));
    Need::AtOnce(Near {
        features,
        depth: reached.max(depth + 1),
        distance,
        time,
        place,
    })
}

/// The probable need in the next window of a pair without layers; pairs with layers predict theirs themselves.
pub(super) fn look_ahead(
    watched: Watched<'_>,
    features: Features,
    [start, end]: [f64; 2],
    window: [f64; 2],
) -> Option<Need> {
    let first = watched.rules.law.thickness(1);
    if !is_nearing([start, end], first) || watched.pairs.has_layers(&features) {
        return None;
    }
    let closing = ((start - end) / (window[1] - window[0])).max(0.0);
    let tick = watched.rules.period(1);
    Some(Need::Ahead(Near {
        features,
        depth: watched.rules.depth_after(0, first, closing, 1.5 * tick),
        distance: end,
        time: window[1],
        place: Vector3::zeros(),
    }))
}

/// The need of a point for the layers of a half-space.
pub(super) fn above_plane(
    watched: Watched<'_>,
    features: Features,
    plane: &Plane,
    path: &[Breakpoint],
    window: [f64; 2],
) -> Option<Need> {
    let above = |x: &Vector3<f64>| plane.normal.dot(x) - plane.offset;
    let stages = watched.pairs.stages(&features, window);
    let hit_at = stages.spans().find_map(|(span, depth)| {
        let near = watched.rules.law.thickness(depth + 1) * (1.0 + PROXIMITY);
        let mut before = (span[0], above(&position_at(path, span[0])));
        if before.1 <= near {
            let (time, distance) = before;
            return Some((depth, Approach { time, distance }));
        }
        let inside = path
            .iter()
            .filter(|breakpoint| span[0] < breakpoint.time && breakpoint.time < span[1])
            .map(|breakpoint| (breakpoint.time, above(&breakpoint.position)));
        let end = (span[1], above(&position_at(path, span[1])));
        for breakpoint in inside.chain([end]) {
            if breakpoint.1 <= near {
                // On the trajectory piece that ends here; `near` exceeds the thickness of the layer by more than
                // rounding.
                let share = (before.1 - near) / (before.1 - breakpoint.1);
                let time = before.0 + share * (breakpoint.0 - before.0);
                let distance = near;
                return Some((depth, Approach { time, distance }));
            }
            before = breakpoint;
        }
        None
    });
    if let Some((depth, approach)) = hit_at {
        let place = position_at(path, approach.time);
        return Some(hit(watched, features, depth, approach, place));
    }
    let ends = [path[0], path[path.len() - 1]].map(|breakpoint| above(&breakpoint.position));
    look_ahead(watched, features, ends, window)
}

/// The numbers of layers of a pair in a window: at the start, and after each change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stages<'a> {
    window: [f64; 2],
    first: u32,
    changes: &'a [(f64, u32)],
}

impl Stages<'_> {
    pub(super) fn least_depth(&self) -> u32 {
        let depths = self.changes.iter().map(|&(_, depth)| depth);
        depths.fold(self.first, u32::min)
    }

    /// Intervals (s) of the window with the number of layers in each.
    pub(super) fn spans(&self) -> impl Iterator<Item = ([f64; 2], u32)> + '_ {
        let [start, end] = self.window;
        let starts = std::iter::once((start, self.first)).chain(self.changes.iter().copied());
        let ends = self.changes.iter().map(|&(time, _)| time);
        starts
            .zip(ends.chain(std::iter::once(end)))
            .map(|((from, depth), to)| ([from, to], depth))
    }
}

impl Pairs {
    pub(super) fn stages(&self, features: &Features, window: [f64; 2]) -> Stages<'_> {
        let (first, changes): (_, &[_]) = match self.find(features) {
            Some(id) => {
                let pair = self.get(id);
                (pair.depth_at_start, &pair.changes)
            }
            None => (0, &[]),
        };
        Stages {
            window,
            first,
            changes,
        }
    }

    fn has_layers(&self, features: &Features) -> bool {
        self.find(features)
            .is_some_and(|id| self.get(id).proximity.depth > 0)
    }
}
