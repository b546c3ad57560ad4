//! The asynchronous integrator as a stepper of scenes.

use super::engine::Engine;
use super::force::{Drag, ElasticTerms, Pulls, UniformForce};
use super::obstacles::Obstacles;
use super::statistics::{Statistics, StepHistogram};
use super::system::{Plane, Script, Settings, System};
use crate::error::{SimError, StepError, StepFailure};
use crate::model::{Model, PointMotion};
use crate::report::StepReport;
use crate::scene;
use crate::state::State;
use crate::step::commit::measure;
use crate::stepper::Stepper;
use impinge_contact::penalty::LayerLaw;
use nalgebra::Vector3;
use std::time::Instant;

/// Without a stiffness, about this many layers stop …
const USUAL_LAYERS: f64 = 5.0;

/// … the lightest vertex at this speed (m/s).
const USUAL_SPEED: f64 = 1.0;

/// Advances a scene by events, one whole step of the model at a time: steps are only where it is looked at.
#[derive(Debug)]
pub struct Asynchronous {
    engine: Engine,
    /// What nothing can keep apart; `None` if nothing is driven.
    obstacles: Option<Obstacles>,
    /// Straight pieces of a prescribed motion in a step.
    pieces: u64,
    /// End of each step (s) and the straight flights that ended in it.
    flights: Vec<(f64, StepHistogram)>,
    /// All flights up to the last step.
    flights_before: StepHistogram,
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

    /// The same with settings that scenes do not have, for comparing them.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn tuned(
        model: &Model,
        state: &State,
        settings: &scene::Asynchronous,
        tune: impl FnOnce(&mut Settings),
    ) -> Result<Self, SimError> {
        let system = system_of(model, state, settings)?;
        let layer_step = settings
            .layer_step
            .unwrap_or(if settings.restitution < 1.0 {
                0.1
            } else {
                0.05
            });
        let mut of_engine = Settings {
            layer_step,
            detection: settings.detection,
            most_ticks: settings.most_ticks,
            ..Settings::default()
        };
        tune(&mut of_engine);
        let engine = Engine::new(system, of_engine)?;
        // Layers between features of one body that are near at rest would press for ever.
        let closest = engine
            .near_pairs()
            .filter(|(points, _)| {
                let [first, .., last] = points.map(|point| model.solid_of_point(point));
                first == last && points[0] != points[3]
            })
            .min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((points, distance)) = closest {
            return Err(SimError::ThickerThanMesh {
                body: model.solid(model.solid_of_point(points[0])).name.clone(),
                points,
                distance,
                thickness: settings.thickness,
            });
        }
        let pieces = pieces_of(model, settings);
        Ok(Self {
            engine,
            obstacles: Obstacles::new(model, &state.positions, model.time_step / pieces as f64),
            pieces,
            flights: Vec::new(),
            flights_before: StepHistogram::default(),
        })
    }

    /// End of each step (s), and how long the straight flights of vertices were that ended in it.
    pub fn flights(&self) -> &[(f64, StepHistogram)] {
        &self.flights
    }

    /// Counts since the start.
    pub fn statistics(&self) -> &Statistics {
        self.engine.statistics()
    }

    /// The integrator itself.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The integrator alone, to be run event by event.
    pub fn into_engine(self) -> Engine {
        self.engine
    }

    /// From now on measures the time that each kind of event takes; that itself costs time.
    pub fn measure_times(&mut self) {
        self.engine.measure_times();
    }
}

