//! Works of all forces in a substep, by account.
//!
//! With the momentum matrix `A`, its right-hand side `b`, the mean velocities `w` and all multipliers `λ` of the solve,
//! `r = A w − b − Jᵀ λ` is the impulse that it leaves undone, and `A w − b` holds the other forces. So the impulse on
//! each block is the sum of known ones and of one of elements, constraints and damping. Each does the work `P · w`.

use super::accounts::Accounts;
use super::sheet::BodyBalance;
use super::substep::{Substep, get};
use crate::flight::second_order::{is_of_second_order, lead};
use crate::model::PointMotion;
use impinge_contact::ContactState;
use nalgebra::Vector3;

/// The entries of a substep in one account.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Works {
    /// The columns that are works, and the impulses.
    pub(super) columns: BodyBalance,
    /// Work of elastic forces (J).
    pub(super) elastic: f64,
    /// Change of the kinetic energy of nodes minus the work of all forces on them (J): the loss by the integrator.
    pub(super) inertia: f64,
    /// Work of all forces on the body, if it is a free rigid one (J).
    pub(super) on_rigid: f64,
    /// The part of `columns.plastic` in constraints between points that never move freely (J).
    pub(super) plastic_between_held: f64,
}

/// Scratch of the works.
#[derive(Debug, Default)]
pub(super) struct WorkSpace {
    /// `A w − b`, then its remainder (N·s), in the order of the unknowns.
    pub(super) product: Vec<f64>,
    scratch: Vec<f64>,
    /// `½ (ṽ + v₊) − w` (m/s): half of the change of velocity by all forces, and the gain of the turn.
    kicks: Vec<f64>,
    links: Vec<f64>,
    pub(super) works: Vec<Works>,
}

impl WorkSpace {
    /// Computes the works of a substep.
    pub(super) fn measure(&mut self, accounts: &Accounts, step: &Substep<'_>) {
        self.works.clear();
        self.works.resize(accounts.count(), Works::default());
        let unknowns = step.problem.unknowns();
        let velocity = &step.solution.velocity;
        self.product.resize(unknowns, 0.0);
        (self.scratch).resize(step.problem.momentum.scratch_len(), 0.0);
        (step.problem.momentum).multiply(velocity, &mut self.product, &mut self.scratch);
        for (product, b) in self.product.iter_mut().zip(&step.problem.rhs) {
            *product -= b;
        }
        self.kicks.clear();
        self.kicks.resize(unknowns, 0.0);
        self.add_links(accounts, step);
        self.add_nodes(step);
        self.add_held_momentum(step);
        self.add_rigid(accounts, step);
        self.add_rows(accounts, step);
        self.add_contacts(step);
        self.add_residual(step);
    }

    /// Joints in stiffness form, on nodes.
    fn add_links(&mut self, accounts: &Accounts, step: &Substep<'_>) {
        self.links.clear();
        self.links.resize(self.product.len(), 0.0);
        let h = step.problem.time_step;
        let velocity = &step.solution.velocity;
        for (evaluation, condenser) in step.links {
            if condenser.lambda.iter().all(|&force| force == 0.0) && evaluation.blocks.is_empty() {
                continue;
            }
            condenser.add_product(evaluation, h, velocity, &mut self.links);
            let count = evaluation.blocks.len();
            for (row, force) in condenser.lambda.iter().enumerate() {
                for (j, &block) in evaluation.jacobian[row * count..]
                    .iter()
                    .zip(&evaluation.blocks)
                {
                    let impulse = j * (force * h);
                    for axis in 0..3 {
                        self.links[3 * block as usize + axis] -= impulse[axis];
                    }
                }
            }
        }
        // `links` is their part of `A w − b`.
        if !step.links.is_empty() {
            for (block, &point) in step.model.unknowns.point_of_block.iter().enumerate() {
                let work = -get(&self.links, block).dot(&get(velocity, block));
                let solid = step.model.geometry.solid_of_point(point);
                self.works[solid].columns.joints += work;
                self.works[accounts.joints()].columns.joints -= work;
            }
        }
    }

