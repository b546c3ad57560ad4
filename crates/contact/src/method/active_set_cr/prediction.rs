//! Active-set prediction: accelerated forward-backward steps find the sticking, sliding and separated contacts.
//!
//! With `M = ℓ D`, `D = diag(A)` and `ℓ` at least the curvature of `A` over `M/ℓ` along the steps (`λ_max(D⁻¹A)` bounds
//! it), one step from `y` is
//!
//! ```text
//! v⁺ = y + M⁻¹ (b − A y + Jᵀλ⁺ + J_tᵀF⁺)      contact and Coulomb's law holding between v⁺ and (λ⁺, F⁺)
//! y⁺ = v⁺ + β (v⁺ − v)
//! ```
//!
//! With a coarse grid (`grid.rs`) `M⁻¹ = (D⁻¹ + Q)/ℓ`, `Q = P (PᵀAP)⁻¹ Pᵀ`. Forces of contacts do not act on the grid,
//! `Q Jᵀ = 0`, so `c = Q (b − A y)/ℓ` is known before them, and `M (v⁺ − y) = ℓ D (v⁺ − y − c)`. The bound of `ℓ` grows
//! by 1.
//!
//! The inner problem has a diagonal mass matrix; sweeps of projected Gauss-Seidel update the contact forces of the last
//! step: one over all contacts, then over those that still change. This is iterative constraint anticipation (Otaduy,
//! Tamstorf, Steinemann and Gross, "Implicit contact handling for deformable objects", CGF 28(2), 2009) with Nesterov's
//! extrapolation, bounded by the curvature (`extrapolation.rs`). `β` restarts when the motion turns against the
//! extrapolation (O'Donoghue and Candès, "Adaptive restart for accelerated gradient schemes", FoCM 15, 2015). The steps
//! are contractive, which changes of an active set in a dense pile need not be.

use super::{
    extrapolation::Extrapolation, phase::Phase, prediction_iterates::FURTHER_SWEEPS,
    solver::ActiveSetCr, sweeps::Metric,
};
use crate::{ContactProblem, ContactSolution, ContactState, Multipliers, method::ContactReport};
use impinge_krylov::vector;
use nalgebra::{Vector2, Vector3};

/// Initial `ℓ` (1), 1.05 to 1.2. Lumped linear tetrahedra have `λ_max(D⁻¹A)` a little above 2, a coarse grid adds up to
/// 1, but few steps reach it; `ℓ` then grows to the curvature that exceeded it.
const FIRST_BOUND: f64 = 1.2;

/// Change of a contact in a sweep, as a displacement over its tolerance (1), below which the next sweep leaves it out,
/// 0.03 to 0.1. If all contacts change less, no further sweep follows.
const SETTLED: f64 = 0.1;

/// Outcome of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prediction {
    /// Everything is within tolerance.
    Solved,
    /// The states are predicted; their equalities remain to be solved.
    States,
}

impl Prediction {
    pub(super) fn is_solved(self) -> bool {
        self == Self::Solved
    }
}

/// Measures of one step.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// `‖b − A v⁺ + Jᵀλ⁺ + J_tᵀF⁺‖` (N·s).
    norm: f64,
    /// Curvature of `A` along the step, over that of `M/ℓ`.
    curvature: f64,
    /// Whether the motion turned against the extrapolation.
    turned: bool,
}

impl ActiveSetCr {
    /// Steps until everything is within tolerance, or until the `phase` ends.
    ///
    /// Velocities, forces and states of `solution` are those of the last step.
    pub(super) fn predict(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        phase: &mut Phase,
        report: &mut ContactReport,
    ) -> Prediction {
        report.extra_products += 1;
        if self.begin(problem, solution) < self.settings.tolerances.momentum
            && self.predicted_laws_hold(problem, solution)
        {
            return Prediction::Solved;
        }
        self.prepare_grid(problem, report);

        let mut bound = FIRST_BOUND;
        let mut extrapolation = Extrapolation::default();
        let mut outcome = Prediction::States;
        let mut bound_of_last = None;
        while report.iterations < self.settings.max_iterations {
            if self.interrupt.is_raised() {
                break;
            }
            report.iterations += 1;
            report.prediction_iterations += 1;
            self.step_with_known_forces(problem, solution, bound, extrapolation.beta);
            let changes = self.solve_contacts(problem, solution, bound);
            report.state_changes += changes;
            bound_of_last = Some(bound);
            let Step {
                norm,
                curvature,
                turned,
            } = self.measure_step(problem, solution, bound);
            self.trace.push("prediction", || norm, report);
            if !norm.is_finite() {
                break;
            }
            self.relax_if_overdue(problem, report);
            let closed = norm < self.settings.tolerances.momentum;
            if closed && self.predicted_laws_hold(problem, solution) {
                outcome = Prediction::Solved;
                break;
            }
            phase.note(norm);
            if phase.is_over() {
                break;
            }
            extrapolation.follow(turned, curvature, bound);
            bound = bound.max(curvature);
        }
        if let Some(bound) = bound_of_last {
            self.write_residual(solution, bound);
        }
        self.name_states(problem, solution);
        outcome
    }

