//! A balanced tree of clusters of triangles, laid out for reading in order.

use nalgebra::Vector3;

use super::block::Block;
use super::features::{CLUSTER, Features};
use super::lanes::LANES;
use crate::broad_phase::Aabb;
use crate::surface::CollisionSurface;

/// Triangles that one task builds.
const TRIANGLES_PER_TASK: usize = 4096;

/// Largest body, in triangles, that is kept together. A larger one may reach around others, so it is cut where its
/// triangles are.
const SMALL_BODY: u32 = 4096;

/// Body of a cluster with triangles of several bodies.
pub(super) const SEVERAL: u32 = u32::MAX;

/// A tree over some of the triangles of a surface, with the vertices and edges that they own.
///
/// It has no pointers: eight consecutive clusters share a block of boxes, as do eight consecutive blocks one level up,
/// and so on to a single block.
#[derive(Default)]
pub(super) struct Tree {
    /// Triangles in the order of the clusters.
    pub(super) faces: Features<3>,
    /// Vertices, each in the first cluster that has it.
    pub(super) vertices: Features<1>,
    /// Edges likewise.
    pub(super) edges: Features<2>,
    /// The body that all triangles of a cluster belong to, or [`SEVERAL`].
    pub(super) bodies: Vec<u32>,
    /// Boxes of the clusters, then of each eight blocks of the level below; the last level has one block.
    pub(super) levels: Vec<Vec<Block>>,
    /// Size of the boxes of the tree relative to those of the triangles when it was built.
    pub(super) growth_when_built: f64,
}

impl Tree {
    pub(super) fn clusters(&self) -> usize {
        self.bodies.len()
    }

    /// Builds the tree over `triangles`; refitting fills the boxes.
    ///
    /// Every subtree is cut at a median along the axis on which its triangles, or the small bodies they belong to,
    /// spread most.
    pub(super) fn build(
        &mut self,
        surface: &CollisionSurface,
        triangles: impl Iterator<Item = u32>,
        point_boxes: &[Aabb],
    ) {
        let mut bodies = vec![Aabb::EMPTY; surface.passive().len()];
        let mut triangles_of = vec![0_u32; surface.passive().len()];
        let mut centres = vec![Vector3::zeros(); surface.triangles().len()];
        let mut placed: Vec<Placed> = triangles
            .map(|triangle| {
                let corners = surface.triangles()[triangle as usize];
                let [a, b, c] = corners.map(|p| &point_boxes[p as usize]);
                let whole = a.merged(b).merged(c);
                let body = surface.body_of_point(corners[0]);
                bodies[body as usize] = bodies[body as usize].merged(&whole);
                triangles_of[body as usize] += 1;
                centres[triangle as usize] = centre_of(&whole);
                Placed {
                    place: centres[triangle as usize],
                    triangle,
                    body,
                }
            })
            .collect();
        for placed in &mut placed {
            let body = placed.body as usize;
            if triangles_of[body] <= SMALL_BODY {
                placed.place = centre_of(&bodies[body]);
            }
        }
        halve(&mut placed, &centres);
        self.gather_features(surface, &placed);
        self.levels.clear();
        let mut boxes = self.clusters();
        while boxes > 1 || (boxes == 1 && self.levels.is_empty()) {
            boxes = boxes.div_ceil(LANES);
            self.levels.push(vec![Block::EMPTY; boxes]);
        }
        self.growth_when_built = f64::NAN;
    }

    /// Lists the features of each cluster, vertices and edges where they occur first.
    fn gather_features(&mut self, surface: &CollisionSurface, placed: &[Placed]) {
        let nowhere = surface.point_count() as u32;
        let mut vertex_seen = vec![false; surface.point_count()];
        let mut edge_seen = vec![false; surface.edges().len()];
        self.faces.clear();
        self.vertices.clear();
        self.edges.clear();
        self.bodies.clear();
        for cluster in placed.chunks(CLUSTER) {
            let mut body = None;
            for &Placed { triangle, .. } in cluster {
                let corners = surface.triangles()[triangle as usize];
                self.faces.push(triangle, corners, nowhere);
                for vertex in corners {
                    if !std::mem::replace(&mut vertex_seen[vertex as usize], true) {
                        self.vertices.push(vertex, [vertex], nowhere);
                    }
                }
                for edge in surface.triangle_edges()[triangle as usize] {
                    if !std::mem::replace(&mut edge_seen[edge as usize], true) {
                        self.edges
                            .push(edge, surface.edges()[edge as usize], nowhere);
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
            self.faces.close_cluster();
            self.vertices.close_cluster();
            self.edges.close_cluster();
        }
        self.faces.close();
        self.vertices.close();
        self.edges.close();
    }
}

/// Clusters of the left child: a power of two, so that eight consecutive ones are always a subtree.
pub(super) fn left_half(count: usize) -> usize {
    count.next_power_of_two() / 2
}

/// A triangle and its place for the partition.
#[derive(Clone, Copy)]
struct Placed {
    /// Centre of its box, or of the box of its body if that is small.
    place: Vector3<f64>,
    triangle: u32,
    body: u32,
}

fn centre_of(whole: &Aabb) -> Vector3<f64> {
    // Halved first, so that the sum cannot overflow.
    whole.lower * 0.5 + whole.upper * 0.5
}

/// Orders triangles so that the clusters of every subtree are next to each other.
///
/// Small bodies are kept together down to the last cut: clusters of several bodies are larger than necessary, and meet
/// more others.
fn halve(triangles: &mut [Placed], centres: &[Vector3<f64>]) {
    let blocks = triangles.len().div_ceil(LANES);
    if blocks < 2 {
        return;
    }
    let body = triangles[0].body;
    let own = |placed: &Placed| centres[placed.triangle as usize];
    if triangles[0].place != own(&triangles[0]) && triangles.iter().all(|t| t.body == body) {
        for placed in &mut *triangles {
            placed.place = own(placed);
        }
    }
    let (lower, upper) = triangles.iter().fold(
        (triangles[0].place, triangles[0].place),
        |(lower, upper), t| (lower.inf(&t.place), upper.sup(&t.place)),
    );
    let axis = (upper - lower).imax();
    let middle = left_half(blocks) * LANES;
    // Ties by index: the order does not depend on the selection algorithm.
    triangles.select_nth_unstable_by(middle, |a, b| {
        a.place[axis]
            .total_cmp(&b.place[axis])
            .then_with(|| a.body.cmp(&b.body))
            .then_with(|| own(a)[axis].total_cmp(&own(b)[axis]))
            .then_with(|| a.triangle.cmp(&b.triangle))
    });
    let (left, right) = triangles.split_at_mut(middle);
    if blocks * LANES > TRIANGLES_PER_TASK {
        rayon::join(|| halve(left, centres), || halve(right, centres));
    } else {
        halve(left, centres);
        halve(right, centres);
    }
}
