//! Solves for the regions that need it, before the whole problem is looked at.
//!
//! The matrix `A` of many bodies falls into one part per body, which only contacts couple. What a step, or a contact that
//! was just found, changes is felt no farther than elastic waves and friction carry it within the step, mostly by the
//! next neighbours; yet iterations on the whole problem touch every body until the last of them has settled. So the bodies
//! that leave more than their part of the residual, or whose contacts break a law, are solved for alone together with
//! those that they touch, each connected region by itself and all at the same time, for no contact couples two, while all
//! others keep their velocities: one step of a block Gauss–Seidel method (multiplicative Schwarz) over a part of the
//! blocks. What the new contact forces leave in the bodies around is the next step's concern. Each step judges the whole
//! problem first: what it finds solved is the answer, and what steps do not get to an end is the start of an iteration on
//! the whole.

mod choose;
mod part;
mod pool;

pub(super) use pool::Regions;

use super::{settings::ActiveSetCrSettings, solver::ActiveSetCr};
use crate::{ContactProblem, ContactSolution, Interrupt, Termination, method::ContactReport};
use choose::Choice;
use part::Part;
use pool::Pool;
use rayon::prelude::*;

/// Share of what the bodies left alone leave of the squared tolerance that regions are solved to; the rest is for what
/// their new contact forces leave in the others.
const SOLVED: f64 = 0.5;

/// Largest share of the blocks that a region may have: above, solving for the whole costs little more.
const LARGEST: f64 = 0.5;

/// What came of a region.
struct Solved {
    report: ContactReport,
    part: Part,
}

/// What the steps cost, times the blocks that it was done on.
#[derive(Debug, Default, Clone, Copy)]
struct Cost {
    iterations: u64,
    anticipations: u64,
    extra_products: u64,
}

/// What came of one step.
enum Outcome {
    /// Nothing was left to be done.
    Solved,
    /// Every region was solved for.
    Improved,
    /// Some region is too large, or was not solved.
    Stuck,
}

impl Cost {
    /// Adds what a solve for `blocks` blocks took.
    fn add(&mut self, blocks: usize, report: &ContactReport) {
        let blocks = blocks as u64;
        self.iterations += blocks * report.iterations;
        self.anticipations += blocks * report.anticipations;
        self.extra_products += blocks * report.extra_products;
    }

    /// Writes what that would be on all of `blocks` blocks.
    fn write(&self, blocks: usize, report: &mut ContactReport) {
        let whole = |cost: u64| cost.div_ceil(blocks as u64);
        report.iterations = whole(self.iterations);
        report.anticipations = whole(self.anticipations);
        report.extra_products = whole(self.extra_products);
    }
}

impl ActiveSetCr {
    /// Improves `solution` region by region while that is worth it; returns what it took, and whether it is found to
    /// solve the whole problem.
    pub(super) fn solve_regions(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactReport {
        let mut report = ContactReport::default();
        if self.settings.regions == 0 || problem.contacts() == 0 {
            return report;
        }
        let mut cost = Cost::default();
        // Taken out, so that it can be used beside the rest.
        let mut regions = std::mem::take(&mut self.regions);
        regions.choice.know(problem);
        for _ in 0..self.settings.regions {
            if regions.choice.bodies() < 2 {
                break;
            }
            let outcome =
                self.step_regions(&mut regions, problem, solution, &mut cost, &mut report);
            cost.write(problem.momentum.blocks(), &mut report);
            match outcome {
                Outcome::Solved => {
                    report.termination = Termination::Converged;
                    break;
                }
                Outcome::Stuck => break,
                Outcome::Improved => {
                    let norm = || problem.momentum_norm(&self.work.r.v);
                    self.trace.push("regions", norm, &report);
                }
            }
        }
        self.regions = regions;
        report
    }

    /// Judges the whole, and takes one step if that finds something.
    fn step_regions(
        &mut self,
        regions: &mut Regions<Self>,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        cost: &mut Cost,
        report: &mut ContactReport,
    ) -> Outcome {
        self.recompute_momentum(problem, solution);
        let all = problem.momentum.blocks();
        cost.extra_products += all as u64;
        let breaks_law = |contact: usize| {
            let multipliers = &solution.contacts[contact];
            let force = multipliers.force();
            !self.law_holds(problem, contact, &solution.velocity, force)
        };
        let tolerance = self.settings.tolerances.momentum.powi(2);
        let Regions { choice, pool } = regions;
        let r = &self.work.r.v;
        let Some(left) = choice.choose(problem, solution, r, breaks_law, tolerance) else {
            return Outcome::Solved;
        };
        let count = choice.connect(problem);
        // What is harder than that is left to the whole, with what remains of its limit.
        cost.write(all, report);
        let left_of_limit = (self.settings.max_iterations).saturating_sub(report.iterations);
        let settings = ActiveSetCrSettings {
            regions: 0,
            max_iterations: left_of_limit.min(self.settings.relax_after),
            ..self.settings
        };
        let solved = pool.solve_all(
            (choice, count),
            settings,
            tolerance - left,
            problem,
            solution,
            &self.interrupt,
        );
        let mut all_solved = count > 0;
        for (region, solved) in solved.into_iter().enumerate() {
            let Some(Solved { report: own, part }) = solved else {
                all_solved = false;
                continue;
            };
            cost.add(choice.blocks(region).len(), &own);
            report.add_looks(&own);
            // What a region settles less finely the whole finds again: better to iterate on that at once.
            all_solved &= own.termination == Termination::Converged && !own.relaxed;
            if own.termination != Termination::Breakdown {
                part.store(choice.blocks(region), solution);
            }
        }
        if all_solved {
            Outcome::Improved
        } else {
            Outcome::Stuck
        }
    }
}

impl Pool<ActiveSetCr> {
    /// Solves for every one of `count` regions that is not too large, all at the same time: no contact couples two. They share what may be
    /// left of the squared tolerance, `square` (N²s²), by their blocks.
    fn solve_all(
        &self,
        (choice, count): (&Choice, usize),
        settings: ActiveSetCrSettings,
        square: f64,
        problem: &ContactProblem,
        solution: &ContactSolution,
        interrupt: &Interrupt,
    ) -> Vec<Option<Solved>> {
        let blocks_of = |region| choice.blocks(region).len();
        let all = problem.momentum.blocks() as f64;
        let chosen: usize = (0..count).map(blocks_of).sum();
        let solve = |region| {
            let blocks = blocks_of(region) as f64;
            let mut settings = settings;
            settings.tolerances.momentum = (SOLVED * square * blocks / chosen as f64).sqrt();
            (blocks <= LARGEST * all)
                .then(|| self.solve(choice, region, settings, problem, solution, interrupt))
        };
        (0..count).into_par_iter().map(solve).collect()
    }

    /// Solves for one region, the velocities around it given.
    fn solve(
        &self,
        choice: &Choice,
        region: usize,
        settings: ActiveSetCrSettings,
        problem: &ContactProblem,
        solution: &ContactSolution,
        interrupt: &Interrupt,
    ) -> Solved {
        let (own, mut part) = Part::of(choice, region, problem, solution);
        let mut solver = self.take();
        solver.settings = settings;
        solver.interrupt = interrupt.clone();
        let report = solver.solve_checked(&own, &mut part.solution);
        self.give_back(solver);
        Solved { report, part }
    }
}
