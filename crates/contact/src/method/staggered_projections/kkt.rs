//! Conjugate residuals on the KKT system of one projection, with fixed active rows and a diagonal preconditioner.
//!
//! ```text
//! [ A   Lᵀ ] [ v    ]   [ b + forces of rows that do not take part ]
//! [ L  −E  ] [ λ, γ ] = [ −c − E (λ, γ)_ref                         ]      L = −[J; J_t], masked
//! ```
//!
//! A change of states or forces changes the residual by sparse rows only, so it needs no product with `A`. Vectors have
//! the momentum part first, then three entries per contact; entries of inactive rows are zero. Active-set conjugate
//! residuals use the same recurrence on pairs of vectors: a dot product of one vector sums in another order, so the two
//! forms differ in their last bits.

use super::system::{Row, System};
use crate::method::masked_rows::SOFTEST;
use crate::method::rows::{add_impulse, at, gap_and_slip};
use crate::{ContactProblem, ContactSolution};
use impinge_krylov::vector::{axpy, norm};
use impinge_krylov::{GuardedConjugateResidual, PartialSystem};
use nalgebra::Vector3;

/// Outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// A direction is ready for the next step.
    Ready,
    /// No direction reduces the residual.
    Stationary,
}

/// The iteration and its vectors.
#[derive(Debug, Default)]
pub(super) struct Kkt {
    pub(super) system: System,
    /// `(λ, γ)_ref`, 3 per contact (N).
    reference: Vec<f64>,
    /// `(g, s)` of every contact, 3 per contact (m).
    pub(super) displacement: Vec<f64>,
    cr: GuardedConjugateResidual<Vec<f64>>,
    scratch: Vec<f64>,
    /// Number of products with `A` so far.
    pub(super) products: u64,
}

impl Kkt {
    /// Allocates memory and computes diagonal estimates for `problem`, without active rows.
    pub(super) fn prepare(&mut self, problem: &ContactProblem) {
        self.system.prepare(problem);
        self.products = 0;
        self.displacement.resize(3 * problem.contacts(), 0.0);
        let size = problem.unknowns() + 3 * problem.contacts();
        for vector in self.cr.vectors_mut() {
            vector.clear();
            vector.resize(size, 0.0);
        }
        self.scratch.resize(problem.momentum.scratch_len(), 0.0);
    }

    /// Sets the reference forces to those of `solution`.
    pub(super) fn refer_to(&mut self, solution: &ContactSolution) {
        self.reference.clear();
        for multipliers in &solution.contacts {
            (self.reference).extend_from_slice(multipliers.solved_force().as_slice());
        }
    }

    /// `‖w r_v‖` (N·s).
    pub(super) fn momentum_residual(&self, problem: &ContactProblem) -> f64 {
        problem.momentum_norm(&self.cr.residual[..self.system.unknowns])
    }

    /// `‖(w r_v, r_m)‖`.
    pub(super) fn residual(&self, problem: &ContactProblem) -> f64 {
        let rows = &self.cr.residual[self.system.unknowns..];
        self.momentum_residual(problem).hypot(norm(rows))
    }

    /// The row residuals of a contact (m).
    pub(super) fn row_residual(&self, contact: usize) -> Vector3<f64> {
        at(&self.cr.residual[self.system.unknowns..], contact as u32)
    }

    /// Computes `r_v` by its definition, with one product by `A`, and all `(g, s)`.
    pub(super) fn recompute(&mut self, problem: &ContactProblem, solution: &ContactSolution) {
        let r_v = &mut self.cr.residual[..self.system.unknowns];
        problem
            .momentum
            .multiply(&solution.velocity, r_v, &mut self.scratch);
        self.products += 1;
        for (r, b) in r_v.iter_mut().zip(&problem.rhs) {
            *r = b - *r;
        }
        for (contact, multipliers) in solution.contacts.iter().enumerate() {
            let force = multipliers.solved_force();
            if force != Vector3::zeros() {
                add_impulse(problem, contact, &force, r_v);
            }
        }
        self.update_displacements(problem, solution);
    }

    /// Computes all `(g, s)`.
    pub(super) fn update_displacements(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) {
        for contact in 0..problem.contacts() {
            let moved = gap_and_slip(problem, contact, &solution.velocity);
            self.displacement[3 * contact..][..3].copy_from_slice(moved.as_slice());
        }
    }

    /// Adds `change` (N) to the force of a contact: only its sparse rows change the residual.
    pub(super) fn add_force(
        &mut self,
        problem: &ContactProblem,
        contact: usize,
        change: &Vector3<f64>,
    ) {
        add_impulse(
            problem,
            contact,
            change,
            &mut self.cr.residual[..self.system.unknowns],
        );
    }

