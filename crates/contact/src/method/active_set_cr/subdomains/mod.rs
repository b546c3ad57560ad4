//! Subdomain solves before the iteration on the whole problem (multiplicative Schwarz).
//!
//! The matrix `A` of many bodies has one diagonal block per body, coupled by contacts only. The effect of a change is
//! limited to the distance that elastic waves and friction reach within a step, mostly the next neighbours. An
//! iteration on the whole problem works on every body until the last has converged. So bodies whose share of the
//! residual is too large, or whose contacts violate a law, are solved with their neighbours while all other velocities
//! are fixed. No contact couples two subdomains: they are solved in parallel. Their new contact forces change the
//! residual of the bodies around, which the next step includes. Each step first checks the whole problem. If the steps
//! end without a solution, the iteration on the whole starts from their result.

mod decomposition;
mod pool;
mod subdomain;

pub(super) use pool::SubdomainWorkspace;

use super::{settings::ActiveSetCrSettings, solver::ActiveSetCr};
use crate::{ContactProblem, ContactSolution, Interrupt, Termination, method::ContactReport};
use decomposition::{BoundedResidual, Decomposition};
use pool::Pool;
use rayon::prelude::*;
use subdomain::Subdomain;

/// Share of the remaining squared tolerance for subdomain solves. The rest is for the residual that new contact forces
/// cause outside.
const SOLVED: f64 = 0.5;

/// Largest share of the blocks in one subdomain: above it, the whole problem costs little more.
const LARGEST: f64 = 0.5;

/// The outcome of one subdomain solve.
struct Solved {
    report: ContactReport,
    own_subdomain: Subdomain,
}

/// Counts of the steps, multiplied by the number of blocks of each solve.
#[derive(Debug, Default, Clone, Copy)]
struct Cost {
    iterations: u64,
    prediction_iterations: u64,
    extra_products: u64,
}

/// The work of all steps so far, and the report of it.
#[derive(Debug, Default)]
struct Effort {
    cost: Cost,
    report: ContactReport,
}

/// Outcome of one step.
enum Outcome {
    /// The whole problem is solved.
    Solved,
    /// Every subdomain was solved.
    Improved,
    /// Some subdomain is too large or did not converge.
    Stuck,
}

impl Cost {
    /// Adds the counts of a solve of `blocks` blocks.
    fn add(&mut self, blocks: usize, report: &ContactReport) {
        let blocks = blocks as u64;
        self.iterations += blocks * report.iterations;
        self.prediction_iterations += blocks * report.prediction_iterations;
        self.extra_products += blocks * report.extra_products;
    }
}

impl Effort {
    /// Writes the counts to the report, per `blocks`, the number of all blocks.
    fn write(&mut self, blocks: usize) {
        let whole = |cost: u64| cost.div_ceil(blocks as u64);
        self.report.iterations = whole(self.cost.iterations);
        self.report.prediction_iterations = whole(self.cost.prediction_iterations);
        self.report.extra_products = whole(self.cost.extra_products);
    }
}

