//! From a scene to a model and its state at time 0.

use super::{Model, builder::Builder, materials::BodyMaterials, touching};
use crate::{
    error::SimError,
    scene::{Formulation, Scene, SceneParts, StepperChoice},
    state::State,
};

impl Model {
    /// Builds the model of a scene, and its state at time 0. Surfaces that touch are offset to the resting gap of
    /// contacts, see [`Notices::touching`](super::Notices::touching).
    ///
    /// # Errors
    /// [`SimError`] for scenes, meshes and materials that cannot be simulated.
    pub fn new(scene: &Scene) -> Result<(Self, State), SimError> {
        Self::with_materials(scene, &BodyMaterials::default())
    }

    /// As [`new`](Self::new), with `materials` in the place of those of the scene.
    pub(crate) fn with_materials(
        scene: &Scene,
        materials: &BodyMaterials,
    ) -> Result<(Self, State), SimError> {
        let mut parts = scene.instantiate()?;
        materials.check(scene, &parts)?;
        let (model, state) = Self::of_parts(scene, &parts, materials)?;
        // Penalty layers have gaps of their own, and without contact bodies may overlap.
        if scene.stepper != StepperChoice::Synchronous {
            return Ok((model, state));
        }
        let Some((moves, touching)) = touching::recede(&model) else {
            return Ok((model, state));
        };
        touching::apply(&mut parts, &model, &moves)?;
        drop((model, state));
        // Masses, elements and joints follow from the shape at rest.
        let (mut model, state) = Self::of_parts(scene, &parts, materials)?;
        model.notices.touching = Some(touching);
        Ok((model, state))
    }

    fn of_parts(
        scene: &Scene,
        parts: &SceneParts,
        materials: &BodyMaterials,
    ) -> Result<(Self, State), SimError> {
        let mut builder = Builder::default();
        for (index, part) in parts.bodies.iter().enumerate() {
            builder.add_body(index, part, materials, &parts.motions)?;
        }
        for part in &parts.shells {
            let by_default = match scene.stepper {
                StepperChoice::Constrained => Formulation::Compliance,
                _ => Formulation::Stiffness,
            };
            let formulation = part.shell.formulation.unwrap_or(by_default);
            builder.add_shell(part, &parts.motions, formulation)?;
        }
        for part in &parts.rigid_bodies {
            builder.add_rigid(part, &parts.motions);
        }
        for part in &parts.obstacles {
            builder.add_obstacle(part, &parts.motions);
        }
        builder.finish(scene, parts)
    }
}
