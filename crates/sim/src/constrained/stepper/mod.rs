//! The step of a constrained system: assembly at the start, one solve, motion to the end.

mod assemble;
mod dependent;
mod dry;
mod layout;
mod unsymmetric;

use super::{ConstrainedError, ConstrainedSystem, RowScratch};
use impinge_contact::Tolerances;
use impinge_contact::constraint::redundancy::DependentRow;
use impinge_contact::constraint::{
    BodyBlocks, Condenser, Evaluation, Frame, GeometricStiffness, StiffnessSum,
};
use impinge_contact::method::compliant_kkt::{CompliantKkt, CompliantKktSettings};
use impinge_contact::{ContactProblem, ContactSolution, ContactSolver, Termination};
use impinge_krylov::block::SymmetricBlockMatrix;
use layout::{Unknowns, get};
use nalgebra::{Matrix3, Vector3};

/// Tolerances of one-sided rows: near rounding for systems of human size. Looser ones would save no time.
const TOLERANCES: Tolerances = Tolerances {
    momentum: 1e-6,
    gap: 1e-11,
    slip: 1e-11,
};

/// Settings of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepSettings {
    /// How the geometric stiffness is used.
    pub geometric_stiffness: GeometricStiffness,
    /// Whether rigid bodies also have the part of it that is not symmetric, solved by LU factors. Only with
    /// [`GeometricStiffness::Symmetric`], without one-sided constraints, and for comparison.
    pub unsymmetric: bool,
    /// Number of preliminary solves for new forces: a step is solved again if a constraint without history gets a large
    /// force. With 0, its first step has no geometric stiffness.
    pub dry_solves: u32,
    /// The solver.
    pub solver: CompliantKktSettings,
}

impl Default for StepSettings {
    fn default() -> Self {
        Self {
            geometric_stiffness: GeometricStiffness::Projected,
            unsymmetric: false,
            dry_solves: 1,
            solver: CompliantKktSettings {
                tolerances: TOLERANCES,
                ..CompliantKktSettings::default()
            },
        }
    }
}

/// Report of a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ConstrainedReport {
    /// How the solve ended.
    pub termination: Termination,
    /// Preliminary solves for new forces.
    pub dry_solves: u32,
    /// Iterations of MINRES, sweeps of Gauss-Seidel without other solvers, and Newton steps.
    pub iterations: u64,
    /// Whether redundant rows needed more refinement.
    pub regularised: bool,
}

/// Pattern, problem and solver. It carries no state of the motion: a new stepper continues bit for bit.
pub struct ConstrainedStepper {
    /// Settings of the following steps; a change takes effect at the next step.
    pub settings: StepSettings,
    /// Redundant rigid rows found at the start; their forces are not unique. `None` if there are more than
    /// [`MOST_ROWS`](impinge_contact::constraint::redundancy::MOST_ROWS) rigid rows, which are not checked.
    pub dependent: Option<Vec<DependentRow>>,
    particle_blocks: Vec<Option<u32>>,
    body_blocks: Vec<Option<BodyBlocks>>,
    /// Whether each constraint is in stiffness form.
    condensed: Vec<bool>,
    first_row: Vec<usize>,
    problem: ContactProblem,
    solution: ContactSolution,
    solver: CompliantKkt,
    evaluations: Vec<Evaluation>,
    frames: Vec<Frame>,
    inertia: Vec<Matrix3<f64>>,
    particles_end: Vec<Vector3<f64>>,
    sum: StiffnessSum,
    scratch: RowScratch,
    condenser: Condenser,
    forces: Vec<f64>,
    /// `‖K̃‖` of new forces on each block.
    sizes: Vec<f64>,
}

impl ConstrainedStepper {
    /// Lays out the unknowns of `system`, completes its history, and finds redundant constraints.
    ///
    /// # Errors
    /// [`ConstrainedError`] naming invalid parts of the system, or inconsistent rigid constraints.
    pub fn new(
        system: &mut ConstrainedSystem,
        settings: StepSettings,
    ) -> Result<Self, ConstrainedError> {
        let unknowns = Unknowns::of(system)?;
        system.forces.resize(unknowns.rows, 0.0);
        system.has_history.resize(system.constraints.len(), false);
        let matrix = SymmetricBlockMatrix::zeros(unknowns.pattern);
        let rhs = vec![0.0; matrix.len()];
        let problem = ContactProblem::new(1.0, matrix, rhs);
        let mut stepper = Self {
            settings,
            dependent: None,
            particle_blocks: unknowns.particles,
            body_blocks: unknowns.bodies,
            condensed: unknowns.condensed,
            first_row: unknowns.first_row,
            solution: ContactSolution::at_rest(&problem),
            problem,
            solver: CompliantKkt::new(settings.solver),
            evaluations: vec![Evaluation::default(); system.constraints.len()],
            frames: Vec::new(),
            inertia: Vec::new(),
            particles_end: Vec::new(),
            sum: StiffnessSum::default(),
            scratch: RowScratch::default(),
            condenser: Condenser::default(),
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

    /// Its solution.
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    /// Takes one step of `time_step` seconds.
    ///
    /// # Errors
    /// [`ConstrainedError`]; the state is then unchanged.
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
            let solved = if self.settings.unsymmetric {
                self.solve_unsymmetric()?
            } else {
                self.solver.solve(&self.problem, &mut self.solution)?
            };
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

    /// Computes poses at the start, and the inertia of the step.
    fn start(&mut self, system: &ConstrainedSystem, time_step: f64) {
        self.frames.clear();
        self.inertia.clear();
        for (body, blocks) in system.bodies.iter().zip(&mut self.body_blocks) {
            let at = &body.state;
            self.frames.push(at.frame());
            // Axes and inertia at the midpoint of the free rotation: the implicit midpoint rule.
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
        // Fixed particles move with their prescribed velocity, which is no unknown: rows see them at the end of the
        // step.
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

    /// Writes the end of the step into the state.
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
}
