//! Which contacts will stick, slide or open: found by accelerated forward-backward steps before the equalities are solved.
//!
//! With `M = ℓ D`, `D = diag(A)` and `ℓ ≥ λ_max(D⁻¹A)`, one step from `y` is
//!
//! ```text
//! v⁺ = y + M⁻¹ (b − A y + Jᵀλ⁺ + J_tᵀF⁺)      contact and Coulomb's law holding between v⁺ and (λ⁺, F⁺)
//! y⁺ = v⁺ + β (v⁺ − v)
//! ```
//!
//! the contact forces of the inner problem, whose mass matrix is diagonal, being those of the last step after a few
//! sweeps of projected Gauss–Seidel. That is iterative constraint anticipation (Otaduy, Tamstorf, Steinemann & Gross, "Implicit
//! contact handling for deformable objects", CGF 28(2), 2009) with Nesterov's extrapolation; `β` starts anew where the
//! motion turns against the extrapolation (O'Donoghue & Candès, "Adaptive restart for accelerated gradient schemes",
//! FoCM 15, 2015). Unlike active-set changes, whose effects chase each other through a dense pile, the steps contract.

use super::{
    ActiveSetCr,
    laws::in_cone,
    rows::{add_impulse, displacement},
};
use crate::{ContactProblem, ContactSolution, ContactState, Multipliers, method::ContactReport};
use impinge_krylov::vector;
use nalgebra::Vector3;

/// `ℓ` at the start: lumped linear tetrahedra have `λ_max(D⁻¹A)` a little above it, and it grows where it is exceeded.
const FIRST_BOUND: f64 = 2.0;

/// What a measured curvature above `ℓ` is exceeded by afterwards.
const MARGIN: f64 = 1.02;

/// Sweeps over the contacts in one step: the first finds the states, the others settle forces between neighbours, and all
/// of them cost less than the product with `A`.
const SWEEPS: u32 = 4;

/// Steps without a change of state after which the states are taken for found, at first.
pub(super) const PATIENCE: u64 = 25;

/// Reduction of the residual over as many steps that is worth going on for, once the states are found.
const WORTHWHILE: f64 = 0.5;

/// Why the steps ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anticipated {
    /// Everything is within tolerance.
    Solved,
    /// The states are as good as they get; their equalities are left to be solved.
    States,
}

impl Anticipated {
    pub(super) fn is_solved(self) -> bool {
        self == Self::Solved
    }
}

/// Iterates of the steps; momentum vectors of length `n`.
#[derive(Debug, Default)]
pub(super) struct Anticipation {
    /// `y` and `A y`.
    y: Vec<f64>,
    ay: Vec<f64>,
    /// `v` and `A v` of the last step.
    last: Vec<f64>,
    a_last: Vec<f64>,
    /// `A v⁺`.
    a_next: Vec<f64>,
    /// `D` (kg).
    diagonal: Vec<f64>,
    /// `(λ, F)` per contact (N).
    forces: Vec<Vector3<f64>>,
    states: Vec<ContactState>,
}

impl Anticipation {
    fn resize(&mut self, unknowns: usize) {
        for vector in [
            &mut self.y,
            &mut self.ay,
            &mut self.last,
            &mut self.a_last,
            &mut self.a_next,
            &mut self.diagonal,
        ] {
            vector.resize(unknowns, 0.0);
        }
    }
}

