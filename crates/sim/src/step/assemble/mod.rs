//! Stage 1: momentum matrix and right-hand side of a step.

pub(crate) mod constraints;
pub(crate) mod load;
pub(crate) mod newton_iterate;
pub(crate) mod remainders;
pub(crate) mod rigid;
mod strains;
mod thin;

use crate::step::assemble::rigid::check_turn;
use crate::{
    error::{
        StepFailure,
        extension::{ExtensionError, ExtensionKind},
    },
    model::PointMotion,
    step::context::StepContext,
};
use impinge_contact::ContactProblem;
use nalgebra::Vector3;
pub(crate) use strains::add_strains_at_rest;
pub(crate) use thin::{MomentumSystem, add_thin_at_rest};

/// Sets prescribed points at the end of the step: exact positions, and the velocities of straight paths to them.
///
/// Entries of free points are unchanged.
///
/// # Errors
/// [`StepFailure::TurnsTooFar`] if a prescribed motion turns too far in one step for straight paths.
pub(crate) fn prescribe(
    context: StepContext<'_>,
    end: &mut [Vector3<f64>],
    velocity: &mut [Vector3<f64>],
) -> Result<(), StepFailure> {
    let StepContext { model, state, .. } = context;
    let time_step = context.time_step;
    for (index, motion) in model.unknowns.motions.iter().enumerate() {
        let fastest = motion.fastest_turn_between(state.time, state.time + time_step);
        check_turn(fastest * time_step, || model.name_of_moved(index as u32))?;
    }
    for (point, motion) in model.unknowns.motion_of_point.iter().enumerate() {
        if let PointMotion::Prescribed(motion) = motion {
            let target = model.unknowns.motions[*motion as usize]
                .position_at(&model.points.rest[point], state.time + time_step);
            velocity[point] = (target - state.positions[point]) / time_step;
            end[point] = target;
        }
    }
    Ok(())
}

/// Checks that materials of extensions gave finite numbers for the momentum system at `positions` (m).
///
/// # Errors
/// [`StepFailure::Extension`] naming the material.
pub(crate) fn check_materials(
    context: StepContext<'_>,
    positions: &[Vector3<f64>],
    problem: &ContactProblem,
) -> Result<(), StepFailure> {
    let elastic = &context.model.elements.elastic;
    if !elastic.has_custom_materials()
        || problem.momentum.is_finite() && problem.rhs.iter().all(|x| x.is_finite())
    {
        return Ok(());
    }
    check_forces(context, positions)
}

/// Checks that materials of extensions give finite forces at `positions` (m).
///
/// # Errors
/// [`StepFailure::Extension`] naming the material.
pub(crate) fn check_forces(
    context: StepContext<'_>,
    positions: &[Vector3<f64>],
) -> Result<(), StepFailure> {
    match context.model.elements.elastic.broken_material(positions) {
        Some((name, tet)) => Err(StepFailure::Extension(ExtensionError {
            kind: ExtensionKind::Material,
            name: name.to_owned(),
            problem: format!("gave a number that is not finite in tetrahedron {tet} of the model"),
        })),
        None => Ok(()),
    }
}
