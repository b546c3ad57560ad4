//! Stage 1: momentum matrix and right-hand side of a step.

pub(crate) mod constraints;
pub(crate) mod load;
pub(crate) mod rigid;
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
use impinge_fem::{Assembler, AssemblyScales};
use nalgebra::Vector3;
pub(crate) use thin::MomentumSystem;
use thin::add_thin;

/// Prescribed points at the end of the step: exact positions, and the velocities that lead there in a straight line.
///
/// Entries of free points are left alone.
///
/// # Errors
/// [`StepFailure::TurnsTooFar`] if a prescribed motion turns too far in one step for straight paths.
pub(crate) fn prescribe(
    context: StepContext<'_>,
    end: &mut [Vector3<f64>],
    velocity: &mut [Vector3<f64>],
) -> Result<(), StepFailure> {
    let StepContext {
        model,
        state,
        time_step,
    } = context;
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

/// Checks that materials of extensions gave finite numbers for the momentum system.
///
/// # Errors
/// [`StepFailure::Extension`] naming the material.
pub(crate) fn check_materials(
    context: StepContext<'_>,
    problem: &ContactProblem,
) -> Result<(), StepFailure> {
    let elastic = &context.model.elements.elastic;
    if !elastic.has_custom_materials()
        || problem.momentum.is_finite() && problem.rhs.iter().all(|x| x.is_finite())
    {
        return Ok(());
    }
    match elastic.broken_material(&context.state.positions) {
        Some((name, tet)) => Err(StepFailure::Extension(ExtensionError {
            kind: ExtensionKind::Material,
            name: name.to_owned(),
            problem: format!("gave a number that is not finite in tetrahedron {tet} of the model"),
        })),
        None => Ok(()),
    }
}

/// `A = M + Δt C + Δt² K` and `b = M v + Δt (f_elastic + M g) − A_fd v_d`, both at the start of the step.
pub(crate) fn momentum_system(
    context: StepContext<'_>,
    assembler: &Assembler,
    prescribed_velocity: &[Vector3<f64>],
    system: MomentumSystem<'_>,
) {
    let StepContext {
        model,
        state,
        time_step,
    } = context;
    let MomentumSystem { matrix, rhs } = system;
    let scales = AssemblyScales::implicit_euler(time_step);
    matrix.set_zero();
    for (rhs, &point) in rhs.chunks_exact_mut(3).zip(&model.unknowns.point_of_block) {
        let point = point as usize;
        let impulse = (state.velocities[point] + model.settings.gravity * time_step)
            * model.points.mass[point]
            + model.points.pull[point] * time_step;
        rhs.copy_from_slice(impulse.as_slice());
    }
    assembler.add_mass(&scales, matrix);
    assembler.assemble(&state.positions, &scales, prescribed_velocity, matrix, rhs);
    let system = MomentumSystem { matrix, rhs };
    add_thin(context, prescribed_velocity, system);
}
