//! The asynchronous integrator as a stepper of scenes.

use super::engine::Engine;
use super::force::{ClockedForce, Drag, ElasticTerms, ForceKind, Pulls, UniformForce};
use super::joints::{JointClocks, Rows, Steps, write_force};
use super::pieces::Pieces;
use super::pushes::Pushes;
use super::rigid_bodies::least_effective_mass;
use super::scripted::ScriptedObstacles;
use super::statistics::{Statistics, StepHistogram};
use super::system::{FreeBodies, Plane, Script, Settings, System};
use crate::balance::Energies;
use crate::error::asynchronous::{Stop, SystemError};
use crate::error::{SimError, StepError, StepFailure};
use crate::model::{Model, PointMotion};
use crate::report::StepReport;
use crate::rigid::RigidState;
use crate::scene::{self, RigidMotion};
use crate::state::State;
use crate::step::assemble::rigid::LARGEST_TURN;
use crate::step::commit::energy::{EnergyAccount, external_work_at_rest};
use crate::step::commit::{check_inversion, measure, smallest_volume};
use crate::stepper::Stepper;
use impinge_contact::constraint::{Configuration, Evaluation, Frame};
use impinge_contact::{Interrupt, penalty::LayerLaw};
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::time::Instant;

/// Default stiffness: about this many layers stop the lightest vertex at [`USUAL_SPEED`].
const USUAL_LAYERS: f64 = 5.0;

/// Speed (m/s) of an impact for the default stiffness.
const USUAL_SPEED: f64 = 1.0;

/// Largest number of ticks of a clock per step: a million checks between two visible states is no progress.
const MAX_TICKS: f64 = 1e6;

/// Largest number of k-DOPs of a vertex per step: each costs more than many ticks.
const MAX_STAYS: f64 = 1e5;

/// Smallest gain of energy that is reported, as a share of the kinetic and elastic energy (1), 0.15 to 1: instability
/// multiplies the energy. Velocities are half a period ahead of positions, so the measured energy oscillates about the
/// true one by `h ω/2` of the energy of the fastest vibrations: 15 % for the default periods.
const REPORTED_GAIN: f64 = 0.15;

/// Advances a scene by events, one step of the model at a time; steps have no influence on the motion.
#[derive(Debug)]
pub struct Asynchronous {
    engine: Engine,
    /// Obstacles that may be driven into each other; `None` if none moves.
    obstacles: Option<ScriptedObstacles>,
    /// Trajectory pieces of a prescribed motion per step.
    pieces: u64,
    /// Longest period of a clock (s): the length of such a piece.
    longest_period: f64,
    /// End of each step (s), and the trajectory pieces that ended in it.
    flights: Vec<(f64, StepHistogram)>,
    /// All pieces up to the last step.
    flights_before: StepHistogram,
    account: EnergyAccount,
    // Buffers.
    positions: Vec<Vector3<f64>>,
}

impl Asynchronous {
    /// Prepares the integrator at the state's time, which is 0.
    ///
    /// # Errors
    /// [`SimError`] if features start closer than layers can be resolved, or a body starts within its own layers.
    pub fn new(
        model: &Model,
        state: &State,
        settings: &scene::Asynchronous,
    ) -> Result<Self, SimError> {
        Self::tuned(model, state, settings, |_| ())
    }

