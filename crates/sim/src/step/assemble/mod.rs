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
    flight::Flight,
    model::PointMotion,
    step::context::StepContext,
};
use impinge_contact::ContactProblem;
use impinge_fem::{Assembler, AssemblyScales};
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::Vector3;
pub(crate) use thin::MomentumSystem;
use thin::add_thin;

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

/// `A = M + Δt C + Δt² K(x_R)` and `b = M (v_c + R u − Δt a) + Δt (f_elastic(x_R) + M g) − A_fd v_d`, without the
/// impulses of the [`Flight`]'s own turn, which [`add_turn`] adds.
pub(crate) fn momentum_system(
    context: StepContext<'_>,
    flight: &Flight,
    assembler: &Assembler,
    prescribed_velocity: &[Vector3<f64>],
    system: MomentumSystem<'_>,
) {
    let StepContext {
        model, time_step, ..
    } = context;
    let MomentumSystem { matrix, rhs } = system;
    let scales = AssemblyScales::implicit_euler(time_step);
    matrix.set_zero();
    for (rhs, &point) in rhs.chunks_exact_mut(3).zip(&model.unknowns.point_of_block) {
        let point = point as usize;
        let impulse = (flight.velocities()[point] + model.settings.gravity * time_step)
            * model.points.mass[point]
            + model.points.pull[point] * time_step;
        rhs.copy_from_slice(impulse.as_slice());
    }
    assembler.add_mass(&scales, matrix);
    assembler.assemble(
        flight.positions(),
        &scales,
        prescribed_velocity,
        matrix,
        rhs,
    );
    let system = MomentumSystem { matrix, rhs };
    add_thin(context, flight, prescribed_velocity, system);
}

/// `A w_R − Δt a_M M (ω₊ × R r)`, what turning components of deformable bodies add to the right-hand side, in the order
/// of the unknowns (N·s); `matrix` holds their masses and elements.
pub(crate) fn turn_impulses(
    context: StepContext<'_>,
    flight: &Flight,
    matrix: &SymmetricBlockMatrix,
    impulses: &mut [f64],
) {
    let StepContext {
        model, time_step, ..
    } = context;
    // Row after row: the order of a sum does not depend on other bodies, as it would in a product by chunks of rows.
    let pattern = matrix.pattern();
    let chords = flight.chords();
    for row in 0..pattern.blocks() {
        for slot in pattern.row(row) {
            let (block, column) = (matrix.block(slot), pattern.columns()[slot] as usize);
            add(impulses, row, &(block * get(chords, column)));
            if column != row {
                add(impulses, column, &block.tr_mul(&get(chords, row)));
            }
        }
    }
    for (block, &point) in model.unknowns.point_of_block.iter().enumerate() {
        let damping = model.points.mass_damping[point as usize] * time_step;
        if damping > 0.0 {
            let damped = flight.end_velocity(block, point as usize) * damping;
            for (impulse, damped) in impulses[3 * block..].iter_mut().zip(damped.iter()) {
                *impulse -= damped;
            }
        }
    }
}

fn get(values: &[f64], block: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&values[3 * block..][..3])
}

fn add(values: &mut [f64], block: usize, by: &Vector3<f64>) {
    for (value, by) in values[3 * block..][..3].iter_mut().zip(by.iter()) {
        *value += by;
    }
}
