//! The event loop.

use super::clock::Clock;
use super::force::ClockedForce;
use super::joints::{Joints, Rows};
use super::layer::{Layer, Touch};
use super::layer_rules::LayerRules;
use super::pairs::{Features, Pairs};
use super::pushes::Pushes;
use super::queue::{Event, EventKind, Queue};
use super::recording::Recording;
use super::rigid_bodies::{RigidBodies, least_effective_mass};
use super::speculative::{History, Speculation};
use super::statistics::Statistics;
use super::sync::{VerticesMut, sync_all};
use super::system::{Plane, Script, Settings, System};
use super::trajectory::Vertex;
use super::velocity_bound::VelocityBound;
use super::volumes::Volumes;
use crate::error::asynchronous::{Stop, SystemError};
use crate::rigid::{RigidBody, RigidState};
use crate::scene::Detection;
use impinge_contact::{Interrupt, penalty::LayerLaw};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;
use std::sync::Arc;
use std::time::Instant;

/// Ratio of void to valid queue entries above which the void ones are removed.
const MAX_VOID: usize = 2;

/// Batches of at least this many terms or pairs are always timed.
const LARGE: usize = 32;

/// Reach of particles without an edge, in thicknesses of the first layer.
const REACH_OF_PARTICLES: f64 = 1.0;

/// The asynchronous integrator: state, clocks, certificates and queue.
///
/// Every event belongs to one instant and changes a few vertices only; all others stay at their own times. Events run
/// in the order of (time, kind, number), so that two runs of the same system agree bit for bit.
#[derive(Debug)]
pub struct Engine {
    pub(super) vertices: Vec<Vertex>,
    pub(super) forces: Vec<(Clock, Box<dyn ClockedForce>)>,
    pub(super) scripts: Vec<(Clock, Script, Vec<Vector3<f64>>)>,
    pub(super) rigid: RigidBodies,
    pub(super) joints: Joints,
    pub(super) surface: Arc<CollisionSurface>,
    pub(super) planes: Vec<Plane>,
    pub(super) rules: LayerRules,
    pub(super) friction: Vec<f64>,
    pub(super) settings: Settings,
    pub(super) velocity_bounds: Vec<VelocityBound>,
    pub(super) volumes: Volumes,
    pub(super) pairs: Pairs,
    pub(super) layers: Vec<Layer>,
    pub(super) queue: Queue,
    pub(super) now: f64,
    pub(super) statistics: Statistics,
    /// Numbers of valid events, of these at the last audit, and of audits.
    pub(super) dispatched: u64,
    pub(super) audited: u64,
    pub(super) audits: u64,
    /// Number of events that the measured time of the present one represents; 0 if it is not measured.
    pub(super) stands_for: u32,
    /// For speculation: the paths since the start of the window.
    pub(super) history: Option<History>,
    /// For speculation: data kept between windows.
    pub(super) speculation: Option<Box<Speculation>>,
    /// Recorded paths since the last stored frame, if requested; the integrator does not read them.
    pub(super) recording: Option<Recording>,
    /// Impulses of layers since the end of the last step, if requested; the integrator does not read them.
    pub(super) pushes: Option<Pushes>,
    // Buffers.
    pub(super) kicked: Vec<u32>,
    pub(super) left: Vec<u32>,
    pub(super) called: Vec<(u32, u32)>,
    pub(super) touches: Vec<Touch>,
    pub(super) met: Vec<Features>,
    interrupt: Interrupt,
}

/// Asserts that the parts of a system fit together.
#[track_caller]
fn check_sizes(system: &System) {
    let points = system.positions.len();
    assert_eq!(system.velocities.len(), points, "one velocity per point");
    assert_eq!(system.masses.len(), points, "one mass per point");
    assert_eq!(
        system.surface.point_count(),
        points,
        "the surface has the same points"
    );
    assert_eq!(
        system.friction.len(),
        system.surface.passive().len(),
        "one friction coefficient per body"
    );
    for force in &system.forces {
        let stencil = force.stencil();
        let ascending = stencil.is_sorted_by(|a, b| a < b);
        let inside = stencil.last().is_none_or(|&last| (last as usize) < points);
        assert!(ascending && inside, "a stencil is ascending and of points");
    }
}

