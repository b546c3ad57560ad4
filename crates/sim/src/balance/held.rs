//! Work of prescribed motions of points that elements and constraints pull, and of joints that change with time.
//!
//! Such a point has no equation in a step. The force that moves it is its inertia minus gravity and the forces of
//! elements and constraints on it, which are computed here as the step would if the point were free.

use super::accounts::Accounts;
use super::substep::Substep;
use super::works::Works;
use crate::measure::strains::take_offsets;
use crate::model::{Constraints, Model};
use crate::rigid::RigidState;
use impinge_contact::constraint::{
    BodyBlocks, Condenser, Constraint, Evaluation, Frame, Placement, Term,
};
use impinge_fem::{Assembler, NodalMotion};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Scratch of the forces on moved points.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Whether `elements` were looked for.
    is_bound: bool,
    elements: Option<Elements>,
    /// Forces on all points by elements and constraints (N·s).
    impulses: Vec<Vector3<f64>>,
}

/// The elements at points with a prescribed motion, bound to a matrix of their own.
#[derive(Debug)]
struct Elements {
    assembler: Assembler,
    matrix: SymmetricBlockMatrix,
    rhs: Vec<f64>,
    points: Vec<u32>,
    zero: Vec<Vector3<f64>>,
}

impl Elements {
    /// `None` without such elements.
    fn new(model: &Model) -> Option<Self> {
        let elastic = &model.elements.elastic;
        let count = model.points.rest.len();
        let is_held = |point: u32| model.unknowns.motion_of_point[point as usize].is_prescribed();
        let every: Vec<Option<u32>> = (0..count as u32).map(Some).collect();
        let mut near = vec![false; count];
        for (a, b) in elastic.block_pairs(&every) {
            if is_held(a) || is_held(b) {
                near[a as usize] = true;
                near[b as usize] = true;
            }
        }
        let points: Vec<u32> = (0..count as u32)
            .filter(|&point| near[point as usize])
            .collect();
        if points.is_empty() {
            return None;
        }
        let mut block_of_point = vec![None; count];
        for (block, &point) in (0_u32..).zip(&points) {
            block_of_point[point as usize] = Some(block);
        }
        let pairs = elastic.block_pairs(&block_of_point);
        let pattern = std::sync::Arc::new(BlockPattern::from_pairs(points.len(), pairs));
        let matrix = SymmetricBlockMatrix::zeros(pattern.clone());
        Some(Self {
            assembler: elastic.bind(&pattern, &block_of_point).ok()?,
            rhs: vec![0.0; matrix.len()],
            matrix,
            points,
            zero: vec![Vector3::zeros(); count],
        })
    }

    /// Adds the impulses on moved points, and the share of their motion in damping.
    fn add(
        &mut self,
        accounts: &Accounts,
        step: &Substep<'_>,
        impulses: &mut [Vector3<f64>],
        works: &mut [Works],
    ) {
        let h = step.problem.time_step;
        self.matrix.set_zero();
        self.rhs.fill(0.0);
        self.assembler.assemble(
            &NodalMotion::new(step.linearised_at, &self.zero),
            &step.flight.scales(h),
            &mut self.matrix,
            &mut self.rhs,
        );
        let mut velocity = vec![0.0; self.rhs.len()];
        let mut product = velocity.clone();
        let mut scratch = vec![0.0; self.matrix.scratch_len()];
        // The step is linear about the place that the linearisation is at.
        let towards = |point: usize| {
            step.velocity_of(point) - (step.linearised_at[point] - step.start.positions[point]) / h
        };
        for (entry, &point) in velocity.chunks_exact_mut(3).zip(&self.points) {
            entry.copy_from_slice(towards(point as usize).as_slice());
        }
        self.matrix.multiply(&velocity, &mut product, &mut scratch);
        let values = self.rhs.chunks_exact(3).zip(product.chunks_exact(3));
        for ((rhs, product), &point) in values.zip(&self.points) {
            if step.is_moved(point as usize) {
                impulses[point as usize] +=
                    Vector3::from_column_slice(rhs) - Vector3::from_column_slice(product);
            }
        }
        if accounts.damping_times().iter().all(|&time| time == 0.0) {
            return;
        }
        let damped_h = step.flight.scales(h).damping;
        let time_of = |solid: usize| accounts.damping_times()[solid] * damped_h / h;
        if step.flight.is_second_order() {
            // Damping acts on the motion less a part of the last one.
            let mut undamped = vec![0.0; self.rhs.len()];
            for (entry, &point) in undamped.chunks_exact_mut(3).zip(&self.points) {
                entry.copy_from_slice(step.flight.undamped(point as usize).as_slice());
            }
            (self.matrix).multiply(&undamped, &mut product, &mut scratch);
            for (product, &point) in product.chunks_exact(3).zip(&self.points) {
                let time = time_of(step.model.geometry.solid_of_point(point));
                if step.is_moved(point as usize) {
                    impulses[point as usize] +=
                        Vector3::from_column_slice(product) * (time / (h + time));
                }
            }
            for (velocity, undamped) in velocity.iter_mut().zip(&undamped) {
                *velocity -= undamped;
            }
        }
        // dᵀ K d of all points but that of free points alone.
        for (entry, &point) in velocity.chunks_exact_mut(3).zip(&self.points) {
            if !step.is_moved(point as usize) {
                entry.fill(0.0);
            }
        }
        self.matrix.multiply(&velocity, &mut product, &mut scratch);
        for (product, &point) in product.chunks_exact(3).zip(&self.points) {
            let point = point as usize;
            let share = if step.is_moved(point) { 1.0 } else { 2.0 };
            let square = share * Vector3::from_column_slice(product).dot(&step.velocity_of(point));
            let solid = step.model.geometry.solid_of_point(point as u32);
            let time = time_of(solid);
            works[solid].damp(-time / (h + time) * square);
        }
    }
}

