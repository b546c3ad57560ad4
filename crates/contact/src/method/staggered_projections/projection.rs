//! One projection: a quadratic problem with bounded multipliers, solved by changes of the active rows.

use super::block_pivoting::BlockPivoting;
use super::half::{Goal, Half, Proposal, ProposalView};
use super::kkt::{Kkt, Progress};
use super::settings::Schedule;
use crate::method::masked_rows::FOLLOW;
use crate::method::restart_delay::{RestartDelay, SHARE, update_interval};
use crate::method::trace::Trace;
use crate::{ContactProblem, ContactReport, ContactSolution, Tolerances};
use nalgebra::Vector3;

/// Softness of rows over their compliance, about reference forces that follow, as in active-set conjugate residuals.
const ELASTIC: f64 = 1e-3;

/// Iterations between exact recomputations of the residual, against drift of the recurrence.
const REFRESH: u64 = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Done,
    /// The equalities conflict.
    Stalled,
    Limit,
    NotFinite,
}

/// Report and trace of a projection.
pub(super) struct Log<'a> {
    pub(super) phase: &'static str,
    /// Report of the whole solve.
    pub(super) report: &'a mut ContactReport,
    pub(super) trace: &'a mut Trace,
}

/// A running projection.
pub(super) struct Projection<'a, H> {
    pub(super) kkt: &'a mut Kkt,
    pub(super) half: &'a mut H,
    pub(super) problem: &'a ContactProblem,
    pub(super) goal: Goal<'a>,
    pub(super) log: Log<'a>,
}