impl Engine {
    /// Sets up clocks, certificates and queue at time 0.
    ///
    /// Pairs that start within the first layers have these from the start.
    ///
    /// # Errors
    /// [`SystemError`] for invalid masses and numbers, and for pairs that start closer than the layers reach.
    ///
    /// # Panics
    /// If `positions`, `velocities`, `masses` and the surface have different numbers of points, or `friction` is not
    /// one per body, or the stencil of a force is not ascending and unique or has a point out of range.
    #[track_caller]
    pub fn new(mut system: System, settings: Settings) -> Result<Self, SystemError> {
        check_sizes(&system);
        let points = system.positions.len();
        if !(0.0..=1.0).contains(&system.restitution) {
            return Err(SystemError::Restitution {
                value: system.restitution,
            });
        }
        let vertices = vertices_of(&system)?;
        let lightest = touching_points(&system)
            .iter()
            .map(|&point| system.masses[point as usize])
            .chain(
                system
                    .rigid
                    .bodies
                    .iter()
                    .map(|(body, _)| least_effective_mass(body)),
            )
            .fold(f64::INFINITY, f64::min);
        let joints = Joints::take(&mut system);
        let mut volumes = Volumes::new(&system.surface, &system.positions);
        for reach in &mut volumes.reach {
            if reach.is_infinite() {
                *reach = REACH_OF_PARTICLES * system.law.thickness(1);
            }
        }
        let mut engine = Self {
            velocity_bounds: Vec::new(),
            pairs: Pairs::new(points),
            volumes,
            vertices,
            forces: system
                .forces
                .into_iter()
                .map(|force| (Clock::new(force.period()), force))
                .collect(),
            scripts: Vec::new(),
            rigid: RigidBodies::new(system.rigid, points),
            joints,
            surface: Arc::new(system.surface),
            planes: system.planes,
            rules: LayerRules::new(system.law, system.restitution, 0.5 * lightest, &settings)?,
            friction: system.friction,
            settings,
            layers: Vec::new(),
            queue: Queue::default(),
            now: 0.0,
            statistics: Statistics::default(),
            dispatched: 0,
            audited: 0,
            audits: 0,
            stands_for: 0,
            history: None,
            speculation: None,
            recording: None,
            pushes: None,
            kicked: Vec::new(),
            left: Vec::new(),
            called: Vec::new(),
            touches: Vec::new(),
            met: Vec::new(),
            interrupt: Interrupt::default(),
        };
        engine.add_scripts(system.scripts);
        engine.start_rigid_bodies();
        engine.start_velocity_bounds();
        for (id, (clock, _)) in (0..).zip(&engine.forces) {
            engine.queue.push(Event {
                time: clock.due(),
                kind: EventKind::Force,
                id,
                generation: 0,
            });
        }
        engine.start_joints();
        let floor = engine.rules.law.thickness(engine.rules.deepest);
        engine
            .start_contact()
            .map_err(|stop| Self::too_close(&stop, floor))?;
        Ok(engine)
    }

    fn add_scripts(&mut self, scripts: Vec<Script>) {
        for (id, script) in (0..).zip(scripts) {
            let start = script
                .vertices
                .iter()
                .map(|&point| self.vertices[point as usize].position)
                .collect();
            let clock = Clock {
                period: script.period,
                tick: 0,
            };
            self.scripts.push((clock, script, start));
            self.queue.push(Event {
                time: 0.0,
                kind: EventKind::Script,
                id,
                generation: 0,
            });
        }
    }

