//! A constraint in stiffness form: its row with the force eliminated.

use super::{Constraint, Evaluation};
use crate::block::{add, at};
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Adds constraints to a momentum system in stiffness form. Memory is kept between calls.
///
/// ```text
/// λ = −∂V/∂φ at the start of the step          A += (h² + h d) Jᵀ (∂²V/∂φ²) J          b += h Jᵀ λ
/// ```
///
/// This is the row `h J v + C λ₊ = C λ` with `λ₊` eliminated. Both forms are the same equations if the last step's
/// forces equal this `λ`. [`StiffnessSum`](super::StiffnessSum) adds the geometric stiffness, here from the present
/// forces.
#[derive(Debug, Clone, Default)]
pub struct Condenser {
    /// `λ`, one per row of the latest constraint.
    pub lambda: Vec<f64>,
    /// `(∂²V/∂φ²) J`, in the layout of the rows.
    weighted: Vec<Vector3<f64>>,
    /// `d` of the latest constraint (s).
    damping: f64,
}

impl Condenser {
    /// Computes the forces and the weighted rows of a constraint with the rows of `evaluation`; changes only `self`, so
    /// many constraints can run it in parallel, each with its own.
    ///
    /// Returns whether the constraint acts: a one-sided one only in compression. One without stiffness
    /// ([`Constraint::has_stiffness`]) is a caller's bug and ignored.
    pub fn prepare(&mut self, constraint: &Constraint, evaluation: &Evaluation) -> bool {
        let rows = constraint.rows();
        self.damping = constraint.damping;
        self.lambda.clear();
        let curvature = match (&evaluation.response, constraint.stiffness()) {
            (Some(response), _) => {
                self.lambda.extend(response.slope.iter().map(|s| -s));
                &response.curvature
            }
            (None, Some(stiffness)) => {
                let force = |row: usize| -> f64 {
                    let terms = evaluation.value.iter().enumerate();
                    -terms
                        .map(|(at, phi)| stiffness[(row, at)] * phi)
                        .sum::<f64>()
                };
                self.lambda.extend((0..rows).map(force));
                stiffness
            }
            (None, None) => {
                self.lambda.resize(rows, 0.0);
                return false;
            }
        };
        if constraint.unilateral {
            for force in &mut self.lambda {
                *force = force.max(0.0);
            }
            if self.lambda.iter().all(|&force| force <= 0.0) {
                return false;
            }
        }
        self.weight(evaluation, curvature);
        true
    }

    /// Adds the constraint that was [prepared](Self::prepare) last, with the same `evaluation`, to the system; one
    /// constraint after the other, so that sums have one order. Blocks that the matrix does not store are ignored.
    pub fn scatter(
        &self,
        evaluation: &Evaluation,
        time_step: f64,
        momentum: &mut SymmetricBlockMatrix,
        rhs: &mut [f64],
    ) {
        let rows = self.lambda.len();
        let scale = time_step * (time_step + self.damping);
        let count = evaluation.blocks.len();
        for (a, &block) in evaluation.blocks.iter().enumerate() {
            for (row, force) in self.lambda.iter().enumerate() {
                let j = evaluation.jacobian[row * count + a] * (force * time_step);
                add(rhs, block, &j);
            }
            for (b, &other) in evaluation.blocks.iter().enumerate().skip(a) {
                let Some(slot) = momentum.pattern().slot(block as usize, other as usize) else {
                    continue;
                };
                let mut sum = Matrix3::zeros();
                for row in 0..rows {
                    let weighted = &self.weighted[row * count + b];
                    sum += evaluation.jacobian[row * count + a] * weighted.transpose();
                }
                *momentum.block_mut(slot) += sum * scale;
            }
        }
    }

    /// Adds the product of the stiffness of [`scatter`](Self::scatter) with `velocity` to `impulses`, both in the order
    /// of the unknowns (m/s, N·s). The damping is that of the constraint that was prepared last.
    pub fn add_product(
        &self,
        evaluation: &Evaluation,
        time_step: f64,
        velocity: &[f64],
        impulses: &mut [f64],
    ) {
        let scale = time_step * (time_step + self.damping);
        let count = evaluation.blocks.len();
        for row in 0..self.lambda.len() {
            let of_row = row * count..(row + 1) * count;
            let weighted = &self.weighted[of_row.clone()];
            let rate: f64 = (weighted.iter().zip(&evaluation.blocks))
                .map(|(weighted, &block)| weighted.dot(&at(velocity, block)))
                .sum();
            for (j, &block) in evaluation.jacobian[of_row].iter().zip(&evaluation.blocks) {
                add(impulses, block, &(j * (scale * rate)));
            }
        }
    }

    fn weight(&mut self, evaluation: &Evaluation, curvature: &DMatrix<f64>) {
        let (count, rows) = (evaluation.blocks.len(), curvature.nrows());
        self.weighted.clear();
        self.weighted.resize(rows * count, Vector3::zeros());
        for row in 0..rows {
            for column in 0..rows {
                let factor = curvature[(row, column)];
                if factor == 0.0 {
                    continue;
                }
                for block in 0..count {
                    self.weighted[row * count + block] +=
                        evaluation.jacobian[column * count + block] * factor;
                }
            }
        }
    }
}
