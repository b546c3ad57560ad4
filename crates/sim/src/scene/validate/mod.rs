//! Conditions on the numbers of a scene beyond their types.

mod body;
mod joint;
mod mesh;
mod place;
mod settings;
mod unsupported_keys;

use super::format::{BodyKind, ObstacleShape, StepperChoice};
use super::{Scene, SceneError};
use std::cell::RefCell;

/// Checks the whole scene.
///
/// # Errors
/// All mistakes, in the order of the checks.
pub(super) fn validate(scene: &Scene) -> Result<(), SceneError> {
    let check = Check {
        scene,
        found: RefCell::default(),
    };
    check.time();
    check.world_and_solver();
    check.stepper();
    for (index, body) in scene.bodies.iter().enumerate() {
        let path = format!("body.{index}");
        check.body_mesh(&format!("{path}.mesh"), &body.mesh);
        check.kind_of_mesh(&path, body);
        match body.kind {
            BodyKind::Elastic => check.elastic(&path, body),
            BodyKind::Shell => check.shell(&path, body),
            BodyKind::Rigid => check.rigid(&path, body),
        }
        check.vectors(&path, "position", &body.position);
        check.vectors(&path, "velocity", &body.velocity);
        check.vectors(&path, "angular_velocity", &body.angular_velocity);
        check.placement(&path, body.rotation.as_ref(), body.friction);
        for (index, fixed) in body.fixed.iter().enumerate() {
            check.fixed(&format!("{path}.fixed.{index}"), fixed);
        }
        for (index, pull) in body.pulls.iter().enumerate() {
            check.pull(&format!("{path}.pulls.{index}"), pull);
        }
        check.load(&path, body);
        if let Some(copies) = &body.copies {
            check.copies(&format!("{path}.copies"), copies);
        }
    }
    for (index, obstacle) in scene.obstacles.iter().enumerate() {
        let path = format!("obstacle.{index}");
        if scene.stepper == StepperChoice::Constrained {
            check.fail(
                &path,
                "the constrained stepper does not support contact, so this obstacle has no effect"
                    .to_owned(),
                "remove it, and hold bodies by `fixed`, `motion` and joints; or use another stepper",
            );
        }
        check.obstacle_shape(&format!("{path}.shape"), &obstacle.shape);
        check.vectors(&path, "position", &obstacle.position);
        check.placement(&path, obstacle.rotation.as_ref(), obstacle.friction);
        if let Some(motion) = &obstacle.motion {
            check.motion(&format!("{path}.motion"), motion);
            if matches!(obstacle.shape, ObstacleShape::HalfSpace { .. }) {
                check.fail(
                    &format!("{path}.motion"),
                    "a half-space cannot move".to_owned(),
                    "leave `motion` out, or use a `cuboid` shape as the moving obstacle",
                );
            }
        }
    }
    for (index, joint) in scene.joints.iter().enumerate() {
        check.joint(&format!("joint.{index}"), joint);
    }
    check.frictions();
    check.unsupported_keys();
    if scene.bodies.is_empty() {
        check.fail(
            "",
            "the scene has no body, so nothing can move".to_owned(),
            "add a [[body]] with a mesh and a material",
        );
    }
    let found = check.found.into_inner();
    SceneError::of(found.into_iter().map(|(_, error)| error))
}

/// Largest component of a vector and largest positive number. Energies of such a speed about a centre at such a
/// distance stay finite, even when they are summed over all points.
const LARGEST: f64 = 1e60;

/// Smallest positive number: the inverse of the largest.
const SMALLEST: f64 = 1e-60;

struct Check<'a> {
    scene: &'a Scene,
    /// The mistakes, each with its key.
    found: RefCell<Vec<(String, SceneError)>>,
}

impl Check<'_> {
    /// Records a mistake at a key. Only the first one per key is reported; the others may follow from it.
    fn fail(&self, path: &str, problem: String, mend: &str) {
        let mut found = self.found.borrow_mut();
        if found.iter().all(|(known, _)| known != path) {
            let error = self.scene.error_at(path, problem, mend);
            found.push((path.to_owned(), error));
        }
    }

    /// Greater than zero, and neither too large nor too small to compute with; the form of the comparison makes NaN
    /// fail.
    fn positive(&self, path: &str, what: &str, value: f64) {
        if (SMALLEST..=LARGEST).contains(&value) {
            return;
        }
        if value > 0.0 {
            let size = if value > 1.0 { "large" } else { "small" };
            return self.fail(
                path,
                format!("{what} is {value:e}, which is too {size} to compute with"),
                &format!("write a number between {SMALLEST:e} and {LARGEST:e}, in SI units"),
            );
        }
        self.fail(
            path,
            format!("{what} is {value}, but must be greater than 0"),
            "write a number greater than 0",
        );
    }

    fn not_negative(&self, path: &str, what: &str, value: f64) {
        if value >= 0.0 && value.is_finite() {
            return;
        }
        self.fail(
            path,
            format!("{what} is {value}, but must not be negative"),
            "write 0 or a greater number",
        );
    }

    fn at_least(&self, path: &str, what: &str, value: u32, least: u32) {
        if value >= least {
            return;
        }
        self.fail(
            path,
            format!("{what} is {value}, but must be at least {least}"),
            &format!("write {least} or more"),
        );
    }

    fn finite(&self, path: &str, values: &[f64]) {
        match values.iter().find(|value| !value.is_finite()) {
            None => {}
            Some(value) => self.fail(
                path,
                format!("{value} is not a finite number"),
                "write a finite number",
            ),
        }
    }

    fn vectors(&self, path: &str, key: &str, value: &[f64; 3]) {
        let path = format!("{path}.{key}");
        self.finite(&path, value);
        match value.iter().position(|x| x.abs() > LARGEST) {
            None => {}
            Some(axis) => self.fail(
                &format!("{path}.{axis}"),
                format!("{:e} is too large: energies need its square", value[axis]),
                &format!("write numbers between -{LARGEST:e} and {LARGEST:e}, in SI units"),
            ),
        }
    }

    fn direction(&self, path: &str, what: &str, value: &[f64; 3]) {
        self.finite(path, value);
        if value.iter().any(|&component| component != 0.0) {
            return;
        }
        self.fail(
            path,
            format!("{what} is the zero vector"),
            "write a vector of any length but 0, for example [0, 0, 1]",
        );
    }
}
