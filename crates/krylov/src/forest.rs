//! Connected components of numbered nodes, by union and find.

use crate::block::BlockPattern;

/// Marks a node in no numbered tree.
pub const NONE: u32 = u32::MAX;

/// A forest over numbered nodes: each tree is a connected component.
#[derive(Debug, Default)]
pub struct Forest {
    parents: Vec<u32>,
}

impl Forest {
    /// Every node a tree of its own.
    pub fn reset(&mut self, nodes: usize) {
        self.parents.clear();
        self.parents.extend(0..nodes as u32);
    }

    /// Every set of blocks that a matrix of this pattern couples a tree of its own.
    pub fn reset_to(&mut self, pattern: &BlockPattern) {
        self.reset(pattern.blocks());
        for row in 0..pattern.blocks() {
            for &column in &pattern.columns()[pattern.row(row)] {
                self.unite(row as u32, column);
            }
        }
    }

    /// The first node of the tree that `node` is in.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn root(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let above = self.parents[self.parents[node as usize] as usize];
            self.parents[node as usize] = above;
            node = above;
        }
        node
    }

    /// Makes one tree of the trees of two nodes. Its number is that of the smaller first node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// Numbers the trees whose nodes are `wanted`, in the order of their first nodes, and writes for each node the
    /// number of its tree; returns how many there are.
    pub fn number_trees(&mut self, numbers: &mut Vec<u32>, wanted: impl Fn(u32) -> bool) -> usize {
        numbers.clear();
        let mut trees = 0;
        for node in 0..self.parents.len() as u32 {
            let root = self.root(node);
            numbers.push(if !wanted(node) {
                NONE
            } else if root == node {
                trees += 1;
                trees - 1
            } else {
                numbers[root as usize]
            });
        }
        trees as usize
    }
}
