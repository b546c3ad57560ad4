//! Collision detection over a whole window.

use super::History;
use super::needs::{Near, Need, Watched, above_plane, hit, is_nearing, look_ahead};
use crate::stepper::asynchronous::layer_rules::FAR;
use crate::stepper::asynchronous::pairs::Features;
use crate::stepper::asynchronous::queue::EventKind;
use crate::stepper::asynchronous::statistics::Times;
use crate::stepper::asynchronous::trajectory::Vertex;
use crate::stepper::asynchronous::volumes::Lists;
use impinge_contact::penalty::layers::PROXIMITY;
use impinge_geometry::kinetic::known_path::{Approach, chord_widths, first_approach, position_at};
use impinge_geometry::kinetic::{Breakpoint, Chord, KDop, KDopTree, MovingPoint, PairKind};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;
use rayon::prelude::*;
use std::time::Instant;

/// Number of parts of a window whose path segments are checked before single breakpoints.
const PARTS: usize = 16;

/// Bounds of the parts of a window (s).
fn ends_of_parts([start, end]: [f64; 2]) -> [f64; PARTS + 1] {
    std::array::from_fn(|number| {
        if number == PARTS {
            end
        } else {
            start + (end - start) * (number as f64 / PARTS as f64)
        }
    })
}

/// Pairs of triangles, points or pairs of features per parallel task.
const AT_A_TIME: usize = 64;

/// A pair of features, and their points.
#[derive(Clone, Copy, Debug)]
struct FeaturePair {
    kind: PairKind,
    features: [u32; 2],
    points: [u32; 4],
}

/// A pair that path segments cannot prove outside the first layer.
#[derive(Clone, Copy, Debug)]
struct Close {
    pair: FeaturePair,
    /// Widths of its slab at the start and at the end of the window (m).
    widths: [f64; 2],
    /// Whether it may have reached an inactive layer.
    in_doubt: bool,
}

/// Swept volumes of a window, and the pairs found.
///
/// Several threads check separate pairs; results have the order of the pairs.
#[derive(Debug)]
pub(super) struct SweptVolumes {
    tree: KDopTree,
    vertices_owned: Lists,
    edges_owned: Lists,
    /// Whether each point is on the surface.
    on_surface: Vec<bool>,
    /// For each point, its path segment and its swept k-DOP, grown by half of the distance that counts as near.
    swept: Vec<(Chord, KDop)>,
    /// For each edge, the union of the k-DOPs of both ends.
    edge_volumes: Vec<KDop>,
    /// Bounds of the parts of the window (s).
    ends_of_parts: [f64; PARTS + 1],
    /// For points of pairs in doubt: their path segments in the parts of the window.
    parts: Vec<[Chord; PARTS]>,
    /// The indices of these points.
    divided: Vec<u32>,
    /// For each point, the last window in which it was divided, and the index of its parts.
    place_of_parts: Vec<(u64, u32)>,
    windows: u64,
    at_once: Vec<Near>,
    ahead: Vec<Near>,
    faces: Vec<[u32; 2]>,
    close: Vec<Close>,
}

impl SweptVolumes {
    pub(super) fn new(surface: &CollisionSurface, vertices: &[Vertex]) -> Self {
        let positions: Vec<Vector3<f64>> = vertices.iter().map(|v| v.position).collect();
        let (vertices_owned, edges_owned) = Lists::owned(surface);
        let mut on_surface = vec![false; vertices.len()];
        for &point in surface.vertices() {
            on_surface[point as usize] = true;
        }
        Self {
            tree: KDopTree::of_surface(surface, &positions),
            vertices_owned,
            edges_owned,
            on_surface,
            swept: positions
                .iter()
                .map(|x| (at_rest(x), KDop::EMPTY))
                .collect(),
            edge_volumes: vec![KDop::EMPTY; surface.edges().len()],
            ends_of_parts: [0.0; PARTS + 1],
            parts: Vec::new(),
            divided: Vec::new(),
            place_of_parts: vec![(0, 0); vertices.len()],
            windows: 0,
            at_once: Vec::new(),
            ahead: Vec::new(),
            faces: Vec::new(),
            close: Vec::new(),
        }
    }

    /// Pairs found by the last check: those that need layers at once, or those that will soon.
    pub(super) fn found(&self, at_once: bool) -> &[Near] {
        if at_once { &self.at_once } else { &self.ahead }
    }

