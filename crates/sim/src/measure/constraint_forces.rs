//! Forces of constraints at a state.

use super::strains::take_offsets;
use crate::{model::Model, state::State};
use impinge_contact::constraint::law::MOST_ROWS;
use impinge_contact::constraint::{
    BodyBlocks, Configuration, Constraint, Evaluation, Frame, Layout, Local, Placement, Term,
};
use nalgebra::{DVector, Vector3};
use std::ops::Range;

/// Evaluates the forces of constraints at a state.
pub(super) struct Evaluator<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) frames: &'a [Frame],
    /// Values and derivatives of the latest constraint.
    pub(super) local: Local,
    particles: Vec<Option<u32>>,
    bodies: Vec<Option<BodyBlocks>>,
    evaluation: Evaluation,
}

/// The rows of a constraint among those of the model.
pub(super) struct Rows {
    pub(super) range: Range<usize>,
    /// Whether the state has their forces.
    pub(super) has_forces: bool,
}

impl<'a> Evaluator<'a> {
    /// An evaluator at `state`, whose rigid bodies are at `frames`.
    pub(super) fn new(model: &'a Model, state: &'a State, frames: &'a [Frame]) -> Self {
        Self {
            model,
            state,
            frames,
            local: Local::default(),
            particles: vec![None; state.positions.len()],
            bodies: vec![None; state.rigid.len()],
            evaluation: Evaluation::default(),
        }
    }

    /// Forces `λ` of a constraint with these rows (N; N·m for an angle).
    pub(super) fn forces(&mut self, constraint: &Constraint, rows: Rows) -> Vec<f64> {
        let Rows { range, has_forces } = rows;
        let configuration = Configuration {
            particles: &self.state.positions,
            frames: self.frames,
        };
        let q: Vec<Vector3<f64>> = (constraint.points().iter())
            .map(|point| point.at(&configuration))
            .collect();
        self.local.clear(constraint.rows(), q.len());
        constraint.law().evaluate(&q, &mut self.local);
        match self.state.joint_forces.get(range.clone()) {
            Some(forces) if has_forces => forces.to_vec(),
            _ => self.forces_by_value(constraint, range.start, &configuration),
        }
    }

    /// `λ = −∂V/∂φ − C⁻¹ d φ̇` of a compliant constraint.
    fn forces_by_value(
        &mut self,
        constraint: &Constraint,
        first_row: usize,
        configuration: &Configuration<'_>,
    ) -> Vec<f64> {
        let rows = constraint.rows();
        // No unknowns: this needs values only.
        let placement = Placement {
            state: *configuration,
            layout: Layout {
                particles: &self.particles,
                bodies: &self.bodies,
            },
        };
        self.evaluation.rows(constraint, &placement);
        let (model, state) = (self.model, self.state);
        take_offsets(model, state, state.time, first_row, &mut self.evaluation);
        let value = DVector::from_column_slice(&self.evaluation.value);
        if constraint.unilateral && value.min() >= 0.0 {
            return vec![0.0; rows];
        }
        let mut stretched = value;
        if constraint.damping > 0.0 {
            let rate = self.rate(constraint);
            stretched += DVector::from_column_slice(&rate[..rows]) * constraint.damping;
        }
        let forces = match (
            constraint.law().response(&self.evaluation.value),
            constraint.stiffness(),
        ) {
            (Some(response), _) => -response.slope,
            (None, Some(stiffness)) => -(stiffness * stretched),
            (None, None) => DVector::zeros(rows),
        };
        forces.as_slice().to_vec()
    }

    /// `φ̇` at the latest evaluation.
    fn rate(&self, constraint: &Constraint) -> [f64; MOST_ROWS] {
        let count = constraint.points().len();
        let mut rate = [0.0; MOST_ROWS];
        for (index, point) in constraint.points().iter().enumerate() {
            let mut velocity = Vector3::zeros();
            for term in &point.terms {
                velocity += match *term {
                    Term::Particle { index, weight } => self.state.velocities[index] * weight,
                    Term::Body {
                        index,
                        weight,
                        place,
                        arm,
                    } => {
                        let at = &self.state.rigid[index];
                        let spin = self.model.rigid[index].angular_velocity(at);
                        let arm = self.frames[index].orientation * arm;
                        (at.velocity * place + spin.cross(&arm)) * weight
                    }
                };
            }
            for (row, rate) in rate.iter_mut().enumerate().take(constraint.rows()) {
                *rate += self.local.jacobian[row * count + index].dot(&velocity);
            }
        }
        rate
    }
}
