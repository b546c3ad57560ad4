//! A hierarchy of k-DOPs over the triangles of a surface.

use super::k_dop::KDop;
use crate::surface::CollisionSurface;
use nalgebra::Vector3;
use rayon::prelude::*;

/// No node.
const NONE: u32 = u32::MAX;

/// Least number of nodes that is worth a second thread.
const WORTH_SHARING: usize = 2048;

/// Parts of a parallel search for all pairs.
const SHARES: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Node {
    volume: KDop,
    parent: u32,
    /// Children; for a leaf its item and [`NONE`].
    children: [u32; 2],
    /// The group of all items below; [`NONE`] if they belong to several.
    group: u32,
}

/// A binary tree. Leaves have given volumes, inner nodes the merged volume of their children.
///
/// The shape of the tree is fixed when it is built, with groups (bodies) separated at the top; the volumes change leaf
/// by leaf. An inner node is valid as long as the leaves below it.
#[derive(Clone, Debug)]
pub struct KDopTree {
    nodes: Vec<Node>,
    /// Node of each item.
    leaves: Vec<u32>,
}

impl KDopTree {
    /// Builds the tree of items at `centres` (m), all volumes empty.
    ///
    /// # Shapes
    /// One centre and one group per item.
    ///
    /// # Panics
    /// If the lengths differ or exceed half of `u32`.
    #[track_caller]
    pub fn new(centres: &[Vector3<f64>], groups: &[u32]) -> Self {
        assert_eq!(centres.len(), groups.len(), "one group per item");
        assert!(
            u32::try_from(2 * centres.len()).is_ok(),
            "more items than u32 can number"
        );
        let mut tree = Self {
            nodes: Vec::with_capacity((2 * centres.len()).saturating_sub(1)),
            leaves: vec![NONE; centres.len()],
        };
        if centres.is_empty() {
            return tree;
        }
        let centre_of_group = group_centres(centres, groups);
        let mut items: Vec<u32> = (0..centres.len() as u32).collect();
        // Groups together, so that the search can separate whole groups before their items.
        items.sort_by_key(|&item| (groups[item as usize], item));
        tree.build(&mut items, NONE, &|item| {
            let item = item as usize;
            (
                groups[item],
                centre_of_group[groups[item] as usize],
                centres[item],
            )
        });
        tree
    }

    /// Builds the tree of the triangles of a surface at some positions (m), grouped by bodies, all volumes empty.
    ///
    /// # Panics
    /// If a triangle has a point beyond the positions.
    #[track_caller]
    pub fn of_surface(surface: &CollisionSurface, positions: &[Vector3<f64>]) -> Self {
        let triangles = surface.triangles().iter();
        let (centres, groups): (Vec<_>, Vec<_>) = triangles
            .map(|corners| {
                let [a, b, c] = corners.map(|point| positions[point as usize]);
                ((a + b + c) / 3.0, surface.body_of_point(corners[0]))
            })
            .unzip();
        Self::new(&centres, &groups)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// The volume of an item.
    ///
    /// # Panics
    /// If there is no such item.
    #[inline]
    pub fn volume(&self, item: u32) -> &KDop {
        &self.nodes[self.leaves[item as usize] as usize].volume
    }

    /// Replaces the volume of an item and updates the nodes above it; returns the number of changed nodes.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn set(&mut self, item: u32, volume: KDop) -> u32 {
        let mut node = self.leaves[item as usize];
        self.nodes[node as usize].volume = volume;
        let mut changed = 0;
        loop {
            node = self.nodes[node as usize].parent;
            if node == NONE {
                return changed;
            }
            let [left, right] = self.nodes[node as usize].children;
            let merged = self.nodes[left as usize]
                .volume
                .merged(&self.nodes[right as usize].volume);
            let node = &mut self.nodes[node as usize];
            if node.volume == merged {
                return changed;
            }
            node.volume = merged;
            changed += 1;
        }
    }

    /// Replaces the volumes of all items at once.
    ///
    /// # Cost
    /// Every node once, on several threads in a large tree.
    pub fn refit(&mut self, volume: impl Fn(u32) -> KDop + Sync) {
        refit_below(&mut self.nodes, &volume);
    }

    /// Appends to `out` all pairs of different items whose volumes overlap, except pairs of groups that are not
    /// `wanted` together. In the order of the tree, whatever the number of threads.
    pub fn pairs(&self, wanted: impl Fn(u32, u32) -> bool + Sync, out: &mut Vec<[u32; 2]>) {
        if self.nodes.is_empty() {
            return;
        }
        let mut shares = vec![[0, 0]];
        // Descends as many levels as it takes to have enough parts.
        let mut next = Vec::new();
        while self.nodes.len() >= WORTH_SHARING && shares.len() < SHARES {
            for &pair in &shares {
                match self.below(pair, &wanted) {
                    Below::Nothing => {}
                    Below::Items(_) => next.push(pair),
                    Below::Pairs(pairs) => next.extend(pairs.into_iter().flatten()),
                }
            }
            let divided = next != shares;
            std::mem::swap(&mut shares, &mut next);
            next.clear();
            if !divided {
                break;
            }
        }
        let found: Vec<Vec<[u32; 2]>> = shares
            .par_iter()
            .map(|&share| {
                let (mut stack, mut found) = (vec![share], Vec::new());
                while let Some(pair) = stack.pop() {
                    match self.below(pair, &wanted) {
                        Below::Nothing => {}
                        Below::Items(items) => found.push(items),
                        Below::Pairs(pairs) => stack.extend(pairs.into_iter().rev().flatten()),
                    }
                }
                found
            })
            .collect();
        out.extend(found.into_iter().flatten());
    }