impl ActiveSetCr {
    /// Steps until everything is within tolerance, or until states stay as they are for `patience` steps and the
    /// residual falls too slowly.
    ///
    /// Velocities, forces and states of `solution` are those of the last step.
    pub(super) fn anticipate(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        patience: u64,
        report: &mut ContactReport,
    ) -> Anticipated {
        let last_iteration =
            (report.iterations + self.settings.anticipation).min(self.settings.max_iterations);
        report.extra_products += 1;
        if self.begin(problem, solution) < self.settings.tolerances.momentum
            && self.anticipated_laws_hold(problem, solution)
        {
            return Anticipated::Solved;
        }

        let mut bound = FIRST_BOUND;
        let mut inertia = 1.0_f64;
        let (mut quiet, mut norm_when_quiet) = (0_u64, f64::INFINITY);
        let mut outcome = Anticipated::States;
        while report.iterations < last_iteration {
            report.iterations += 1;
            report.anticipations += 1;
            self.step_without_news(problem, solution, bound);
            let mut changes = 0;
            for _ in 0..SWEEPS {
                changes += self.sweep(problem, solution, bound);
            }
            report.state_changes += changes;
            let (norm, curvature) = self.residual_of_step(problem, solution, bound);
            self.trace.push("anticipation", || norm, report);
            if !norm.is_finite() {
                break;
            }
            self.relax_if_overdue(report);
            if norm < self.settings.tolerances.momentum
                && self.anticipated_laws_hold(problem, solution)
            {
                outcome = Anticipated::Solved;
                break;
            }
            quiet = if changes == 0 { quiet + 1 } else { 0 };
            if quiet == 0 {
                norm_when_quiet = norm;
            } else if quiet.is_multiple_of(patience) {
                if norm > WORTHWHILE * norm_when_quiet {
                    break;
                }
                norm_when_quiet = norm;
            }
            inertia = self.extrapolate(&solution.velocity, inertia);
            bound = bound.max(MARGIN * curvature);
        }
        self.name_states(problem, solution);
        outcome
    }

    /// Lays out the iterates at the warm start and returns its `‖r_v‖`.
    fn begin(&mut self, problem: &ContactProblem, solution: &ContactSolution) -> f64 {
        self.work.r.m.fill(0.0);
        let work = &mut self.anticipation;
        work.resize(problem.unknowns());
        problem.momentum.diagonal_into(&mut work.diagonal);
        work.last.copy_from_slice(&solution.velocity);
        work.y.copy_from_slice(&solution.velocity);
        problem
            .momentum
            .multiply(&work.y, &mut work.ay, &mut self.work.product);
        work.a_last.copy_from_slice(&work.ay);
        work.forces.clear();
        work.states.clear();
        for multipliers in &solution.contacts {
            let [f1, f2] = multipliers.friction_force();
            work.forces
                .push(Vector3::new(multipliers.lambda.max(0.0), f1, f2));
            work.states.push(multipliers.state);
        }
        let r = &mut self.work.r.v;
        for ((r, b), ay) in r.iter_mut().zip(&problem.rhs).zip(&work.ay) {
            *r = b - ay;
        }
        for (contact, force) in work.forces.iter().enumerate() {
            add_impulse(problem, contact, force, r);
        }
        vector::dot(r, r).sqrt()
    }

    /// `v⁺` for the forces of the last step, in `solution`.
    fn step_without_news(
        &self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        bound: f64,
    ) {
        let work = &self.anticipation;
        let next = &mut solution.velocity;
        for i in 0..next.len() {
            next[i] = work.y[i] + (problem.rhs[i] - work.ay[i]) / (bound * work.diagonal[i]);
        }
        for (contact, force) in work.forces.iter().enumerate() {
            if *force != Vector3::zeros() {
                push(problem, contact, *force, bound, &work.diagonal, next);
            }
        }
    }

    /// Meets the laws of one contact after the other, `v⁺` in `solution` following; returns how many changed state.
    fn sweep(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        bound: f64,
    ) -> u64 {
        let work = &mut self.anticipation;
        let next = &mut solution.velocity;
        let mut changes = 0;
        for contact in 0..problem.contacts() {
            let softness = self.settings.softness * self.preconditioner.normal_compliance(contact);
            let normal = self.preconditioner.normal_compliance(contact) / bound + softness;
            let tangential = self.preconditioner.tangential_compliance(contact) / bound;
            let moved = displacement(problem, contact, next) - problem.offset(contact);
            let old = work.forces[contact];
            let lambda = (old[0] - moved[0] / normal).max(0.0);
            let radius = problem.friction(contact) * lambda;
            let wanted = [
                old[1] - moved[1] / tangential,
                old[2] - moved[2] / tangential,
            ];
            let (friction, state) = in_cone(wanted, radius);
            let state = if lambda > 0.0 {
                state
            } else {
                ContactState::Inactive
            };
            changes += u64::from(state != work.states[contact]);
            work.states[contact] = state;
            let new = Vector3::new(lambda, friction[0], friction[1]);
            if new != old {
                push(problem, contact, new - old, bound, &work.diagonal, next);
                work.forces[contact] = new;
            }
        }
        changes
    }

