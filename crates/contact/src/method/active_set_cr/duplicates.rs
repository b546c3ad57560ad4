//! `Z`: number of near-duplicates of each contact, so that the preconditioner does not count their stiffness twice.

use crate::method::rows::at;
use crate::{ContactProblem, method::active_set_cr::DuplicateRule};
use nalgebra::{Matrix3, Vector3};

/// Contacts of every block, in compressed rows; rebuilt in place for each contact set.
#[derive(Debug, Default)]
pub(super) struct BlockContacts {
    starts: Vec<u32>,
    /// `(contact, position of the block within that contact's row)`.
    entries: Vec<(u32, u32)>,
}

impl BlockContacts {
    fn rebuild(&mut self, problem: &ContactProblem) {
        let blocks = problem.momentum.blocks();
        self.starts.clear();
        self.starts.resize(blocks + 1, 0);
        for contact in 0..problem.contacts() {
            for &block in problem.row(contact).0 {
                self.starts[block as usize + 1] += 1;
            }
        }
        for block in 0..blocks {
            self.starts[block + 1] += self.starts[block];
        }
        self.entries.clear();
        self.entries.resize(self.starts[blocks] as usize, (0, 0));
        for contact in 0..problem.contacts() {
            for (position, &block) in problem.row(contact).0.iter().enumerate() {
                let next = &mut self.starts[block as usize];
                self.entries[*next as usize] = (contact as u32, position as u32);
                *next += 1;
            }
        }
        // Filling advanced every start to the next block's: shift back.
        for block in (1..=blocks).rev() {
            self.starts[block] = self.starts[block - 1];
        }
        self.starts[0] = 0;
    }

    fn of(&self, block: u32) -> &[(u32, u32)] {
        &self.entries
            [self.starts[block as usize] as usize..self.starts[block as usize + 1] as usize]
    }
}

/// Compliances of the diagonal of `A`.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiagonalCompliance<'a> {
    /// `D⁻¹` (1/kg).
    pub(super) of_unknowns: &'a [f64],
    /// `w = diag(L D⁻¹ Lᵀ)`, 3 per contact (m/N).
    pub(super) of_rows: &'a [f64],
}

/// Workspace of the duplicate count.
#[derive(Debug, Default)]
pub(super) struct DuplicateCounter {
    by_block: BlockContacts,
    /// Index in `pairs` of each contact while a row is gathered, else `u32::MAX`.
    slot: Vec<u32>,
    /// `(other contact, similarity so far, Delassus block so far)`.
    pairs: Vec<(u32, f64, Matrix3<f64>)>,
}

impl DuplicateCounter {
    /// Fills `z` with `Z ≥ 1`, three entries per contact.
    pub(super) fn count(
        &mut self,
        problem: &ContactProblem,
        rule: DuplicateRule,
        compliance: DiagonalCompliance<'_>,
        z: &mut [f64],
    ) {
        self.by_block.rebuild(problem);
        // Removes the remains of the last contact of an earlier problem, which may have been larger.
        self.pairs.clear();
        self.slot.clear();
        self.slot.resize(problem.contacts(), u32::MAX);
        for contact in 0..problem.contacts() {
            self.gather(problem, contact, compliance.of_unknowns);
            let z = &mut z[3 * contact..][..3];
            match rule {
                DuplicateRule::Similarity => {
                    let copies: f64 = self.pairs.iter().map(|(_, similarity, _)| similarity).sum();
                    z.fill(copies);
                }
                DuplicateRule::RowSum => {
                    let mut sums = Vector3::<f64>::zeros();
                    for (_, _, block) in &self.pairs {
                        for row in 0..3 {
                            sums[row] += block.row(row).iter().map(|x| x.abs()).sum::<f64>();
                        }
                    }
                    for row in 0..3 {
                        z[row] = (sums[row] / compliance.of_rows[3 * contact + row]).max(1.0);
                    }
                }
            }
        }
    }

    /// Collects all contacts that share a block with `contact`, itself included.
    fn gather(&mut self, problem: &ContactProblem, contact: usize, inverse_diagonal: &[f64]) {
        for (other, ..) in self.pairs.drain(..) {
            self.slot[other as usize] = u32::MAX;
        }
        let (blocks, jacobians) = problem.row(contact);
        for (&block, jacobian) in blocks.iter().zip(jacobians) {
            let weight = weight(jacobian, problem.time_step);
            let scaled = scale_columns(jacobian, &at(inverse_diagonal, block));
            for &(other, position) in self.by_block.of(block) {
                let their = &problem.row(other as usize).1[position as usize];
                let slot = &mut self.slot[other as usize];
                if *slot == u32::MAX {
                    *slot = self.pairs.len() as u32;
                    self.pairs.push((other, 1.0, Matrix3::zeros()));
                }
                let (_, similarity, delassus) = &mut self.pairs[*slot as usize];
                *similarity *= 1.0 - (weight - self::weight(their, problem.time_step)).abs();
                *delassus += scaled * their.transpose();
            }
        }
    }
}

/// `|w|` of a row block: its normal row is `±w Δt n` with `‖n‖ = 1`.
fn weight(jacobian: &Matrix3<f64>, time_step: f64) -> f64 {
    (jacobian.row(0).norm() / time_step).min(1.0)
}

fn scale_columns(jacobian: &Matrix3<f64>, scale: &Vector3<f64>) -> Matrix3<f64> {
    jacobian * Matrix3::from_diagonal(scale)
}
