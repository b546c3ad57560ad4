//! Events of joints: their ticks, and their answers to impulses of contact.

use super::group::OpenJoint;
use super::unknowns::Movers;
use crate::error::asynchronous::Stop;
use crate::stepper::asynchronous::engine::Engine;
use crate::stepper::asynchronous::queue::{Event, EventKind};
use crate::stepper::asynchronous::sync::{VerticesMut, sync_all};

impl Engine {
    /// Schedules the first ticks of all joints.
    pub(in super::super) fn start_joints(&mut self) {
        for id in 0..self.joints.groups.len() {
            self.schedule_joints(id);
        }
    }

    fn schedule_joints(&mut self, id: usize) {
        self.queue.push(Event {
            time: self.joints.groups[id].clock.due(),
            kind: EventKind::Joint,
            id: id as u32,
            generation: 0,
        });
    }

    /// Tick of joints: their vertices and bodies advance to this time, then get the impulses.
    pub(in super::super) fn joint_event(&mut self, id: u32, time: f64) -> Result<(), Stop> {
        let id = id as usize;
        let mut kicked = std::mem::take(&mut self.kicked);
        kicked.clear();
        self.call_joined(id, time, &mut kicked);
        let group = &mut self.joints.groups[id];
        self.statistics.joint_ticks += group.len() as u64;
        let mut movers = Movers {
            vertices: &mut self.vertices,
            rigid: &mut self.rigid,
        };
        let ticked = group.tick(time, &mut self.joints.shared, &mut movers);
        ticked.map_err(|open| {
            let OpenJoint {
                name,
                misfit,
                period,
            } = open;
            Stop::OpenJoint {
                time,
                name,
                misfit,
                period,
            }
        })?;
        self.schedule_joints(id);
        if let Some(recording) = &mut self.recording {
            recording.note(&kicked, &self.vertices);
        }
        self.settle_rigid_bodies(time, &mut kicked);
        self.after_kicks(&kicked, time)?;
        self.kicked = kicked;
        Ok(())
    }

    /// Prepares the answers of joints to an event of contact.
    pub(in super::super) fn expect_answers_of_joints(&mut self) {
        let movers = Movers {
            vertices: &mut self.vertices,
            rigid: &mut self.rigid,
        };
        for group in self.joints.groups.iter_mut().filter(|group| group.is_hard) {
            group.note_velocities(&movers);
        }
    }

    /// Joints without compliance answer the impulses of an event of contact at `time` (s) on their vertices and bodies.
    /// The vertices that get impulses by that are added to `kicked`.
    pub(in super::super) fn answer_by_joints(&mut self, time: f64, kicked: &mut Vec<u32>) {
        for id in 0..self.joints.groups.len() {
            let movers = Movers {
                vertices: &mut self.vertices,
                rigid: &mut self.rigid,
            };
            let group = &self.joints.groups[id];
            if !group.is_hard || !group.is_pushed(&movers) {
                continue;
            }
            self.call_joined(id, time, kicked);
            let mut movers = Movers {
                vertices: &mut self.vertices,
                rigid: &mut self.rigid,
            };
            self.joints.groups[id].answer(time, &mut self.joints.shared, &mut movers);
        }
    }

    /// Takes the vertices and bodies of a group of joints to `time` (s), and adds the vertices to `kicked`.
    fn call_joined(&mut self, id: usize, time: f64, kicked: &mut Vec<u32>) {
        let held = &self.joints.groups[id].held;
        let vertices = VerticesMut {
            first: 0,
            vertices: &mut self.vertices,
            paths: None,
        };
        sync_all(vertices, &held.points, time, &mut self.statistics.steps);
        for &body in &held.bodies {
            self.rigid.call_body(body, time);
        }
        kicked.extend_from_slice(&held.points);
    }
}
