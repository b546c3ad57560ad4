//! The unknowns of a step: the motion of each point, the blocks of the velocity, and their coupling.

use super::{constraints::Constraints, elements::Elements};
use crate::{joints::coupled_blocks, rigid::RigidBody, scene::RigidMotion};
use impinge_krylov::block::BlockPattern;
use std::sync::Arc;

/// The motion of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointMotion {
    /// A free node, with its block of the velocity.
    Free(u32),
    /// Part of a free rigid body.
    Rigid(u32),
    /// Moved by a prescribed motion.
    Prescribed(u32),
}

impl PointMotion {
    /// Whether it is a free node: a point with an unknown of its own.
    pub const fn is_free(self) -> bool {
        matches!(self, Self::Free(_))
    }

    /// Whether a prescribed motion moves it.
    pub const fn is_prescribed(self) -> bool {
        matches!(self, Self::Prescribed(_))
    }
}

/// Blocks of unknowns: one per free node, then two per free rigid body.
#[derive(Debug)]
pub struct Unknowns {
    /// The motion of each point.
    pub motion_of_point: Vec<PointMotion>,
    /// The block of each free node; `None` for other points.
    pub block_of_point: Vec<Option<u32>>,
    /// Point of each block; blocks beyond its length belong to rigid bodies.
    pub point_of_block: Vec<u32>,
    /// Prescribed motions.
    pub motions: Vec<RigidMotion>,
    /// Blocks of the momentum matrix.
    pub pattern: Arc<BlockPattern>,
}

impl Unknowns {
    /// Numbers the unknowns according to `motion_of_point`, and finds their coupling.
    pub(super) fn new(
        mut motion_of_point: Vec<PointMotion>,
        motions: Vec<RigidMotion>,
        rigid: &mut [RigidBody],
        elements: &Elements,
        constraints: &Constraints,
    ) -> Self {
        let (point_of_block, block_of_point) = number_blocks(&mut motion_of_point, rigid);
        let blocks = point_of_block.len() + 2 * rigid.len();
        let pattern = block_pattern(blocks, elements, constraints, &block_of_point, rigid);
        Self {
            motion_of_point,
            block_of_point,
            point_of_block,
            motions,
            pattern,
        }
    }
}

/// Gives every free point a block, then every free rigid body two. Returns the points of the blocks and the blocks of
/// the points.
fn number_blocks(
    motions: &mut [PointMotion],
    rigid: &mut [RigidBody],
) -> (Vec<u32>, Vec<Option<u32>>) {
    let mut point_of_block = Vec::new();
    let mut block_of_point = Vec::with_capacity(motions.len());
    for (point, motion) in motions.iter_mut().enumerate() {
        if let PointMotion::Free(block) = motion {
            *block = point_of_block.len() as u32;
            point_of_block.push(point as u32);
            block_of_point.push(Some(*block));
        } else {
            block_of_point.push(None);
        }
    }
    for (index, rigid) in rigid.iter_mut().enumerate() {
        rigid.first_block = (point_of_block.len() + 2 * index) as u32;
    }
    (point_of_block, block_of_point)
}

/// The pattern of the momentum matrix.
fn block_pattern(
    blocks: usize,
    elements: &Elements,
    constraints: &Constraints,
    block_of_point: &[Option<u32>],
    rigid: &[RigidBody],
) -> Arc<BlockPattern> {
    let coupled = [&constraints.rows, &constraints.soft];
    let joint_pairs = (coupled.into_iter())
        .flat_map(|constraints| coupled_blocks(constraints, block_of_point, rigid));
    let pairs = (elements.elastic.block_pairs(block_of_point))
        .chain(elements.thin.block_pairs(block_of_point))
        .chain(joint_pairs);
    Arc::new(BlockPattern::from_pairs(blocks, pairs))
}