    /// Initialises the iterates with the warm start and returns its `‖w r_v‖`.
    fn begin(&mut self, problem: &ContactProblem, solution: &ContactSolution) -> f64 {
        self.work.cr.residual.m.fill(0.0);
        let work = &mut self.prediction;
        work.resize(problem.unknowns());
        work.last.copy_from_slice(&solution.velocity);
        work.y.copy_from_slice(&solution.velocity);
        problem
            .momentum
            .multiply(&work.y, &mut work.ay, &mut self.work.product);
        // The first step does not extrapolate.
        work.a_next.copy_from_slice(&work.ay);
        work.a_last.copy_from_slice(&work.ay);
        let preconditioner = &self.preconditioner;
        work.contacts.begin(
            problem,
            &solution.contacts,
            self.settings.softness,
            |contact| {
                [
                    preconditioner.normal_compliance(contact),
                    preconditioner.tangential_compliance(contact),
                ]
            },
        );
        let r = &mut self.work.cr.residual.v;
        for ((r, b), ay) in r.iter_mut().zip(&problem.rhs).zip(&work.ay) {
            *r = b - ay;
        }
        work.contacts.add_impulses(problem, r);
        problem.momentum_norm(r)
    }

    /// `y ← v⁺ + β (v⁺ − v)`, `v ← v⁺`, and the next `v⁺` for the forces of the last step, in `solution`.
    ///
    /// One pass, because vectors of large problems do not fit into the cache.
    fn step_with_known_forces(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        bound: f64,
        beta: f64,
    ) {
        let work = &mut self.prediction;
        let next = &mut solution.velocity;
        let inverse = self.preconditioner.inverse_diagonal();
        let bounded = 1.0 / bound;
        vector::for_pieces(
            [next, &mut work.y, &mut work.ay, &mut work.last],
            [&work.a_next, &work.a_last, &problem.rhs, inverse],
            &|[next, y, ay, last], [a_next, a_last, b, inverse]| {
                let of_last = next.iter_mut().zip(y).zip(ay).zip(last);
                let known = a_next.iter().zip(a_last).zip(b).zip(inverse);
                for ((((next, y), ay), last), (((a_next, a_last), b), inverse)) in
                    of_last.zip(known)
                {
                    *y = *next + beta * (*next - *last);
                    *ay = a_next + beta * (a_next - a_last);
                    *last = *next;
                    *next = *y + (b - *ay) * (bounded * inverse);
                }
            },
        );
        std::mem::swap(&mut work.a_last, &mut work.a_next);
        if let Some(grid) = self.grid.in_use() {
            let [b, ay] = [&problem.rhs, &work.ay].map(|vector| vector.as_chunks::<3>().0);
            let next = next.as_chunks_mut::<3>().0;
            let correction = work.correction.as_chunks_mut::<3>().0;
            grid.correct(
                |block| Vector3::from(b[block]) - Vector3::from(ay[block]),
                |block, whole| {
                    let bounded = bounded * whole;
                    correction[block] = bounded.into();
                    next[block] = (Vector3::from(next[block]) + bounded).into();
                },
            );
        }
        let metric = Metric::new(inverse, bound, &self.settings.tolerances, self.relaxed);
        work.contacts.push_all(problem, metric, next);
    }

