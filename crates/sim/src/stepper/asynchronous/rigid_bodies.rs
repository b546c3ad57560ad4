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
use super::engine::Engine;
use super::queue::{Event, EventKind};
use super::system::FreeBodies;
use crate::error::asynchronous::Stop;
use crate::rigid::{RigidBody, RigidState};
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// Largest rotation of a free rigid body in one straight piece (rad). The velocities of its points are then accurate to
/// half of it, their places to an eighth of its square. Any value up to 0.5 is safe; energy suffers from large ones.
const LARGEST_TURN: f64 = 0.01;

/// Shortest rest of a piece at whose end points can aim, in lengths of the piece: in a shorter one, rounding of
/// positions would give them large velocities. Below 1e-6 the error of their places is invisible.
const SHORTEST_REST: f64 = 1e-9;

/// A body at the instant of an event, between its impulses.
#[derive(Clone, Debug)]
struct Present {
    time: f64,
    state: RigidState,
    /// `ω` (rad/s).
    spin: Vector3<f64>,
    /// `I_w⁻¹` (1/(kg m²)).
    mobility: Matrix3<f64>,
    /// Whether it received an impulse.
    pushed: bool,
}

/// A body in flight.
#[derive(Clone, Debug)]
struct Flying {
    constants: RigidBody,
    /// Its state at `time`, after all impulses so far.
    state: RigidState,
    time: f64,
    /// Mean angular velocity up to the end of the piece (rad/s).
    spin: Vector3<f64>,
    /// End of the piece (s).
    end: f64,
    generation: u32,
    present: Option<Present>,
}