impl Held {
    /// Adds the work on points with a prescribed motion, and that of the forces that move them.
    pub(super) fn add(&mut self, accounts: &Accounts, step: &Substep<'_>, works: &mut [Works]) {
        let model = step.model;
        let points = model.points.rest.len();
        if !(0..points).any(|point| step.is_moved(point)) {
            return;
        }
        let h = step.problem.time_step;
        self.impulses.clear();
        self.impulses.resize(points, Vector3::zeros());
        if !self.is_bound {
            self.elements = Elements::new(model);
            self.is_bound = true;
        }
        if let Some(elements) = &mut self.elements {
            elements.add(accounts, step, &mut self.impulses, works);
        }
        add_thin(step, &mut self.impulses);
        // Elements and terms of the body itself.
        for point in 0..points {
            let mass = model.points.mass[point];
            if !step.is_moved(point) {
                continue;
            }
            let works = &mut works[model.geometry.solid_of_point(point as u32)];
            let mean = step.prescribed_velocity[point];
            let start = step.start.velocities[point];
            let inertial = (mean - start) * mass;
            let weight = model.settings.gravity * (mass * h);
            let own = self.impulses[point];
            works.inertia +=
                (0.5 * mass) * (mean - start).dot(&(mean + start)) - inertial.dot(&mean);
            works.elastic += own.dot(&mean);
            works.columns.prescribed += (inertial - weight - own).dot(&mean);
        }
        add_constraints(accounts, step, works);
    }
}

/// Impulses of thin bodies on moved points.
fn add_thin(step: &Substep<'_>, impulses: &mut [Vector3<f64>]) {
    let thin = &step.model.elements.thin;
    let h = step.problem.time_step;
    let damped_h = step.flight.scales(h).damping;
    let at = |point: u32| step.linearised_at[point as usize];
    for (time, spring) in thin.soft_springs() {
        let x = spring.points.map(at);
        let force = spring.force(&x);
        let along = (x[0] - x[1])
            .try_normalize(0.0)
            .map_or_else(Matrix3::zeros, |n| {
                n * n.transpose() * (spring.stiffness / spring.rest_length)
            });
        let pair = |own: Matrix3<f64>| [[own, -own], [-own, own]];
        let damping = along * (time * damped_h);
        add_term(step, impulses, &spring.points, &[force, -force], || {
            (pair(spring.tangent(&x) * (h * h) + damping), pair(damping))
        });
    }
    for membrane in thin.soft_membranes() {
        let x = membrane.points.map(at);
        add_term(
            step,
            impulses,
            &membrane.points,
            &membrane.forces(&x),
            || {
                let stiffness = membrane.tangent(&x).map(|row| row.map(|k| k * (h * h)));
                (stiffness, [[Matrix3::zeros(); 3]; 3])
            },
        );
    }
    for (time, hinges) in &thin.hinges {
        for hinge in hinges {
            let x = hinge.points.map(at);
            add_term(step, impulses, &hinge.points, &hinge.forces(&x), || {
                let scaled = |scale: f64| hinge.tangent(&x).map(|row| row.map(|k| k * scale));
                let damping = time * damped_h;
                (scaled(h * h + damping), scaled(damping))
            });
        }
    }
}

