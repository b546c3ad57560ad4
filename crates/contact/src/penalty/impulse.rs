//! The impulse of one layer on one pair at one instant.

/// Energy loss of contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// `e`: ratio of the normal speeds after and before an impact, in `[0, 1]`.
    pub restitution: f64,
    /// `μ`: Coulomb friction coefficient, not negative.
    pub friction: f64,
}

impl ContactLaw {
    /// Without friction or loss.
    pub const ELASTIC: Self = Self {
        restitution: 1.0,
        friction: 0.0,
    };
}

/// The impulse (N s) along the normal on the first closest point; a point of weight `w` gets `w` times as much.
///
/// `full` is `h r(l) |g|` (N s): all of it while the sides approach, `e²` of it while they separate (`separation`, m/s,
/// is positive), so that the ratio of normal speeds is `e`.
///
/// # Source
/// Harmon et al. 2009, section on dissipation; reconstructed, because the text gives no formula.
#[inline]
pub fn normal_impulse(law: &ContactLaw, full: f64, separation: f64) -> f64 {
    if separation <= 0.0 {
        full
    } else {
        full * (law.restitution * law.restitution)
    }
}

/// Size (N s) of the friction impulse on the first side, against its slip.
///
/// Friction acts against the slip `s`, less the sticking velocity `v_s`, with `min(μ I_n, m_T |s − v_s|)`. Summed over
/// the ticks of all layers, this is Coulomb's law for sliding. The second bound keeps friction from reversing the
/// motion beyond the sticking position. `speed` is `|s − v_s|` (m/s), and `mobility` (1/kg) is `1/m_T` along it, see
/// [`super::Lever::mobility`]; `v_s` is zero without an [`super::Anchor`].
///
/// # Source
/// As [`normal_impulse`]; differs from it in: `v_s`, without which sticking sides creep between ticks.
#[inline]
pub fn friction_impulse(law: &ContactLaw, normal: f64, speed: f64, mobility: f64) -> f64 {
    let stop = speed / mobility;
    (law.friction * normal).min(stop)
}