    /// Whether impulses move a vertex, alone or with its rigid body.
    fn is_free(&self, point: u32) -> bool {
        self.vertices[point as usize].inverse_mass > 0.0 || self.rigid.of(point).is_some()
    }

    /// Whether each vertex ever moves.
    fn moves(&self) -> Vec<bool> {
        // Prescribed vertices without a script do not move.
        let mut moves: Vec<bool> = (0..self.vertices.len() as u32)
            .map(|point| self.is_free(point))
            .collect();
        for (_, script, _) in &self.scripts {
            for &point in &script.vertices {
                moves[point as usize] = true;
            }
        }
        moves
    }

    /// Whether any feature may touch each vertex.
    fn may_be_touched(&self) -> Vec<bool> {
        let mut touches = vec![!self.planes.is_empty(); self.vertices.len()];
        for &point in self.surface.vertices() {
            touches[point as usize] = true;
        }
        touches
    }

    /// Whether the path of each vertex matters for contact.
    pub(super) fn is_watched(&self) -> Vec<bool> {
        let touches = self.may_be_touched();
        self.moves()
            .into_iter()
            .zip(touches)
            .map(|(moves, touches)| moves && touches)
            .collect()
    }

    fn start_velocity_bounds(&mut self) {
        let (moves, touches) = (self.moves(), self.may_be_touched());
        let velocity_bound = |point: usize| {
            let vertex = &self.vertices[point];
            let least = self.settings.velocity_bound * self.volumes.reach[point]
                / self.settings.volume_life;
            let (least, deviation) = if !touches[point] {
                (f64::INFINITY, f64::INFINITY)
            } else if moves[point] {
                (least, least)
            } else {
                (0.0, 0.0)
            };
            VelocityBound {
                velocity: vertex.velocity,
                deviation,
                least,
                since: 0.0,
            }
        };
        self.velocity_bounds = (0..self.vertices.len()).map(velocity_bound).collect();
    }

    fn start_contact(&mut self) -> Result<(), Stop> {
        if self.settings.detection == Detection::Speculative {
            return self.start_speculation();
        }
        for plane in 0..self.planes.len() as u32 {
            for point in 0..self.vertices.len() as u32 {
                if self.is_free(point) {
                    self.take_up(Features::Plane(point, plane))?;
                }
            }
        }
        self.start_volumes()
    }

    /// Simulated time (s): that of the last event, or the end of the last run.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// Counts since the start.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// All vertices, each at its own time.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// Measures the time of each kind of event from now on: of all large batches, and of one in `every` other events,
    /// which represents the others. Measuring every event costs a tenth of the run, one in a hundred nothing
    /// measurable. Windows of speculation are always measured.
    pub fn measure_times(&mut self, every: u64) {
        self.settings.profile = every;
    }

    /// The law of the layers.
    pub fn law(&self) -> &LayerLaw {
        &self.rules.law
    }

    /// The surface in contact.
    pub fn surface(&self) -> &CollisionSurface {
        &self.surface
    }

