//! All pairs of features whose boxes overlap, from the trees of boxes.

use super::features::{Blocks, CLUSTER};
use super::gathered::{BLOCKS, Feature, Gathered};
use super::hits::Hits;
use super::lanes::{LANES, Lanes, OnLanes, on_widest};
use super::tree::{SEVERAL, Tree};
use crate::broad_phase::{Aabb, CandidateSet};
use crate::surface::CollisionSurface;

/// Input of a search.
pub(super) struct Search<'a> {
    pub(super) surface: &'a CollisionSurface,
    pub(super) point_boxes: &'a [Aabb],
    pub(super) free: &'a Tree,
    pub(super) passive: &'a Tree,
    /// If boxes still overlap with all faces of one moved inwards by this (m), they overlap in double precision too.
    pub(super) margin: f32,
}

/// Scratch of a search.
#[derive(Default)]
pub(super) struct Scratch {
    partners: Partners,
    lists: Lists,
}

/// Features gathered from the partners of a cluster, and their overlaps with its own.
#[derive(Default)]
struct Lists {
    faces: Gathered<3>,
    vertices: Gathered<1>,
    edges: Gathered<2>,
    hits: Hits,
}

/// Clusters that the present one may have pairs with.
#[derive(Default)]
struct Partners {
    /// Partners whose pairs are decided by boxes and common points.
    plain: Vec<Partner>,
    /// Partners whose pairs the filter of the surface must admit one by one.
    doubtful: Vec<Partner>,
}

/// A cluster and some of its partners.
#[derive(Clone, Copy)]
struct ClusterPartners<'a> {
    cluster: usize,
    partners: &'a [Partner],
    /// Whether the filter of the surface must admit their pairs one by one.
    doubtful: bool,
}

/// Features of a cluster, and the list that they are compared with.
struct Comparison<'a, const A: usize, const B: usize> {
    own: &'a Blocks<'a, A>,
    others: &'a Gathered<B>,
    /// Whether the filter of the surface must admit the pairs one by one.
    doubtful: bool,
}

/// A cluster that the present one may have pairs with.
#[derive(Clone, Copy)]
enum Partner {
    Itself,
    Free(u32),
    Passive(u32),
}

impl Partners {
    fn clear(&mut self) {
        self.plain.clear();
        self.doubtful.clear();
    }
}

