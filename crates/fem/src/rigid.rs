//! Rigid bodies: generalised mass, pose, and torque-free rotation.
//!
//! A rigid body has the velocity `(u, ω)`, linear and angular in world axes. Its generalised mass is `diag(m I, I_w)`
//! with `I_w = R I_b Rᵀ`, and a material point at the arm `ρ = R s` moves with `u + ω × ρ`. Poses advance by the
//! exponential map, `x ← x + h u` and `R ← exp(h ω) R`, so a body keeps its shape exactly.

use crate::FemError;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// Mass, centre of mass and inertia of a body of uniform density, in the axes of the mesh it was computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidInertia {
    mass: f64,
    center: Vector3<f64>,
    inertia: Matrix3<f64>,
    inverse: Matrix3<f64>,
    unit_axes: Matrix3<f64>,
}

impl RigidInertia {
    /// The generalised mass of the interior of a closed surface.
    ///
    /// Exact for the polyhedron: the moments of the signed tetrahedra between its triangles and one of its vertices.
    ///
    /// # Shapes and units
    /// | name | shape | unit |
    /// |---|---|---|
    /// | `vertices` | any | m |
    /// | `triangles` | any, wound outwards, closed | vertex indices |
    /// | `density` | 1 | kg/m³ |
    ///
    /// # Errors
    /// [`FemError::RigidDensity`] for a density that is not positive, [`FemError::RigidVolume`] if the surface encloses
    /// no volume.
    ///
    /// # Panics
    /// If a triangle names a vertex that does not exist.
    pub fn of_surface(
        vertices: &[Vector3<f64>],
        triangles: &[[u32; 3]],
        density: f64,
    ) -> Result<Self, FemError> {
        // Relative to one of the vertices, so that a body far from the origin loses no digits.
        let base = vertices.first().copied().unwrap_or_default();
        let mut moments = Moments::default();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize] - base);
            moments.add([Vector3::zeros(), a, b, c]);
        }
        moments.finish(base, density)
    }

    /// The generalised mass of a tetrahedral mesh.
    ///
    /// # Errors
    /// As [`of_surface`](Self::of_surface).
    ///
    /// # Panics
    /// If a tetrahedron names a node that does not exist.
    pub fn of_tets(
        nodes: &[Vector3<f64>],
        tets: &[[u32; 4]],
        density: f64,
    ) -> Result<Self, FemError> {
        let base = nodes.first().copied().unwrap_or_default();
        let mut moments = Moments::default();
        for tet in tets {
            moments.add(tet.map(|node| nodes[node as usize] - base));
        }
        moments.finish(base, density)
    }

    /// The same shape with another total mass (kg).
    ///
    /// # Errors
    /// [`FemError::RigidMass`] for a mass that is not positive.
    pub fn with_mass(self, mass: f64) -> Result<Self, FemError> {
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(FemError::RigidMass { mass });
        }
        let scale = mass / self.mass;
        Ok(Self {
            mass,
            inertia: self.inertia * scale,
            inverse: self.inverse / scale,
            ..self
        })
    }

    /// Mass `m` (kg).
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Centre of mass in the coordinates of the mesh (m).
    pub fn center(&self) -> Vector3<f64> {
        self.center
    }

    /// `I_b` about the centre of mass, in the axes of the mesh (kg·m²).
    pub fn inertia(&self) -> &Matrix3<f64> {
        &self.inertia
    }

    /// `B_b` with `B_bᵀ I_b B_b = m I`: each principal axis divided by its radius of gyration (1/m).
    ///
    /// With `ω = B w`, the components `w` are in m/s like linear velocity, and the generalised mass of a body is `m`
    /// times the 6×6 identity.
    pub fn unit_axes(&self) -> &Matrix3<f64> {
        &self.unit_axes
    }

    /// `I_w = R I_b Rᵀ` (kg·m²), symmetric to the last bit.
    pub fn world_inertia(&self, orientation: &UnitQuaternion<f64>) -> Matrix3<f64> {
        turned(&self.inertia, orientation)
    }

    /// `I_w⁻¹` (1/(kg·m²)), symmetric to the last bit.
    pub fn world_inverse(&self, orientation: &UnitQuaternion<f64>) -> Matrix3<f64> {
        turned(&self.inverse, orientation)
    }

    /// `ω = I_w⁻¹ L` (rad/s) for the angular momentum `L` about the centre of mass (N·m·s).
    pub fn angular_velocity(
        &self,
        orientation: &UnitQuaternion<f64>,
        angular_momentum: &Vector3<f64>,
    ) -> Vector3<f64> {
        turned(&self.inverse, orientation) * angular_momentum
    }

    /// Kinetic energy of the rotation, `½ L · I_w⁻¹ L` (J).
    pub fn spin_energy(
        &self,
        orientation: &UnitQuaternion<f64>,
        angular_momentum: &Vector3<f64>,
    ) -> f64 {
        0.5 * angular_momentum.dot(&self.angular_velocity(orientation, angular_momentum))
    }

    /// Mean angular velocity `ω` (rad/s) over a step of length `h` (s) without torque: `I_w(exp(½ h ω) R) ω = L`.
    ///
    /// The implicit midpoint rule on the rotation group. `L` is constant, so the rotation of `I_w` contains the
    /// gyroscopic term `−ω × I_w ω`. The energy error is of second order in `h` and does not grow, as the rule is
    /// symmetric in time. An explicit gyroscopic torque would add energy to every rotating body.
    ///
    /// The fixed-point iteration contracts by about `½ h ‖ω‖`. If it does not converge (rotations of radians per step),
    /// the last iterate is returned: the rotation is less accurate, but momentum stays exact.
    pub fn free_spin(
        &self,
        orientation: &UnitQuaternion<f64>,
        angular_momentum: &Vector3<f64>,
        h: f64,
    ) -> Vector3<f64> {
        let mut spin = self.angular_velocity(orientation, angular_momentum);
        for _ in 0..MIDPOINT_ITERATIONS {
            let midpoint = UnitQuaternion::from_scaled_axis(spin * (0.5 * h)) * orientation;
            let next = self.angular_velocity(&midpoint, angular_momentum);
            let change = (next - spin).norm();
            spin = next;
            if change <= 4.0 * f64::EPSILON * spin.norm() {
                break;
            }
        }
        spin
    }
}

