//! Conjugate residuals on a system that changes between restarts, with a guard against useless directions.

use crate::vector::{axpy, dot, norm, xpby};

/// Relative change of the residual below which `z` is useless as the next direction (`zᵀ B z ≈ 0`).
const NO_PROGRESS: f64 = 1e-8;

/// `‖B z‖ < STATIONARY·‖r‖`: the residual is orthogonal to the range of `B`, up to rounding.
const STATIONARY: f64 = 1e-8;

/// A vector of the iteration.
pub trait KrylovVector {
    /// `self · other`.
    fn dot(&self, other: &Self) -> f64;

    /// `self += a x`.
    fn axpy(&mut self, a: f64, x: &Self);

    /// `self = x + b self`.
    fn xpby(&mut self, x: &Self, b: f64);

    /// `self = x + a y`; overwrites `self`.
    fn assign_sum(&mut self, x: &Self, a: f64, y: &Self);

    /// `self = other`.
    fn copy_from(&mut self, other: &Self);

    /// `‖self‖₂`.
    fn norm(&self) -> f64 {
        self.dot(self).sqrt()
    }
}

impl KrylovVector for Vec<f64> {
    fn dot(&self, other: &Self) -> f64 {
        dot(self, other)
    }

    fn axpy(&mut self, a: f64, x: &Self) {
        axpy(a, x, self);
    }

    fn xpby(&mut self, x: &Self, b: f64) {
        xpby(x, b, self);
    }

    fn assign_sum(&mut self, x: &Self, a: f64, y: &Self) {
        for ((out, x), y) in self.iter_mut().zip(x).zip(y) {
            *out = x + a * y;
        }
    }

    fn copy_from(&mut self, other: &Self) {
        self.copy_from_slice(other);
    }

    fn norm(&self) -> f64 {
        norm(self)
    }
}

/// A symmetric system `B x = d` with a preconditioner `C`, with active and inactive rows.
pub trait PartialSystem<V> {
    /// Zeroes the entries of `x` that [`multiply`](Self::multiply) and [`precondition`](Self::precondition) do not
    /// write.
    fn clear(&self, x: &mut V);

    /// `out = B x`.
    fn multiply(&mut self, x: &V, out: &mut V);

    /// `out = C⁻¹ x`.
    fn precondition(&mut self, x: &V, out: &mut V);
}

/// Conjugate residuals; the caller keeps the iterate and may change the system before every restart.
///
/// ```text
/// q = C⁻¹ B p,   α = rᵀq / (Bp)ᵀq,   x += α p,   r −= α B p,   z −= α q
/// p ← w − c₁ p − c₂ p₋,   c₁ = (Bw)ᵀq / (Bp)ᵀq,   c₂ = (Bw)ᵀq₋ / (Bp₋)ᵀq₋,   w = z, or w = q after a useless step
/// ```
///
/// A step is useless if it hardly changes the residual. In exact arithmetic `c₂ = 0` unless this step or the last one
/// was useless, so the third term is formed only then. `B` and `C` may be indefinite.
///
/// # Source
/// Recurrences as in [`ConjugateResidual`](super::ConjugateResidual), with the three-term recurrence of Hestenes &
/// Stiefel 1952, <https://doi.org/10.6028/jres.049.044>, after useless steps.
#[derive(Debug, Default)]
pub struct GuardedConjugateResidual<V> {
    /// `r = d − B x`; the caller updates it after a change of `x` or the system.
    pub residual: V,
    /// `z = C⁻¹ r`.
    z: V,
    p: V,
    bp: V,
    q: V,
    /// `B w` of the vector `w` from which the next direction starts.
    bw: V,
    /// `p₋`, `B p₋` and `q₋`.
    previous: [V; 3],
    previous_curvature: Option<f64>,
    curvature: f64,
    guarded: bool,
}

impl<V: KrylovVector> GuardedConjugateResidual<V> {
    /// All vectors, to set their lengths; the residual is the first.
    pub fn vectors_mut(&mut self) -> impl Iterator<Item = &mut V> {
        let own = [
            &mut self.residual,
            &mut self.z,
            &mut self.p,
            &mut self.bp,
            &mut self.q,
            &mut self.bw,
        ];
        own.into_iter().chain(&mut self.previous)
    }

