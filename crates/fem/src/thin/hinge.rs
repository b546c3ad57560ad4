//! Bending of discrete shells.

use super::ThinError;
use nalgebra::{Matrix3, Vector3};

/// Two triangles that share an edge: `E = k_b (θ − θ̄)² 3 |ē|² / Ā`, with `Ā` the area of both triangles at rest.
///
/// The points are `x₀, x₁` of the edge and the wings `x₂, x₃`; the triangles are `x₀ x₁ x₂` and `x₁ x₀ x₃`. `θ` is 0 if
/// they lie in one plane, and positive if the wings bend towards the normals.
///
/// # Source
/// Grinspun, Hirani, Desbrun & Schröder 2003, "Discrete shells"; the factor 3 is that of their dual heights, a third of
/// the heights of the two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// Indices of `x₀, x₁, x₂, x₃`.
    pub points: [u32; 4],
    /// `θ̄`: angle between the triangles at rest (rad).
    pub rest_angle: f64,
    /// `3 k_b |ē|² / Ā` (J).
    pub stiffness: f64,
}

/// Angle between the two triangles of a hinge, and its derivatives by the positions of the points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeAngle {
    /// `θ` (rad), in `[−π, π]`.
    pub angle: f64,
    /// `∂θ/∂x` for the four points (rad/m); zero for a hinge with a flat triangle.
    pub gradient: [Vector3<f64>; 4],
}

/// `θ` and `∇θ` at the positions `x` (m).
///
/// `∇₂θ = −|e| n_A/|n_A|²`, `∇₃θ = −|e| n_B/|n_B|²` with `n_A = e × (x₂ − x₀)`, `n_B = (x₃ − x₀) × e`; the other two
/// follow from translation and the balance of moments.
#[inline]
pub fn hinge_angle(x: &[Vector3<f64>; 4]) -> HingeAngle {
    let edge = x[1] - x[0];
    let (normal_a, normal_b) = (edge.cross(&(x[2] - x[0])), (x[3] - x[0]).cross(&edge));
    let (square, square_a, square_b) = (
        edge.norm_squared(),
        normal_a.norm_squared(),
        normal_b.norm_squared(),
    );
    if !(square > 0.0 && square_a > 0.0 && square_b > 0.0) {
        return HingeAngle {
            angle: 0.0,
            gradient: [Vector3::zeros(); 4],
        };
    }
    let length = square.sqrt();
    let angle = (normal_a.cross(&normal_b).dot(&edge) / length).atan2(normal_a.dot(&normal_b));
    let second = normal_a * (-length / square_a);
    let third = normal_b * (-length / square_b);
    let share = |wing: &Vector3<f64>| (x[1] - wing).dot(&edge) / square;
    let (c2, c3) = (share(&x[2]), share(&x[3]));
    HingeAngle {
        angle,
        gradient: [
            -(second * c2 + third * c3),
            -(second * (1.0 - c2) + third * (1.0 - c3)),
            second,
            third,
        ],
    }
}

impl Hinge {
    /// The hinge that is at rest at the given positions (m), with bending stiffness `k_b` (J).
    ///
    /// # Errors
    /// [`ThinError`] if a triangle has no area, or if `bend` is negative or not finite.
    pub fn new(points: [u32; 4], rest: &[Vector3<f64>; 4], bend: f64) -> Result<Self, ThinError> {
        super::error::check_not_negative("the bending stiffness (J)", bend)?;
        let edge = rest[1] - rest[0];
        let area = |wing: usize| 0.5 * edge.cross(&(rest[wing] - rest[0])).norm();
        for wing in [2, 3] {
            if !(area(wing) > 0.0 && area(wing).is_finite()) {
                return Err(ThinError::RestArea {
                    points: [points[0], points[1], points[wing]],
                });
            }
        }
        Ok(Self {
            points,
            rest_angle: hinge_angle(rest).angle,
            stiffness: 3.0 * bend * edge.norm_squared() / (area(2) + area(3)),
        })
    }

    /// `θ − θ̄`, by the shorter way round (rad).
    #[inline]
    fn bent(&self, angle: f64) -> f64 {
        use std::f64::consts::PI;
        let bent = angle - self.rest_angle;
        if bent > PI {
            bent - 2.0 * PI
        } else if bent < -PI {
            bent + 2.0 * PI
        } else {
            bent
        }
    }

    /// Elastic energy (J) with the points at `x` (m).
    pub fn energy(&self, x: &[Vector3<f64>; 4]) -> f64 {
        let bent = self.bent(hinge_angle(x).angle);
        self.stiffness * bent * bent
    }

    /// Forces on the four points (N).
    #[inline]
    pub fn forces(&self, x: &[Vector3<f64>; 4]) -> [Vector3<f64>; 4] {
        self.forces_at(&hinge_angle(x))
    }

    /// The forces for a known angle.
    #[inline]
    pub fn forces_at(&self, angle: &HingeAngle) -> [Vector3<f64>; 4] {
        let moment = -2.0 * self.stiffness * self.bent(angle.angle);
        angle.gradient.map(|gradient| gradient * moment)
    }

    /// Damping forces (N) with the time constant `time` (s): `−time 2k ∇θ (∇θ · v)`; zero for a rigid motion.
    #[inline]
    pub fn damping_forces(
        &self,
        time: f64,
        x: &[Vector3<f64>; 4],
        v: &[Vector3<f64>; 4],
    ) -> [Vector3<f64>; 4] {
        self.damping_forces_at(time, &hinge_angle(x), v)
    }

    /// The damping forces for a known angle.
    #[inline]
    pub fn damping_forces_at(
        &self,
        time: f64,
        angle: &HingeAngle,
        v: &[Vector3<f64>; 4],
    ) -> [Vector3<f64>; 4] {
        let gradient = &angle.gradient;
        let rate: f64 = gradient.iter().zip(v).map(|(g, v)| g.dot(v)).sum();
        gradient.map(|gradient| gradient * (-2.0 * self.stiffness * time * rate))
    }

    /// Blocks `∂²E/∂x_a∂x_b` (N/m) without the curvature of `θ`: `2 k ∇θ ∇θᵀ`, positive semi-definite and exact at
    /// rest.
    pub fn tangent(&self, x: &[Vector3<f64>; 4]) -> [[Matrix3<f64>; 4]; 4] {
        let gradient = hinge_angle(x).gradient;
        let twice = 2.0 * self.stiffness;
        gradient.map(|a| gradient.map(|b| a * b.transpose() * twice))
    }

    /// `ω²` (1/s²) at the positions `x` (m) with four masses (kg; infinite for fixed points): the stiffness there has
    /// rank one, so this is its only frequency.
    pub fn frequency_squared(&self, x: &[Vector3<f64>; 4], masses: [f64; 4]) -> f64 {
        let gradient = hinge_angle(x).gradient;
        let mobility: f64 = gradient
            .iter()
            .zip(masses)
            .map(|(gradient, mass)| gradient.norm_squared() / mass)
            .sum();
        2.0 * self.stiffness * mobility
    }
}
