//! The contact method of a scene, and the scales of tolerances.

use super::method_keys::check_method_keys;
use crate::{
    error::SimError,
    scene::{JointStiffness, Linear, OneSided, Preconditioner, Scene, SolverMethod, StepperChoice},
    tolerances::{ToleranceMode, ToleranceScales},
};
use impinge_contact::constraint::{Constraint, GeometricStiffness};
use impinge_contact::method::active_set_cr::{
    ActiveSetCrSettings, EvaluationSchedule, PreconditionerKind,
};
use impinge_contact::method::compliant_kkt::{KktSolver, OneSidedSolver, RowPreconditioner};
use impinge_contact::method::corrective_motion::DelassusForm;
use impinge_contact::method::{Capabilities, Method, MethodSpec, RowSupport};
use nalgebra::Vector3;

/// The geometric stiffness of joints that the scene selects.
pub(super) fn joint_stiffness(scene: &Scene) -> GeometricStiffness {
    match scene.solver.joint_stiffness {
        JointStiffness::None => GeometricStiffness::None,
        // The constrained stepper adds the rest.
        JointStiffness::Symmetric | JointStiffness::Unsymmetric => GeometricStiffness::Symmetric,
        JointStiffness::Projected => GeometricStiffness::Projected,
    }
}

/// Checks that the method of the scene supports its joints and bodies: joints, and strains in compliance form, are rows
/// that few methods support.
pub(super) fn check_method(
    scene: &Scene,
    solver: &Method,
    rows: &RowsOfScene<'_>,
) -> Result<(), SimError> {
    check_rows(scene, rows)?;
    // The other steppers have methods of their own.
    if scene.stepper != StepperChoice::Synchronous {
        return Ok(());
    }
    check_method_keys(scene, solver)?;
    let has = solver.spec().capabilities;
    let lacks_rows = !rows.are_supported(has.constraint_rows);
    let in_compliance_form = !rows.strains.is_empty();
    let joints_alone = RowsOfScene {
        strains: &[],
        ..*rows
    };
    let (what, otherwise) =
        if lacks_rows && in_compliance_form && joints_alone.are_supported(has.constraint_rows) {
            let otherwise = ", or formulation = \"stiffness\" into each `shell` and `material`";
            ("bodies in compliance form", otherwise)
        } else if lacks_rows {
            ("joints", "")
        } else {
            return Ok(());
        };
    let can = |other: &Capabilities| rows.are_supported(other.constraint_rows);
    let able: Vec<String> = (MethodSpec::methods().filter(|spec| can(&spec.capabilities)))
        .map(|spec| format!("\"{}\"", spec.name))
        .collect();
    let problem = format!("the method `{}` does not support {what}", solver.name());
    let mend = format!("leave it out, or write {}{otherwise}", able.join(" or "));
    Err(scene.error_at("solver.method", problem, mend).into())
}

/// The constraint rows of a scene.
#[derive(Clone, Copy)]
pub(super) struct RowsOfScene<'a> {
    /// Joints, ropes and limits.
    pub(super) joints: &'a [Constraint],
    /// Strains of bodies in compliance form.
    pub(super) strains: &'a [Constraint],
}

impl RowsOfScene<'_> {
    /// Whether a method with this support takes all of them.
    fn are_supported(&self, support: RowSupport) -> bool {
        match support {
            RowSupport::All => true,
            RowSupport::Joints => self.strains.is_empty(),
            RowSupport::Nothing => self.strains.is_empty() && self.joints.is_empty(),
        }
    }
}

/// Checks that the solver of rows that the scene selects supports its rows.
fn check_rows(scene: &Scene, rows: &RowsOfScene<'_>) -> Result<(), SimError> {
    let keys = &scene.solver;
    let of_equations = if keys.linear == Linear::Minres {
        Some(("linear", "MINRES solves"))
    } else if keys.joint_stiffness == JointStiffness::Unsymmetric {
        Some(("joint_stiffness", "LU factors solve"))
    } else {
        None
    };
    let one_sided = (rows.joints.iter().chain(rows.strains)).find(|joint| joint.unilateral);
    if let (Some((key, what)), Some(joint)) = (of_equations, one_sided) {
        let problem = format!(
            "{what} equations only, and `{}` pulls or pushes only",
            joint.name
        );
        let mend = "leave it out, or leave out ropes and limits";
        return Err((scene.error_at(&format!("solver.{key}"), problem, mend)).into());
    }
    Ok(())
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

/// The method of the scene, with its keys; `has_rows` states that joints or strains are constraint rows.
pub(super) fn solver_settings(scene: &Scene, has_rows: bool) -> Method {
    let keys = &scene.solver;
    let spec = match keys.method {
        Some(method) => method.spec(),
        None if has_rows || scene.stepper == StepperChoice::Constrained => {
            MethodSpec::named("compliant-kkt")
        }
        None => SolverMethod::CR.spec(),
    };
    // Every scene's method is in the register of methods: a test compares them.
    let cr = || Method::Cr(ActiveSetCrSettings::default());
    let mut method = spec.map_or_else(cr, |spec| (spec.defaults)());
    match &mut method {
        Method::Cr(settings) | Method::ActiveSet(settings) => {
            settings.preconditioner = match keys.preconditioner {
                Preconditioner::Full => PreconditionerKind::Full,
                Preconditioner::Diagonal => PreconditionerKind::Diagonal,
            };
        }
        Method::ExactCompliance(settings) | Method::WarpedCompliance(settings) => {
            settings.delassus = match keys.delassus {
                crate::scene::Delassus::Built => DelassusForm::Assembled,
                crate::scene::Delassus::Unbuilt => DelassusForm::MatrixFree,
            };
            settings.momentum_repair = keys.momentum_repair;
            settings.corrections = keys.corrections;
        }
        Method::CompliantKkt(settings) => {
            settings.solver = match keys.linear {
                Linear::Direct => KktSolver::Direct,
                Linear::Minres => KktSolver::Minres,
            };
            settings.preconditioner = match keys.preconditioner {
                Preconditioner::Full => RowPreconditioner::Coupled,
                Preconditioner::Diagonal => RowPreconditioner::Diagonal,
            };
            settings.one_sided = match keys.one_sided {
                OneSided::Combined => OneSidedSolver::Combined,
                OneSided::GaussSeidel => OneSidedSolver::GaussSeidel,
            };
        }
        _ => {}
    }
    if let Method::Cr(settings) = &mut method {
        settings.schedule = match keys.evaluation {
            crate::scene::Evaluation::Interval => EvaluationSchedule::Interval,
            crate::scene::Evaluation::AtConvergence => EvaluationSchedule::AtConvergence,
        };
        settings.prediction = keys.prediction;
    }
    if let Some(count) = keys.max_iterations {
        *method.max_iterations_mut() = u64::from(count);
    }
    method
}
