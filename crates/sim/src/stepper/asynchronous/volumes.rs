//! The broad phase: a k-DOP around the path of every vertex, and a hierarchy of the k-DOPs of triangles.

use super::engine::Engine;
use super::pairs::Features;
use super::queue::{Event, EventKind};
use crate::error::asynchronous::Stop;
use impinge_geometry::kinetic::{KDop, KDopTree, MovingPoint, PairKind};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;

/// Intended travel of a vertex within its k-DOP, relative to its shortest edge: more gives more pairs, less gives more
/// events.
const REACH: f64 = 0.25;

/// Extra space of a k-DOP around a path, relative to the reach, so that a vertex at rest has some.
const SLACK: f64 = 0.05;

/// A k-DOP is kept if it holds for this part of the lifetime of a new one.
const WORTH_KEEPING: f64 = 0.3;

/// Indices by owner, in one list.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    fn new(owners: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; owners + 1];
        for (owner, _) in pairs.clone() {
            starts[owner as usize + 1] += 1;
        }
        for owner in 0..owners {
            starts[owner + 1] += starts[owner];
        }
        let mut entries = vec![0; starts[owners] as usize];
        let mut next = starts.clone();
        for (owner, entry) in pairs {
            let place = &mut next[owner as usize];
            entries[*place as usize] = entry;
            *place += 1;
        }
        Self { starts, entries }
    }

    /// Vertices and edges by the triangle that owns them.
    pub(super) fn owned(surface: &CollisionSurface) -> (Self, Self) {
        let triangles = surface.triangles().len();
        let vertices = surface
            .vertex_owners()
            .iter()
            .copied()
            .zip(surface.vertices().iter().copied());
        let edges = surface.edge_owners().iter().copied().zip(0..);
        (Self::new(triangles, vertices), Self::new(triangles, edges))
    }

    /// All entries of an owner.
    #[inline]
    pub(super) fn all_of(&self, owner: u32) -> &[u32] {
        &self.entries[self.of(owner)]
    }

    #[inline]
    fn of(&self, owner: u32) -> std::ops::Range<usize> {
        let owner = owner as usize;
        self.starts[owner] as usize..self.starts[owner + 1] as usize
    }
}

/// Volumes of vertices and triangles.
#[derive(Clone, Debug)]
pub(super) struct Volumes {
    /// Of each point, grown by half of the thickness of the first layer.
    of_point: Vec<KDop>,
    tree: KDopTree,
    faces_at: Lists,
    edges_at: Lists,
    vertices_owned: Lists,
    edges_owned: Lists,
    /// Intended travel of each point (m).
    pub(super) reach: Vec<f64>,
    pub(super) due: Vec<f64>,
    pub(super) generation: Vec<u32>,
    stack: Vec<u32>,
    found: Vec<u32>,
}

impl Volumes {
    pub(super) fn new(surface: &CollisionSurface, positions: &[Vector3<f64>]) -> Self {
        let points = surface.point_count();
        let triangles = surface.triangles();
        let numbered = || (0_u32..).zip(triangles);
        let (vertices_owned, edges_owned) = Lists::owned(surface);
        let mut reach = vec![f64::INFINITY; points];
        for &[a, b] in surface.edges() {
            let length = (positions[a as usize] - positions[b as usize]).norm();
            for point in [a, b] {
                reach[point as usize] = reach[point as usize].min(REACH * length);
            }
        }
        Self {
            of_point: vec![KDop::EMPTY; points],
            tree: KDopTree::of_surface(surface, positions),
            faces_at: Lists::new(
                points,
                numbered().flat_map(|(face, corners)| corners.map(|point| (point, face))),
            ),
            edges_at: Lists::new(
                points,
                (0_u32..)
                    .zip(surface.edges())
                    .flat_map(|(edge, ends)| ends.map(|point| (point, edge))),
            ),
            vertices_owned,
            edges_owned,
            reach,
            due: vec![f64::INFINITY; points],
            generation: vec![0; points],
            stack: Vec::new(),
            found: Vec::new(),
        }
    }

    fn of_edge(&self, ends: [u32; 2]) -> KDop {
        self.of_point[ends[0] as usize].merged(&self.of_point[ends[1] as usize])
    }

    fn of_face(&self, corners: &[u32; 3]) -> KDop {
        self.of_edge([corners[0], corners[1]])
            .merged(&self.of_point[corners[2] as usize])
    }

