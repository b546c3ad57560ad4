//! Collision detection over a whole window.

use crate::stepper::asynchronous::engine::Engine;
use crate::stepper::asynchronous::layers::FAR;
use crate::stepper::asynchronous::pairs::Features;
use crate::stepper::asynchronous::queue::EventKind;
use crate::stepper::asynchronous::trajectory::Vertex;
use crate::stepper::asynchronous::volumes::Lists;
use impinge_contact::penalty::layers::PROXIMITY;
use impinge_geometry::kinetic::k_dop::DIRECTIONS;
use impinge_geometry::kinetic::known_path::{Approach, chord_widths, first_approach, position_at};
use impinge_geometry::kinetic::{Chord, KDop, KDopTree, Knot, MovingPoint, PairKind};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;
use std::time::Instant;

/// A pair that came near, or is about to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) features: Features,
    /// The layers that it needs.
    pub(super) depth: u32,
    /// How near it came (m).
    pub(super) distance: f64,
    /// When (s).
    pub(super) time: f64,
    /// Where its first point was then (m).
    pub(super) place: Vector3<f64>,
}

/// How far ahead a window looks, in windows.
const LOOK_AHEAD: f64 = 1.5;

/// Parts of a window that are looked at by their chords before they are looked at knot by knot.
const PARTS: usize = 16;

/// Part `number` of a window (s).
fn part_of([start, end]: [f64; 2], number: usize) -> [f64; 2] {
    let at = |number: usize| {
        if number == PARTS {
            end
        } else {
            start + (end - start) * (number as f64 / PARTS as f64)
        }
    };
    [at(number), at(number + 1)]
}

/// Whether a pair whose distance went from `start` to `end` (m) is near the `first` layer, or will be after the next window.
fn is_nearing([start, end]: [f64; 2], first: f64) -> bool {
    end < FAR * first || end - LOOK_AHEAD * (start - end) < first
}

/// Volumes swept in a window, and what they found.
#[derive(Debug)]
pub(super) struct Sweep {
    tree: KDopTree,
    vertices_owned: Lists,
    edges_owned: Lists,
    chords: Vec<Chord>,
    /// The same for parts of the window, of the points that were asked for; and in which window that was.
    parts: Vec<[Chord; PARTS]>,
    parts_of_window: Vec<u64>,
    windows: u64,
    /// Swept by each point, grown by half of what counts as near.
    volumes: Vec<KDop>,
    at_once: Vec<Near>,
    ahead: Vec<Near>,
    stack: Vec<[u32; 2]>,
    faces: Vec<[u32; 2]>,
}

impl Sweep {
    pub(super) fn new(surface: &CollisionSurface, vertices: &[Vertex]) -> Self {
        let positions: Vec<Vector3<f64>> = vertices.iter().map(|v| v.position).collect();
        let rest = |x: &Vector3<f64>| Chord {
            start: *x,
            end: *x,
            deviation: 0.0,
        };
        let (vertices_owned, edges_owned) = Lists::owned(surface);
        Self {
            tree: KDopTree::of_surface(surface, &positions),
            vertices_owned,
            edges_owned,
            chords: positions.iter().map(rest).collect(),
            parts: positions.iter().map(|x| [rest(x); PARTS]).collect(),
            parts_of_window: vec![0; vertices.len()],
            windows: 0,
            volumes: vec![KDop::EMPTY; vertices.len()],
            at_once: Vec::new(),
            ahead: Vec::new(),
            stack: Vec::new(),
            faces: Vec::new(),
        }
    }

    /// Pairs that the last look found: those that need layers at once, or those that will.
    pub(super) fn found(&self, at_once: bool) -> &[Near] {
        if at_once { &self.at_once } else { &self.ahead }
    }

    /// Looks at the paths of a window (s); says whether a pair reached a layer that it has not.
    pub(super) fn look(&mut self, engine: &mut Engine, window: [f64; 2]) -> bool {
        let begin = (engine.settings.profile > 0).then(Instant::now);
        self.windows += 1;
        self.at_once.clear();
        self.ahead.clear();
        self.cover(engine, window);
        if let Some(begin) = begin {
            engine.statistics.times.events[EventKind::Volume as usize] += begin.elapsed();
        }
        let begin = (engine.settings.profile > 0).then(Instant::now);
        self.look_at_pairs(engine, window);
        self.look_at_planes(engine, window);
        if let Some(begin) = begin {
            engine.statistics.times.events[EventKind::Slab as usize] += begin.elapsed();
        }
        !self.at_once.is_empty()
    }

