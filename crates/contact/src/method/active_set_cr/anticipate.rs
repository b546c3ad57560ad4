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

/// Most sweeps over the contacts in one step: the first finds the states, the others settle forces between neighbours.
const SWEEPS: u32 = 4;

/// Most sweeps after these over the contacts that still move: rows that say nearly the opposite of each other settle slowly.
const FURTHER_SWEEPS: u32 = 200;

/// Change of a sweep, as a displacement over the tolerance of gaps, that no further sweep follows: a step moves more.
const SETTLED: f64 = 0.1;

/// Steps without a change of state after which the states are taken for found, at first.
pub(super) const PATIENCE: u64 = 25;

/// Reduction of the residual over as many steps that is worth going on for, once the states are found.
const WORTHWHILE: f64 = 0.5;

/// Steps beyond the usual number while the momentum is closed: forces that oppose each other grow slowly to what keeps gaps open.
const WHILE_CLOSED: u64 = 1000;

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

/// What a sweep over contacts did.
#[derive(Debug, Default, Clone, Copy)]
struct Swept {
    /// Contacts that changed state.
    changes: u64,
    /// Largest change of a force, as the displacement that its own contact takes it for (m).
    largest: f64,
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
    /// `D` (kg) and its inverse (1/kg).
    diagonal: Vec<f64>,
    inverse: Vec<f64>,
    /// `(λ, F)` per contact (N).
    forces: Vec<Vector3<f64>>,
    states: Vec<ContactState>,
    /// Contacts that had a force before or after the first sweep of a step: further sweeps are over these.
    touching: Vec<u32>,
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
            &mut self.inverse,
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
        let last_if_closed = (last_iteration + WHILE_CLOSED).min(self.settings.max_iterations);
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
        // With the momentum closed only rows are left to be met, and equalities have nothing to offer for that.
        let mut closed = false;
        while report.iterations < last_iteration || closed && report.iterations < last_if_closed {
            report.iterations += 1;
            report.anticipations += 1;
            self.step_without_news(problem, solution, bound);
            let settled = SETTLED * self.settings.tolerances.gap;
            let mut swept = self.sweep_all(problem, solution, bound);
            let mut changes = swept.changes;
            for _ in 1..SWEEPS {
                if swept.largest < settled {
                    break;
                }
                swept = self.sweep_touching(problem, solution, bound);
                changes += swept.changes;
            }
            for _ in 0..FURTHER_SWEEPS {
                if swept.largest < settled {
                    break;
                }
                swept = self.sweep_moving(problem, solution, bound, settled);
                changes += swept.changes;
            }
            report.state_changes += changes;
            let (norm, curvature) = self.residual_of_step(problem, solution, bound);
            self.trace.push("anticipation", || norm, report);
            if !norm.is_finite() {
                break;
            }
            self.relax_if_overdue(report);
            closed = norm < self.settings.tolerances.momentum;
            if closed && self.anticipated_laws_hold(problem, solution) {
                outcome = Anticipated::Solved;
                break;
            }
            quiet = if changes == 0 { quiet + 1 } else { 0 };
            if quiet == 0 {
                norm_when_quiet = norm;
            } else if quiet.is_multiple_of(patience) {
                if norm > WORTHWHILE * norm_when_quiet && !closed {
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
        for (inverse, diagonal) in work.inverse.iter_mut().zip(&work.diagonal) {
            *inverse = 1.0 / diagonal;
        }
        work.last.copy_from_slice(&solution.velocity);
        work.y.copy_from_slice(&solution.velocity);
        problem
            .momentum
            .multiply(&work.y, &mut work.ay, &mut self.work.product);
        work.a_last.copy_from_slice(&work.ay);
        work.forces.clear();
        work.states.clear();
        work.touching.clear();
        work.touching.reserve(problem.contacts());
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
        let bounded = 1.0 / bound;
        let known = next.iter_mut().zip(&work.y).zip(&work.ay);
        for (((next, y), ay), (b, inverse)) in known.zip(problem.rhs.iter().zip(&work.inverse)) {
            *next = y + (b - ay) * (bounded * inverse);
        }
        for (contact, force) in work.forces.iter().enumerate() {
            if *force != Vector3::zeros() {
                push(problem, contact, force * bounded, &work.inverse, next);
            }
        }
    }

    /// Meets the laws of one contact after the other, `v⁺` in `solution` following.
    fn sweep_all(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        bound: f64,
    ) -> Swept {
        let mut swept = Swept::default();
        self.anticipation.touching.clear();
        for contact in 0..problem.contacts() {
            let before = self.anticipation.forces[contact][0];
            self.meet_laws(problem, contact, &mut solution.velocity, bound, &mut swept);
            if before.max(self.anticipation.forces[contact][0]) > 0.0 {
                self.anticipation.touching.push(contact as u32);
            }
        }
        swept
    }

    /// The same over the contacts that had a force in the last sweep over all: what another one wakes waits for the next step.
    fn sweep_touching(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        bound: f64,
    ) -> Swept {
        let mut swept = Swept::default();
        for i in 0..self.anticipation.touching.len() {
            let contact = self.anticipation.touching[i] as usize;
            self.meet_laws(problem, contact, &mut solution.velocity, bound, &mut swept);
        }
        swept
    }

    /// The same over those of them whose force still changes by more than `settled` (m).
    fn sweep_moving(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        bound: f64,
        settled: f64,
    ) -> Swept {
        let mut swept = Swept::default();
        let mut touching = std::mem::take(&mut self.anticipation.touching);
        touching.retain(|&contact| {
            let mut own = Swept::default();
            let velocity = &mut solution.velocity;
            self.meet_laws(problem, contact as usize, velocity, bound, &mut own);
            swept.changes += own.changes;
            swept.largest = swept.largest.max(own.largest);
            own.largest >= settled
        });
        self.anticipation.touching = touching;
        swept
    }

    /// Meets the laws of one contact, `v⁺` in `next` following.
    #[inline]
    fn meet_laws(
        &mut self,
        problem: &ContactProblem,
        contact: usize,
        next: &mut [f64],
        bound: f64,
        swept: &mut Swept,
    ) {
        let work = &mut self.anticipation;
        let bounded = 1.0 / bound;
        let normal_compliance = self.preconditioner.normal_compliance(contact);
        let softness = self.settings.softness * normal_compliance;
        let normal = normal_compliance * bounded + softness;
        let tangential = self.preconditioner.tangential_compliance(contact) * bounded;
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
        swept.changes += u64::from(state != work.states[contact]);
        work.states[contact] = state;
        let new = Vector3::new(lambda, friction[0], friction[1]);
        if new != old {
            let change = new - old;
            let tangential = tangential * change[1].abs().max(change[2].abs());
            swept.largest = swept.largest.max(normal * change[0].abs()).max(tangential);
            push(problem, contact, change * bounded, &work.inverse, next);
            work.forces[contact] = new;
        }
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

/// `v += D⁻¹ [J; J_t]ᵀ force` of one contact.
#[inline]
fn push(
    problem: &ContactProblem,
    contact: usize,
    force: Vector3<f64>,
    inverse: &[f64],
    v: &mut [f64],
) {
    let (blocks, jacobians) = problem.row(contact);
    for (&block, jacobian) in blocks.iter().zip(jacobians) {
        let impulse = jacobian.tr_mul(&force);
        let first = 3 * block as usize;
        let inverse = &inverse[first..][..3];
        let v = &mut v[first..][..3];
        for axis in 0..3 {
            v[axis] += impulse[axis] * inverse[axis];
        }
    }
}
