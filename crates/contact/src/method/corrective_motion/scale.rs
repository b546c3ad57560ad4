//! The merit of one contact: its residual over the tolerances.

use crate::Tolerances;
use nalgebra::Vector3;

/// Scales of a contact's residual; stored, because divisions in every sweep would be slow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    /// `W_n` of the residual (m/N).
    normal: f64,
    /// `W_t` of the residual (m/N), and its inverse.
    tangential: f64,
    per_tangential: f64,
    /// Inverse tolerances of gap and slip (1/m).
    per_gap: f64,
    per_slip: f64,
}

impl Scale {
    /// Scales for the compliances `[W_n, W_t]` of the step's residual (m/N) and the tolerances of gaps, slips and
    /// forces (N).
    ///
    /// In a stiff body a gap within its tolerance may correspond to most of the force, which the next step would turn
    /// into velocity: bodies would jump. So gaps and slips are also limited to the displacement due to a force of its
    /// tolerance.
    pub(super) fn new([normal, tangential]: [f64; 2], tolerances: &Tolerances, force: f64) -> Self {
        Self {
            normal,
            tangential,
            per_tangential: 1.0 / tangential,
            per_gap: 1.0 / tolerances.gap.min(normal * force),
            per_slip: 1.0 / tolerances.slip.min(tangential * force),
        }
    }

    /// Gap or slip over its tolerance, whichever is larger, as in the step's residual; `u` is the displacement of the
    /// contact, `q` included (m).
    pub(super) fn merit(&self, force: &Vector3<f64>, u: &Vector3<f64>, friction: f64) -> f64 {
        // An open contact without force has no residual; about a third of all contacts are open.
        if u.x >= 0.0 && *force == Vector3::zeros() {
            return 0.0;
        }
        let normal = (self.normal * force.x).min(u.x).abs() * self.per_gap;
        let pushed = [
            force.y - u.y * self.per_tangential,
            force.z - u.z * self.per_tangential,
        ];
        let radius = friction * force.x.max(0.0);
        let squared = pushed[0] * pushed[0] + pushed[1] * pushed[1];
        // `hypot` would be slower, and forces are far from overflow.
        let off = if squared > radius * radius {
            let share = radius / squared.sqrt();
            let off = [force.y - share * pushed[0], force.z - share * pushed[1]];
            self.tangential * (off[0] * off[0] + off[1] * off[1]).sqrt()
        } else {
            // A force that is projected to itself, inside the cone: the residual is the slip.
            (u.y * u.y + u.z * u.z).sqrt()
        };
        let tangential = off * self.per_slip;
        if tangential > normal || tangential.is_nan() {
            tangential
        } else {
            normal
        }
    }

    /// Whether an open contact (with gap `u`) has a small remaining force, which would count as a normal force.
    pub(super) fn pulls_apart(&self, force: &Vector3<f64>, u: &Vector3<f64>) -> bool {
        force.x != 0.0 && u.x > self.normal * force.x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOLERANCES: Tolerances = Tolerances {
        momentum: 1.0,
        gap: 1e-6,
        slip: 1e-7,
    };

    proptest! {
        /// Compared with the definition: complementarity of force and gap, and projection onto the disk of the cone.
        #[test]
        fn the_merit_is_the_worse_of_gap_and_slip_over_its_tolerance(
            [w_n, w_t] in [1e-6..1e-3, 1e-6..1e-3_f64],
            force in [-1.0..10.0, -5.0..5.0, -5.0..5.0_f64],
            u in [-1e-3..1e-3, -1e-3..1e-3, -1e-3..1e-3_f64],
            friction in 0.0..1.0_f64,
            force_tolerance in prop_oneof![Just(f64::INFINITY), 1e-4..1.0_f64],
        ) {
            let scale = Scale::new([w_n, w_t], &TOLERANCES, force_tolerance);
            let gap = (w_n * force[0]).min(u[0]).abs();
            let pushed = [force[1] - u[1] / w_t, force[2] - u[2] / w_t];
            let radius = friction * force[0].max(0.0);
            let share = (radius / pushed[0].hypot(pushed[1])).min(1.0);
            let slip = w_t * (force[1] - share * pushed[0]).hypot(force[2] - share * pushed[1]);
            let expected = (gap / TOLERANCES.gap.min(w_n * force_tolerance))
                .max(slip / TOLERANCES.slip.min(w_t * force_tolerance));
            let merit = scale.merit(&Vector3::from(force), &Vector3::from(u), friction);
            prop_assert!((merit - expected).abs() <= 1e-12 * expected, "{} {}", merit, expected);
        }
    }

    #[test]
    fn an_open_contact_without_force_is_good_and_a_number_that_is_none_is_not() {
        let scale = Scale::new([1e-4; 2], &TOLERANCES, 1.0);
        let open = Vector3::new(1e-3, 1e-3, 0.0);
        assert!(scale.merit(&Vector3::zeros(), &open, 0.5) <= 0.0);
        let nan = Vector3::new(-1e-3, f64::NAN, 0.0);
        assert!(scale.merit(&Vector3::x(), &nan, 0.5).is_nan());
    }
}
