//! The system of equations of a step: momentum, rows, geometric stiffness.

use super::super::ConstrainedSystem;
use super::ConstrainedStepper;
use super::layout::put;
use impinge_contact::constraint::Placement;
use nalgebra::Matrix3;

impl ConstrainedStepper {
    /// Momentum matrix with geometric stiffness from `self.forces`, right-hand side and rows.
    pub(super) fn assemble(&mut self, system: &ConstrainedSystem, h: f64) {
        self.assemble_momentum(system, h);
        self.assemble_constraints(system, h);
        self.solution
            .constraints
            .resize(self.problem.constraints.len(), 0.0);
        self.solution.velocity.resize(self.problem.unknowns(), 0.0);
    }

    /// `M` and `M v + h f` without constraints.
    fn assemble_momentum(&mut self, system: &ConstrainedSystem, h: f64) {
        let problem = &mut self.problem;
        problem.time_step = h;
        problem.momentum.set_zero();
        for (index, block) in self.particle_blocks.iter().enumerate() {
            if let Some(block) = block {
                let (block, mass) = (*block as usize, system.masses[index]);
                *problem.momentum.diagonal_block_mut(block) = Matrix3::identity() * mass;
                put(
                    &mut problem.rhs,
                    block,
                    &((system.velocities[index] + system.gravity * h) * mass),
                );
            }
        }
        for (body, blocks) in system.bodies.iter().zip(&self.body_blocks) {
            if let Some(blocks) = blocks {
                let (first, mass) = (blocks.first as usize, body.inertia.mass());
                for block in [first, first + 1] {
                    *problem.momentum.diagonal_block_mut(block) = Matrix3::identity() * mass;
                }
                let impulse = (body.state.velocity + system.gravity * h) * mass;
                put(&mut problem.rhs, first, &impulse);
                let spin = blocks.axes.tr_mul(&body.state.angular_momentum);
                put(&mut problem.rhs, first + 1, &spin);
            }
        }
    }

    /// Rows in compliance form, stiffness of constraints in stiffness form, and `−h² K̃` of both.
    fn assemble_constraints(&mut self, system: &ConstrainedSystem, h: f64) {
        let problem = &mut self.problem;
        problem.constraints.clear();
        let placement = Placement::new(
            (&self.particles_end, &self.particle_blocks),
            (&self.frames, &self.body_blocks),
        );
        self.sum.start(system.bodies.len());
        let mode = self.settings.geometric_stiffness;
        for (index, constraint) in system.constraints.iter().enumerate() {
            let evaluation = &mut self.evaluations[index];
            evaluation.rows(constraint, &placement);
            let rows = constraint.rows();
            let lambda = &mut self.forces[self.first_row[index]..][..rows];
            if self.condensed[index] {
                if self.condenser.prepare(constraint, evaluation) {
                    let (momentum, rhs) = (&mut problem.momentum, &mut problem.rhs);
                    self.condenser.scatter(evaluation, h, momentum, rhs);
                }
                lambda.copy_from_slice(&self.condenser.lambda);
            } else {
                let group = self.scratch.group(constraint, evaluation, h, None);
                problem.constraints.push(&group);
            }
            if mode.evaluate(constraint, evaluation, &placement, lambda) {
                self.sum
                    .scatter(constraint, evaluation, h, &mut problem.momentum);
            }
        }
        self.sum
            .finish(&placement.layout, mode, h, &mut problem.momentum);
    }
}
