//! The contact method of a scene, and the scales of tolerances.

use crate::{
    error::SimError,
    scene::{Scene, SolverMethod, StepperChoice},
    thin::ThinBodies,
    tolerances::{ToleranceMode, ToleranceScales},
};
use impinge_contact::constraint::{Constraint, GeometricStiffness};
use impinge_contact::method::active_set_cr::{
    ActiveSetCrSettings, EvaluationSchedule, PreconditionerKind,
};
use impinge_contact::method::compliant_kkt::CompliantKktSettings;
use impinge_contact::method::corrective_motion::{CorrectiveMotionSettings, DelassusForm};
use impinge_contact::method::{Method, MethodSpec};
use nalgebra::Vector3;

/// The geometric stiffness of joints that the scene selects.
pub(super) fn joint_stiffness(scene: &Scene) -> GeometricStiffness {
    match scene.solver.joint_stiffness {
        crate::scene::JointStiffness::None => GeometricStiffness::None,
        crate::scene::JointStiffness::Symmetric => GeometricStiffness::Symmetric,
        crate::scene::JointStiffness::Projected => GeometricStiffness::Projected,
    }
}

/// Checks that the method of the scene supports its constraints. Joints, and strains in compliance form, are rows that
/// few methods support. A compliance at rest exists for tetrahedra only; `of_tets` states that all solids consist
/// of them.
pub(super) fn check_method(
    scene: &Scene,
    solver: &Method,
    joints: &[Constraint],
    thin: &ThinBodies,
    of_tets: bool,
) -> Result<(), SimError> {
    // The other steppers have methods of their own.
    if scene.stepper != StepperChoice::Synchronous {
        return Ok(());
    }
    let refuse = |what: &str, mend: &str| {
        let problem = format!("the method `{}` does not support {what}", solver.name());
        Err(scene.error_at("solver.method", problem, mend).into())
    };
    if !joints.is_empty() && !solver.spec().capabilities.constraint_rows {
        return if scene.joints.is_empty() {
            refuse(
                "bodies in compliance form",
                &format!(
                    "write {}, or formulation = \"stiffness\" into each `shell` and `material`",
                    methods_with_rows()
                ),
            )
        } else {
            let mend = format!("leave it out, or write {}", methods_with_rows());
            refuse("joints", &mend)
        };
    }
    if !of_tets && solver.needs_bodies() {
        let mend = "leave it out, or write \"exact-compliance\"";
        return refuse(
            "plastic or meshless bodies, hexahedra, or bodies in compliance form",
            mend,
        );
    }
    if !thin.masses.is_empty() && solver.needs_bodies() {
        let mend = "leave it out, or write \"exact-compliance\"";
        return refuse("thin bodies", mend);
    }
    Ok(())
}

/// The methods of scenes that support constraint rows, in quotes.
fn methods_with_rows() -> String {
    let quoted: Vec<String> = MethodSpec::methods()
        .filter(|spec| spec.capabilities.constraint_rows)
        // In scenes `cr` with rows is `cr-multipliers`: see `solver_settings`.
        .map(|spec| {
            if spec.name == "cr" {
                "cr-multipliers"
            } else {
                spec.name
            }
        })
        .map(|name| format!("\"{name}\""))
        .collect();
    quoted.join(" or ")
}

/// The message to the user where the method of the scene is replaced.
pub(super) fn method_notice(scene: &Scene, has_rows: bool) -> Option<String> {
    let replaced = has_rows
        && scene.stepper == StepperChoice::Synchronous
        && scene.solver.method == SolverMethod::CR;
    let what = if scene.joints.is_empty() {
        "bodies in compliance form"
    } else {
        "joints"
    };
    replaced.then(|| {
        format!(
            "this scene has {what}: `cr` solves them by `compliant-kkt`; write solver.method = \"compliant-kkt\" to \
             say so, or \"cr-multipliers\" for conjugate residuals with the method of multipliers"
        )
    })
}

/// Constant scales of the tolerances; the forces of a step and the features in contact give the others.
pub(super) fn scales(scene: &Scene) -> ToleranceScales {
    ToleranceScales {
        mode: match scene.solver.tolerances {
            crate::scene::Tolerances::Physical => ToleranceMode::Physical,
            crate::scene::Tolerances::Tight => ToleranceMode::Tight,
            crate::scene::Tolerances::Paper => ToleranceMode::Paper,
        },
        gravity: Vector3::from(scene.world.gravity).norm(),
        momentum: scene.solver.momentum_tolerance,
        clearance: scene.solver.gap_tolerance,
        slip: scene.solver.slip_tolerance,
    }
}

/// Iteration limit of one solve; beyond it a shorter step is expected to converge sooner.
const MAX_ITERATIONS: u64 = 5000;

/// The method of the scene. Settings of the conjugate-residual iteration are ignored by other methods.
pub(super) fn solver_settings(scene: &Scene, has_rows: bool) -> Method {
    let chosen = scene.solver.method;
    let mut method = match chosen.spec() {
        Some(_) if has_rows && chosen == SolverMethod::CR => {
            Method::CompliantKkt(CompliantKktSettings::default())
        }
        Some(spec) => (spec.defaults)(),
        // `cr-multipliers`.
        None => Method::Cr(ActiveSetCrSettings::default()),
    };
    match &mut method {
        Method::Cr(settings) => *settings = cr_settings(scene),
        Method::ActiveSet(settings) => {
            *settings = ActiveSetCrSettings {
                schedule: settings.schedule,
                anticipation: settings.anticipation,
                regions: settings.regions,
                ..cr_settings(scene)
            };
        }
        Method::ExactCompliance(settings) | Method::WarpedCompliance(settings) => {
            *settings = compliance_settings(scene);
        }
        _ => {}
    }
    if let Some(count) = scene.solver.max_iterations {
        *method.max_iterations_mut() = u64::from(count);
    }
    method
}

fn compliance_settings(scene: &Scene) -> CorrectiveMotionSettings {
    CorrectiveMotionSettings {
        delassus: match scene.solver.delassus {
            crate::scene::Delassus::Built => DelassusForm::Assembled,
            crate::scene::Delassus::Unbuilt => DelassusForm::MatrixFree,
        },
        momentum_repair: scene.solver.momentum_repair,
        corrections: scene.solver.corrections,
        ..CorrectiveMotionSettings::default()
    }
}

fn cr_settings(scene: &Scene) -> ActiveSetCrSettings {
    let defaults = ActiveSetCrSettings::default();
    ActiveSetCrSettings {
        preconditioner: match scene.solver.preconditioner {
            crate::scene::Preconditioner::Full => PreconditionerKind::Full,
            crate::scene::Preconditioner::Diagonal => PreconditionerKind::Diagonal,
        },
        anticipation: if scene.solver.anticipation {
            defaults.anticipation
        } else {
            0
        },
        regions: if scene.solver.anticipation {
            defaults.regions
        } else {
            0
        },
        schedule: match scene.solver.evaluation {
            crate::scene::Evaluation::Interval => EvaluationSchedule::Interval,
            crate::scene::Evaluation::Every => EvaluationSchedule::Every,
            crate::scene::Evaluation::AtConvergence => EvaluationSchedule::AtConvergence,
        },
        max_iterations: scene
            .solver
            .max_iterations
            .map_or(MAX_ITERATIONS, u64::from),
        ..defaults
    }
}
