//! The co-rotational strain of a solid element at one point, with its exact derivatives.

use super::{Form, RotationSvd, SOLID, contraction, deformation, scatter_form, scatter_row};
use crate::constraint::law::{Definiteness, Law, Local, Points, negative_part_of};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// `σᵢ + σⱼ` below which an element counts as folded and its rotation is undefined.
const LEAST_SUM: f64 = 1e-6;

/// `ε = S − I` with `F = R S`.
///
/// With `F = U Σ Vᵀ`, `W = Uᵀ δF V`, `L = Vᵀ Λ V`, `N_ij = 2 L_ij/(σᵢ + σⱼ)`:
///
/// ```text
/// (Vᵀ δS V)_ij = D_ij = (σᵢ W_ij + σⱼ W_ji)/(σᵢ + σⱼ)
/// Λ : δS = Σ N_ij σᵢ W_ij              δFᵀ K̃ δF' = N : (Wᵀ W' − D D')
/// ```
///
/// # Source
/// Tournier et al. 2015, §4.2 and appendix A, <https://doi.org/10.1145/2766969>; differs from it in: the exact
/// derivative of the strain instead of `sym(Rᵀ δF)`, whose geometric stiffness is not symmetric.
#[derive(Debug, Clone, PartialEq)]
pub struct CorotationalStrain {
    gradients: Vec<Vector3<f64>>,
}

impl CorotationalStrain {
    /// Of a solid element; gradients in 1/m.
    pub fn new(gradients: Vec<Vector3<f64>>) -> Self {
        Self { gradients }
    }
}

fn sum(sigma: &Vector3<f64>, i: usize, j: usize) -> f64 {
    let sum = sigma[i] + sigma[j];
    if sum.abs() < LEAST_SUM {
        LEAST_SUM.copysign(sum)
    } else {
        sum
    }
}

/// `N_ij = 2 L_ij/(σᵢ + σⱼ)`.
fn scaled(svd: &RotationSvd, stress: &Matrix3<f64>) -> Matrix3<f64> {
    let l = svd.v.tr_mul(&(stress * svd.v));
    Matrix3::from_fn(|i, j| 2.0 * l[(i, j)] / sum(&svd.sigma, i, j))
}

impl Law for CorotationalStrain {
    fn points(&self) -> usize {
        self.gradients.len()
    }

    fn rows(&self) -> usize {
        6
    }

    fn evaluate(&self, q: &Points, local: &mut Local) {
        let svd = RotationSvd::new(&deformation(q, &self.gradients));
        let stretch = svd.v * Matrix3::from_diagonal(&svd.sigma) * svd.v.transpose();
        for (row, &(i, j)) in SOLID.iter().enumerate() {
            local.value[row] = if i == j {
                stretch[(i, i)] - 1.0
            } else {
                2.0 * stretch[(i, j)]
            };
            let mut unit = [0.0; 6];
            unit[row] = 1.0;
            let n = scaled(&svd, &contraction(&unit, &SOLID));
            let gradient = Matrix3::from_fn(|i, j| n[(i, j)] * svd.sigma[i]);
            let p = svd.u * gradient * svd.v.transpose();
            scatter_row(&p, &self.gradients, row, local);
        }
    }

    fn stiffness(&self, q: &Points, lambda: &[f64], definiteness: Definiteness, local: &mut Local) {
        let svd = RotationSvd::new(&deformation(q, &self.gradients));
        let n = scaled(&svd, &contraction(lambda, &SOLID));
        // W and D of a unit change of each entry of F.
        let mut w = [Matrix3::zeros(); 9];
        let mut d = [Matrix3::zeros(); 9];
        for column in 0..3 {
            for row in 0..3 {
                let index = 3 * column + row;
                w[index] = svd.u.row(row).transpose() * svd.v.row(column);
                d[index] = Matrix3::from_fn(|i, j| {
                    let mixed = svd.sigma[i] * w[index][(i, j)] + svd.sigma[j] * w[index][(j, i)];
                    mixed / sum(&svd.sigma, i, j)
                });
            }
        }
        let mut form = Form::zeros();
        for a in 0..9 {
            for b in 0..=a {
                let value = n.dot(&(w[a].tr_mul(&w[b]) - d[a] * d[b]));
                form[(a, b)] = value;
                form[(b, a)] = value;
            }
        }
        if definiteness == Definiteness::Negative {
            let dense = DMatrix::from_column_slice(9, 9, form.as_slice());
            form = Form::from_column_slice(negative_part_of(&dense).as_slice());
        }
        scatter_form(&form, &self.gradients, local);
    }
}
