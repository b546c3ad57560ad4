//! An order of contacts in which parts without common blocks can be swept in parallel.
//!
//! A part with many contacts is divided by a cut in the sequence of blocks: contacts before the cut, contacts behind
//! it, and contacts across it, which are swept after the two halves. Cuts depend on contacts and blocks only, so sweeps
//! do not depend on the number of threads.

use super::{
    contact::{SweepChange, SweptContact},
    window::Window,
};

/// Largest number of nested cuts: sixteen parts in parallel.
const DEPTH: u32 = 4;

/// Largest share of the longer half and the contacts across together for which a cut pays.
const WORTH: f64 = 0.8;

/// A part; its halves before and behind the cut follow it.
#[derive(Debug, Default)]
struct Node {
    /// Number of its nodes, with those of its halves.
    nodes: usize,
    /// Number of its contacts: those of its halves, then its own.
    contacts: usize,
    /// The first block behind the cut, if there is one.
    cut: u32,
    /// Its own contacts with a force before or after the last sweep over all, by their number among them.
    touching: Vec<u32>,
}

/// The cuts of a set of contacts.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The first `used` nodes are valid; the lists of the others are reused later.
    nodes: Vec<Node>,
    used: usize,
    /// The contacts in the order of the parts.
    order: Vec<u32>,
    /// First and last block of each contact.
    spans: Vec<[u32; 2]>,
    /// Numbers of contacts whose first block, and whose last block, is this one.
    counts: Vec<[u32; 2]>,
    sorted: [Vec<u32>; 3],
}

impl Tree {
    /// Divides contacts with the blocks `blocks_of`, out of `blocks` blocks; parts of less than `least` contacts are
    /// not divided.
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
        // A contact without blocks may be in any part.
        self.spans.extend(blocks_of.map(|blocks| {
            let extremes = [blocks.iter().min(), blocks.iter().max()];
            extremes.map(|block| block.copied().unwrap_or(0))
        }));
        let mut order = std::mem::take(&mut self.order);
        self.cut(&mut order, [0, blocks as u32], least, DEPTH);
        self.order = order;
    }

    /// The contacts in the order of the parts.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Makes a part of the contacts in `order`, which lie within `blocks`, divides it and sorts its contacts.
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

    /// The cut with the shortest sequential sweep, if it pays.
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
            // Contacts before `block` have ended; contacts across have begun and not ended.
            let longest = (begun - ended) + ended.max(all - begun);
            best = best.min((longest, block));
            begun += begin;
            ended += end;
        }
        (f64::from(best.0) < WORTH * f64::from(all)).then_some(best.1)
    }

    /// Sorts contacts by `cut` into before, behind and across; returns the numbers of the first two.
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

    /// Number of contacts in the lists of touching contacts.
    pub(super) fn touching(&self) -> usize {
        let nodes = &self.nodes[..self.used];
        nodes.iter().map(|node| node.touching.len()).sum()
    }

    /// Calls `work` with the touching list, the own contacts and the velocities of every part; if `parallel`, for
    /// parts without common blocks at the same time.
    pub(super) fn visit(
        &mut self,
        contacts: &mut [SweptContact],
        v: &mut [f64],
        parallel: bool,
        work: &(impl Fn(&mut Vec<u32>, &mut [SweptContact], &mut Window<'_>) -> SweepChange + Sync),
    ) -> SweepChange {
        let nodes = &mut self.nodes[..self.used];
        let parallel = parallel && nodes.len() > 1 && rayon::current_num_threads() > 1;
        visit_node(nodes, contacts, &mut Window::all(v), parallel, work)
    }
}

fn visit_node(
    nodes: &mut [Node],
    contacts: &mut [SweptContact],
    window: &mut Window<'_>,
    parallel: bool,
    work: &(impl Fn(&mut Vec<u32>, &mut [SweptContact], &mut Window<'_>) -> SweepChange + Sync),
) -> SweepChange {
    let Some((node, halves)) = nodes.split_first_mut() else {
        return SweepChange::default();
    };
    if halves.is_empty() {
        return work(&mut node.touching, contacts, window);
    }
    let nodes_before = halves[0].nodes;
    let (before, behind) = halves.split_at_mut(nodes_before);
    let (contacts_before, others) = contacts.split_at_mut(before[0].contacts);
    let (contacts_behind, across) = others.split_at_mut(behind[0].contacts);
    let [mut window_before, mut window_behind] = window.split(node.cut);
    let mut of_before = || visit_node(before, contacts_before, &mut window_before, parallel, work);
    let mut of_behind = || visit_node(behind, contacts_behind, &mut window_behind, parallel, work);
    let (mut swept, of_behind) = if parallel {
        rayon::join(of_before, of_behind)
    } else {
        (of_before(), of_behind())
    };
    swept.add(of_behind);
    swept.add(work(&mut node.touching, across, window));
    swept
}
