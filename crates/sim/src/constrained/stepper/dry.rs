//! Preliminary solves for new forces: decides whether the step is repeated with the geometric stiffness of forces that
//! appeared.

use super::super::ConstrainedSystem;
use super::ConstrainedStepper;
use impinge_contact::constraint::{Definiteness, GeometricStiffness, Placement};

/// `h² ‖K̃‖/m` of new forces above which the step is repeated with their geometric stiffness. The momentum of a block
/// then changes by a tenth; far smaller values repeat every step, far larger ones never do.
const HEAVY: f64 = 0.1;

impl ConstrainedStepper {
    /// Whether constraints without a force in the last step now have forces whose sum is large for some block.
    ///
    /// Forces are summed over constraints, so that a duplicated link counts like a single one.
    pub(super) fn is_heavy(&mut self, system: &ConstrainedSystem) -> bool {
        if self.settings.geometric_stiffness == GeometricStiffness::None {
            return false;
        }
        let placement = Placement::new(
            (&self.particles_end, &self.particle_blocks),
            (&self.frames, &self.body_blocks),
        );
        self.sizes.clear();
        self.sizes.resize(self.problem.unknowns() / 3, 0.0);
        let mut at = 0;
        for (index, constraint) in system.constraints.iter().enumerate() {
            if self.condensed[index] {
                continue;
            }
            let rows = constraint.rows();
            let lambda = &self.solution.constraints[at..at + rows];
            at += rows;
            let before = &self.forces[self.first_row[index]..][..rows];
            let slack = constraint.unilateral && before.iter().all(|&force| force == 0.0);
            if system.has_history[index] && !slack {
                continue;
            }
            let evaluation = &mut self.evaluations[index];
            evaluation.stiffness(constraint, &placement, lambda, Definiteness::Exact);
            let count = evaluation.blocks.len();
            for (place, &block) in evaluation.blocks.iter().enumerate() {
                self.sizes[block as usize] += evaluation.stiffness[place * count + place].amax();
            }
            for arm in &evaluation.turning {
                if let Some(of) = self.body_blocks[arm.body] {
                    let stiffness = of.axes.tr_mul(&(arm.stiffness() * of.axes));
                    self.sizes[of.first as usize + 1] += stiffness.amax();
                }
            }
        }
        let h = self.problem.time_step;
        self.sizes.iter().enumerate().any(|(block, size)| {
            let mass = self.problem.momentum.diagonal_block(block).diagonal().min();
            h * h * size > HEAVY * mass
        })
    }

    /// Takes the forces just solved for as those of the geometric stiffness.
    pub(super) fn take_forces(&mut self, system: &ConstrainedSystem) {
        let mut at = 0;
        for (index, constraint) in system.constraints.iter().enumerate() {
            if !self.condensed[index] {
                let rows = constraint.rows();
                self.forces[self.first_row[index]..][..rows]
                    .copy_from_slice(&self.solution.constraints[at..at + rows]);
                at += rows;
            }
        }
    }
}