    /// `‖b − A v⁺ + Jᵀλ⁺ + J_tᵀF⁺‖` and the curvature of `A` along the step, over that of `D`.
    ///
    /// By construction of the step the residual is `(M − A)(v⁺ − y)`: no product with the rows is needed.
    fn residual_of_step(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
        bound: f64,
    ) -> (f64, f64) {
        let work = &mut self.anticipation;
        problem
            .momentum
            .multiply(&solution.velocity, &mut work.a_next, &mut self.work.product);
        let r = &mut self.work.r.v;
        let (mut along_a, mut along_d) = (0.0, 0.0);
        for i in 0..r.len() {
            let step = solution.velocity[i] - work.y[i];
            let a_step = work.a_next[i] - work.ay[i];
            let d_step = work.diagonal[i] * step;
            r[i] = bound * d_step - a_step;
            along_a += step * a_step;
            along_d += step * d_step;
        }
        (vector::dot(r, r).sqrt(), along_a / along_d)
    }

    /// `y ← v⁺ + β (v⁺ − v)`, `v ← v⁺`; returns the inertia of the next step.
    fn extrapolate(&mut self, next: &[f64], inertia: f64) -> f64 {
        let work = &mut self.anticipation;
        let mut against = 0.0;
        for i in 0..next.len() {
            against += (work.y[i] - next[i]) * work.diagonal[i] * (next[i] - work.last[i]);
        }
        let grown = 0.5 * (1.0 + (1.0 + 4.0 * inertia * inertia).sqrt());
        let (beta, inertia) = if against > 0.0 {
            (0.0, 1.0)
        } else {
            ((inertia - 1.0) / grown, grown)
        };
        for i in 0..next.len() {
            work.y[i] = next[i] + beta * (next[i] - work.last[i]);
            work.ay[i] = work.a_next[i] + beta * (work.a_next[i] - work.a_last[i]);
        }
        work.last.copy_from_slice(next);
        std::mem::swap(&mut work.a_last, &mut work.a_next);
        inertia
    }

    fn anticipated_laws_hold(&self, problem: &ContactProblem, solution: &ContactSolution) -> bool {
        let forces = &self.anticipation.forces;
        self.laws_hold(problem, &solution.velocity, |contact| forces[contact])
    }

    /// States and multipliers of the last step's forces.
    fn name_states(&self, problem: &ContactProblem, solution: &mut ContactSolution) {
        for (contact, multipliers) in solution.contacts.iter_mut().enumerate() {
            let [lambda, f1, f2] = self.anticipation.forces[contact].into();
            let size = f1.hypot(f2);
            let old_direction = multipliers.slip_direction;
            *multipliers = match self.anticipation.states[contact] {
                ContactState::Inactive => Multipliers::default(),
                ContactState::Sticking if problem.friction(contact) > 0.0 => Multipliers {
                    state: ContactState::Sticking,
                    lambda,
                    gamma: [f1, f2],
                    previous_lambda: lambda,
                    ..Multipliers::default()
                },
                _ => Multipliers {
                    state: ContactState::Sliding,
                    lambda,
                    sliding_force: [f1, f2],
                    slip_direction: if size > 0.0 {
                        [-f1 / size, -f2 / size]
                    } else {
                        old_direction
                    },
                    previous_lambda: lambda,
                    ..Multipliers::default()
                },
            };
        }
    }
}

/// `v += M⁻¹ [J; J_t]ᵀ force` of one contact.
fn push(
    problem: &ContactProblem,
    contact: usize,
    force: Vector3<f64>,
    bound: f64,
    diagonal: &[f64],
    v: &mut [f64],
) {
    let (blocks, jacobians) = problem.row(contact);
    for (&block, jacobian) in blocks.iter().zip(jacobians) {
        let impulse = jacobian.tr_mul(&force);
        let first = 3 * block as usize;
        for axis in 0..3 {
            v[first + axis] += impulse[axis] / (bound * diagonal[first + axis]);
        }
    }
}
