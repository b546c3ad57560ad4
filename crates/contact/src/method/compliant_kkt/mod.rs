//! Momentum and bilateral constraint rows in one factorisation, and a condensed friction problem of contacts and
//! one-sided rows.
//!
//! ```text
//! K = [A −jᵀ; −j −C] = P L D Lᵀ Pᵀ             bilateral rows, hard or compliant, exactly
//! W = G K⁻¹ Gᵀ + C_G,  q = G v* − c_G          contacts and one-sided rows G
//! W f + q, f: Signorini, Coulomb               Gauss-Seidel, then Newton, then ADMM, or Gauss-Seidel alone
//! [v; λ] = K⁻¹ [b + Gᵀ f; −c]                  refined, residuals in doubled precision
//! ```
//!
//! Without contacts and one-sided rows it is one linear solve. `docs/methods/stable_constraints.md` explains it.

mod condense;
mod doubled;
mod iterative;
mod order;
mod response;
mod settings;
mod system;

pub use settings::{CompliantKktSettings, KktSolver, OneSidedSolver, RowPreconditioner};
pub use system::MAX_BACKWARD_ERROR;

use super::corrective_motion::multipliers;
use super::friction_stages::FrictionStages;
use super::rows::{check_with_constraints, merit};
use super::{ContactReport, ContactResult, ContactSolver, Termination};
use crate::delassus::{Auto, FrictionProblem, FrictionReport, FrictionSolver, GaussSeidel, Target};
use crate::{ContactError, ContactProblem, ContactSolution, Interrupt, residual};
use condense::{Pressing, condense, pressing};
use impinge_krylov::StoppingRule;
use nalgebra::Vector3;
use system::{KktSystem, Refined};

/// Relative errors of the friction problem, tried one after the other until the residual is within tolerance.
const TARGETS: [f64; 6] = [1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12];

/// Largest number of targets that all stages of the friction solver may miss. The second attempt starts from the best
/// forces of the first; a third does not improve them.
const MOST_MISSED: u32 = 2;

/// Number of sweeps without halving the error after which Newton's method starts, and ADMM if that does not converge.
const PATIENCE: u64 = 30;

/// The method with its pattern, factors and vectors, which are reused from step to step.
///
/// # Source
/// Tournier et al. 2015, §3 and §6.2; differs from it in: the order of elimination, refinement in doubled precision,
/// and friction with Coulomb's cone.
#[derive(Default)]
pub struct CompliantKkt {
    /// Settings of the next solve.
    pub settings: CompliantKktSettings,
    system: KktSystem,
    list: Vec<Pressing>,
    /// `[b; −c]`, then `K⁻¹` of it.
    rhs: Vec<f64>,
    free: Vec<f64>,
    full: Vec<f64>,
    scratch: Vec<f64>,
    forces: Vec<Vector3<f64>>,
    interrupt: Interrupt,
}

