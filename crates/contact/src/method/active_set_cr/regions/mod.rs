//! Solves for the regions that need it, before the whole problem is looked at.
//!
//! The matrix `A` of many bodies falls into one part per body, which only contacts couple. What a step, or a contact that
//! was just found, changes is felt no farther than elastic waves and friction carry it within the step, mostly by the
//! next neighbours; yet iterations on the whole problem touch every body until the last of them has settled. So the bodies
//! that leave more than their part of the residual, or whose contacts break a law, are solved for alone together with
//! those that they touch, each connected region by itself, while all others keep their velocities: one step of a block
//! Gauss–Seidel method (multiplicative Schwarz) over a part of the blocks. What the new contact forces leave in the bodies
//! around is the next step's concern. Each step judges the whole problem first: what it finds solved is the answer, and
//! what steps do not get to an end is the start of an iteration on the whole.

mod choose;
mod part;

use super::{ActiveSetCr, ActiveSetCrSettings};
use crate::{ContactProblem, ContactSolution, Termination, method::ContactReport};
use choose::Choice;
use impinge_krylov::vector;
use nalgebra::Vector3;
use part::Part;

/// Share of what the bodies left alone leave of the squared tolerance that regions are solved to; the rest is for what
/// their new contact forces leave in the others.
const SOLVED: f64 = 0.5;

/// Largest share of the blocks that a region may have: above, solving for the whole costs little more.
const LARGEST: f64 = 0.5;

/// Workspace of the steps.
#[derive(Debug, Default)]
pub(super) struct Regions {
    choice: Choice,
    part: Part,
    solver: Option<Box<ActiveSetCr>>,
}

/// What the steps cost, in iterations on the whole problem.
#[derive(Debug, Default, Clone, Copy)]
struct Cost {
    iterations: f64,
    anticipations: f64,
    extra_products: f64,
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
    fn write(&self, report: &mut ContactReport) {
        let whole = |cost: f64| {
            #[expect(clippy::cast_sign_loss, reason = "sums of counts")]
            let count = cost.ceil() as u64;
            count
        };
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
            cost.write(&mut report);
            match outcome {
                Outcome::Solved => {
                    report.termination = Termination::Converged;
                    break;
                }
                Outcome::Stuck => break,
                Outcome::Improved => {
                    let residual = &self.work.r.v;
                    let norm = || vector::dot(residual, residual).sqrt();
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
        regions: &mut Regions,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        cost: &mut Cost,
        report: &mut ContactReport,
    ) -> Outcome {
        self.recompute_momentum(problem, solution);
        cost.extra_products += 1.0;
        let breaks_law = |contact: usize| {
            let multipliers = &solution.contacts[contact];
            let [f1, f2] = multipliers.friction_force();
            let force = Vector3::new(multipliers.lambda, f1, f2);
            !self.law_holds(problem, contact, &solution.velocity, force)
        };
        let tolerance = self.settings.tolerances.momentum.powi(2);
        let choice = &mut regions.choice;
        let r = &self.work.r.v;
        let Some(left) = choice.choose(problem, solution, r, breaks_law, tolerance) else {
            return Outcome::Solved;
        };
        let count = choice.connect(problem);
        let chosen: usize = (0..count).map(|region| choice.blocks(region).len()).sum();
        let mut all_solved = count > 0;
        for region in 0..count {
            let blocks = regions.choice.blocks(region).len() as f64;
            let share = blocks / problem.momentum.blocks() as f64;
            if share > LARGEST {
                all_solved = false;
                continue;
            }
            let budget = SOLVED * (tolerance - left) * blocks / chosen as f64;
            let mut settings = self.settings;
            settings.regions = 0;
            // What is harder than that is left to the whole, with what remains of its limit.
            cost.write(report);
            let left = settings.max_iterations.saturating_sub(report.iterations);
            settings.max_iterations = left.min(settings.relax_after);
            settings.tolerances.momentum = budget.sqrt();
            let solved = regions.solve(region, settings, problem, solution);
            cost.iterations += share * solved.iterations as f64;
            cost.anticipations += share * solved.anticipations as f64;
            cost.extra_products += share * solved.extra_products as f64;
            report.add_looks(&solved);
            // What a region settles less finely the whole finds again: better to iterate on that at once.
            all_solved &= solved.termination == Termination::Converged && !solved.relaxed;
        }
        if all_solved {
            Outcome::Improved
        } else {
            Outcome::Stuck
        }
    }
}

impl Regions {
    /// Solves for one region, the velocities around it given. A breakdown leaves `solution` as it was.
    fn solve(
        &mut self,
        region: usize,
        settings: ActiveSetCrSettings,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactReport {
        let (part, mut own) = self.part.of(&self.choice, region, problem, solution);
        let solver = self.solver.get_or_insert_default();
        solver.settings = settings;
        let report = solver.solve_checked(&part, &mut own);
        if report.termination != Termination::Breakdown {
            self.part.store(self.choice.blocks(region), &own, solution);
        }
        report
    }
}
