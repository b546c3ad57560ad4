//! The Green–Lagrange strain of a triangle, a quadrilateral, a tetrahedron or a hexahedron at one point.

use super::{SOLID, SURFACE, contraction, deformation};
use crate::constraint::law::{Definiteness, Law, Local, Points, negative_part};
use nalgebra::{Matrix3, Vector3};

/// `ε = ½ (FᵀF − I)`: with a linear material, St Venant–Kirchhoff.
///
/// ```text
/// ∂E_ii/∂x_a = g_a,i F_iᵀ     ∂(2E_ij)/∂x_a = g_a,i F_jᵀ + g_a,j F_iᵀ     K̃_ab = (g_aᵀ Λ g_b) I
/// ```
///
/// The negative semi-definite part of `K̃` therefore follows from that of `Λ`.
#[derive(Debug, Clone, PartialEq)]
pub struct GreenStrain {
    gradients: Vec<Vector3<f64>>,
    pairs: &'static [(usize, usize)],
}

impl GreenStrain {
    /// Of a surface element; the third entries of the gradients are 0 (1/m).
    pub fn of_surface(gradients: Vec<Vector3<f64>>) -> Self {
        Self {
            gradients,
            pairs: &SURFACE,
        }
    }

    /// Of a solid element (1/m).
    pub fn of_solid(gradients: Vec<Vector3<f64>>) -> Self {
        Self {
            gradients,
            pairs: &SOLID,
        }
    }
}

impl Law for GreenStrain {
    fn points(&self) -> usize {
        self.gradients.len()
    }

    fn rows(&self) -> usize {
        self.pairs.len()
    }

    fn evaluate(&self, q: &Points, local: &mut Local) {
        let f = deformation(q, &self.gradients);
        for (row, &(i, j)) in self.pairs.iter().enumerate() {
            let (fi, fj) = (f.column(i), f.column(j));
            let product = fi.dot(&fj);
            local.value[row] = if i == j {
                0.5 * (product - 1.0)
            } else {
                product
            };
            for (node, g) in self.gradients.iter().enumerate() {
                *local.row_mut(row, node) = if i == j {
                    fi * g[i]
                } else {
                    fj * g[i] + fi * g[j]
                };
            }
        }
    }

    fn stiffness(&self, _: &Points, lambda: &[f64], definiteness: Definiteness, local: &mut Local) {
        let mut stress = contraction(lambda, self.pairs);
        if definiteness == Definiteness::Negative {
            stress = negative_part(&stress);
        }
        for (a, g) in self.gradients.iter().enumerate() {
            for (b, k) in self.gradients.iter().enumerate() {
                *local.block_mut(a, b) = Matrix3::from_diagonal_element(g.dot(&(stress * k)));
            }
        }
    }
}
