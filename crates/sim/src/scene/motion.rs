//! Prescribed rigid motions.

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::format::is_default;

/// A centre with constant velocity and a rotation about it with constant angular velocity, which may change at given
/// times.
///
/// `x(t) = c + s(t) + R(t) (X − c)` for the point that is at `X` at time 0. `s` sums `v` times the duration, and `R`
/// multiplies the rotations `exp(ω` times the duration`)`, over all legs up to `t`. The result is exact for any `t`: no
/// time steps are summed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RigidMotion {
    /// Velocity `v` of the centre (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity `ω` (rad/s).
    pub angular_velocity: Vector3<f64>,
    /// Centre `c` at time 0 (m).
    pub center: Vector3<f64>,
    /// Time at which it releases its points (s); `None` for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Later velocities, ascending by time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<MotionLeg>,
    /// Start of the first leg.
    #[serde(default, skip_serializing_if = "is_default")]
    pub start: MotionStart,
}

/// Time and place at which the first leg of a [`RigidMotion`] begins: those of a change by a program, otherwise time 0
/// and no displacement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MotionStart {
    /// Start time (s).
    pub at: f64,
    /// Displacement of the centre up to then (m).
    pub shift: Vector3<f64>,
    /// Rotation up to then.
    pub turn: UnitQuaternion<f64>,
    /// Whether a program chose it: the centre then has a meaning also at rest.
    #[serde(default)]
    pub by_program: bool,
}

impl Default for MotionStart {
    fn default() -> Self {
        Self {
            at: 0.0,
            shift: Vector3::zeros(),
            turn: UnitQuaternion::identity(),
            by_program: false,
        }
    }
}

/// The velocities of a [`RigidMotion`] from a given time on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MotionLeg {
    /// Start time (s).
    pub at: f64,
    /// Velocity of the centre (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity (rad/s).
    pub angular_velocity: Vector3<f64>,
}

impl RigidMotion {
    /// The motion at rest.
    pub fn rest() -> Self {
        Self {
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            center: Vector3::zeros(),
            until: None,
            then: Vec::new(),
            start: MotionStart::default(),
        }
    }

    /// Replaces the velocities from `time` (s) on, without a jump of the place. `velocity` is that of the centre (m/s),
    /// `angular_velocity` in rad/s.
    pub fn redirect(&mut self, time: f64, velocity: Vector3<f64>, angular_velocity: Vector3<f64>) {
        self.start = MotionStart {
            at: time,
            shift: self.shift_at(time),
            turn: self.turn_at(time).unwrap_or_default(),
            by_program: true,
        };
        self.velocity = velocity;
        self.angular_velocity = angular_velocity;
        self.then.clear();
    }

    /// Makes the point that is at `place` (m) at `time` (s) the centre, without a change of the motion at that time.
    pub fn recenter(&mut self, time: f64, place: Vector3<f64>) {
        let (velocity, spin) = self.velocities_at(time);
        let old = self.center + self.shift_at(time);
        self.redirect(time, velocity + spin.cross(&(place - old)), spin);
        self.center += self.start.turn.inverse() * (place - old);
        self.start.shift = place - self.center;
    }

    /// Whether it has ended at `time` (s). Times of steps are sums: `until` counts as reached within their rounding.
    pub fn has_ended(&self, time: f64) -> bool {
        self.until.is_some_and(|until| time >= until * (1.0 - 1e-9))
    }

    /// Whether it never moves.
    pub fn is_rest(&self) -> bool {
        let still = |leg: MotionLeg| {
            leg.velocity == Vector3::zeros() && leg.angular_velocity == Vector3::zeros()
        };
        is_default(&self.start) && self.legs().all(still)
    }

    /// Largest speed of the centre in all legs (m/s).
    pub fn fastest_move(&self) -> f64 {
        let speeds = self.legs().map(|leg| leg.velocity.norm());
        speeds.fold(0.0, f64::max)
    }

    /// Largest angular speed of all legs (rad/s).
    pub fn fastest_turn(&self) -> f64 {
        let speeds = self.legs().map(|leg| leg.angular_velocity.norm());
        speeds.fold(0.0, f64::max)
    }

    /// Largest angular speed of the legs between two times (rad/s).
    pub fn fastest_turn_between(&self, from: f64, to: f64) -> f64 {
        if self.has_ended(from) {
            return 0.0;
        }
        self.spans()
            .filter(|(leg, end)| leg.at < to && *end > from)
            .map(|(leg, _)| leg.angular_velocity.norm())
            .fold(0.0, f64::max)
    }

    /// Displacement `s` (m) of the centre at `time` (s).
    pub fn shift_at(&self, time: f64) -> Vector3<f64> {
        let parts = self.until_now(time);
        parts.fold(self.start.shift, |sum, (leg, duration)| {
            sum + leg.velocity * duration
        })
    }

    /// The rotation `R` up to `time` (s); `None` for no rotation.
    pub fn turn_at(&self, time: f64) -> Option<UnitQuaternion<f64>> {
        let turning = self
            .until_now(time)
            .filter(|(leg, _)| leg.angular_velocity != Vector3::zeros());
        let turned = Some(self.start.turn).filter(|turn| *turn != UnitQuaternion::identity());
        turned
            .into_iter()
            .chain(turning.map(|(leg, duration)| {
                UnitQuaternion::from_scaled_axis(leg.angular_velocity * duration)
            }))
            .reduce(|before, after| after * before)
    }

    /// Velocity of the centre (m/s) and angular velocity (rad/s) at `time` (s); at the start of a leg, those of that
    /// leg.
    pub fn velocities_at(&self, time: f64) -> (Vector3<f64>, Vector3<f64>) {
        let begun = self.then.iter().rev().find(|leg| leg.at <= time);
        begun.map_or((self.velocity, self.angular_velocity), |leg| {
            (leg.velocity, leg.angular_velocity)
        })
    }

    /// Position at `time` (s) of the point that is at `start` (m) at time 0. Without motion it is `start`, bit for bit.
    pub fn position_at(&self, start: &Vector3<f64>, time: f64) -> Vector3<f64> {
        let shift = self.shift_at(time);
        match self.turn_at(time) {
            None => start + shift,
            Some(turn) => self.center + shift + turn * (start - self.center),
        }
    }

    /// Velocity (m/s) at `time` (s) of the point that is at `start` (m) at time 0.
    pub fn velocity_at(&self, start: &Vector3<f64>, time: f64) -> Vector3<f64> {
        let (velocity, angular_velocity) = self.velocities_at(time);
        let arm = self.position_at(start, time) - (self.center + self.shift_at(time));
        velocity + angular_velocity.cross(&arm)
    }

    /// The first leg and those after it.
    fn legs(&self) -> impl Iterator<Item = MotionLeg> {
        let first = MotionLeg {
            at: self.start.at,
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
        };
        std::iter::once(first).chain(self.then.iter().copied())
    }

    /// The legs, each with its end (s).
    fn spans(&self) -> impl Iterator<Item = (MotionLeg, f64)> {
        let ends = self.then.iter().map(|leg| leg.at).chain([f64::INFINITY]);
        self.legs().zip(ends)
    }

    /// The legs that have begun at `time` (s), each with its duration up to then (s).
    fn until_now(&self, time: f64) -> impl Iterator<Item = (MotionLeg, f64)> {
        self.spans()
            .take_while(move |(leg, _)| leg.at <= self.start.at || leg.at < time)
            .map(move |(leg, end)| (leg, time.min(end) - leg.at))
    }
}
