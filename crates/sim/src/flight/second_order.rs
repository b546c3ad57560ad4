//! The second-order step: BDF2, with a momentum of its own for every point.
//!
//! # Equations
//! Beside its velocity `v` a point has the leading velocity `ℓ`, whose momentum `m ℓ` every impulse changes at once:
//! `ℓ₊ = ℓ + h F/m`. Velocity and position follow it with the delay `c`, by the same rule. `w = (x₊ − x)/h` is the mean
//! velocity of a step, and `w₋` that of the last one:
//!
//! ```text
//! v₊ = (c v + h ℓ₊)/(c + h)          w = (c w₋ + h v₊)/(c + h)
//! ```
//!
//! With `c = h/2` this is BDF2, `3/2 v₊ − 2 v + 1/2 v₋ = h F/m` and `3/2 x₊ − 2 x + 1/2 x₋ = h v₊`; with `c = 0` it is
//! implicit Euler. A step whose length differs from the last one is of first order; a longer delay would be unstable.
//! With `κ = c/h`, which is 1/2 or 0, the momentum equation of a point is
//!
//! ```text
//! (1 + κ)² m w = m (ℓ + κ v + κ (1 + κ) w₋) + h F          v₊ = (1 + κ) w − κ w₋
//! ```
//!
//! Stiffness damping acts on `3/2 w − 1/2 w₋`, whatever `κ`: its matrix stays symmetric.
//!
//! # Where it is not used
//! A velocity that jumps would rebound, and a force whose direction lags behind would feed energy in. So the points and
//! rigid bodies of a contact, whether it pushes or not, have `κ = 0` in the step. So have those of constraints that are
//! one-sided or damped, or whose forces keep the direction of the start for lack of geometric stiffness. No momentum is
//! lost where neighbours have another `κ`, because they exchange `m ℓ`.
//!
//! # Start
//! `ℓ` starts half a step ahead of `v`: the first step is one of implicit Euler, after which `ℓ` is ahead by `c` times
//! its mean acceleration. Where a contact touches the component, or one that constraints connect to it, that may be
//! the acceleration of an impact, and `ℓ` starts from `v`. A force that jumps later on acts half a step late.
//!
//! # Components that turn
//! There the rule holds for the deviation from the free [flight](super) of the component, extended backwards by the
//! last step: with `u = v − v_c − ω × r`, the mean deviation `d₋ = w₋ − (r − R₋ r)/h₋`, and the lead of the deviation
//! `δ = ℓ − v − 1/2 (ω × r − ω₋ × R₋ r)`,
//!
//! ```text
//! (1 + κ)² m (w − w_R) = m ((1 + κ) (v_c + u) + δ + κ (1 + κ) d₋ − h a) + h F
//! v₊ = ω₊ × R r + (1 + κ) (w − w_R) − κ d₋                   a = ω̇₊ × R r + ω₊ × (ω₊ × R r)
//! ```
//!
//! This is BDF2 without its error along the free flight, which is linear in `r`, so that it adds no momentum. A point
//! with `κ = 0` keeps the lead of its turn. A component of such points alone flies as with implicit Euler.

use super::points::Flight;
use super::turn::{Turn, is_free_in, turns};
use crate::history::History;
use crate::model::Model;
use crate::scene::Integrator;
use crate::state::State;
use impinge_contact::constraint::{Constraint, GeometricStiffness, Term};
use impinge_fem::AssemblyScales;
use nalgebra::Vector3;
use std::ops::Range;

/// `κ` of BDF2 (1), the only one of second order. A larger one lets the energy of a divided step grow, a smaller one
/// damps more.
const RATIO: f64 = 0.5;

/// Whether a model has steps of second order.
pub(crate) fn is_of_second_order(model: &Model) -> bool {
    model.settings.integrator == Integrator::Bdf2
}

/// `κ (v₊ − v)`, the lead of momentum over the mass after a step with that change of velocity (m/s).
pub(crate) fn lead(change: Vector3<f64>) -> Vector3<f64> {
    change * RATIO
}

/// The free flight of a component before the step.
#[derive(Debug, Clone, Copy)]
struct Before {
    /// The turn that leads there, backwards in time.
    turn: Turn,
}

impl Before {
    /// `(r − R₋ r)/h₋` of a point at `x` (m/s).
    fn chord(&self, x: &Vector3<f64>) -> Vector3<f64> {
        -self.turn.chord_velocity(x)
    }

    /// `1/2 (ω × r − ω₋ × R₋ r)` (m/s).
    fn lead(&self, x: &Vector3<f64>) -> Vector3<f64> {
        // Backwards, `ω₋` has the opposite sign, and so has `ω`.
        lead(self.turn.end_velocity(x) - self.turn.turning(x))
    }
}

impl Turn {
    /// `ω × r` of a point at `x` (m/s).
    fn turning(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.start_spin.cross(&(x - self.center))
    }

    /// `a` of a point at `x` (m/s²).
    fn end_acceleration(&self, x: &Vector3<f64>) -> Vector3<f64> {
        let arm = self.rotation * (x - self.center);
        let spin = &self.end_spin;
        self.end_spin_rate.cross(&arm) + spin.cross(&spin.cross(&arm))
    }
}

