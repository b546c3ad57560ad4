//! The cause of a failed step, in words of the scene.

use super::Synchronous;
use crate::{
    contacts::{contact::ContactKey, stencil::describe},
    error::StepFailure,
    model::Model,
    step::commit::squeezed::squeezed,
};
use impinge_contact::ContactError;

impl Synchronous {
    /// The cause of the last attempt's failure in terms of the scene, with further failures that are worth reporting.
    pub(super) fn explain(
        &mut self,
        model: &Model,
        time: f64,
        failure: StepFailure,
    ) -> (StepFailure, Option<StepFailure>) {
        if let StepFailure::Problem(ContactError::EmptyRow { contact }) = failure
            && let Some(contact) = self.contacts.as_slice().get(contact)
        {
            let contact = describe(&model.geometry, contact.key);
            return (StepFailure::NothingFree { contact }, self.unsolved.take());
        }
        if failure == StepFailure::Interrupted {
            return (failure, None);
        }
        // Prescribed motions that no force stops are the cause of all failures that follow from them.
        let comes_of_force = matches!(
            failure,
            StepFailure::NotConverged { .. }
                | StepFailure::Breakdown { .. }
                | StepFailure::TooManyRounds { .. }
                | StepFailure::GapsNotConverged { .. }
                | StepFailure::NotLinear { .. }
                | StepFailure::OpenJoint { .. }
                | StepFailure::TurnsTooFar { .. }
                | StepFailure::Inverted { .. }
        );
        if comes_of_force
            && let Some(squeezed) = squeezed(model, self.contacts.as_slice(), time, &failure)
        {
            let solve = self.unsolved.take();
            let other = match &squeezed {
                StepFailure::Pressed { .. } => solve.filter(|solve| *solve != failure),
                _ => solve.or(Some(failure)),
            };
            return (squeezed, other);
        }
        let solve = self.unsolved.take().filter(|solve| *solve != failure);
        (failure, solve)
    }
}

pub(super) fn too_many_rounds(model: &Model, rounds: u32, last: ContactKey) -> StepFailure {
    StepFailure::TooManyRounds {
        rounds,
        contact: describe(&model.geometry, last),
    }
}

/// Names the worst of some bodies by their residuals over what is accepted; a NaN is the worst.
pub(super) fn not_linear(
    model: &Model,
    bodies: &[usize],
    over: &[f64],
    rounds: u32,
) -> StepFailure {
    let size = |body: usize| {
        if over[body].is_nan() {
            f64::INFINITY
        } else {
            over[body]
        }
    };
    let worst = (bodies.iter().copied())
        .max_by(|&a, &b| size(a).total_cmp(&size(b)))
        .unwrap_or(0);
    StepFailure::NotLinear {
        body: model.geometry.bodies[worst].name.clone(),
        rounds,
        over: over[worst],
    }
}

pub(super) fn gaps_not_converged(
    model: &Model,
    rounds: u32,
    key: ContactKey,
    gap: f64,
) -> StepFailure {
    StepFailure::GapsNotConverged {
        rounds,
        gap,
        clearance: model.geometry.clearance(key),
        contact: describe(&model.geometry, key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::{contact::Contact, cube::CUBE};
    use crate::scene::Scene;
    use nalgebra::Vector3;

    /// Numbers of contacts say nothing to who wrote the scene.
    #[test]
    fn a_contact_without_a_free_point_is_told_in_words_of_the_scene() {
        let placed = r#"position = [0, 0, 1]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;
        let scene = format!("{CUBE}{placed}");
        let scene = Scene::parse("test.toml", &scene, &[""; 0]).expect("a scene");
        let (model, _) = Model::new(&scene).expect("sound");
        let mut stepper = Synchronous::new(&model).expect("sound");
        let key = ContactKey::VertexHalfSpace {
            vertex: 5,
            half_space: 0,
        };
        stepper
            .contacts
            .start_from(&[Contact::bare(key, &[5], Vector3::z())]);
        let failure = StepFailure::Problem(ContactError::EmptyRow { contact: 0 });
        let (told, _) = stepper.explain(&model, 0.0, failure);
        let said = told.to_string();
        assert!(
            said.contains("vertex 5 of `cube` against `ground`"),
            "{said}"
        );
        assert!(said.contains("change `motion` or `fixed`"), "{said}");
        // A row that is no contact of the step, such as one of a joint, keeps its number.
        let other = StepFailure::Problem(ContactError::EmptyRow { contact: 1 });
        assert_eq!(stepper.explain(&model, 0.0, other.clone()).0, other);
    }
}
