//! State transitions of one contact (Algorithms 2 and 3 of Verschoor & Jalba 2019).
//!
//! A transition is made only if its size *as a displacement* exceeds the tolerance: this prevents chattering. Each
//! transition has its own size.

use super::settings::{ActiveSetCrSettings, DirectionRule};
use crate::method::masked_rows::ACROSS;
use crate::{ContactState, Multipliers, Tolerances};
use nalgebra::Vector3;

/// The data of one contact that decide its transition.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactView {
    /// `(g, s)` (m).
    pub(super) displacement: Vector3<f64>,
    /// Tolerances of the contact.
    pub(super) tolerances: Tolerances,
    /// `μ`.
    pub(super) friction: f64,
    /// `W_n` (m/N).
    pub(super) normal_compliance: f64,
    /// `W_t` (m/N).
    pub(super) tangential_compliance: f64,
    /// Whether the present equalities are solved: gaps and slips within tolerance are then noise without a sign.
    pub(super) solved: bool,
}

impl ContactView {
    /// Range of displacements that is noise and must not decide a transition.
    fn noise(&self, tolerance: f64) -> f64 {
        if self.solved {
            Tolerances::ACCEPTED * tolerance
        } else {
            0.0
        }
    }
}

/// The state that replaces `now`, or `None` if no transition is large enough.
///
/// The history of the moving average in `now` is updated in any case.
pub(super) fn transition(
    now: &mut Multipliers,
    view: &ContactView,
    settings: &ActiveSetCrSettings,
) -> Option<Multipliers> {
    let tolerances = &view.tolerances;
    let gap = view.displacement[0];
    let slip = [view.displacement[1], view.displacement[2]];
    let pressed = now.lambda.max(0.0);
    let smoothed = 0.5 * (now.previous_lambda + pressed);
    now.previous_lambda = pressed;
    match now.state {
        ContactState::Inactive => activation(gap, slip, view.friction, tolerances),
        _ if gap >= -view.noise(tolerances.gap) && now.lambda <= 0.0 => {
            deactivation(now, view, tolerances)
        }
        _ if view.friction == 0.0 => None,
        ContactState::Sticking => slide_off(now, slip, view, settings),
        ContactState::Sliding => {
            stick(now, slip, tolerances).or_else(|| match settings.direction_rule {
                DirectionRule::Implicit => keep_sliding(now, slip, smoothed, view, settings),
                DirectionRule::Damped => keep_sliding_damped(now, slip, smoothed, view, settings),
            })
        }
    }
}

/// Inactive → active: the gap is violated. Size `−g`.
fn activation(
    gap: f64,
    slip: [f64; 2],
    friction: f64,
    tolerances: &Tolerances,
) -> Option<Multipliers> {
    (-gap > tolerances.gap).then(|| Multipliers::fresh(slip, friction, tolerances.slip))
}

/// Active → inactive: separated *and* pulling, because either alone may be transient. Size: the removed force as a
/// displacement.
fn deactivation(
    now: &Multipliers,
    view: &ContactView,
    tolerances: &Tolerances,
) -> Option<Multipliers> {
    let normal = view.normal_compliance * now.lambda.abs();
    let tangential = view.tangential_compliance * norm(now.friction_force());
    (normal.max(tangential) > tolerances.gap).then(Multipliers::default)
}

/// Sticking → sliding: the force is outside the cone, and the slip does not oppose it.
fn slide_off(
    now: &Multipliers,
    slip: [f64; 2],
    view: &ContactView,
    settings: &ActiveSetCrSettings,
) -> Option<Multipliers> {
    let force = norm(now.gamma);
    let cone = view.friction * now.lambda.max(0.0);
    if force <= cone || dot(slip, now.gamma) > force * view.noise(view.tolerances.slip) {
        return None;
    }
    // λ' = ‖γ‖/μ keeps the total force continuous; the moving average then combines it with the true normal force.
    let mut next = Multipliers {
        state: ContactState::Sliding,
        gamma: [0.0; 2],
        slip_direction: [-now.gamma[0] / force, -now.gamma[1] / force],
        ..*now
    };
    let smoothed = 0.5 * (now.lambda.max(0.0) + force / view.friction);
    if settings.direction_rule == DirectionRule::Damped {
        align(&mut next, slip, view, settings);
    }
    apply_sliding_force(&mut next, smoothed, view.friction);
    // Measured to the edge of the cone, not to the averaged force, which would give half of it.
    let change = [
        -cone * next.slip_direction[0] - now.gamma[0],
        -cone * next.slip_direction[1] - now.gamma[1],
    ];
    (view.tangential_compliance * norm(change) > view.tolerances.slip).then_some(next)
}

