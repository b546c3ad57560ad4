//! All pairs of features whose boxes overlap, from the trees of boxes.

use wide::u32x4;

use super::block::{Block, LANES, Probe};
use super::features::Blocks;
use super::tree::{CLUSTER, SEVERAL, Tree};
use super::walk::Cluster;
use crate::broad_phase::{Aabb, CandidateSet};
use crate::surface::CollisionSurface;

/// What a search reads.
pub(super) struct Search<'a> {
    pub(super) surface: &'a CollisionSurface,
    pub(super) point_boxes: &'a [Aabb],
    pub(super) free: &'a Tree,
    pub(super) passive: &'a Tree,
    /// Boxes that still overlap when all faces of one are moved inwards by this (m) do so in double precision too.
    pub(super) margin: f32,
}

/// What is known of all pairs of two clusters.
#[derive(Clone, Copy)]
struct Kinship {
    /// They may share points.
    related: bool,
    /// Each pair is to be asked whether it is admitted at all.
    doubtful: bool,
}

impl Search<'_> {
    /// Appends the pairs of each free cluster of the range with itself, with later free ones and with passive ones.
    ///
    /// So each pair of clusters is met once, and as a feature is in one cluster only, so is each pair of features.
    pub(super) fn collect(&self, clusters: std::ops::Range<usize>, out: &mut CandidateSet) {
        for index in clusters {
            let probe = self.free.probe(index);
            let cluster = self.free.cluster(index);
            let body = self.free.bodies[index];
            if let Some(kinship) = self.kinship(body, body) {
                self.within(&cluster, kinship, out);
            }
            self.free.later(index, &probe, |other| {
                if let Some(kinship) = self.kinship(body, self.free.bodies[other]) {
                    self.between(&cluster, &probe, self.free, other, kinship, out);
                }
            });
            self.passive.all(&probe, |other| {
                if let Some(kinship) = self.kinship(body, self.passive.bodies[other]) {
                    self.between(&cluster, &probe, self.passive, other, kinship, out);
                }
            });
        }
    }

    /// What the bodies of two clusters say about their pairs; nothing if none is admitted.
    #[inline]
    fn kinship(&self, body: u32, other: u32) -> Option<Kinship> {
        let several = body == SEVERAL || other == SEVERAL;
        (several || self.surface.bodies_may_touch(body, other)).then(|| Kinship {
            related: several || body == other,
            doubtful: (several && self.surface.excludes_bodies()) || self.surface.has_attachments(),
        })
    }

    /// Pairs of one cluster with itself.
    fn within(&self, cluster: &Cluster<'_>, kinship: Kinship, out: &mut CandidateSet) {
        for block in 0..cluster.vertices.ids.len() {
            for lane in lanes(u64::from(used(cluster.vertices.ids[block]))) {
                let vertex = One::new(&cluster.vertices, block, lane);
                self.vertex_faces(&vertex, &cluster.faces, kinship, out);
            }
        }
        for block in 0..cluster.edges.ids.len() {
            let rest = cluster.edges.within(block..cluster.edges.ids.len());
            for lane in lanes(u64::from(used(cluster.edges.ids[block]))) {
                let edge = One::new(&cluster.edges, block, lane);
                // Of its own block, those after it.
                self.edge_edges(&edge, &rest, !1 << lane, kinship, out);
            }
        }
    }

    /// Pairs of two clusters; `probe` is the box of the first.
    #[inline]
    fn between(
        &self,
        cluster: &Cluster<'_>,
        probe: &Probe,
        tree: &Tree,
        other: usize,
        kinship: Kinship,
        out: &mut CandidateSet,
    ) {
        // Only what reaches into the other cluster's box can be in a pair, which is little of neighbours.
        let other_probe = tree.probe(other);
        let other = tree.cluster(other);
        let other_faces = other
            .faces
            .within(blocks(meeting(other.faces.boxes, probe)));
        if other_faces.ids.is_empty() {
            return;
        }
        let faces = cluster
            .faces
            .within(blocks(meeting(cluster.faces.boxes, &other_probe)));
        if faces.ids.is_empty() {
            return;
        }
        for place in lanes(meeting(cluster.vertices.boxes, &other_probe)) {
            let vertex = One::new(&cluster.vertices, place / LANES, place % LANES);
            self.vertex_faces(&vertex, &other_faces, kinship, out);
        }
        for place in lanes(meeting(other.vertices.boxes, probe)) {
            let vertex = One::new(&other.vertices, place / LANES, place % LANES);
            self.vertex_faces(&vertex, &faces, kinship, out);
        }
        // The fewer edges are taken one by one, the others four by four.
        let met = meeting(cluster.edges.boxes, &other_probe);
        let other_met = meeting(other.edges.boxes, probe);
        let (few, few_met, many, many_met) = if met.count_ones() <= other_met.count_ones() {
            (cluster.edges, met, other.edges, other_met)
        } else {
            (other.edges, other_met, cluster.edges, met)
        };
        let many = many.within(blocks(many_met));
        for place in lanes(few_met) {
            let edge = One::new(&few, place / LANES, place % LANES);
            self.edge_edges(&edge, &many, !0, kinship, out);
        }
    }

    #[inline]
    fn vertex_faces(
        &self,
        vertex: &One<1>,
        faces: &Blocks<'_, 3>,
        kinship: Kinship,
        out: &mut CandidateSet,
    ) {
        self.partners(vertex, faces, !0, kinship, |face| {
            out.vertex_face.push([vertex.id, face]);
        });
    }

    #[inline]
    fn edge_edges(
        &self,
        edge: &One<2>,
        edges: &Blocks<'_, 2>,
        among: u64,
        kinship: Kinship,
        out: &mut CandidateSet,
    ) {
        self.partners(edge, edges, among, kinship, |other| {
            out.edge_edge.push([edge.id.min(other), edge.id.max(other)]);
        });
    }

    /// Finds what makes a pair with `one` among the features that have a bit in `among`.
    #[inline]
    fn partners<const A: usize, const B: usize>(
        &self,
        one: &One<A>,
        others: &Blocks<'_, B>,
        among: u64,
        kinship: Kinship,
        mut found: impl FnMut(u32),
    ) {
        // All blocks are compared first: the processor foresees that, but not which of them meet.
        let mut met = 0;
        let blocks = others.boxes.iter().zip(others.points).enumerate();
        if kinship.related {
            for (block, (boxes, points)) in blocks {
                met |= u64::from(boxes.meets(&one.probe) & !sharing(one.points, points))
                    << (LANES * block);
            }
        } else {
            for (block, (boxes, _)) in blocks {
                met |= u64::from(boxes.meets(&one.probe)) << (LANES * block);
            }
        }
        met &= among;
        while met != 0 {
            let place = met.trailing_zeros() as usize;
            met &= met - 1;
            let (block, lane) = (place / LANES, place % LANES);
            if !kinship.doubtful & others.boxes[block].deeply_meets(lane, &one.probe, self.margin)
                || self.is_pair(
                    one.points,
                    others.points[block].each_ref().map(|p| p.as_array()[lane]),
                )
            {
                found(others.ids[block][lane]);
            }
        }
    }

    /// Whether two features are a pair, from the words of the definition. Rarely asked, and kept out of the loops.
    #[cold]
    #[inline(never)]
    fn is_pair<const A: usize, const B: usize>(&self, a: [u32; A], b: [u32; B]) -> bool {
        let of = |points: &[u32]| {
            let first = self.point_boxes[points[0] as usize];
            points[1..].iter().fold(first, |all, &point| {
                all.merged(&self.point_boxes[point as usize])
            })
        };
        self.surface.may_touch(&a, &b) && of(&a).overlaps(&of(&b))
    }
}