    /// Checks the paths of a window (s), and adds the time of it to `times`. Returns whether a pair reached an inactive
    /// layer.
    pub(super) fn look(
        &mut self,
        watched: Watched<'_>,
        history: &History,
        window: [f64; 2],
        mut times: Option<&mut Times>,
    ) -> bool {
        let begin = times.is_some().then(Instant::now);
        self.windows += 1;
        self.at_once.clear();
        self.ahead.clear();
        self.cover(watched, history, window);
        if let (Some(begin), Some(times)) = (begin, &mut times) {
            times.events[EventKind::Volume as usize] += begin.elapsed();
        }
        let begin = times.is_some().then(Instant::now);
        self.find_close(watched, window);
        self.divide(history, window);
        self.judge(watched, history, window);
        self.look_at_planes(watched, history, window);
        if let (Some(begin), Some(times)) = (begin, times) {
            times.events[EventKind::Slab as usize] += begin.elapsed();
        }
        !self.at_once.is_empty()
    }

    /// Computes the swept volumes of vertices and triangles, and the overlapping pairs of triangles.
    fn cover(&mut self, watched: Watched<'_>, history: &History, window: [f64; 2]) {
        let surface = watched.surface;
        let near = FAR * watched.rules.half_thickness;
        self.swept
            .par_iter_mut()
            .zip(&self.on_surface)
            .enumerate()
            .with_min_len(AT_A_TIME)
            .for_each(|(point, ((chord, volume), &on_surface))| {
                if !on_surface || !history.watches(point as u32) && *volume != KDop::EMPTY {
                    return;
                }
                *chord = Chord::of(history.path(point as u32), window);
                let moving = MovingPoint::steady(chord.start, chord.end - chord.start);
                *volume = KDop::of_path(&moving, 1.0, near + chord.deviation);
            });
        let swept = &self.swept;
        let volume_of = |point: u32| &swept[point as usize].1;
        self.edge_volumes
            .par_iter_mut()
            .zip(surface.edges())
            .with_min_len(AT_A_TIME)
            .for_each(|(volume, &[a, b])| *volume = volume_of(a).merged(volume_of(b)));
        self.tree.refit(|face| {
            let [a, b, c] = surface.triangles()[face as usize].map(volume_of);
            a.merged(b).merged(c)
        });
        self.faces.clear();
        self.tree
            .pairs(|a, b| surface.bodies_may_touch(a, b), &mut self.faces);
    }

    /// Finds the pairs that path segments cannot prove apart.
    fn find_close(&mut self, watched: Watched<'_>, window: [f64; 2]) {
        let this = &*self;
        let found: Vec<Vec<Close>> = this
            .faces
            .par_chunks(AT_A_TIME)
            .map(|faces| {
                let mut close = Vec::new();
                for &pair in faces {
                    this.close_features(watched, pair, window, &mut close);
                }
                close
            })
            .collect();
        self.close.clear();
        self.close.extend(found.into_iter().flatten());
    }

    /// Such pairs among the features owned by two triangles.
    fn close_features(
        &self,
        watched: Watched<'_>,
        [first, second]: [u32; 2],
        window: [f64; 2],
        close: &mut Vec<Close>,
    ) {
        let surface = watched.surface;
        for [own, other] in [[first, second], [second, first]] {
            let corners = surface.triangles()[other as usize];
            for &vertex in self.vertices_owned.all_of(own) {
                if self.swept[vertex as usize]
                    .1
                    .overlaps(self.tree.volume(other))
                    && surface.may_touch(&[vertex], &corners)
                {
                    let [a, b, c] = corners;
                    let pair = FeaturePair {
                        kind: PairKind::VertexFace,
                        features: [vertex, other],
                        points: [vertex, a, b, c],
                    };
                    close.extend(self.close_pair(watched, pair, window));
                }
            }
        }
        for &edge in self.edges_owned.all_of(first) {
            let ends = surface.edges()[edge as usize];
            for &other in self.edges_owned.all_of(second) {
                let other_ends = surface.edges()[other as usize];
                let meet =
                    self.edge_volumes[edge as usize].overlaps(&self.edge_volumes[other as usize]);
                if meet && surface.may_touch(&ends, &other_ends) {
                    let both = [edge.min(other), edge.max(other)];
                    let [[a, b], [c, d]] = both.map(|edge| surface.edges()[edge as usize]);
                    let pair = FeaturePair {
                        kind: PairKind::EdgeEdge,
                        features: both,
                        points: [a, b, c, d],
                    };
                    close.extend(self.close_pair(watched, pair, window));
                }
            }
        }
    }

