//! Work of stiffness damping, which the equations of a step do not separate from elastic forces.
//!
//! Damping acts on the deviation `d = w − w_R` from the free flight. A body with the damping time `a` has
//! `(h² + h a) K` in its momentum matrix, of which `a/(h + a)` is damping, so the work is `−a/(h + a) dᵀ (A − M) d`. A
//! constraint in compliance form with the damping time `a` loses `a/h yᵀ C⁻¹ y` with `y = h J d`.

use super::accounts::Accounts;
use super::substep::{Substep, get};
use super::works::Works;
use impinge_contact::constraint::Constraint;
use nalgebra::{DMatrix, DVector};

/// Scratch, in the order of the unknowns.
#[derive(Debug, Default)]
pub(super) struct Damping {
    /// `d` (m/s), and `A d` (N·s).
    deviation: Vec<f64>,
    product: Vec<f64>,
    scratch: Vec<f64>,
}

impl Damping {
    /// Moves the work of stiffness damping from elastic forces to damping.
    pub(super) fn add(&mut self, accounts: &Accounts, step: &Substep<'_>, works: &mut [Works]) {
        if accounts.is_damped() {
            let velocity = &step.solution.velocity;
            self.deviation.clone_from(velocity);
            for (deviation, chord) in self.deviation.iter_mut().zip(step.flight.chords()) {
                *deviation -= chord;
            }
            self.add_rows(accounts, step, works);
            self.add_links(accounts, step, works);
            // In elements it acts on the deviation less a part of the last one.
            for (block, &point) in step.model.unknowns.point_of_block.iter().enumerate() {
                let undamped = step.flight.undamped(point as usize);
                for axis in 0..3 {
                    self.deviation[3 * block + axis] -= undamped[axis];
                }
            }
            self.add_bodies(accounts, step, works);
            self.add_thin(step, works);
        }
    }

    fn add_bodies(&mut self, accounts: &Accounts, step: &Substep<'_>, works: &mut [Works]) {
        let model = step.model;
        let h = step.problem.time_step;
        if accounts.damping_times().iter().all(|&time| time == 0.0) {
            return;
        }
        let matrix = &step.problem.momentum;
        self.product.resize(self.deviation.len(), 0.0);
        self.scratch.resize(matrix.scratch_len(), 0.0);
        matrix.multiply(&self.deviation, &mut self.product, &mut self.scratch);
        // The joints in stiffness form are no part of a body.
        for (evaluation, condenser) in step.links {
            let mut of_link = vec![0.0; self.product.len()];
            condenser.add_product(evaluation, h, &self.deviation, &mut of_link);
            for (product, of_link) in self.product.iter_mut().zip(of_link) {
                *product -= of_link;
            }
        }
        let mut squares = vec![0.0; accounts.count()];
        for (block, &point) in model.unknowns.point_of_block.iter().enumerate() {
            let solid = model.geometry.solid_of_point(point);
            let point = point as usize;
            let factor = 1.0 + step.flight.ratio(point);
            let inertia = model.points.mass[point] * (factor * factor)
                + h * model.points.mass_damping[point] * factor;
            let deviation = get(&self.deviation, block);
            let product = get(&self.product, block) - deviation * inertia;
            squares[solid] += (deviation + step.flight.undamped(point)).dot(&product);
        }
        for ((works, square), &time) in works.iter_mut().zip(squares).zip(accounts.damping_times())
        {
            let time = time * (step.flight.scales(h).damping / h);
            works.damp(-time / (h + time) * square);
        }
    }

    fn add_rows(&self, accounts: &Accounts, step: &Substep<'_>, works: &mut [Works]) {
        let h = step.problem.time_step;
        let rows = &step.problem.constraints;
        for (group, constraint) in step.model.constraints.rows.iter().enumerate() {
            if constraint.damping == 0.0 || constraint.is_hard() || group >= rows.groups() {
                continue;
            }
            let data = rows.group(group);
            let count = data.offset.len();
            let forces = &step.solution.constraints[rows.first_row(group)..][..count];
            if constraint.unilateral && forces.iter().all(|&force| force == 0.0) {
                continue;
            }
            let rate = DVector::from_fn(count, |row, _| rows.product(group, row, &self.deviation));
            let Some(stiffness) = stiffness_of(constraint, data.compliance, count, h) else {
                continue;
            };
            let loss = constraint.damping / h * rate.dot(&(stiffness * &rate));
            works[accounts.of_row(rows.first_row(group))].damp(-loss);
        }
    }

