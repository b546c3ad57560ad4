//! Strains of an element at one integration point, as rows of a constraint.
//!
//! With the rest-shape gradients `g_a` of the nodes, `F = Σ x_a g_aᵀ`. The `F` of a surface element has two columns;
//! its gradients have a zero third entry. Engineering shear is used throughout, in the order `11, 22, 12` on surfaces
//! and `11, 22, 33, 12, 23, 13` in solids, so a multiplier is `λ = −w σ` with the weight `w` (m³) and the stress `σ`.

mod corotational;
mod element;
mod green;
mod material;
mod meshless;
mod stretch;

pub use corotational::CorotationalStrain;
pub use element::{IntegrationPoint, hexahedron, quadrilateral, tetrahedron, triangle};
pub use green::GreenStrain;
pub use material::{orthotropic_solid, orthotropic_surface, solid, surface};
pub use meshless::moving_least_squares;
pub use stretch::{PrincipalStretches, StretchEnergy};

use super::law::Local;
use nalgebra::{Matrix3, SMatrix, Vector3};

/// Index pairs of the six strains of a solid.
pub(super) const SOLID: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];

/// Index pairs of the three strains of a surface.
pub(super) const SURFACE: [(usize, usize); 3] = [(0, 0), (1, 1), (0, 1)];

/// A symmetric bilinear form on changes of `F`, in column-major order.
type Form = SMatrix<f64, 9, 9>;

/// `F = Σ x_a g_aᵀ`.
pub fn deformation(x: &[Vector3<f64>], gradients: &[Vector3<f64>]) -> Matrix3<f64> {
    let mut f = Matrix3::zeros();
    for (x, g) in x.iter().zip(gradients) {
        f += x * g.transpose();
    }
    f
}

/// `Λ`: the symmetric matrix with `λ·ε = Λ : E`, for the strains `pairs` with engineering shear.
fn contraction(lambda: &[f64], pairs: &[(usize, usize)]) -> Matrix3<f64> {
    let mut matrix = Matrix3::zeros();
    for (&value, &(i, j)) in lambda.iter().zip(pairs) {
        matrix[(i, j)] = value;
        matrix[(j, i)] = value;
    }
    matrix
}

/// Rows in the nodes from the derivative `P` of a strain in `F`: `P g_a`.
fn scatter_row(p: &Matrix3<f64>, gradients: &[Vector3<f64>], row: usize, local: &mut Local) {
    for (node, g) in gradients.iter().enumerate() {
        *local.row_mut(row, node) = p * g;
    }
}

/// Node blocks of a form on changes of `F`.
fn scatter_form(form: &Form, gradients: &[Vector3<f64>], local: &mut Local) {
    for (a, g) in gradients.iter().enumerate() {
        for (b, k) in gradients.iter().enumerate() {
            let mut block = Matrix3::zeros();
            for c in 0..3 {
                for d in 0..3 {
                    block += form.fixed_view::<3, 3>(3 * c, 3 * d) * (g[c] * k[d]);
                }
            }
            *local.block_mut(a, b) = block;
        }
    }
}

/// `F = U diag(σ) Vᵀ` with rotations `U` and `V`, the last `σ` of either sign.
struct RotationSvd {
    u: Matrix3<f64>,
    sigma: Vector3<f64>,
    v: Matrix3<f64>,
}

impl RotationSvd {
    fn new(f: &Matrix3<f64>) -> Self {
        // Both factors are requested, so the fallback identity is never used.
        let svd = f.svd(true, true);
        let mut u = svd.u.unwrap_or_else(Matrix3::identity);
        let mut v = svd.v_t.unwrap_or_else(Matrix3::identity).transpose();
        let mut sigma = svd.singular_values;
        for side in [&mut u, &mut v] {
            if side.determinant() < 0.0 {
                side.column_mut(2).neg_mut();
                sigma[2] = -sigma[2];
            }
        }
        Self { u, sigma, v }
    }
}
