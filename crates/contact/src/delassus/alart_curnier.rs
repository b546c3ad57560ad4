//! The Alart-Curnier function of a proximally regularised problem, and its generalised Jacobian.

use super::{BlockRows, FrictionError, FrictionProblem};
use impinge_krylov::direct::SparseLu;
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
use nalgebra_sparse::CscMatrix;

/// `F(r) = 0` of the problem with `W + α D` and `q − α D r₀`, where `D_i = mean(diag W_ii) I`:
///
/// ```text
/// F_N = r_N − max(0, r_N − ρ u_N)
/// F_T = r_T − P(r_T − ρ u_T, disk of radius μ max(0, r_N − ρ u_N)),     ρ_i = 1 / ((1 + α) D_i)
/// ```
///
/// `ρ` gives `F` the unit of a reaction at every contact, so its norm may be compared and minimised.
///
/// # Source
/// Alart & Curnier 1991, <https://doi.org/10.1016/0045-7825(91)90022-X>; differs from it in: the proximal term.
pub(super) struct AlartCurnier {
    /// `D`.
    diagonal: Vec<f64>,
    /// `r₀`.
    pub(super) centre: Vec<Vector3<f64>>,
    /// `α`.
    pub(super) alpha: f64,
    /// Per block column `(row, slot)`.
    places: Vec<Vec<(usize, usize)>>,
    jacobian: CscMatrix<f64>,
    lu: SparseLu,
    /// Per contact `∂F/∂r` and `∂F/∂u`.
    slopes: Vec<(Matrix3<f64>, Matrix3<f64>)>,
    step: Vec<f64>,
}

impl AlartCurnier {
    /// Allocates for problems with the pattern of `w`.
    pub(super) fn new(w: &BlockRows) -> Result<Self, FrictionError> {
        let contacts = w.size();
        let jacobian = w.to_csc();
        let lu = SparseLu::new(&jacobian).map_err(|_| FrictionError::TooLarge { contacts })?;
        Ok(Self {
            diagonal: w.mean_diagonals(),
            centre: vec![Vector3::zeros(); contacts],
            alpha: 0.0,
            places: w.transposed_places(),
            jacobian,
            lu,
            slopes: vec![(Matrix3::zeros(), Matrix3::zeros()); contacts],
            step: vec![0.0; 3 * contacts],
        })
    }

    /// `F` at `r`, and with `slopes` the derivatives that [`Self::newton_step`] needs; returns `‖F‖₂`.
    pub(super) fn evaluate(
        &mut self,
        problem: &FrictionProblem,
        reactions: &[Vector3<f64>],
        values: &mut [Vector3<f64>],
    ) -> f64 {
        let mut sum = 0.0;
        for (contact, value) in values.iter_mut().enumerate() {
            let r = reactions[contact];
            let d = self.diagonal[contact];
            let u = problem.delassus().row_times(contact, reactions)
                + problem.free_velocity()[contact]
                + (r - self.centre[contact]) * (self.alpha * d);
            let rho = 1.0 / ((1.0 + self.alpha) * d);
            let (f, by_r, by_u) = contact_function(&r, &u, problem.friction()[contact], rho);
            self.slopes[contact] = (by_r, by_u);
            *value = f;
            sum += f.norm_squared();
        }
        sum.sqrt()
    }

    /// Solves `F' s = −F` at the last evaluated point; `None` if the Jacobian is singular there.
    pub(super) fn newton_step(&mut self, w: &BlockRows, values: &[Vector3<f64>]) -> Option<&[f64]> {
        let mut entries = self.jacobian.values_mut().chunks_exact_mut(3);
        for (column, places) in self.places.iter().enumerate() {
            for axis in 0..3 {
                for &(row, slot) in places {
                    let (by_r, by_u) = &self.slopes[row];
                    let mut lane: Vector3<f64> = w.slot(slot).column(axis).into_owned();
                    if row == column {
                        lane[axis] += self.alpha * self.diagonal[row];
                    }
                    let mut change = by_u * lane;
                    if row == column {
                        change += by_r.column(axis);
                    }
                    entries
                        .next()
                        .expect("three entries per place and axis")
                        .copy_from_slice(change.as_slice());
                }
            }
        }
        self.lu.factorize(&self.jacobian).ok()?;
        for (step, value) in self.step.chunks_exact_mut(3).zip(values) {
            step.copy_from_slice((-value).as_slice());
        }
        self.lu.solve_in_place(&mut self.step);
        let finite = self.step.iter().all(|s| s.is_finite());
        finite.then_some(&self.step)
    }
}

/// `F`, `∂F/∂r`, `∂F/∂u` of one contact.
pub(super) fn contact_function(
    r: &Vector3<f64>,
    u: &Vector3<f64>,
    mu: f64,
    rho: f64,
) -> (Vector3<f64>, Matrix3<f64>, Matrix3<f64>) {
    let pressed = r.x - rho * u.x;
    if pressed <= 0.0 {
        return (*r, Matrix3::identity(), Matrix3::zeros());
    }
    let trial = Vector2::new(r.y - rho * u.y, r.z - rho * u.z);
    let length = trial.norm();
    let radius = mu * pressed;
    if length <= radius {
        return (
            rho * u,
            Matrix3::zeros(),
            Matrix3::from_diagonal_element(rho),
        );
    }
    let along = trial / length;
    let value = Vector3::new(rho * u.x, r.y - radius * along.x, r.z - radius * along.y);
    // P turns with the trial force and grows with the normal one.
    let turning = (Matrix2::identity() - along * along.transpose()) * (radius / length);
    let mut by_r = Matrix3::zeros();
    let mut by_u = Matrix3::zeros();
    by_u.m11 = rho;
    for i in 0..2 {
        by_r[(1 + i, 0)] = -mu * along[i];
        by_u[(1 + i, 0)] = rho * mu * along[i];
        for j in 0..2 {
            let unit = if i == j { 1.0 } else { 0.0 };
            by_r[(1 + i, 1 + j)] = unit - turning[(i, j)];
            by_u[(1 + i, 1 + j)] = rho * turning[(i, j)];
        }
    }
    (value, by_r, by_u)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Central differences in every state, away from the kinks.
    #[test]
    fn derivatives_are_those_of_the_function() {
        let states = [
            (
                "open",
                Vector3::new(0.1, 0.3, -0.2),
                Vector3::new(1.0, 0.5, 0.7),
            ),
            (
                "sticking",
                Vector3::new(2.0, 0.1, -0.1),
                Vector3::new(-0.3, 0.1, 0.2),
            ),
            (
                "sliding",
                Vector3::new(0.7, 0.3, -0.9),
                Vector3::new(-0.3, 1.0, 0.2),
            ),
        ];
        let (mu, rho, h) = (0.6, 0.4, 1e-5);
        for (state, r, u) in states {
            let (_, by_r, by_u) = contact_function(&r, &u, mu, rho);
            for axis in 0..3 {
                let e = Vector3::ith(axis, h);
                let f = |dr: Vector3<f64>, du: Vector3<f64>| {
                    contact_function(&(r + dr), &(u + du), mu, rho).0
                };
                let zero = Vector3::zeros();
                let in_r = (f(e, zero) - f(-e, zero)) / (2.0 * h);
                let in_u = (f(zero, e) - f(zero, -e)) / (2.0 * h);
                assert!(
                    (in_r - by_r.column(axis)).amax() < 1e-9,
                    "{state}, r {axis}"
                );
                assert!(
                    (in_u - by_u.column(axis)).amax() < 1e-9,
                    "{state}, u {axis}"
                );
            }
        }
    }
}
