//! Elastic values of compliant constraints at a state, and their energy.

use crate::{
    constrained::{held_by, stored},
    model::Model,
    rigid::RigidState,
    state::State,
};
use impinge_contact::constraint::law::MOST_ROWS;
use impinge_contact::constraint::{Constraint, Evaluation, Frame, Placement};
use rayon::prelude::*;

/// Least number of constraints per parallel task; with fewer, the task costs more than its work.
pub(crate) const TASK: usize = 16;

/// Elastic energy of each spring, other compliant joint and strain (J), with its first row and whether it is one of
/// [`Constraints::held`](crate::model::Constraints::held).
///
/// Constraint rows take it from their forces ([`held_by`]), other constraints from their values. Some rows take it from
/// their values too: before the first step, since they have no forces; with damping, since their forces are not elastic
/// alone; with plastic flow, since their forces are those before the flow; and with a potential of their own, which is
/// no quadratic form of the force.
pub(crate) fn constraint_energies(
    model: &Model,
    state: &State,
) -> impl Iterator<Item = (usize, bool, f64)> {
    constraint_energies_of(model, state, |_| true)
}

/// The same, with 0 for each constraint that `counts` does not hold for.
pub(crate) fn constraint_energies_of(
    model: &Model,
    state: &State,
    counts: impl Fn(&Constraint) -> bool + Sync,
) -> impl Iterator<Item = (usize, bool, f64)> {
    let flows = |first: usize| {
        (model.constraints.stress_points)
            .binary_search_by_key(&first, |point| point.first_row)
            .is_ok_and(|at| model.constraints.stress_points[at].flows())
    };
    let [rows, soft, held] = evaluate(model, state, |list, first, constraint, evaluation| {
        if !counts(constraint) {
            return 0.0;
        }
        let by_force = matches!(list, List::Rows)
            && state.time > 0.0
            && constraint.damping == 0.0
            && !constraint.has_potential()
            && !flows(first);
        if by_force {
            held_by(
                constraint,
                &state.joint_forces[first..first + constraint.rows()],
            )
        } else {
            stored(constraint, evaluation)
        }
    });
    let free = rows.into_iter().chain(soft);
    free.map(|(first, energy)| (first, false, energy)).chain(
        held.into_iter()
            .map(|(first, energy)| (first, true, energy)),
    )
}

/// Values of the compliant constraints minus plastic strains: by row, list after list.
pub(crate) fn elastic_strains(model: &Model, state: &State) -> Vec<f64> {
    let lists = [
        &model.constraints.rows,
        &model.constraints.soft,
        &model.constraints.held,
    ];
    let rows = lists.into_iter().flatten().map(Constraint::rows).sum();
    let mut strains = vec![0.0; rows];
    let keep = |_, _, _: &Constraint, evaluation: &Evaluation| {
        let mut kept = [0.0; MOST_ROWS];
        kept[..evaluation.value.len()].copy_from_slice(&evaluation.value);
        (kept, evaluation.value.len())
    };
    let [in_rows, soft, held] = evaluate(model, state, keep);
    for (first, (value, rows)) in in_rows.iter().chain(&soft).chain(&held) {
        strains[*first..][..*rows].copy_from_slice(&value[..*rows]);
    }
    strains
}

/// Takes into the value of the constraint from row `first` on the offsets that do not come from the motion: the plastic
/// strain of `state`, and a length or limit that changes with time, as it is at `time` (s).
pub(crate) fn take_offsets(
    model: &Model,
    state: &State,
    time: f64,
    first: usize,
    evaluation: &mut Evaluation,
) {
    if !model.constraints.changing.is_empty() {
        evaluation.value[0] += model.constraints.change_at(first, time);
    }
    if state.plastic_strains.is_empty() {
        return;
    }
    for (value, plastic) in (evaluation.value.iter_mut()).zip(&state.plastic_strains[first..]) {
        *value -= plastic;
    }
}

/// The lists of constraints of a model.
#[derive(Debug, Clone, Copy)]
enum List {
    /// In compliance form.
    Rows,
    /// In stiffness form.
    Soft,
    /// Between points that never move freely.
    Held,
}

/// Applies `of` to each compliant constraint of the model, list after list. Its arguments are the list, the first row,
/// the constraint and its value at `state`. The results come with their first rows.
fn evaluate<R: Send>(
    model: &Model,
    state: &State,
    of: impl Fn(List, usize, &Constraint, &Evaluation) -> R + Sync,
) -> [Vec<(usize, R)>; 3] {
    let mut first = 0;
    [
        (List::Rows, &model.constraints.rows),
        (List::Soft, &model.constraints.soft),
        (List::Held, &model.constraints.held),
    ]
    .map(|(list, constraints)| {
        let of = |row: usize, constraint: &Constraint, evaluation: &Evaluation| {
            of(list, row, constraint, evaluation)
        };
        let answers = evaluate_list(constraints, first, (model, state), of);
        first += constraints.iter().map(Constraint::rows).sum::<usize>();
        answers
    })
}

/// The same for one list, with rows from `first` on.
fn evaluate_list<R: Send>(
    constraints: &[Constraint],
    mut first: usize,
    (model, state): (&Model, &State),
    of: impl Fn(usize, &Constraint, &Evaluation) -> R + Sync,
) -> Vec<(usize, R)> {
    if constraints.iter().all(Constraint::is_hard) {
        return Vec::new();
    }
    let frames: Vec<Frame> = (state.rigid.iter()).map(RigidState::frame).collect();
    // No unknowns: this needs values only.
    let (particles, bodies) = (
        vec![None; state.positions.len()],
        vec![None; state.rigid.len()],
    );
    let placement = Placement::new((&state.positions, &particles), (&frames, &bodies));
    let mut places = Vec::with_capacity(constraints.len());
    for constraint in constraints {
        if !constraint.is_hard() {
            places.push((first, constraint));
        }
        first += constraint.rows();
    }
    let one = |evaluation: &mut Evaluation, (first, constraint): (usize, &Constraint)| {
        evaluation.rows(constraint, &placement);
        take_offsets(model, state, state.time, first, evaluation);
        (first, of(first, constraint, evaluation))
    };
    if places.len() <= TASK {
        let mut evaluation = Evaluation::default();
        return (places.into_iter().map(|place| one(&mut evaluation, place))).collect();
    }
    (places.into_par_iter().with_min_len(TASK))
        .map_init(Evaluation::default, one)
        .collect()
}
