//! A balanced binary tree of clusters of triangles, laid out for reading in order.

use nalgebra::Vector3;

use super::bounds::Bounds;
use crate::broad_phase::Aabb;
use crate::surface::CollisionSurface;

/// Triangles per leaf: with their share of edges and vertices some thirty boxes of 32 bytes, read in one go.
pub(super) const CLUSTER: usize = 8;

/// Triangles that one task builds, clusters that one task refits.
const TRIANGLES_PER_TASK: usize = 4096;
const CLUSTERS_PER_TASK: usize = 512;

/// Stands for the body of a cluster with several.
pub(super) const SEVERAL: u32 = u32::MAX;

/// A tree over some of the triangles of a surface, with the vertices and edges that they own.
///
/// The tree has no pointers: it is cut in halves of clusters, left half rounded up, and its nodes stand in depth-first
/// order, so a subtree of `m` clusters takes `2m − 1` consecutive nodes, left child first.
#[derive(Default)]
pub(super) struct Tree {
    /// Triangles in the order of the clusters.
    pub(super) faces: Features,
    /// Vertices, each in the first cluster that has it.
    pub(super) vertices: Features,
    /// Edges likewise.
    pub(super) edges: Features,
    /// The body that all triangles of a cluster belong to, or [`SEVERAL`].
    pub(super) bodies: Vec<u32>,
    /// Boxes of the nodes.
    pub(super) nodes: Vec<Bounds>,
    /// For each node the one after its subtree; for a leaf that is the next node.
    pub(super) skip: Vec<u32>,
    /// For each node its first cluster.
    pub(super) first_cluster: Vec<u32>,
    /// For each cluster its node.
    pub(super) leaves: Vec<u32>,
    /// [`Areas::growth`] when it was built.
    growth_when_built: f64,
}

/// Features of one kind in the order of the clusters.
#[derive(Default)]
pub(super) struct Features {
    /// Index of each in the surface.
    pub(super) ids: Vec<u32>,
    /// Box of each.
    pub(super) bounds: Vec<Bounds>,
    /// For each cluster its first; one more at the end.
    pub(super) first: Vec<u32>,
}

impl Features {
    fn clear(&mut self) {
        self.ids.clear();
        self.first.clear();
        self.first.push(0);
    }

    fn close_cluster(&mut self) {
        self.first.push(self.ids.len() as u32);
    }

    #[inline]
    pub(super) fn of(&self, cluster: usize) -> std::ops::Range<usize> {
        self.first[cluster] as usize..self.first[cluster + 1] as usize
    }
}

/// Sums of surface areas, the measure of how well a tree fits.
#[derive(Clone, Copy, Default)]
struct Areas {
    nodes: f64,
    faces: f64,
}

impl Areas {
    fn plus(self, other: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes,
            faces: self.faces + other.faces,
        }
    }

    /// Area of all boxes of nodes per area of the boxes of triangles: what a search has to look at in vain.
    fn growth(self) -> f64 {
        if self.faces > 0.0 {
            self.nodes / self.faces
        } else {
            0.0
        }
    }
}

impl Tree {
    pub(super) fn clusters(&self) -> usize {
        self.leaves.len()
    }

    /// Builds the tree anew over `triangles`; boxes are left to [`refit`](Self::refit).
    ///
    /// Every subtree is halved at the median along the axis on which its triangles' centres spread most.
    pub(super) fn build(
        &mut self,
        surface: &CollisionSurface,
        triangles: impl Iterator<Item = u32>,
        point_boxes: &[Aabb],
    ) {
        let mut centred: Vec<Centred> = triangles
            .map(|triangle| {
                let [a, b, c] =
                    surface.triangles()[triangle as usize].map(|p| &point_boxes[p as usize]);
                let whole = a.merged(b).merged(c);
                // Halved first, so that the sum cannot overflow.
                (whole.lower * 0.5 + whole.upper * 0.5, triangle)
            })
            .collect();
        halve(&mut centred);

        let clusters = centred.len().div_ceil(CLUSTER);
        self.gather_features(surface, &centred);
        self.skip.clear();
        self.first_cluster.clear();
        self.leaves.clear();
        self.number_nodes(0, clusters);
        self.nodes.clear();
        self.nodes.resize(self.skip.len(), Bounds::EMPTY);
        for features in [&mut self.faces, &mut self.vertices, &mut self.edges] {
            features.bounds.clear();
            features.bounds.resize(features.ids.len(), Bounds::EMPTY);
        }
        self.growth_when_built = f64::NAN;
    }

