//! The solves of a round: every island with a body that changed, by itself, then the momentum of its bodies.

use super::{Solver, Synchronous};
use crate::{
    error::StepFailure,
    report::StepReport,
    step::{
        context::StepContext,
        resolve::{NamedSolver, Resolved, balance::balance, fallback::solve_fallback, resolve},
    },
    stepper::observer::{Observed, SolveObserver, SolveStamp},
};
use impinge_contact::compliance::TurnedBodies;
use impinge_contact::{ContactError, ContactProblem, ContactSolution, Interrupt, Island, Method};
use rayon::prelude::*;
use std::sync::Arc;
use tracing::debug;

/// An observer of solves.
type Observer = dyn SolveObserver + 'static;

/// What a solve needs beside its problem.
#[derive(Clone)]
struct Setting<'a> {
    /// The method, with the tolerances of the solve.
    method: Method,
    /// The bodies of the problem, where the method or an observer asks for them.
    bodies: Option<Arc<TurnedBodies>>,
    stamp: SolveStamp,
    interrupt: &'a Interrupt,
    /// Whether a solve that misses its tolerances may use the fallback.
    allows_fallback: bool,
    /// The name of the solver.
    name: &'a str,
}

/// The outcome of the solve of one island.
struct Solved {
    resolved: Resolved,
    /// Whether the tolerances are met, possibly by a fallback.
    met: bool,
    counts: StepReport,
}

impl Synchronous {
    /// Solves the islands with a body that changed, and closes the momentum balances of their bodies.
    ///
    /// # Errors
    /// [`StepFailure`] if an island missed its tolerances, unless `accept_unmet`.
    pub(super) fn solve_balanced(
        &mut self,
        context: StepContext<'_>,
        accept_unmet: bool,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        let model = context.model;
        (self.islands).find(&self.problem, |block| model.body_of_block(block));
        let is_pending = |island: &Island| {
            let mut bodies = self.changes.of_island(model, island);
            bodies.any(|marks| marks.changed)
        };
        let pending: Vec<bool> = self.islands.parts().iter().map(is_pending).collect();
        let solved = self.solve_islands(context, &pending, report);
        self.extensions.check()?;
        let solved = solved?;
        report.rounds += 1;
        self.count(&solved, report);
        self.note(context, solved, accept_unmet)?;
        self.balance_islands(context, &pending);
        Ok(())
    }

    /// Solves the `pending` islands from the solution at hand; `None` for the others.
    fn solve_islands(
        &mut self,
        context: StepContext<'_>,
        pending: &[bool],
        report: &StepReport,
    ) -> Result<Vec<Option<Solved>>, StepFailure> {
        let share_solver = self.extensions.share_solver();
        if !share_solver {
            self.provide_solvers();
        }
        let setting = |number: usize| Setting {
            method: self.method,
            bodies: self.bodies.clone(),
            stamp: SolveStamp {
                step: context.state.step + 1,
                round: report.rounds + 1,
                island: number as u32,
                time: context.state.time,
            },
            interrupt: &self.interrupt,
            allows_fallback: self.allows_fallback && self.extensions.solver_name().is_none(),
            name: (self.extensions.solver_name()).unwrap_or_else(|| self.method.name()),
        };
        let mut settings: Vec<_> = (0..self.islands.parts().len()).map(setting).collect();
        let mut observer = self.observer.as_deref_mut();
        if let ([setting], [true]) = (settings.as_slice(), pending) {
            let pair = (&self.problem, &mut self.solution);
            let solved = solve(setting, &mut self.solvers[0], pair, observer)?;
            return Ok(vec![Some(solved)]);
        }

        if let Some(bodies) = &self.bodies {
            let of_islands = self.islands.bodies(bodies).into_iter().map(Arc::new);
            for (setting, bodies) in settings.iter_mut().zip(of_islands) {
                setting.bodies = Some(bodies);
            }
        }
        let (problem, start) = (&self.problem, &self.solution);
        let (islands, places) = self.islands.parts_mut();
        let of_one = |island: &mut Island,
                      solver: &mut Solver,
                      setting: &Setting<'_>,
                      observer: Option<&mut Observer>| {
            let pair = island.load(problem, start, places);
            let solved = solve(setting, solver, pair, observer);
            solved.map_err(|failure| in_the_whole(failure, island))
        };
        let one_by_one = share_solver || observer.is_some();
        let solved: Vec<Option<Result<Solved, StepFailure>>> = if one_by_one {
            let solvers = &mut self.solvers;
            let of_islands = islands.iter_mut().zip(&settings).zip(pending);
            (of_islands.enumerate())
                .map(|(index, ((island, setting), pending))| {
                    let solver = &mut solvers[if share_solver { 0 } else { index }];
                    pending.then(|| of_one(island, solver, setting, observer.as_deref_mut()))
                })
                .collect()
        } else {
            let of_islands = (islands.par_iter_mut())
                .zip(&mut self.solvers)
                .zip(&settings);
            (of_islands.zip(pending))
                .map(|(((island, solver), setting), pending)| {
                    pending.then(|| of_one(island, solver, setting, None))
                })
                .collect()
        };
        let solved: Vec<Option<Solved>> = (solved.into_iter())
            .map(Option::transpose)
            .collect::<Result<_, _>>()?;
        self.store_islands(pending);
        Ok(solved)
    }

    /// Makes a solver for each island.
    fn provide_solvers(&mut self) {
        while self.solvers.len() < self.islands.parts().len() {
            let mut solver = self.method.solver();
            solver.heed(&self.interrupt);
            self.solvers.push(solver);
        }
    }

    /// Takes the solutions of the `pending` islands into that of the whole problem.
    fn store_islands(&mut self, pending: &[bool]) {
        let islands = self.islands.parts().iter().zip(pending);
        for (island, _) in islands.filter(|(_, pending)| **pending) {
            island.store(&self.problem, &mut self.solution);
        }
    }

