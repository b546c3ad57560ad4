//! Contacts in an order in which parts that share no block can be swept at the same time.
//!
//! A part of many contacts is cut in two: those whose blocks lie before a cut, those whose blocks lie behind it, and,
//! swept when both are done, those across. Contacts and blocks alone decide the cuts, so threads do not change what a
//! sweep does.

use super::{
    contact::{SweepChange, SweptContact},
    window::Window,
};

/// Cuts above each other at the most: sixteen parts at once.
const DEPTH: u32 = 4;

/// What the longer half and those across may be of all at the most, for a cut to be worth it.
const WORTH: f64 = 0.8;

/// A part, followed by the parts before and behind its cut.
#[derive(Debug, Default)]
struct Node {
    /// Parts from this one on that belong to it.
    nodes: usize,
    /// Contacts that belong to it: those of its halves, then its own.
    contacts: usize,
    /// The first block behind the cut, if it is cut.
    cut: u32,
    /// Its own contacts that had a force before or after the last sweep over all, by their place among them.
    touching: Vec<u32>,
}

/// The cuts of a set of contacts.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// As many of them as `used` says; the lists of the others wait to be used again.
    nodes: Vec<Node>,
    used: usize,
    /// The contacts in the order of the parts.
    order: Vec<u32>,
    /// First and last block of each contact.
    spans: Vec<[u32; 2]>,
    /// Contacts that begin, and that end, with a block.
    counts: Vec<[u32; 2]>,
    sorted: [Vec<u32>; 3],
}

impl Tree {
    /// Cuts contacts whose blocks, of a number of `blocks`, are those from `blocks_of`; parts of less than `least`
    /// contacts stay whole.
    pub(super) fn build<'a>(
        &mut self,
        blocks: usize,
        least: usize,
        blocks_of: impl ExactSizeIterator<Item = &'a [u32]>,
    ) {
        self.used = 0;
        self.order.clear();
        self.order.extend(0..blocks_of.len() as u32);
        self.spans.clear();
        // What touches no block may be swept anywhere.
        self.spans.extend(blocks_of.map(|blocks| {
            let extremes = [blocks.iter().min(), blocks.iter().max()];
            extremes.map(|block| block.copied().unwrap_or(0))
        }));
        let mut order = std::mem::take(&mut self.order);
        self.cut(&mut order, [0, blocks as u32], least, DEPTH);
        self.order = order;
    }

    /// The contacts in the order that they are to be kept in.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Makes a part of the contacts in `order`, which lie within `blocks`, and of their halves, sorting them.
    fn cut(&mut self, order: &mut [u32], blocks: [u32; 2], least: usize, depth: u32) {
        let place = self.used;
        self.used += 1;
        if place == self.nodes.len() {
            self.nodes.push(Node::default());
        }
        let node = &mut self.nodes[place];
        (node.nodes, node.contacts, node.cut) = (1, order.len(), 0);
        node.touching.clear();
        if depth == 0 || order.len() < least {
            return;
        }
        let Some(cut) = self.best_cut(order, blocks) else {
            return;
        };
        let halves = self.sort(order, cut);
        let (before, others) = order.split_at_mut(halves[0]);
        self.cut(before, [blocks[0], cut], least, depth - 1);
        self.cut(&mut others[..halves[1]], [cut, blocks[1]], least, depth - 1);
        self.nodes[place].cut = cut;
        self.nodes[place].nodes = self.used - place;
    }

    /// The cut with the least to be swept one after the other, if it is worth it.
    fn best_cut(&mut self, order: &[u32], [first, end]: [u32; 2]) -> Option<u32> {
        self.counts.clear();
        self.counts.resize((end - first) as usize, [0; 2]);
        for &contact in order {
            let [begin, last] = self.spans[contact as usize];
            self.counts[(begin - first) as usize][0] += 1;
            self.counts[(last - first) as usize][1] += 1;
        }
        let all = order.len() as u32;
        let (mut begun, mut ended) = (0, 0);
        let mut best = (all, first);
        for (block, [begin, end]) in (first..).zip(&self.counts) {
            // Before `block`: those that ended; across: those that began and did not end.
            let longest = (begun - ended) + ended.max(all - begun);
            best = best.min((longest, block));
            begun += begin;
            ended += end;
        }
        (f64::from(best.0) < WORTH * f64::from(all)).then_some(best.1)
    }

    /// Sorts contacts by `cut`: before, behind, across; returns how many the first two are.
    fn sort(&mut self, order: &mut [u32], cut: u32) -> [usize; 2] {
        self.sorted.iter_mut().for_each(Vec::clear);
        for &contact in &*order {
            let [begin, last] = self.spans[contact as usize];
            let side = if last < cut {
                0
            } else if begin >= cut {
                1
            } else {
                2
            };
            self.sorted[side].push(contact);
        }
        let mut rest = order;
        for sorted in &self.sorted {
            let (own, others) = rest.split_at_mut(sorted.len());
            own.copy_from_slice(sorted);
            rest = others;
        }
        [self.sorted[0].len(), self.sorted[1].len()]
    }

    /// Contacts in the lists of those that touch.
    pub(super) fn touching(&self) -> usize {
        let nodes = &self.nodes[..self.used];
        nodes.iter().map(|node| node.touching.len()).sum()
    }

    /// Calls `sweep` with every part's list of what touches, its own contacts, and the velocities it may change: at the
    /// same time for parts that share no block, if `parallel`.
    pub(super) fn sweep(
        &mut self,
        contacts: &mut [SweptContact],
        v: &mut [f64],
        parallel: bool,
        sweep: &(impl Fn(&mut Vec<u32>, &mut [SweptContact], &mut Window<'_>) -> SweepChange + Sync),
    ) -> SweepChange {
        let nodes = &mut self.nodes[..self.used];
        let parallel = parallel && nodes.len() > 1 && rayon::current_num_threads() > 1;
        sweep_node(nodes, contacts, &mut Window::all(v), parallel, sweep)
    }
}

fn sweep_node(
    nodes: &mut [Node],
    contacts: &mut [SweptContact],
    window: &mut Window<'_>,
    parallel: bool,
    sweep: &(impl Fn(&mut Vec<u32>, &mut [SweptContact], &mut Window<'_>) -> SweepChange + Sync),
) -> SweepChange {
    let Some((node, halves)) = nodes.split_first_mut() else {
        return SweepChange::default();
    };
    if halves.is_empty() {
        return sweep(&mut node.touching, contacts, window);
    }
    let nodes_before = halves[0].nodes;
    let (before, behind) = halves.split_at_mut(nodes_before);
    let (contacts_before, others) = contacts.split_at_mut(before[0].contacts);
    let (contacts_behind, across) = others.split_at_mut(behind[0].contacts);
    let [mut window_before, mut window_behind] = window.split(node.cut);
    let mut of_before = || sweep_node(before, contacts_before, &mut window_before, parallel, sweep);
    let mut of_behind = || sweep_node(behind, contacts_behind, &mut window_behind, parallel, sweep);
    let (mut swept, of_behind) = if parallel {
        rayon::join(of_before, of_behind)
    } else {
        (of_before(), of_behind())
    };
    swept.add(of_behind);
    swept.add(sweep(&mut node.touching, across, window));
    swept
}
