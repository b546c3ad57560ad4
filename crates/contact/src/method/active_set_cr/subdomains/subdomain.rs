//! The problem of one subdomain: its blocks, its contacts, and all other velocities fixed.

use super::decomposition::Decomposition;
use crate::block::{at, of_blocks};
use crate::{ContactProblem, ContactSolution};
use nalgebra::Matrix3;

/// The start of a subdomain solve, later its solution, and its contacts in the whole problem.
#[derive(Debug, Default)]
pub(super) struct Subdomain {
    pub(super) solution: ContactSolution,
    /// Contacts of the subdomain's problem by their number in the whole.
    contacts: Vec<u32>,
}

impl Subdomain {
    /// The problem of a subdomain with its start.
    ///
    /// `J v ≥ c` becomes `J_own v_own ≥ c − J_other v_other`.
    pub(super) fn of(
        decomposition: &Decomposition,
        subdomain: usize,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) -> (ContactProblem, Self) {
        let blocks = decomposition.blocks(subdomain);
        let mut own_problem = ContactProblem::new(
            problem.time_step,
            problem.momentum.principal(blocks),
            of_blocks(&problem.rhs, blocks),
        );
        own_problem.weigh_part(problem, blocks);
        let mut own_subdomain = Self::default();
        own_subdomain.solution.velocity = of_blocks(&solution.velocity, blocks);
        let mut entries: Vec<(u32, Matrix3<f64>)> = Vec::new();
        for &contact in decomposition.contacts(subdomain) {
            let index = contact as usize;
            let mut offset = problem.offset(index);
            entries.clear();
            let (row, jacobians) = problem.row(index);
            for (&block, jacobian) in row.iter().zip(jacobians) {
                match decomposition.place(block) {
                    Some(place) => entries.push((place, *jacobian)),
                    None => offset -= jacobian * at(&solution.velocity, block),
                }
            }
            // A contact without weight on these nodes does not depend on them.
            let acts = |row: usize| entries.iter().any(|(_, j)| j.row(row).amax() > 0.0);
            if (0..3).all(acts) {
                own_problem.push_part((problem, index), &entries, offset);
                own_subdomain
                    .solution
                    .contacts
                    .push(solution.contacts[index]);
                own_subdomain.contacts.push(contact);
            }
        }
        (own_problem, own_subdomain)
    }

    /// Writes the solution to that of the whole problem; `blocks` are those of the subdomain.
    pub(super) fn store(&self, blocks: &[u32], solution: &mut ContactSolution) {
        (self.solution).store_in(blocks, &self.contacts, solution);
    }
}

#[cfg(test)]
mod tests {
    use super::super::decomposition::BoundedResidual;
    use super::*;
    use crate::ContactRow;
    use crate::method::rows::gap_and_slip;
    use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
    use nalgebra::{Rotation3, Vector3};

    /// Two bodies of two blocks each, and a contact between the second block of the first and the first block of the
    /// second.
    fn problem() -> ContactProblem {
        let pattern = BlockPattern::from_pairs(4, [(0, 1), (2, 3)]);
        let mut momentum = SymmetricBlockMatrix::zeros(pattern);
        for block in 0..4 {
            *momentum.diagonal_block_mut(block) = Matrix3::identity() * 2.0;
        }
        let mut problem = ContactProblem::new(1e-3, momentum, (0..12).map(f64::from).collect());
        let rows = *Rotation3::from_euler_angles(0.3, -0.8, 1.9).matrix();
        problem.push(&ContactRow {
            entries: &[(1, rows), (2, -rows)],
            offset: Vector3::new(0.1, -0.2, 0.3),
            friction: 0.4,
        });
        problem
    }

    /// Only the second body has a residual, and a contact without force does not add its neighbour.
    fn second_body(problem: &ContactProblem, solution: &ContactSolution) -> Decomposition {
        let mut decomposition = Decomposition::default();
        decomposition.find_bodies(problem);
        assert_eq!(decomposition.bodies(), 2);
        let mut residual = [0.0; 12];
        residual[9] = 1.0;
        let momentum = BoundedResidual {
            residual: &residual,
            square: 1e-2,
        };
        let left = decomposition.choose(problem, solution, momentum, |_| false);
        assert_eq!(left, Some(0.0));
        assert_eq!(decomposition.connect(problem), 1);
        assert_eq!(decomposition.blocks(0), [2, 3]);
        decomposition
    }

    #[test]
    fn gaps_and_slips_are_those_of_the_whole() {
        let problem = problem();
        let mut solution = ContactSolution::at_rest(&problem);
        for (i, v) in solution.velocity.iter_mut().enumerate() {
            *v = (1.7 * i as f64).sin();
        }
        let decomposition = second_body(&problem, &solution);
        let (alone, mut own_subdomain) = Subdomain::of(&decomposition, 0, &problem, &solution);
        assert_eq!(alone.rhs, problem.rhs[6..]);
        let own = &mut own_subdomain.solution;
        assert_eq!(own.velocity, solution.velocity[6..]);
        for (i, v) in own.velocity.iter_mut().enumerate() {
            *v += (0.3 * i as f64).cos();
        }
        own.contacts[0].lambda = 5.0;
        own_subdomain.store(decomposition.blocks(0), &mut solution);
        let own = &own_subdomain.solution;
        assert_eq!(own.velocity, solution.velocity[6..]);
        assert_eq!(own.contacts, solution.contacts);
        let whole = gap_and_slip(&problem, 0, &solution.velocity);
        let alone = gap_and_slip(&alone, 0, &own.velocity);
        assert!((whole - alone).amax() < 1e-14, "{whole} {alone}");
    }
}