/// Iterations for rounding accuracy while a step rotates a body by up to half a radian.
const MIDPOINT_ITERATIONS: usize = 40;

/// `R B Rᵀ` of a symmetric `B`, exactly symmetric, as the momentum matrix stores one half only.
fn turned(body: &Matrix3<f64>, orientation: &UnitQuaternion<f64>) -> Matrix3<f64> {
    let r = orientation.to_rotation_matrix().into_inner();
    let world = r * body * r.transpose();
    (world + world.transpose()) * 0.5
}

/// Position and orientation of a rigid body in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidPose {
    /// Centre of mass (m).
    pub center: Vector3<f64>,
    /// Rotation from the body's axes to the world's.
    pub orientation: UnitQuaternion<f64>,
}

impl RigidPose {
    /// World position (m) of the material point at `arm` (m) from the centre of mass, in the body's axes.
    #[inline]
    pub fn place(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.center + self.orientation * arm
    }

    /// The pose after `h` seconds of the velocity `(u, ω)`: `x + h u`, `exp(h ω) R`.
    #[must_use]
    pub fn advanced(
        &self,
        velocity: &Vector3<f64>,
        angular_velocity: &Vector3<f64>,
        h: f64,
    ) -> Self {
        let turn = UnitQuaternion::from_scaled_axis(angular_velocity * h);
        Self {
            center: self.center + velocity * h,
            // Rounding changes the length of products of unit quaternions, which would scale the body.
            orientation: UnitQuaternion::new_normalize((turn * self.orientation).into_inner()),
        }
    }
}

/// Volume integrals of `1`, `x` and `x xᵀ` over signed tetrahedra, times 6, 24 and 120.
#[derive(Default)]
struct Moments {
    zeroth: f64,
    first: Vector3<f64>,
    second: Matrix3<f64>,
}

impl Moments {
    fn add(&mut self, [a, b, c, d]: [Vector3<f64>; 4]) {
        let six_volumes = (b - a).cross(&(c - a)).dot(&(d - a));
        let sum = a + b + c + d;
        self.zeroth += six_volumes;
        self.first += sum * six_volumes;
        let mut squares = sum * sum.transpose();
        for x in [a, b, c, d] {
            squares += x * x.transpose();
        }
        self.second += squares * six_volumes;
    }

    fn finish(self, base: Vector3<f64>, density: f64) -> Result<RigidInertia, FemError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(FemError::RigidDensity { density });
        }
        let volume = self.zeroth / 6.0;
        let offset = self.first / (4.0 * self.zeroth);
        let central = self.second / 120.0 - offset * offset.transpose() * volume;
        let inertia = (Matrix3::identity() * central.trace() - central) * density;
        let inertia = (inertia + inertia.transpose()) * 0.5;
        // A body without volume, wound inwards or with a NaN has no positive inertia.
        let factors = (volume > 0.0).then(|| inertia.cholesky()).flatten();
        let Some(factors) = factors else {
            return Err(FemError::RigidVolume { volume });
        };
        let inverse = factors.inverse();
        let mass = density * volume;
        let principal = inertia.symmetric_eigen();
        let mut unit_axes = principal.eigenvectors;
        for (mut axis, moment) in unit_axes
            .column_iter_mut()
            .zip(principal.eigenvalues.iter())
        {
            axis *= (mass / moment).sqrt();
        }
        Ok(RigidInertia {
            mass,
            unit_axes,
            center: base + offset,
            inertia,
            inverse: (inverse + inverse.transpose()) * 0.5,
        })
    }
}
