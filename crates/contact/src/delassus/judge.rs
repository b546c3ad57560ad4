//! Errors of a solution of a friction problem, computed from the definitions, independently of all methods.

use super::{FrictionError, FrictionProblem, GlobalFrictionProblem};
use nalgebra::Vector3;

/// Values below count as zero and are no divisors, as in Siconos.
const NEGLIGIBLE: f64 = 2.2e-16;
/// The same in the errors of global problems.
const NEGLIGIBLE_GLOBAL: f64 = 1.5e-8;

/// Largest penetration and complementarity of a solution. If no motion keeps all contacts separated, forces can grow
/// until both relative errors, which are over `‖r‖`, are within any tolerance.
const GROSS: f64 = 1e-3;

/// Errors of reactions, all dimensionless except the first.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrictionResidual {
    /// `‖r − P_K(r − û)‖₂`, step 1: the natural map in the units of the problem.
    pub natural_map: f64,
    /// The natural map over `max(‖q‖, ‖r‖, ‖u‖)`: Siconos' error.
    pub siconos_error: f64,
    /// The natural map with the step `1 / mean(diag W_ii)` at contact `i`, over `‖r‖`: no units.
    pub scaled_error: f64,
    /// `max(0, −u_N) / max|q|`.
    pub penetration: f64,
    /// `max(0, ‖r_T‖ − μ r_N) / max|r|`.
    pub cone: f64,
    /// `|r_N u_N| / (max|r| max|q|)`.
    pub complementarity: f64,
    /// `(μ r_N ‖u_T‖ + r_T · u_T) / (max|r| max|q|)`: missing dissipation of friction.
    pub dissipation: f64,
}

impl FrictionResidual {
    /// The larger of the two dimensionless errors.
    pub fn worst_error(&self) -> f64 {
        worst(self.siconos_error, self.scaled_error)
    }

    /// Whether penetration or complementarity is above both `tolerance` and a thousandth. Reactions may be so large
    /// that both relative errors are within `tolerance` nevertheless.
    pub fn is_gross(&self, tolerance: f64) -> bool {
        let most = worst(self.penetration, self.complementarity);
        most.is_nan() || most > GROSS.max(tolerance)
    }

    /// Whether this is a solution: both errors within `tolerance`, and neither penetration nor complementarity gross.
    pub fn is_answer(&self, tolerance: f64) -> bool {
        self.worst_error() <= tolerance && !self.is_gross(tolerance)
    }
}

/// Computes the errors of `reactions` on `problem`.
///
/// # Panics
/// If there is not one reaction per contact.
#[track_caller]
pub fn friction_residual(
    problem: &FrictionProblem,
    reactions: &[Vector3<f64>],
) -> FrictionResidual {
    assert_eq!(
        reactions.len(),
        problem.contacts(),
        "one reaction per contact"
    );
    let velocities: Vec<Vector3<f64>> = (0..problem.contacts())
        .map(|contact| {
            let (columns, blocks) = problem.delassus().row(contact);
            let q = problem.free_velocity()[contact];
            columns
                .iter()
                .zip(blocks)
                .fold(q, |u, (&j, block)| u + block * reactions[j as usize])
        })
        .collect();
    judge(problem, reactions, &velocities)
}

/// The errors for a given `u`.
fn judge(
    problem: &FrictionProblem,
    reactions: &[Vector3<f64>],
    velocities: &[Vector3<f64>],
) -> FrictionResidual {
    let mut out = FrictionResidual::default();
    let (mut plain, mut scaled) = (0.0, 0.0);
    let most_q = largest(problem.free_velocity());
    let most_r = largest(reactions);
    for (contact, (r, u)) in reactions.iter().zip(velocities).enumerate() {
        let mu = problem.friction()[contact];
        plain += natural_map(r, u, mu, 1.0).norm_squared();
        let diagonal = problem.delassus().diagonal(contact).diagonal();
        scaled += natural_map(r, u, mu, 1.0 / diagonal.mean()).norm_squared();
        let (r_t, u_t) = (r.yz(), u.yz());
        out.penetration = worst(out.penetration, over(-u.x, most_q));
        out.cone = worst(out.cone, over(r_t.norm() - mu * r.x, most_r));
        let power = most_r * most_q;
        out.complementarity = worst(out.complementarity, over((r.x * u.x).abs(), power));
        out.dissipation = worst(
            out.dissipation,
            over(mu * r.x * u_t.norm() + r_t.dot(&u_t), power),
        );
    }
    out.natural_map = plain.sqrt();
    let scale = norm(problem.free_velocity())
        .max(norm(reactions))
        .max(norm(velocities));
    out.siconos_error = quotient(out.natural_map, scale, NEGLIGIBLE);
    out.scaled_error = quotient(scaled.sqrt(), norm(reactions), 0.0);
    out
}

