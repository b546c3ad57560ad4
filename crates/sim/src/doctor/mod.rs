//! Checks a scene before a run.
//!
//! - [`examine`]: all checks, overlaps with their depth included
//! - [`quick_look`]: the cheap checks, for the start of every run
//! - [`separate()`]: the same scene with bodies moved until they do not overlap
//!
//! ```
//! use impinge_sim::Scene;
//! use impinge_sim::doctor::{examine, separate};
//!
//! let scene = Scene::parse("drop.toml", r#"
//! [time]
//! step = 1e-3
//! duration = 0.1
//!
//! [[body]]
//! name = "cube"
//! mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
//! material = { young = 1e5, poisson = 0.3, density = 1000 }
//! position = [0, 0, 0.04]
//!
//! [[obstacle]]
//! name = "ground"
//! shape = { half_space = { normal = [0, 0, 1] } }
//! "#, &[""; 0])?;
//! let diagnosis = examine(&scene);
//! assert!(!diagnosis.can_start());
//! assert!(diagnosis.findings[0].to_string().contains("penetrates the half-space `ground` by 0.01 m"));
//!
//! let separation = separate(&scene)?;
//! assert!(separation.moves[0].length < 0.0101);
//! assert!(examine(&separation.scene).can_start());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod carried;
mod closing;
mod elements;
mod finding;
mod joints;
mod message;
mod overlap;
mod separate;
mod shorten;
mod squeeze;
mod tolerances;

use serde::Serialize;

pub use finding::{Finding, Severity, Symptom};
pub use separate::{Move, SeparateError, Separation, separate};

use crate::model::Model;
use crate::scene::{Scene, StepperChoice};
use crate::stepper::Asynchronous;

/// All findings, the worst first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The findings by severity, then in the order of the checks.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    fn new(symptoms: Vec<Symptom>) -> Self {
        let mut findings: Vec<Finding> = symptoms.into_iter().map(Finding::from).collect();
        // A stable sort keeps the order within a severity.
        findings.sort_by_key(|finding| finding.severity);
        Self { findings }
    }

    /// Number of findings with this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// Whether there is no error.
    pub fn can_start(&self) -> bool {
        self.count(Severity::Error) == 0
    }
}

/// Examines a scene completely: meshes, elements, units, step, and every overlap at the start with its depth.
///
/// # Cost
/// Reading the scene, and some hundred intersection tests of every overlapping pair.
pub fn examine(scene: &Scene) -> Diagnosis {
    let mut symptoms = Vec::new();
    match Model::new(scene) {
        Ok((model, state)) => {
            // Without contact, bodies may overlap.
            if scene.stepper != StepperChoice::Constrained {
                overlap::examine(&model, &mut symptoms);
            }
            if let Some(touching) = &model.notices.touching {
                let [first, second] = touching
                    .worst
                    .map(|index| model.geometry.name_of(index).to_owned());
                symptoms.push(Symptom::Touching {
                    first,
                    second,
                    others: touching.pairs.len() - 1,
                    distance: touching.distance,
                });
            }
            symptoms.extend(model.notices.doubtful_joints.iter().map(|message| {
                Symptom::JointOff {
                    message: message.clone(),
                }
            }));
            look_quickly(scene, &model, &mut symptoms);
            // Overlapping bodies are reported already; they are too close for layers, too.
            let starts = symptoms
                .iter()
                .all(|symptom| symptom.severity() != Severity::Error);
            if let (Some(settings), true) = (&model.settings.asynchronous, starts)
                && let Err(error) = Asynchronous::new(&model, &state, settings)
            {
                symptoms.push(Symptom::Unusable {
                    message: error.to_string(),
                });
            }
        }
        Err(error) => symptoms.push(Symptom::Unusable {
            message: error.to_string(),
        }),
    }
    Diagnosis::new(symptoms)
}

fn look_quickly(scene: &Scene, model: &Model, symptoms: &mut Vec<Symptom>) {
    elements::examine(scene, model, symptoms);
    joints::examine(scene, model, symptoms);
    closing::examine(model, scene.time.duration, symptoms);
    if scene.stepper == StepperChoice::Synchronous {
        tolerances::examine(model, symptoms);
    }
}

/// The checks that are cheap once the model exists: elements, materials, units, step, mass ratios, joints, prescribed
/// motions, tolerances.
pub fn quick_look(scene: &Scene, model: &Model) -> Diagnosis {
    let mut symptoms = Vec::new();
    look_quickly(scene, model, &mut symptoms);
    Diagnosis::new(symptoms)
}