impl Search<'_> {
    /// Appends the pairs of each free cluster of the range with itself, with later free ones and with passive ones.
    ///
    /// So each pair of clusters is visited once. As a feature is in one cluster only, so is each pair of features.
    pub(super) fn collect(
        &self,
        clusters: std::ops::Range<usize>,
        scratch: &mut Scratch,
        out: &mut CandidateSet,
    ) {
        struct Collect<'a, 'b> {
            search: &'a Search<'b>,
            clusters: std::ops::Range<usize>,
            scratch: &'a mut Scratch,
            out: &'a mut CandidateSet,
        }

        impl OnLanes for Collect<'_, '_> {
            type Output = ();

            #[inline(always)]
            fn run(self, lanes: impl Lanes) {
                self.search
                    .collect_with(lanes, self.clusters, self.scratch, self.out);
            }
        }

        on_widest(Collect {
            search: self,
            clusters,
            scratch,
            out,
        });
    }

    #[inline(always)]
    fn collect_with(
        &self,
        lanes: impl Lanes,
        clusters: std::ops::Range<usize>,
        scratch: &mut Scratch,
        out: &mut CandidateSet,
    ) {
        for index in clusters {
            let probe = self.free.probe(index);
            let body = self.free.bodies[index];
            let partners = &mut scratch.partners;
            partners.clear();
            self.note(partners, body, body, Partner::Itself);
            self.free.later(lanes, index, &probe, |other| {
                let partner = Partner::Free(other as u32);
                self.note(partners, body, self.free.bodies[other], partner);
            });
            self.passive.all(lanes, &probe, |other| {
                let partner = Partner::Passive(other as u32);
                self.note(partners, body, self.passive.bodies[other], partner);
            });
            let Scratch { partners, lists } = &mut *scratch;
            let mut pairs = ClusterPartners {
                cluster: index,
                partners: &partners.plain,
                doubtful: false,
            };
            self.with_partners(lanes, pairs, lists, out);
            (pairs.partners, pairs.doubtful) = (&partners.doubtful, true);
            self.with_partners(lanes, pairs, lists, out);
        }
    }

    /// Records a partner, by the rules for pairs of the two bodies, if any pair is admitted.
    #[inline(always)]
    fn note(&self, partners: &mut Partners, body: u32, other: u32, partner: Partner) {
        let several = body == SEVERAL || other == SEVERAL;
        if several || self.surface.bodies_may_touch(body, other) {
            let doubtful =
                (several && self.surface.excludes_bodies()) || self.surface.has_attachments();
            let kind = if doubtful {
                &mut partners.doubtful
            } else {
                &mut partners.plain
            };
            kind.push(partner);
        }
    }

    /// Pairs of a cluster with some of its partners.
    ///
    /// First gathers the features of all partners that reach into the box, then compares them with each feature of the
    /// cluster.
    #[inline(always)]
    fn with_partners(
        &self,
        lanes: impl Lanes,
        of: ClusterPartners<'_>,
        lists: &mut Lists,
        out: &mut CandidateSet,
    ) {
        let Lists {
            faces,
            vertices,
            edges,
            hits,
        } = lists;
        let (cluster, probe) = (self.free.cluster(of.cluster), self.free.probe(of.cluster));
        let doubtful = of.doubtful;
        let mut partners = of.partners.iter();
        while !partners.as_slice().is_empty() {
            faces.clear();
            vertices.clear();
            edges.clear();
            let mut with_itself = false;
            while !(faces.is_full() || vertices.is_full() || edges.is_full())
                && let Some(partner) = partners.next()
            {
                let other = match *partner {
                    Partner::Itself => cluster,
                    Partner::Free(other) => self.free.cluster(other as usize),
                    Partner::Passive(other) => self.passive.cluster(other as usize),
                };
                faces.add(lanes, &other.faces, &probe);
                edges.add(lanes, &other.edges, &probe);
                if matches!(partner, Partner::Itself) {
                    // Its own faces are among those gathered.
                    with_itself = true;
                } else {
                    vertices.add(lanes, &other.vertices, &probe);
                }
            }
            let comparison = Comparison {
                own: &cluster.vertices,
                others: faces,
                doubtful,
            };
            comparison.record(lanes, false, self.margin, hits);
            self.decide(
                &comparison,
                hits,
                &mut out.vertex_face,
                #[inline(always)]
                |[vertex, face]| [vertex, face],
            );
            let comparison = Comparison {
                own: &cluster.faces,
                others: vertices,
                doubtful,
            };
            comparison.record(lanes, false, self.margin, hits);
            self.decide(
                &comparison,
                hits,
                &mut out.vertex_face,
                #[inline(always)]
                |[face, vertex]| [vertex, face],
            );
            let comparison = Comparison {
                own: &cluster.edges,
                others: edges,
                doubtful,
            };
            comparison.record(lanes, with_itself, self.margin, hits);
            self.decide(
                &comparison,
                hits,
                &mut out.edge_edge,
                #[inline(always)]
                |[edge, other]| [edge.min(other), edge.max(other)],
            );
        }
    }

    /// Appends the pairs among the hits, as `arranged`.
    #[inline(always)]
    fn decide<const A: usize, const B: usize>(
        &self,
        comparison: &Comparison<'_, A, B>,
        hits: &Hits,
        out: &mut Vec<[u32; 2]>,
        arranged: impl Fn([u32; 2]) -> [u32; 2],
    ) {
        if comparison.doubtful || hits.are_doubtful() {
            self.decide_each(comparison, hits, |ids| out.push(arranged(ids)));
        } else {
            out.extend(hits.ids(comparison.others.ids()).map(arranged));
        }
    }

    /// Calls `found` with the ids of each hit that is a pair.
    #[cold]
    #[inline(never)]
    fn decide_each<const A: usize, const B: usize>(
        &self,
        comparison: &Comparison<'_, A, B>,
        hits: &Hits,
        mut found: impl FnMut([u32; 2]),
    ) {
        let &Comparison {
            own,
            others,
            doubtful,
        } = comparison;
        hits.each(|feature, place| {
            let (block, lane) = (feature / LANES, feature % LANES);
            let deep = own.boxes[block]
                .probe(lane)
                .deeply_meets(&others.probe(place), self.margin);
            if (!doubtful & deep)
                || self.is_pair(
                    own.points[block].each_ref().map(|p| p[lane]),
                    others.points(place),
                )
            {
                found([own.ids[block][lane], others.ids()[place]]);
            }
        });
    }

    /// Whether two features are a pair by definition. Rarely called, and kept out of the loops.
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