    /// Overlapping items or nodes below two nodes.
    #[inline]
    fn below(&self, [first, second]: [u32; 2], wanted: impl Fn(u32, u32) -> bool) -> Below {
        let (a, b) = (&self.nodes[first as usize], &self.nodes[second as usize]);
        if a.group != NONE && b.group != NONE && !wanted(a.group, b.group) {
            return Below::Nothing;
        }
        let leaves = [a, b].map(|node| node.children[1] == NONE);
        if first == second {
            if leaves[0] {
                return Below::Nothing;
            }
            let [left, right] = a.children;
            return Below::Pairs([
                Some([left, left]),
                Some([right, right]),
                Some([left, right]),
                None,
            ]);
        }
        if !a.volume.overlaps(&b.volume) {
            return Below::Nothing;
        }
        let ([a0, a1], [b0, b1]) = (a.children, b.children);
        match leaves {
            [true, true] => Below::Items([a0, b0]),
            [true, false] => Below::Pairs([Some([first, b0]), Some([first, b1]), None, None]),
            [false, true] => Below::Pairs([Some([a0, second]), Some([a1, second]), None, None]),
            [false, false] => Below::Pairs([[a0, b0], [a0, b1], [a1, b0], [a1, b1]].map(Some)),
        }
    }

    /// Appends to `out` all items whose volumes overlap `volume`, in the order of the tree.
    pub fn query(&self, volume: &KDop, stack: &mut Vec<u32>, out: &mut Vec<u32>) {
        if self.nodes.is_empty() {
            return;
        }
        stack.clear();
        stack.push(0);
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index as usize];
            if !node.volume.overlaps(volume) {
                continue;
            }
            let [left, right] = node.children;
            if right == NONE {
                out.push(left);
            } else {
                stack.push(right);
                stack.push(left);
            }
        }
    }

    /// Builds the node over `items` and returns its number.
    fn build(
        &mut self,
        items: &mut [u32],
        parent: u32,
        place: &impl Fn(u32) -> (u32, Vector3<f64>, Vector3<f64>),
    ) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node {
            volume: KDop::EMPTY,
            parent,
            children: [NONE; 2],
            group: place(items[0]).0,
        });
        if let [item] = *items {
            self.nodes[index as usize].children = [item, NONE];
            self.leaves[item as usize] = index;
            return index;
        }
        let several = place(items[0]).0 != place(items[items.len() - 1]).0;
        if several {
            self.nodes[index as usize].group = NONE;
        }
        let of = |item: u32| {
            let (_, group, own) = place(item);
            if several { group } else { own }
        };
        let (lower, upper) = items.iter().map(|&item| of(item)).fold(
            (
                Vector3::repeat(f64::INFINITY),
                Vector3::repeat(f64::NEG_INFINITY),
            ),
            |(lower, upper), x| (lower.inf(&x), upper.sup(&x)),
        );
        let axis = (upper - lower).imax();
        items.sort_by(|&a, &b| {
            of(a)[axis]
                .total_cmp(&of(b)[axis])
                .then(place(a).0.cmp(&place(b).0))
                .then(a.cmp(&b))
        });
        let mut middle = items.len() / 2;
        if several {
            // The border between two groups that is nearest to the middle.
            let border = |&i: &usize| place(items[i - 1]).0 != place(items[i]).0;
            let nearest = (1..items.len())
                .filter(border)
                .min_by_key(|i| i.abs_diff(middle));
            middle = nearest.unwrap_or(middle);
        }
        let (left, right) = items.split_at_mut(middle);
        let left = self.build(left, index, place);
        let right = self.build(right, index, place);
        self.nodes[index as usize].children = [left, right];
        index
    }
}

/// Result of descending from two nodes.
enum Below {
    /// Nothing overlaps.
    Nothing,
    /// Both are leaves, of these items, which overlap.
    Items([u32; 2]),
    /// Pairs of nodes to search further.
    Pairs([Option<[u32; 2]>; 4]),
}

/// Recomputes the volumes of a node and of all nodes below it from the given volumes of the leaves. `nodes` are exactly
/// these: those below the first child precede those below the second.
fn refit_below(nodes: &mut [Node], volume: &(impl Fn(u32) -> KDop + Sync)) {
    let sharing = nodes.len() >= WORTH_SHARING;
    let Some((node, below)) = nodes.split_first_mut() else {
        return;
    };
    let [left, right] = node.children;
    if right == NONE {
        node.volume = volume(left);
        return;
    }
    let (of_left, of_right) = below.split_at_mut((right - left) as usize);
    let mut refit_left = || refit_below(of_left, volume);
    let mut refit_right = || refit_below(of_right, volume);
    if sharing {
        rayon::join(refit_left, refit_right);
    } else {
        refit_left();
        refit_right();
    }
    node.volume = of_left[0].volume.merged(&of_right[0].volume);
}

/// Mean of the centres of each group.
fn group_centres(centres: &[Vector3<f64>], groups: &[u32]) -> Vec<Vector3<f64>> {
    let count = groups.iter().max().map_or(0, |&group| group as usize + 1);
    let mut sums = vec![(Vector3::zeros(), 0.0); count];
    for (centre, &group) in centres.iter().zip(groups) {
        let (sum, number) = &mut sums[group as usize];
        *sum += centre;
        *number += 1.0;
    }
    sums.into_iter()
        .map(|(sum, number)| sum / f64::max(number, 1.0))
        .collect()
}
