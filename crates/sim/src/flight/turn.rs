//! The turn of one component in its free flight.

use crate::model::Model;
use crate::scene::FreeFlight;
use nalgebra::{Matrix3, SymmetricEigen, UnitQuaternion, Vector3};

/// Largest turn in a step (rad) that a flight follows; a faster component flies straight. The flight leaves terms of
/// second order in the turn to the forces, so above this it is no better.
const LARGEST_TURN: f64 = 1.0;

/// Principal moment of inertia over the largest, below which a component has no extent across the axis: a string drawn
/// straight. It does not turn about that axis. The square root is the ratio of width and length, 3e-5.
const LEAST_MOMENT: f64 = 1e-9;

/// Most Newton steps of the midpoint rule; three or four are usual.
const MIDPOINT_STEPS: usize = 20;

/// Relative accuracy of its solution: a hundred units in the last place.
const MIDPOINT_ACCURACY: f64 = 100.0 * f64::EPSILON;

/// The flight of one component, as long as nothing but its own inertia acts on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// `c` (m) and `v_c` (m/s).
    pub(super) center: Vector3<f64>,
    pub(super) velocity: Vector3<f64>,
    /// `ω` at the start, `ω̄`, `ω₊` at the end (rad/s), `ω̇₊` (rad/s²).
    pub(super) start_spin: Vector3<f64>,
    #[cfg(test)]
    mean_spin: Vector3<f64>,
    pub(super) end_spin: Vector3<f64>,
    pub(super) end_spin_rate: Vector3<f64>,
    /// `R`, and `(R − 1)/h` (1/s) without the digits that the difference would lose.
    pub(super) rotation: Matrix3<f64>,
    pub(super) chord: Matrix3<f64>,
    pub(super) time_step: f64,
}

/// Principal moments of inertia (kg·m²), and their inverses; 0 for axes that a component has no extent across.
#[derive(Debug, Clone, Copy)]
struct Principal {
    moments: Vector3<f64>,
    inverse: Vector3<f64>,
}

impl Principal {
    fn new(moments: &Vector3<f64>) -> Self {
        let least = LEAST_MOMENT * moments.amax();
        let inverse = moments.map(|moment| if moment > least { 1.0 / moment } else { 0.0 });
        Self {
            moments: *moments,
            inverse,
        }
    }

    /// `I⁻¹ L` in principal axes.
    fn spin(&self, momentum: &Vector3<f64>) -> Vector3<f64> {
        momentum.component_mul(&self.inverse)
    }

    /// The solution of the midpoint rule in principal axes, `I ω̄ = exp(−½ h ω̄) L`, by Newton's method; `None` if it
    /// does not converge or turns farther than [`LARGEST_TURN`].
    ///
    /// The derivative is `I − ½ h [exp(φ) L]× J(φ)` with `φ = −½ h ω̄` and the left Jacobian `J` of the rotation, by
    /// its series to the third order: a turn is a radian at most. A fixed-point iteration would diverge for slender
    /// bodies: it contracts by `½ h ‖L‖` over the smallest moment.
    fn mean_spin(&self, momentum: &Vector3<f64>, time_step: f64) -> Option<Vector3<f64>> {
        let half = 0.5 * time_step;
        let mut spin = self.spin(momentum);
        for _ in 0..MIDPOINT_STEPS {
            let turn = -spin * half;
            let turned = UnitQuaternion::from_scaled_axis(turn) * momentum;
            let mut residual = turned - self.moments.component_mul(&spin);
            let cross = turn.cross_matrix();
            let square: Matrix3<f64> = cross * cross;
            let jacobian: Matrix3<f64> =
                Matrix3::identity() + cross * 0.5 + square / 6.0 + square * cross / 24.0;
            let mut derivative: Matrix3<f64> =
                Matrix3::from_diagonal(&self.moments) - turned.cross_matrix() * jacobian * half;
            for axis in 0..3 {
                if self.inverse[axis] <= 0.0 {
                    residual[axis] = 0.0;
                    derivative.row_mut(axis).fill(0.0);
                    derivative.column_mut(axis).fill(0.0);
                    derivative[(axis, axis)] = 1.0;
                }
            }
            let change = derivative.lu().solve(&residual)?;
            spin += change;
            if change.norm() <= MIDPOINT_ACCURACY * spin.norm() {
                return (spin.norm() * time_step <= LARGEST_TURN).then_some(spin);
            }
        }
        None
    }
}