    /// Volumes of what every vertex and triangle swept, and the triangles whose volumes meet.
    fn cover(&mut self, engine: &Engine, window: [f64; 2]) {
        let Some(history) = &engine.history else {
            return;
        };
        let surface = &engine.surface;
        for &point in surface.vertices() {
            let index = point as usize;
            if !history.watches(point) && self.volumes[index] != KDop::EMPTY {
                continue;
            }
            let chord = Chord::of(history.path(point), window);
            let moving = MovingPoint::steady(chord.start, chord.end - chord.start);
            self.chords[index] = chord;
            self.volumes[index] =
                KDop::of_path(&moving, 1.0, FAR * engine.half_thickness + chord.deviation);
        }
        let volumes = &self.volumes;
        self.tree.refit(|face| {
            let [a, b, c] = surface.triangles()[face as usize].map(|p| &volumes[p as usize]);
            a.merged(b).merged(c)
        });
        self.faces.clear();
        self.tree.pairs(
            |a, b| surface.bodies_may_touch(a, b),
            &mut self.stack,
            &mut self.faces,
        );
    }

    fn look_at_pairs(&mut self, engine: &Engine, window: [f64; 2]) {
        let faces = std::mem::take(&mut self.faces);
        for &[first, second] in &faces {
            for [own, other] in [[first, second], [second, first]] {
                let corners = engine.surface.triangles()[other as usize];
                for index in self.vertices_owned.of(own) {
                    let vertex = self.vertices_owned.entry(index);
                    if self.volumes[vertex as usize].overlaps(self.tree.volume(other))
                        && engine.surface.may_touch(&[vertex], &corners)
                    {
                        let [a, b, c] = corners;
                        let features = Features::Two(PairKind::VertexFace, [vertex, other]);
                        self.look_at(engine, features, [vertex, a, b, c], window);
                    }
                }
            }
            for index in self.edges_owned.of(first) {
                let edge = self.edges_owned.entry(index);
                let ends = engine.surface.edges()[edge as usize];
                for index in self.edges_owned.of(second) {
                    let other = self.edges_owned.entry(index);
                    let other_ends = engine.surface.edges()[other as usize];
                    if self.edges_meet(ends, other_ends)
                        && engine.surface.may_touch(&ends, &other_ends)
                    {
                        let both = [edge.min(other), edge.max(other)];
                        let [[a, b], [c, d]] =
                            both.map(|edge| engine.surface.edges()[edge as usize]);
                        let features = Features::Two(PairKind::EdgeEdge, both);
                        self.look_at(engine, features, [a, b, c, d], window);
                    }
                }
            }
        }
        self.faces = faces;
    }

    /// Whether no direction separates what two edges swept.
    fn edges_meet(&self, [a, b]: [u32; 2], [c, d]: [u32; 2]) -> bool {
        let [a, b, c, d] = [a, b, c, d].map(|point| &self.volumes[point as usize]);
        (0..DIRECTIONS).all(|k| {
            a.lower[k].min(b.lower[k]) <= c.upper[k].max(d.upper[k])
                && c.lower[k].min(d.lower[k]) <= a.upper[k].max(b.upper[k])
        })
    }

    fn look_at(&mut self, engine: &Engine, features: Features, points: [u32; 4], window: [f64; 2]) {
        let (Features::Two(kind, _), Some(history)) = (features, &engine.history) else {
            return;
        };
        let chords = points.map(|point| &self.chords[point as usize]);
        let (start, end) = chord_widths(kind, &chords);
        // What stays clear of the first layer, and will, needs no look at the layers that it has.
        let first = engine.law.thickness(1);
        if start > first && end > first && !is_nearing([start, end], first) {
            return;
        }
        let stages = engine.stages(&features);
        let guarded = engine.law.thickness(stages.least_depth() + 1);
        if start <= guarded || end <= guarded {
            self.divide(engine, &points, window);
            let paths = points.map(|point| history.path(point));
            for (span, depth) in stages.spans(window) {
                let guarded = engine.law.thickness(depth + 1);
                if let Some(approach) = self.approach(kind, &points, &paths, window, span, guarded)
                {
                    let place = position_at(paths[0], approach.time);
                    self.hit(engine, features, depth, approach, place);
                    return;
                }
            }
        }
        self.look_ahead(engine, features, [start, end], window);
    }

    /// Chords of some points in parts of the window.
    fn divide(&mut self, engine: &Engine, points: &[u32], window: [f64; 2]) {
        let Some(history) = &engine.history else {
            return;
        };
        for &point in points {
            let index = point as usize;
            if self.parts_of_window[index] != self.windows {
                self.parts_of_window[index] = self.windows;
                let path = history.path(point);
                for (number, part) in self.parts[index].iter_mut().enumerate() {
                    *part = Chord::of(path, part_of(window, number));
                }
            }
        }
    }

