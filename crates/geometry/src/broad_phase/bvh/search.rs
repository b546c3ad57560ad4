//! All pairs of features whose boxes overlap, from the trees of boxes.

use super::bounds::{Bounds, Reach};
use super::tree::{CLUSTER, Features, SEVERAL, Tree};
use crate::broad_phase::{Aabb, CandidateSet};
use crate::surface::CollisionSurface;

/// A triangle owns at most three vertices and three edges.
const MOST_OWNED: usize = 3 * CLUSTER;

/// What a search reads.
pub(super) struct Search<'a> {
    pub(super) surface: &'a CollisionSurface,
    pub(super) point_boxes: &'a [Aabb],
    pub(super) free: &'a Tree,
    pub(super) passive: &'a Tree,
}

/// Some features of a cluster.
#[derive(Clone, Copy)]
struct Chosen<const N: usize> {
    count: usize,
    /// Feature in the surface, and its box.
    features: [(u32, Bounds); N],
}

impl<const N: usize> Chosen<N> {
    /// The features of a cluster that meet `reach`.
    #[inline]
    fn new(features: &Features, cluster: usize, reach: &Reach) -> Self {
        let mut chosen = Self {
            count: 0,
            features: [(0, Bounds::EMPTY); N],
        };
        let own = features.of(cluster);
        for (&id, bounds) in features.ids[own.clone()].iter().zip(&features.bounds[own]) {
            if bounds.meets(reach) && chosen.count < N {
                chosen.features[chosen.count] = (id, *bounds);
                chosen.count += 1;
            }
        }
        chosen
    }

    #[inline]
    fn iter(&self) -> impl Iterator<Item = &(u32, Bounds)> {
        self.features[..self.count].iter()
    }
}

impl Search<'_> {
    /// Appends the pairs of each free cluster of the range with itself, with later free ones and with passive ones.
    ///
    /// So each pair of clusters is met once, and as a feature is in one cluster only, so is each pair of features.
    pub(super) fn collect(&self, clusters: std::ops::Range<usize>, out: &mut CandidateSet) {
        for cluster in clusters {
            let leaf = self.free.leaves[cluster] as usize;
            let reach = self.free.nodes[leaf].reach();
            let body = self.free.bodies[cluster];
            self.within(cluster, out);
            // All later clusters are in the nodes after this leaf.
            for (tree, first) in [(self.free, leaf + 1), (self.passive, 0)] {
                let mut node = first;
                while node < tree.nodes.len() {
                    let next = tree.skip[node] as usize;
                    if !tree.nodes[node].meets(&reach) {
                        node = next;
                        continue;
                    }
                    node += 1;
                    if next == node {
                        let other = tree.first_cluster[node - 1] as usize;
                        if self.may_pair(body, tree.bodies[other]) {
                            self.between(cluster, &reach, tree, other, out);
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn may_pair(&self, body: u32, other: u32) -> bool {
        body == SEVERAL || other == SEVERAL || self.surface.bodies_may_touch(body, other)
    }

    /// Pairs of one free cluster with itself.
    fn within(&self, cluster: usize, out: &mut CandidateSet) {
        let body = self.free.bodies[cluster];
        if !self.may_pair(body, body) {
            return;
        }
        let tree = self.free;
        for vertex in tree.vertices.of(cluster) {
            let reach = tree.vertices.bounds[vertex].reach();
            for face in tree.faces.of(cluster) {
                if tree.faces.bounds[face].meets(&reach) {
                    self.vertex_face(tree.vertices.ids[vertex], tree.faces.ids[face], out);
                }
            }
        }
        let edges = tree.edges.of(cluster);
        for first in edges.clone() {
            let reach = tree.edges.bounds[first].reach();
            for second in first + 1..edges.end {
                if tree.edges.bounds[second].meets(&reach) {
                    self.edge_edge(tree.edges.ids[first], tree.edges.ids[second], out);
                }
            }
        }
    }

    /// Pairs of a free cluster with another cluster.
    fn between(
        &self,
        cluster: usize,
        reach: &Reach,
        tree: &Tree,
        other: usize,
        out: &mut CandidateSet,
    ) {
        // Only what reaches into the other cluster's box can be in a pair, which is little of neighbours.
        let other_reach = tree.nodes[tree.leaves[other] as usize].reach();
        let faces = Chosen::<CLUSTER>::new(&self.free.faces, cluster, &other_reach);
        if faces.count == 0 {
            return;
        }
        let other_faces = Chosen::<CLUSTER>::new(&tree.faces, other, reach);
        if other_faces.count == 0 {
            return;
        }
        let vertices = Chosen::<MOST_OWNED>::new(&self.free.vertices, cluster, &other_reach);
        let other_vertices = Chosen::<MOST_OWNED>::new(&tree.vertices, other, reach);
        let edges = Chosen::<MOST_OWNED>::new(&self.free.edges, cluster, &other_reach);
        let other_edges = Chosen::<MOST_OWNED>::new(&tree.edges, other, reach);
        self.vertices_faces(&vertices, &other_faces, out);
        self.vertices_faces(&other_vertices, &faces, out);
        for (first, bounds) in edges.iter() {
            let reach = bounds.reach();
            for (second, other) in other_edges.iter() {
                if other.meets(&reach) {
                    self.edge_edge(*first, *second, out);
                }
            }
        }
    }

    #[inline]
    fn vertices_faces(
        &self,
        vertices: &Chosen<MOST_OWNED>,
        faces: &Chosen<CLUSTER>,
        out: &mut CandidateSet,
    ) {
        for (vertex, bounds) in vertices.iter() {
            let reach = bounds.reach();
            for (face, other) in faces.iter() {
                if other.meets(&reach) {
                    self.vertex_face(*vertex, *face, out);
                }
            }
        }
    }

    /// Emits the pair if it is one in double precision too.
    #[inline]
    fn vertex_face(&self, vertex: u32, face: u32, out: &mut CandidateSet) {
        let corners = self.surface.triangles()[face as usize];
        if self.surface.may_touch(&[vertex], &corners) && self.overlap([vertex], corners) {
            out.vertex_face.push([vertex, face]);
        }
    }

    #[inline]
    fn edge_edge(&self, first: u32, second: u32, out: &mut CandidateSet) {
        let (ends, other) = (
            self.surface.edges()[first as usize],
            self.surface.edges()[second as usize],
        );
        if self.surface.may_touch(&ends, &other) && self.overlap(ends, other) {
            out.edge_edge.push([first.min(second), first.max(second)]);
        }
    }

    #[inline]
    fn overlap<const A: usize, const B: usize>(&self, a: [u32; A], b: [u32; B]) -> bool {
        let of = |points: &[u32]| {
            let first = self.point_boxes[points[0] as usize];
            points[1..].iter().fold(first, |all, &point| {
                all.merged(&self.point_boxes[point as usize])
            })
        };
        of(&a).overlaps(&of(&b))
    }
}
