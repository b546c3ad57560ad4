//! What one layer does to one pair at one instant.

use nalgebra::Vector3;

/// How contacts lose energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// `e`: ratio of the normal speeds after and before an impact, in `[0, 1]`.
    pub restitution: f64,
    /// `μ`: Coulomb friction coefficient, not negative.
    pub friction: f64,
}

impl ContactLaw {
    /// Neither friction nor loss.
    pub const ELASTIC: Self = Self {
        restitution: 1.0,
        friction: 0.0,
    };
}

/// A layer that is pressed, acting for one step of its clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerPush {
    /// `h r(l) |g|` (N s).
    pub impulse: f64,
    /// `n`: unit vector towards the first side.
    pub normal: Vector3<f64>,
    /// `Σ w v` (m/s): velocity of the first closest point relative to the second, before the push.
    pub relative_velocity: Vector3<f64>,
    /// `v_s` (m/s): velocity across the normal at which the sides undo what they have slipped, see
    /// [`super::Anchor`]; zero where slip is not remembered.
    pub sticking_velocity: Vector3<f64>,
    /// `1/m_T = Σ w²/m` (1/kg).
    pub mobility: f64,
}

/// The impulse (N s) on the first closest point; a point of weight `w` gets `w` times as much.
///
/// While the sides approach, the full impulse `h r |g| n`; while they separate, `e²` of it, so that the ratio of normal
/// speeds is `e`. Friction acts against the tangential part `u_T` of the relative velocity, less the velocity `v_s` of
/// sticking, with `min(μ I_n, m_T |u_T − v_s|)`: summed over the ticks of all layers that is Coulomb's law for sliding, and
/// the second bound keeps it from turning the motion round further than back to where the sides stuck.
///
/// # Source
/// Harmon et al. 2009, section on dissipation; reconstructed, for that text gives no formula. Differs from it in: without
/// `v_s` what sticks creeps between ticks.
#[inline]
pub fn layer_impulse(law: &ContactLaw, push: &LayerPush) -> Vector3<f64> {
    let approach = push.normal.dot(&push.relative_velocity);
    let size = if approach <= 0.0 {
        push.impulse
    } else {
        push.impulse * (law.restitution * law.restitution)
    };
    let normal = push.normal * size;
    if law.friction <= 0.0 {
        return normal;
    }
    let slip = push.relative_velocity - push.normal * approach - push.sticking_velocity;
    let speed = slip.norm();
    if speed <= 0.0 {
        return normal;
    }
    let bound = law.friction * size;
    let stop = speed / push.mobility;
    normal - slip * (bound.min(stop) / speed)
}