    /// The direction of the next step, or of the last one until [`turn`](Self::turn).
    pub fn direction(&self) -> &V {
        &self.p
    }

    /// Whether the last step was useless.
    pub fn was_guarded(&self) -> bool {
        self.guarded
    }

    /// `z = C⁻¹ r`, `p = z`, `B p`: one product with `B`.
    pub fn restart(&mut self, system: &mut impl PartialSystem<V>) {
        let kept = [&mut self.z, &mut self.q, &mut self.bp, &mut self.bw];
        for vector in kept.into_iter().chain(&mut self.previous) {
            system.clear(vector);
        }
        self.refresh(system);
        self.p.copy_from(&self.z);
        system.multiply(&self.p, &mut self.bp);
        self.previous_curvature = None;
        self.guarded = false;
    }

    /// Computes `z = C⁻¹ r` for a new residual; directions are unchanged.
    pub fn refresh(&mut self, system: &mut impl PartialSystem<V>) {
        system.precondition(&self.residual, &mut self.z);
    }

    /// `q = C⁻¹ B p`; returns `(Bp)ᵀq`, the divisor of a step.
    pub fn curvature(&mut self, system: &mut impl PartialSystem<V>) -> f64 {
        system.precondition(&self.bp, &mut self.q);
        self.curvature = self.bp.dot(&self.q);
        self.curvature
    }

    /// Advances the residuals along `p`; returns `α`, by which the caller advances `x`. Valid after
    /// [`curvature`](Self::curvature), if that is not zero.
    pub fn advance(&mut self) -> f64 {
        let alpha = self.residual.dot(&self.q) / self.curvature;
        self.residual.axpy(-alpha, &self.bp);
        self.z.axpy(-alpha, &self.q);
        alpha
    }

    /// Whether a step of `alpha` was useless for a residual of norm `residual`.
    pub fn is_useless(&self, alpha: f64, residual: f64) -> bool {
        alpha.abs() * self.bp.norm() <= NO_PROGRESS * residual
    }

    /// Whether the residual is orthogonal to the range of `B`: one product with `B`.
    pub fn is_stationary(&mut self, system: &mut impl PartialSystem<V>) -> bool {
        system.multiply(&self.z, &mut self.bw);
        self.cannot_reach()
    }

    fn cannot_reach(&self) -> bool {
        self.bw.norm() < STATIONARY * self.residual.norm()
    }

    /// Computes the next direction, from `q` if the step was useless (`guarded`): one product with `B`. True if no
    /// direction reduces the residual.
    pub fn turn(&mut self, system: &mut impl PartialSystem<V>, guarded: bool) -> bool {
        let w = if guarded { &self.q } else { &self.z };
        system.multiply(w, &mut self.bw);
        let c1 = self.bw.dot(&self.q) / self.curvature;
        let c2 = match self.previous_curvature {
            Some(curvature) if guarded || self.guarded => {
                self.bw.dot(&self.previous[2]) / curvature
            }
            _ => 0.0,
        };
        // The new direction overwrites the one before the current, which then becomes the previous one.
        let [p_previous, bp_previous, q_previous] = &mut self.previous;
        if c2 == 0.0 {
            p_previous.assign_sum(w, -c1, &self.p);
            bp_previous.assign_sum(&self.bw, -c1, &self.bp);
        } else {
            p_previous.xpby(w, -c2);
            p_previous.axpy(-c1, &self.p);
            bp_previous.xpby(&self.bw, -c2);
            bp_previous.axpy(-c1, &self.bp);
        }
        std::mem::swap(p_previous, &mut self.p);
        std::mem::swap(bp_previous, &mut self.bp);
        std::mem::swap(q_previous, &mut self.q);
        self.previous_curvature = Some(self.curvature);
        self.guarded = guarded;
        !guarded && self.cannot_reach()
    }
}
