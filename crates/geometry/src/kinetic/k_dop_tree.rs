//! A hierarchy of volumes over the triangles of a surface.

use super::k_dop::KDop;
use crate::surface::CollisionSurface;
use nalgebra::Vector3;

/// No node.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    volume: KDop,
    parent: u32,
    /// Children; for a leaf its item and [`NONE`].
    children: [u32; 2],
    /// The group of all items below, [`NONE`] if they are of several.
    group: u32,
}

/// A binary tree whose leaves are given volumes, each inner node that of its children.
///
/// The shape of the tree is fixed when it is built, groups (bodies) apart at the top; the volumes change leaf by leaf.
/// Inner nodes have no times of their own: they hold as long as the leaves below.
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
        // Groups together, so that whole groups can be told apart before their items are.
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

    /// Replaces the volume of an item and corrects the nodes above; returns how many of those changed.
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
    /// Every node once.
    pub fn refit(&mut self, volume: impl Fn(u32) -> KDop) {
        // Children come after their parent.
        for index in (0..self.nodes.len()).rev() {
            let [left, right] = self.nodes[index].children;
            self.nodes[index].volume = if right == NONE {
                volume(left)
            } else {
                self.nodes[left as usize]
                    .volume
                    .merged(&self.nodes[right as usize].volume)
            };
        }
    }

    /// Appends to `out` all pairs of different items whose volumes overlap, but for those of groups that are not `wanted`
    /// together; in the order of the tree.
    pub fn pairs(
        &self,
        wanted: impl Fn(u32, u32) -> bool,
        stack: &mut Vec<[u32; 2]>,
        out: &mut Vec<[u32; 2]>,
    ) {
        if self.nodes.is_empty() {
            return;
        }
        stack.clear();
        stack.push([0, 0]);
        while let Some([first, second]) = stack.pop() {
            let (a, b) = (&self.nodes[first as usize], &self.nodes[second as usize]);
            if a.group != NONE && b.group != NONE && !wanted(a.group, b.group) {
                continue;
            }
            let leaves = [a, b].map(|node| node.children[1] == NONE);
            if first == second {
                if !leaves[0] {
                    let [left, right] = a.children;
                    stack.extend([[left, right], [right, right], [left, left]]);
                }
                continue;
            }
            if !a.volume.overlaps(&b.volume) {
                continue;
            }
            match leaves {
                [true, true] => out.push([a.children[0], b.children[0]]),
                [true, false] => stack.extend(b.children.map(|child| [first, child])),
                [false, true] => stack.extend(a.children.map(|child| [child, second])),
                [false, false] => {
                    for left in a.children {
                        stack.extend(b.children.map(|right| [left, right]));
                    }
                }
            }
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
