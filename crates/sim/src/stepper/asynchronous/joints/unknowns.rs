//! The unknowns of joints: velocities of vertices and rigid bodies.

use crate::stepper::asynchronous::rigid_bodies::{Present, RigidBodies};
use crate::stepper::asynchronous::trajectory::Vertex;
use impinge_contact::constraint::{BodyBlocks, Configuration, Frame, Layout};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// Blocks of unknowns: block `k` is the velocity of vertex `k`; after these come two blocks for each rigid body, the
/// velocity of its centre and its angular velocity.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    particles: Vec<Option<u32>>,
    bodies: Vec<Option<BodyBlocks>>,
}

/// The meaning of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Vertex(usize),
    Center(usize),
    Turn(usize),
}

impl Blocks {
    /// Those of vertices with these masses (kg), infinite where they are prescribed, and of `bodies` rigid bodies.
    pub(super) fn new(masses: &[f64], bodies: usize) -> Self {
        let particles = (0..).zip(masses);
        let of_body = |body| BodyBlocks {
            first: (masses.len() + 2 * body) as u32,
            axes: Matrix3::identity(),
        };
        Self {
            particles: particles
                .map(|(point, mass)| mass.is_finite().then_some(point))
                .collect(),
            bodies: (0..bodies).map(|body| Some(of_body(body))).collect(),
        }
    }

    pub(super) fn layout(&self) -> Layout<'_> {
        Layout {
            particles: &self.particles,
            bodies: &self.bodies,
        }
    }

    pub(super) fn meaning(&self, block: u32) -> Block {
        match (block as usize).checked_sub(self.particles.len()) {
            None => Block::Vertex(block as usize),
            Some(of_bodies) if of_bodies.is_multiple_of(2) => Block::Center(of_bodies / 2),
            Some(of_bodies) => Block::Turn(of_bodies / 2),
        }
    }

    /// Places for all of them, at the origin.
    pub(super) fn places(&self) -> Places {
        let at_origin = Frame {
            center: Vector3::zeros(),
            orientation: UnitQuaternion::identity(),
        };
        Places {
            particles: vec![Vector3::zeros(); self.particles.len()],
            frames: vec![at_origin; self.bodies.len()],
        }
    }
}

/// Places of vertices and rigid bodies; only those that the joints at hand hold are up to date.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    particles: Vec<Vector3<f64>>,
    frames: Vec<Frame>,
}

impl Places {
    pub(super) fn configuration(&self) -> Configuration<'_> {
        Configuration {
            particles: &self.particles,
            frames: &self.frames,
        }
    }

    /// The places at `time` (s), not before the present, if there is no further impulse.
    pub(super) fn update(&mut self, held: &Held, movers: &Movers<'_>, time: f64) {
        for &point in &held.points {
            self.particles[point as usize] = movers.vertices[point as usize].at(time);
        }
        for &body in &held.bodies {
            let pose = movers.rigid.pose_at(body, time);
            self.frames[body as usize] = Frame {
                center: pose.center,
                orientation: pose.orientation,
            };
        }
    }
}

/// The vertices and free rigid bodies that joints hold, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) points: Vec<u32>,
    pub(super) bodies: Vec<u32>,
}

/// Velocities of held vertices (m/s), and the states of bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    points: Vec<Vector3<f64>>,
    bodies: Vec<Present>,
}

/// The movers of an event of joints. All held bodies were called.
pub(super) struct Movers<'a> {
    pub(super) vertices: &'a mut [Vertex],
    pub(super) rigid: &'a mut RigidBodies,
}

impl Movers<'_> {
    /// `M⁻¹ j` of a block.
    pub(super) fn respond(&self, block: Block, j: &Vector3<f64>) -> Vector3<f64> {
        match block {
            Block::Vertex(point) => j * self.vertices[point].inverse_mass,
            Block::Center(body) => j / self.rigid.mass(body),
            Block::Turn(body) => self.rigid.inverse_inertia(body) * j,
        }
    }

    /// Applies an impulse to a block.
    pub(super) fn kick(&mut self, block: Block, impulse: &Vector3<f64>) {
        match block {
            Block::Vertex(point) => self.vertices[point].kick(impulse),
            Block::Center(body) => self.rigid.kick(body, impulse, &Vector3::zeros()),
            Block::Turn(body) => self.rigid.kick(body, &Vector3::zeros(), impulse),
        }
    }

    /// Whether all held vertices have finite velocities, and all bodies turn by less than `most` (rad) in `wait` (s).
    pub(super) fn turn_less_than(&self, most: f64, held: &Held, wait: f64) -> bool {
        let is_finite = |&point: &u32| self.vertices[point as usize].velocity.amax().is_finite();
        let turns_less = |&body: &u32| {
            let [velocity, spin] = self.rigid.velocities(body);
            velocity.amax().is_finite() && spin.norm() * wait < most
        };
        held.points.iter().all(is_finite) && held.bodies.iter().all(turns_less)
    }

    /// The velocities of vertices and bodies, to be [restored](Self::restore).
    pub(super) fn keep(&self, held: &Held) -> Kept {
        let velocity = |&point: &u32| self.vertices[point as usize].velocity;
        Kept {
            points: held.points.iter().map(velocity).collect(),
            bodies: (held.bodies.iter())
                .map(|&body| self.rigid.present(body).clone())
                .collect(),
        }
    }

    /// Takes back all impulses since the velocities were kept.
    pub(super) fn restore(&mut self, held: &Held, kept: &Kept) {
        for (&point, velocity) in held.points.iter().zip(&kept.points) {
            self.vertices[point as usize].velocity = *velocity;
        }
        for (&body, present) in held.bodies.iter().zip(&kept.bodies) {
            self.rigid.bodies[body as usize].present = Some(present.clone());
        }
    }

    /// `Δv` of a block by the impulses of an event, before which the held vertices had the velocities `before` (m/s).
    pub(super) fn change(
        &self,
        block: Block,
        held: &Held,
        before: &[Vector3<f64>],
    ) -> Vector3<f64> {
        match block {
            Block::Vertex(point) => match held.points.binary_search(&(point as u32)) {
                Ok(place) => self.vertices[point].velocity - before[place],
                Err(_) => Vector3::zeros(),
            },
            Block::Center(body) => self.rigid.changes(body)[0],
            Block::Turn(body) => self.rigid.changes(body)[1],
        }
    }
}
