//! Vertices on piecewise linear trajectories.

use nalgebra::Vector3;

/// A vertex with its own time: `q(t) = q + v (t − τ)` for `t ≥ τ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// `q`: position at `τ` (m).
    pub position: Vector3<f64>,
    /// `τ`: time of the last event that moved it (s).
    pub time: f64,
    /// `v`: velocity since `τ` (m/s).
    pub velocity: Vector3<f64>,
    /// `1/m` (1/kg); 0 for a prescribed vertex, and for one of a free rigid body.
    pub inverse_mass: f64,
}

impl Vertex {
    /// `q(t)` (m). The vertex does not change, so that evaluation has no influence on later rounding.
    #[inline]
    pub fn at(&self, time: f64) -> Vector3<f64> {
        self.position + self.velocity * (time - self.time)
    }

    /// Whether position and velocity are finite.
    pub(super) fn is_finite(&self) -> bool {
        let finite = |x: &Vector3<f64>| x.iter().all(|component| component.is_finite());
        finite(&self.position) && finite(&self.velocity)
    }

    /// Continues the trajectory from its position at `time` (s).
    #[inline]
    pub fn sync(&mut self, time: f64) {
        if time > self.time {
            self.position = self.at(time);
            self.time = time;
        }
    }

    /// Changes the velocity by an impulse (N s).
    #[inline]
    pub fn kick(&mut self, impulse: &Vector3<f64>) {
        self.velocity += impulse * self.inverse_mass;
    }
}