    /// Lists the features of each cluster, vertices and edges where they occur first.
    fn gather_features(&mut self, surface: &CollisionSurface, centred: &[Centred]) {
        let mut vertex_seen = vec![false; surface.point_count()];
        let mut edge_seen = vec![false; surface.edges().len()];
        for features in [&mut self.faces, &mut self.vertices, &mut self.edges] {
            features.clear();
        }
        self.bodies.clear();
        for cluster in centred.chunks(CLUSTER) {
            let mut body = None;
            for &(_, triangle) in cluster {
                self.faces.ids.push(triangle);
                let corners = surface.triangles()[triangle as usize];
                for vertex in corners {
                    if !std::mem::replace(&mut vertex_seen[vertex as usize], true) {
                        self.vertices.ids.push(vertex);
                    }
                }
                for edge in surface.triangle_edges()[triangle as usize] {
                    if !std::mem::replace(&mut edge_seen[edge as usize], true) {
                        self.edges.ids.push(edge);
                    }
                }
                let own = surface.body_of_point(corners[0]);
                body = Some(match body {
                    None => own,
                    Some(body) if body == own => own,
                    Some(_) => SEVERAL,
                });
            }
            self.bodies.extend(body);
            for features in [&mut self.faces, &mut self.vertices, &mut self.edges] {
                features.close_cluster();
            }
        }
    }

    /// Appends the nodes over the clusters `from .. to`.
    fn number_nodes(&mut self, from: usize, to: usize) {
        let count = to - from;
        if count == 0 {
            return;
        }
        let node = self.skip.len();
        self.skip.push((node + 2 * count - 1) as u32);
        self.first_cluster.push(from as u32);
        if count == 1 {
            self.leaves.push(node as u32);
        } else {
            let middle = from + left_half(count);
            self.number_nodes(from, middle);
            self.number_nodes(middle, to);
        }
    }

    /// Fits all boxes to the points; the return value is how much worse the tree has become since it was built, 1 or
    /// less for not at all.
    pub(super) fn refit(&mut self, surface: &CollisionSurface, point_bounds: &[Bounds]) -> f64 {
        let clusters = self.clusters();
        if clusters == 0 {
            return 1.0;
        }
        let refit = Refit {
            surface,
            point_bounds,
            faces: &self.faces.ids,
            vertices: &self.vertices.ids,
            edges: &self.edges.ids,
            firsts: [&self.faces.first, &self.vertices.first, &self.edges.first],
        };
        let boxes = Boxes {
            nodes: &mut self.nodes,
            features: [
                &mut self.faces.bounds,
                &mut self.vertices.bounds,
                &mut self.edges.bounds,
            ],
        };
        let (_, areas) = refit.subtree(0, clusters, boxes);
        let growth = areas.growth();
        if self.growth_when_built.is_nan() {
            self.growth_when_built = growth;
        }
        // Boxes without area, or areas beyond all numbers, say nothing.
        let decay = growth / self.growth_when_built;
        if decay.is_finite() { decay } else { 1.0 }
    }
}

/// Clusters of the left child.
fn left_half(count: usize) -> usize {
    count.div_ceil(2)
}

/// Centre of a triangle's box, and the triangle.
type Centred = (Vector3<f64>, u32);

