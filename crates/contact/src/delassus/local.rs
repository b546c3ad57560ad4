//! One contact, solved exactly.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

/// Reaction of one contact with `u = W r + q`, Signorini's and Coulomb's laws.
///
/// Separates if `q_N ≥ 0`; else sticks if the reaction that stops it lies in the cone; else slides. With `u_T = −λ
/// r_T`, `λ > 0`, sliding means
///
/// ```text
/// (S + λ I) r_T = −(q_T − W_TN q_N / W_NN),   S = W_TT − W_TN W_NT / W_NN
/// r_N = −(q_N + W_NT r_T) / W_NN,             h(λ) = 1 − μ r_N / ‖r_T‖ = 0
/// ```
///
/// `h > 0` if sticking fails (`λ = 0`) and `h < 0` for large `λ`, so a solution exists; `‖r_T‖ = μ r_N`, squared, is
/// the quartic of Bonnefon and Daviet. Here the root is bracketed and found to the last bits: roots of the polynomial
/// are less accurate near the tip of the cone. The quotient `h` is nearly linear, since `‖r_T‖` decreases as `1 / (s +
/// λ)`: secants find its root in a few steps, while `‖r_T‖ − μ r_N` needs many.
///
/// `W_NN` must be positive and `S` positive semi-definite up to rounding.
///
/// # Source
/// Bonnefon & Daviet 2011, "Quartic formulation of Coulomb 3D frictional contact", INRIA RT-0400; differs from it in: a
/// bracketed root instead of the quartic's, so `W` need not be symmetric.
pub fn one_contact(w: &Matrix3<f64>, q: &Vector3<f64>, friction: f64) -> Vector3<f64> {
    one_contact_near(w, q, friction, f64::NAN)
}

/// [`one_contact`] with a `guess` of `λ`. It saves half of the search, and affects the last bits of the result only.
pub(crate) fn one_contact_near(
    w: &Matrix3<f64>,
    q: &Vector3<f64>,
    friction: f64,
    guess: f64,
) -> Vector3<f64> {
    if q.x >= 0.0 {
        return Vector3::zeros();
    }
    let sliding = Sliding::new(w, q, friction);
    if friction == 0.0 {
        return Vector3::new(-q.x / w.m11, 0.0, 0.0);
    }
    let least = sliding.least();
    let (stick, excess) = sliding.at(least);
    if excess <= 0.0 {
        stick
    } else {
        sliding.root(least, guess)
    }
}

/// Accuracy of `h`, a number of order one.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The family of reactions over `λ`.
struct Sliding {
    schur: Matrix2<f64>,
    load: Vector2<f64>,
    coupling: Vector2<f64>,
    normal: (f64, f64),
    friction: f64,
    /// The `λ` for which `S` and `λ I` have equal size.
    scale: f64,
    /// Rounding errors in `S`.
    rounding: f64,
}

impl Sliding {
    fn new(w: &Matrix3<f64>, q: &Vector3<f64>, friction: f64) -> Self {
        let tangential = w.fixed_view::<2, 2>(1, 1).into_owned();
        let to_tangent = Vector2::new(w.m21, w.m31);
        let coupling = Vector2::new(w.m12, w.m13);
        let schur = tangential - to_tangent * coupling.transpose() / w.m11;
        let rounding =
            8.0 * f64::EPSILON * (tangential.trace() + to_tangent.norm() * coupling.norm() / w.m11);
        Self {
            schur,
            load: -(q.yz() - to_tangent * (q.x / w.m11)),
            coupling,
            normal: (w.m11, q.x),
            friction,
            scale: schur.trace().max(2.0 * rounding).max(f64::EPSILON * w.m11),
            rounding,
        }
    }

    /// The `λ` of sticking: 0, or if `S` is singular to rounding, the smallest that makes it definite.
    ///
    /// The remaining slip, `λ r_T`, is rounding too.
    fn least(&self) -> f64 {
        let smallest_eigenvalue = self.schur.determinant() / self.scale;
        if smallest_eigenvalue > 1e3 * self.rounding {
            0.0
        } else {
            self.rounding.max(f64::MIN_POSITIVE)
        }
    }

    /// Reaction and `h` at `λ`; not finite if `S + λ I` is singular.
    fn at(&self, lambda: f64) -> (Vector3<f64>, f64) {
        let a = self.schur.m11 + lambda;
        let d = self.schur.m22 + lambda;
        let (b, c) = (self.schur.m12, self.schur.m21);
        let determinant = a * d - b * c;
        let r1 = (d * self.load.x - b * self.load.y) / determinant;
        let r2 = (a * self.load.y - c * self.load.x) / determinant;
        let normal = -(self.normal.1 + self.coupling.x * r1 + self.coupling.y * r2) / self.normal.0;
        let length = (r1 * r1 + r2 * r2).sqrt();
        let excess = if length == 0.0 {
            if normal >= 0.0 { -1.0 } else { 1.0 }
        } else {
            1.0 - self.friction * normal / length
        };
        (Vector3::new(normal, r1, r2), excess)
    }

    /// The reaction at the sign change of `h` above `low`, searched from `guess` if that is above `low` too.
    fn root(&self, mut low: f64, guess: f64) -> Vector3<f64> {
        let mut high = if guess > low { guess } else { self.scale };
        let mut best = self.at(high);
        // h(λ) < 0 for large λ: r_T vanishes and r_N tends to −q_N / W_NN > 0.
        for _ in 0..1100 {
            if best.1 <= 0.0 {
                break;
            }
            low = high;
            high *= 4.0;
            best = self.at(high);
        }
        let mut at_low = self.at(low).1;
        let mut at_high = best.1;
        // Illinois' regula falsi: superlinear, and never leaves the bracket.
        let mut side = 0;
        for _ in 0..100 {
            if at_high.abs() <= ROUNDING || high - low <= 2.0 * f64::EPSILON * high {
                break;
            }
            let secant = (low * at_high - high * at_low) / (at_high - at_low);
            let middle = if secant > low && secant < high {
                secant
            } else {
                0.5 * (low + high)
            };
            let here = self.at(middle);
            if here.1.is_nan() || middle <= low || middle >= high {
                break;
            }
            if here.1 <= 0.0 {
                (high, at_high, best) = (middle, here.1, here);
                if side == -1 {
                    at_low *= 0.5;
                }
                side = -1;
            } else {
                (low, at_low) = (middle, here.1);
                if side == 1 {
                    at_high *= 0.5;
                }
                side = 1;
            }
        }
        // Exactly on the surface of the cone, whatever the remaining `h`.
        let mut reaction = best.0;
        let length = reaction.yz().norm();
        if length > 0.0 {
            let factor = self.friction * reaction.x / length;
            reaction.y *= factor;
            reaction.z *= factor;
        }
        reaction
    }
}
