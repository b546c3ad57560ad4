//! One joint: its rows at the present tick and its impulse.

use super::unknowns::{Blocks, Movers, Places};
use crate::scene::Signal;
use crate::stepper::asynchronous::system::ClockedJoint;
use impinge_contact::constraint::law::MOST_ROWS;
use impinge_contact::constraint::{Constraint, Evaluation, Placement};
use nalgebra::SVector;

/// Values of the rows of a joint.
pub(in super::super) type Rows = SVector<f64, MOST_ROWS>;

/// A joint and its rows at the present tick.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) constraint: Constraint,
    /// Change of its `φ` since time 0 (m, rad), by a length or limit.
    change: Option<Signal<f64>>,
    /// Its rows at the present tick, and its value there or at the next one.
    pub(super) at: Evaluation,
    /// Its place among the joints of the scene.
    pub(super) index: usize,
    /// `p`: impulse at the last tick and since then (N s), for joints without compliance.
    pub(super) impulse: Rows,
    /// Expected impulse of the next tick (N s).
    pub(super) expected: Rows,
    /// Mean force between the last two ticks (N).
    pub(super) force: Rows,
}

impl Joint {
    pub(super) fn new(
        ClockedJoint {
            constraint,
            change,
            index,
        }: ClockedJoint,
    ) -> Self {
        Self {
            constraint,
            change,
            at: Evaluation::default(),
            index,
            impulse: Rows::zeros(),
            expected: Rows::zeros(),
            force: Rows::zeros(),
        }
    }

    /// Computes `φ` and its rows at `time` (s).
    pub(super) fn evaluate(&mut self, placement: &Placement<'_>, time: f64) {
        self.at.rows(&self.constraint, placement);
        self.take_change(time);
    }

    /// Computes `φ` alone, at `time` (s).
    pub(super) fn look_ahead(&mut self, ahead: &Places, time: f64) {
        self.at.values(&self.constraint, &ahead.configuration());
        self.take_change(time);
    }

    fn take_change(&mut self, time: f64) {
        if let Some(change) = &self.change {
            self.at.value[0] += change.at(time);
        }
    }

    /// The largest misfit of a row (m, rad): of a one-sided row, where it is violated or exerts a force.
    pub(super) fn misfit(&self) -> f64 {
        let of_row = |(row, &value): (usize, &f64)| {
            if self.pulls(row) { value.abs() } else { -value }
        };
        (self.at.value.iter().enumerate())
            .map(of_row)
            // `f64::max` would drop a NaN.
            .fold(0.0, |most, misfit| {
                if misfit > most || misfit.is_nan() {
                    misfit
                } else {
                    most
                }
            })
    }

    /// Whether a row is two-sided or has an impulse.
    fn pulls(&self, row: usize) -> bool {
        !self.constraint.unilateral || self.impulse[row] > 0.0
    }

    /// Whether each row pulls, and its value.
    pub(super) fn rows(&self) -> impl Iterator<Item = (bool, f64)> {
        let values = self.at.value.iter().enumerate();
        values.map(|(row, &value)| (self.pulls(row), value))
    }

    /// Changes its impulse, one-sided rows no farther than to 0. Returns the change.
    pub(super) fn add(&mut self, change: &[f64]) -> Rows {
        let before = self.impulse;
        for (impulse, change) in self.impulse.iter_mut().zip(change) {
            *impulse += change;
            if self.constraint.unilateral {
                *impulse = impulse.max(0.0);
            }
        }
        self.impulse - before
    }

    /// `λ = −C⁻¹ φ` of a joint with compliance (N).
    pub(super) fn force_of_spring(&self) -> Rows {
        let mut force = Rows::zeros();
        write_force(&self.constraint, &self.at, force.as_mut_slice());
        force
    }

    /// Applies `Jᵀ p` of an impulse `p` (N s).
    pub(super) fn kick(&self, impulse: &Rows, blocks: &Blocks, movers: &mut Movers<'_>) {
        if *impulse == Rows::zeros() {
            return;
        }
        let count = self.at.blocks.len();
        for (place, &block) in self.at.blocks.iter().enumerate() {
            let of_rows = (0..self.at.value.len())
                .map(|row| self.at.jacobian[row * count + place] * impulse[row]);
            movers.kick(blocks.meaning(block), &of_rows.sum());
        }
    }
}

/// Writes `λ = −C⁻¹ φ`, the force of a joint with compliance at an evaluation (N), one entry per row.
pub(in super::super) fn write_force(constraint: &Constraint, at: &Evaluation, force: &mut [f64]) {
    let Some(stiffness) = constraint.stiffness() else {
        return;
    };
    let rows = at.value.len();
    for (row, force) in force.iter_mut().enumerate().take(rows) {
        let of_value = |s: usize| stiffness[(row, s)] * at.value[s];
        *force = -(0..rows).map(of_value).sum::<f64>();
        if constraint.unilateral {
            *force = force.max(0.0);
        }
    }
}