    /// Points and distance (m) at the last event of every pair with an active layer. For a vertex at a half-space, all
    /// points are that vertex.
    pub fn near_pairs(&self) -> impl Iterator<Item = ([u32; 4], f64)> + '_ {
        self.pairs
            .ids()
            .filter(|&id| self.pairs.get(id).proximity.depth > 0)
            .map(|id| {
                (
                    self.pairs.get(id).points,
                    self.nearest(id, self.now).distance,
                )
            })
    }

    /// Positions at `time` (s), not before [`now`](Self::now). The state does not change.
    ///
    /// # Panics
    /// If `positions` is not one per vertex.
    pub fn positions_into(&self, time: f64, positions: &mut [Vector3<f64>]) {
        assert_eq!(positions.len(), self.vertices.len());
        for (vertex, position) in self.vertices.iter().zip(positions) {
            *position = vertex.at(time);
        }
    }

    /// Makes events end with [`Stop::Interrupted`] once `interrupt` is raised.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    /// From now on writes down the paths of the vertices of the surface.
    pub(super) fn record(&mut self) {
        self.recording = Some(Recording::new(
            self.surface.vertices(),
            &self.vertices,
            self.now,
        ));
    }

    /// Runs all events up to and including `until` (s).
    ///
    /// # Errors
    /// [`Stop`] if time makes no progress or a number is not finite; the state is that of the last event.
    pub fn run(&mut self, until: f64) -> Result<(), Stop> {
        // Runs on a thread of the pool: handing over each batch separately would take longer than many batches.
        rayon::scope(|_| {
            while self.step(until)?.is_some() {}
            Ok(())
        })?;
        self.now = self.now.max(until);
        Ok(())
    }

    /// Runs the next event up to `until` (s), and returns it. With speculation, runs all events of the next window that
    /// has any, and returns the last.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn step(&mut self, until: f64) -> Result<Option<Event>, Stop> {
        let last = if self.speculation.is_some() {
            self.window(until)?
        } else {
            self.next_event(until)?
        };
        if cfg!(debug_assertions) {
            self.audit_now_and_then();
        }
        Ok(last)
    }

    pub(super) fn next_event(&mut self, until: f64) -> Result<Option<Event>, Stop> {
        if self.interrupt.is_raised() {
            return Err(Stop::Interrupted);
        }
        loop {
            let Some(event) = self.queue.pop(until) else {
                return Ok(None);
            };
            if !self.is_valid(event.kind, event.id, event.generation) {
                continue;
            }
            debug_assert!(event.time >= self.now, "an event in the past");
            self.now = event.time;
            self.dispatched += 1;
            self.stands_for = self.timed_for(&event);
            if self.stands_for > 0 {
                let dispatched = self.dispatch_timed(event);
                self.stands_for = 0;
                dispatched?;
            } else {
                self.dispatch(event)?;
            }
            self.remove_void_events();
            return Ok(Some(event));
        }
    }

    /// Number of events that the measured time of this one represents. Large events represent only themselves: there
    /// are few, and measuring them is cheap.
    #[inline]
    fn timed_for(&self, event: &Event) -> u32 {
        if self.settings.profile == 0 {
            return 0;
        }
        let size = match event.kind {
            EventKind::Force => self.forces[event.id as usize].1.terms(),
            EventKind::Layer => self.members_of(event.id),
            EventKind::Joint => self.joints.members_of(event.id),
            EventKind::Script | EventKind::Rigid | EventKind::Volume | EventKind::Slab => 1,
        };
        if size >= LARGE {
            1
        } else if self.dispatched.is_multiple_of(self.settings.profile) {
            u32::try_from(self.settings.profile).unwrap_or(u32::MAX)
        } else {
            0
        }
    }

    fn dispatch_timed(&mut self, event: Event) -> Result<(), Stop> {
        let force = (event.kind == EventKind::Force)
            .then(|| self.forces[event.id as usize].1.kind() as usize);
        let (before, begin) = (self.statistics.times.redating(), Instant::now());
        let dispatched = self.dispatch(event);
        let elapsed = begin.elapsed();
        let times = &mut self.statistics.times;
        let redated = times.redating().saturating_sub(before);
        let own = (elapsed * self.stands_for).saturating_sub(redated);
        times.events[event.kind as usize] += own;
        if let Some(force) = force {
            times.forces[force] += own;
        }
        dispatched
    }

    #[inline]
    fn dispatch(&mut self, event: Event) -> Result<(), Stop> {
        let Event { time, id, .. } = event;
        match event.kind {
            EventKind::Script => self.script_event(id, time),
            EventKind::Rigid => self.rigid_event(id, time),
            EventKind::Volume => self.volume_event(id, time),
            EventKind::Slab => self.slab_event(id, time),
            EventKind::Layer => self.layer_event(id, time),
            EventKind::Force => self.force_event(id, time),
            EventKind::Joint => self.joint_event(id, time),
        }
    }

    #[inline]
    fn is_valid(&self, kind: EventKind, id: u32, generation: u32) -> bool {
        match kind {
            EventKind::Slab => self.pairs.get(id).generation == generation,
            EventKind::Volume => self.volumes.generation[id as usize] == generation,
            EventKind::Rigid => self.rigid.is_current(id, generation),
            EventKind::Script | EventKind::Layer | EventKind::Force | EventKind::Joint => true,
        }
    }

    /// Removes void entries from a long queue.
    fn remove_void_events(&mut self) {
        let valid = self.pairs.len()
            + self.vertices.len()
            + self.rigid.len()
            + self.joints.group_count()
            + self.forces.len()
            + self.layers.len();
        if self.queue.len() <= MAX_VOID * valid + 1024 {
            return;
        }
        let mut queue = std::mem::take(&mut self.queue);
        queue.remove_void(|kind, id, generation| self.is_valid(kind, id, generation));
        self.queue = queue;
    }

    /// Tick of a batch of forces: all of its vertices advance to this time, then all of its terms apply their impulses.
    fn force_event(&mut self, id: u32, time: f64) -> Result<(), Stop> {
        // The force is taken out, so that the velocity bounds can be checked by its stencil.
        let (mut clock, mut force) = {
            let (clock, force) = &mut self.forces[id as usize];
            (*clock, std::mem::replace(force, Box::new(Nothing)))
        };
        let vertices = VerticesMut {
            first: 0,
            vertices: &mut self.vertices,
            paths: self.history.as_mut().map(History::paths),
        };
        sync_all(vertices, force.stencil(), time, &mut self.statistics.steps);
        if let Some(recording) = &mut self.recording {
            recording.note(force.stencil(), &self.vertices);
        }
        force.kick(&mut self.vertices);
        self.statistics.force_terms[force.kind() as usize] += force.terms() as u64;
        let checked = if self.history.is_none() {
            self.check_velocity_bounds(force.stencil(), time)
        } else {
            Ok(())
        };
        clock.tick += 1;
        self.forces[id as usize] = (clock, force);
        self.queue.push(Event {
            time: clock.due(),
            kind: EventKind::Force,
            id,
            generation: 0,
        });
        checked
    }

    /// Prescribed vertices get the velocity of their next trajectory piece.
    fn script_event(&mut self, id: u32, time: f64) -> Result<(), Stop> {
        let (clock, script, start) = &mut self.scripts[id as usize];
        let next = (clock.tick + 1) as f64 * clock.period;
        clock.tick += 1;
        self.statistics.script_ticks += 1;
        let mut kicked = std::mem::take(&mut self.kicked);
        kicked.clear();
        for (&point, start) in script.vertices.iter().zip(start) {
            let vertex = &mut self.vertices[point as usize];
            vertex.sync(time);
            vertex.velocity =
                (script.path.position_at(start, next) - vertex.position) / (next - time);
            kicked.push(point);
        }
        self.queue.push(Event {
            time: next,
            kind: EventKind::Script,
            id,
            generation: 0,
        });
        if let Some(recording) = &mut self.recording {
            recording.note_all(kicked.iter().copied(), &self.vertices);
        }
        self.after_kicks(&kicked, time)?;
        self.kicked = kicked;
        Ok(())
    }

    /// The free rigid bodies, and their states at `time` (s), not before [`now`](Self::now).
    pub fn rigid_states(&self, time: f64) -> impl Iterator<Item = (&RigidBody, RigidState)> {
        self.rigid.states_at(time)
    }

    /// `Σ m v` (N s) of everything that is not prescribed.
    pub fn momentum(&self) -> Vector3<f64> {
        let of_points = self.free().map(|(mass, vertex)| vertex.velocity * mass);
        let of_rigid =
            (self.rigid_states(self.now)).map(|(body, at)| at.velocity * body.inertia.mass());
        of_points.chain(of_rigid).sum()
    }

    /// `Σ m q × v` (N m s) about the origin, all at `time` (s).
    pub fn angular_momentum(&self, time: f64) -> Vector3<f64> {
        let of_points = self
            .free()
            .map(|(mass, vertex)| vertex.at(time).cross(&vertex.velocity) * mass);
        let of_rigid = self.rigid_states(time).map(|(body, at)| {
            at.pose.center.cross(&at.velocity) * body.inertia.mass() + at.angular_momentum
        });
        of_points.chain(of_rigid).sum()
    }

    /// `Σ ½ m v²`, and that of rotating rigid bodies (J).
    pub fn kinetic_energy(&self) -> f64 {
        let of_points = self
            .free()
            .map(|(mass, vertex)| 0.5 * mass * vertex.velocity.norm_squared());
        let of_rigid = (self.rigid_states(self.now)).map(|(body, at)| body.kinetic_energy(&at));
        of_points.chain(of_rigid).sum()
    }

    /// Energy of all forces at given positions (J), without the weight of rigid bodies.
    pub fn force_energy(&self, positions: &[Vector3<f64>]) -> f64 {
        self.forces
            .iter()
            .map(|(_, force)| force.energy(positions))
            .sum()
    }

    /// Mean force of each joint without compliance over its last period (N, or N m), by row, with its place.
    pub(super) fn hard_forces(&self) -> impl Iterator<Item = (usize, Rows)> {
        self.joints.hard_forces()
    }

    /// Energy of all layers at `time` (J), if they gave back all of it.
    pub fn layer_energy(&self, time: f64) -> f64 {
        self.pairs
            .ids()
            .filter(|&id| self.pairs.get(id).proximity.depth > 0)
            .map(|id| self.rules.law.energy(self.nearest(id, time).distance))
            .sum()
    }

    /// Share of [`layer_energy`](Self::layer_energy) that the layers give back: `e²`.
    pub fn returned_share(&self) -> f64 {
        self.rules.restitution * self.rules.restitution
    }

    fn free(&self) -> impl Iterator<Item = (f64, &Vertex)> {
        self.vertices
            .iter()
            .filter(|vertex| vertex.inverse_mass > 0.0)
            .map(|vertex| (1.0 / vertex.inverse_mass, vertex))
    }
}

