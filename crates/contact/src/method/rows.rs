//! Operations on contact rows, input checks and the stopping criterion, shared by all methods.

use super::{ContactReport, Termination};
use crate::block::add;
pub(super) use crate::block::at;
use crate::{
    ContactError, ContactProblem, ContactResidual, ContactSolution, FrictionLaw, Tolerances,
    residual_under,
};
use nalgebra::Vector3;

/// `[J; J_t]·x` of one contact.
#[inline]
pub(super) fn displacement(problem: &ContactProblem, contact: usize, x: &[f64]) -> Vector3<f64> {
    let (blocks, jacobians) = problem.row(contact);
    let mut sum = Vector3::zeros();
    for (&block, jacobian) in blocks.iter().zip(jacobians) {
        sum += jacobian * at(x, block);
    }
    sum
}

/// `g` and `s` of one contact: `[J; J_t] v − c` (m).
#[inline]
pub(super) fn gap_and_slip(problem: &ContactProblem, contact: usize, v: &[f64]) -> Vector3<f64> {
    displacement(problem, contact, v) - problem.offset(contact)
}

/// `diag([J; J_t] D⁻¹ [J; J_t]ᵀ)` of one contact (m/N); `inverse` gives `D⁻¹` of a block (1/kg).
#[inline]
pub(super) fn diagonal_compliance(
    problem: &ContactProblem,
    contact: usize,
    inverse: impl Fn(u32) -> Vector3<f64>,
) -> Vector3<f64> {
    let (blocks, jacobians) = problem.row(contact);
    let mut w = Vector3::zeros();
    for (&block, jacobian) in blocks.iter().zip(jacobians) {
        w += jacobian.component_mul(jacobian) * inverse(block);
    }
    w
}

/// `j diag(A)⁻¹ jᵀ` of one constraint row: its displacement per unit of force.
pub(super) fn own_response(problem: &ContactProblem, group: usize, row: usize) -> f64 {
    let of = problem.constraints.group(group);
    let entries = of.jacobian[row * of.blocks.len()..].iter();
    of.blocks
        .iter()
        .zip(entries)
        .map(|(&block, j)| {
            let diagonal = problem.momentum.diagonal_block(block as usize).diagonal();
            (0..3)
                .map(|axis| j[axis] * j[axis] / diagonal[axis])
                .sum::<f64>()
        })
        .sum()
}

/// `y += [J; J_t]ᵀ·force` of one contact.
#[inline]
pub(super) fn add_impulse(
    problem: &ContactProblem,
    contact: usize,
    force: &Vector3<f64>,
    y: &mut [f64],
) {
    let (blocks, jacobians) = problem.row(contact);
    for (&block, jacobian) in blocks.iter().zip(jacobians) {
        add(y, block, &jacobian.tr_mul(force));
    }
}

/// Checks the input of a method without constraint rows.
pub(super) fn check(
    problem: &ContactProblem,
    solution: &ContactSolution,
) -> Result<(), ContactError> {
    check_with_constraints(problem, solution)?;
    match problem.constraints.len() {
        0 => Ok(()),
        rows => Err(ContactError::ConstraintRows { rows }),
    }
}

/// Checks the input of an operation on problems with bilateral constraint rows only.
pub(super) fn check_with_joints(
    problem: &ContactProblem,
    solution: &ContactSolution,
) -> Result<(), ContactError> {
    check_with_constraints(problem, solution)?;
    let rows = &problem.constraints;
    match (0..rows.groups()).find(|&constraint| rows.group(constraint).unilateral) {
        Some(constraint) => Err(ContactError::OneSidedRow { constraint }),
        None => Ok(()),
    }
}

/// Checks the input of a method.
pub(super) fn check_with_constraints(
    problem: &ContactProblem,
    solution: &ContactSolution,
) -> Result<(), ContactError> {
    problem.validate()?;
    let same = |what, found, expected| {
        if found == expected {
            Ok(())
        } else {
            Err(ContactError::WarmStartMismatch {
                what,
                found,
                expected,
            })
        }
    };
    same("velocities", solution.velocity.len(), problem.unknowns())?;
    same("contacts", solution.contacts.len(), problem.contacts())?;
    same(
        "constraint rows",
        solution.constraints.len(),
        problem.constraints.len(),
    )
}

/// The largest part of a residual over its tolerance: a method may stop below 1. If `relaxed`, friction has the
/// tolerance of gaps.
pub(super) fn merit(residual: &ContactResidual, tolerances: &Tolerances, relaxed: bool) -> f64 {
    let friction = if relaxed {
        residual.over(tolerances).slip
    } else {
        residual.friction / tolerances.slip
    };
    let parts = [
        residual.momentum / tolerances.momentum,
        residual.normal / tolerances.gap,
        friction,
        residual.constraint / tolerances.gap,
    ];
    parts.into_iter().fold(0.0, |worst, part| {
        if part > worst || part.is_nan() {
            part
        } else {
            worst
        }
    })
}

/// Relaxes friction to the gap tolerance once `after` iterations have passed, if that changes something; returns
/// whether it does so now.
pub(super) fn relax_if_overdue(
    after: u64,
    tolerances: &Tolerances,
    problem: &ContactProblem,
    report: &mut ContactReport,
) -> bool {
    let relaxes = report.iterations >= after && !report.relaxed && tolerances.can_relax(problem);
    report.relaxed |= relaxes;
    relaxes
}

/// The friction law and the tolerances (N·s, m) of a converged solution.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demand<'a> {
    pub(super) law: FrictionLaw,
    pub(super) tolerances: &'a Tolerances,
}

/// The iterate with the smallest merit so far, used if no later one converges.
#[derive(Debug, Default)]
pub(super) struct Best {
    merit: f64,
    solution: ContactSolution,
}

impl Best {
    /// Starts with `solution`, whatever its merit.
    pub(super) fn start(&mut self, solution: &ContactSolution) {
        self.merit = f64::INFINITY;
        self.keep(solution);
    }

    /// Stores `solution` if its merit is smaller than all before.
    pub(super) fn offer(&mut self, merit: f64, solution: &ContactSolution) {
        if merit < self.merit {
            self.merit = merit;
            self.keep(solution);
        }
    }

    /// Measures `solution` by the independent residual and offers it; returns its merit. Below 1, the solve has
    /// converged, with relaxed friction only if it needs that.
    pub(super) fn judge(
        &mut self,
        demand: Demand<'_>,
        problem: &ContactProblem,
        solution: &ContactSolution,
        report: &mut ContactReport,
    ) -> f64 {
        let judged = residual_under(demand.law, problem, solution);
        let present = merit(&judged, demand.tolerances, report.relaxed);
        self.offer(present, solution);
        if present < 1.0 {
            report.termination = Termination::Converged;
            report.relaxed &= merit(&judged, demand.tolerances, false) >= 1.0;
        }
        present
    }

    pub(super) fn restore(&self, solution: &mut ContactSolution) {
        solution.velocity.clone_from(&self.solution.velocity);
        solution.contacts.clone_from(&self.solution.contacts);
        solution.constraints.clone_from(&self.solution.constraints);
    }

    fn keep(&mut self, solution: &ContactSolution) {
        self.solution.velocity.clone_from(&solution.velocity);
        self.solution.contacts.clone_from(&solution.contacts);
        self.solution.constraints.clone_from(&solution.constraints);
    }
}
