//! Conjugate residuals on the KKT system of one projection: fixed rows, diagonal preconditioner.
//!
//! ```text
//! [ A   Lᵀ ] [ v    ]   [ b + forces of rows that do not take part ]
//! [ L  −E  ] [ λ, γ ] = [ −c − E (λ, γ)_ref                         ]      L = −[J; J_t], masked
//! ```
//!
//! A change of states or forces alters the residual by sparse rows only, so it costs no product with `A`. Vectors hold
//! the momentum part first, then three entries per contact; entries of rows that do not take part are zero.

use super::system::{Row, System};
use crate::method::rows::{add_impulse, at, displacement};
use crate::{ContactProblem, ContactSolution};
use impinge_krylov::vector::{axpy, dot, norm, xpby};
use nalgebra::Vector3;

/// A step that changes the residual by less than this part makes `z` useless as the next direction (`zᵀBz ≈ 0`).
const NO_PROGRESS: f64 = 1e-8;

/// `‖B z‖ < STATIONARY ‖r‖`: the residual is orthogonal to everything that `B` can reach.
const STATIONARY: f64 = 1e-8;

/// Largest softness of the row across a slip over its compliance: beyond it the row has no more effect.
const SOFTEST: f64 = 1e4;

/// What a step came to.
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
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    bp: Vec<f64>,
    q: Vec<f64>,
    bw: Vec<f64>,
    previous: [Vec<f64>; 3],
    previous_curvature: Option<f64>,
    curvature: f64,
    guarded: bool,
    scratch: Vec<f64>,
    /// Products with `A` so far.
    pub(super) products: u64,
}

impl Kkt {
    /// Lays out memory and diagonal estimates for `problem`; no row takes part yet.
    pub(super) fn prepare(&mut self, problem: &ContactProblem) {
        self.system.prepare(problem);
        self.products = 0;
        self.displacement.resize(3 * problem.contacts(), 0.0);
        let size = problem.unknowns() + 3 * problem.contacts();
        let Self {
            r,
            z,
            p,
            bp,
            q,
            bw,
            previous,
            ..
        } = self;
        for vector in [r, z, p, bp, q, bw].into_iter().chain(previous) {
            vector.clear();
            vector.resize(size, 0.0);
        }
        self.scratch.resize(problem.momentum.scratch_len(), 0.0);
    }

    /// Forgets the reference forces of an earlier problem.
    pub(super) fn refer_to(&mut self, solution: &ContactSolution) {
        self.reference.clear();
        for multipliers in &solution.contacts {
            let [x, y] = multipliers.gamma;
            self.reference.extend([multipliers.lambda, x, y]);
        }
    }

    /// `‖w r_v‖` (N·s).
    pub(super) fn momentum_residual(&self, problem: &ContactProblem) -> f64 {
        problem.momentum_norm(&self.r[..self.system.unknowns])
    }

    /// `‖(w r_v, r_m)‖`.
    pub(super) fn residual(&self, problem: &ContactProblem) -> f64 {
        let rows = &self.r[self.system.unknowns..];
        self.momentum_residual(problem).hypot(norm(rows))
    }

    /// The row residuals of a contact (m).
    pub(super) fn row_residual(&self, contact: usize) -> Vector3<f64> {
        at(&self.r[self.system.unknowns..], contact as u32)
    }

    /// `r_v` from the definition, with one product by `A`; and every `(g, s)`.
    pub(super) fn recompute(&mut self, problem: &ContactProblem, solution: &ContactSolution) {
        let r_v = &mut self.r[..self.system.unknowns];
        problem
            .momentum
            .multiply(&solution.velocity, r_v, &mut self.scratch);
        self.products += 1;
        for (r, b) in r_v.iter_mut().zip(&problem.rhs) {
            *r = b - *r;
        }
        for (contact, multipliers) in solution.contacts.iter().enumerate() {
            let [f1, f2] = multipliers.gamma;
            let force = Vector3::new(multipliers.lambda, f1, f2);
            if force != Vector3::zeros() {
                add_impulse(problem, contact, &force, r_v);
            }
        }
        self.update_displacements(problem, solution);
    }

    /// Every `(g, s)`.
    pub(super) fn update_displacements(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) {
        for contact in 0..problem.contacts() {
            let moved =
                displacement(problem, contact, &solution.velocity) - problem.offset(contact);
            self.displacement[3 * contact..][..3].copy_from_slice(moved.as_slice());
        }
    }