    /// Solves the contacts for their laws and updates `v⁺` in `solution`; returns the number of state changes.
    fn solve_contacts(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        bound: f64,
    ) -> u64 {
        let work = &mut self.prediction;
        let next = &mut solution.velocity;
        let inverse = self.preconditioner.inverse_diagonal();
        let metric = Metric::new(inverse, bound, &self.settings.tolerances, self.relaxed);
        let mut swept = work.contacts.sweep_all(problem, metric, next);
        let mut changes = swept.changes;
        work.further_left += 1;
        for _ in 0..FURTHER_SWEEPS {
            if swept.largest < SETTLED || work.further_left == 0 {
                break;
            }
            work.further_left -= 1;
            swept = work.contacts.sweep_touching(problem, metric, SETTLED, next);
            changes += swept.changes;
        }
        changes
    }

    /// By construction the residual of the step is `(M − A)(v⁺ − y)`: no product with the rows is needed.
    fn measure_step(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
        bound: f64,
    ) -> Step {
        let work = &mut self.prediction;
        let next = &solution.velocity;
        problem
            .momentum
            .multiply(next, &mut work.a_next, &mut self.work.product);
        let vectors: [&[f64]; 8] = [
            next,
            &work.y,
            &work.correction,
            &work.a_next,
            &work.ay,
            self.preconditioner.diagonal(),
            &work.last,
            problem.momentum_weights(),
        ];
        let [square, along_a, along_m, against] =
            vector::sum_pieces(vectors, &|vectors| step_sums(bound, vectors));
        Step {
            norm: square.sqrt(),
            curvature: along_a / along_m,
            turned: against > 0.0,
        }
    }

    /// Writes the residual of the last step.
    fn write_residual(&mut self, solution: &ContactSolution, bound: f64) {
        let work = &self.prediction;
        let vectors = [
            &solution.velocity,
            &work.y,
            &work.correction,
            &work.a_next,
            &work.ay,
        ];
        let [next, y, correction, a_next, ay] = vectors.map(Vec::as_slice);
        let diagonal = self.preconditioner.diagonal();
        for (i, r) in self.work.cr.residual.v.iter_mut().enumerate() {
            *r = bound * (diagonal[i] * (next[i] - y[i] - correction[i])) - (a_next[i] - ay[i]);
        }
    }

    fn predicted_laws_hold(&self, problem: &ContactProblem, solution: &ContactSolution) -> bool {
        let contacts = &self.prediction.contacts;
        self.laws_hold(problem, &solution.velocity, |contact| {
            contacts.force(contact)
        })
    }

    /// States and multipliers of the last step's forces.
    fn name_states(&self, problem: &ContactProblem, solution: &mut ContactSolution) {
        for (contact, multipliers) in solution.contacts.iter_mut().enumerate() {
            let contacts = &self.prediction.contacts;
            let force = contacts.force(contact);
            *multipliers = match contacts.state(contact) {
                ContactState::Inactive => Multipliers::default(),
                ContactState::Sticking if problem.friction(contact) > 0.0 => {
                    Multipliers::sticking(&force)
                }
                // Without friction there is no other estimate of the direction than the last.
                _ if force.yz() == Vector2::zeros() => {
                    Multipliers::sliding(&force, multipliers.slip_direction)
                }
                _ => Multipliers::sliding_against(&force),
            };
        }
    }
}

/// `‖w r‖²`, the squares of the step in `A` and in `M/ℓ`, and how far the motion turned against the extrapolation.
fn step_sums(bound: f64, vectors: [&[f64]; 8]) -> [f64; 4] {
    let [next, y, correction, a_next, ay, diagonal, last, weights] =
        vectors.map(|v| v.as_chunks::<3>().0);
    let [mut square, mut along_a, mut along_m, mut against] = [[0.0_f64; 3]; 4];
    // Sums of their own for the axes: one sum would wait for itself at every term.
    for block in 0..next.len() {
        for axis in 0..3 {
            let step = next[block][axis] - y[block][axis];
            let a_step = a_next[block][axis] - ay[block][axis];
            let m_step = diagonal[block][axis] * (step - correction[block][axis]);
            let r = weights[block][axis] * (bound * m_step - a_step);
            square[axis] += r * r;
            along_a[axis] += step * a_step;
            along_m[axis] += step * m_step;
            against[axis] -= m_step * (next[block][axis] - last[block][axis]);
        }
    }
    [square, along_a, along_m, against].map(|parts| parts.iter().sum())
}