impl Turn {
    /// The flight in a step of `time_step` (s); `None` if the turn is below rounding, or too large for the step.
    fn new(moments: &Moments, time_step: f64) -> Option<Self> {
        let inertia = SymmetricEigen::new(moments.inertia);
        let mut axes = inertia.eigenvectors;
        // Turns keep their sense in right-handed axes only.
        if axes.determinant() < 0.0 {
            axes.column_mut(0).neg_mut();
        }
        let momentum = moments.angular_momentum;
        let principal = Principal::new(&inertia.eigenvalues);
        let start_spin = axes * principal.spin(&axes.tr_mul(&momentum));
        let turn = start_spin.norm() * time_step;
        // Asked as "within", so that NaN is refused too.
        if !(turn > f64::EPSILON && turn <= LARGEST_TURN) {
            return None;
        }
        let mean_spin = axes * principal.mean_spin(&axes.tr_mul(&momentum), time_step)?;
        let spin = |rotation: &Matrix3<f64>, momentum: &Vector3<f64>| {
            let axes = rotation * axes;
            axes * principal.spin(&axes.tr_mul(momentum))
        };
        // `R = 1 + sin θ/θ W + (1 − cos θ)/θ² W²` with `W = h [ω̄]×`.
        let angle = mean_spin.norm() * time_step;
        let half = 0.5 * angle;
        let sinc = |x: f64| if x > 0.0 { x.sin() / x } else { 1.0 };
        let cross = mean_spin.cross_matrix();
        let chord = cross * sinc(angle) + cross * cross * (0.5 * time_step * sinc(half).powi(2));
        let rotation = Matrix3::identity() + chord * time_step;
        let end_spin = spin(&rotation, &momentum);
        Some(Self {
            center: moments.center,
            velocity: moments.velocity,
            start_spin,
            #[cfg(test)]
            mean_spin,
            end_spin,
            end_spin_rate: -spin(&rotation, &end_spin.cross(&momentum)),
            rotation,
            chord,
            time_step,
        })
    }

    /// `w_R` of a point at `x` (m): its mean velocity on the chord (m/s), without that of the centre.
    pub(super) fn chord_velocity(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.chord * (x - self.center)
    }

    /// `ω₊ × R r` of a point at `x` (m): the velocity of the rotation at the end (m/s).
    pub(super) fn end_velocity(&self, x: &Vector3<f64>) -> Vector3<f64> {
        let arm = x - self.center;
        self.end_spin
            .cross(&(arm + self.chord * arm * self.time_step))
    }

    /// `ω₊ × R r − w_R` of a point at `x` (m): the excess of the velocity at the end over the mean (m/s).
    pub(crate) fn gain(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.end_velocity(x) - self.chord_velocity(x)
    }

    /// `v_c + R u − h a` of a point at `x` (m) with the velocity `v` (m/s).
    pub(super) fn start_velocity(&self, x: &Vector3<f64>, v: &Vector3<f64>) -> Vector3<f64> {
        let arm = x - self.center;
        let turned = self.rotation * arm;
        let deforming = self.rotation * (v - self.velocity - self.start_spin.cross(&arm));
        let of_turn = self.end_spin.cross(&turned) + deforming;
        let acceleration = self.end_spin_rate.cross(&turned) + self.end_spin.cross(&of_turn);
        self.velocity + deforming - acceleration * self.time_step
    }
}

/// Moments of the mass of one component, of its momentum and of its angular momentum.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    mass: f64,
    /// Whether a point is prescribed.
    held: bool,
    center: Vector3<f64>,
    velocity: Vector3<f64>,
    inertia: Matrix3<f64>,
    angular_momentum: Vector3<f64>,
}

