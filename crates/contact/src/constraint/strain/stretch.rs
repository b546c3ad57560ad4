//! Principal stretches of a solid element at one point, for isotropic materials.

use super::{Form, RotationSvd, deformation, scatter_form, scatter_row};
use crate::constraint::ConstraintError;
use crate::constraint::law::{Definiteness, Law, Local, Points, Response};
use nalgebra::{DMatrix, DVector, Matrix3, SVector, Vector3};
use std::sync::Arc;

/// `|σⱼ − σᵢ|` below which the last step's forces do not determine the stiffness between two stretches.
const EQUAL: f64 = 1e-4;

/// `φᵢ = σᵢ − 1`, largest first.
///
/// `δσᵢ = W_ii`; with `W = Uᵀ δF V`, `K̃` acts on `(W_ij + W_ji)/√2` by `(λⱼ − λᵢ)/(σⱼ − σᵢ)` and on `(W_ij − W_ji)/√2`
/// by `(λⱼ + λᵢ)/(σⱼ + σᵢ)`. The first is dropped where two stretches differ by less than 1e-4: the forces belong to
/// the last step and the stretches to this one, so their quotient is unbounded.
///
/// With a material ([`of_material`](Self::of_material)) both factors follow from its present stress: `−w κ_s` and
/// `−w κ_a`. A soft material has its force from its strain, and its whole resistance to shear is in these factors.
#[derive(Debug, Clone)]
pub struct PrincipalStretches {
    gradients: Vec<Vector3<f64>>,
    material: Option<(f64, Arc<dyn StretchEnergy>)>,
}

/// An isotropic energy density as a function of the principal stretches `σ₁ ≥ σ₂ ≥ |σ₃|`, the last one of either sign.
pub trait StretchEnergy: std::fmt::Debug + Send + Sync {
    /// `Ψ` (J/m³).
    fn energy(&self, stretches: &Vector3<f64>) -> f64;

    /// `pᵢ = ∂Ψ/∂σᵢ` (Pa).
    fn stress(&self, stretches: &Vector3<f64>) -> Vector3<f64>;

    /// `∂²Ψ/∂σᵢ∂σⱼ` (Pa).
    fn stiffness(&self, stretches: &Vector3<f64>) -> Matrix3<f64>;

    /// `κ_s = (pᵢ − pⱼ)/(σᵢ − σⱼ)` (Pa) of the pairs (1,2), (1,3), (2,3), or its limit for equal stretches.
    fn shear(&self, stretches: &Vector3<f64>) -> Vector3<f64>;
}

/// `Ψ = ½ (σ − 1)ᵀ D (σ − 1)` with `D = a I + b 11ᵀ`.
#[derive(Debug, Clone, Copy)]
struct LinearStretches {
    /// `a` (Pa).
    shear: f64,
    /// `b` (Pa).
    shared: f64,
}

impl StretchEnergy for LinearStretches {
    fn energy(&self, stretches: &Vector3<f64>) -> f64 {
        0.5 * self.stress(stretches).dot(&stretches.add_scalar(-1.0))
    }

    fn stress(&self, stretches: &Vector3<f64>) -> Vector3<f64> {
        let strain = stretches.add_scalar(-1.0);
        (strain * self.shear).add_scalar(self.shared * strain.sum())
    }

    fn stiffness(&self, _: &Vector3<f64>) -> Matrix3<f64> {
        Matrix3::from_diagonal_element(self.shear) + Matrix3::repeat(self.shared)
    }

    fn shear(&self, _: &Vector3<f64>) -> Vector3<f64> {
        Vector3::repeat(self.shear)
    }
}

/// The pairs of stretches.
const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

impl PrincipalStretches {
    /// Of a solid element; gradients in 1/m.
    pub fn new(gradients: Vec<Vector3<f64>>) -> Self {
        Self {
            gradients,
            material: None,
        }
    }

    /// With a material of potential `w Ψ(σ)`; `weight` is the rest volume `w` of the integration point (m³).
    pub fn of_material(
        gradients: Vec<Vector3<f64>>,
        weight: f64,
        material: Arc<dyn StretchEnergy>,
    ) -> Self {
        Self {
            gradients,
            material: Some((weight, material)),
        }
    }

