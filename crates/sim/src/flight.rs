//! The free flight of deformable bodies, which turns with them.
//!
//! # Why it turns
//! Implicit Euler lets every point fly straight, `x̂ = x + h v`. A body that spins swells on the way, its own elastic
//! forces pull it back, and angular momentum is lost: about `(h ω)²` of it in each step. Here every connected component
//! of a body flies as a rigid body does, with its deformation turning along, and the step solves for the deviation.
//!
//! # Equations
//! At the start of a step of `h` a component has the centre of mass `c` with the velocity `v_c`, the inertia `I`, the
//! angular momentum `L` about `c`, and `ω = I⁻¹ L`. With `r = x − c` every velocity splits into `v = v_c + ω × r + u`.
//! Without forces a rigid body of the same inertia turns by `R = exp(h ω̄)`, where `ω̄` is the mean angular velocity of
//! the implicit midpoint rule, `I(exp(½ h ω̄)) ω̄ = L`, and ends with `ω₊ = (R I Rᵀ)⁻¹ L`,
//! `ω̇₊ = −(R I Rᵀ)⁻¹ (ω₊ × L)`.
//!
//! The flight turns positions to `x_R = c + R r` along the mean velocity `w_R = (R r − r)/h`, and ends with the
//! velocity `v_c + ω₊ × R r + R u`. That takes the acceleration `a = ω̇₊ × R r + ω₊ × (ω₊ × R r + R u)`, which no force
//! gives, so it is taken off the forces. For the mean velocity `w = (x₊ − x)/h` the step reads
//!
//! ```text
//! (M + h C + h² K(x_R)) (w − w_R) = M (v_c + R u − h a) + h (f(x_R) + f_ext) − h a_M M (ω₊ × R r)
//! x₊ = x + h w          v₊ = w + (ω₊ × R r − w_R)
//! ```
//!
//! `f` and `K` are those of the turned shape, so one linearisation is exact for a body that turns without deforming.
//! Stiffness damping damps `w − w_R` alone. Without `ω` this is implicit Euler. The sums of `m a` vanish with those of
//! `m r` and `m u`; those of `m R r × a` vanish without `u`, and otherwise are the change of inertia by `u`. So a body
//! that keeps its shape keeps both momenta, and one that deforms keeps its angular momentum to second order in the
//! step.
//!
//! A component with prescribed points flies straight: what holds it gives it its angular momentum. So does one that
//! turns by more than a radian in a step.

use crate::model::{Model, PointMotion};
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
    center: Vector3<f64>,
    velocity: Vector3<f64>,
    /// `ω` at the start, `ω̄`, `ω₊` at the end (rad/s), `ω̇₊` (rad/s²).
    start_spin: Vector3<f64>,
    #[cfg(test)]
    mean_spin: Vector3<f64>,
    end_spin: Vector3<f64>,
    end_spin_rate: Vector3<f64>,
    /// `R`, and `(R − 1)/h` (1/s) without the digits that the difference would lose.
    rotation: Matrix3<f64>,
    chord: Matrix3<f64>,
    time_step: f64,
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
    fn chord_velocity(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.chord * (x - self.center)
    }

    /// `ω₊ × R r` of a point at `x` (m): the velocity of the rotation at the end (m/s).
    fn end_velocity(&self, x: &Vector3<f64>) -> Vector3<f64> {
        let arm = x - self.center;
        self.end_spin
            .cross(&(arm + self.chord * arm * self.time_step))
    }

    /// `ω₊ × R r − w_R` of a point at `x` (m): the velocity that the turn has at its end beyond the mean (m/s).
    pub(crate) fn gain(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.end_velocity(x) - self.chord_velocity(x)
    }

    /// `v_c + R u − h a` of a point at `x` (m) with the velocity `v` (m/s).
    fn start_velocity(&self, x: &Vector3<f64>, v: &Vector3<f64>) -> Vector3<f64> {
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

/// The free flight of all points in one step. Memory is kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    turns: Vec<Option<Turn>>,
    /// `x_R`, where elastic forces are linearised (m): the start of the step for points that fly straight.
    positions: Vec<Vector3<f64>>,
    /// `v_c + R u − h a`, the velocity that the momentum equation starts from (m/s): `v` for points that fly straight.
    velocities: Vec<Vector3<f64>>,
    /// `w_R` in the order of the unknowns (m/s).
    chords: Vec<f64>,
    /// `ω₊ × R r − w_R` of every point (m/s), what velocities at the end have beyond the mean.
    gains: Vec<Vector3<f64>>,
}

impl Flight {
    /// Plans the flight in a step of `time_step` (s).
    pub(crate) fn plan(
        &mut self,
        model: &Model,
        positions: &[Vector3<f64>],
        velocities: &[Vector3<f64>],
        time_step: f64,
    ) {
        self.positions.clear();
        self.positions.extend_from_slice(positions);
        self.velocities.clear();
        self.velocities.extend_from_slice(velocities);
        self.gains.clear();
        self.gains.resize(positions.len(), Vector3::zeros());
        self.chords.clear();
        self.chords.resize(3 * model.blocks(), 0.0);
        let is_free =
            |point: usize| matches!(model.unknowns.motion_of_point[point], PointMotion::Free(_));
        self.turns = turns(model, is_free, [positions, velocities], time_step);
        if !self.turns() {
            return;
        }
        for (block, &point) in model.unknowns.point_of_block.iter().enumerate() {
            let point = point as usize;
            let Some(turn) = self.of_point(model, point) else {
                continue;
            };
            let (x, v) = (&positions[point], &velocities[point]);
            let chord = turn.chord_velocity(x);
            self.positions[point] = x + chord * time_step;
            self.velocities[point] = turn.start_velocity(x, v);
            self.gains[point] = turn.gain(x);
            self.chords[3 * block..][..3].copy_from_slice(chord.as_slice());
        }
    }

    fn of_point(&self, model: &Model, point: usize) -> Option<Turn> {
        (model.components.of_point(point)).and_then(|component| self.turns[component])
    }

    /// Whether any component turns.
    pub(crate) fn turns(&self) -> bool {
        self.turns.iter().any(Option::is_some)
    }

    /// Whether a component turns.
    pub(crate) fn is_turning(&self, component: usize) -> bool {
        self.turns[component].is_some()
    }

    /// `x_R` of all points (m).
    pub(crate) fn positions(&self) -> &[Vector3<f64>] {
        &self.positions
    }

    /// `v_c + R u − h a` of all points (m/s).
    pub(crate) fn velocities(&self) -> &[Vector3<f64>] {
        &self.velocities
    }

    /// `w_R` in the order of the unknowns (m/s).
    pub(crate) fn chords(&self) -> &[f64] {
        &self.chords
    }

    /// `v₊ − w` of a point (m/s).
    pub(crate) fn gain(&self, point: usize) -> Vector3<f64> {
        self.gains[point]
    }

    /// `ω₊ × R r` of a free node with the unknowns of `block` (m/s).
    pub(crate) fn end_velocity(&self, block: usize, point: usize) -> Vector3<f64> {
        self.gains[point] + Vector3::from_column_slice(&self.chords[3 * block..][..3])
    }
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
