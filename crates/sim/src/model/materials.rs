//! Materials of extensions in the place of those of the scene.

use crate::error::{
    SimError,
    extension::{ExtensionError, ExtensionKind},
};
use crate::scene::{BodyPart, Scene, SceneParts, StepperChoice};
use impinge_fem::{CustomMaterial, Material};

/// Bodies of the scene by name, with the material that replaces their own.
#[derive(Debug, Default)]
pub(crate) struct BodyMaterials(Vec<(String, CustomMaterial)>);

impl BodyMaterials {
    /// Gives the bodies of an entry of the scene a material; the last one for a name counts.
    pub(crate) fn set(&mut self, body: String, material: CustomMaterial) {
        self.0.push((body, material));
    }

    /// The material of a body, if one replaces its own: by its name, or by that of the entry that it copies.
    pub(super) fn of(&self, part: &BodyPart) -> Option<&CustomMaterial> {
        let copy = format!(" {}", part.origin.copy + 1);
        let entry = part.name.strip_suffix(&copy);
        let names = |name: &String| *name == part.name || Some(name.as_str()) == entry;
        let last = self.0.iter().rev().find(|(name, _)| names(name));
        last.map(|(_, material)| material)
    }

    /// Checks that every material has bodies, whose elements take it.
    pub(super) fn check(&self, scene: &Scene, parts: &SceneParts) -> Result<(), ExtensionError> {
        for (body, material) in &self.0 {
            let refuse = |problem: String| {
                Err(ExtensionError {
                    kind: ExtensionKind::Material,
                    name: material.name().to_owned(),
                    problem,
                })
            };
            if scene.stepper != StepperChoice::Synchronous {
                return refuse(
                    "needs finite elements in one implicit step: write stepper = \"synchronous\""
                        .to_owned(),
                );
            }
            let mut bodies = parts.bodies.iter();
            if !bodies.any(|part| self.of(part).is_some_and(|of| of == material)) {
                return refuse(format!(
                    "is for `{body}`, which is no solid body of the scene without another material; name one"
                ));
            }
        }
        Ok(())
    }
}

/// The refusal of a material that has no strains for constraints, for a body of constraints.
pub(super) fn needs_elements(part: &BodyPart, material: &Material) -> SimError {
    let mend = "leave out `formulation`, `yield_stress` and `meshless` of its material";
    match material {
        Material::Custom(custom) => ExtensionError {
            kind: ExtensionKind::Material,
            name: custom.name().to_owned(),
            problem: format!(
                "needs finite elements, and `{}` has strains as constraints; {mend}",
                part.name
            ),
        }
        .into(),
        _ => SimError::Body {
            body: part.name.clone(),
            problem: format!("its material needs finite elements; {mend}"),
        },
    }
}