impl<H: Half> Projection<'_, H> {
    /// Solves from `solution`, for which the residual of the iteration is valid.
    pub(super) fn run(mut self, solution: &mut ContactSolution) -> End {
        let begin = self.log.report.iterations;
        let mut pivoting = BlockPivoting::default();
        self.fit(solution);
        self.update_states(solution, 0.0, None);
        self.fit(solution);
        self.kkt.restart(self.problem);
        let (mut stationary, mut since_restart) = (false, 0);
        let mut restart_delay = RestartDelay::default();
        loop {
            let norm = self.kkt.residual(self.problem);
            restart_delay.note(norm, self.log.report.iterations - begin);
            if !norm.is_finite() {
                return End::NotFinite;
            }
            if stationary || self.converged(1.0) {
                self.kkt.recompute(self.problem, solution);
                self.fit(solution);
                let changed =
                    self.update_states(solution, Tolerances::ACCEPTED, Some(&mut pivoting));
                if !changed && self.converged(Tolerances::ACCEPTED) && self.hard_enough(solution) {
                    return End::Done;
                }
                if !changed && stationary {
                    return End::Stalled;
                }
                self.fit(solution);
                self.kkt.restart(self.problem);
                (stationary, since_restart) = (false, 0);
                restart_delay = RestartDelay::begin(self.log.report.iterations - begin);
            }
            if self.log.report.iterations >= self.goal.limit || self.goal.interrupt.is_raised() {
                return End::Limit;
            }
            let alpha = self.kkt.advance(self.problem, solution);
            self.log.report.iterations += 1;
            let (kkt, problem) = (&*self.kkt, self.problem);
            self.log
                .trace
                .push(self.log.phase, || kkt.residual(problem), self.log.report);
            let taken = self.log.report.iterations - begin;
            since_restart += 1;
            let due = alpha > 0.0
                && self.due(taken)
                && since_restart >= restart_delay.iterations(SHARE, taken);
            if due {
                self.kkt.update_displacements(self.problem, solution);
                if self.update_states(solution, 0.0, None) {
                    self.fit(solution);
                    self.kkt.restart(self.problem);
                    since_restart = 0;
                    continue;
                }
            }
            if taken.is_multiple_of(REFRESH) {
                self.kkt.recompute(self.problem, solution);
                self.kkt.refresh(self.problem, solution);
            }
            stationary = self.kkt.next_direction(self.problem, alpha) == Progress::Stationary;
        }
    }

    /// Whether an update of states within the iteration is due, as in active-set conjugate residuals.
    fn due(&self, iteration: u64) -> bool {
        match self.goal.schedule {
            Schedule::AtConvergence => false,
            Schedule::Interval => {
                let excess = self.kkt.residual(self.problem) / self.goal.momentum();
                iteration.is_multiple_of(update_interval(excess))
            }
        }
    }

    fn fit(&mut self, solution: &ContactSolution) {
        let half = &*self.half;
        self.kkt.fit(
            solution,
            ELASTIC,
            |contact| FOLLOW * self.goal.displacement(self.problem, contact),
            |contact, moved| half.row(contact, &solution.contacts[contact], moved),
        );
    }

    /// Makes the proposed changes of all contacts, or only the largest; returns whether there was any. Displacements
    /// within `noise` tolerances have no sign.
    fn update_states(
        &mut self,
        solution: &mut ContactSolution,
        noise: f64,
        pivoting: Option<&mut BlockPivoting>,
    ) -> bool {
        self.log.report.evaluations += 1;
        let mut proposals = 0;
        let mut foremost: Option<(f64, usize)> = None;
        for contact in 0..solution.contacts.len() {
            if let Some(proposal) = self.propose(solution, contact, noise) {
                proposals += 1;
                if foremost.is_none_or(|(worth, _)| proposal.worth > worth) {
                    foremost = Some((proposal.worth, contact));
                }
            }
        }
        let alone = pivoting.is_some_and(|pivoting| pivoting.only_worst(proposals));
        let Some((_, worst)) = foremost else {
            return false;
        };
        let contacts = if alone {
            worst..worst + 1
        } else {
            0..solution.contacts.len()
        };
        for contact in contacts {
            if let Some(proposal) = self.propose(solution, contact, noise) {
                let multipliers = &mut solution.contacts[contact];
                let change = proposal.force - multipliers.solved_force();
                if change != Vector3::zeros() {
                    self.kkt.add_force(self.problem, contact, &change);
                    multipliers.lambda = proposal.force[0];
                    multipliers.gamma = [proposal.force[1], proposal.force[2]];
                }
                self.half.set(contact, proposal.state);
                self.log.report.state_changes += 1;
            }
        }
        true
    }

    fn propose(
        &self,
        solution: &ContactSolution,
        contact: usize,
        noise: f64,
    ) -> Option<Proposal<H::State>> {
        let system = &self.kkt.system;
        let tolerance = self.goal.displacement(self.problem, contact);
        let view = ProposalView {
            displacement: crate::method::rows::at(&self.kkt.displacement, contact as u32),
            normal_compliance: system.normal_compliance(contact),
            tangential_compliance: system.tangential_compliance(contact),
            noise: noise * tolerance,
            tolerance,
        };
        self.half
            .propose(contact, &solution.contacts[contact], &view)
    }

    fn converged(&self, slack: f64) -> bool {
        self.kkt.momentum_residual(self.problem) < slack * self.goal.momentum()
            && self.kkt.system.active.iter().all(|&contact| {
                let contact = contact as usize;
                let tolerance =
                    self.half.share(contact) * self.goal.displacement(self.problem, contact);
                self.kkt.row_residual(contact).amax() < slack * tolerance
            })
    }

    /// Whether displacements of soft rows, without softness, are within tolerance.
    fn hard_enough(&self, solution: &ContactSolution) -> bool {
        self.kkt.system.active.iter().all(|&contact| {
            let index = contact as usize;
            let moved = crate::method::rows::at(&self.kkt.displacement, contact);
            let row = self.half.row(index, &solution.contacts[index], &moved);
            let tolerance = self.goal.displacement(self.problem, index);
            row.mask.apply(moved).amax() < self.half.share(index) * Tolerances::ACCEPTED * tolerance
        })
    }
}