    /// With a material whose stress is linear in its stretches, and the compliance `D⁻¹` of the three normal strains
    /// (1/Pa).
    ///
    /// # Errors
    /// [`ConstraintError::Anisotropic`] unless the compliance is the same for each stretch,
    /// [`ConstraintError::ComplianceSize`] for another size, [`ConstraintError::NegativeCompliance`] for one that is
    /// not positive definite.
    pub fn linear(
        gradients: Vec<Vector3<f64>>,
        weight: f64,
        compliance: &DMatrix<f64>,
    ) -> Result<Self, ConstraintError> {
        if compliance.shape() != (3, 3) {
            let found = compliance.nrows();
            return Err(ConstraintError::ComplianceSize { found, expected: 3 });
        }
        let [own, shared] = [compliance[(0, 0)], compliance[(0, 1)]];
        let difference = DMatrix::from_fn(3, 3, |i, j| {
            compliance[(i, j)] - if i == j { own } else { shared }
        })
        .amax();
        if difference.is_nan() || difference > 1e-9 * own.abs() {
            return Err(ConstraintError::Anisotropic { difference });
        }
        // Eigenvalues of a I + b 11ᵀ: a twice, a + 3 b.
        let least = (own - shared).min(own + 2.0 * shared);
        if least <= 0.0 {
            return Err(ConstraintError::NegativeCompliance { value: least });
        }
        let shear = (own - shared).recip();
        let pressure = (own + 2.0 * shared).recip();
        let law = LinearStretches {
            shear,
            shared: (pressure - shear) / 3.0,
        };
        Ok(Self::of_material(gradients, weight, Arc::new(law)))
    }

    /// Stiffness of the pair against `(W_ij ± W_ji)/√2`, negative: from the given forces or from the material.
    fn resistance(&self, sigma: &Vector3<f64>, lambda: &[f64], pair: usize) -> [f64; 2] {
        let (i, j) = PAIRS[pair];
        let (difference, sum) = (sigma[j] - sigma[i], sigma[j] + sigma[i]);
        let quotient = |above: f64, below: f64| {
            if below.abs() > EQUAL {
                above / below
            } else {
                0.0
            }
        };
        match &self.material {
            Some((weight, material)) => {
                let stress = material.stress(sigma);
                [
                    -weight * material.shear(sigma)[pair],
                    quotient(-weight * (stress[j] + stress[i]), sum),
                ]
            }
            None => [
                quotient(lambda[j] - lambda[i], difference),
                quotient(lambda[j] + lambda[i], sum),
            ],
        }
    }
}

impl Law for PrincipalStretches {
    fn points(&self) -> usize {
        self.gradients.len()
    }

    fn rows(&self) -> usize {
        3
    }

    fn evaluate(&self, q: &Points, local: &mut Local) {
        let svd = RotationSvd::new(&deformation(q, &self.gradients));
        for row in 0..3 {
            local.value[row] = svd.sigma[row] - 1.0;
            let p = svd.u.column(row) * svd.v.column(row).transpose();
            scatter_row(&p, &self.gradients, row, local);
        }
    }

    fn stiffness(&self, q: &Points, lambda: &[f64], definiteness: Definiteness, local: &mut Local) {
        let svd = RotationSvd::new(&deformation(q, &self.gradients));
        let sigma = &svd.sigma;
        let clamp = |value: f64| match definiteness {
            Definiteness::Exact => value,
            Definiteness::Negative => value.min(0.0),
        };
        let mut form = Form::zeros();
        for (pair, (i, j)) in PAIRS.into_iter().enumerate() {
            let vector = |sign: f64| {
                SVector::<f64, 9>::from_fn(|index, _| {
                    let (row, column) = (index % 3, index / 3);
                    let ij = svd.u[(row, i)] * svd.v[(column, j)];
                    let ji = svd.u[(row, j)] * svd.v[(column, i)];
                    (ij + sign * ji) * std::f64::consts::FRAC_1_SQRT_2
                })
            };
            let [even, odd] = self.resistance(sigma, lambda, pair);
            form.ger(clamp(even), &vector(1.0), &vector(1.0), 1.0);
            form.ger(clamp(odd), &vector(-1.0), &vector(-1.0), 1.0);
        }
        scatter_form(&form, &self.gradients, local);
    }

    fn response(&self, value: &[f64]) -> Option<Response> {
        let (weight, material) = self.material.as_ref()?;
        let sigma = Vector3::from_fn(|row, _| 1.0 + value[row]);
        let slope = material.stress(&sigma) * *weight;
        let curvature = material.stiffness(&sigma) * *weight;
        Some(Response::new(
            weight * material.energy(&sigma),
            DVector::from_column_slice(slope.as_slice()),
            &DMatrix::from_column_slice(3, 3, curvature.as_slice()),
        ))
    }
}
