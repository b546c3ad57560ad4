//! Free rigid bodies: their state between events, and the response of their points to impulses.
//!
//! A body flies exactly: its centre on a parabola, its orientation by the implicit midpoint rule. Its points are
//! vertices that fly straight, as certificates need it. A straight piece ends where the body takes them. Pieces end at
//! the ticks of nested clocks, so that no piece turns far, and that all of them end at the end of a step.
//!
//! An impulse on a point changes the velocity and the angular momentum of the body, with the arm from its centre to the
//! vertex where it is. So the sums of linear and angular momentum are kept to rounding. Its points then aim at the new
//! positions at the end of the piece. Let `a` be their acceleration, `T` the length of the piece. Wherever impulses
//! divide it, a point is `½ a s (T − s)` off at the time `s` of the piece, at most `a T²/8`. Its velocity differs from
//! that of the body by `½ a (T − 2s)`, which vanishes in the mean. Impulses follow from the velocity of the body.

use super::clock::{Clock, nested_period};
use super::system::FreeBodies;
use crate::rigid::{RigidBody, RigidState};
use impinge_fem::RigidPose;
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// Largest rotation of a free rigid body in one straight piece (rad). The velocities of its points are then accurate to
/// half of it, their places to an eighth of its square. Any value up to 0.5 is safe; energy suffers from large ones.
const LARGEST_TURN: f64 = 0.01;

/// A body at the instant of an event, between its impulses.
#[derive(Clone, Debug)]
pub(super) struct Present {
    time: f64,
    pub(super) state: RigidState,
    /// `ω` (rad/s).
    spin: Vector3<f64>,
    /// `I_w⁻¹` (1/(kg m²)).
    mobility: Matrix3<f64>,
    /// Whether it received an impulse.
    pub(super) pushed: bool,
}

/// A body in flight.
#[derive(Clone, Debug)]
pub(super) struct Flying {
    pub(super) constants: RigidBody,
    /// Its state at `time`, after all impulses so far.
    pub(super) state: RigidState,
    pub(super) time: f64,
    /// Mean angular velocity up to the end of the piece (rad/s).
    pub(super) spin: Vector3<f64>,
    /// End of the piece (s).
    pub(super) end: f64,
    pub(super) generation: u32,
    pub(super) present: Option<Present>,
}

/// A straight piece of the points of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Its end (s).
    pub(super) end: f64,
    /// Length of a whole piece with the same clock (s).
    pub(super) period: f64,
    /// Angular velocity at its start (rad/s).
    pub(super) turning: Vector3<f64>,
    /// Mean angular velocity (rad/s).
    pub(super) spin: Vector3<f64>,
}

impl Piece {
    /// The piece that starts at `time` (s), of at most `longest` (s).
    pub(super) fn new(body: &RigidBody, state: &RigidState, time: f64, longest: f64) -> Self {
        let turning = body.angular_velocity(state);
        let mut clock = Clock::new(nested_period(longest, LARGEST_TURN / turning.norm()));
        clock.resume_after(time);
        let (orientation, momentum) = (&state.pose.orientation, &state.angular_momentum);
        Self {
            end: clock.due(),
            period: clock.period,
            turning,
            spin: (body.inertia).free_spin(orientation, momentum, clock.due() - time),
        }
    }
}

/// The state after `wait` (s) with a mean angular velocity `spin` (rad/s).
fn flown(
    state: &RigidState,
    spin: &Vector3<f64>,
    wait: f64,
    acceleration: &Vector3<f64>,
) -> RigidState {
    let gained = acceleration * wait;
    let mean = state.velocity + gained * 0.5;
    RigidState {
        pose: state.pose.advanced(&mean, spin, wait),
        velocity: state.velocity + gained,
        angular_momentum: state.angular_momentum,
    }
}

impl Flying {
    pub(super) fn state_at(&self, time: f64, acceleration: &Vector3<f64>) -> RigidState {
        flown(&self.state, &self.spin, time - self.time, acceleration)
    }