impl ActiveSetCr {
    /// Improves `solution` subdomain by subdomain while this pays; returns the counts, and whether the whole problem is
    /// solved.
    pub(super) fn solve_subdomains(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactReport {
        let mut effort = Effort::default();
        if self.settings.subdomain_steps == 0 || problem.contacts() == 0 {
            return effort.report;
        }
        // Taken out of `self`, which is borrowed below.
        let mut subdomains = std::mem::take(&mut self.subdomains);
        subdomains.decomposition.find_bodies(problem);
        for _ in 0..self.settings.subdomain_steps {
            if subdomains.decomposition.bodies() < 2 {
                break;
            }
            let outcome = self.step_subdomains(&mut subdomains, problem, solution, &mut effort);
            effort.write(problem.momentum.blocks());
            match outcome {
                Outcome::Solved => {
                    effort.report.termination = Termination::Converged;
                    break;
                }
                Outcome::Stuck => break,
                Outcome::Improved => {
                    let norm = || problem.momentum_norm(&self.work.cr.residual.v);
                    self.trace.push("subdomains", norm, &effort.report);
                }
            }
        }
        self.subdomains = subdomains;
        effort.report
    }

    /// Checks the whole problem, and takes one step if it is not solved.
    fn step_subdomains(
        &mut self,
        subdomains: &mut SubdomainWorkspace<Self>,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        effort: &mut Effort,
    ) -> Outcome {
        self.recompute_momentum(problem, solution);
        let all = problem.momentum.blocks();
        effort.cost.extra_products += all as u64;
        let breaks_law = |contact: usize| {
            let multipliers = &solution.contacts[contact];
            let force = multipliers.force();
            !self.law_holds(problem, contact, &solution.velocity, force)
        };
        let tolerance = self.settings.tolerances.momentum.powi(2);
        let SubdomainWorkspace {
            decomposition,
            pool,
        } = subdomains;
        let momentum = BoundedResidual {
            residual: &self.work.cr.residual.v,
            square: tolerance,
        };
        let Some(left) = decomposition.choose(problem, solution, momentum, breaks_law) else {
            return Outcome::Solved;
        };
        let count = decomposition.connect(problem);
        // Harder problems are left to the iteration on the whole, with the rest of its limit.
        effort.write(all);
        let left_of_limit = (self.settings.max_iterations).saturating_sub(effort.report.iterations);
        let settings = ActiveSetCrSettings {
            subdomain_steps: 0,
            max_iterations: left_of_limit.min(self.settings.relax_after),
            ..self.settings
        };
        let whole = Whole {
            problem,
            solution,
            decomposition,
            interrupt: &self.interrupt,
        };
        let solved = pool.solve_all(&whole, count, settings, tolerance - left);
        let mut all_solved = count > 0;
        for (subdomain, solved) in solved.into_iter().enumerate() {
            let Some(Solved {
                report: own,
                own_subdomain,
            }) = solved
            else {
                all_solved = false;
                continue;
            };
            effort.cost.add(decomposition.blocks(subdomain).len(), &own);
            effort.report.add_updates(&own);
            // Relaxed friction of a subdomain would be unmet in the whole problem: start its iteration at once.
            all_solved &= own.termination == Termination::Converged && !own.relaxed;
            if own.termination != Termination::Breakdown {
                own_subdomain.store(decomposition.blocks(subdomain), solution);
            }
        }
        if all_solved {
            Outcome::Improved
        } else {
            Outcome::Stuck
        }
    }
}

/// The problem that subdomains are parts of, and its solution so far.
struct Whole<'a> {
    problem: &'a ContactProblem,
    solution: &'a ContactSolution,
    decomposition: &'a Decomposition,
    interrupt: &'a Interrupt,
}

impl Pool<ActiveSetCr> {
    /// Solves each of `count` subdomains that is not too large, in parallel: no contact couples two. The remaining
    /// squared tolerance, `square` (N²s²), is divided by blocks.
    fn solve_all(
        &self,
        whole: &Whole<'_>,
        count: usize,
        settings: ActiveSetCrSettings,
        square: f64,
    ) -> Vec<Option<Solved>> {
        let blocks_of = |subdomain| whole.decomposition.blocks(subdomain).len();
        let all = whole.problem.momentum.blocks() as f64;
        let chosen: usize = (0..count).map(blocks_of).sum();
        let solve = |subdomain| {
            let blocks = blocks_of(subdomain) as f64;
            let mut settings = settings;
            settings.tolerances.momentum = (SOLVED * square * blocks / chosen as f64).sqrt();
            (blocks <= LARGEST * all).then(|| self.solve(whole, subdomain, settings))
        };
        (0..count).into_par_iter().map(solve).collect()
    }

    /// Solves one subdomain for given velocities around it.
    fn solve(&self, whole: &Whole<'_>, subdomain: usize, settings: ActiveSetCrSettings) -> Solved {
        let &Whole {
            problem,
            solution,
            decomposition,
            interrupt,
        } = whole;
        let (own, mut own_subdomain) = Subdomain::of(decomposition, subdomain, problem, solution);
        let mut solver = self.take();
        solver.settings = settings;
        solver.interrupt = interrupt.clone();
        let report = solver.solve_checked(&own, &mut own_subdomain.solution);
        self.give_back(solver);
        Solved {
            report,
            own_subdomain,
        }
    }
}
