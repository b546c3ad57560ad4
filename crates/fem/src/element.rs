//! The linear tetrahedron.

use crate::material::Lame;
use nalgebra::{Matrix3, Vector3};

/// A tetrahedron is flat if the determinant of its edges is below this fraction of `(longest edge)³`: its shape
/// gradients would be rounding noise.
const FLAT: f64 = 1e-13;

/// A linear tetrahedron: constant shape gradients, hence a constant deformation gradient `F = Σ_a x_a ∇N_aᵀ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetElement {
    /// Indices of the four points.
    pub nodes: [u32; 4],
    /// Rest volume `w₀`, m³; positive.
    pub volume: f64,
    /// Gradients `∇N_a` of the four shape functions at rest, 1/m; they sum to zero.
    pub shape_gradients: [Vector3<f64>; 4],
}

impl TetElement {
    /// The element of four rest positions (m).
    ///
    /// # Errors
    /// The signed volume (m³; NaN included) if it is not positive or the tetrahedron is flat up to rounding.
    pub fn new(nodes: [u32; 4], rest: &[Vector3<f64>; 4]) -> Result<Self, f64> {
        let [e1, e2, e3] = [rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]];
        // Rows of D_m⁻¹ are cross products of the edges over the determinant.
        let areas = [e2.cross(&e3), e3.cross(&e1), e1.cross(&e2)];
        let determinant = e1.dot(&areas[0]);
        let longest = [e1, e2, e3, e2 - e1, e3 - e2, e1 - e3]
            .iter()
            .map(Vector3::norm)
            .fold(0.0, f64::max);
        let sound =
            determinant > FLAT * longest * longest * longest && (1.0 / determinant).is_finite();
        if !sound {
            return Err(if determinant < 0.0 {
                determinant / 6.0
            } else {
                determinant.max(0.0) / 6.0
            });
        }
        let [g1, g2, g3] = areas.map(|area| area / determinant);
        Ok(Self {
            nodes,
            volume: determinant / 6.0,
            shape_gradients: [-(g1 + g2 + g3), g1, g2, g3],
        })
    }

    /// The positions of the four points of this element.
    #[inline]
    pub fn gather(&self, positions: &[Vector3<f64>]) -> [Vector3<f64>; 4] {
        self.nodes.map(|node| positions[node as usize])
    }

    /// Deformation gradient `F` for current positions of the four points.
    #[inline]
    pub fn deformation(&self, current: &[Vector3<f64>; 4]) -> Matrix3<f64> {
        deformation(current, &self.shape_gradients)
    }

    /// Nodal elastic forces `f_a = −w₀ P ∇N_a`, N, for the first Piola-Kirchhoff stress `P` (Pa); they sum to zero.
    #[inline]
    pub fn forces(&self, stress: &Matrix3<f64>) -> [Vector3<f64>; 4] {
        let [_, f1, f2, f3] = self
            .shape_gradients
            .map(|gradient| stress * gradient * -self.volume);
        [-(f1 + f2 + f3), f1, f2, f3]
    }

    /// Nodal forces (N) of the viscous stress with the time constant `time` (s): `P = F S`, `S = time (λ tr(Ė) I + 2μ
    /// Ė)` with the rate `Ė = sym(Fᵀ Ḟ)` of the Green-Lagrange strain.
    ///
    /// At rest they are `−time K v`, stiffness-proportional damping. In any shape, `S` is symmetric, so they have no
    /// torque; `Ė` of a rigid motion vanishes, and so do they; their power is never positive.
    #[inline]
    pub fn viscous_forces(
        &self,
        lame: &Lame,
        time: f64,
        current: &[Vector3<f64>; 4],
        velocities: &[Vector3<f64>; 4],
    ) -> [Vector3<f64>; 4] {
        let deformation = self.deformation(current);
        let product = deformation.tr_mul(&self.deformation(velocities));
        let rate = (product + product.transpose()) * 0.5;
        let stress = rate * (2.0 * lame.shear_modulus())
            + Matrix3::from_diagonal_element(lame.first() * rate.trace());
        self.forces(&(deformation * stress * time))
    }
}

/// `F` from edges, so that a common translation of the points cancels first.
#[inline]
pub(crate) fn deformation(
    current: &[Vector3<f64>; 4],
    gradients: &[Vector3<f64>; 4],
) -> Matrix3<f64> {
    let [x0, x1, x2, x3] = current;
    (x1 - x0) * gradients[1].transpose()
        + (x2 - x0) * gradients[2].transpose()
        + (x3 - x0) * gradients[3].transpose()
}
