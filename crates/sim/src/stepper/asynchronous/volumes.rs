//! The broad phase: a k-DOP around the path of every vertex, and a hierarchy of the k-DOPs of triangles.

use super::pairs::Features;
use impinge_geometry::kinetic::{KDop, KDopTree, PairKind};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;

/// Intended travel of a vertex within its k-DOP, relative to its shortest edge: more gives more pairs, less gives more
/// events.
const REACH: f64 = 0.25;

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
    pub(super) of_point: Vec<KDop>,
    pub(super) tree: KDopTree,
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

    pub(super) fn of_face(&self, corners: &[u32; 3]) -> KDop {
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
    pub(super) fn refit(&mut self, surface: &CollisionSurface, point: u32) -> KDop {
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
    pub(super) fn search(
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
