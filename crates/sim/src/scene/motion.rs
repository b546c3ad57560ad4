//! Prescribed rigid motions.

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// A centre that moves at constant velocity, and a turn about it at constant angular velocity.
///
/// `x(t) = c + v t + exp(ω t) (X − c)` for the point that is at `X` at time 0: exact for any `t`, no step is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RigidMotion {
    /// Velocity `v` of the centre (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity `ω` (rad/s).
    pub angular_velocity: Vector3<f64>,
    /// Centre `c` at time 0 (m).
    pub center: Vector3<f64>,
    /// When it lets go of what it moves (s); `None` for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

impl RigidMotion {
    /// The motion that stands still.
    pub fn rest() -> Self {
        Self {
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            center: Vector3::zeros(),
            until: None,
        }
    }

    /// Whether it has let go at `time` (s). Times of steps are sums: `until` counts as reached within their rounding.
    pub fn has_ended(&self, time: f64) -> bool {
        self.until.is_some_and(|until| time >= until * (1.0 - 1e-9))
    }

    /// Whether nothing moves.
    pub fn is_rest(&self) -> bool {
        self.velocity == Vector3::zeros() && self.angular_velocity == Vector3::zeros()
    }

    /// Where the point that is at `start` (m) at time 0 is at `time` (s); `start` itself, bit for bit, at rest.
    pub fn position_at(&self, start: &Vector3<f64>, time: f64) -> Vector3<f64> {
        if self.is_rest() {
            return *start;
        }
        if self.angular_velocity == Vector3::zeros() {
            return start + self.velocity * time;
        }
        let turn = UnitQuaternion::from_scaled_axis(self.angular_velocity * time);
        self.center + self.velocity * time + turn * (start - self.center)
    }

    /// Velocity (m/s) at `time` (s) of the point that is at `start` (m) at time 0.
    pub fn velocity_at(&self, start: &Vector3<f64>, time: f64) -> Vector3<f64> {
        let arm = self.position_at(start, time) - (self.center + self.velocity * time);
        self.velocity + self.angular_velocity.cross(&arm)
    }
}