    /// Adds what the solves of a round took. Iterations on some of the blocks count by their share, as products do.
    fn count(&self, solved: &[Option<Solved>], report: &mut StepReport) {
        let blocks = self.problem.momentum.blocks().max(1) as u64;
        let mut shared = [0; 3];
        for (island, solved) in self.islands.parts().iter().zip(solved) {
            let Some(Solved { counts, .. }) = solved else {
                continue;
            };
            let own = island.blocks().len() as u64;
            let spent = [
                counts.iterations,
                counts.prediction_iterations,
                counts.extra_products,
            ];
            for (sum, spent) in shared.iter_mut().zip(spent) {
                *sum += spent * own;
            }
            report.evaluations += counts.evaluations;
            report.state_changes += counts.state_changes;
            report.preconditioner_fallbacks += counts.preconditioner_fallbacks;
            report.least_squares_solves += counts.least_squares_solves;
            report.rescued_solves += counts.rescued_solves;
        }
        let [iterations, prediction_iterations, extra_products] =
            shared.map(|sum: u64| sum.div_ceil(blocks));
        report.iterations += iterations;
        report.prediction_iterations += prediction_iterations;
        report.extra_products += extra_products;
    }

    /// Marks the bodies with the outcome of the solves of their islands.
    fn note(
        &mut self,
        context: StepContext<'_>,
        solved: Vec<Option<Solved>>,
        accept_unmet: bool,
    ) -> Result<(), StepFailure> {
        let mut missed = None;
        for (island, solved) in self.islands.parts().iter().zip(solved) {
            let Some(Solved { resolved, met, .. }) = solved else {
                continue;
            };
            self.changes.update(context.model, island, |marks| {
                marks.unmet = !met;
                marks.relaxed = resolved.relaxed;
            });
            if resolved.shortfall.is_some() {
                self.allows_fallback &= met;
            }
            missed = missed.or(resolved.shortfall.filter(|_| !met));
        }
        if let Some(failure) = missed {
            self.unsolved = Some(failure.clone());
            self.unconverged_left = self.unconverged_left.saturating_sub(1);
            if !accept_unmet {
                return Err(failure);
            }
            let step = context.state.step + 1;
            debug!(step, reason = %failure, "unconverged solve kept in the shortest substep");
        }
        Ok(())
    }

    /// Closes the momentum balances of the bodies of the `pending` islands.
    fn balance_islands(&mut self, context: StepContext<'_>, pending: &[bool]) {
        let model = context.model;
        let mut solved = vec![false; model.geometry.bodies.len()];
        for (island, _) in self
            .islands
            .parts()
            .iter()
            .zip(pending)
            .filter(|(_, p)| **p)
        {
            for &block in island.blocks() {
                solved[model.body_of_block(block as usize)] = true;
            }
        }
        // The momentum of whole bodies is not known where forces of extensions act.
        if self.extensions.has_forces() && self.method.balances_momentum() {
            return;
        }
        let changes = balance(
            &mut self.coarse,
            (
                context,
                Some(&self.flight).filter(|flight| flight.is_second_order()),
            ),
            &self.method,
            (&self.problem, &mut self.solution),
            &solved,
        );
        let is_solved = |block: u32| solved[model.body_of_block(block as usize)];
        for (index, &key) in self.keys.iter().enumerate() {
            if self
                .problem
                .row(index)
                .0
                .iter()
                .any(|&block| is_solved(block))
            {
                match changes.get(index) {
                    Some(change) => self.imbalance.insert(key, *change),
                    None => self.imbalance.remove(&key),
                };
            }
        }
    }
}

/// Solves one problem, by the fallback if it misses its tolerances.
fn solve(
    setting: &Setting<'_>,
    solver: &mut Solver,
    (problem, solution): (&ContactProblem, &mut ContactSolution),
    observer: Option<&mut Observer>,
) -> Result<Solved, StepFailure> {
    let mut counts = StepReport::default();
    solver.set_tolerances(setting.method.tolerances());
    if let Some(bodies) = &setting.bodies {
        solver.know_bodies(bodies);
    }
    let mut observed = Observed {
        method: setting.method,
        solver: &mut **solver,
        stamp: setting.stamp,
        bodies: setting.bodies.as_ref(),
        observer,
    };
    let by = NamedSolver {
        name: setting.name,
        method: &setting.method,
        solver: &mut observed,
    };
    let resolved = resolve(by, problem, solution, &mut counts);
    let interrupted = || setting.interrupt.is_raised();
    if interrupted() {
        return Err(StepFailure::Interrupted);
    }
    let resolved = resolved?;
    let mut met = resolved.shortfall.is_none();
    if !met && setting.allows_fallback {
        let (method, interrupt) = (&setting.method, setting.interrupt);
        met = solve_fallback(method, problem, solution, interrupt, &mut counts);
        debug!(
            step = setting.stamp.step,
            round = setting.stamp.round,
            island = setting.stamp.island,
            contacts = problem.contacts(),
            met = met,
            "fallback solve of an unconverged problem"
        );
        if interrupted() {
            return Err(StepFailure::Interrupted);
        }
    }
    Ok(Solved {
        resolved,
        met,
        counts,
    })
}

/// The failure of an island's problem in the numbers of the whole.
fn in_the_whole(failure: StepFailure, island: &Island) -> StepFailure {
    match failure {
        StepFailure::Problem(ContactError::EmptyRow { contact }) => {
            let contact = island
                .contacts()
                .get(contact)
                .map_or(contact, |&c| c as usize);
            StepFailure::Problem(ContactError::EmptyRow { contact })
        }
        other => other,
    }
}
