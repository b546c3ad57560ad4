//! Bodies with a missing momentum, and the contacts that may take it up.

use impinge_contact::{ContactState, Multipliers};
use nalgebra::{Matrix3, Vector3};

/// Share of a contact's normal force that its change may use up (1), 0.25 to 0.9: a correction of the momentum must not
/// end a contact.
pub(super) const MAX_CHANGE: f64 = 0.5;

/// Sides that a link has at most: two bodies, whose translations and rotations count apart.
const MAX_SIDES: usize = 4;

/// Momentum balance of a body; for a rigid body, of its translation or its rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BodyBalance {
    /// Missing momentum (N·s).
    pub(crate) missing: Vector3<f64>,
    /// Momentum gained per unit of velocity (kg); 0 for a body that cannot move as a whole.
    pub(crate) inertia: f64,
}

impl BodyBalance {
    pub(super) fn is_free(&self) -> bool {
        self.inertia > 0.0
    }

    /// The velocity that closes it without a contact (m/s).
    pub(super) fn alone(&self) -> Vector3<f64> {
        if self.is_free() {
            self.missing / self.inertia
        } else {
            Vector3::zeros()
        }
    }
}

/// A contact that carries a force. It resists only if it pushes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    /// Rows on the velocities of its bodies (s): normal, tangents. An impulse is their transpose times the force.
    pub(super) sides: [(u32, Matrix3<f64>); MAX_SIDES],
    /// How many of `sides` count.
    pub(super) count: usize,
    /// Forces before the change.
    pub(super) multipliers: Multipliers,
    /// `μ`.
    friction: f64,
    /// Largest resistance along each axis (N): the normal force, and for each tangent the margin of friction to the
    /// edge of the cone. 0 unless the contact pushes.
    pub(super) capacity: Vector3<f64>,
}

impl Link {
    /// A contact with its forces and coefficient of friction.
    pub(crate) fn new(multipliers: &Multipliers, friction: f64) -> Self {
        let [f1, f2] = multipliers.friction_force();
        let slack = match multipliers.state {
            ContactState::Sticking => (friction * multipliers.lambda - f1.hypot(f2)).max(0.0),
            _ => 0.0,
        };
        let pushes = multipliers.state != ContactState::Inactive && multipliers.lambda > 0.0;
        let capacity = Vector3::new(multipliers.lambda, slack, slack);
        Self {
            sides: Default::default(),
            count: 0,
            multipliers: *multipliers,
            friction,
            capacity: if pushes { capacity } else { Vector3::zeros() },
        }
    }

    /// Adds rows on a point of `body`; there are at most [`MAX_SIDES`] bodies.
    pub(crate) fn add(&mut self, body: usize, rows: &Matrix3<f64>) {
        let body = body as u32;
        let known = self.sides().iter().position(|side| side.0 == body);
        debug_assert!(known.is_some() || self.count < MAX_SIDES, "two bodies");
        let at = known.unwrap_or(self.count.min(MAX_SIDES - 1));
        self.count = self.count.max(at + 1);
        self.sides[at].0 = body;
        self.sides[at].1 += rows;
    }

    pub(super) fn sides(&self) -> &[(u32, Matrix3<f64>)] {
        &self.sides[..self.count]
    }

    /// Impulses of its forces before the change on each of its bodies (N·s).
    pub(crate) fn impulses(&self) -> impl Iterator<Item = (usize, Vector3<f64>)> {
        let force = self.multipliers.force();
        (self.sides().iter()).map(move |(body, rows)| (*body as usize, rows.tr_mul(&force)))
    }

    /// The same link between bodies with other numbers.
    pub(super) fn renumbered(&self, number: impl Fn(u32) -> u32) -> Self {
        let mut link = *self;
        for side in &mut link.sides[..self.count] {
            side.0 = number(side.0);
        }
        link
    }

    pub(super) fn bodies(&self) -> impl Iterator<Item = usize> {
        self.sides().iter().map(|side| side.0 as usize)
    }

    /// Change of the force (N) with the velocities, for springs of `stiffness` (1/m) times `capacity`.
    pub(super) fn force(&self, velocities: &[Vector3<f64>], stiffness: f64) -> Vector3<f64> {
        let moved: Vector3<f64> = (self.sides().iter())
            .map(|(body, rows)| rows * velocities[*body as usize])
            .sum();
        -self.capacity.component_mul(&moved) * stiffness
    }

    /// Drops the capacity that `change` exceeds: all of it, or that of friction alone if friction would leave the cone.
    /// Returns whether there was any.
    pub(super) fn release(&mut self, change: &Vector3<f64>) -> bool {
        let lambda = self.multipliers.lambda;
        if change[0].abs() > MAX_CHANGE * self.capacity[0] {
            self.capacity = Vector3::zeros();
            return true;
        }
        let [f1, f2] = self.multipliers.friction_force();
        let friction_force = (f1 + change[1]).hypot(f2 + change[2]);
        let sticks = self.capacity[1] > 0.0;
        let beyond = sticks && friction_force > self.friction * (lambda + change[0]);
        if beyond {
            (self.capacity[1], self.capacity[2]) = (0.0, 0.0);
        }
        beyond
    }
}