/// One feature, to be compared with others.
struct One<const N: usize> {
    id: u32,
    points: [u32; N],
    probe: Probe,
}

impl<const N: usize> One<N> {
    #[inline]
    fn new(features: &Blocks<'_, N>, block: usize, lane: usize) -> Self {
        Self {
            id: features.ids[block][lane],
            points: features.points[block]
                .each_ref()
                .map(|p| p.as_array()[lane]),
            probe: features.boxes[block].probe(lane),
        }
    }
}

/// A triangle owns at most three vertices and three edges, and all of a cluster have a bit.
const _: () = assert!(3 * CLUSTER <= u64::BITS as usize);

/// One bit for each box of a cluster that meets the probe.
#[inline]
fn meeting(boxes: &[Block], probe: &Probe) -> u64 {
    let mut met = 0;
    for (block, boxes) in boxes.iter().enumerate() {
        met |= u64::from(boxes.meets(probe)) << (LANES * block);
    }
    met
}

/// The blocks from the first to the last bit that is set.
#[inline]
fn blocks(met: u64) -> std::ops::Range<usize> {
    if met == 0 {
        return 0..0;
    }
    met.trailing_zeros() as usize / LANES..(63 - met.leading_zeros() as usize) / LANES + 1
}

/// One bit for each of four features that has a point in common with another one.
#[inline]
fn sharing<const A: usize, const B: usize>(one: [u32; A], others: &[u32x4; B]) -> u32 {
    let mut any = u32x4::ZERO;
    for point in one {
        let point = u32x4::splat(point);
        for other in others {
            any |= point.simd_eq(*other);
        }
    }
    any.to_bitmask()
}

/// The lanes of a block that are not padding.
#[inline]
fn used(ids: [u32; LANES]) -> u32 {
    (0..LANES).fold(0, |all, lane| {
        all | (u32::from(ids[lane] != u32::MAX) << lane)
    })
}

/// Numbers of the bits that are set.
#[inline]
fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lane
        })
    })
}
