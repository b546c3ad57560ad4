//! Clusters of a tree that meet a box.

use super::features::Blocks;
use super::lanes::{LANES, Lanes, Probe};
use super::tree::Tree;

/// Blocks that a search may have deferred: one on each level, and there are at most sixteen levels.
const STACK: usize = 16;

/// Boxes of one block that meet a box.
#[derive(Clone, Copy, Default)]
struct Chosen {
    level: u32,
    block: u32,
    /// One bit for each of them.
    lanes: u32,
}

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
            let chosen = Chosen {
                level: top as u32,
                block: 0,
                lanes: self.levels[top][0].meets(lanes, probe),
            };
            self.below(lanes, chosen, probe, &mut visit);
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
            let after = Chosen {
                level: level as u32,
                block: block as u32,
                lanes: blocks[block].meets(lanes, probe) & (!1_u32 << lane),
            };
            self.below(lanes, after, probe, &mut visit);
            place = block;
        }
    }

    /// Visits all clusters that meet the probe below the chosen boxes of a block.
    #[inline(always)]
    fn below(
        &self,
        lanes: impl Lanes,
        chosen: Chosen,
        probe: &Probe,
        visit: &mut impl FnMut(usize),
    ) {
        if chosen.lanes == 0 {
            return;
        }
        let mut stack = [Chosen::default(); STACK];
        stack[0] = chosen;
        let mut height = 1;
        while height > 0 {
            let top = &mut stack[height - 1];
            let place = top.block as usize * LANES + top.lanes.trailing_zeros() as usize;
            let level = top.level as usize;
            top.lanes &= top.lanes - 1;
            if top.lanes == 0 {
                height -= 1;
            }
            if level == 0 {
                visit(place);
                continue;
            }
            let met = self.levels[level - 1][place].meets(lanes, probe);
            if met != 0 {
                stack[height] = Chosen {
                    level: level as u32 - 1,
                    block: place as u32,
                    lanes: met,
                };
                height += 1;
            }
        }
    }
}
