//! Given forces: gravity, drag and nodal forces.

use super::{ClockedForce, ForceKind};
use crate::stepper::asynchronous::trajectory::Vertex;
use nalgebra::Vector3;

/// A constant acceleration of some vertices: gravity, or a constant nodal force.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformForce {
    period: f64,
    vertices: Vec<u32>,
    acceleration: Vector3<f64>,
    masses: Vec<f64>,
}

impl UniformForce {
    /// Gravity (m/s²) on `vertices`, ascending, of the given masses (kg).
    pub fn gravity(
        period: f64,
        vertices: Vec<u32>,
        masses: Vec<f64>,
        acceleration: Vector3<f64>,
    ) -> Self {
        Self {
            period,
            vertices,
            acceleration,
            masses,
        }
    }
}

impl ClockedForce for UniformForce {
    fn kind(&self) -> ForceKind {
        ForceKind::Given
    }

    fn period(&self) -> f64 {
        self.period
    }

    fn stencil(&self) -> &[u32] {
        &self.vertices
    }

    fn kick(&mut self, vertices: &mut [Vertex]) {
        let change = self.acceleration * self.period;
        for &vertex in &self.vertices {
            vertices[vertex as usize].velocity += change;
        }
    }

    fn energy(&self, positions: &[Vector3<f64>]) -> f64 {
        let of = |(&vertex, mass): (&u32, &f64)| {
            -mass * self.acceleration.dot(&positions[vertex as usize])
        };
        self.vertices.iter().zip(&self.masses).map(of).sum()
    }
}

/// A drag proportional to the momentum of each vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    period: f64,
    vertices: Vec<u32>,
    /// Factor of a velocity after a period.
    left: Vec<f64>,
}

impl Drag {
    /// Drag at the given rates (1/s) on `vertices`, ascending; one for each. Velocities decay as `exp(−rate t)`,
    /// exactly.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn new(period: f64, vertices: Vec<u32>, rates: &[f64]) -> Self {
        assert_eq!(vertices.len(), rates.len(), "one rate per vertex");
        Self {
            period,
            vertices,
            left: rates.iter().map(|rate| (-rate * period).exp()).collect(),
        }
    }
}

impl ClockedForce for Drag {
    fn kind(&self) -> ForceKind {
        ForceKind::Given
    }

    fn period(&self) -> f64 {
        self.period
    }

    fn stencil(&self) -> &[u32] {
        &self.vertices
    }

    fn kick(&mut self, vertices: &mut [Vertex]) {
        for (&vertex, left) in self.vertices.iter().zip(&self.left) {
            vertices[vertex as usize].velocity *= *left;
        }
    }

    fn energy(&self, _: &[Vector3<f64>]) -> f64 {
        0.0
    }
}

/// Constant forces, each on one vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Pulls {
    period: f64,
    vertices: Vec<u32>,
    forces: Vec<Vector3<f64>>,
}

impl Pulls {
    /// Forces (N) on `vertices`, ascending; one for each.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn new(period: f64, vertices: Vec<u32>, forces: Vec<Vector3<f64>>) -> Self {
        assert_eq!(vertices.len(), forces.len(), "one force per vertex");
        Self {
            period,
            vertices,
            forces,
        }
    }
}

impl ClockedForce for Pulls {
    fn kind(&self) -> ForceKind {
        ForceKind::Given
    }

    fn period(&self) -> f64 {
        self.period
    }

    fn stencil(&self) -> &[u32] {
        &self.vertices
    }

    fn kick(&mut self, vertices: &mut [Vertex]) {
        for (&vertex, force) in self.vertices.iter().zip(&self.forces) {
            vertices[vertex as usize].kick(&(force * self.period));
        }
    }

    fn energy(&self, positions: &[Vector3<f64>]) -> f64 {
        let of = |(&vertex, force): (&u32, &Vector3<f64>)| -force.dot(&positions[vertex as usize]);
        self.vertices.iter().zip(&self.forces).map(of).sum()
    }
}