    /// Sets the rows that `fit` gives for each contact. They have a softness of `elastic` times their compliance about
    /// reference forces, which follow if the row's displacement exceeds `follow` of its contact (m).
    pub(super) fn fit(
        &mut self,
        solution: &ContactSolution,
        elastic: f64,
        follow: impl Fn(usize) -> f64,
        mut row: impl FnMut(usize, &Vector3<f64>) -> Row,
    ) {
        self.system.active.clear();
        for (contact, multipliers) in solution.contacts.iter().enumerate() {
            let moved = at(&self.displacement, contact as u32);
            let Row { mask, softness } = row(contact, &moved);
            self.system.masks[contact] = mask;
            if mask.is_empty() {
                continue;
            }
            self.system.active.push(contact as u32);
            let compliance = self.system.tangential_compliance(contact);
            let tangential = elastic * compliance + softness.min(SOFTEST * compliance);
            let normal = elastic * self.system.normal_compliance(contact);
            self.system.softness[3 * contact..][..3]
                .copy_from_slice(&[normal, tangential, tangential]);
            let reference = &mut self.reference[3 * contact..][..3];
            if mask.normal == 0.0 {
                let slipped = mask.apply(moved);
                if softness > 0.0 || slipped[1].hypot(slipped[2]) > follow(contact) {
                    reference[1..].copy_from_slice(&multipliers.gamma);
                }
            } else if moved[0].abs() > follow(contact) {
                reference[0] = multipliers.lambda;
            }
        }
        self.fill_rows(solution);
    }

    /// `r_m = (g, s) + E((λ, γ) − (λ, γ)_ref)` for active rows, from the present displacements.
    pub(super) fn fill_rows(&mut self, solution: &ContactSolution) {
        let r_m = &mut self.cr.residual[self.system.unknowns..];
        let (displacement, reference) = (&self.displacement, &self.reference);
        (self.system.rows()).residual_into(&solution.contacts, displacement, reference, r_m);
    }

    /// Restarts along the preconditioned residual: one product with `A`.
    pub(super) fn restart(&mut self, problem: &ContactProblem) {
        let (cr, mut system) = self.parts(problem);
        cr.restart(&mut system);
        self.products += 1;
    }

    /// After [`recompute`](Self::recompute) within an iteration: updates rows and `z`; directions are unchanged.
    pub(super) fn refresh(&mut self, problem: &ContactProblem, solution: &ContactSolution) {
        self.fill_rows(solution);
        let (cr, mut system) = self.parts(problem);
        cr.refresh(&mut system);
    }

    /// Steps along the present direction and returns `α`, which is 0 if the direction is useless.
    pub(super) fn advance(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> f64 {
        let (cr, mut system) = self.parts(problem);
        let curvature = cr.curvature(&mut system);
        if curvature.is_nan() || curvature <= 0.0 {
            return 0.0;
        }
        let alpha = cr.advance();
        let (p_v, p_m) = cr.direction().split_at(system.system.unknowns);
        axpy(alpha, p_v, &mut solution.velocity);
        for &contact in &system.system.active {
            solution.contacts[contact as usize].add_scaled(alpha, at(p_m, contact));
        }
        alpha
    }

    /// The next direction: one product with `A`.
    pub(super) fn next_direction(&mut self, problem: &ContactProblem, alpha: f64) -> Progress {
        let guarded = self.cr.is_useless(alpha, norm(&self.cr.residual));
        if guarded && (self.cr.was_guarded() || alpha == 0.0) {
            return Progress::Stationary;
        }
        let (cr, mut system) = self.parts(problem);
        let stationary = cr.turn(&mut system, guarded);
        self.products += 1;
        if stationary {
            Progress::Stationary
        } else {
            Progress::Ready
        }
    }

    fn parts<'a>(
        &'a mut self,
        problem: &'a ContactProblem,
    ) -> (&'a mut GuardedConjugateResidual<Vec<f64>>, Masked<'a>) {
        let system = Masked {
            system: &self.system,
            problem,
            scratch: &mut self.scratch,
        };
        (&mut self.cr, system)
    }
}

/// The system with the active rows.
struct Masked<'a> {
    system: &'a System,
    problem: &'a ContactProblem,
    scratch: &'a mut [f64],
}

impl PartialSystem<Vec<f64>> for Masked<'_> {
    fn clear(&self, x: &mut Vec<f64>) {
        x[self.system.unknowns..].fill(0.0);
    }

    fn multiply(&mut self, x: &Vec<f64>, out: &mut Vec<f64>) {
        self.system.multiply(self.problem, x, out, self.scratch);
    }

    fn precondition(&mut self, x: &Vec<f64>, out: &mut Vec<f64>) {
        self.system.precondition(x, out);
    }
}