    /// Like `new`, with settings that scenes do not have, for comparisons.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn tuned(
        model: &Model,
        state: &State,
        settings: &scene::Asynchronous,
        tune: impl FnOnce(&mut Settings),
    ) -> Result<Self, SimError> {
        let (what, mend) = described(ForceKind::Given);
        check_clock(settings.longest_period, model, what, mend)?;
        let pieces = pieces_of(model, settings);
        // The longest period divides a step, so that all clocks tick at its end.
        let settings = &scene::Asynchronous {
            longest_period: model.settings.time_step / pieces as f64,
            ..*settings
        };
        let what = "the pieces of prescribed motions";
        let mend = "let them turn more slowly, or use a larger `asynchronous.longest_period`";
        check_clock(settings.longest_period, model, what, mend)?;
        let system = system_of(model, state, settings)?;
        let by_loss = if loses_energy(settings) { 0.1 } else { 0.05 };
        let layer_step = settings.layer_step.unwrap_or(by_loss);
        let mut of_engine = Settings {
            layer_step,
            detection: settings.detection,
            most_ticks: settings.most_ticks,
            shortest_stay: model.settings.time_step / MAX_STAYS,
            ..Settings::default()
        };
        tune(&mut of_engine);
        let engine = Engine::new(system, of_engine).map_err(|error| SimError::Asynchronous {
            between: names_of(model, &error.points()),
            error,
        })?;
        // Layers between features of one body that are close at rest would always be in compression.
        let closest = engine
            .near_pairs()
            .filter(|(points, _)| {
                let [first, .., last] = points.map(|point| model.geometry.solid_of_point(point));
                first == last && points[0] != points[3]
            })
            .min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((points, distance)) = closest {
            return Err(SimError::ThickerThanMesh {
                body: model
                    .geometry
                    .solid(model.geometry.solid_of_point(points[0]))
                    .name
                    .clone(),
                points,
                distance,
                thickness: settings.thickness,
            });
        }
        Ok(Self {
            engine,
            obstacles: ScriptedObstacles::new(model, &state.positions, settings.longest_period),
            pieces,
            longest_period: settings.longest_period,
            flights: Vec::new(),
            flights_before: StepHistogram::default(),
            account: EnergyAccount::new(model, REPORTED_GAIN),
            positions: state.positions.clone(),
        })
    }

    /// End of each step (s), and durations of the trajectory pieces that ended in it.
    pub fn flights(&self) -> &[(f64, StepHistogram)] {
        &self.flights
    }

    /// Counts since the start.
    pub fn statistics(&self) -> &Statistics {
        self.engine.statistics()
    }

    /// The integrator.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Unwraps the integrator, to run it event by event.
    pub fn into_engine(self) -> Engine {
        self.engine
    }

    /// From now on the straight pieces in which the vertices of the surface move are kept, to be
    /// [taken](Self::take_pieces).
    pub fn record_pieces(&mut self) {
        self.engine.record();
    }

    /// From now on the contacts of the state are pairs with the mean forces of their layers over the last step;
    /// otherwise there are none.
    pub fn keep_contacts(&mut self) {
        self.engine.pushes = Some(Pushes::default());
    }

    /// The pieces since they were taken last, or recorded first, up to the last step that was completed; `None` if they
    /// are not recorded. `state` is that at its end.
    pub fn take_pieces(&mut self, state: &State) -> Option<Pieces> {
        let recording = self.engine.recording.as_mut()?;
        Some(recording.take(state.time))
    }

    /// Measures the time of each kind of event from now on, see [`Engine::measure_times`].
    pub fn measure_times(&mut self, every: u64) {
        self.engine.measure_times(every);
    }
}

/// Adds gravity, drag and nodal forces, for the points that feel them.
fn add_uniform_forces(
    model: &Model,
    settings: &scene::Asynchronous,
    free: &[u32],
    masses: &[f64],
    forces: &mut Vec<Box<dyn ClockedForce>>,
) {
    if model.settings.gravity != Vector3::zeros() {
        let of_free = free.iter().map(|&point| masses[point as usize]).collect();
        forces.push(Box::new(UniformForce::gravity(
            settings.longest_period,
            free.to_vec(),
            of_free,
            model.settings.gravity,
        )));
    }
    let dragged: Vec<u32> = free
        .iter()
        .copied()
        .filter(|&point| model.points.mass_damping[point as usize] > 0.0)
        .collect();
    if !dragged.is_empty() {
        let rates: Vec<f64> = dragged
            .iter()
            .map(|&point| model.points.mass_damping[point as usize] / masses[point as usize])
            .collect();
        forces.push(Box::new(Drag::new(
            settings.longest_period,
            dragged,
            &rates,
        )));
    }
    let pulled: Vec<u32> = free
        .iter()
        .copied()
        .filter(|&point| model.points.pull[point as usize] != Vector3::zeros())
        .collect();
    if !pulled.is_empty() {
        let of_pulled = pulled
            .iter()
            .map(|&p| model.points.pull[p as usize])
            .collect();
        forces.push(Box::new(Pulls::new(
            settings.longest_period,
            pulled,
            of_pulled,
        )));
    }
}

