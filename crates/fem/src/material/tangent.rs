//! The derivative `∂P/∂F` of an isotropic solid in principal axes, where it is nearly diagonal.

use crate::kinematics::columns;
use nalgebra::{Matrix3, Vector3};

/// The three index pairs of the shear and twist modes.
pub(super) const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// `∂P/∂F` in principal axes: with `X = Uᵀ dF V`, `dP = U Y Vᵀ` and
/// `Y_ii = Σ_j H_ij X_jj`, `Y_ij = ½(κ_s + κ_a) X_ij + ½(κ_s − κ_a) X_ji` for `i ≠ j`.
///
/// The nine eigenvalues are those of `H`, the three `κ_s` (shear modes) and the three `κ_a` (twist modes).
///
/// # Source
/// Stomakhin, Howes, Schroeder & Teran 2012, "Energetically consistent invertible elasticity";
/// Smith, de Goes & Kim 2019, "Analytic eigensystems for isotropic distortion energies",
/// <https://doi.org/10.1145/3241041>.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// Left axes `U`.
    pub left: Matrix3<f64>,
    /// Right axes `V`.
    pub right: Matrix3<f64>,
    /// Derivative `H` of the principal stresses by the principal stretches, Pa; symmetric.
    pub stretch: Matrix3<f64>,
    /// Stiffness `κ_s` of the symmetric modes of the axis pairs (1,2), (1,3), (2,3), Pa.
    pub shear: Vector3<f64>,
    /// Stiffness `κ_a` of the antisymmetric modes of the same pairs, Pa.
    pub twist: Vector3<f64>,
}

impl Tangent {
    /// The change of stress `dP` for the change of deformation `dF`, Pa.
    pub fn differential(&self, deformation_change: &Matrix3<f64>) -> Matrix3<f64> {
        let x = self.left.transpose() * deformation_change * self.right;
        let mut y = Matrix3::from_diagonal(&(self.stretch * x.diagonal()));
        for (pair, (i, j)) in PAIRS.into_iter().enumerate() {
            let (even, odd) = self.halves(pair);
            y[(i, j)] = even * x[(i, j)] + odd * x[(j, i)];
            y[(j, i)] = odd * x[(i, j)] + even * x[(j, i)];
        }
        self.left * y * self.right.transpose()
    }

    /// `M_j = U D_j Uᵀ` with `(D_j)_jj = H_jj`, `(D_j)_ii = ½(κ_s + κ_a)` of the pair `i, j`: the part of
    /// [`contracted`](Self::contracted) that depends on the tangent alone.
    pub(crate) fn axis_blocks(&self) -> [Matrix3<f64>; 3] {
        let [(e01, _), (e02, _), (e12, _)] = [0, 1, 2].map(|pair| self.halves(pair));
        let h = &self.stretch;
        [
            Vector3::new(h[(0, 0)], e01, e02),
            Vector3::new(e01, h[(1, 1)], e12),
            Vector3::new(e02, e12, h[(2, 2)]),
        ]
        .map(|of| self.left * Matrix3::from_diagonal(&of) * self.left.transpose())
    }

    /// The blocks `B_j` with `Σ_j a_j B_j = B` for the stiffness block `B_ik = Σ_jl (∂P_ij/∂F_kl) a_j b_l` per rest
    /// volume (Pa/m²) of two shape gradients `a` and `b`, given in the axes `V`; `axis` is
    /// [`axis_blocks`](Self::axis_blocks). Saves work if many `a` share the same `b`.
    ///
    /// ```text
    /// B_j = b_j M_j + u_j (Σ_k H_jk b_k u_k)ᵀ + (Σ_k ½(κ_s − κ_a)_jk b_k u_k) u_jᵀ        k ≠ j
    /// ```
    #[inline]
    pub(crate) fn contracted(
        &self,
        axis: &[Matrix3<f64>; 3],
        b: &Vector3<f64>,
    ) -> [Matrix3<f64>; 3] {
        let (u0, u1, u2) = columns(&self.left);
        let scaled = [u0 * b[0], u1 * b[1], u2 * b[2]];
        let u = [u0, u1, u2];
        let odd = [0, 1, 2].map(|pair| self.halves(pair).1);
        let of = |j: usize, [(k, of_k), (l, of_l)]: [(usize, usize); 2]| {
            let normal = scaled[k] * self.stretch[(j, k)] + scaled[l] * self.stretch[(j, l)];
            let mixed = scaled[k] * odd[of_k] + scaled[l] * odd[of_l];
            axis[j] * b[j] + u[j] * normal.transpose() + mixed * u[j].transpose()
        };
        // Each other axis with the index of its pair.
        [
            of(0, [(1, 0), (2, 1)]),
            of(1, [(0, 0), (2, 2)]),
            of(2, [(0, 1), (1, 2)]),
        ]
    }

    /// The nearest positive semi-definite tangent in these axes, with the twist stiffness limited to `twist_cap`.
    ///
    /// Negative eigenvalues become zero. The cap (Pa) is active only close to `σ₂ + σ₃ = 0`, where `κ_a` is unbounded.
    #[must_use]
    pub fn projected(mut self, twist_cap: f64) -> Self {
        self.stretch = clamp_negative_eigenvalues(&self.stretch);
        self.shear = self.shear.map(|kappa| kappa.max(0.0));
        self.twist = self.twist.map(|kappa| kappa.clamp(0.0, twist_cap));
        self
    }

    #[inline]
    fn halves(&self, pair: usize) -> (f64, f64) {
        let (shear, twist) = (self.shear[pair], self.twist[pair]);
        (0.5 * (shear + twist), 0.5 * (shear - twist))
    }
}

/// Replaces the negative eigenvalues of a symmetric matrix by zero.
pub(super) fn clamp_negative_eigenvalues(h: &Matrix3<f64>) -> Matrix3<f64> {
    if is_positive_definite(h) {
        return *h;
    }
    let (values, vectors) = symmetric_eigen(h);
    let clamped =
        vectors * Matrix3::from_diagonal(&values.map(|value| value.max(0.0))) * vectors.transpose();
    (clamped + clamped.transpose()) * 0.5
}

/// Sylvester's criterion with a margin for rounding: decides the common case without eigenvalues.
fn is_positive_definite(h: &Matrix3<f64>) -> bool {
    let scale = h.amax();
    let margin = 1e-12;
    let minor = h[(0, 0)] * h[(1, 1)] - h[(0, 1)] * h[(1, 0)];
    h[(0, 0)] > margin * scale
        && minor > margin * scale * scale
        && h.determinant() > margin * scale * scale * scale
}

/// Cyclic Jacobi iteration; at most ten sweeps, where three or four suffice.
fn symmetric_eigen(h: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let mut a = *h;
    let mut vectors = Matrix3::identity();
    for _ in 0..10 {
        let off = a[(0, 1)].abs() + a[(0, 2)].abs() + a[(1, 2)].abs();
        if off <= f64::EPSILON * 0.01 * a.diagonal().amax() {
            break;
        }
        for (p, q) in PAIRS {
            if a[(p, q)].abs() < f64::MIN_POSITIVE {
                continue;
            }
            let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
            let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let cosine = 1.0 / tangent.hypot(1.0);
            let sine = tangent * cosine;
            let mut turn = Matrix3::identity();
            turn[(p, p)] = cosine;
            turn[(q, q)] = cosine;
            turn[(p, q)] = sine;
            turn[(q, p)] = -sine;
            a = turn.transpose() * a * turn;
            vectors *= turn;
        }
    }
    (a.diagonal(), vectors)
}