/// A triangle owns at most three vertices and three edges, and each feature of a cluster has a bit in one word.
const _: () = assert!(3 * CLUSTER <= u64::BITS as usize);

/// Blocks of a list that share a word of bits.
const WORD: usize = u64::BITS as usize / LANES;

impl<const A: usize, const B: usize> Comparison<'_, A, B> {
    /// Records the gathered features that each feature of the cluster meets and shares no point with.
    ///
    /// With `with_itself`, the list begins with the features of the cluster, each of which meets those after it. Hits
    /// are doubtful if a depth is less than the margin (m): boxes in double precision may be apart.
    #[inline(always)]
    fn record(&self, lanes: impl Lanes, with_itself: bool, margin: f32, hits: &mut Hits) {
        let (own, others) = (self.own, self.others);
        hits.clear();
        let mut shallowest = [u32::MAX; LANES];
        let blocks = others.len().div_ceil(LANES).min(BLOCKS);
        for feature in 0..own.count() {
            let (block, lane) = (feature / LANES, feature % LANES);
            let one = Feature {
                points: own.points[block].each_ref().map(|p| p[lane]),
                probe: own.boxes[block].probe(lane),
            };
            for first in (0..blocks).step_by(WORD) {
                let mut met = 0;
                for block in first..blocks.min(first + WORD) {
                    let partners = others.partners(lanes, block, &one, &mut shallowest);
                    met |= u64::from(partners) << (LANES * (block - first));
                }
                let from = first * LANES;
                if with_itself && first == 0 {
                    met &= !1 << feature;
                }
                // Entries after the end of the list have no meaning.
                let rest = others.len() - from;
                met &= u64::MAX >> (u64::BITS as usize - rest.min(u64::BITS as usize));
                hits.note(feature, own.ids[block][lane], from, met);
            }
        }
        // Positive numbers are ordered like their bits.
        hits.doubt(lanes.less(&shallowest, margin.to_bits()) != 0);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::super::lanes::Portable;
    use super::*;
    use crate::broad_phase::{BroadPhase, BruteForce, Bvh};
    use crate::mesh::generate::{RingShape, ring};

    #[test]
    fn pairs_do_not_depend_on_the_processor() {
        let shape = ring(RingShape {
            major_radius: 1.0,
            section: 0.3,
            segments: 40,
        })
        .expect("a ring");
        let triangles = shape.surface().expect("a surface").triangles().to_vec();
        let points = shape.nodes().len();
        let surface = CollisionSurface::of_body(triangles, points);
        // Boxes so large that a cluster meets more features than fit a list.
        let reach = Vector3::repeat(0.3);
        let boxes: Vec<Aabb> = shape
            .nodes()
            .iter()
            .map(|node| Aabb::from_points([&(node - reach), &(node + reach)]))
            .collect();
        let mut trees = Bvh::new();
        trees.update(&surface, &boxes);
        let search = Search {
            surface: &surface,
            point_boxes: &boxes,
            free: &trees.free,
            passive: &trees.passive,
            margin: trees.margin,
        };
        let (mut usual, mut portable) = (CandidateSet::default(), CandidateSet::default());
        let mut scratch = Scratch::default();
        let clusters = trees.free.clusters();
        search.collect(0..clusters, &mut scratch, &mut usual);
        search.collect_with(Portable, 0..clusters, &mut scratch, &mut portable);
        assert!(usual.len() > 10_000, "{}", usual.len());
        assert_eq!(usual, portable);
        trees.find(&surface, &boxes, &mut usual);
        let mut all = CandidateSet::default();
        BruteForce.collect(&surface, &boxes, &mut all);
        assert_eq!(usual, all);
    }
}
