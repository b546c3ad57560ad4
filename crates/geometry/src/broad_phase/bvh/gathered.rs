//! Features of several clusters that one cluster is compared with, in one list.

use super::features::{Blocks, CLUSTER};
use super::lanes::{LANES, Lanes, Probe};

/// Capacity of a list. Some fifty features are usual; longer lists are handled in parts.
pub(super) const ROOM: usize = 256;

/// Blocks of a list.
pub(super) const BLOCKS: usize = ROOM / LANES;

/// The most entries that a cluster adds: features owned by its triangles, and lanes written beyond the end.
const MOST_ADDED: usize = 3 * CLUSTER + LANES;

/// Features with `N` points each. Entries after the last one have no meaning.
#[repr(align(32))]
pub(super) struct Gathered<const N: usize> {
    lower: [[[f32; LANES]; BLOCKS]; 3],
    upper: [[[f32; LANES]; BLOCKS]; 3],
    points: [[[u32; LANES]; BLOCKS]; N],
    ids: [u32; ROOM],
    len: usize,
}

/// A feature that a list is compared with.
pub(super) struct Feature<const N: usize> {
    pub(super) points: [u32; N],
    pub(super) probe: Probe,
}

impl<const N: usize> Default for Gathered<N> {
    fn default() -> Self {
        Self {
            lower: [[[0.0; LANES]; BLOCKS]; 3],
            upper: [[[0.0; LANES]; BLOCKS]; 3],
            points: [[[0; LANES]; BLOCKS]; N],
            ids: [0; ROOM],
            len: 0,
        }
    }
}

impl<const N: usize> Gathered<N> {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether the features of one more cluster may not fit.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.len + MOST_ADDED > ROOM
    }

    /// Adds those features of a cluster that meet the probe, in their order.
    ///
    /// All eight of a block are written and the matching ones counted, so no branch depends on the match.
    #[inline(always)]
    pub(super) fn add(&mut self, lanes: impl Lanes, features: &Blocks<'_, N>, probe: &Probe) {
        for ((boxes, points), ids) in features.boxes.iter().zip(features.points).zip(features.ids) {
            let chosen = boxes.meets(lanes, probe);
            let order = &CHOSEN_FIRST[chosen as usize % CHOSEN_FIRST.len()];
            let place = self.len.min(ROOM - LANES);
            for c in 0..3 {
                let lower = lanes.pick_f32(&boxes.lower[c], order);
                self.lower[c].as_flattened_mut()[place..place + LANES].copy_from_slice(&lower);
                let upper = lanes.pick_f32(&boxes.upper[c], order);
                self.upper[c].as_flattened_mut()[place..place + LANES].copy_from_slice(&upper);
            }
            for (all, points) in self.points.iter_mut().zip(points) {
                let points = lanes.pick_u32(points, order);
                all.as_flattened_mut()[place..place + LANES].copy_from_slice(&points);
            }
            let ids = lanes.pick_u32(ids, order);
            self.ids[place..place + LANES].copy_from_slice(&ids);
            self.len += chosen.count_ones() as usize;
        }
    }

    /// One bit for each feature of a block that meets `one` and shares no point with it.
    ///
    /// `shallowest` keeps the least depth of each lane.
    #[inline(always)]
    pub(super) fn partners<const A: usize>(
        &self,
        lanes: impl Lanes,
        block: usize,
        one: &Feature<A>,
        shallowest: &mut [u32; LANES],
    ) -> u32 {
        let depths = lanes.depths(
            self.lower.each_ref().map(|c| &c[block]),
            self.upper.each_ref().map(|c| &c[block]),
            &one.probe,
        );
        *shallowest = lanes.lesser_bits(shallowest, &depths);
        let sharing = lanes.sharing(
            one.points,
            self.points.each_ref().map(|points| &points[block]),
        );
        !(lanes.negative(&depths) | sharing) & 0xff
    }

    /// Indices in the surface; those from the length on have no meaning.
    #[inline(always)]
    pub(super) fn ids(&self) -> &[u32; ROOM] {
        &self.ids
    }

    #[inline(always)]
    pub(super) fn points(&self, place: usize) -> [u32; N] {
        self.points
            .each_ref()
            .map(|p| p[place / LANES][place % LANES])
    }

    #[inline(always)]
    pub(super) fn probe(&self, place: usize) -> Probe {
        let (block, lane) = (place / LANES, place % LANES);
        Probe {
            lower: self.lower.each_ref().map(|c| c[block][lane]),
            upper: self.upper.each_ref().map(|c| c[block][lane]),
        }
    }
}

/// For each set of lanes an order in which the lanes of the set come first.
static CHOSEN_FIRST: [[u32; LANES]; 1 << LANES] = {
    let mut orders = [[0; LANES]; 1 << LANES];
    let mut set = 0;
    while set < 1 << LANES {
        let (mut lane, mut place) = (0, 0);
        while lane < LANES {
            if set >> lane & 1 == 1 {
                orders[set][place] = lane as u32;
                place += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    orders
};
