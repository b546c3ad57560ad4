//! Fits the boxes of a tree to the points.

use super::block::Block;
use super::bounds::Bounds;
use super::features::{CLUSTER, Features, boxes_of};
use super::lanes::{LANES, Lanes, OnLanes, Portable, on_widest};
use super::tree::{Tree, left_half};

/// Clusters that one task refits: a power of two, so that it has whole blocks.
const CLUSTERS_PER_TASK: usize = 512;

/// Blocks of triangles of a cluster; only the last one may have fewer.
const FACE_BLOCKS: usize = CLUSTER.div_ceil(LANES);

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
}

/// Consecutive blocks of features.
struct Part<'a, const N: usize> {
    /// First block of each cluster of the tree.
    first: &'a [u32],
    points: &'a [[[u32; LANES]; N]],
    boxes: &'a mut [Block],
}

impl<'a, const N: usize> Part<'a, N> {
    fn all(features: &'a mut Features<N>) -> Self {
        Self {
            first: &features.first,
            points: &features.points,
            boxes: &mut features.boxes,
        }
    }

    /// The parts before and from the cluster `middle`; the first cluster here is `from`.
    fn cut(self, from: usize, middle: usize) -> (Self, Self) {
        let blocks = (self.first[middle] - self.first[from]) as usize;
        let (left_points, right_points) = self.points.split_at(blocks);
        let (left_boxes, right_boxes) = self.boxes.split_at_mut(blocks);
        let part = |points, boxes| Self {
            first: self.first,
            points,
            boxes,
        };
        (
            part(left_points, left_boxes),
            part(right_points, right_boxes),
        )
    }

    #[inline(always)]
    fn fit(self, lanes: impl Lanes, bounds: &[Bounds]) {
        for (boxes, points) in self.boxes.iter_mut().zip(self.points) {
            *boxes = Block::new(lanes, &boxes_of(lanes, points, bounds));
        }
    }
}

/// The boxes of consecutive clusters.
struct Subtree<'a> {
    clusters: &'a mut [Block],
    faces: Part<'a, 3>,
    vertices: Part<'a, 1>,
    edges: Part<'a, 2>,
}

impl Subtree<'_> {
    /// Fits the boxes of the clusters `from .. to`.
    ///
    /// The sums follow the tree, so they do not depend on the division among threads.
    fn fit(self, from: usize, to: usize, bounds: &[Bounds]) -> Areas {
        if to - from <= CLUSTERS_PER_TASK {
            return on_widest(Fit {
                subtree: self,
                bounds,
            });
        }
        let middle = from + left_half(to - from);
        let (left_clusters, right_clusters) = self.clusters.split_at_mut((middle - from) / LANES);
        let (left_faces, right_faces) = self.faces.cut(from, middle);
        let (left_vertices, right_vertices) = self.vertices.cut(from, middle);
        let (left_edges, right_edges) = self.edges.cut(from, middle);
        let left = Subtree {
            clusters: left_clusters,
            faces: left_faces,
            vertices: left_vertices,
            edges: left_edges,
        };
        let right = Subtree {
            clusters: right_clusters,
            faces: right_faces,
            vertices: right_vertices,
            edges: right_edges,
        };
        let (left, right) = rayon::join(
            || left.fit(from, middle, bounds),
            || right.fit(middle, to, bounds),
        );
        left.plus(right)
    }
}

/// Fits the boxes of a subtree in order.
struct Fit<'a, 'b> {
    subtree: Subtree<'a>,
    bounds: &'b [Bounds],
}

impl OnLanes for Fit<'_, '_> {
    type Output = Areas;

    #[inline(always)]
    fn run(self, lanes: impl Lanes) -> Areas {
        let Self { subtree, bounds } = self;
        let mut areas = Areas::default();
        let Part { points, boxes, .. } = subtree.faces;
        let one_block = FACE_BLOCKS * LANES;
        for ((clusters, boxes), points) in subtree
            .clusters
            .iter_mut()
            .zip(boxes.chunks_mut(one_block))
            .zip(points.chunks(one_block))
        {
            let mut wholes = [Bounds::EMPTY; LANES];
            for ((whole, boxes), points) in wholes
                .iter_mut()
                .zip(boxes.chunks_mut(FACE_BLOCKS))
                .zip(points.chunks(FACE_BLOCKS))
            {
                for (block, points) in boxes.iter_mut().zip(points) {
                    let faces = boxes_of(lanes, points, bounds);
                    for face in &faces {
                        *whole = whole.merged(lanes, face);
                    }
                    *block = Block::new(lanes, &faces);
                    areas.faces += block.half_areas();
                }
            }
            *clusters = Block::new(lanes, &wholes);
            areas.nodes += clusters.half_areas();
        }
        subtree.vertices.fit(lanes, bounds);
        subtree.edges.fit(lanes, bounds);
        areas
    }
}

impl Tree {
    /// Fits all boxes to those of the points, which have an empty one at the end for padding.
    ///
    /// Returns by which factor the tree has decayed since it was built; 1 or less for not at all.
    pub(super) fn refit(&mut self, bounds: &[Bounds]) -> f64 {
        let count = self.clusters();
        let Some((clusters, above)) = self.levels.split_first_mut() else {
            return 1.0;
        };
        let whole = Subtree {
            clusters,
            faces: Part::all(&mut self.faces),
            vertices: Part::all(&mut self.vertices),
            edges: Part::all(&mut self.edges),
        };
        let mut areas = whole.fit(0, count, bounds);
        // All levels together have a seventh as many boxes as there are clusters.
        let mut below: &[Block] = clusters;
        for level in above {
            for (block, below) in level.iter_mut().zip(below.chunks(LANES)) {
                let mut wholes = [Bounds::EMPTY; LANES];
                for (whole, below) in wholes.iter_mut().zip(below) {
                    *whole = below.whole();
                }
                *block = Block::new(Portable, &wholes);
                areas.nodes += block.half_areas();
            }
            below = level;
        }
        // The wasted work of a search grows with the boxes of the nodes, relative to those of the triangles.
        let growth = areas.nodes / areas.faces;
        if self.growth_when_built.is_nan() {
            self.growth_when_built = growth;
        }
        // Boxes of zero or infinite area give no measure.
        let decay = growth / self.growth_when_built;
        if decay.is_finite() { decay } else { 1.0 }
    }
}
