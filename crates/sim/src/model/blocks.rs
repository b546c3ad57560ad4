//! The numbers of the unknowns, and which of them are coupled.

use super::PointMotion;
use crate::{joints::coupled_blocks, rigid::RigidBody, thin::ThinBodies};
use impinge_contact::constraint::Constraint;
use impinge_fem::ElasticModel;
use impinge_krylov::block::BlockPattern;
use std::sync::Arc;

/// Gives every free point its block, and every free rigid body two after them: the points of the blocks, and the blocks
/// of the points.
pub(super) fn number_blocks(
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

/// Where the momentum matrix may have entries.
pub(super) fn block_pattern(
    blocks: usize,
    elastic: &ElasticModel,
    thin: &ThinBodies,
    constraints: &[&[Constraint]; 2],
    block_of_point: &[Option<u32>],
    rigid: &[RigidBody],
) -> Arc<BlockPattern> {
    let joint_pairs = (constraints.iter())
        .flat_map(|constraints| coupled_blocks(constraints, block_of_point, rigid));
    let pairs = (elastic.block_pairs(block_of_point))
        .chain(thin.block_pairs(block_of_point))
        .chain(joint_pairs);
    Arc::new(BlockPattern::from_pairs(blocks, pairs))
}