    fn add_links(&mut self, accounts: &Accounts, step: &Substep<'_>, works: &mut [Works]) {
        let h = step.problem.time_step;
        self.product.resize(self.deviation.len(), 0.0);
        for (constraint, (evaluation, condenser)) in
            step.model.constraints.soft.iter().zip(step.links)
        {
            if constraint.damping == 0.0 || evaluation.blocks.is_empty() {
                continue;
            }
            for &block in &evaluation.blocks {
                self.product[3 * block as usize..][..3].fill(0.0);
            }
            condenser.add_product(evaluation, h, &self.deviation, &mut self.product);
            let square: f64 = (evaluation.blocks.iter())
                .map(|&block| {
                    get(&self.product, block as usize).dot(&get(&self.deviation, block as usize))
                })
                .sum();
            let time = constraint.damping;
            works[accounts.joints()].damp(-time / (h + time) * square);
        }
    }

    /// Edges and hinges of thin bodies in stiffness form.
    fn add_thin(&self, step: &Substep<'_>, works: &mut [Works]) {
        let model = step.model;
        let h = step.problem.time_step;
        let at = |point: u32| step.linearised_at[point as usize];
        let damped_h = step.flight.scales(h).damping;
        let undamped = |point: u32| step.flight.undamped(point as usize);
        let deviation = |point: u32| match model.unknowns.block_of_point[point as usize] {
            Some(block) => get(&self.deviation, block as usize),
            None => step.prescribed_velocity[point as usize] - undamped(point),
        };
        let whole = |point: u32| deviation(point) + undamped(point);
        for (time, spring) in model.elements.thin.soft_springs() {
            if time == 0.0 {
                continue;
            }
            let [a, b] = spring.points.map(at);
            let [da, db] = spring.points.map(deviation);
            let [wa, wb] = spring.points.map(whole);
            let rates = (a - b)
                .try_normalize(0.0)
                .map_or(0.0, |n| n.dot(&(da - db)) * n.dot(&(wa - wb)));
            let loss = time * damped_h * spring.stiffness / spring.rest_length * rates;
            works[model.geometry.solid_of_point(spring.points[0])].damp(-loss);
        }
        for (time, hinges) in &model.elements.thin.hinges {
            if *time == 0.0 {
                continue;
            }
            for hinge in hinges {
                let tangent = hinge.tangent(&hinge.points.map(at));
                let rates = hinge.points.map(deviation);
                let along = hinge.points.map(whole);
                let loss: f64 = (tangent.iter().zip(&along))
                    .flat_map(|(row, rate)| {
                        row.iter()
                            .zip(&rates)
                            .map(move |(k, other)| rate.dot(&(k * other)))
                    })
                    .sum();
                works[model.geometry.solid_of_point(hinge.points[0])].damp(-time * damped_h * loss);
            }
        }
    }
}

impl Works {
    /// Takes the work `by` (J) of damping, a part of that of elastic forces so far.
    pub(super) fn damp(&mut self, by: f64) {
        self.elastic -= by;
        self.columns.damping += by;
    }
}

/// `C⁻¹` of a constraint, whose rows have `h/(h + d) C`; `None` if it is singular.
fn stiffness_of(
    constraint: &Constraint,
    compliance: &[f64],
    rows: usize,
    h: f64,
) -> Option<DMatrix<f64>> {
    if let (false, Some(stiffness)) = (constraint.has_potential(), constraint.stiffness()) {
        return Some(stiffness.clone());
    }
    let share = h / (h + constraint.damping);
    let compliance = DMatrix::from_row_slice(rows, rows, compliance) / share;
    compliance.try_inverse()
}
