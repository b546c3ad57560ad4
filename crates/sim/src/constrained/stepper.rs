//! The step: rows and stiffness at the start, one solve, motion to the end.

use super::{ConstrainedError, ConstrainedSystem, Formulation};
use impinge_contact::constraint::redundancy::{DependentRow, dependent_rows};
use impinge_contact::constraint::{
    BodyBlocks, Configuration, Constraint, ConstraintGroup, Definiteness, Evaluation, Frame,
    GeometricStiffness, Layout, StiffnessSum, Term,
};
use impinge_contact::method::active_set_cr::Tolerances;
use impinge_contact::method::compliant_kkt::{CompliantKkt, CompliantKktSettings};
use impinge_contact::{ContactProblem, ContactSolution, ContactSolver, Termination};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Contradiction of hard rows (m, or rad) that passes for the rounding of a scene file.
const SLOPPY: f64 = 1e-6;

/// `h² ‖K̃‖/m` of a force without history above which the step is solved anew with it (spec 6.2).
const HEAVY: f64 = 0.1;

/// Tolerances of one-sided rows, near rounding for systems of the size of a person: there is nothing they could save.
const TOLERANCES: Tolerances = Tolerances {
    momentum: 1e-6,
    gap: 1e-11,
    slip: 1e-11,
};

/// What steers a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepSettings {
    /// What of the geometric stiffness is used.
    pub geometric_stiffness: GeometricStiffness,
    /// Times that a step is solved again with the forces just found, where a constraint had none before and its force is
    /// large. 0: its first step does without geometric stiffness.
    pub dry_solves: u32,
    /// The solver.
    pub solver: CompliantKktSettings,
}

impl Default for StepSettings {
    fn default() -> Self {
        Self {
            geometric_stiffness: GeometricStiffness::Projected,
            dry_solves: 1,
            solver: CompliantKktSettings {
                tolerances: TOLERANCES,
                ..CompliantKktSettings::default()
            },
        }
    }
}

/// What a step tells of itself.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ConstrainedReport {
    /// How the solve ended.
    pub termination: Termination,
    /// Solves beyond the one: with forces of constraints that had none.
    pub dry_solves: u32,
    /// Iterations of an iterative solver.
    pub iterations: u64,
    /// Whether dependent rows asked for more steps of refinement.
    pub regularised: bool,
}

/// Pattern, problem and solver. Makes no difference to the motion: one made anew continues bit for bit.
pub struct ConstrainedStepper {
    /// What steers the steps to come; a change takes effect at the next.
    pub settings: StepSettings,
    /// Hard rows that follow from others, as found at the start; their forces are not unique.
    pub dependent: Vec<DependentRow>,
    particle_blocks: Vec<Option<u32>>,
    body_blocks: Vec<Option<BodyBlocks>>,
    /// Inverse of the compliance of constraints in stiffness form.
    stiffness: Vec<Option<DMatrix<f64>>>,
    first_row: Vec<usize>,
    problem: ContactProblem,
    solution: ContactSolution,
    solver: CompliantKkt,
    evaluations: Vec<Evaluation>,
    frames: Vec<Frame>,
    inertia: Vec<Matrix3<f64>>,
    particles_end: Vec<Vector3<f64>>,
    sum: StiffnessSum,
    forces: Vec<f64>,
    /// `‖K̃‖` of forces without history on each block.
    sizes: Vec<f64>,
}