/// The flight of every component of a model in a step of `time_step` (s) from the given positions (m) and velocities
/// (m/s), where `is_free` tells the points without a prescribed motion; `None` for those that fly straight.
pub(crate) fn turns(
    model: &Model,
    is_free: impl Fn(usize) -> bool,
    [positions, velocities]: [&[Vector3<f64>]; 2],
    time_step: f64,
) -> Vec<Option<Turn>> {
    let components = &model.components;
    if model.settings.free_flight == FreeFlight::Straight {
        return vec![None; components.count()];
    }
    let mut moments = vec![Moments::default(); components.count()];
    for (point, (x, v)) in positions.iter().zip(velocities).enumerate() {
        if let Some(component) = components.of_point(point) {
            let sum = &mut moments[component];
            let mass = model.points.mass[point];
            sum.mass += mass;
            sum.center += x * mass;
            sum.velocity += v * mass;
            sum.held |= !is_free(point);
        }
    }
    for sum in &mut moments {
        sum.center /= sum.mass;
        sum.velocity /= sum.mass;
    }
    for (point, (x, v)) in positions.iter().zip(velocities).enumerate() {
        if let Some(component) = components.of_point(point)
            && !moments[component].held
        {
            let sum = &mut moments[component];
            let mass = model.points.mass[point];
            let arm = x - sum.center;
            sum.angular_momentum += arm.cross(&(v - sum.velocity)) * mass;
            let spread = Matrix3::from_diagonal_element(arm.norm_squared());
            sum.inertia += (spread - arm * arm.transpose()) * mass;
        }
    }
    (moments.iter())
        .map(|moments| {
            (!moments.held)
                .then(|| Turn::new(moments, time_step))
                .flatten()
        })
        .collect()
}

