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
//! `C` damps `w − w_R` alone. Without `ω` this is implicit Euler. The sums of `m a` and of `m R r × a` vanish with
//! those of `m r`, `m u` and `m r × u`, so the flight keeps both momenta.
//!
//! A component with prescribed points flies straight: what holds it gives it its angular momentum.

use crate::model::{Model, PointMotion};
use crate::scene::FreeFlight;
use nalgebra::{Matrix3, SymmetricEigen, UnitQuaternion, Vector3};

/// Turn in a step (rad) that a flight follows. The terms that it leaves to the forces are of second order in the turn,
/// so a faster component turns by this much and keeps the rest of its motion as a deformation.
const LARGEST_TURN: f64 = 1.0;

/// Principal moment of inertia over the largest, below which a component has no extent across the axis: a string drawn
/// straight. It does not turn about that axis. The square root is the ratio of width and length, 3e-5.
const LEAST_MOMENT: f64 = 1e-9;

/// Iterations of the midpoint rule: each gains a factor of `½ h ω` or more.
const MIDPOINT_ITERATIONS: usize = 60;

/// The flight of one component, as long as nothing but its own inertia acts on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// `c` (m) and `v_c` (m/s).
    center: Vector3<f64>,
    velocity: Vector3<f64>,
    /// `ω` at the start, `ω₊` at the end (rad/s), `ω̇₊` (rad/s²).
    start_spin: Vector3<f64>,
    end_spin: Vector3<f64>,
    end_spin_rate: Vector3<f64>,
    /// `R`, and `(R − 1)/h` (1/s) without the digits that the difference would lose.
    rotation: Matrix3<f64>,
    chord: Matrix3<f64>,
    time_step: f64,
}

impl Turn {
    /// The flight in a step of `time_step` (s); `None` if the turn is below rounding.
    fn new(moments: &Moments, time_step: f64) -> Option<Self> {
        let inertia = SymmetricEigen::new(moments.inertia);
        let largest = inertia.eigenvalues.amax();
        let inverse = inertia.eigenvalues.map(|moment| {
            if moment > LEAST_MOMENT * largest {
                1.0 / moment
            } else {
                0.0
            }
        });
        let axes = inertia.eigenvectors;
        let spin = |rotation: &Matrix3<f64>, momentum: &Vector3<f64>| {
            let axes = rotation * axes;
            axes * axes.tr_mul(momentum).component_mul(&inverse)
        };
        let mut momentum = moments.angular_momentum;
        let mut start_spin = spin(&Matrix3::identity(), &momentum);
        let turn = start_spin.norm() * time_step;
        if !(turn > f64::EPSILON && turn.is_finite()) {
            return None;
        }
        let share = (LARGEST_TURN / turn).min(1.0);
        momentum *= share;
        start_spin *= share;
        let mut mean_spin = start_spin;
        for _ in 0..MIDPOINT_ITERATIONS {
            let midpoint = UnitQuaternion::from_scaled_axis(mean_spin * (0.5 * time_step));
            let next = spin(midpoint.to_rotation_matrix().matrix(), &momentum);
            let change = (next - mean_spin).norm();
            mean_spin = next;
            if change <= 4.0 * f64::EPSILON * mean_spin.norm() {
                break;
            }
        }
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
}