    /// Whether the k-DOPs of two features overlap, each grown by half of the first layer's thickness.
    pub(super) fn overlap(&self, surface: &CollisionSurface, features: &Features) -> bool {
        match *features {
            Features::Plane(..) => true,
            Features::Two(PairKind::VertexFace, [vertex, face]) => {
                self.of_point[vertex as usize].overlaps(self.tree.volume(face))
            }
            Features::Two(PairKind::EdgeEdge, edges) => {
                let [a, b] = edges.map(|edge| self.of_edge(surface.edges()[edge as usize]));
                a.overlaps(&b)
            }
        }
    }

    /// Updates the triangles at `point` for its k-DOP; returns the union of their k-DOPs.
    fn refit(&mut self, surface: &CollisionSurface, point: u32) -> KDop {
        let mut star = self.of_point[point as usize];
        for index in self.faces_at.of(point) {
            let face = self.faces_at.entries[index];
            let volume = self.of_face(&surface.triangles()[face as usize]);
            self.tree.set(face, volume);
            star = star.merged(&volume);
        }
        star
    }

    /// Appends pairs of a feature of `point` and another one whose k-DOPs overlap; `star` contains all triangles at
    /// `point`.
    fn search(
        &mut self,
        surface: &CollisionSurface,
        point: u32,
        star: &KDop,
        out: &mut Vec<Features>,
    ) {
        self.found.clear();
        self.tree.query(star, &mut self.stack, &mut self.found);
        let body = surface.body_of_point(point);
        for &face in &self.found {
            let corners = &surface.triangles()[face as usize];
            if !surface.bodies_may_touch(body, surface.body_of_point(corners[0])) {
                continue;
            }
            let volume = self.tree.volume(face);
            if self.of_point[point as usize].overlaps(volume)
                && surface.may_touch(&[point], corners)
            {
                out.push(Features::Two(PairKind::VertexFace, [point, face]));
            }
            for index in self.vertices_owned.of(face) {
                let vertex = self.vertices_owned.entries[index];
                let own = &self.of_point[vertex as usize];
                if !own.overlaps(star) {
                    continue;
                }
                for index in self.faces_at.of(point) {
                    let face = self.faces_at.entries[index];
                    if own.overlaps(self.tree.volume(face))
                        && surface.may_touch(&[vertex], &surface.triangles()[face as usize])
                    {
                        out.push(Features::Two(PairKind::VertexFace, [vertex, face]));
                    }
                }
            }
            for index in self.edges_owned.of(face) {
                let edge = self.edges_owned.entries[index];
                let ends = &surface.edges()[edge as usize];
                let own = self.of_edge(*ends);
                if !own.overlaps(star) {
                    continue;
                }
                for index in self.edges_at.of(point) {
                    let other = self.edges_at.entries[index];
                    let other_ends = &surface.edges()[other as usize];
                    if own.overlaps(&self.of_edge(*other_ends))
                        && surface.may_touch(ends, other_ends)
                    {
                        let both = [edge.min(other), edge.max(other)];
                        out.push(Features::Two(PairKind::EdgeEdge, both));
                    }
                }
            }
        }
    }
}

impl Engine {
    /// Initial k-DOPs, pairs and certificates.
    pub(super) fn start_volumes(&mut self) -> Result<(), Stop> {
        let surface = self.surface.clone();
        for &point in surface.vertices() {
            let moving = self.moving_point(point, self.now);
            self.rebuild_volume(point, &moving)?;
        }
        for (face, corners) in (0..).zip(surface.triangles()) {
            let volume = self.volumes.of_face(corners);
            self.volumes.tree.set(face, volume);
        }
        for &point in surface.vertices() {
            let star = self.volumes.refit(&surface, point);
            self.meet(point, &star)?;
        }
        if !self.settings.culling {
            self.take_up_everything(&surface)?;
        }
        Ok(())
    }

    /// Without culling, every pair is watched from the start.
    fn take_up_everything(&mut self, surface: &CollisionSurface) -> Result<(), Stop> {
        for (face, corners) in (0..).zip(surface.triangles()) {
            for &vertex in surface.vertices() {
                let features = Features::Two(PairKind::VertexFace, [vertex, face]);
                if surface.may_touch(&[vertex], corners) && !self.pairs.knows(&features) {
                    self.take_up(features)?;
                }
            }
        }
        for (first, ends) in (0..).zip(surface.edges()) {
            for (second, other) in (0..).zip(surface.edges()).skip(first as usize + 1) {
                let features = Features::Two(PairKind::EdgeEdge, [first, second]);
                if surface.may_touch(ends, other) && !self.pairs.knows(&features) {
                    self.take_up(features)?;
                }
            }
        }
        Ok(())
    }