/// Sliding → sticking: the slip is opposite to its direction. The force is unchanged; size `‖s‖`.
fn stick(now: &Multipliers, slip: [f64; 2], tolerances: &Tolerances) -> Option<Multipliers> {
    let undirected = norm(now.slip_direction) == 0.0;
    (!undirected && dot(slip, now.slip_direction) <= 0.0 && norm(slip) > tolerances.slip).then_some(
        Multipliers {
            state: ContactState::Sticking,
            gamma: now.friction_force(),
            sliding_force: [0.0; 2],
            ..*now
        },
    )
}

/// Sliding → sliding: the size follows the normal force, and the direction follows the force of the row across it.
///
/// Nothing changes while the force satisfies Coulomb's law at this slip to tolerance.
fn keep_sliding(
    now: &Multipliers,
    slip: [f64; 2],
    smoothed: f64,
    view: &ContactView,
    settings: &ActiveSetCrSettings,
) -> Option<Multipliers> {
    let tolerance = view.tolerances.slip;
    let (force, slipped) = (now.friction_force(), norm(slip));
    let cone = view.friction * now.lambda.max(0.0);
    let along_slip = (slipped > tolerance).then(|| [slip[0] / slipped, slip[1] / slipped]);
    let size = norm(force);
    let against_force = (size > 0.0).then(|| [-force[0] / size, -force[1] / size]);
    let direction = against_force.or(along_slip)?;

    // The row across the slip is met to tolerance only: a slip below it across the force has no meaning.
    let across = (slip[0] * direction[1] - slip[1] * direction[0]).abs();
    let aligned = along_slip.is_none_or(|along| {
        let cosine = dot(along, direction);
        cosine >= settings.direction_tolerance.cos()
            || (cosine > 0.0 && across <= Tolerances::ACCEPTED * ACROSS * tolerance)
    });
    let target = if aligned {
        direction
    } else {
        along_slip.unwrap_or(direction)
    };
    let change = [-cone * target[0] - force[0], -cone * target[1] - force[1]];
    if view.tangential_compliance * norm(change) <= tolerance {
        return None;
    }
    let mut next = Multipliers {
        gamma: [0.0; 2],
        slip_direction: direction,
        ..*now
    };
    apply_sliding_force(&mut next, smoothed, view.friction);
    Some(next)
}

/// Sliding → sliding as in the paper (Algorithm 3): `δ` takes a damped step towards the slip.
///
/// The size is measured to the *aligned* direction; the damped step is what changes the state.
fn keep_sliding_damped(
    now: &Multipliers,
    slip: [f64; 2],
    smoothed: f64,
    view: &ContactView,
    settings: &ActiveSetCrSettings,
) -> Option<Multipliers> {
    let slipped = norm(slip);
    let mut next = *now;
    if norm(next.slip_direction) == 0.0 && slipped > view.tolerances.slip {
        next.slip_direction = [slip[0] / slipped, slip[1] / slipped];
    }
    let target = if misaligned(next.slip_direction, slip, view, settings) {
        [slip[0] / slipped, slip[1] / slipped]
    } else {
        next.slip_direction
    };
    let cone = view.friction * now.lambda.max(0.0);
    let change = [
        -cone * target[0] - now.sliding_force[0],
        -cone * target[1] - now.sliding_force[1],
    ];
    if view.tangential_compliance * norm(change) <= view.tolerances.slip {
        return None;
    }
    align(&mut next, slip, view, settings);
    apply_sliding_force(&mut next, smoothed, view.friction);
    Some(next)
}

/// One damped step of `δ` towards the slip.
fn align(
    contact: &mut Multipliers,
    slip: [f64; 2],
    view: &ContactView,
    settings: &ActiveSetCrSettings,
) {
    if !misaligned(contact.slip_direction, slip, view, settings) {
        return;
    }
    let slipped = norm(slip);
    let delta = contact.slip_direction;
    let step = settings.direction_step;
    let turned = [
        delta[0] + step * (slip[0] / slipped - delta[0]),
        delta[1] + step * (slip[1] / slipped - delta[1]),
    ];
    let length = norm(turned);
    contact.slip_direction = [turned[0] / length, turned[1] / length];
}

/// `γ' = −μ λ' δ`.
fn apply_sliding_force(contact: &mut Multipliers, smoothed: f64, friction: f64) {
    let size = friction * smoothed;
    contact.sliding_force = [
        -size * contact.slip_direction[0],
        -size * contact.slip_direction[1],
    ];
}

/// Whether the slip is measurable, points forward, and differs from `δ` by more than `ε_θ`.
fn misaligned(
    delta: [f64; 2],
    slip: [f64; 2],
    view: &ContactView,
    settings: &ActiveSetCrSettings,
) -> bool {
    let slipped = norm(slip);
    if slipped <= view.tolerances.slip {
        return false;
    }
    let cosine = dot(delta, slip) / slipped;
    cosine > 0.0 && cosine < settings.direction_tolerance.cos()
}

fn norm(x: [f64; 2]) -> f64 {
    x[0].hypot(x[1])
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
