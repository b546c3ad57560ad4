//! Broad phase on a bounding volume hierarchy that persists between calls.

use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::partitioning::{self, BvhBuildStrategy, BvhNode, BvhWorkspace, TraversalAction};

use super::{Aabb, BroadPhase, CandidateSet, assert_boxes};
use crate::surface::CollisionSurface;

/// Refitted trees are built anew once their inner boxes have grown by this factor relative to their leaves. Building
/// costs some fifty refits, while the boxes visited grow about as this factor does.
const REBUILD_DECAY: f64 = 1.6;

/// Broad phase on two binary trees of triangle boxes, one of the free and one of the passive bodies.
///
/// The trees are refitted from call to call and rebuilt if the number of triangles changes or their boxes have come to
/// overlap too much, so one value should live as long as its scene. It can be given any surface at any time; only speed
/// depends on the history, never the result.
///
/// Overlapping triangles are turned into pairs of features without a search for duplicates: a vertex is only looked at in
/// the one triangle that owns it, an edge likewise.
///
/// # Cost
/// `O(n)` for refitting, then about proportional to the number of overlapping triangle boxes; sorting the result costs
/// `O(k log k)`. No allocation once the buffers have grown, except when a tree is built for a new number of triangles.
#[derive(Default)]
pub struct Bvh {
    free: Tree,
    passive: Tree,
    /// Boxes of all triangles.
    face_boxes: Vec<Aabb>,
    /// Boxes of all edges.
    edge_boxes: Vec<Aabb>,
    /// What each triangle owns.
    owned: Vec<Owned>,
    workspace: BvhWorkspace,
}

/// Bit `i` says that a triangle owns its corner `i` or its side `i`.
#[derive(Clone, Copy, Default)]
struct Owned {
    corners: u8,
    sides: u8,
}

/// A persistent tree over some of the triangles.
#[derive(Default)]
struct Tree {
    /// Triangle of each leaf.
    triangles: Vec<u32>,
    bvh: partitioning::Bvh,
    leaves: usize,
    /// [`Tree::inner_growth`] when it was built.
    growth_when_built: f64,
}

impl Bvh {
    /// An empty broad phase; the trees grow at the first call.
    pub fn new() -> Self {
        Self::default()
    }

    fn bound_features(&mut self, surface: &CollisionSurface, point_boxes: &[Aabb]) {
        let of = |point: u32| &point_boxes[point as usize];
        self.face_boxes.clear();
        self.face_boxes.extend(
            surface
                .triangles()
                .iter()
                .map(|&[a, b, c]| of(a).merged(of(b)).merged(of(c))),
        );
        self.edge_boxes.clear();
        self.edge_boxes
            .extend(surface.edges().iter().map(|&[a, b]| of(a).merged(of(b))));
    }

    fn note_owners(&mut self, surface: &CollisionSurface) {
        self.owned.clear();
        self.owned
            .resize(surface.triangles().len(), Owned::default());
        for (vertex, &owner) in surface.vertices().iter().zip(surface.vertex_owners()) {
            let corners = &surface.triangles()[owner as usize];
            self.owned[owner as usize].corners |= position_bit(corners, *vertex);
        }
        for (edge, &owner) in (0..).zip(surface.edge_owners()) {
            let sides = &surface.triangle_edges()[owner as usize];
            self.owned[owner as usize].sides |= position_bit(sides, edge);
        }
    }

    fn sort_triangles(&mut self, surface: &CollisionSurface) {
        self.free.triangles.clear();
        self.passive.triangles.clear();
        for (triangle, corners) in (0..).zip(surface.triangles()) {
            if surface.is_passive_point(corners[0]) {
                self.passive.triangles.push(triangle);
            } else {
                self.free.triangles.push(triangle);
            }
        }
    }
}

impl BroadPhase for Bvh {
    fn collect(
        &mut self,
        surface: &CollisionSurface,
        point_boxes: &[Aabb],
        out: &mut CandidateSet,
    ) {
        assert_boxes(surface, point_boxes);
        out.clear();
        self.bound_features(surface, point_boxes);
        self.note_owners(surface);
        self.sort_triangles(surface);
        self.free.update(&self.face_boxes, &mut self.workspace);
        self.passive.update(&self.face_boxes, &mut self.workspace);

        let features = Features {
            surface,
            point_boxes,
            face_boxes: &self.face_boxes,
            edge_boxes: &self.edge_boxes,
            owned: &self.owned,
        };
        let (free, passive) = (&self.free, &self.passive);
        free.bvh
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
                features.pair_up(free.triangles[a as usize], free.triangles[b as usize], out);
            });
        for (a, b) in free.bvh.leaf_pairs(&passive.bvh, BvhNode::intersects) {
            features.pair_up(
                free.triangles[a as usize],
                passive.triangles[b as usize],
                out,
            );
        }
        out.sort();
    }
}