    /// A vertex may leave its k-DOP: the event is rescheduled, or the k-DOP rebuilt.
    pub(super) fn volume_event(&mut self, point: u32, time: f64) -> Result<(), Stop> {
        self.statistics.volume_lapses += 1;
        self.narrow_velocity_bound(point, time)?;
        let moving = self.moving_point(point, time);
        let wait = self.volumes.of_point[point as usize].exit_time(&moving, self.half_thickness);
        let least = WORTH_KEEPING * self.volume_duration(point, &moving);
        if wait >= least.max(self.settings.shortest_stay) {
            self.schedule_volume(point, time + wait);
            return Ok(());
        }
        self.statistics.volumes_rebuilt += 1;
        self.rebuild_volume(point, &moving)?;
        let surface = self.surface.clone();
        let star = self.volumes.refit(&surface, point);
        self.part(point);
        self.meet(point, &star)
    }

    /// Reschedules the k-DOP of a vertex with a new velocity bound.
    pub(super) fn redate_volume(&mut self, point: u32, time: f64) {
        let moving = self.moving_point(point, time);
        let wait = self.volumes.of_point[point as usize].exit_time(&moving, self.half_thickness);
        if time + wait < self.volumes.due[point as usize] {
            self.schedule_volume(point, time + wait);
        }
    }

    /// Intended lifetime of a new k-DOP (s).
    fn volume_duration(&self, point: u32, moving: &MovingPoint) -> f64 {
        let reach = self.volumes.reach[point as usize];
        let speed = moving.velocity.norm() + moving.deviation;
        self.settings.volume_life.min(reach / speed)
    }

    fn rebuild_volume(&mut self, point: u32, moving: &MovingPoint) -> Result<(), Stop> {
        let duration = self.volume_duration(point, moving);
        let margin = self.half_thickness + SLACK * self.volumes.reach[point as usize];
        let volume = KDop::of_path(moving, duration, margin);
        let wait = volume.exit_time(moving, self.half_thickness);
        if wait.is_nan() || wait < self.settings.shortest_stay || self.now + wait <= self.now {
            return Err(self.restless(point));
        }
        self.volumes.of_point[point as usize] = volume;
        self.schedule_volume(point, self.now + wait);
        Ok(())
    }

    /// Under speculation, checks that every vertex stays near for long enough.
    pub(super) fn check_stays(&self) -> Result<(), Stop> {
        let watched = self.surface.vertices().iter().copied();
        let mut restless = watched.filter(|&point| {
            let vertex = &self.vertices[point as usize];
            let reach = self.volumes.reach[point as usize];
            let stay = reach / vertex.velocity.norm();
            vertex.inverse_mass > 0.0 && stay < self.settings.shortest_stay
        });
        restless
            .next()
            .map_or(Ok(()), |point| Err(self.restless(point)))
    }

    fn restless(&self, point: u32) -> Stop {
        let vertex = &self.vertices[point as usize];
        Stop::Restless {
            time: self.now,
            point: point as usize,
            place: vertex.at(self.now).into(),
            speed: vertex.velocity.norm(),
        }
    }

    fn schedule_volume(&mut self, point: u32, due: f64) {
        let index = point as usize;
        self.volumes.generation[index] += 1;
        self.volumes.due[index] = due;
        self.queue.push(Event {
            time: due,
            kind: EventKind::Volume,
            id: point,
            generation: self.volumes.generation[index],
        });
    }

    /// Removes the pairs of `point` whose k-DOPs are now separate.
    fn part(&mut self, point: u32) {
        if !self.settings.culling {
            return;
        }
        let mut index = 0;
        while index < self.pairs.count_at(point) {
            let id = self.pairs.at(point, index);
            let pair = self.pairs.get(id);
            if pair.proximity.depth == 0 && !self.volumes.overlap(&self.surface, &pair.features) {
                self.statistics.pairs_dropped += 1;
                self.pairs.remove(id);
            } else {
                index += 1;
            }
        }
    }

    /// Adds the new pairs of features at `point`.
    fn meet(&mut self, point: u32, star: &KDop) -> Result<(), Stop> {
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        self.volumes.search(&self.surface, point, star, &mut met);
        for features in met.drain(..) {
            if !self.pairs.knows(&features) {
                self.take_up(features)?;
            }
        }
        self.met = met;
        Ok(())
    }
}
