//! The free flight of all points in a step.

use super::turn::{Turn, is_free_in, turns};
use crate::model::Model;
use crate::state::State;
use nalgebra::Vector3;

/// Data of a flight on the points that move to second order.
#[derive(Debug, Default)]
pub(super) struct SecondOrder {
    /// `c/h`; 0 in a step of implicit Euler.
    pub(super) ratio: f64,
    /// `h` (s).
    pub(super) time_step: f64,
    /// `κ` of every point.
    pub(super) ratios: Vec<f64>,
    /// `δ` and `d₋` of every point (m/s).
    pub(super) leads: Vec<Vector3<f64>>,
    pub(super) lags: Vec<Vector3<f64>>,
    /// Points and rigid bodies that a constraint touches, once they are known.
    pub(super) constrained: Option<[Vec<bool>; 2]>,
    /// Components with a free point that no constraint touches: the others fly as with implicit Euler.
    pub(super) moves: Vec<bool>,
}

/// The free flight of all points in one step. Memory is kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    pub(super) turns: Vec<Option<Turn>>,
    /// `x_R`, where elastic forces are linearised (m): the start of the step for points that fly straight.
    pub(super) positions: Vec<Vector3<f64>>,
    /// `v_c + R u − h a`, the velocity that the momentum equation starts from (m/s): `v` for points that fly straight.
    pub(super) velocities: Vec<Vector3<f64>>,
    /// `w_R` in the order of the unknowns (m/s).
    pub(super) chords: Vec<f64>,
    /// `ω₊ × R r − w_R` of every point (m/s), the excess of velocities at the end over the mean, or `1 + κ` times it.
    pub(super) gains: Vec<Vector3<f64>>,
    /// Of the points that move to second order.
    pub(super) second_order: SecondOrder,
}

impl Flight {
    /// Plans the flight from a state in a step of `time_step` (s).
    pub(crate) fn plan(&mut self, model: &Model, state: &State, time_step: f64) {
        let (positions, velocities) = (&state.positions, &state.velocities);
        self.positions.clear();
        self.positions.extend_from_slice(positions);
        self.velocities.clear();
        self.velocities.extend_from_slice(velocities);
        self.gains.clear();
        self.gains.resize(positions.len(), Vector3::zeros());
        self.chords.clear();
        self.chords.resize(3 * model.blocks(), 0.0);
        self.turns = turns(model, is_free_in(model), [positions, velocities], time_step);
        self.turn(model, state, time_step);
        self.plan_second_order(model, state, time_step);
    }

    fn turn(&mut self, model: &Model, state: &State, time_step: f64) {
        if !self.turns() {
            return;
        }
        let (positions, velocities) = (&state.positions, &state.velocities);
        for (block, &point) in model.unknowns.point_of_block.iter().enumerate() {
            let point = point as usize;
            let Some(turn) = self.of_point(model, point) else {
                continue;
            };
            let (x, v) = (&positions[point], &velocities[point]);
            let chord = turn.chord_velocity(x);
            self.positions[point] = x + chord * time_step;
            self.velocities[point] = turn.start_velocity(x, v);
            self.gains[point] = turn.gain(x);
            self.chords[3 * block..][..3].copy_from_slice(chord.as_slice());
        }
    }

    pub(super) fn of_point(&self, model: &Model, point: usize) -> Option<Turn> {
        (model.components.of_point(point)).and_then(|component| self.turns[component])
    }

    /// Whether any component turns.
    pub(crate) fn turns(&self) -> bool {
        self.turns.iter().any(Option::is_some)
    }

    /// Whether a component turns.
    pub(crate) fn is_turning(&self, component: usize) -> bool {
        self.turns[component].is_some()
    }

    /// `x_R` of all points (m).
    pub(crate) fn positions(&self) -> &[Vector3<f64>] {
        &self.positions
    }

    /// `v_c + R u − h a` of all points (m/s), or the start of a step of second order.
    pub(crate) fn velocities(&self) -> &[Vector3<f64>] {
        &self.velocities
    }

    /// `w_R` in the order of the unknowns (m/s).
    pub(crate) fn chords(&self) -> &[f64] {
        &self.chords
    }

    /// `ω₊ × R r` of a free node with the unknowns of `block` (m/s), its velocity at the end without `w − w_R`.
    pub(crate) fn end_velocity(&self, block: usize, point: usize) -> Vector3<f64> {
        let chord = Vector3::from_column_slice(&self.chords[3 * block..][..3]);
        self.gains[point] + chord * (1.0 + self.ratio(point))
    }
}