fn system_of(
    model: &Model,
    state: &State,
    settings: &scene::Asynchronous,
) -> Result<System, SimError> {
    let points = model.rest.len();
    let is_free = |point: usize| matches!(model.motion_of_point[point], PointMotion::Free(_));
    let masses: Vec<f64> = (0..points)
        .map(|point| {
            if is_free(point) {
                model.mass[point]
            } else {
                f64::INFINITY
            }
        })
        .collect();
    let free: Vec<u32> = (0..points as u32)
        .filter(|&point| is_free(point as usize))
        .collect();

    let mut forces = ElasticTerms {
        springs: &model.thin.springs,
        membranes: &model.thin.membranes,
        hinges: &model.thin.hinges,
        solids: Some(&model.elastic),
        rest: &model.rest,
        masses: &masses,
        longest_period: settings.longest_period,
    }
    .batches();
    if model.gravity != Vector3::zeros() {
        let of_free = free.iter().map(|&point| masses[point as usize]).collect();
        forces.push(Box::new(UniformForce::gravity(
            settings.longest_period,
            free.clone(),
            of_free,
            model.gravity,
        )));
    }
    let dragged: Vec<u32> = free
        .iter()
        .copied()
        .filter(|&point| model.mass_damping[point as usize] > 0.0)
        .collect();
    if !dragged.is_empty() {
        let rates: Vec<f64> = dragged
            .iter()
            .map(|&point| model.mass_damping[point as usize] / masses[point as usize])
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
        .filter(|&point| model.pull[point as usize] != Vector3::zeros())
        .collect();
    if !pulled.is_empty() {
        let of_pulled = pulled.iter().map(|&p| model.pull[p as usize]).collect();
        forces.push(Box::new(Pulls::new(
            settings.longest_period,
            pulled,
            of_pulled,
        )));
    }

    let lightest = free
        .iter()
        .map(|&point| masses[point as usize])
        .fold(f64::INFINITY, f64::min);
    let law = match settings.stiffness {
        Some(stiffness) => LayerLaw::new(stiffness, settings.thickness),
        None => LayerLaw::stopping(lightest, USUAL_SPEED, USUAL_LAYERS, settings.thickness),
    }?;
    let solids = 0..model.solid_count();
    Ok(System {
        positions: state.positions.clone(),
        velocities: state.velocities.clone(),
        masses,
        forces,
        scripts: scripts_of(model, settings),
        surface: model.surface.clone(),
        planes: model
            .half_spaces
            .iter()
            .map(|half_space| Plane {
                normal: half_space.normal,
                offset: half_space.normal.dot(&half_space.point),
                friction: half_space.friction,
            })
            .collect(),
        law,
        restitution: settings.restitution,
        friction: solids.map(|solid| model.solid(solid).friction).collect(),
    })
}

/// Straight pieces of a prescribed motion in a step.
#[expect(clippy::cast_sign_loss, reason = "at least one")]
fn pieces_of(model: &Model, settings: &scene::Asynchronous) -> u64 {
    (model.time_step / settings.longest_period).ceil().max(1.0) as u64
}

/// One script per motion that moves anything. Pieces end where steps do, so that frames show the motion exactly.
fn scripts_of(model: &Model, settings: &scene::Asynchronous) -> Vec<Script> {
    let period = model.time_step / pieces_of(model, settings) as f64;
    let mut scripts = Vec::new();
    for (index, motion) in (0_u32..).zip(&model.motions) {
        if motion.is_rest() {
            continue;
        }
        let moved = PointMotion::Prescribed(index);
        let vertices: Vec<u32> = (0_u32..)
            .zip(&model.motion_of_point)
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

impl Stepper for Asynchronous {
    fn advance(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError> {
        let begin = Instant::now();
        let step = state.step + 1;
        let end = step as f64 * model.time_step;
        let meeting = self
            .obstacles
            .as_mut()
            .and_then(|obstacles| obstacles.meeting(model, state.step * self.pieces, self.pieces));
        // Up to where obstacles meet everything is as it should be; what is caught between them may stop the run before.
        let ran = self
            .engine
            .run(meeting.as_ref().map_or(end, |meeting| meeting.time));
        let now = self.engine.now();
        // The positions of the last event are safe, too.
        self.engine.positions_into(now, &mut state.positions);
        for (vertex, velocity) in self.engine.vertices().iter().zip(&mut state.velocities) {
            *velocity = vertex.velocity;
        }
        state.time = now;
        let flights = &self.engine.statistics().steps;
        self.flights
            .push((now, flights.since(&self.flights_before)));
        self.flights_before = flights.clone();
        let failure = match (ran, meeting) {
            (Err(stop), _) => Some(StepFailure::Asynchronous(stop)),
            (Ok(()), Some(meeting)) => Some(meeting.failure),
            (Ok(()), None) => None,
        };
        if let Some(failure) = failure {
            return Err(StepError {
                step,
                time: now,
                shortest: 0.0,
                failure,
                unsolved: None,
            });
        }
        state.step = step;
        let mut report = StepReport {
            minimum_gap: f64::INFINITY,
            // Between two looks the motion is not straight.
            substeps: 2,
            ..StepReport::default()
        };
        measure(model, state, &mut report);
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
