//! Iterative constraint anticipation: in each pass of block relaxation on the velocities, a small complementarity
//! problem predicts the contact forces.
//!
//! With `A = Lo + D₃ + Up` (strict block triangles and 3×3 diagonal) and `f = (λ, γ)`:
//!
//! ```text
//! v_J = v + D₃⁻¹(b − A v)                                        block Jacobi without contacts
//! u = W₃ f + Ĵ v_J − c,  λ ≥ 0 ⊥ u_n ≥ 0,  friction in its bounds   projected Gauss-Seidel, W₃ = Ĵ D₃⁻¹ Ĵᵀ
//! v ← (D₃ + Lo)⁻¹(b + Ĵᵀf − Up v)                                block Gauss-Seidel with the new forces
//! ```
//!
//! At the fixed point `A v = b + Ĵᵀf` and `u` is the true displacement.
//!
//! Source: Otaduy, Tamstorf, Steinemann and Gross, "Implicit Contact Handling for Deformable Objects", Computer
//! Graphics Forum 28(2), 2009, as described by Verschoor and Jalba 2019, section 6.2.2. Differs from them in: one
//! product with `A` per pass instead of two, since Jacobi and Gauss-Seidel share the halves; the exact friction cone; a
//! start from velocity and forces of the last step.

mod contacts;
mod settings;
mod velocity;

pub use settings::{ConstraintAnticipationSettings, Start};

use super::rows::{Best, Demand, check, merit, relax_if_overdue};
use super::{ContactReport, ContactResult, ContactSolver, Termination, TraceRow, trace::Trace};
use crate::{
    ContactError, ContactProblem, ContactSolution, ContactState, FrictionLaw, Interrupt,
    Multipliers, residual_under,
};
use contacts::{ContactForces, SweepLimits, block};
use impinge_krylov::{ConjugateGradient, LinearSystem, StoppingRule, solve};
use nalgebra::Vector3;
use velocity::BlockGaussSeidel;

/// Momentum tolerance of the conjugate gradients over that of the whole: the "slightly lower tolerance" of the paper.
const START_SHARE: f64 = 0.5;

/// Tolerance of the sweeps over the contacts, over the slip tolerance.
const SWEEP_SHARE: f64 = 0.1;

/// Number of passes without a better residual after which the method ends.
const STAGNATION: u64 = 2000;

/// The method and its workspace, which is reused from step to step.
#[derive(Debug, Default)]
pub struct ConstraintAnticipation {
    /// Settings of the next solve.
    pub settings: ConstraintAnticipationSettings,
    velocities: BlockGaussSeidel,
    contacts: ContactForces,
    /// `b + Ĵᵀf` (N·s).
    impulse: Vec<f64>,
    gradients: ConjugateGradient,
    best: Best,
    trace: Trace,
    interrupt: Interrupt,
}