/// Adds the impulses of one term; `stiffness` is its part of the matrix, and that of its damping.
fn add_term<const N: usize>(
    step: &Substep<'_>,
    impulses: &mut [Vector3<f64>],
    points: &[u32; N],
    forces: &[Vector3<f64>; N],
    stiffness: impl FnOnce() -> ([[Matrix3<f64>; N]; N], [[Matrix3<f64>; N]; N]),
) {
    if !points.iter().any(|&point| step.is_moved(point as usize)) {
        return;
    }
    let (stiffness, damping) = stiffness();
    let velocities = points.map(|point| step.velocity_of(point as usize));
    let undamped = points.map(|point| step.flight.undamped(point as usize));
    let times = |row: &[Matrix3<f64>; N], values: &[Vector3<f64>; N]| -> Vector3<f64> {
        row.iter().zip(values).map(|(k, v)| k * v).sum()
    };
    let rows = stiffness.iter().zip(&damping);
    for ((&point, force), (row, damping)) in points.iter().zip(forces).zip(rows) {
        if step.is_moved(point as usize) {
            impulses[point as usize] += force * step.problem.time_step - times(row, &velocities)
                + times(damping, &undamped);
        }
    }
}

/// Work of constraints on moved points, as if these had unknowns.
fn add_constraints(accounts: &Accounts, step: &Substep<'_>, works: &mut [Works]) {
    let model = step.model;
    let mut evaluator = Evaluator::of(step);
    let rows = &model.constraints.rows;
    let mut first = 0;
    for (index, constraint) in rows.iter().chain(&model.constraints.soft).enumerate() {
        let (own_first, count) = (first, constraint.rows());
        first += count;
        if !acts_on(constraint, &|point| step.is_moved(point)) {
            continue;
        }
        evaluator.evaluate(constraint, own_first);
        let forces = if index < rows.len() {
            step.solution.constraints[own_first..][..count].to_vec()
        } else if let Some(forces) = evaluator.soft_forces(constraint) {
            forces
        } else {
            continue;
        };
        let account = accounts.of_row(own_first);
        add_work(step, &evaluator.evaluation, &forces, account, works);
    }
}

/// Adds the work of lengths and limits that change with time.
///
/// ```text
/// φ(x, t) = φ(x) + s(t)          W = −λ (s(t + h) − s(t))
/// ```
pub(super) fn add_changes(accounts: &Accounts, step: &Substep<'_>, works: &mut [Works]) {
    let Constraints {
        rows,
        soft,
        changing,
        ..
    } = &step.model.constraints;
    let [start, end] = [step.start.time, step.end_time()];
    let moved = (changing.iter())
        .map(|one| (one, one.change.at(end) - one.change.at(start)))
        .filter(|(_, change)| *change != 0.0);
    let mut evaluator = None;
    for (of, change) in moved {
        let force = match of.index.checked_sub(rows.len()) {
            None => step.solution.constraints[of.first_row],
            Some(index) => {
                let evaluator = evaluator.get_or_insert_with(|| Evaluator::of(step));
                evaluator.evaluate(&soft[index], of.first_row);
                (evaluator.soft_forces(&soft[index])).map_or(0.0, |forces| forces[0])
            }
        };
        let works = &mut works[accounts.of_row(of.first_row)];
        works.columns.prescribed -= force * change;
        works.elastic += force * change;
    }
}

/// Evaluates constraints as if points with a prescribed motion had unknowns.
struct Evaluator<'a> {
    step: &'a Substep<'a>,
    unbound: Unbound,
    evaluation: Evaluation,
    condenser: Condenser,
}

impl<'a> Evaluator<'a> {
    fn of(step: &'a Substep<'a>) -> Self {
        Self {
            step,
            unbound: Unbound::of(step),
            evaluation: Evaluation::default(),
            condenser: Condenser::default(),
        }
    }

    /// Evaluates the constraint from row `first` on.
    fn evaluate(&mut self, constraint: &Constraint, first: usize) {
        let Substep { model, start, .. } = *self.step;
        (self.evaluation).rows(constraint, &self.unbound.placement());
        take_offsets(
            model,
            start,
            self.step.end_time(),
            first,
            &mut self.evaluation,
        );
    }

    /// The forces of the constraint in stiffness form that was evaluated last; `None` if it does not act.
    fn soft_forces(&mut self, constraint: &Constraint) -> Option<Vec<f64>> {
        let step = self.step;
        let h = step.problem.time_step;
        if !self.condenser.prepare(constraint, &self.evaluation) {
            return None;
        }
        // Free points move from where their forces were linearised.
        let led = |block: u32| {
            let point = *step.model.unknowns.point_of_block.get(block as usize)? as usize;
            Some((step.linearised_at[point] - step.start.positions[point]) / h)
        };
        let of_free = |block: u32| {
            ((block as usize) < step.model.blocks())
                .then(|| block_velocity(step, block) - led(block).unwrap_or_else(Vector3::zeros))
        };
        let (evaluation, condenser) = (&self.evaluation, &self.condenser);
        Some(soft_forces(constraint, evaluation, condenser, h, of_free))
    }
}

