//! Momentum projection: the rigid-mode part of a warped compliance made exact (setting `momentum_repair`).
//!
//! With `Z` the six uniform velocity fields of the body, orthonormal in its masses `M`, and `C̃` the warped compliance:
//!
//! ```text
//! C = Π C̃ Πᵀ + Z Zᵀ,   Π = I − Z Zᵀ M          so  Zᵀ M C r = Zᵀ r  for every impulse r
//!   = C̃ − Z Yᵀ − Y Zᵀ + Z (S + I) Zᵀ,          Y = C̃ M Z,  S = Zᵀ M Y
//! ```
//!
//! `C` is symmetric and positive semi-definite. Contacts and the corrective motion use the same `C`.

use crate::compliance::RigidMoments;
use nalgebra::{Matrix3, Matrix3x6, Matrix6, Matrix6x3, Vector3, Vector6};

/// The low-rank part of one body.
#[derive(Debug, Clone)]
pub(super) struct MomentumProjection {
    masses: Vec<f64>,
    /// `Z`, three rows per node.
    fields: Vec<Matrix3x6<f64>>,
    /// `Y`.
    warped: Vec<Matrix3x6<f64>>,
    /// `S + I`.
    core: Matrix6<f64>,
}

impl MomentumProjection {
    /// The projection of a body with these moments; `apply` multiplies three columns by the warped compliance.
    ///
    /// `None` for a body without extent in some direction, which has fewer than six rigid modes.
    pub(super) fn new(moments: &RigidMoments, apply: impl FnMut(&mut [f64])) -> Option<Self> {
        let mut repair = Self {
            masses: moments.masses.clone(),
            fields: fields(moments)?,
            warped: Vec::new(),
            core: Matrix6::identity(),
        };
        repair.warped = repair.warp(apply);
        for ((z, y), &mass) in repair.fields.iter().zip(&repair.warped).zip(&repair.masses) {
            repair.core += z.tr_mul(y) * mass;
        }
        repair.core = (repair.core + repair.core.transpose()) * 0.5;
        Some(repair)
    }

    /// `C̃ M Z`, three columns at a time.
    fn warp(&self, mut apply: impl FnMut(&mut [f64])) -> Vec<Matrix3x6<f64>> {
        let size = 3 * self.fields.len();
        let mut out = vec![Matrix3x6::zeros(); self.fields.len()];
        let mut columns = vec![0.0; 3 * size];
        for half in [0, 3] {
            for (node, (z, &mass)) in self.fields.iter().zip(&self.masses).enumerate() {
                for column in 0..3 {
                    for axis in 0..3 {
                        columns[column * size + 3 * node + axis] = mass * z[(axis, half + column)];
                    }
                }
            }
            apply(&mut columns);
            for (node, y) in out.iter_mut().enumerate() {
                for column in 0..3 {
                    for axis in 0..3 {
                        y[(axis, half + column)] = columns[column * size + 3 * node + axis];
                    }
                }
            }
        }
        out
    }

    /// Combines the rows of a contact, with `Jᵀ` as `pushed` impulses on nodes, for [`response`](Self::response).
    pub(super) fn gather(&self, pushed: impl Iterator<Item = (usize, Matrix3<f64>)>) -> Gathered {
        let mut gathered = Gathered {
            along_fields: Matrix6x3::zeros(),
            along_warped: Matrix6x3::zeros(),
        };
        for (node, impulse) in pushed {
            gathered.along_fields += self.fields[node].tr_mul(&impulse);
            gathered.along_warped += self.warped[node].tr_mul(&impulse);
        }
        // All of Z (S + I) Zᵀ − Z Yᵀ except the first factor.
        gathered.along_warped = self.core * gathered.along_fields - gathered.along_warped;
        gathered
    }

    /// `(C − C̃) Jᵀ` at `node`.
    #[inline]
    pub(super) fn response(&self, node: usize, gathered: &Gathered) -> Matrix3<f64> {
        self.fields[node] * gathered.along_warped - self.warped[node] * gathered.along_fields
    }

    /// Replaces `r` by `C r`; `warped` multiplies by `C̃`.
    pub(super) fn apply(&self, x: &mut [f64], warped: impl FnOnce(&mut [f64])) {
        let mut along = Vector6::zeros();
        for (z, x) in self.fields.iter().zip(x.chunks_exact(3)) {
            along += z.tr_mul(&Vector3::from_column_slice(x));
        }
        for ((z, &mass), x) in self
            .fields
            .iter()
            .zip(&self.masses)
            .zip(x.chunks_exact_mut(3))
        {
            let left = Vector3::from_column_slice(x) - z * along * mass;
            x.copy_from_slice(left.as_slice());
        }
        warped(x);
        let mut moved = Vector6::zeros();
        for ((z, &mass), x) in self.fields.iter().zip(&self.masses).zip(x.chunks_exact(3)) {
            moved += z.tr_mul(&Vector3::from_column_slice(x)) * mass;
        }
        for (z, x) in self.fields.iter().zip(x.chunks_exact_mut(3)) {
            let whole = Vector3::from_column_slice(x) + z * (along - moved);
            x.copy_from_slice(whole.as_slice());
        }
    }
}

/// Rows of a contact along `Z` and `Y`.
pub(super) struct Gathered {
    along_fields: Matrix6x3<f64>,
    along_warped: Matrix6x3<f64>,
}

/// Three translations and three rotations about the centre of mass, orthonormal in the masses.
fn fields(moments: &RigidMoments) -> Option<Vec<Matrix3x6<f64>>> {
    let mass: f64 = moments.masses.iter().sum();
    let nodes = || moments.masses.iter().zip(&moments.positions);
    let center = nodes().map(|(m, x)| x * *m).sum::<Vector3<f64>>() / mass;
    let inertia: Matrix3<f64> = nodes()
        .map(|(m, x)| {
            let arm = (x - center).cross_matrix();
            arm.tr_mul(&arm) * *m
        })
        .sum();
    // I = L Lᵀ, so rotations about the columns of L⁻ᵀ are orthonormal.
    let turns = inertia.cholesky()?.l().try_inverse()?.transpose();
    let translation = Matrix3::identity() / mass.sqrt();
    let field = |x: &Vector3<f64>| {
        let rotation = -(x - center).cross_matrix() * turns;
        let mut z = Matrix3x6::zeros();
        z.fixed_columns_mut::<3>(0).copy_from(&translation);
        z.fixed_columns_mut::<3>(3).copy_from(&rotation);
        z
    };
    Some(moments.positions.iter().map(field).collect())
}