impl CompliantKkt {
    /// A solver without factors.
    pub fn new(settings: CompliantKktSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Factorises `problem` and computes the motion without contacts and one-sided rows.
    ///
    /// In the factors, every row that may depend on others gets a small compliance. Refinement with the exact rows
    /// removes its effect, so that redundant rows share their force evenly. If two steps of refinement are not enough,
    /// more are taken.
    fn prepare(
        &mut self,
        problem: &ContactProblem,
        report: &mut ContactReport,
    ) -> Result<Refined, ContactError> {
        let steps = self.settings.refinements;
        self.system.prepare(problem)?;
        let refined = self.free_motion(problem, steps);
        if KktSystem::is_trusted(&refined) {
            return Ok(refined);
        }
        report.preconditioner_fallbacks += 1;
        Ok(self.free_motion(problem, steps.max(MORE_REFINEMENTS)))
    }

    /// `[v*; λ*] = K⁻¹ [b; −c]`.
    fn free_motion(&mut self, problem: &ContactProblem, steps: u32) -> Refined {
        self.rhs.clear();
        self.rhs.extend_from_slice(&problem.rhs);
        for &group in self.system.bilateral().0 {
            let offset = problem.constraints.group(group).offset;
            self.rhs.extend(offset.iter().map(|c| -c));
        }
        self.free.resize(self.rhs.len(), 0.0);
        self.system.solve(&self.rhs, &mut self.free, steps)
    }

    /// Extracts velocities and bilateral multipliers from `[v; λ]`.
    fn write(&self, problem: &ContactProblem, x: &[f64], solution: &mut ContactSolution) {
        let n = problem.unknowns();
        solution.velocity.copy_from_slice(&x[..n]);
        let (groups, first_row) = self.system.bilateral();
        for &group in groups {
            let count = problem.constraints.group(group).offset.len();
            let to = problem.constraints.first_row(group);
            solution.constraints[to..to + count]
                .copy_from_slice(&x[n + first_row[group]..][..count]);
        }
    }

    /// Writes `[v; λ] = K⁻¹ [b + Gᵀ f; −c]` and the multipliers of all contacts.
    fn write_pressed(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) {
        let n = problem.unknowns();
        let mut rhs = std::mem::take(&mut self.scratch);
        rhs.clear();
        rhs.extend_from_slice(&self.rhs);
        for (of, force) in self.list.iter().zip(&self.forces) {
            of.push(problem, force, &mut rhs[..n]);
        }
        let mut full = std::mem::take(&mut self.full);
        full.resize(rhs.len(), 0.0);
        self.system
            .solve(&rhs, &mut full, self.settings.refinements);
        self.write(problem, &full, solution);
        (self.full, self.scratch) = (full, rhs);
        for (of, force) in self.list.iter().zip(&self.forces) {
            match *of {
                Pressing::Contact(contact) => {
                    let motion = of.motion(problem, &solution.velocity);
                    solution.contacts[contact] = multipliers(
                        force,
                        &motion,
                        problem.friction(contact),
                        (self.settings.tolerances).of(problem, contact, false).slip,
                    );
                }
                Pressing::Row { group, row } => {
                    solution.constraints[problem.constraints.first_row(group) + row] = force.x;
                }
            }
        }
    }

    /// Sets the start forces to those of the warm start.
    fn start_forces(&mut self, problem: &ContactProblem, solution: &ContactSolution) {
        self.forces.clear();
        for of in &self.list {
            let force = match *of {
                Pressing::Contact(contact) => solution.contacts[contact].force(),
                Pressing::Row { group, row } => {
                    let at = problem.constraints.first_row(group) + row;
                    Vector3::new(solution.constraints[at].max(0.0), 0.0, 0.0)
                }
            };
            let finite = force.iter().all(|x| x.is_finite());
            self.forces
                .push(if finite { force } else { Vector3::zeros() });
        }
    }

    /// Solves for contact forces to ever smaller errors until the residual is within tolerance.
    fn press(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        report: &mut ContactReport,
    ) -> Result<Termination, ContactError> {
        let n = problem.unknowns();
        let free = std::mem::take(&mut self.free);
        let condensed = condense(
            problem,
            &mut self.system,
            &self.list,
            &free[..n],
            &mut self.scratch,
        );
        self.free = free;
        let friction = condensed?;
        report.extra_products += self.list.len() as u64;
        self.start_forces(problem, solution);
        let settings = self.settings;
        let mut missed = 0;
        let alone = settings.one_sided == OneSidedSolver::GaussSeidel;
        for tolerance in TARGETS {
            let solved = if alone {
                self.sweep_alone(&friction, tolerance, report)?
            } else {
                let sweeps = settings.max_sweeps.min(settings.max_iterations);
                let stages = FrictionStages {
                    sweeps: GaussSeidel::new(sweeps, PATIENCE),
                    then: Auto::default(),
                    interrupt: &self.interrupt,
                };
                let forces = &mut self.forces;
                stages.solve(&friction, forces, tolerance, report)?
            };
            missed += u32::from(!solved.converged);
            self.write_pressed(problem, solution);
            report.extra_products += 1;
            let judged = residual(problem, solution);
            report.residual = judged.momentum;
            if !(judged.momentum.is_finite() && judged.normal.is_finite()) {
                return Ok(Termination::Breakdown);
            }
            if merit(&judged, &settings.tolerances, false) < 1.0 {
                return Ok(Termination::Converged);
            }
            let spent = alone && !solved.converged;
            if missed >= MOST_MISSED || spent || self.interrupt.is_raised() {
                break;
            }
        }
        Ok(Termination::MaxIterations)
    }

    /// Sweeps to a relative error, with the rest of the iterations that the settings allow.
    fn sweep_alone(
        &mut self,
        friction: &FrictionProblem,
        tolerance: f64,
        report: &mut ContactReport,
    ) -> Result<FrictionReport, ContactError> {
        let left = self.settings.max_iterations.saturating_sub(report.sweeps);
        let mut sweeps = GaussSeidel::new(left, 0);
        sweeps.heed(&self.interrupt);
        let swept = sweeps.solve(friction, &mut self.forces, &Target { tolerance });
        let swept = swept.map_err(|_| ContactError::TooLarge {
            unknowns: 3 * friction.contacts(),
        })?;
        report.sweeps += swept.sweeps;
        report.iterations += swept.sweeps;
        report.evaluations += swept.evaluations;
        Ok(swept)
    }

    fn solve_by_minres(
        &self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactResult {
        if !self.list.is_empty() {
            return Err(ContactError::OneSidedRows);
        }
        let rule = StoppingRule {
            relative: self.settings.relative,
            absolute: 0.0,
            max_iterations: usize::try_from(self.settings.max_iterations).unwrap_or(usize::MAX),
        };
        let solved = iterative::minres(problem, solution, self.settings.preconditioner, &rule);
        let is_rounding = solved.residual <= STAGNATED * solved.target;
        Ok(ContactReport {
            termination: match solved.termination {
                impinge_krylov::Termination::Converged => Termination::Converged,
                impinge_krylov::Termination::Stagnated if is_rounding => Termination::Converged,
                impinge_krylov::Termination::NotFinite => Termination::Breakdown,
                _ => Termination::MaxIterations,
            },
            iterations: solved.iterations as u64,
            residual: solved.residual,
            ..ContactReport::default()
        })
    }
}

/// Residual of MINRES over its target at which a solve that no longer gains may end, 10 to 1e4: rows with compliances
/// of different size round at different levels. A larger one counts as not converged.
const STAGNATED: f64 = 1e3;

/// Steps of refinement if the usual number is not enough.
const MORE_REFINEMENTS: u32 = 8;

impl ContactSolver for CompliantKkt {
    fn solve(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) -> ContactResult {
        self.settings.validate()?;
        check_with_constraints(problem, solution)?;
        pressing(problem, &mut self.list);
        if self.settings.solver == KktSolver::Minres {
            return self.solve_by_minres(problem, solution);
        }
        let mut report = ContactReport::default();
        let refined = self.prepare(problem, &mut report)?;
        report.extra_products += u64::from(refined.steps) + 1;
        // Incompatible rows: momentum is balanced, and the rows are solved in the least-squares sense.
        report.termination = match refined.backward_error {
            error if error.is_nan() || error == f64::INFINITY => Termination::Breakdown,
            _ if KktSystem::is_trusted(&refined) => Termination::Converged,
            _ => Termination::LeastSquares,
        };
        if report.termination == Termination::Breakdown {
            return Ok(report);
        }
        if self.list.is_empty() {
            let free = std::mem::take(&mut self.free);
            self.write(problem, &free, solution);
            self.free = free;
            report.residual = refined.backward_error;
            return Ok(report);
        }
        let pressed = self.press(problem, solution, &mut report)?;
        if report.termination == Termination::Converged {
            report.termination = pressed;
        }
        Ok(report)
    }

    fn set_tolerances(&mut self, tolerances: crate::Tolerances) {
        self.settings.tolerances = tolerances;
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }
}
