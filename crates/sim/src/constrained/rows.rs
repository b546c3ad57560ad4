//! Rows of one constraint in compliance form, in the format of a contact problem.

use impinge_contact::constraint::{Constraint, ConstraintGroup, Evaluation};
use nalgebra::Vector3;

/// Buffers for one constraint, reused so that filling a problem does not allocate.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowScratch {
    jacobian: Vec<Vector3<f64>>,
    offset: Vec<f64>,
    compliance: Vec<f64>,
}

impl RowScratch {
    /// The rows `h J (v − v_0) + s C λ = −s φ`, `s = h/(h + d)`. `evaluation` holds `φ` and `J` of a step of `h` (s)
    /// at the positions that the velocity `v_0` (m/s) leads to; without `v_0` at the start.
    ///
    /// With damping `d` this is `C λ = −(φ + d φ̇)` at the end of the step, divided by `1 + d/h`. Without damping and
    /// compliance, the step removes the whole violation `φ`.
    pub(crate) fn group<'a>(
        &'a mut self,
        constraint: &Constraint,
        evaluation: &'a Evaluation,
        h: f64,
        led_by: Option<&[f64]>,
    ) -> ConstraintGroup<'a> {
        let share = h / (h + constraint.damping);
        self.jacobian.clear();
        self.jacobian
            .extend(evaluation.jacobian.iter().map(|j| j * h));
        self.offset.clear();
        self.compliance.clear();
        let count = constraint.rows();
        let compliance = if let Some(response) = &evaluation.response {
            // C λ₊ = C λ(φ) − h J v: C ∂V/∂φ takes the place of the value of a linear law.
            let value = &response.compliance * &response.slope;
            self.offset.extend(value.iter().map(|phi| -phi * share));
            Some(&response.compliance)
        } else {
            let offset = evaluation.value.iter().map(|phi| -phi * share);
            self.offset.extend(offset);
            constraint.compliance()
        };
        // Rows of prescribed points alone have no blocks.
        if let Some(velocity) = led_by.filter(|_| !evaluation.blocks.is_empty()) {
            let rows = self.jacobian.chunks_exact(evaluation.blocks.len());
            for (offset, row) in self.offset.iter_mut().zip(rows) {
                *offset += (row.iter().zip(&evaluation.blocks))
                    .map(|(j, &block)| {
                        j.dot(&Vector3::from_column_slice(
                            &velocity[3 * block as usize..][..3],
                        ))
                    })
                    .sum::<f64>();
            }
        }
        match compliance {
            Some(c) => self.compliance.extend(c.iter().map(|c| c * share)),
            None => self.compliance.resize(count * count, 0.0),
        }
        ConstraintGroup {
            blocks: &evaluation.blocks,
            jacobian: &self.jacobian,
            offset: &self.offset,
            compliance: &self.compliance,
            unilateral: constraint.unilateral,
        }
    }
}