    fn present_at(&self, time: f64, acceleration: &Vector3<f64>) -> Present {
        let state = self.state_at(time, acceleration);
        let mobility = (self.constants.inertia).world_inverse(&state.pose.orientation);
        Present {
            time,
            spin: mobility * state.angular_momentum,
            mobility,
            state,
            pushed: false,
        }
    }

    pub(super) fn points(&self) -> Range<u32> {
        self.constants.points.start as u32..self.constants.points.end as u32
    }
}

/// All free rigid bodies of a system.
#[derive(Clone, Debug)]
pub(super) struct RigidBodies {
    pub(super) bodies: Vec<Flying>,
    /// Body of each point; empty without bodies.
    of_point: Vec<Option<u32>>,
    /// Gravity (m/s²).
    pub(super) acceleration: Vector3<f64>,
    /// Longest piece (s).
    pub(super) longest_piece: f64,
    /// Bodies that an event looked at.
    pub(super) called: Vec<u32>,
}

impl RigidBodies {
    /// The bodies of a system with so many points, at time 0.
    pub(super) fn new(given: FreeBodies, points: usize) -> Self {
        let mut of_point = Vec::new();
        if !given.bodies.is_empty() {
            of_point.resize(points, None);
        }
        for (index, (body, _)) in (0..).zip(&given.bodies) {
            of_point[body.points.clone()].fill(Some(index));
        }
        let bodies = given.bodies.into_iter().map(|(constants, state)| Flying {
            constants,
            state,
            time: 0.0,
            spin: Vector3::zeros(),
            end: 0.0,
            generation: 0,
            present: None,
        });
        Self {
            bodies: bodies.collect(),
            of_point,
            acceleration: given.acceleration,
            longest_piece: given.longest_piece,
            called: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.bodies.len()
    }

    /// The body of a point, if it is one of a free rigid body.
    #[inline]
    pub(super) fn of(&self, point: u32) -> Option<u32> {
        self.of_point.get(point as usize).copied().flatten()
    }

    #[inline]
    pub(super) fn is_current(&self, body: u32, generation: u32) -> bool {
        self.bodies[body as usize].generation == generation
    }

    /// The states at `time` (s), not before the last event.
    pub(super) fn states_at(&self, time: f64) -> impl Iterator<Item = (&RigidBody, RigidState)> {
        let at = move |body: &Flying| body.state_at(time, &self.acceleration);
        self.bodies
            .iter()
            .map(move |body| (&body.constants, at(body)))
    }

    /// Takes the bodies of `points` to `time` (s).
    pub(super) fn call(&mut self, points: &[u32], time: f64) {
        for &point in points {
            if let Some(body) = self.of(point) {
                self.call_body(body, time);
            }
        }
    }

    /// Takes a body to `time` (s).
    pub(super) fn call_body(&mut self, index: u32, time: f64) {
        let body = &mut self.bodies[index as usize];
        if body.present.as_ref().is_none_or(|at| at.time < time) {
            body.present = Some(body.present_at(time, &self.acceleration));
            self.called.push(index);
        }
    }

    /// A called body.
    #[inline]
    pub(super) fn present(&self, body: u32) -> &Present {
        let present = self.bodies[body as usize].present.as_ref();
        present.expect("the body was called")
    }

    /// Velocity of a point at a place (m) of its body, which was called; `None` if it belongs to none.
    #[inline]
    pub(super) fn velocity_of(&self, point: u32, place: &Vector3<f64>) -> Option<Vector3<f64>> {
        let at = self.present(self.of(point)?);
        Some(at.state.velocity + at.spin.cross(&(place - at.state.pose.center)))
    }

    /// Applies an impulse (N s) to a point at a place (m) of its body, which was called. Returns `false` if it belongs
    /// to none.
    #[inline]
    pub(super) fn push(
        &mut self,
        point: u32,
        place: &Vector3<f64>,
        impulse: &Vector3<f64>,
    ) -> bool {
        let Some(index) = self.of(point) else {
            return false;
        };
        let arm = place - self.present(index).state.pose.center;
        self.kick(index as usize, impulse, &arm.cross(impulse));
        true
    }

    /// Applies an impulse (N s) to the centre of a called body, and one of torque (N m s).
    #[inline]
    pub(super) fn kick(&mut self, body: usize, impulse: &Vector3<f64>, torque: &Vector3<f64>) {
        let body = &mut self.bodies[body];
        if let Some(at) = &mut body.present {
            at.state.velocity += impulse / body.constants.inertia.mass();
            at.state.angular_momentum += torque;
            at.spin = at.mobility * at.state.angular_momentum;
            at.pushed = true;
        }
    }

    /// Whether one of some bodies received an impulse in the present event.
    pub(super) fn are_pushed(&self, bodies: &[u32]) -> bool {
        let is_pushed = |body: &u32| {
            let present = &self.bodies[*body as usize].present;
            present.as_ref().is_some_and(|present| present.pushed)
        };
        bodies.iter().any(is_pushed)
    }

    /// Mass of a body (kg).
    pub(super) fn mass(&self, body: usize) -> f64 {
        self.bodies[body].constants.inertia.mass()
    }

    /// Velocity of the centre (m/s) and angular velocity (rad/s) of a called body.
    pub(super) fn velocities(&self, body: u32) -> [Vector3<f64>; 2] {
        let at = self.present(body);
        [at.state.velocity, at.spin]
    }

    /// Changes of the velocity (m/s) and angular velocity (rad/s) of a body by the impulses of the present event.
    pub(super) fn changes(&self, body: usize) -> [Vector3<f64>; 2] {
        let body = &self.bodies[body];
        let Some(at) = &body.present else {
            return [Vector3::zeros(); 2];
        };
        let before = body.state_at(at.time, &self.acceleration);
        let turning = at.state.angular_momentum - before.angular_momentum;
        [at.state.velocity - before.velocity, at.mobility * turning]
    }

    /// `I_w⁻¹` of a called body (1/(kg m²)).
    pub(super) fn inverse_inertia(&self, body: usize) -> &Matrix3<f64> {
        &self.present(body as u32).mobility
    }

    /// The pose of a called body at `time` (s), not before the present, through the pieces that it will fly.
    pub(super) fn pose_at(&self, body: u32, time: f64) -> RigidPose {
        let at = self.present(body);
        let constants = &self.bodies[body as usize].constants;
        let (mut state, mut now) = (at.state, at.time);
        while now < time {
            let piece = Piece::new(constants, &state, now, self.longest_piece);
            let end = piece.end.min(time);
            state = flown(&state, &piece.spin, end - now, &self.acceleration);
            now = end;
        }
        state.pose
    }

    /// Work-conjugate velocity of the impulses `shares` on four points, as `Σ p · Δv` (1/kg for unit impulses): the
    /// part of the points of called bodies, `|Σ p|²/m + τ · I⁻¹ τ` for each.
    pub(super) fn mobility(
        &self,
        points: &[u32; 4],
        places: &[Vector3<f64>; 4],
        shares: &[Vector3<f64>; 4],
    ) -> f64 {
        let bodies = points.map(|point| self.of(point));
        let mut sum = 0.0;
        for (first, body) in bodies.iter().enumerate() {
            let Some(index) = body.filter(|_| !bodies[..first].contains(body)) else {
                continue;
            };
            let at = self.present(index);
            let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
            for k in (first..4).filter(|&k| bodies[k] == *body) {
                force += shares[k];
                torque += (places[k] - at.state.pose.center).cross(&shares[k]);
            }
            let mass = self.bodies[index as usize].constants.inertia.mass();
            sum += force.norm_squared() / mass + torque.dot(&(at.mobility * torque));
        }
        sum
    }
}

/// Least effective mass of a surface point of a body (kg): the smallest over all points and directions `d` of
/// `1/(1/m + (r × d) · I⁻¹ (r × d))`. Points within triangles have no smaller one, since this is convex in `r`.
pub(super) fn least_effective_mass(body: &RigidBody) -> f64 {
    let inverse_inertia = body
        .inertia
        .world_inverse(&nalgebra::UnitQuaternion::identity());
    let largest = body.arms.iter().map(|arm| {
        let turn = arm.cross_matrix();
        let mobility = turn.transpose() * inverse_inertia * turn;
        mobility.symmetric_eigenvalues().max()
    });
    1.0 / (1.0 / body.inertia.mass() + largest.fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_fem::RigidInertia;

    /// Outward triangles of a cube; bit `k` of a corner's number tells its side along axis `k`.
    const CUBE: [[u32; 3]; 12] = [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];

    /// A cube of 1000 kg/m³ with edges of 0.1 m and its least corner at `at` (m); its points are `first..first + 8`.
    fn cube(first: usize, at: Vector3<f64>) -> RigidBody {
        let corner = |bits: u32| at + Vector3::from_fn(|axis, _| 0.1 * f64::from(bits >> axis & 1));
        let corners: Vec<_> = (0..8).map(corner).collect();
        let inertia = RigidInertia::of_surface(&corners, &CUBE, 1000.0).expect("a cube");
        RigidBody {
            body: first / 8,
            points: first..first + 8,
            first_block: 0,
            inertia,
            arms: corners.iter().map(|x| x - inertia.center()).collect(),
        }
    }

    /// `I = m a²/6` and `|r|² = 3 a²/4` for the corners of a cube.
    #[test]
    fn a_corner_of_a_cube_has_two_elevenths_of_its_mass() {
        let cube = cube(0, Vector3::zeros());
        let mass = least_effective_mass(&cube);
        assert!((mass - 2.0 / 11.0).abs() < 1e-12, "{mass} kg");
    }

    /// Impulses on points of two bodies do the work that their mobility predicts.
    #[test]
    fn mobility_is_the_change_of_velocities_along_the_impulses() {
        let bodies = [
            cube(0, Vector3::zeros()),
            cube(8, Vector3::new(0.0, 0.0, 0.11)),
        ];
        let spin = Vector3::new(1.0, -2.0, 0.5);
        let given = FreeBodies {
            bodies: bodies
                .map(|body| (body.clone(), body.start(Vector3::x(), spin)))
                .to_vec(),
            acceleration: Vector3::z() * -9.81,
            longest_piece: 1e-3,
        };
        let mut all = RigidBodies::new(given, 16);
        let points = [5, 6, 8, 11];
        all.call(&points, 1e-3);
        let places = [
            Vector3::new(0.1, 0.0, 0.1),
            Vector3::new(0.0, 0.1, 0.1),
            Vector3::new(0.0, 0.0, 0.11),
            Vector3::new(0.1, 0.1, 0.11),
        ];
        let shares = [
            Vector3::new(0.3, 0.1, -0.2),
            Vector3::new(0.2, -0.4, 0.1),
            Vector3::new(-0.1, 0.2, 0.4),
            Vector3::new(-0.4, 0.1, -0.3),
        ];
        let expected = all.mobility(&points, &places, &shares);
        let velocities = |all: &RigidBodies| {
            [0, 1, 2, 3].map(|k| all.velocity_of(points[k], &places[k]).expect("a body"))
        };
        let start = velocities(&all);
        for k in 0..4 {
            assert!(all.push(points[k], &places[k], &shares[k]));
        }
        let end = velocities(&all);
        let found: f64 = (0..4).map(|k| shares[k].dot(&(end[k] - start[k]))).sum();
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        assert!(expected > 0.0);
    }
}