impl ConstrainedStepper {
    /// Lays out the unknowns of `system`, completes its history, and looks for dependent constraints.
    ///
    /// # Errors
    /// [`ConstrainedError`] naming what cannot be stepped; hard constraints that contradict each other are named.
    pub fn new(
        system: &mut ConstrainedSystem,
        settings: StepSettings,
    ) -> Result<Self, ConstrainedError> {
        let mut count = 0_u32;
        let mut take = |blocks: u32| {
            count += blocks;
            count - blocks
        };
        let mut particle_blocks = Vec::with_capacity(system.positions.len());
        for (index, &fixed) in system.fixed.iter().enumerate() {
            let mass = system.masses[index];
            let weighs = mass > 0.0 && mass.is_finite();
            if !fixed && !weighs {
                return Err(ConstrainedError::Mass { index, mass });
            }
            particle_blocks.push((!fixed).then(|| take(1)));
        }
        let body_blocks: Vec<Option<BodyBlocks>> = system
            .bodies
            .iter()
            .map(|body| {
                (!body.fixed).then(|| BodyBlocks {
                    first: take(2),
                    axes: Matrix3::identity(),
                })
            })
            .collect();
        let mut pairs = Vec::new();
        let mut first_row = Vec::with_capacity(system.constraints.len());
        let mut stiffness = Vec::with_capacity(system.constraints.len());
        let mut rows = 0;
        for (index, constraint) in system.constraints.iter().enumerate() {
            let blocks = blocks_of(system, index, constraint, &particle_blocks, &body_blocks)?;
            for (i, &a) in blocks.iter().enumerate() {
                pairs.extend(blocks[i..].iter().map(|&b| (a, b)));
            }
            first_row.push(rows);
            rows += constraint.rows();
            stiffness.push(match system.formulation(index) {
                Formulation::Compliance => None,
                Formulation::Stiffness => {
                    let inverse = constraint
                        .compliance()
                        .and_then(|c| c.clone().try_inverse());
                    Some(inverse.ok_or_else(|| ConstrainedError::NoStiffness {
                        constraint: index,
                        name: constraint.name.clone(),
                    })?)
                }
            });
        }
        system.forces.resize(rows, 0.0);
        system.has_history.resize(system.constraints.len(), false);
        let matrix = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(count as usize, pairs));
        let rhs = vec![0.0; matrix.len()];
        let problem = ContactProblem::new(1.0, matrix, rhs);
        let mut stepper = Self {
            settings,
            dependent: Vec::new(),
            particle_blocks,
            body_blocks,
            stiffness,
            first_row,
            solution: ContactSolution::at_rest(&problem),
            problem,
            solver: CompliantKkt::new(settings.solver),
            evaluations: vec![Evaluation::default(); system.constraints.len()],
            frames: Vec::new(),
            inertia: Vec::new(),
            particles_end: Vec::new(),
            sum: StiffnessSum::default(),
            forces: Vec::new(),
            sizes: Vec::new(),
        };
        stepper.find_dependent(system)?;
        Ok(stepper)
    }

    /// The system of equations of the latest step.
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// The answer to it.
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    /// Takes one step of `time_step` seconds.
    ///
    /// # Errors
    /// [`ConstrainedError`]; the state is as it was then.
    pub fn advance(
        &mut self,
        system: &mut ConstrainedSystem,
        time_step: f64,
    ) -> Result<ConstrainedReport, ConstrainedError> {
        if !(time_step > 0.0 && time_step.is_finite()) {
            return Err(ConstrainedError::TimeStep { value: time_step });
        }
        let same = system.constraints.len() == self.evaluations.len()
            && system.positions.len() == self.particle_blocks.len()
            && system.bodies.len() == self.body_blocks.len();
        if !same {
            return Err(ConstrainedError::Changed);
        }
        let mut report = ConstrainedReport::default();
        self.solver.settings = self.settings.solver;
        self.start(system, time_step);
        self.forces.clone_from(&system.forces);
        loop {
            self.assemble(system, time_step);
            let solved = self.solver.solve(&self.problem, &mut self.solution)?;
            report.termination = solved.termination;
            report.iterations += solved.iterations;
            report.regularised |= solved.preconditioner_fallbacks > 0;
            if solved.termination == Termination::Breakdown
                || !self.solution.velocity.iter().all(|v| v.is_finite())
            {
                return Err(ConstrainedError::Breakdown);
            }
            if report.dry_solves == self.settings.dry_solves || !self.is_heavy(system) {
                break;
            }
            report.dry_solves += 1;
            self.take_forces(system);
        }
        self.take_forces(system);
        self.finish(system, time_step);
        Ok(report)
    }

    /// Where everything is at the start, and the inertia of the step.
    fn start(&mut self, system: &ConstrainedSystem, time_step: f64) {
        self.frames.clear();
        self.inertia.clear();
        for (body, blocks) in system.bodies.iter().zip(&mut self.body_blocks) {
            let at = &body.state;
            self.frames.push(Frame {
                center: at.pose.center,
                orientation: at.pose.orientation,
            });
            // Axes and inertia halfway through the free turn: the implicit midpoint rule.
            let spin =
                body.inertia
                    .free_spin(&at.pose.orientation, &at.angular_momentum, time_step);
            let halfway = at.pose.advanced(&Vector3::zeros(), &spin, 0.5 * time_step);
            self.inertia
                .push(body.inertia.world_inertia(&halfway.orientation));
            if let Some(blocks) = blocks {
                let turn = halfway.orientation.to_rotation_matrix().into_inner();
                blocks.axes = turn * body.inertia.unit_axes();
            }
        }
        // What carries itself along is where it will be: its motion is no unknown of the rows.
        self.particles_end.clear();
        for (index, (x, v)) in system.positions.iter().zip(&system.velocities).enumerate() {
            let moved = if system.fixed[index] {
                x + v * time_step
            } else {
                *x
            };
            self.particles_end.push(moved);
        }
    }

    /// Momentum matrix with geometric stiffness from `self.forces`, right-hand side and rows.
    fn assemble(&mut self, system: &ConstrainedSystem, h: f64) {
        let problem = &mut self.problem;
        problem.time_step = h;
        problem.momentum.set_zero();
        problem.constraints.clear();
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
        let state = Configuration {
            particles: &self.particles_end,
            frames: &self.frames,
        };
        let layout = Layout {
            particles: &self.particle_blocks,
            bodies: &self.body_blocks,
        };
        self.sum.start(system.bodies.len());
        let mode = self.settings.geometric_stiffness;
        let (mut scaled, mut offset, mut compliance) = (Vec::new(), Vec::new(), Vec::new());
        for (index, constraint) in system.constraints.iter().enumerate() {
            let evaluation = &mut self.evaluations[index];
            evaluation.rows(constraint, &state, &layout);
            let rows = constraint.rows();
            let lambda = &mut self.forces[self.first_row[index]..][..rows];
            if let Some(stiffness) = &self.stiffness[index] {
                elastic_force(stiffness, &evaluation.value, lambda);
                if constraint.unilateral {
                    for force in lambda.iter_mut() {
                        *force = force.max(0.0);
                    }
                }
                let pressed = !constraint.unilateral || lambda.iter().any(|force| *force > 0.0);
                if pressed {
                    add_stiffness_form(evaluation, stiffness, lambda, h, problem);
                }
            } else {
                // With damping d: C λ = −(φ + d φ̇) at the end of the step, over 1 + d/h.
                let share = h / (h + constraint.damping);
                scaled.clear();
                scaled.extend(evaluation.jacobian.iter().map(|j| j * h));
                offset.clear();
                offset.extend(evaluation.value.iter().map(|phi| -phi * share));
                compliance.clear();
                match constraint.compliance() {
                    Some(c) => compliance.extend(c.iter().map(|c| c * share)),
                    None => compliance.resize(rows * rows, 0.0),
                }
                problem.constraints.push(&ConstraintGroup {
                    blocks: &evaluation.blocks,
                    jacobian: &scaled,
                    offset: &offset,
                    compliance: &compliance,
                    unilateral: constraint.unilateral,
                });
            }
            self.sum.add(
                constraint,
                evaluation,
                &state,
                &layout,
                lambda,
                mode,
                h,
                &mut problem.momentum,
            );
        }
        self.sum.finish(&layout, mode, h, &mut problem.momentum);
        self.solution
            .constraints
            .resize(problem.constraints.len(), 0.0);
        self.solution.velocity.resize(problem.unknowns(), 0.0);
    }

    /// Whether constraints that had no force before now have forces that together would have mattered to something.
    ///
    /// Together: a link that is said twice is as heavy as one that is said once.
    fn is_heavy(&mut self, system: &ConstrainedSystem) -> bool {
        if self.settings.geometric_stiffness == GeometricStiffness::None {
            return false;
        }
        let layout = Layout {
            particles: &self.particle_blocks,
            bodies: &self.body_blocks,
        };
        let state = Configuration {
            particles: &self.particles_end,
            frames: &self.frames,
        };
        self.sizes.clear();
        self.sizes.resize(self.problem.unknowns() / 3, 0.0);
        let mut at = 0;
        for (index, constraint) in system.constraints.iter().enumerate() {
            if self.stiffness[index].is_some() {
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
            evaluation.stiffness(constraint, &state, &layout, lambda, Definiteness::Exact);
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

    /// The forces just solved for become those of the geometric stiffness.
    fn take_forces(&mut self, system: &ConstrainedSystem) {
        let mut at = 0;
        for (index, constraint) in system.constraints.iter().enumerate() {
            if self.stiffness[index].is_none() {
                let rows = constraint.rows();
                self.forces[self.first_row[index]..][..rows]
                    .copy_from_slice(&self.solution.constraints[at..at + rows]);
                at += rows;
            }
        }
    }

    /// The end of the step becomes the state.
    fn finish(&mut self, system: &mut ConstrainedSystem, h: f64) {
        for (index, block) in self.particle_blocks.iter().enumerate() {
            if let Some(block) = block {
                system.velocities[index] = get(&self.solution.velocity, *block as usize);
            }
            system.positions[index] += system.velocities[index] * h;
        }
        for ((body, blocks), inertia) in system
            .bodies
            .iter_mut()
            .zip(&self.body_blocks)
            .zip(&self.inertia)
        {
            if let Some(blocks) = blocks {
                let first = blocks.first as usize;
                let velocity = get(&self.solution.velocity, first);
                let spin = blocks.axes * get(&self.solution.velocity, first + 1);
                body.state.pose = body.state.pose.advanced(&velocity, &spin, h);
                body.state.velocity = velocity;
                body.state.angular_momentum = inertia * spin;
            }
        }
        system.forces.copy_from_slice(&self.forces);
        system.has_history.fill(true);
        system.time += h;
    }

    /// Names hard rows that others imply; refuses those that contradict others.
    fn find_dependent(&mut self, system: &ConstrainedSystem) -> Result<(), ConstrainedError> {
        self.start(system, 1.0);
        self.forces.clone_from(&system.forces);
        let mode = std::mem::replace(
            &mut self.settings.geometric_stiffness,
            GeometricStiffness::None,
        );
        self.assemble(system, 1.0);
        self.settings.geometric_stiffness = mode;
        let mut diagonal = vec![0.0; self.problem.unknowns()];
        self.problem.momentum.diagonal_into(&mut diagonal);
        let inverse: Vec<f64> = diagonal.iter().map(|d| d.recip()).collect();
        let rows = &self.problem.constraints;
        self.dependent = dependent_rows(rows, &inverse);
        // Groups are the constraints in compliance form.
        let of_group: Vec<usize> = (0..system.constraints.len())
            .filter(|&index| self.stiffness[index].is_none())
            .collect();
        for row in &mut self.dependent {
            row.group = of_group[row.group];
        }
        let misfit = self
            .dependent
            .iter()
            .fold(0.0, |most: f64, row| most.max(row.misfit.abs()));
        if misfit > SLOPPY {
            let wrong = self
                .dependent
                .iter()
                .filter(|row| row.misfit.abs() > SLOPPY);
            let name = |row: &DependentRow| {
                let constraint = &system.constraints[row.group];
                format!("{} ({})", row.group, constraint.name)
            };
            let mut names: Vec<String> = wrong.map(name).collect();
            names.dedup();
            return Err(ConstrainedError::Contradiction {
                names: names.join(", "),
                misfit,
            });
        }
        Ok(())
    }
}

/// Blocks that a constraint acts on, ascending.
fn blocks_of(
    system: &ConstrainedSystem,
    index: usize,
    constraint: &Constraint,
    particles: &[Option<u32>],
    bodies: &[Option<BodyBlocks>],
) -> Result<Vec<u32>, ConstrainedError> {
    let missing = |what, named: usize, count: usize| ConstrainedError::Missing {
        constraint: index,
        name: constraint.name.clone(),
        what,
        index: named,
        count,
    };
    let mut blocks = Vec::new();
    for term in constraint.points().iter().flat_map(|point| &point.terms) {
        match *term {
            Term::Particle { index: at, .. } => {
                let count = system.positions.len();
                let block = particles
                    .get(at)
                    .ok_or_else(|| missing("particle", at, count))?;
                blocks.extend(block);
            }
            Term::Body { index: at, .. } => {
                let count = system.bodies.len();
                let body = bodies.get(at).ok_or_else(|| missing("body", at, count))?;
                blocks.extend(body.iter().flat_map(|b| [b.first, b.first + 1]));
            }
        }
    }
    blocks.sort_unstable();
    blocks.dedup();
    if blocks.is_empty() {
        return Err(ConstrainedError::Immovable {
            constraint: index,
            name: constraint.name.clone(),
        });
    }
    Ok(blocks)
}

/// `λ = −C⁻¹ φ`.
fn elastic_force(stiffness: &DMatrix<f64>, value: &[f64], lambda: &mut [f64]) {
    for (row, force) in lambda.iter_mut().enumerate() {
        *force = -(value.iter().enumerate())
            .map(|(column, phi)| stiffness[(row, column)] * phi)
            .sum::<f64>();
    }
}

/// `A += h² Jᵀ C⁻¹ J`, `b += h Jᵀ λ`.
fn add_stiffness_form(
    evaluation: &Evaluation,
    stiffness: &DMatrix<f64>,
    lambda: &[f64],
    h: f64,
    problem: &mut ContactProblem,
) {
    let count = evaluation.blocks.len();
    let rows = lambda.len();
    for a in 0..count {
        let block = evaluation.blocks[a] as usize;
        let mut impulse = get(&problem.rhs, block);
        for row in 0..rows {
            impulse += evaluation.jacobian[row * count + a] * (lambda[row] * h);
        }
        put(&mut problem.rhs, block, &impulse);
        for b in a..count {
            let mut sum = Matrix3::zeros();
            for row in 0..rows {
                let mut weighted = Vector3::zeros();
                for column in 0..rows {
                    weighted += evaluation.jacobian[column * count + b] * stiffness[(row, column)];
                }
                sum += evaluation.jacobian[row * count + a] * weighted.transpose();
            }
            let slot = problem
                .momentum
                .pattern()
                .slot(block, evaluation.blocks[b] as usize);
            if let Some(slot) = slot {
                *problem.momentum.block_mut(slot) += sum * (h * h);
            }
        }
    }
}

fn get(values: &[f64], block: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&values[3 * block..][..3])
}

fn put(values: &mut [f64], block: usize, value: &Vector3<f64>) {
    values[3 * block..][..3].copy_from_slice(value.as_slice());
}
