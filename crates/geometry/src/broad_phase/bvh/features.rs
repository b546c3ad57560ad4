//! Vertices, edges and triangles in the order of their clusters, in blocks of eight.

use super::block::Block;
use super::bounds::Bounds;
use super::lanes::{LANES, Lanes};

/// Triangles per cluster, with some eight vertices and twenty-four edges. Fewer make more pairs of clusters; more do
/// not fit a word of bits.
pub(super) const CLUSTER: usize = 16;

/// Features with `N` points each. A block belongs to one cluster; the unused lanes of its last block are padding.
pub(super) struct Features<const N: usize> {
    /// Index of each feature in the surface.
    pub(super) ids: Vec<[u32; LANES]>,
    /// The points of each: `points[k]` are the `k`-th of all eight.
    pub(super) points: Vec<[[u32; LANES]; N]>,
    /// Box of each.
    pub(super) boxes: Vec<Block>,
    /// For each cluster its first block; one more at the end.
    pub(super) first: Vec<u32>,
    /// Lanes in use of the block being filled.
    filled: usize,
}

/// Consecutive blocks of one cluster.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a, const N: usize> {
    pub(super) ids: &'a [[u32; LANES]],
    pub(super) points: &'a [[[u32; LANES]; N]],
    pub(super) boxes: &'a [Block],
}

impl<const N: usize> Default for Features<N> {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            points: Vec::new(),
            boxes: Vec::new(),
            first: Vec::new(),
            filled: LANES,
        }
    }
}

impl<const N: usize> Features<N> {
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.points.clear();
        self.first.clear();
        self.first.push(0);
        self.filled = LANES;
    }

    /// Adds a feature to the present cluster. Unused lanes hold the point `nowhere`, whose box must be empty.
    pub(super) fn push(&mut self, id: u32, points: [u32; N], nowhere: u32) {
        if self.filled == LANES {
            self.ids.push([u32::MAX; LANES]);
            self.points.push([[nowhere; LANES]; N]);
            self.filled = 0;
        }
        if let (Some(ids), Some(block)) = (self.ids.last_mut(), self.points.last_mut()) {
            ids[self.filled] = id;
            for (lanes, point) in block.iter_mut().zip(points) {
                lanes[self.filled] = point;
            }
        }
        self.filled += 1;
    }

    pub(super) fn close_cluster(&mut self) {
        self.first.push(self.ids.len() as u32);
        self.filled = LANES;
    }

    /// Allocates the boxes; refitting fills them.
    pub(super) fn close(&mut self) {
        self.boxes.clear();
        self.boxes.resize(self.ids.len(), Block::EMPTY);
    }

    /// The features of a cluster.
    #[inline]
    pub(super) fn of(&self, cluster: usize) -> Blocks<'_, N> {
        let blocks = self.first[cluster] as usize..self.first[cluster + 1] as usize;
        Blocks {
            ids: &self.ids[blocks.clone()],
            points: &self.points[blocks.clone()],
            boxes: &self.boxes[blocks],
        }
    }
}

impl<const N: usize> Blocks<'_, N> {
    /// Number of features.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        // Padding is at the end of the last block.
        self.ids.last().map_or(0, |last| {
            let used = last.iter().filter(|&&id| id != u32::MAX).count();
            (self.ids.len() - 1) * LANES + used
        })
    }
}

/// Boxes of eight features from those of the points.
#[inline(always)]
pub(super) fn boxes_of<const N: usize>(
    lanes: impl Lanes,
    points: &[[u32; LANES]; N],
    bounds: &[Bounds],
) -> [Bounds; LANES] {
    // Written out: a loop would keep them in memory instead of registers.
    [
        box_of(lanes, points, bounds, 0),
        box_of(lanes, points, bounds, 1),
        box_of(lanes, points, bounds, 2),
        box_of(lanes, points, bounds, 3),
        box_of(lanes, points, bounds, 4),
        box_of(lanes, points, bounds, 5),
        box_of(lanes, points, bounds, 6),
        box_of(lanes, points, bounds, 7),
    ]
}

/// Box of one of eight features.
#[inline(always)]
fn box_of<const N: usize>(
    lanes: impl Lanes,
    points: &[[u32; LANES]; N],
    bounds: &[Bounds],
    lane: usize,
) -> Bounds {
    let mut whole = bounds[points[0][lane] as usize];
    for k in 1..N {
        whole = whole.merged(lanes, &bounds[points[k][lane] as usize]);
    }
    whole
}
