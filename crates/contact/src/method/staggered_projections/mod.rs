//! Staggered projections: normal forces and friction forces are solved for alternately, each with the other fixed.
//!
//! ```text
//! N:  min ½vᵀAv − (b + J_tᵀγ)ᵀv    with J v ≥ c_n                                  → v, λ
//! T:  min ½vᵀAv − (b + Jᵀλ)ᵀv + Σ μ λ |J_t v − c_t|                                → v, γ
//! ```
//!
//! Both are convex; their alternation need not converge. Each projection is solved by conjugate residuals with the
//! diagonal preconditioner. Its states change at convergence ([`Schedule::AtConvergence`], an active-set method) or
//! within the iteration ([`Schedule::Interval`]).
//!
//! Source: Kaufman, Sueda, James and Pai, "Staggered Projections for Frictional Contact in Multibody Systems", ACM TOG
//! 27(5), 2008, in the form that Verschoor and Jalba 2019, section 6.2.3, compare with. Differs from them in: it stops
//! by the independent residual, not by the change of friction in the norm of `A⁻¹`, which saves two solves per stagger;
//! projections far from the solution are solved to a share of the present residual only (`forcing`); cycling states
//! change one at a time; the exact friction cone is available.

mod block_pivoting;
mod friction;
mod half;
mod kkt;
mod normal;
mod projection;
mod settings;
mod system;

pub use settings::{Schedule, StaggeredProjectionsSettings};

use super::rows::{Best, Demand, check, merit, relax_if_overdue};
use super::{ContactReport, ContactResult, ContactSolver, Termination, TraceRow, trace::Trace};
use crate::Tolerances;
use crate::{
    ContactProblem, ContactSolution, ContactState, Interrupt, Multipliers, residual_under,
};
use friction::{FrictionHalf, Grip};
use half::{Goal, Turn};
use kkt::Kkt;
use normal::NormalHalf;
use projection::{End, Log, Projection};

/// Tolerance of a projection over the tolerance of the whole.
const MARGIN: f64 = 0.5;

/// Number of projections without a better residual after which the alternation counts as cycling and ends.
const CIRCLES: u64 = 60;

/// One projection of the alternation.
#[derive(Debug, Clone, Copy)]
struct Pass {
    turn: Turn,
    /// Factor of the tolerances (1).
    looseness: f64,
}

/// The method and its workspace, which is reused from step to step.
#[derive(Debug, Default)]
pub struct StaggeredProjections {
    /// Settings of the next solve.
    pub settings: StaggeredProjectionsSettings,
    kkt: Kkt,
    normal: NormalHalf,
    friction: FrictionHalf,
    best: Best,
    trace: Trace,
    interrupt: Interrupt,
}

impl StaggeredProjections {
    /// A solver with an empty workspace.
    pub fn new(settings: StaggeredProjectionsSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Loads the warm start: all friction is in `gamma` while the method runs.
    fn start(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) {
        for multipliers in &mut solution.contacts {
            multipliers.gamma = multipliers.friction_force();
            multipliers.sliding_force = [0.0; 2];
            if multipliers.state == ContactState::Inactive {
                multipliers.lambda = 0.0;
                multipliers.gamma = [0.0; 2];
            }
        }
        self.normal.start(solution);
        self.friction.start(self.settings.law, solution);
        self.best.start(solution);
        self.kkt.prepare(problem);
        self.kkt.refer_to(solution);
        self.kkt.recompute(problem, solution);
    }

    /// Solves one projection and adds its effort to `report`.
    fn project(
        &mut self,
        pass: Pass,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        report: &mut ContactReport,
    ) -> End {
        let Pass { turn, looseness } = pass;
        let phase = match turn {
            Turn::Normal => "normal",
            Turn::Friction => "friction",
        };
        let goal = Goal {
            tolerances: self.settings.tolerances,
            looseness,
            turn,
            relaxed: report.relaxed,
            schedule: self.settings.schedule,
            limit: self.settings.max_iterations,
            interrupt: &self.interrupt,
        };
        report.passes += 1;
        if turn == Turn::Friction {
            self.friction.bound(problem, solution, &mut self.kkt, &goal);
        }
        let log = Log {
            phase,
            report,
            trace: &mut self.trace,
        };
        match turn {
            Turn::Normal => Projection {
                kkt: &mut self.kkt,
                half: &mut self.normal,
                problem,
                goal,
                log,
            }
            .run(solution),
            Turn::Friction => Projection {
                kkt: &mut self.kkt,
                half: &mut self.friction,
                problem,
                goal,
                log,
            }
            .run(solution),
        }
    }

    /// Alternates until the residual is within tolerance; the solution is the best iterate.
    fn alternate(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactReport {
        let mut report = ContactReport::default();
        let tolerances = self.settings.tolerances;
        let (mut best, mut best_at) = (f64::INFINITY, 0);
        let mut present = merit(
            &residual_under(self.settings.law, problem, solution),
            &tolerances,
            false,
        );
        self.kkt.products += 1;
        let mut turn = Turn::Normal;
        while report.passes < self.settings.max_projections {
            let looseness = (self.settings.forcing * present).clamp(MARGIN, 1e6);
            let pass = Pass { turn, looseness };
            let end = self.project(pass, problem, solution, &mut report);
            if end == End::NotFinite {
                report.termination = Termination::Breakdown;
                break;
            }
            if relax_if_overdue(self.settings.relax_after, &tolerances, problem, &mut report) {
                (best, best_at) = (f64::INFINITY, report.passes);
            }
            self.kkt.products += 1;
            let demand = Demand {
                law: self.settings.law,
                tolerances: &tolerances,
            };
            present = self.best.judge(demand, problem, solution, &mut report);
            if report.termination == Termination::Converged {
                break;
            }
            if present < 0.9 * best {
                (best, best_at) = (present, report.passes);
            }
            let circling = report.passes - best_at > CIRCLES;
            if end == End::Limit || circling {
                break;
            }
            turn = match turn {
                Turn::Normal => Turn::Friction,
                Turn::Friction => Turn::Normal,
            };
        }
        if report.termination != Termination::Converged {
            self.best.restore(solution);
        }
        report.extra_products = self.kkt.products.saturating_sub(report.iterations);
        report.residual = self.kkt.momentum_residual(problem);
        report
    }

    /// Converts states and forces to the form of the other methods.
    fn finish(&self, problem: &ContactProblem, solution: &mut ContactSolution) {
        for (contact, multipliers) in solution.contacts.iter_mut().enumerate() {
            let force = multipliers.solved_force();
            let size = force.y.hypot(force.z);
            let pressed = self.normal.is_pressed(contact) || multipliers.lambda != 0.0;
            let slides = match self.friction.grip(contact) {
                Grip::Slide | Grip::Bound(_) => size > 0.0,
                Grip::Off => problem.friction(contact) == 0.0,
                Grip::Stick => false,
            };
            *multipliers = if !pressed && size == 0.0 {
                Multipliers::default()
            } else if slides {
                Multipliers::sliding_against(&force)
            } else {
                Multipliers::sticking(&force)
            };
        }
    }
}

impl ContactSolver for StaggeredProjections {
    fn solve(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) -> ContactResult {
        self.settings.validate()?;
        check(problem, solution)?;
        self.trace.begin();
        self.start(problem, solution);
        let report = self.alternate(problem, solution);
        self.finish(problem, solution);
        Ok(report)
    }

    fn set_tolerances(&mut self, tolerances: Tolerances) {
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