    /// Where two features are found near a layer of thickness `guarded` (m) in `span` (s): the parts of the window whose
    /// chords do not settle it are looked at knot by knot.
    fn approach(
        &self,
        kind: PairKind,
        points: &[u32; 4],
        paths: &[&[Knot]; 4],
        window: [f64; 2],
        span: [f64; 2],
        guarded: f64,
    ) -> Option<Approach> {
        (0..PARTS).find_map(|number| {
            let part = part_of(window, number);
            let both = [part[0].max(span[0]), part[1].min(span[1])];
            // An instant is a stretch, too.
            if both[0] > both[1] {
                return None;
            }
            let chords = points.map(|point| &self.parts[point as usize][number]);
            let (start, end) = chord_widths(kind, &chords);
            if start > guarded && end > guarded {
                return None;
            }
            let near = guarded * (1.0 + PROXIMITY);
            first_approach(kind, paths, both, guarded, near)
        })
    }

    /// A pair was found at a layer that it has not.
    fn hit(
        &mut self,
        engine: &Engine,
        features: Features,
        depth: u32,
        Approach { time, distance }: Approach,
        place: Vector3<f64>,
    ) {
        let reached = engine.law.layers_at(distance / (1.0 + PROXIMITY));
        self.at_once.push(Near {
            features,
            depth: reached.max(depth + 1),
            distance,
            time,
            place,
        });
    }

    /// Whether a pair without layers will probably need one in the next window; those that have some look ahead themselves.
    fn look_ahead(
        &mut self,
        engine: &Engine,
        features: Features,
        [start, end]: [f64; 2],
        window: [f64; 2],
    ) {
        let first = engine.law.thickness(1);
        if is_nearing([start, end], first) && !engine.has_layers(&features) {
            let closing = ((start - end) / (window[1] - window[0])).max(0.0);
            let tick = engine.layer_period(1);
            self.ahead.push(Near {
                features,
                depth: engine.depth_after(0, first, closing, 1.5 * tick),
                distance: end,
                time: window[1],
                place: Vector3::zeros(),
            });
        }
    }

    fn look_at_planes(&mut self, engine: &Engine, window: [f64; 2]) {
        let Some(history) = &engine.history else {
            return;
        };
        for (number, plane) in (0..).zip(&engine.planes) {
            for (point, vertex) in (0..).zip(&engine.vertices) {
                if vertex.inverse_mass <= 0.0 {
                    continue;
                }
                let path = history.path(point);
                let features = Features::Plane(point, number);
                let above = |x: &Vector3<f64>| plane.normal.dot(x) - plane.offset;
                let stages = engine.stages(&features);
                let hit = stages.spans(window).find_map(|(span, depth)| {
                    let near = engine.law.thickness(depth + 1) * (1.0 + PROXIMITY);
                    let first = above(&position_at(path, span[0]));
                    // Straight pieces come nearest at their ends.
                    let least = path
                        .iter()
                        .filter(|knot| span[0] < knot.time && knot.time < span[1])
                        .map(|knot| above(&knot.position))
                        .fold(first.min(above(&position_at(path, span[1]))), f64::min);
                    // It gets there from above, unless it starts below.
                    let approach = Approach {
                        time: span[0],
                        distance: first.min(near),
                    };
                    (least <= near).then_some((depth, approach))
                });
                if let Some((depth, approach)) = hit {
                    let place = position_at(path, approach.time);
                    self.hit(engine, features, depth, approach, place);
                } else {
                    let ends = [path[0], path[path.len() - 1]].map(|knot| above(&knot.position));
                    self.look_ahead(engine, features, ends, window);
                }
            }
        }
    }
}

/// The layers that a pair had in a window: how many at first, and since when how many.
#[derive(Clone, Copy, Debug)]
struct Stages<'a> {
    first: u32,
    changes: &'a [(f64, u32)],
}

impl Stages<'_> {
    fn least_depth(&self) -> u32 {
        let depths = self.changes.iter().map(|&(_, depth)| depth);
        depths.fold(self.first, u32::min)
    }

    /// Stretches of time (s) from `start` to `end` with the number of layers in each.
    fn spans(&self, [start, end]: [f64; 2]) -> impl Iterator<Item = ([f64; 2], u32)> + '_ {
        let starts = std::iter::once((start, self.first)).chain(self.changes.iter().copied());
        let ends = self.changes.iter().map(|&(time, _)| time);
        starts
            .zip(ends.chain(std::iter::once(end)))
            .map(|((from, depth), to)| ([from, to], depth))
    }
}

impl Engine {
    fn stages(&self, features: &Features) -> Stages<'_> {
        match self.pairs.find(features) {
            Some(id) => {
                let pair = self.pairs.get(id);
                Stages {
                    first: pair.depth_at_start,
                    changes: &pair.changes,
                }
            }
            None => Stages {
                first: 0,
                changes: &[],
            },
        }
    }

    fn has_layers(&self, features: &Features) -> bool {
        self.pairs
            .find(features)
            .is_some_and(|id| self.pairs.get(id).proximity.depth > 0)
    }
}