fn system_of(
    model: &Model,
    state: &State,
    settings: &scene::Asynchronous,
) -> Result<System, SimError> {
    let points = model.points.rest.len();
    let is_free = |point: usize| model.unknowns.motion_of_point[point].is_free();
    let masses: Vec<f64> = (0..points)
        .map(|point| {
            if is_free(point) {
                model.points.mass[point]
            } else {
                f64::INFINITY
            }
        })
        .collect();
    let free: Vec<u32> = (0..points as u32)
        .filter(|&point| is_free(point as usize))
        .collect();

    let by_loss = if loses_energy(settings) { 0.6 } else { 0.3 };
    let force_step = settings.force_step.unwrap_or(by_loss);
    let terms = ElasticTerms {
        springs: &model.elements.thin.springs,
        membranes: &model.elements.thin.membranes,
        hinges: &model.elements.thin.hinges,
        solids: Some(&model.elements.elastic),
        rest: &model.points.rest,
        masses: &masses,
        force_step,
        longest_period: settings.longest_period,
    };
    if let Some((kind, period)) = terms.fastest() {
        let (what, mend) = described(kind);
        check_clock(period, model, what, mend)?;
    }
    let steps = Steps {
        force_step,
        longest_period: settings.longest_period,
    };
    let joints = clocks_of_joints(model, state, &masses, steps)?;
    let mut fastest = vec![f64::INFINITY; points];
    joints.note(&mut fastest);
    let mut forces = terms.batches(&mut fastest);
    add_uniform_forces(model, settings, &free, &masses, &mut forces);

    let lightest = free
        .iter()
        .map(|&point| masses[point as usize])
        .chain(model.rigid.iter().map(least_effective_mass))
        .fold(f64::INFINITY, f64::min);
    let law = match settings.stiffness {
        Some(stiffness) => LayerLaw::new(stiffness, settings.thickness),
        None => LayerLaw::stopping(lightest, USUAL_SPEED, USUAL_LAYERS, settings.thickness),
    }?;
    let solids = 0..model.geometry.solid_count();
    Ok(System {
        positions: state.positions.clone(),
        velocities: state.velocities.clone(),
        masses,
        forces,
        scripts: scripts_of(model, settings),
        rigid: FreeBodies {
            bodies: model
                .rigid
                .iter()
                .cloned()
                .zip(state.rigid.iter().copied())
                .collect(),
            acceleration: model.settings.gravity,
            longest_piece: settings.longest_period,
        },
        joints: joints.groups(&fastest, steps),
        surface: model.geometry.surface.clone(),
        planes: planes_of(model),
        law,
        restitution: settings.restitution,
        friction: solids
            .map(|solid| model.geometry.solid(solid).friction)
            .collect(),
    })
}

fn clocks_of_joints(
    model: &Model,
    state: &State,
    masses: &[f64],
    steps: Steps,
) -> Result<JointClocks, SimError> {
    let joints = JointClocks::new(model, state, masses, steps).map_err(|error| {
        let between = String::new();
        SimError::Asynchronous { between, error }
    })?;
    if let Some(period) = joints.shortest() {
        let mend =
            "use a larger `compliance`, or none: a joint without compliance needs no fast clock";
        check_clock(period, model, "the springs of joints", mend)?;
    }
    Ok(joints)
}

fn planes_of(model: &Model) -> Vec<Plane> {
    let half_spaces = model.geometry.half_spaces.iter();
    let plane = half_spaces.map(|half_space| Plane {
        normal: half_space.normal,
        offset: half_space.normal.dot(&half_space.point),
        friction: half_space.friction,
    });
    plane.collect()
}

/// Whether impacts lose energy. Coarser clocks, which add a little energy, are then accurate enough by default.
fn loses_energy(settings: &scene::Asynchronous) -> bool {
    settings.restitution < 1.0
}

/// Trajectory pieces of a prescribed motion per step: none is longer than the longest period of a force, and none
/// rotates too far.
#[expect(clippy::cast_sign_loss, reason = "at least one")]
fn pieces_of(model: &Model, settings: &scene::Asynchronous) -> u64 {
    let turns = model.unknowns.motions.iter().map(RigidMotion::fastest_turn);
    let by_turn = turns.fold(0.0, f64::max) * model.settings.time_step / LARGEST_TURN;
    let by_period = model.settings.time_step / settings.longest_period;
    let pieces = by_period.max(by_turn);
    // A quotient that is whole but for rounding is whole.
    (pieces - pieces * f64::EPSILON).ceil().max(1.0) as u64
}