impl ConstraintAnticipation {
    /// A solver with an empty workspace.
    pub fn new(settings: ConstraintAnticipationSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Computes the forces and the velocity before the first pass.
    fn start(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        report: &mut ContactReport,
    ) -> Result<(), ContactError> {
        self.contacts.forces.clear();
        self.contacts
            .forces
            .extend(solution.contacts.iter().map(|m| {
                if m.state == ContactState::Inactive || self.settings.start == Start::Free {
                    Vector3::zeros()
                } else {
                    m.pressing_force()
                }
            }));
        self.impulse.resize(problem.unknowns(), 0.0);
        self.contacts.impulse_into(problem, &mut self.impulse);
        if self.settings.start != Start::Warm {
            let preconditioner =
                impinge_krylov::BlockJacobi::new(&problem.momentum).map_err(|_| {
                    ContactError::SingularMomentum {
                        index: 0,
                        value: f64::NAN,
                    }
                })?;
            let system = LinearSystem {
                operator: &problem.momentum,
                preconditioner: &preconditioner,
                rhs: &self.impulse,
            };
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a count of iterations fits where memory is addressed"
            )]
            let rule = StoppingRule {
                relative: 0.0,
                // In the norm without weights, every body must be within the smallest tolerance.
                absolute: START_SHARE * self.settings.tolerances.momentum
                    / problem.largest_momentum_weight(),
                max_iterations: self.settings.max_iterations as usize,
            };
            let solved = solve(&mut self.gradients, &system, &mut solution.velocity, &rule);
            report.iterations += solved.iterations as u64;
            // One product at the beginning and one at the end.
            report.extra_products += 2;
        }
        self.velocities.start(problem, &solution.velocity)?;
        report.extra_products += 1;
        self.contacts
            .prepare(problem, &self.velocities.inverse_diagonal);
        self.best.start(solution);
        Ok(())
    }

    /// Passes until the residual is within tolerance; the solution is the best iterate.
    fn relax(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        report: &mut ContactReport,
    ) {
        let tolerances = self.settings.tolerances;
        let (mut best, mut best_at) = (f64::INFINITY, report.iterations);
        let momentum = &problem.momentum;
        loop {
            if relax_if_overdue(self.settings.relax_after, &tolerances, problem, report) {
                (best, best_at) = (f64::INFINITY, report.iterations);
            }
            let balance: f64 = (0..momentum.blocks())
                .map(|index| {
                    let missing =
                        block(&self.impulse, index) - self.velocities.product(momentum, index);
                    (missing * problem.momentum_weight(index)).norm_squared()
                })
                .sum();
            report.residual = balance.sqrt();
            let residual = report.residual;
            self.trace.push("pass", || residual, report);
            if !residual.is_finite() {
                report.termination = Termination::Breakdown;
                break;
            }
            if report.residual < tolerances.momentum {
                self.export(problem, solution);
                report.extra_products += 1;
                let demand = Demand {
                    law: self.settings.law,
                    tolerances: &tolerances,
                };
                let present = self.best.judge(demand, problem, solution, report);
                if report.termination == Termination::Converged {
                    return;
                }
                if present < 0.99 * best {
                    (best, best_at) = (present, report.iterations);
                }
            } else if report.residual / tolerances.momentum < 0.99 * best {
                (best, best_at) = (report.residual / tolerances.momentum, report.iterations);
            }
            if report.iterations >= self.settings.max_iterations
                || report.iterations - best_at > STAGNATION
                || self.interrupt.is_raised()
            {
                break;
            }
            self.pass(problem, report);
        }
        if report.termination == Termination::MaxIterations {
            self.export(problem, solution);
            let judged = residual_under(self.settings.law, problem, solution);
            self.best
                .offer(merit(&judged, &tolerances, report.relaxed), solution);
        }
        self.best.restore(solution);
    }

    /// One pass: predicts the forces and relaxes the velocities.
    fn pass(&mut self, problem: &ContactProblem, report: &mut ContactReport) {
        let momentum = &problem.momentum;
        let velocities = &self.velocities;
        let predicted = |index: usize| {
            let missing = block(&problem.rhs, index) - velocities.product(momentum, index);
            velocities.velocity[index] + velocities.inverse_diagonal[index] * missing
        };
        let tolerances = &self.settings.tolerances;
        let limits = SweepLimits {
            tolerance: SWEEP_SHARE * tolerances.slip.min(tolerances.gap),
            most: self.settings.max_sweeps,
        };
        report.sweeps += (self.contacts).solve(problem, self.settings.law, predicted, limits);
        self.contacts.impulse_into(problem, &mut self.impulse);
        let impulse = |index: usize| block(&self.impulse, index);
        if self.settings.alternate && report.passes % 2 == 1 {
            self.velocities.backwards(momentum, impulse);
        } else {
            self.velocities.forwards(momentum, impulse);
        }
        report.passes += 1;
        report.iterations += 1;
    }

    /// Writes the present velocity and forces with their states.
    fn export(&self, problem: &ContactProblem, solution: &mut ContactSolution) {
        for (out, v) in solution
            .velocity
            .chunks_exact_mut(3)
            .zip(&self.velocities.velocity)
        {
            out.copy_from_slice(v.as_slice());
        }
        let forces = self.contacts.forces.iter().enumerate();
        for (multipliers, (contact, force)) in solution.contacts.iter_mut().zip(forces) {
            let radius = problem.friction(contact) * force.x;
            let size = match self.settings.law {
                FrictionLaw::Cone => force.y.hypot(force.z),
                FrictionLaw::Pyramid => force.y.abs().max(force.z.abs()),
            };
            *multipliers = if force.x == 0.0 {
                Multipliers::default()
            } else if size < (1.0 - 1e-9) * radius {
                Multipliers::sticking(force)
            } else {
                Multipliers::sliding_against(force)
            };
        }
    }
}

impl ContactSolver for ConstraintAnticipation {
    fn solve(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) -> ContactResult {
        self.settings.validate()?;
        check(problem, solution)?;
        let mut report = ContactReport::default();
        self.trace.begin();
        self.start(problem, solution, &mut report)?;
        self.relax(problem, solution, &mut report);
        Ok(report)
    }

    fn set_tolerances(&mut self, tolerances: crate::Tolerances) {
        self.settings.tolerances = tolerances;
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    fn record(&mut self) {
        self.trace.record();
    }

    fn trace(&self) -> &[TraceRow] {
        self.trace.rows()
    }
}