/// Mean velocity of a block, where points without unknowns have the blocks after those of the model (m/s).
fn block_velocity(step: &Substep<'_>, block: u32) -> Vector3<f64> {
    match (block as usize).checked_sub(step.model.blocks()) {
        Some(point) => step.prescribed_velocity[point],
        None => super::substep::get(&step.solution.velocity, block as usize),
    }
}

/// The configuration that constraints are evaluated in, with a block of unknowns for every point: points without one
/// have the blocks after those of the model.
struct Unbound {
    particles: Vec<Vector3<f64>>,
    blocks: Vec<Option<u32>>,
    frames: Vec<Frame>,
    bodies: Vec<Option<BodyBlocks>>,
}

impl Unbound {
    fn of(step: &Substep<'_>) -> Self {
        let model = step.model;
        let free = model.blocks();
        let mut particles = step.linearised_at.to_vec();
        let mut blocks = model.unknowns.block_of_point.clone();
        for (point, block) in blocks.iter_mut().enumerate() {
            if block.is_none() {
                *block = Some((free + point) as u32);
            }
            if model.unknowns.motion_of_point[point].is_prescribed() {
                particles[point] = step.end[point];
            }
        }
        let frames = (step.start.rigid.iter()).map(RigidState::frame);
        let bodies = (model.rigid.iter().zip(step.axes)).map(|(rigid, &axes)| {
            Some(BodyBlocks {
                first: rigid.first_block,
                axes,
            })
        });
        Self {
            particles,
            blocks,
            frames: frames.collect(),
            bodies: bodies.collect(),
        }
    }

    fn placement(&self) -> Placement<'_> {
        Placement::new(
            (&self.particles, &self.blocks),
            (&self.frames, &self.bodies),
        )
    }
}

/// Adds the work of the `forces` of a constraint (N, N·m), which belongs to `account`, on points without unknowns.
fn add_work(
    step: &Substep<'_>,
    evaluation: &Evaluation,
    forces: &[f64],
    account: usize,
    works: &mut [Works],
) {
    let h = step.problem.time_step;
    let free = step.model.blocks();
    let width = evaluation.blocks.len();
    for (row, force) in forces.iter().enumerate() {
        for (j, &block) in evaluation.jacobian[row * width..]
            .iter()
            .zip(&evaluation.blocks)
        {
            let Some(point) = (block as usize).checked_sub(free) else {
                continue;
            };
            let work = (j * (force * h)).dot(&block_velocity(step, block));
            let solid = step.model.geometry.solid_of_point(point as u32);
            if solid == account {
                works[solid].elastic += work;
            } else {
                works[solid].columns.joints += work;
                works[account].columns.joints -= work;
            }
            works[solid].columns.prescribed -= work;
        }
    }
}

/// Forces of a constraint in stiffness form, which the step takes as linear in the velocities of free points (m/s).
fn soft_forces(
    constraint: &Constraint,
    evaluation: &Evaluation,
    condenser: &Condenser,
    h: f64,
    velocity: impl Fn(u32) -> Option<Vector3<f64>>,
) -> Vec<f64> {
    let width = evaluation.blocks.len();
    let rate = |row: usize| -> f64 {
        (evaluation.jacobian[row * width..]
            .iter()
            .zip(&evaluation.blocks))
        .filter_map(|(j, &block)| Some(j.dot(&velocity(block)?)))
        .sum()
    };
    let rates: Vec<f64> = (0..constraint.rows()).map(rate).collect();
    let curvature = match (&evaluation.response, constraint.stiffness()) {
        (Some(response), _) => Some(&response.curvature),
        (None, stiffness) => stiffness,
    };
    let implicit = |row: usize| {
        let of = |s: &DMatrix<f64>| -> f64 {
            let terms = rates.iter().enumerate();
            terms.map(|(at, rate)| s[(row, at)] * rate).sum()
        };
        curvature.map_or(0.0, of) * (h + constraint.damping)
    };
    (condenser.lambda.iter().enumerate())
        .map(|(row, force)| force - implicit(row))
        .collect()
}

fn acts_on(constraint: &Constraint, is_moved: &dyn Fn(usize) -> bool) -> bool {
    let mut terms = constraint.points().iter().flat_map(|point| &point.terms);
    terms.any(|term| matches!(*term, Term::Particle { index, .. } if is_moved(index)))
}