/// Velocities of all points in a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepVelocities<'a> {
    /// At the end of the step (m/s).
    pub(crate) end: &'a [Vector3<f64>],
    /// Mean velocities (m/s).
    pub(crate) means: &'a [Vector3<f64>],
    /// Length of the step (s).
    pub(crate) time_step: f64,
}

impl Flight {
    /// Whether any point may move to second order.
    pub(crate) fn is_second_order(&self) -> bool {
        self.second_order.ratio > 0.0
    }

    /// `κ` of a point.
    pub(crate) fn ratio(&self, point: usize) -> f64 {
        let ratios = &self.second_order.ratios;
        ratios.get(point).copied().unwrap_or(0.0)
    }

    /// Whether all free points of a body, which has these points, move to second order.
    pub(crate) fn is_all_second_order(&self, model: &Model, points: Range<usize>) -> bool {
        let is_of_first = |point: usize| {
            model.unknowns.block_of_point[point].is_some() && self.ratio(point) <= 0.0
        };
        self.is_second_order() && !points.into_iter().any(is_of_first)
    }

    /// `c/h`; 0 in a step of implicit Euler.
    pub(crate) fn largest_ratio(&self) -> f64 {
        self.second_order.ratio
    }

    /// Factors of the momentum matrix in a step of `h` (s).
    pub(crate) fn scales(&self, h: f64) -> AssemblyScales {
        let mut scales = AssemblyScales::implicit_euler(h);
        scales.damping *= 1.0 + self.second_order.ratio;
        scales
    }

    /// Part of the deviation of a point without stiffness damping, `κ/(1 + κ) d₋` with the largest `κ` (m/s).
    pub(crate) fn undamped(&self, point: usize) -> Vector3<f64> {
        let own = &self.second_order;
        if own.ratio > 0.0 {
            own.lags[point] * (own.ratio / (1.0 + own.ratio))
        } else {
            Vector3::zeros()
        }
    }

    /// `v₊` of a point with the mean velocity `w` (m/s).
    pub(crate) fn end_of(&self, point: usize, mean: &Vector3<f64>) -> Vector3<f64> {
        mean * (1.0 + self.ratio(point)) + self.gains[point]
    }

    /// `w` of a point that ends with the velocity `v₊` (m/s).
    pub(crate) fn mean_of(&self, point: usize, end: &Vector3<f64>) -> Vector3<f64> {
        (end - self.gains[point]) / (1.0 + self.ratio(point))
    }

    /// `h F/m` of a free node that moves with the mean velocity `w` (m/s).
    pub(crate) fn impulse_of(
        &self,
        block: usize,
        point: usize,
        mean: &Vector3<f64>,
    ) -> Vector3<f64> {
        let inertia = (1.0 + self.ratio(point)).powi(2);
        (mean - self.chord(block)) * inertia - self.velocities[point]
    }

    /// Whether a constraint touches a free rigid body.
    pub(crate) fn is_constrained(&mut self, model: &Model, rigid: usize) -> bool {
        let constrained = &mut self.second_order.constrained;
        constrained.get_or_insert_with(|| constrained_of(model))[1][rigid]
    }

    /// Plans the points that move to second order; all others are planned already.
    pub(super) fn plan_second_order(&mut self, model: &Model, state: &State, time_step: f64) {
        let own = &mut self.second_order;
        own.time_step = time_step;
        own.ratios.clear();
        own.ratio = if state.history.is_empty() { 0.0 } else { RATIO };
        if !is_of_second_order(model) {
            return;
        }
        let constrained = (own.constrained.take()).unwrap_or_else(|| constrained_of(model));
        find_moves(&mut own.moves, model, &constrained[0]);
        if own.ratio <= 0.0 {
            own.constrained = Some(constrained);
            return;
        }
        own.ratios.resize(state.positions.len(), 0.0);
        let History {
            leads,
            means,
            time_step: last_step,
            ..
        } = &state.history;
        own.leads.clone_from(leads);
        own.lags.clone_from(means);
        let ratio = own.ratio;
        let before: Vec<Option<Before>> = if self.turns() {
            let reversed: Vec<_> = state.velocities.iter().map(|v| -v).collect();
            let turns = turns(
                model,
                is_free_in(model),
                [&state.positions, &reversed],
                *last_step,
            );
            (turns.into_iter())
                .map(|turn| turn.map(|turn| Before { turn }))
                .collect()
        } else {
            vec![None; model.components.count()]
        };
        for (block, &point) in model.unknowns.point_of_block.iter().enumerate() {
            let point = point as usize;
            let component = model.components.of_point(point);
            if let Some(turn) = self.of_point(model, point) {
                let x = &state.positions[point];
                match component.and_then(|component| before[component]) {
                    Some(before) => {
                        self.second_order.leads[point] -= before.lead(x);
                        self.second_order.lags[point] -= before.chord(x);
                    }
                    // It turned too far in the last step: the present deviation stands in for the last one.
                    None => {
                        self.second_order.lags[point] = state.velocities[point] - turn.turning(x);
                    }
                }
            }
            if component.is_some_and(|component| self.second_order.moves[component]) {
                let ratio = if constrained[0][point] { 0.0 } else { ratio };
                self.set_ratio(model, state, block, ratio);
            }
        }
        self.second_order.constrained = Some(constrained);
    }

