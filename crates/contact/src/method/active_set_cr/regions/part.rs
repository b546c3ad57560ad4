//! The problem of one region: its blocks, its contacts, and all other velocities as they are.

use super::choose::Choice;
use crate::{ContactProblem, ContactRow, ContactSolution, method::rows::at};
use nalgebra::Matrix3;

/// Scratch for taking a region out of a problem and putting its solution back.
#[derive(Debug, Default)]
pub(super) struct Part {
    entries: Vec<(u32, Matrix3<f64>)>,
    /// Contacts of the region's problem by their number in the whole.
    contacts: Vec<u32>,
}

impl Part {
    /// The problem of a region and where it starts from.
    ///
    /// `J v ≥ c` becomes `J_own v_own ≥ c − J_other v_other`.
    pub(super) fn of(
        &mut self,
        choice: &Choice,
        region: usize,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) -> (ContactProblem, ContactSolution) {
        let blocks = choice.blocks(region);
        let own = |vector: &[f64]| -> Vec<f64> {
            (blocks.iter())
                .flat_map(|&block| &vector[3 * block as usize..][..3])
                .copied()
                .collect()
        };
        let mut part = ContactProblem::new(
            problem.time_step,
            problem.momentum.principal(blocks),
            own(&problem.rhs),
        );
        let mut start = ContactSolution {
            velocity: own(&solution.velocity),
            ..ContactSolution::default()
        };
        self.contacts.clear();
        for &contact in choice.contacts(region) {
            let index = contact as usize;
            let mut offset = problem.offset(index);
            self.entries.clear();
            let (row, jacobians) = problem.row(index);
            for (&block, jacobian) in row.iter().zip(jacobians) {
                match choice.place(block) {
                    Some(place) => self.entries.push((place, *jacobian)),
                    None => offset -= jacobian * at(&solution.velocity, block),
                }
            }
            // A contact whose nodes here have no weight cannot be changed from here.
            let acts = |row: usize| self.entries.iter().any(|(_, j)| j.row(row).amax() > 0.0);
            if (0..3).all(acts) {
                part.push(&ContactRow {
                    entries: &self.entries,
                    offset,
                    friction: problem.friction(index),
                });
                start.contacts.push(solution.contacts[index]);
                self.contacts.push(contact);
            }
        }
        (part, start)
    }

    /// Puts the solution of the region taken out last into that of the whole.
    pub(super) fn store(
        &self,
        blocks: &[u32],
        own: &ContactSolution,
        solution: &mut ContactSolution,
    ) {
        for (v, &block) in own.velocity.chunks_exact(3).zip(blocks) {
            solution.velocity[3 * block as usize..][..3].copy_from_slice(v);
        }
        for (multipliers, &contact) in own.contacts.iter().zip(&self.contacts) {
            solution.contacts[contact as usize] = *multipliers;
        }
    }
}