    /// Inertia, gravity, nodal forces, damping by mass and elements of free nodes.
    fn add_nodes(&mut self, step: &Substep<'_>) {
        let (model, solution, flight) = (step.model, step.solution, step.flight);
        let h = step.problem.time_step;
        let added = step.forces.map(|forces| forces.on(&solution.velocity));
        for (block, &point) in model.unknowns.point_of_block.iter().enumerate() {
            let works = &mut self.works[model.geometry.solid_of_point(point)];
            let point = point as usize;
            let mass = model.points.mass[point];
            let mean = get(&solution.velocity, block);
            let end = flight.end_of(point, &mean);
            let impulse = flight.impulse_of(block, point, &mean);
            // `ṽ`: an impulse at once would change `ℓ` by all of `h F/m`, and `v` by `1/(1 + κ)` of it.
            let free = end - impulse / (1.0 + flight.ratio(point));
            let start = step.start.velocities[point];
            let kick = (free + end) * 0.5 - mean;
            self.kicks[3 * block..][..3].copy_from_slice(kick.as_slice());

            let inertial = impulse * mass;
            let weight = model.settings.gravity * (mass * h);
            let pull = model.points.pull[point] * h;
            let drag = end * (-h * model.points.mass_damping[point]);
            let force = added
                .as_ref()
                .map_or_else(Vector3::zeros, |all| get(all, block));
            let equation = get(&self.product, block);
            let own = inertial - weight - pull - drag - force - equation;
            // The rest comes from contacts, rows and the residual.
            let link = get(&self.links, block);

            works.inertia += (0.5 * mass) * (end - start).dot(&(end + start)) - inertial.dot(&mean);
            works.elastic += (own + link).dot(&mean);
            let columns = &mut works.columns;
            columns.pulls += pull.dot(&mean);
            columns.damping += drag.dot(&mean);
            columns.forces += force.dot(&mean);
            add(&mut columns.given_impulse, &(weight + pull));
            add(&mut columns.other_impulse, &(own + drag + force));
        }
    }

    /// Momentum of points with a prescribed motion: their holding force carries their weight.
    fn add_held_momentum(&mut self, step: &Substep<'_>) {
        let model = step.model;
        for (point, motion) in model.unknowns.motion_of_point.iter().enumerate() {
            let mass = model.points.mass[point];
            if mass > 0.0 && motion.is_prescribed() {
                let columns = &mut self.works[model.geometry.solid_of_point(point as u32)].columns;
                let weight = model.settings.gravity * (mass * step.problem.time_step);
                let mut change = step.prescribed_velocity[point] - step.start.velocities[point];
                if is_of_second_order(model) {
                    let known = step.start.history.leads.get(point);
                    change += lead(change) - known.copied().unwrap_or_default();
                }
                add(&mut columns.given_impulse, &weight);
                add(&mut columns.other_impulse, &(change * mass - weight));
            }
        }
    }

    /// Inertia, gravity and joints of free rigid bodies; joints in stiffness form and geometric stiffness are all that
    /// couples them to others in the matrix.
    fn add_rigid(&mut self, accounts: &Accounts, step: &Substep<'_>) {
        let (model, solution) = (step.model, step.solution);
        let h = step.problem.time_step;
        let added = step.forces.map(|forces| forces.on(&solution.velocity));
        let bodies = model.rigid.iter().zip(step.rigid_starts).zip(step.axes);
        for (index, ((rigid, start), axes)) in bodies.enumerate() {
            let mass = rigid.inertia.mass();
            let factor = start.inertia_factor;
            let first = rigid.first_block as usize;
            let weights = [model.settings.gravity * (mass * h), Vector3::zeros()];
            let load = model.loads.of_rigid(index);
            let loads = [load.force * h, axes.tr_mul(&load.torque) * h];
            let given = start.velocities.iter().zip(weights).zip(loads);
            for (block, ((start, weight), load)) in (first..).zip(given) {
                let mean = get(&solution.velocity, block);
                // That of a spin contains the torque.
                let torque = if block == first {
                    Vector3::zeros()
                } else {
                    load
                };
                let start = start - torque / mass;
                // For implicit Euler; no contact touches the others.
                let kick = (start - mean) * 0.5;
                self.kicks[3 * block..][..3].copy_from_slice(kick.as_slice());
                let inertial = (mean * factor - start) * mass;
                let force = added
                    .as_ref()
                    .map_or_else(Vector3::zeros, |all| get(all, block));
                let joint = inertial - weight - load - force - get(&self.product, block);
                let work = joint.dot(&mean);
                let works = &mut self.works[rigid.body];
                works.on_rigid += inertial.dot(&mean);
                works.columns.joints += work;
                works.columns.forces += force.dot(&mean);
                works.columns.pulls += load.dot(&mean);
                if block == first {
                    add(&mut works.columns.given_impulse, &(weight + load));
                    add(&mut works.columns.other_impulse, &(joint + force));
                }
                self.works[accounts.joints()].columns.joints -= work;
            }
        }
    }

