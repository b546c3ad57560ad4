//! Clusters of a tree that meet a box.

use super::features::Blocks;
use super::lanes::{LANES, Lanes, Probe};
use super::tree::Tree;

/// Blocks that a search may have deferred: one on each level, and there are at most sixteen levels.
const STACK: usize = 16;

/// The features of one cluster.
#[derive(Clone, Copy)]
pub(super) struct Cluster<'a> {
    pub(super) faces: Blocks<'a, 3>,
    pub(super) vertices: Blocks<'a, 1>,
    pub(super) edges: Blocks<'a, 2>,
}

impl Tree {
    #[inline(always)]
    pub(super) fn cluster(&self, cluster: usize) -> Cluster<'_> {
        Cluster {
            faces: self.faces.of(cluster),
            vertices: self.vertices.of(cluster),
            edges: self.edges.of(cluster),
        }
    }

    /// The box of a cluster.
    #[inline(always)]
    pub(super) fn probe(&self, cluster: usize) -> Probe {
        self.levels[0][cluster / LANES].probe(cluster % LANES)
    }

    /// Visits all clusters that meet the probe.
    #[inline(always)]
    pub(super) fn all(&self, lanes: impl Lanes, probe: &Probe, mut visit: impl FnMut(usize)) {
        if let Some(top) = self.levels.len().checked_sub(1) {
            let chosen = self.levels[top][0].meets(lanes, probe);
            self.below(lanes, top, 0, chosen, probe, &mut visit);
        }
    }

    /// Visits all clusters after `cluster` that meet the probe.
    #[inline(always)]
    pub(super) fn later(
        &self,
        lanes: impl Lanes,
        cluster: usize,
        probe: &Probe,
        mut visit: impl FnMut(usize),
    ) {
        let mut place = cluster;
        for (level, blocks) in self.levels.iter().enumerate() {
            let (block, lane) = (place / LANES, place % LANES);
            let after = blocks[block].meets(lanes, probe) & (!1_u32 << lane);
            self.below(lanes, level, block, after, probe, &mut visit);
            place = block;
        }
    }

    /// Visits all clusters that meet the probe below the chosen boxes of a block.
    #[inline(always)]
    fn below(
        &self,
        lanes: impl Lanes,
        level: usize,
        block: usize,
        chosen: u32,
        probe: &Probe,
        visit: &mut impl FnMut(usize),
    ) {
        if chosen == 0 {
            return;
        }
        let mut stack = [(0_u32, 0_u32, 0_u32); STACK];
        stack[0] = (level as u32, block as u32, chosen);
        let mut height = 1;
        while height > 0 {
            let (level, block, chosen) = &mut stack[height - 1];
            let place = *block as usize * LANES + chosen.trailing_zeros() as usize;
            let level = *level as usize;
            *chosen &= *chosen - 1;
            if *chosen == 0 {
                height -= 1;
            }
            if level == 0 {
                visit(place);
                continue;
            }
            let met = self.levels[level - 1][place].meets(lanes, probe);
            if met != 0 {
                stack[height] = (level as u32 - 1, place as u32, met);
                height += 1;
            }
        }
    }
}
