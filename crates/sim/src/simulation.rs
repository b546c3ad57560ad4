//! A scene brought to life: model, state and stepper in one.

use crate::{
    error::{SimError, StepError},
    model::Model,
    report::StepReport,
    scene::Scene,
    state::State,
    stepper::{SolveObserver, Stepper, Synchronous},
};
use impinge_geometry::exact::surface_intersections;
use nalgebra::Vector3;

/// A running simulation.
pub struct Simulation {
    model: Model,
    state: State,
    stepper: Synchronous,
}

impl Simulation {
    /// Prepares `scene` and proves that it starts free of overlap.
    ///
    /// # Errors
    /// [`SimError`] naming what cannot be simulated.
    pub fn new(scene: &Scene) -> Result<Self, SimError> {
        let (model, velocities) = Model::new(scene)?;
        let state = State {
            time: 0.0,
            step: 0,
            positions: model.rest.clone(),
            velocities,
            contacts: Vec::new(),
        };
        check_start(&model, &state.positions)?;
        let stepper = Synchronous::new(&model)?;
        Ok(Self {
            model,
            state,
            stepper,
        })
    }

    /// The constant part.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The changing part.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Shows every solve of the steps to come to `observer`, in the place of an earlier one.
    pub fn observe_solves(&mut self, observer: impl SolveObserver + 'static) {
        self.stepper.observer = Some(Box::new(observer));
    }

    /// Takes one whole step.
    ///
    /// # Errors
    /// [`StepError`] when it cannot be made collision-free; [`state`](Self::state) is then the last safe one.
    pub fn advance(&mut self) -> Result<StepReport, StepError> {
        self.stepper.advance(&self.model, &mut self.state)
    }
}

/// Nothing may overlap or touch at the start.
fn check_start(model: &Model, positions: &[Vector3<f64>]) -> Result<(), SimError> {
    for &point in model.surface.vertices() {
        if model.surface.is_passive_point(point) {
            continue;
        }
        let x = positions[point as usize];
        for half_space in &model.half_spaces {
            let height = half_space.normal.dot(&(x - half_space.point));
            if height <= 0.0 {
                return Err(SimError::InitialPenetration {
                    body: model.solid(model.solid_of_point(point)).name.clone(),
                    half_space: half_space.name.clone(),
                    depth: -height,
                    place: x.into(),
                });
            }
        }
    }
    if let Some(pair) = surface_intersections(positions, &model.surface, 1).first() {
        let first_point = model.surface.triangles()[pair.triangles[0] as usize][0];
        let second_point = model.surface.triangles()[pair.triangles[1] as usize][0];
        return Err(SimError::InitialOverlap {
            first: model.solid(model.solid_of_point(first_point)).name.clone(),
            second: model.solid(model.solid_of_point(second_point)).name.clone(),
            triangles: pair.triangles,
            place: positions[first_point as usize].into(),
        });
    }
    Ok(())
}