    /// Constraints in compliance form. Subtracts their impulses from the remainder.
    fn add_rows(&mut self, accounts: &Accounts, step: &Substep<'_>) {
        let (model, solution) = (step.model, step.solution);
        let rows = &step.problem.constraints;
        for group in 0..rows.groups() {
            let first = rows.first_row(group);
            let account = accounts.of_row(first);
            let data = rows.group(group);
            let count = data.blocks.len();
            for (row, &lambda) in solution.constraints[first..][..data.offset.len()]
                .iter()
                .enumerate()
            {
                for (&block, j) in data.blocks.iter().zip(&data.jacobian[row * count..]) {
                    let block = block as usize;
                    let impulse = j * lambda;
                    let work = impulse.dot(&get(&solution.velocity, block));
                    let solid = model.body_of_block(block);
                    if solid == account {
                        self.works[solid].elastic += work;
                    } else {
                        self.works[solid].columns.joints += work;
                        self.works[account].columns.joints -= work;
                    }
                    if is_linear(step, block) {
                        add(&mut self.works[solid].columns.other_impulse, &impulse);
                    }
                    for axis in 0..3 {
                        self.product[3 * block + axis] -= impulse[axis];
                    }
                }
            }
        }
    }

    /// Contacts, from the forces that the state gets.
    fn add_contacts(&mut self, step: &Substep<'_>) {
        let (model, velocity) = (step.model, &step.solution.velocity);
        let h = step.problem.time_step;
        for contact in step.contacts {
            if contact.multipliers.state == ContactState::Inactive {
                continue;
            }
            let [f1, f2] = contact.multipliers.friction_force();
            let tangential = contact.frame.tangents[0] * f1 + contact.frame.tangents[1] * f2;
            for (i, &point) in contact.stencil().iter().enumerate() {
                let solid = model.geometry.solid_of_point(point);
                let point = point as usize;
                let (mean, kick) = match model.unknowns.motion_of_point[point] {
                    PointMotion::Free(block) => (
                        get(velocity, block as usize),
                        get(&self.kicks, block as usize),
                    ),
                    PointMotion::Rigid(index) => {
                        let (rigid, at) = (
                            &model.rigid[index as usize],
                            &step.start.rigid[index as usize],
                        );
                        let arm = step.start.positions[point] - at.pose.center;
                        let first = rigid.first_block as usize;
                        let axes = &step.axes[index as usize];
                        let of = |values: &[f64]| {
                            get(values, first) + (axes * get(values, first + 1)).cross(&arm)
                        };
                        (of(velocity), of(&self.kicks))
                    }
                    PointMotion::Prescribed(_) => {
                        (step.prescribed_velocity[point], Vector3::zeros())
                    }
                };
                let normal =
                    contact.frame.normal * (contact.weights[i] * contact.multipliers.lambda * h);
                let along = tangential * (contact.anchor_weights[i] * h);
                let columns = &mut self.works[solid].columns;
                let works = [normal.dot(&mean), along.dot(&mean)];
                columns.contact += works[0];
                columns.friction += works[1];
                columns.impact += (normal + along).dot(&kick);
                add(&mut columns.contact_impulse, &(normal + along));
                if model.unknowns.motion_of_point[point].is_prescribed() {
                    // The holding force of the point takes it up.
                    columns.prescribed -= works[0] + works[1];
                    add(&mut columns.other_impulse, &-(normal + along));
                }
            }
        }
    }

    /// The residual of the solve: `A w − b` without rows and contacts of the problem.
    fn add_residual(&mut self, step: &Substep<'_>) {
        let (model, solution) = (step.model, step.solution);
        for (contact, multipliers) in solution.contacts.iter().enumerate() {
            let force = multipliers.force();
            let (blocks, jacobians) = step.problem.row(contact);
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                let impulse = jacobian.tr_mul(&force);
                for axis in 0..3 {
                    self.product[3 * block as usize + axis] -= impulse[axis];
                }
            }
        }
        for block in 0..model.blocks() {
            let left = get(&self.product, block);
            let solid = model.body_of_block(block);
            let columns = &mut self.works[solid].columns;
            columns.residual += left.dot(&get(&solution.velocity, block));
            if is_linear(step, block) {
                add(&mut columns.other_impulse, &left);
            }
        }
    }
}

/// Whether a block is a linear velocity.
fn is_linear(step: &Substep<'_>, block: usize) -> bool {
    let nodes = step.model.unknowns.point_of_block.len();
    block < nodes || (block - nodes).is_multiple_of(2)
}

pub(super) fn add(sum: &mut [f64; 3], by: &Vector3<f64>) {
    for (sum, by) in sum.iter_mut().zip(by.iter()) {
        *sum += by;
    }
}

impl super::substep::AddedForces {
    /// Impulses on all blocks with the mean velocities `velocity` (m/s).
    fn on(&self, velocity: &[f64]) -> Vec<f64> {
        let mut impulses = self.impulses.clone();
        for &(block, matrix) in &self.diagonal {
            let block = block as usize;
            let implicit = matrix * get(velocity, block);
            for axis in 0..3 {
                impulses[3 * block + axis] -= implicit[axis];
            }
        }
        impulses
    }
}
