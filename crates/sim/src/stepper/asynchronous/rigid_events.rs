//! Events of free rigid bodies: their straight pieces, and impulses on their points.

use super::engine::Engine;
use super::queue::{Event, EventKind};
use super::rigid_bodies::{Piece, RigidBodies};
use crate::error::asynchronous::Stop;
use nalgebra::Vector3;

/// Shortest rest of a piece at whose end points can aim, in lengths of the piece: in a shorter one, rounding of
/// positions would give them large velocities. Below 1e-6 the error of their places is invisible.
const SHORTEST_REST: f64 = 1e-9;

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

    /// Ends an event at `time` (s): every body that received an impulse starts a new piece, and its points are added
    /// to `kicked`.
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
        let piece = Piece::new(&body.constants, &body.state, time, *longest_piece);
        let rest = piece.end - time;
        body.spin = piece.spin;
        let target = body.state_at(piece.end, acceleration).pose;
        let center = body.state.pose.center;
        let aims = rest > SHORTEST_REST * piece.period;
        for (point, arm) in body.points().zip(&body.constants.arms) {
            let vertex = &mut self.vertices[point as usize];
            self.statistics.steps.count(time - vertex.time);
            vertex.sync(time);
            vertex.velocity = if aims {
                (target.place(arm) - vertex.position) / rest
            } else {
                body.state.velocity + piece.turning.cross(&(vertex.position - center))
            };
        }
        if piece.end.to_bits() != body.end.to_bits() {
            body.end = piece.end;
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