    /// Lets the free point with the unknowns of `block` move by implicit Euler. Returns its former `κ`, or `None` if it
    /// already moves so.
    pub(crate) fn move_by_euler(
        &mut self,
        model: &Model,
        state: &State,
        block: usize,
    ) -> Option<f64> {
        let ratio = self.ratio(model.unknowns.point_of_block[block] as usize);
        (ratio > 0.0).then(|| {
            self.set_ratio(model, state, block, 0.0);
            ratio
        })
    }

    /// Sets the start and the gain of the free point with the unknowns of `block` for a `κ`.
    pub(crate) fn set_ratio(&mut self, model: &Model, state: &State, block: usize, ratio: f64) {
        let point = model.unknowns.point_of_block[block] as usize;
        let (x, v) = (&state.positions[point], &state.velocities[point]);
        let own = &self.second_order;
        let (lead, lag) = (own.leads[point], own.lags[point]);
        let lagged = lag * (ratio * (1.0 + ratio));
        let (start, gain) = match self.of_point(model, point) {
            None => (v * (1.0 + ratio), Vector3::zeros()),
            Some(turn) => (
                (v - turn.turning(x)) * (1.0 + ratio) - turn.end_acceleration(x) * own.time_step,
                turn.end_velocity(x) - self.chord(block) * (1.0 + ratio),
            ),
        };
        self.velocities[point] = start + lead + lagged;
        self.gains[point] = gain - lag * ratio;
        self.second_order.ratios[point] = ratio;
    }

    /// History of the points for the next step: `state` is that before the step. `touched`, needed after a first step
    /// only, marks the points of components with a contact.
    pub(crate) fn leave(
        &self,
        model: &Model,
        state: &State,
        step: StepVelocities<'_>,
        touched: Option<&[bool]>,
    ) -> History {
        let StepVelocities {
            end: velocities,
            means,
            time_step,
        } = step;
        let largest = RATIO;
        let mut leads = vec![Vector3::zeros(); means.len()];
        let mut is_touched = vec![touched.is_none(); model.components.count()];
        if let Some(touched) = touched {
            for &point in &model.unknowns.point_of_block {
                if let Some(component) = model.components.of_point(point as usize) {
                    is_touched[component] |= touched[point as usize];
                }
            }
        }
        for (point, (end, start)) in velocities.iter().zip(&state.velocities).enumerate() {
            if model.unknowns.motion_of_point[point].is_prescribed() {
                leads[point] = lead(end - start);
            }
        }
        for &point in &model.unknowns.point_of_block {
            let point = point as usize;
            let component = model.components.of_point(point);
            let Some(component) = component.filter(|&one| self.second_order.moves[one]) else {
                continue;
            };
            let ratio = if is_touched[component] {
                self.ratio(point)
            } else {
                largest
            };
            let change = velocities[point] - state.velocities[point];
            leads[point] = change * ratio;
            if let Some(turn) = self.of_point(model, point) {
                let x = &state.positions[point];
                leads[point] += (turn.end_velocity(x) - turn.turning(x)) * (largest - ratio);
            }
        }
        History {
            leads,
            means: means.to_vec(),
            rigid: Vec::new(),
            time_step,
        }
    }

    /// `w_R` of a free node (m/s).
    fn chord(&self, block: usize) -> Vector3<f64> {
        Vector3::from_column_slice(&self.chords[3 * block..][..3])
    }
}

/// Finds the components with a free point that is not `constrained`.
fn find_moves(moves: &mut Vec<bool>, model: &Model, constrained: &[bool]) {
    moves.clear();
    moves.resize(model.components.count(), false);
    for &point in &model.unknowns.point_of_block {
        if let Some(component) = model.components.of_point(point as usize) {
            moves[component] |= !constrained[point as usize];
        }
    }
}

/// The points and the free rigid bodies that move by implicit Euler because of a constraint: one that acts in one
/// direction, is damped, or has no geometric stiffness, so that its force keeps the direction of the start.
fn constrained_of(model: &Model) -> [Vec<bool>; 2] {
    let mut points = vec![false; model.points.rest.len()];
    let mut rigid = vec![false; model.rigid.len()];
    let constraints = &model.constraints;
    let lags = constraints.geometric_stiffness == GeometricStiffness::None;
    let of_rows = constraints.rows.iter().map(|one| (one, lags));
    let of_soft = constraints.soft.iter().map(|one| (one, false));
    let all = (of_rows.chain(of_soft))
        .filter(|(one, lags)| *lags || one.unilateral || one.damping > 0.0)
        .map(|(one, _)| one);
    for term in (all.flat_map(Constraint::points)).flat_map(|point| &point.terms) {
        match *term {
            Term::Particle { index, .. } => points[index] = true,
            Term::Body { index, .. } => rigid[index] = true,
        }
    }
    [points, rigid]
}