impl Flying {
    fn state_at(&self, time: f64, acceleration: &Vector3<f64>) -> RigidState {
        let wait = time - self.time;
        let gained = acceleration * wait;
        let mean = self.state.velocity + gained * 0.5;
        RigidState {
            pose: self.state.pose.advanced(&mean, &self.spin, wait),
            velocity: self.state.velocity + gained,
            angular_momentum: self.state.angular_momentum,
        }
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

    fn points(&self) -> Range<u32> {
        self.constants.points.start as u32..self.constants.points.end as u32
    }
}

/// All free rigid bodies of a system.
#[derive(Clone, Debug)]
pub(super) struct RigidBodies {
    bodies: Vec<Flying>,
    /// Body of each point; empty without bodies.
    of_point: Vec<Option<u32>>,
    /// Gravity (m/s²).
    acceleration: Vector3<f64>,
    /// Longest piece (s).
    longest_piece: f64,
    /// Bodies that an event looked at.
    called: Vec<u32>,
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
            let Some(index) = self.of(point) else {
                continue;
            };
            let body = &mut self.bodies[index as usize];
            if body.present.as_ref().is_none_or(|at| at.time < time) {
                body.present = Some(body.present_at(time, &self.acceleration));
                self.called.push(index);
            }
        }
    }

    /// A called body.
    #[inline]
    fn present(&self, body: u32) -> &Present {
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
        let body = &mut self.bodies[index as usize];
        if let Some(at) = &mut body.present {
            at.state.velocity += impulse / body.constants.inertia.mass();
            at.state.angular_momentum += (place - at.state.pose.center).cross(impulse);
            at.spin = at.mobility * at.state.angular_momentum;
            at.pushed = true;
        }
        true
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

impl Engine {
    /// Schedules the first pieces of the free rigid bodies.
    pub(super) fn start_rigid_bodies(&mut self) {
        for id in 0..self.rigid.len() as u32 {
            self.queue.push(Event {
                time: 0.0,
                kind: EventKind::Rigid,
                id,
                generation: 0,
            });
        }
    }

    /// Velocity of a vertex at `time` (s), for impulses: that of its body, if it belongs to a free rigid one, which was
    /// called.
    #[inline]
    pub(super) fn velocity_of(&self, point: u32, time: f64) -> Vector3<f64> {
        let vertex = &self.vertices[point as usize];
        if self.rigid.is_empty() {
            return vertex.velocity;
        }
        let of_body = self.rigid.velocity_of(point, &vertex.at(time));
        of_body.unwrap_or(vertex.velocity)
    }

    /// Applies an impulse (N s) at `time` (s) to a vertex, or to its free rigid body, which was called. Returns whether
    /// the vertex itself changed its velocity.
    #[inline]
    pub(super) fn push(&mut self, point: u32, impulse: &Vector3<f64>, time: f64) -> bool {
        let vertex = &mut self.vertices[point as usize];
        if !self.rigid.is_empty() && self.rigid.push(point, &vertex.at(time), impulse) {
            return false;
        }
        self.statistics.steps.count(time - vertex.time);
        vertex.sync(time);
        vertex.kick(impulse);
        true
    }

    /// The part of [`Lever::mobility`](impinge_contact::penalty::Lever::mobility) of the points of free rigid bodies,
    /// which were called (1/kg).
    #[inline]
    pub(super) fn rigid_mobility(
        &self,
        points: &[u32; 4],
        shares: &[Vector3<f64>; 4],
        time: f64,
    ) -> f64 {
        if self.rigid.is_empty() {
            return 0.0;
        }
        let places = points.map(|point| self.vertices[point as usize].at(time));
        self.rigid.mobility(points, &places, shares)
    }

    /// A free rigid body starts its next piece.
    pub(super) fn rigid_event(&mut self, id: u32, time: f64) -> Result<(), Stop> {
        self.statistics.rigid_pieces += 1;
        let bodies = &mut self.rigid;
        let body = &mut bodies.bodies[id as usize];
        (body.state, body.time) = (body.state_at(time, &bodies.acceleration), time);
        let mut kicked = std::mem::take(&mut self.kicked);
        kicked.clear();
        self.fly(id, time, &mut kicked);
        self.after_kicks(&kicked, time)?;
        self.kicked = kicked;
        Ok(())
    }

    /// Ends an event at `time` (s): the points of the bodies that received impulses aim anew, and are added to
    /// `kicked`.
    pub(super) fn settle_rigid_bodies(&mut self, time: f64, kicked: &mut Vec<u32>) {
        let mut called = std::mem::take(&mut self.rigid.called);
        for id in called.drain(..) {
            let body = &mut self.rigid.bodies[id as usize];
            if let Some(present) = body.present.take().filter(|present| present.pushed) {
                (body.state, body.time) = (present.state, time);
                self.fly(id, time, kicked);
            }
        }
        self.rigid.called = called;
    }

    /// Gives the points of a body the velocities of a straight piece from `time` (s), the time of its state.
    fn fly(&mut self, id: u32, time: f64, kicked: &mut Vec<u32>) {
        let RigidBodies {
            bodies,
            acceleration,
            longest_piece,
            ..
        } = &mut self.rigid;
        let body = &mut bodies[id as usize];
        let turning = body.constants.angular_velocity(&body.state);
        let period = nested_period(*longest_piece, LARGEST_TURN / turning.norm());
        let mut clock = Clock::new(period);
        clock.resume_after(time);
        let rest = clock.due() - time;
        let (turned, momentum) = (&body.state.pose.orientation, &body.state.angular_momentum);
        body.spin = (body.constants.inertia).free_spin(turned, momentum, rest);
        let target = body.state_at(clock.due(), acceleration).pose;
        let center = body.state.pose.center;
        let aims = rest > SHORTEST_REST * period;
        for (point, arm) in body.points().zip(&body.constants.arms) {
            let vertex = &mut self.vertices[point as usize];
            self.statistics.steps.count(time - vertex.time);
            vertex.sync(time);
            vertex.velocity = if aims {
                (target.place(arm) - vertex.position) / rest
            } else {
                body.state.velocity + turning.cross(&(vertex.position - center))
            };
        }
        if clock.due() != body.end {
            body.end = clock.due();
            body.generation += 1;
            self.queue.push(Event {
                time: body.end,
                kind: EventKind::Rigid,
                id,
                generation: body.generation,
            });
        }
        let points = body.points();
        if let Some(recording) = &mut self.recording {
            recording.note_all(points.clone(), &self.vertices);
        }
        kicked.extend(points);
    }
}