/// The bit of the place of `value` in `values`.
fn position_bit(values: &[u32; 3], value: u32) -> u8 {
    (0..3).fold(0, |bits, i| bits | (u8::from(values[i] == value) << i))
}

/// All that is needed to refine a pair of triangles into pairs of features.
struct Features<'a> {
    surface: &'a CollisionSurface,
    point_boxes: &'a [Aabb],
    face_boxes: &'a [Aabb],
    edge_boxes: &'a [Aabb],
    owned: &'a [Owned],
}

impl Features<'_> {
    /// Emits the overlapping pairs of what the two different triangles own.
    #[inline]
    fn pair_up(&self, a: u32, b: u32, out: &mut CandidateSet) {
        let triangles = self.surface.triangles();
        if !self
            .surface
            .may_touch(triangles[a as usize][0], triangles[b as usize][0])
        {
            return;
        }
        self.vertices_against_face(a, b, out);
        self.vertices_against_face(b, a, out);
        self.edges_against_edges(a, b, out);
    }

    #[inline]
    fn vertices_against_face(&self, owner: u32, face: u32, out: &mut CandidateSet) {
        let corners = &self.surface.triangles()[face as usize];
        let face_box = &self.face_boxes[face as usize];
        for (i, &vertex) in self.surface.triangles()[owner as usize].iter().enumerate() {
            if self.owned[owner as usize].corners & (1 << i) != 0
                && self.point_boxes[vertex as usize].overlaps(face_box)
                && !corners.contains(&vertex)
            {
                out.vertex_face.push([vertex, face]);
            }
        }
    }

    #[inline]
    fn edges_against_edges(&self, a: u32, b: u32, out: &mut CandidateSet) {
        let box_of_b = &self.face_boxes[b as usize];
        for (i, &first) in self.surface.triangle_edges()[a as usize].iter().enumerate() {
            let first_box = &self.edge_boxes[first as usize];
            if self.owned[a as usize].sides & (1 << i) == 0 || !first_box.overlaps(box_of_b) {
                continue;
            }
            let ends = &self.surface.edges()[first as usize];
            for (j, &second) in self.surface.triangle_edges()[b as usize].iter().enumerate() {
                if self.owned[b as usize].sides & (1 << j) != 0
                    && first_box.overlaps(&self.edge_boxes[second as usize])
                    && !self.surface.edges()[second as usize]
                        .iter()
                        .any(|end| ends.contains(end))
                {
                    out.edge_edge.push([first.min(second), first.max(second)]);
                }
            }
        }
    }
}

impl Tree {
    /// Brings the tree to the given boxes: refits, or builds if its number of leaves is new or it has decayed.
    fn update(&mut self, face_boxes: &[Aabb], workspace: &mut BvhWorkspace) {
        let leaf_boxes = self
            .triangles
            .iter()
            .map(|&triangle| to_parry(&face_boxes[triangle as usize]));
        if self.leaves != self.triangles.len() {
            self.leaves = self.triangles.len();
            self.bvh =
                partitioning::Bvh::from_iter(BvhBuildStrategy::Binned, leaf_boxes.enumerate());
            self.growth_when_built = self.inner_growth();
            return;
        }
        for (leaf, leaf_box) in (0..).zip(leaf_boxes) {
            self.bvh.insert_or_update_partially(leaf_box, leaf, 0.0);
        }
        self.bvh.refit_without_opt();
        if self.inner_growth() > REBUILD_DECAY * self.growth_when_built {
            self.bvh.rebuild(workspace, BvhBuildStrategy::Binned);
            // Lays the nodes out in depth-first order.
            self.bvh.refit(workspace);
            self.growth_when_built = self.inner_growth();
        }
    }

    /// Surface of all inner boxes per surface of all leaf boxes: what a traversal has to visit in vain.
    fn inner_growth(&self) -> f64 {
        let (mut inner, mut leaf) = (0.0, 0.0);
        self.bvh.traverse(|node| {
            let extent = node.maxs() - node.mins();
            let half_area = extent.x * (extent.y + extent.z) + extent.y * extent.z;
            if node.is_leaf() {
                leaf += half_area;
            } else {
                inner += half_area;
            }
            TraversalAction::Continue
        });
        if leaf > 0.0 { inner / leaf } else { 0.0 }
    }
}

/// The one place where boxes pass into the library's own vectors; its values are `f64` too, so nothing is rounded.
fn to_parry(from: &Aabb) -> ParryAabb {
    let vector = |v: &nalgebra::Vector3<f64>| ParryVector::new(v.x, v.y, v.z);
    ParryAabb::new(vector(&from.lower), vector(&from.upper))
}
