//! Stage 6: measures of a finished step, and the check that it inverts no element.

pub(crate) mod energy;
pub(crate) mod plasticity;
pub(crate) mod squeezed;
pub(crate) mod step_limit;

use crate::{error::StepFailure, model::Model, report::StepReport, state::State};
use impinge_contact::residual::residual_of_islands;
use impinge_contact::{ContactProblem, ContactSolution, ContactState, FrictionLaw};
use impinge_fem::VolumeRatio;
use nalgebra::Vector3;

/// Judges the accepted solve by the independent residual and keeps the worst over the parts of a step. Returns the
/// largest momentum residual of one of the islands (N·s), which `islands` counts and tells of each block, times
/// `scale`.
pub(crate) fn judge(
    (problem, solution): (&ContactProblem, &ContactSolution),
    (islands, island_of): (usize, &dyn Fn(usize) -> usize),
    scale: f64,
    report: &mut StepReport,
) -> f64 {
    let judged = residual_of_islands(FrictionLaw::Cone, problem, solution, islands, island_of);
    let momentum = scale * judged.momentum;
    report.momentum_residual = report.momentum_residual.max(momentum);
    report.normal_residual = report.normal_residual.max(judged.normal);
    report.friction_residual = report.friction_residual.max(judged.friction);
    momentum
}

/// The smallest volume ratio of an element; `None` without elements.
pub(crate) type SmallestVolume = Option<VolumeRatio>;

/// The smallest volume ratio of an element at `positions` (m).
pub(crate) fn smallest_volume(model: &Model, positions: &[Vector3<f64>]) -> SmallestVolume {
    model.elements.elastic.minimum_volume_ratio(positions)
}

/// Momenta, volumes and contact counts of the state; [`EnergyAccount`](crate::step::commit::energy::EnergyAccount)
/// computes its energies. The smallest volume
/// ratio is computed unless it is known.
pub(crate) fn measure(
    model: &Model,
    state: &State,
    smallest: Option<SmallestVolume>,
    report: &mut StepReport,
) {
    let (mut momentum, mut angular) = (Vector3::zeros(), Vector3::zeros());
    for (point, motion) in model.unknowns.motion_of_point.iter().enumerate() {
        let (mass, x, v) = (
            model.points.mass[point],
            state.positions[point],
            state.velocities[point],
        );
        if motion.is_free() {
            momentum += v * mass;
            angular += x.cross(&v) * mass;
        }
    }
    for (rigid, at) in model.rigid.iter().zip(&state.rigid) {
        let (mass, center) = (rigid.inertia.mass(), at.pose.center);
        momentum += at.velocity * mass;
        angular += center.cross(&at.velocity) * mass + at.angular_momentum;
    }
    report.momentum = momentum.into();
    report.angular_momentum = angular.into();
    let smallest = smallest.unwrap_or_else(|| smallest_volume(model, &state.positions));
    report.minimum_volume_ratio = smallest.map_or(1.0, |smallest| smallest.ratio);
    // "Not positive" includes NaN.
    report.inverted_elements = if report.minimum_volume_ratio > 0.0 {
        0
    } else {
        model.elements.elastic.inverted_elements(&state.positions) as u32
    };

    let mut force = Vector3::zeros();
    (
        report.active,
        report.sticking,
        report.sliding,
        report.inactive,
    ) = (0, 0, 0, 0);
    for contact in &state.contacts {
        match contact.multipliers.state {
            ContactState::Inactive => report.inactive += 1,
            ContactState::Sliding => report.sliding += 1,
            ContactState::Sticking => report.sticking += 1,
        }
        for (i, &point) in contact.stencil().iter().enumerate() {
            if !model.unknowns.motion_of_point[point as usize].is_prescribed() {
                force += contact.force_on(i);
            }
        }
    }
    report.active = report.sticking + report.sliding;
    report.contact_force = force.into();
}

/// Rejects inverted elements, unless they are allowed.
pub(crate) fn check_inversion(model: &Model, smallest: SmallestVolume) -> Result<(), StepFailure> {
    match smallest.filter(|_| !model.settings.allow_inversion) {
        Some(smallest) if smallest.ratio.is_nan() || smallest.ratio <= 0.0 => {
            let body = model
                .geometry
                .bodies
                .iter()
                .find(|body| body.tets.contains(&smallest.element));
            Err(StepFailure::Inverted {
                body: body.map_or_else(String::new, |body| body.name.clone()),
                tet: smallest.element - body.map_or(0, |body| body.tets.start),
                ratio: smallest.ratio,
            })
        }
        _ => Ok(()),
    }
}
