//! Questions to a simulation: bodies by name, contacts.

use super::Simulation;
use crate::{
    error::{SimError, control::ControlError},
    measure::{
        body::BodyView,
        contacts::{ContactRecord, contact_records},
        reactions::{Reaction, reactions},
    },
};

impl Simulation {
    /// Simulated time (s).
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Number of whole steps taken.
    pub fn steps(&self) -> u64 {
        self.state.step
    }

    /// The body, obstacle or half-space of that name. Copies are called `NAME 1`, `NAME 2`, …
    ///
    /// # Errors
    /// [`ControlError::Unknown`] with the names that exist, [`ControlError::Ambiguous`] if several have this one.
    pub fn body(&self, name: &str) -> Result<BodyView<'_>, ControlError> {
        let index = self.solid(name)?;
        BodyView::new(&self.model, &self.state, index).ok_or_else(|| self.unknown_body(name))
    }

    /// All bodies, then mesh obstacles, then half-spaces.
    pub fn bodies(&self) -> impl Iterator<Item = BodyView<'_>> {
        (0..).map_while(|index| BodyView::new(&self.model, &self.state, index))
    }

    /// The contacts that push at the end of the last step, with their forces.
    ///
    /// The asynchronous stepper has layers in the place of contacts: these are pairs with their mean forces over the
    /// last step, unless `output.contacts` is false. The constrained stepper has no contacts.
    pub fn contacts(&self) -> Vec<ContactRecord<'_>> {
        contact_records(&self.model, &self.state)
    }

    /// Forces and torques of prescribed motions and joints at the end of the last step: of held nodes, then of driven
    /// bodies and obstacles, then of joints.
    ///
    /// # Errors
    /// [`SimError::Fem`] if the elements do not fit the held nodes.
    pub fn reactions(&self) -> Result<Vec<Reaction<'_>>, SimError> {
        reactions(&self.model, &self.state)
    }

    /// The reaction of that name: `BODY/NAME` of held nodes, the name of a driven body or obstacle, or that of a joint,
    /// whose reaction on its first body this is.
    ///
    /// # Errors
    /// [`ControlError::Unknown`] with the names that exist; otherwise as [`reactions`](Self::reactions).
    pub fn reaction(&self, name: &str) -> Result<Reaction<'_>, SimError> {
        let all = self.reactions()?;
        if let Some(&found) = all.iter().find(|reaction| reaction.name == name) {
            return Ok(found);
        }
        let mut known: Vec<String> =
            (all.iter().map(|reaction| reaction.name.to_owned())).collect();
        known.dedup();
        Err(ControlError::Unknown {
            what: "reaction",
            name: name.to_owned(),
            known,
        }
        .into())
    }

    /// Number of the solid of that name.
    pub(super) fn solid(&self, name: &str) -> Result<usize, ControlError> {
        let found: Vec<usize> = self.model.geometry.solids_named(name).collect();
        match found[..] {
            [index] => Ok(index),
            [] => Err(self.unknown_body(name)),
            _ => Err(ControlError::Ambiguous {
                name: name.to_owned(),
                count: found.len(),
            }),
        }
    }

    fn unknown_body(&self, name: &str) -> ControlError {
        ControlError::Unknown {
            what: "body or obstacle",
            name: name.to_owned(),
            known: self.bodies().map(|body| body.name().to_owned()).collect(),
        }
    }
}