/// Errors of reactions of a global problem.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GlobalFrictionResidual {
    /// `‖f + H r − M v‖ / max(‖f‖, ‖M v‖, ‖H r‖)`.
    pub equilibrium: f64,
    /// Siconos' error of the global problem: the equilibrium, and the natural map over `max(‖u‖, ‖r‖)`.
    pub siconos_error: f64,
    /// Errors with `u = Hᵀ v + b` instead of `W r + q`; only the diagonal of `W` is that of the condensed problem.
    pub local: FrictionResidual,
}

/// Computes the errors of `reactions` on a global problem with the condensed form `condensed`.
///
/// # Errors
/// Those of [`GlobalFrictionProblem::velocity`].
pub fn global_friction_residual(
    problem: &GlobalFrictionProblem,
    condensed: &FrictionProblem,
    reactions: &[Vector3<f64>],
) -> Result<GlobalFrictionResidual, FrictionError> {
    let v = problem.velocity(reactions)?;
    let u = problem.contact_velocity(&v);
    let stacked: Vec<f64> = reactions.iter().flat_map(|r| [r.x, r.y, r.z]).collect();
    let pushed = &problem.directions * &nalgebra::DVector::from_vec(stacked);
    let moved = &problem.mass * &nalgebra::DVector::from_vec(v);
    let f = nalgebra::DVector::from_column_slice(&problem.forces);
    let scale = f.norm().max(moved.norm()).max(pushed.norm());
    let equilibrium = quotient((&f + pushed - moved).norm(), scale, NEGLIGIBLE_GLOBAL);
    let local = judge(condensed, reactions, &u);
    let scale = norm(&u).max(norm(reactions));
    Ok(GlobalFrictionResidual {
        equilibrium,
        siconos_error: equilibrium + quotient(local.natural_map, scale, NEGLIGIBLE_GLOBAL),
        local,
    })
}

/// `r − P_K(r − ρ û)` with `û = u + μ ‖u_T‖ e_N` (De Saxcé).
fn natural_map(r: &Vector3<f64>, u: &Vector3<f64>, mu: f64, rho: f64) -> Vector3<f64> {
    let corrected = u + Vector3::x() * (mu * u.yz().norm());
    r - project_on_cone(&(r - rho * corrected), mu)
}

/// The nearest point of `K = {‖x_T‖ ≤ μ x_N}`.
fn project_on_cone(x: &Vector3<f64>, mu: f64) -> Vector3<f64> {
    let tangential = x.yz().norm();
    // Without friction the cone is a ray, and `0 ≤ 0 · x_N` does not determine the side.
    if x.x >= 0.0 && tangential <= mu * x.x {
        *x
    } else if mu * tangential <= -x.x {
        Vector3::zeros()
    } else {
        let normal = (x.x + mu * tangential) / (1.0 + mu * mu);
        let factor = mu * normal / tangential;
        Vector3::new(normal, factor * x.y, factor * x.z)
    }
}

/// `‖·‖` of all components.
pub(super) fn norm(vectors: &[Vector3<f64>]) -> f64 {
    vectors
        .iter()
        .map(Vector3::norm_squared)
        .sum::<f64>()
        .sqrt()
}

fn largest(vectors: &[Vector3<f64>]) -> f64 {
    vectors.iter().fold(0.0, |most, x| worst(most, x.amax()))
}

/// `part / whole` if `whole` is above `negligible`, else `part`.
fn quotient(part: f64, whole: f64, negligible: f64) -> f64 {
    if whole > negligible {
        part / whole
    } else {
        part
    }
}

/// `max(0, part) / whole`; 0 if `part` is not positive.
fn over(part: f64, whole: f64) -> f64 {
    if part <= 0.0 {
        0.0
    } else {
        quotient(part, whole, 0.0)
    }
}

/// The larger of the two; NaN is larger than any number and must not be lost.
fn worst(so_far: f64, value: f64) -> f64 {
    if value.is_nan() || value > so_far {
        value
    } else {
        so_far
    }
}