    /// The pair, unless its path segments stay outside the first layer, and will in the next window.
    #[inline]
    fn close_pair(
        &self,
        watched: Watched<'_>,
        pair: FeaturePair,
        window: [f64; 2],
    ) -> Option<Close> {
        let FeaturePair { kind, features, .. } = pair;
        let chords = pair.points.map(|point| &self.swept[point as usize].0);
        let (start, end) = chord_widths(kind, &chords);
        // Outside the first layer, the deeper ones need no check.
        let first = watched.rules.law.thickness(1);
        if start > first && end > first && !is_nearing([start, end], first) {
            return None;
        }
        let stages = watched.pairs.stages(&Features::Two(kind, features), window);
        let guarded = watched.rules.law.thickness(stages.least_depth() + 1);
        Some(Close {
            pair,
            widths: [start, end],
            in_doubt: start <= guarded || end <= guarded,
        })
    }

    /// Computes path segments in the parts of the window for points of pairs in doubt.
    fn divide(&mut self, history: &History, window: [f64; 2]) {
        self.divided.clear();
        for close in self.close.iter().filter(|close| close.in_doubt) {
            for point in close.pair.points {
                let (in_window, place) = &mut self.place_of_parts[point as usize];
                if *in_window != self.windows {
                    (*in_window, *place) = (self.windows, self.divided.len() as u32);
                    self.divided.push(point);
                }
            }
        }
        self.ends_of_parts = ends_of_parts(window);
        let ends = &self.ends_of_parts;
        let rest = [at_rest(&Vector3::zeros()); PARTS];
        self.parts.resize(self.divided.len(), rest);
        self.parts
            .par_iter_mut()
            .zip(&self.divided)
            .with_min_len(AT_A_TIME / PARTS)
            .for_each(|(parts, &point)| {
                Chord::of_parts(history.path(point), ends, parts);
            });
    }

    /// Computes the needs of the close pairs.
    fn judge(&mut self, watched: Watched<'_>, history: &History, window: [f64; 2]) {
        let this = &*self;
        let needs: Vec<Option<Need>> = this
            .close
            .par_iter()
            .with_min_len(AT_A_TIME / PARTS)
            .map(|close| this.judge_pair(watched, history, close, window))
            .collect();
        self.note(needs);
    }

    fn note(&mut self, needs: Vec<Option<Need>>) {
        for need in needs.into_iter().flatten() {
            match need {
                Need::AtOnce(near) => self.at_once.push(near),
                Need::Ahead(near) => self.ahead.push(near),
            }
        }
    }

    fn judge_pair(
        &self,
        watched: Watched<'_>,
        history: &History,
        close: &Close,
        window: [f64; 2],
    ) -> Option<Need> {
        let pair = &close.pair;
        let features = Features::Two(pair.kind, pair.features);
        if close.in_doubt {
            let paths = pair.points.map(|point| history.path(point));
            for (span, depth) in watched.pairs.stages(&features, window).spans() {
                let guarded = watched.rules.law.thickness(depth + 1);
                let approach = self.approach(pair, &paths, span, guarded);
                if let Some(approach) = approach {
                    let place = position_at(paths[0], approach.time);
                    return Some(hit(watched, features, depth, approach, place));
                }
            }
        }
        look_ahead(watched, features, close.widths, window)
    }

    /// Finds where two features come near a layer of thickness `guarded` (m) in `span` (s). Parts of the window whose
    /// path segments leave it open are checked between breakpoints.
    fn approach(
        &self,
        pair: &FeaturePair,
        paths: &[&[Breakpoint]; 4],
        span: [f64; 2],
        guarded: f64,
    ) -> Option<Approach> {
        let kind = pair.kind;
        (0..PARTS).find_map(|number| {
            let ends = &self.ends_of_parts[number..];
            let both = [ends[0].max(span[0]), ends[1].min(span[1])];
            // A single instant is a valid interval.
            if both[0] > both[1] {
                return None;
            }
            let chords = pair.points.map(|point| {
                let (_, place) = self.place_of_parts[point as usize];
                &self.parts[place as usize][number]
            });
            let (start, end) = chord_widths(kind, &chords);
            if start > guarded && end > guarded {
                return None;
            }
            let near = guarded * (1.0 + PROXIMITY);
            first_approach(kind, paths, both, guarded, near)
        })
    }

    fn look_at_planes(&mut self, watched: Watched<'_>, history: &History, window: [f64; 2]) {
        for (number, plane) in (0..).zip(watched.planes) {
            let needs: Vec<Option<Need>> = watched
                .vertices
                .par_iter()
                .enumerate()
                .with_min_len(AT_A_TIME)
                .map(|(point, vertex)| {
                    if vertex.inverse_mass <= 0.0 {
                        return None;
                    }
                    let features = Features::Plane(point as u32, number);
                    above_plane(watched, features, plane, history.path(point as u32), window)
                })
                .collect();
            self.note(needs);
        }
    }
}

/// The path segment of a point at rest (m).
fn at_rest(place: &Vector3<f64>) -> Chord {
    Chord {
        start: *place,
        end: *place,
        deviation: 0.0,
    }
}