/// Orders triangles so that both halves of clusters, and so on, are next to each other.
fn halve(triangles: &mut [Centred]) {
    let clusters = triangles.len().div_ceil(CLUSTER);
    if clusters < 2 {
        return;
    }
    let (lower, upper) = triangles.iter().fold(
        (triangles[0].0, triangles[0].0),
        |(lower, upper), (centre, _)| (lower.inf(centre), upper.sup(centre)),
    );
    let axis = (upper - lower).imax();
    let middle = left_half(clusters) * CLUSTER;
    // Ties by index: the order does not depend on how the selection goes about it.
    triangles.select_nth_unstable_by(middle, |(a, i), (b, j)| {
        a[axis].total_cmp(&b[axis]).then(i.cmp(j))
    });
    let (left, right) = triangles.split_at_mut(middle);
    if clusters * CLUSTER > TRIANGLES_PER_TASK {
        rayon::join(|| halve(left), || halve(right));
    } else {
        halve(left);
        halve(right);
    }
}

/// What a refit reads.
struct Refit<'a> {
    surface: &'a CollisionSurface,
    point_bounds: &'a [Bounds],
    faces: &'a [u32],
    vertices: &'a [u32],
    edges: &'a [u32],
    /// First face, vertex and edge of each cluster.
    firsts: [&'a [u32]; 3],
}

/// What a refit writes: the boxes of some clusters.
struct Boxes<'a> {
    nodes: &'a mut [Bounds],
    /// Faces, vertices, edges.
    features: [&'a mut [Bounds]; 3],
}

impl Refit<'_> {
    /// Fits the subtree over the clusters `from .. to`, whose boxes are `boxes`.
    ///
    /// The sums follow the tree, so they do not depend on how it is divided among threads.
    fn subtree(&self, from: usize, to: usize, boxes: Boxes<'_>) -> (Bounds, Areas) {
        if to - from == 1 {
            return self.cluster(from, boxes);
        }
        let left_count = left_half(to - from);
        let middle = from + left_count;
        let Some((node, nodes)) = boxes.nodes.split_first_mut() else {
            return (Bounds::EMPTY, Areas::default());
        };
        let (left_nodes, right_nodes) = nodes.split_at_mut(2 * left_count - 1);
        let [faces, vertices, edges] = boxes.features;
        let cut = |kind: usize| (self.firsts[kind][middle] - self.firsts[kind][from]) as usize;
        let (left_faces, right_faces) = faces.split_at_mut(cut(0));
        let (left_vertices, right_vertices) = vertices.split_at_mut(cut(1));
        let (left_edges, right_edges) = edges.split_at_mut(cut(2));
        let left = Boxes {
            nodes: left_nodes,
            features: [left_faces, left_vertices, left_edges],
        };
        let right = Boxes {
            nodes: right_nodes,
            features: [right_faces, right_vertices, right_edges],
        };
        let ((left, left_areas), (right, right_areas)) = if to - from > CLUSTERS_PER_TASK {
            rayon::join(
                || self.subtree(from, middle, left),
                || self.subtree(middle, to, right),
            )
        } else {
            (
                self.subtree(from, middle, left),
                self.subtree(middle, to, right),
            )
        };
        *node = left.merged(right);
        let mut areas = left_areas.plus(right_areas);
        areas.nodes += node.half_area();
        (*node, areas)
    }

    #[inline]
    fn cluster(&self, cluster: usize, boxes: Boxes<'_>) -> (Bounds, Areas) {
        let own = |kind: usize| {
            self.firsts[kind][cluster] as usize..self.firsts[kind][cluster + 1] as usize
        };
        let point = |point: u32| self.point_bounds[point as usize];
        let [faces, vertices, edges] = boxes.features;
        let (mut whole, mut areas) = (Bounds::EMPTY, Areas::default());
        for (bounds, &face) in faces.iter_mut().zip(&self.faces[own(0)]) {
            let [a, b, c] = self.surface.triangles()[face as usize].map(point);
            *bounds = a.merged(b).merged(c);
            whole = whole.merged(*bounds);
            areas.faces += bounds.half_area();
        }
        for (bounds, &vertex) in vertices.iter_mut().zip(&self.vertices[own(1)]) {
            *bounds = point(vertex);
        }
        for (bounds, &edge) in edges.iter_mut().zip(&self.edges[own(2)]) {
            let [a, b] = self.surface.edges()[edge as usize].map(point);
            *bounds = a.merged(b);
        }
        for node in boxes.nodes {
            *node = whole;
        }
        areas.nodes = whole.half_area();
        (whole, areas)
    }
}