/// Rejects a clock that ticks too often in a step: `what` has one of `period` (s), and `mend` makes it slower. Clocks
/// of layers are exempt: they are not always active.
fn check_clock(
    period: f64,
    model: &Model,
    what: &'static str,
    mend: &'static str,
) -> Result<(), SimError> {
    let shortest = model.settings.time_step / MAX_TICKS;
    if period >= shortest {
        return Ok(());
    }
    Err(SimError::Asynchronous {
        between: String::new(),
        error: SystemError::TooFast {
            what,
            period,
            shortest,
            mend,
        },
    })
}

/// The bodies that a clock of forces moves, and the remedy if it is too fast.
fn described(kind: ForceKind) -> (&'static str, &'static str) {
    match kind {
        ForceKind::Spring => (
            "the springs along edges",
            "use a smaller `shell.stretch` or `shell.damping`, a larger density or `asynchronous.force_step`, or a \
             coarser mesh",
        ),
        ForceKind::Membrane => (
            "the strain of triangles",
            "use a smaller stiffness or damping, a larger density or `asynchronous.force_step`, or a coarser mesh",
        ),
        ForceKind::Hinge => (
            "the bending of hinges",
            "use a smaller `shell.bend` or `shell.bend_damping`, a larger density or `asynchronous.force_step`, or a \
             coarser mesh",
        ),
        ForceKind::Tet => (
            "the tetrahedra",
            "use a smaller `material.young` or damping, a larger density or `asynchronous.force_step`, or a coarser \
             mesh",
        ),
        // Their period is the longest one.
        ForceKind::Given => ("all forces", "use a larger `asynchronous.longest_period`"),
    }
}

/// The names of the bodies of some points, for a message; empty if there are none.
fn names_of(model: &Model, points: &[u32]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for &point in points {
        let name = model
            .geometry
            .solid(model.geometry.solid_of_point(point))
            .name
            .as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let at_a_plane = points.len() > 1 && points.iter().all(|point| *point == points[0]);
    let names = names.iter().map(|name| format!("`{name}`"));
    let names: Vec<String> = names
        .chain(at_a_plane.then(|| "a half-space".to_owned()))
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("{}: ", names.join(" and "))
    }
}

/// One script per motion with points. Pieces end where steps do, so that frames show the motion exactly.
fn scripts_of(model: &Model, settings: &scene::Asynchronous) -> Vec<Script> {
    let period = settings.longest_period;
    let mut scripts = Vec::new();
    for (index, motion) in (0_u32..).zip(&model.unknowns.motions) {
        if motion.is_rest() {
            continue;
        }
        let moved = PointMotion::Prescribed(index);
        let vertices: Vec<u32> = (0_u32..)
            .zip(&model.unknowns.motion_of_point)
            .filter(|(_, of_point)| **of_point == moved)
            .map(|(point, _)| point)
            .collect();
        if !vertices.is_empty() {
            scripts.push(Script {
                vertices,
                path: Box::new(motion.clone()),
                period,
            });
        }
    }
    scripts
}

/// Writes the forces of all joints at time `now` (s): those without compliance have mean ones over their last period.
fn write_joint_forces(model: &Model, engine: &Engine, now: f64, state: &mut State) {
    let frames: Vec<Frame> = (state.rigid.iter()).map(RigidState::frame).collect();
    let configuration = Configuration {
        particles: &state.positions,
        frames: &frames,
    };
    let hard: BTreeMap<usize, Rows> = engine.hard_forces().collect();
    let (mut at, mut first) = (Evaluation::default(), 0);
    for (index, constraint) in model.constraints.rows.iter().enumerate() {
        let force = &mut state.joint_forces[first..first + constraint.rows()];
        if let Some(known) = hard.get(&index) {
            force.copy_from_slice(&known.as_slice()[..force.len()]);
        } else {
            at.values(constraint, &configuration);
            at.value[0] += model.constraints.change_at(first, now);
            write_force(constraint, &at, force);
        }
        first += constraint.rows();
    }
}

