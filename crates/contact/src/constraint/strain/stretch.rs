//! Principal stretches of a solid element at one point, for isotropic materials.

use super::{Form, RotationSvd, deformation, scatter_form, scatter_row};
use crate::constraint::law::{Definiteness, Law, Local};
use nalgebra::{SVector, Vector3};

/// `|σⱼ − σᵢ|` below which forces of the step before say nothing about the difference of two stretches.
const EQUAL: f64 = 1e-4;

/// `φᵢ = σᵢ − 1`, largest first (spec 5.4).
///
/// `δσᵢ = W_ii`; with `W = Uᵀ δF V`, `K̃` acts on `(W_ij + W_ji)/√2` by `(λⱼ − λᵢ)/(σⱼ − σᵢ)` and on `(W_ij − W_ji)/√2` by
/// `(λⱼ + λᵢ)/(σⱼ + σᵢ)`. The first is left out where two stretches are equal to 1e-4: forces of the step before and
/// stretches of this one do not belong together, and their quotient has no bound.
#[derive(Debug, Clone, PartialEq)]
pub struct PrincipalStretches {
    gradients: Vec<Vector3<f64>>,
}

impl PrincipalStretches {
    /// Of a solid element (1/m).
    pub fn new(gradients: Vec<Vector3<f64>>) -> Self {
        Self { gradients }
    }
}

impl Law for PrincipalStretches {
    fn points(&self) -> usize {
        self.gradients.len()
    }

    fn rows(&self) -> usize {
        3
    }

    fn evaluate(&self, q: &[Vector3<f64>], local: &mut Local) {
        let svd = RotationSvd::new(&deformation(q, &self.gradients));
        for row in 0..3 {
            local.value[row] = svd.sigma[row] - 1.0;
            let p = svd.u.column(row) * svd.v.column(row).transpose();
            scatter_row(&p, &self.gradients, row, local);
        }
    }

    fn stiffness(
        &self,
        q: &[Vector3<f64>],
        lambda: &[f64],
        definiteness: Definiteness,
        local: &mut Local,
    ) {
        let svd = RotationSvd::new(&deformation(q, &self.gradients));
        let sigma = &svd.sigma;
        let clamp = |value: f64| match definiteness {
            Definiteness::Exact => value,
            Definiteness::Negative => value.min(0.0),
        };
        let mut form = Form::zeros();
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let vector = |sign: f64| {
                SVector::<f64, 9>::from_fn(|index, _| {
                    let (row, column) = (index % 3, index / 3);
                    let ij = svd.u[(row, i)] * svd.v[(column, j)];
                    let ji = svd.u[(row, j)] * svd.v[(column, i)];
                    (ij + sign * ji) * std::f64::consts::FRAC_1_SQRT_2
                })
            };
            if (sigma[j] - sigma[i]).abs() > EQUAL {
                let value = clamp((lambda[j] - lambda[i]) / (sigma[j] - sigma[i]));
                form.ger(value, &vector(1.0), &vector(1.0), 1.0);
            }
            if (sigma[j] + sigma[i]).abs() > EQUAL {
                let value = clamp((lambda[j] + lambda[i]) / (sigma[j] + sigma[i]));
                form.ger(value, &vector(-1.0), &vector(-1.0), 1.0);
            }
        }
        scatter_form(&form, &self.gradients, local);
    }
}
