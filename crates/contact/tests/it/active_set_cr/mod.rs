//! The solver against closed forms, dense algebra and its own guarantees.

mod closed_forms;
mod grid;
mod iteration;

use super::support::{oblique, particles, push};
use impinge_contact::Tolerances;
use impinge_contact::method::active_set_cr::{
    ActiveSetCr, ActiveSetCrSettings, DirectionRule, DuplicateRule, EvaluationSchedule,
    PreconditionerKind,
};
use impinge_contact::{ContactProblem, ContactReport, ContactSolution, ContactSolver, Termination};
use nalgebra::Vector3;

const KINDS: [PreconditionerKind; 2] = [PreconditionerKind::Full, PreconditionerKind::Diagonal];
const RULES: [DuplicateRule; 2] = [DuplicateRule::Similarity, DuplicateRule::PerPair];
const SCHEDULES: [EvaluationSchedule; 2] = [
    EvaluationSchedule::Interval,
    EvaluationSchedule::AtConvergence,
];

/// Every combination of the discrete settings, with tolerances that resolve closed forms to 1e-8.
fn variants() -> impl Iterator<Item = ActiveSetCrSettings> {
    KINDS.into_iter().flat_map(|preconditioner| {
        RULES.into_iter().flat_map(move |duplicates| {
            SCHEDULES.into_iter().flat_map(move |schedule| {
                [
                    (DirectionRule::Implicit, false),
                    (DirectionRule::Damped, false),
                    (DirectionRule::Implicit, true),
                ]
                .map(|(direction_rule, prediction)| ActiveSetCrSettings {
                    preconditioner,
                    duplicates,
                    schedule,
                    direction_rule,
                    prediction,
                    ..strict()
                })
            })
        })
    })
}

fn strict() -> ActiveSetCrSettings {
    ActiveSetCrSettings {
        tolerances: Tolerances {
            momentum: 1e-11,
            gap: 1e-13,
            slip: 1e-13,
        },
        ..ActiveSetCrSettings::default()
    }
}

/// The same with rigid rows and no prediction, for properties of the linear iteration: soft rows take several solves,
/// each about the last forces.
fn hard() -> ActiveSetCrSettings {
    ActiveSetCrSettings {
        softness: 0.0,
        prediction: false,
        ..strict()
    }
}

fn solve(
    problem: &ContactProblem,
    settings: ActiveSetCrSettings,
) -> (ContactSolution, ContactReport) {
    let mut solution = ContactSolution::at_rest(problem);
    let report = ActiveSetCr::new(settings)
        .solve(problem, &mut solution)
        .expect("a sound problem");
    (solution, report)
}

#[track_caller]
fn solved(
    problem: &ContactProblem,
    settings: ActiveSetCrSettings,
) -> (ContactSolution, ContactReport) {
    let (solution, report) = solve(problem, settings);
    assert_eq!(
        report.termination,
        Termination::Converged,
        "{settings:?} {report:?}"
    );
    (solution, report)
}

fn velocity(solution: &ContactSolution, block: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&solution.velocity[3 * block..3 * block + 3])
}

/// A particle over an oblique plane, with its free velocity in the frame `(n, t₁, t₂)`.
fn over_plane(
    mass: f64,
    free: Vector3<f64>,
    offset: Vector3<f64>,
    friction: f64,
) -> ContactProblem {
    let frame = oblique();
    let mut problem = particles(&[mass], &[frame.transpose() * free]);
    push(&mut problem, &frame, &[(0, 1.0)], offset, friction);
    problem
}