/// Writes the velocities of all points at time `now` (s), and the state of rigid bodies. Points of these move in
/// straight pieces and have the velocity of the body.
fn write_velocities(engine: &Engine, now: f64, state: &mut State) {
    for (vertex, velocity) in engine.vertices().iter().zip(&mut state.velocities) {
        *velocity = vertex.velocity;
    }
    for (at, (body, end)) in state.rigid.iter_mut().zip(engine.rigid_states(now)) {
        *at = end;
        let spin = body.angular_velocity(at);
        for point in body.points.clone() {
            let arm = state.positions[point] - at.pose.center;
            state.velocities[point] = at.velocity + spin.cross(&arm);
        }
    }
}

impl Stepper for Asynchronous {
    fn heed(&mut self, interrupt: &Interrupt) {
        self.engine.heed(interrupt);
    }

    fn advance(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError> {
        let begin = Instant::now();
        let step = state.step + 1;
        // The product of all pieces and their length is the time at which clocks tick, to the last bit.
        let end = (step * self.pieces) as f64 * self.longest_period;
        let failed = |time: f64, failure: StepFailure| StepError {
            step,
            time,
            shortest: 0.0,
            failure,
            unsolved: None,
        };
        let meeting = self
            .obstacles
            .as_mut()
            .and_then(|obstacles| obstacles.meeting(model, state.step * self.pieces, self.pieces));
        // Up to the collision of obstacles the motion is valid; a body caught between them may stop the run earlier.
        let ran = self
            .engine
            .run(meeting.as_ref().map_or(end, |meeting| meeting.time));
        let now = self.engine.now();
        if ran == Err(Stop::Interrupted) {
            // The events so far are no whole step: the state stays that of the start of the step.
            return Err(failed(state.time, StepFailure::Interrupted));
        }
        self.engine.positions_into(now, &mut self.positions);
        if ran.is_ok() && meeting.is_none() {
            check_inversion(model, smallest_volume(model, &self.positions))
                .map_err(|failure| failed(now, failure))?;
        }
        // The positions of the last event are safe, too.
        std::mem::swap(&mut state.positions, &mut self.positions);
        if let Some(recording) = &mut self.engine.recording {
            recording.end_step(now, &state.positions);
        }
        write_velocities(&self.engine, now, state);
        // The work of a length or limit that changes is not known.
        let changes = model.constraints.changes_between(state.time, now);
        let external = external_work_at_rest(model, &self.positions, state).filter(|_| !changes);
        write_joint_forces(model, &self.engine, now, state);
        let duration = now - state.time;
        state.contacts.clear();
        if let Some(pushes) = &mut self.engine.pushes {
            pushes.take_contacts(model, duration, &state.positions, &mut state.contacts);
        }
        state.time = now;
        let flights = &self.engine.statistics().steps;
        self.flights
            .push((now, flights.since(&self.flights_before)));
        self.flights_before = flights.clone();
        let failure = match (ran, meeting) {
            (Err(stop), _) => Some(StepFailure::Asynchronous {
                between: names_of(model, &stop.points()),
                stop: Box::new(stop),
            }),
            (Ok(()), Some(meeting)) => Some(meeting.failure),
            (Ok(()), None) => None,
        };
        if let Some(failure) = failure {
            return Err(failed(now, failure));
        }
        state.step = step;
        let mut report = StepReport {
            minimum_gap: f64::INFINITY,
            substeps: 1,
            ..StepReport::default()
        };
        // The energy balance starts at the end of the first step: layers are activated within it.
        let energies = Energies {
            layers: self.engine.layer_energy(now),
            returned_share: self.engine.returned_share(),
            ..Energies::of(model, state)
        };
        self.account.close(energies, external, state, &mut report);
        measure(model, state, None, &mut report);
        // Pairs with layers count, whether they were pressed in this step or not.
        (report.active, report.sticking, report.sliding) = (0, 0, 0);
        for (_, distance) in self.engine.near_pairs() {
            report.active += 1;
            report.minimum_gap = report.minimum_gap.min(distance);
            report.maximum_gap = report.maximum_gap.max(distance);
        }
        report.step = state.step;
        report.time = state.time;
        report.times.resolve = begin.elapsed().as_secs_f64();
        Ok(report)
    }
}