/// Whether a point of a model is free.
pub(super) fn is_free_in(model: &Model) -> impl Fn(usize) -> bool {
    |point| model.unknowns.motion_of_point[point].is_free()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Points with masses, positions and velocities.
    fn points() -> impl Strategy<Value = Vec<(f64, Vector3<f64>, Vector3<f64>)>> {
        let vector = || prop::array::uniform3(-1.0..1.0_f64).prop_map(Vector3::from);
        prop::collection::vec((0.1..10.0_f64, vector(), vector()), 4..12)
    }

    fn moments(points: &[(f64, Vector3<f64>, Vector3<f64>)]) -> Moments {
        let mass: f64 = points.iter().map(|p| p.0).sum();
        let center: Vector3<f64> = points.iter().map(|p| p.1 * p.0).sum::<Vector3<f64>>() / mass;
        let velocity: Vector3<f64> = points.iter().map(|p| p.2 * p.0).sum::<Vector3<f64>>() / mass;
        let (mut inertia, mut angular_momentum) = (Matrix3::zeros(), Vector3::zeros());
        for (m, x, v) in points {
            let arm = x - center;
            angular_momentum += arm.cross(&(v - velocity)) * *m;
            inertia +=
                (Matrix3::from_diagonal_element(arm.norm_squared()) - arm * arm.transpose()) * *m;
        }
        Moments {
            mass,
            held: false,
            center,
            velocity,
            inertia,
            angular_momentum,
        }
    }

    proptest! {
        /// The flight keeps both momenta: exactly if the body turns as a rigid one, to second order in the step if it
        /// deforms.
        #[test]
        fn flight_keeps_momenta(points in points()) {
            let of = moments(&points);
            let size = points.iter().map(|(m, x, v)| m * x.norm() * v.norm()).sum::<f64>() + 1.0;
            let mut lost = [0.0; 2];
            for (lost, h) in lost.iter_mut().zip([2e-3, 1e-3]) {
                let turn = Turn::new(&of, h).expect("it turns");
                let (mut momentum, mut turning, mut rigid) =
                    (Vector3::zeros(), Vector3::zeros(), Vector3::zeros());
                for (m, x, v) in &points {
                    // Without forces the step gives `w − w_R` of the momentum equation.
                    let deviation = turn.start_velocity(x, v);
                    let end = x + (turn.chord_velocity(x) + deviation) * h;
                    let velocity = deviation + turn.end_velocity(x);
                    let center = of.center + of.velocity * h;
                    momentum += velocity * *m;
                    turning += (end - center).cross(&(velocity - of.velocity)) * *m;
                    let turned = x + turn.chord_velocity(x) * h;
                    rigid += (turned - of.center).cross(&turn.end_velocity(x)) * *m;
                }
                prop_assert!((momentum - of.velocity * of.mass).norm() < 1e-12 * size);
                prop_assert!((rigid - of.angular_momentum).norm() < 1e-11 * size);
                *lost = (turning - of.angular_momentum).norm();
            }
            prop_assert!(lost[1] < 0.3 * lost[0] + 1e-11 * size, "{lost:?}");
        }

        /// Straight motion is that of a turn that is small: the end differs in second order only.
        #[test]
        fn flight_of_free_points_is_straight(points in points()) {
            let of = moments(&points);
            let mut off = [0.0_f64; 2];
            for (off, h) in off.iter_mut().zip([2e-3, 1e-3]) {
                let turn = Turn::new(&of, h).expect("it turns");
                for (_, x, v) in &points {
                    let deviation = turn.start_velocity(x, v);
                    let velocity = deviation + turn.end_velocity(x);
                    *off = off.max((velocity - v).norm());
                }
            }
            prop_assert!(off[1] < 0.3 * off[0] + 1e-12, "{off:?}");
        }
    }

    /// A straight string has no inertia about itself, and does not turn about itself.
    #[test]
    fn a_string_turns_across_its_axis_only() {
        let string: Vec<_> = (0..5)
            .map(|i| {
                let x = Vector3::x() * f64::from(i);
                (1.0, x, Vector3::z().cross(&x))
            })
            .collect();
        let turn = Turn::new(&moments(&string), 1e-2).expect("it turns");
        assert!((turn.end_spin - Vector3::z()).norm() < 1e-12, "{turn:?}");
        let still: Vec<_> = string
            .iter()
            .map(|&(m, x, _)| (m, x, Vector3::y()))
            .collect();
        assert!(Turn::new(&moments(&still), 1e-2).is_none());
    }

    /// A rod of length 1 m and the widths `wide` and `thin` (m), that turns by `turn` (rad) about `axis` in a step of 1
    /// s.
    fn rod(wide: f64, thin: f64, turn: f64, axis: Vector3<f64>) -> (Moments, Vector3<f64>) {
        let spin = axis.normalize() * turn;
        let points: Vec<_> = (0..8)
            .map(|i| {
                let side = |bit: i32, size: f64| if i >> bit & 1 == 0 { -size } else { size };
                let x = Vector3::new(side(0, 0.5), side(1, 0.5 * wide), side(2, 0.5 * thin));
                (1.0, x, spin.cross(&x))
            })
            .collect();
        (moments(&points), spin)
    }

    proptest! {
        /// However slender a body is, its flight is none or keeps its angular momentum, and turns about as far as it
        /// spins.
        #[test]
        fn slender_bodies_turn_as_far_as_they_spin(
            wide in 1e-3..1.0_f64,
            thin in 1e-3..1.0_f64,
            turn in 1e-3..0.9_f64,
            axis in prop::array::uniform3(0.1..1.0_f64).prop_map(Vector3::from),
        ) {
            let (of, spin) = rod(wide, thin, turn, axis);
            if let Some(turn) = Turn::new(&of, 1.0) {
                let mean = turn.chord.norm();
                prop_assert!(mean < 2.0 * spin.norm(), "{mean} {spin}");
                let at_end = turn.rotation * of.inertia * turn.rotation.transpose() * turn.end_spin;
                let half = UnitQuaternion::from_scaled_axis(turn.mean_spin * 0.5);
                let kept = half * (of.inertia * (half.inverse() * turn.mean_spin));
                prop_assert!((kept - of.angular_momentum).norm() < 1e-9 * of.angular_momentum.norm());
                prop_assert!((at_end - of.angular_momentum).norm() < 1e-9 * of.angular_momentum.norm());
            }
        }
    }

    #[test]
    fn a_slender_rod_turns_and_a_fast_one_flies_straight() {
        let axis = Vector3::new(0.2, 0.5, 1.0);
        let (slow, _) = rod(0.02, 0.02, 0.1, axis);
        assert!(Turn::new(&slow, 1.0).is_some());
        let (fast, _) = rod(0.02, 0.02, 1.5, axis);
        assert!(Turn::new(&fast, 1.0).is_none());
    }
}