    /// A contact's force changes by `change` (N): only its sparse rows of the residual do.
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
            &mut self.r[..self.system.unknowns],
        );
    }

    /// Takes the rows that `fit` gives to each contact, soft by `elastic` of their compliance about reference forces
    /// that follow wherever the row's displacement exceeds what `follow` says of its contact (m).
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
                let slipped = mask.apply(&moved);
                if softness > 0.0 || slipped[1].hypot(slipped[2]) > follow(contact) {
                    reference[1..].copy_from_slice(&multipliers.gamma);
                }
            } else if moved[0].abs() > follow(contact) {
                reference[0] = multipliers.lambda;
            }
        }
        self.fill_rows(solution);
    }

    /// `r_m = (g, s) + E((λ, γ) − (λ, γ)_ref)`, masked, from the displacements at hand.
    pub(super) fn fill_rows(&mut self, solution: &ContactSolution) {
        let r_m = &mut self.r[self.system.unknowns..];
        r_m.fill(0.0);
        for &contact in &self.system.active {
            let multipliers = &solution.contacts[contact as usize];
            let [x, y] = multipliers.gamma;
            let raised = (Vector3::new(multipliers.lambda, x, y) - at(&self.reference, contact))
                .component_mul(&at(&self.system.softness, contact));
            let row = self.system.masks[contact as usize]
                .apply(&(at(&self.displacement, contact) + raised));
            r_m[3 * contact as usize..][..3].copy_from_slice(row.as_slice());
        }
    }

    /// `z = C⁻¹ r`, `p = z`, `Bp`: one product with `A`.
    pub(super) fn restart(&mut self, problem: &ContactProblem) {
        let n = self.system.unknowns;
        // Rows that dropped out must not keep what they held.
        for vector in [&mut self.z, &mut self.q, &mut self.bp, &mut self.bw]
            .into_iter()
            .chain(&mut self.previous)
        {
            vector[n..].fill(0.0);
        }
        self.system.precondition(&self.r, &mut self.z);
        self.p.copy_from_slice(&self.z);
        self.system
            .multiply(problem, &self.p, &mut self.bp, &mut self.scratch);
        self.products += 1;
        self.previous_curvature = None;
        self.guarded = false;
    }

    /// After [`recompute`](Self::recompute) in the middle of an iteration: rows and `z` follow, directions stay.
    pub(super) fn refresh(&mut self, solution: &ContactSolution) {
        self.fill_rows(solution);
        self.system.precondition(&self.r, &mut self.z);
    }

    /// Steps along the direction at hand and returns `α`; 0 where the direction leads nowhere.
    pub(super) fn advance(&mut self, solution: &mut ContactSolution) -> f64 {
        self.system.precondition(&self.bp, &mut self.q);
        self.curvature = dot(&self.bp, &self.q);
        if self.curvature.is_nan() || self.curvature <= 0.0 {
            return 0.0;
        }
        let alpha = dot(&self.r, &self.q) / self.curvature;
        let n = self.system.unknowns;
        axpy(alpha, &self.p[..n], &mut solution.velocity);
        for &contact in &self.system.active {
            let p = &self.p[n + 3 * contact as usize..][..3];
            let multipliers = &mut solution.contacts[contact as usize];
            multipliers.lambda += alpha * p[0];
            multipliers.gamma[0] += alpha * p[1];
            multipliers.gamma[1] += alpha * p[2];
        }
        axpy(-alpha, &self.bp, &mut self.r);
        axpy(-alpha, &self.q, &mut self.z);
        alpha
    }

    /// `p ← w − c₁ p − c₂ p_prev`, `w = z` or, where `z` leads nowhere, `w = q`: one product with `A`.
    pub(super) fn next_direction(&mut self, problem: &ContactProblem, alpha: f64) -> Progress {
        let guarded = alpha.abs() * norm(&self.bp) <= NO_PROGRESS * norm(&self.r);
        if guarded && (self.guarded || alpha == 0.0) {
            return Progress::Stationary;
        }
        let w = if guarded { &self.q } else { &self.z };
        self.system
            .multiply(problem, w, &mut self.bw, &mut self.scratch);
        self.products += 1;
        if !guarded && norm(&self.bw) < STATIONARY * norm(&self.r) {
            return Progress::Stationary;
        }
        let c1 = dot(&self.bw, &self.q) / self.curvature;
        let c2 = match self.previous_curvature {
            Some(curvature) if guarded || self.guarded => {
                dot(&self.bw, &self.previous[2]) / curvature
            }
            _ => 0.0,
        };
        // The new direction is formed in the place of the one before the current, which then becomes the previous one.
        let [p_previous, bp_previous, q_previous] = &mut self.previous;
        let w = if guarded { &self.q } else { &self.z };
        xpby(w, -c2, p_previous);
        axpy(-c1, &self.p, p_previous);
        xpby(&self.bw, -c2, bp_previous);
        axpy(-c1, &self.bp, bp_previous);
        std::mem::swap(p_previous, &mut self.p);
        std::mem::swap(bp_previous, &mut self.bp);
        std::mem::swap(q_previous, &mut self.q);
        self.previous_curvature = Some(self.curvature);
        self.guarded = guarded;
        Progress::Ready
    }
}
