//! Geometric stiffness of all constraints, summed per body, projected, and added to the momentum matrix.

use super::turning::TurningSum;
use super::{Constraint, Definiteness, Evaluation, Layout, Placement};
use crate::block::{add, at};
use impinge_krylov::block::SymmetricBlockMatrix;

/// Share of the geometric stiffness in the momentum matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum GeometricStiffness {
    /// None: forces keep their direction during a step. Unstable under tension; for comparison.
    None,
    /// The full symmetric second derivative in exponential coordinates. May make the momentum matrix indefinite where
    /// something is compressed or spins up.
    Symmetric,
    /// The negative semi-definite part; of bodies in coordinates that turn about the arms of their joints first
    /// ([`TurningSum`]). Never adds energy, and `A` stays positive definite.
    #[default]
    Projected,
}

impl GeometricStiffness {
    fn definiteness(self) -> Option<Definiteness> {
        match self {
            Self::None => None,
            Self::Symmetric => Some(Definiteness::Exact),
            Self::Projected => Some(Definiteness::Negative),
        }
    }

    /// Writes the stiffness of one constraint into its `evaluation`, which holds its rows; returns whether it has any.
    pub fn evaluate(
        self,
        constraint: &Constraint,
        evaluation: &mut Evaluation,
        placement: &Placement<'_>,
        lambda: &[f64],
    ) -> bool {
        let Some(definiteness) = self.definiteness() else {
            return false;
        };
        // A material resists shear even without strain.
        if !constraint.has_potential() && lambda.iter().all(|&force| force == 0.0) {
            return false;
        }
        evaluation.stiffness(constraint, placement, lambda, definiteness);
        true
    }
}

/// Adds `−h² K̃` to a momentum matrix, one constraint after the other.
///
/// The stiffness of joints in the rotation of one body is summed before it is projected. In a chain under tension the
/// joints of a link cancel; each projected alone would damp the link. [`TurningSum`] defines the coordinates.
#[derive(Debug, Clone, Default)]
pub struct StiffnessSum {
    turning: Vec<TurningSum>,
}

/// The factor of `K̃` in the momentum matrix (s²). The shear resistance of a material is damped like its other
/// stiffness.
fn scale(constraint: &Constraint, time_step: f64) -> f64 {
    let damping = if constraint.has_potential() {
        constraint.damping
    } else {
        0.0
    };
    -time_step * (time_step + damping)
}

impl StiffnessSum {
    /// Starts a sum over constraints on `bodies` rigid bodies.
    pub fn start(&mut self, bodies: usize) {
        self.turning.clear();
        self.turning.resize(bodies, TurningSum::default());
    }

    /// Adds one constraint whose `evaluation` holds its stiffness, by [`GeometricStiffness::evaluate`].
    ///
    /// Blocks that the matrix does not store are a caller's bug and ignored.
    pub fn scatter(
        &mut self,
        constraint: &Constraint,
        evaluation: &Evaluation,
        time_step: f64,
        matrix: &mut SymmetricBlockMatrix,
    ) {
        let scale = scale(constraint, time_step);
        let count = evaluation.blocks.len();
        for a in 0..count {
            for b in a..count {
                let (i, j) = (evaluation.blocks[a] as usize, evaluation.blocks[b] as usize);
                let slot = matrix.pattern().slot(i, j);
                if let Some(slot) = slot {
                    *matrix.block_mut(slot) += evaluation.stiffness[a * count + b] * scale;
                }
            }
        }
        for at in &evaluation.turning {
            self.turning[at.body].add(at);
        }
    }

    /// Adds the product of the stiffness of one constraint between particles, as [`scatter`](Self::scatter) adds it,
    /// with `velocity` to `impulses`, both in the order of the unknowns (m/s, N·s).
    pub fn add_product(
        constraint: &Constraint,
        evaluation: &Evaluation,
        time_step: f64,
        velocity: &[f64],
        impulses: &mut [f64],
    ) {
        let scale = scale(constraint, time_step);
        let count = evaluation.blocks.len();
        for a in 0..count {
            for b in a..count {
                let (i, j) = (evaluation.blocks[a], evaluation.blocks[b]);
                let stiffness = evaluation.stiffness[a * count + b] * scale;
                add(impulses, i, &(stiffness * at(velocity, j)));
                if a != b {
                    add(impulses, j, &stiffness.tr_mul(&at(velocity, i)));
                }
            }
        }
    }

    /// `τ` (N·m): sum of the moments of all forces on a body. `−½ τ^` is the part of `K̃` that is not symmetric.
    pub fn moment(&self, body: usize) -> nalgebra::Vector3<f64> {
        self.turning[body].moment
    }

    /// Adds the sums of the arms of rigid bodies.
    pub fn finish(
        &mut self,
        layout: &Layout<'_>,
        mode: GeometricStiffness,
        time_step: f64,
        matrix: &mut SymmetricBlockMatrix,
    ) {
        for (sum, body) in self.turning.iter().zip(layout.bodies) {
            let Some(body) = body else { continue };
            if sum.is_zero() {
                continue;
            }
            let part = match mode {
                GeometricStiffness::Projected => sum.resisting(),
                _ => sum.stiffness,
            };
            let block = body.axes.tr_mul(&(part * body.axes)) * (-time_step * time_step);
            *matrix.diagonal_block_mut(body.first as usize + 1) +=
                (block + block.transpose()) * 0.5;
        }
    }
}