/// Placeholder for a force while it acts.
#[derive(Debug)]
struct Nothing;

impl ClockedForce for Nothing {
    fn kind(&self) -> super::force::ForceKind {
        super::force::ForceKind::Given
    }

    fn period(&self) -> f64 {
        f64::INFINITY
    }
    fn terms(&self) -> usize {
        0
    }
    fn stencil(&self) -> &[u32] {
        &[]
    }
    fn kick(&mut self, _: &mut [Vertex]) {}
    fn energy(&self, _: &[Vector3<f64>]) -> f64 {
        0.0
    }
}

/// Points to which contact may apply an impulse.
fn touching_points(system: &System) -> Vec<u32> {
    if system.planes.is_empty() {
        system.surface.vertices().to_vec()
    } else {
        (0..system.positions.len() as u32).collect()
    }
}

fn vertices_of(system: &System) -> Result<Vec<Vertex>, SystemError> {
    let finite = |x: &Vector3<f64>| x.iter().all(|component| component.is_finite());
    let vertex = |point: usize| {
        let mass = system.masses[point];
        let (position, velocity) = (system.positions[point], system.velocities[point]);
        if mass.is_nan() || mass <= 0.0 {
            return Err(SystemError::Mass { point, mass });
        }
        if !(finite(&position) && finite(&velocity)) {
            return Err(SystemError::NotFinite { point });
        }
        Ok(Vertex {
            position,
            time: 0.0,
            velocity,
            inverse_mass: 1.0 / mass,
        })
    };
    (0..system.positions.len()).map(vertex).collect()
}
