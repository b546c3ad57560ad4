//! Constraints within a step: rows of joints and of bodies in compliance form beside those of contacts, stiffnesses of those in
//! stiffness form, and the geometric stiffness of both in the momentum matrix.

use super::rigid::RigidStep;
use crate::{
    constrained::{RowScratch, held_by, stored},
    model::{Model, PointMotion},
    solid::StressLaw,
    state::State,
};
use impinge_contact::constraint::law::MOST_ROWS;
use impinge_contact::constraint::{
    BodyBlocks, Condenser, Configuration, Constraint, Evaluation, Frame, GeometricStiffness,
    Layout, StiffnessSum,
};
use impinge_contact::{ContactProblem, ContactSolution};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Energy that springs, other compliant joints and strains hold (J).
///
/// Rows hold what their forces say ([`held_by`]), all others what their values say. So do rows before the first step, which
/// have no forces yet, those with damping, whose forces are not the elastic ones alone, those that flow, whose forces are
/// those before they flowed, and laws with a potential of their own, which is no quadratic form of the force.
pub(crate) fn joint_energy(model: &Model, state: &State) -> f64 {
    let flows = |first: usize| {
        (model.stress_points)
            .binary_search_by_key(&first, |point| point.first_row)
            .is_ok_and(|at| model.stress_points[at].flows())
    };
    let [rows, soft, held] = evaluate(model, state, |list, first, constraint, evaluation| {
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
    let all = rows.iter().chain(&soft).chain(&held);
    all.map(|(_, energy)| energy).sum()
}

/// Lets what flows flow at the end of a step.
pub(crate) fn flow_plastically(model: &Model, state: &mut State) {
    if state.plastic_strains.is_empty() {
        return;
    }
    let strains = elastic_strains(model, state);
    for point in &model.stress_points {
        let StressLaw::Flowing(law) = point.law else {
            continue;
        };
        // What was evaluated is the elastic strain: it flows from none.
        let elastic = std::array::from_fn(|row| strains[point.first_row + row]);
        let mut more = [0.0; 6];
        if law.flow(&elastic, &mut more) {
            let kept = &mut state.plastic_strains[point.first_row..];
            for (kept, more) in kept.iter_mut().zip(more) {
                *kept += more;
            }
        }
    }
}

/// The values of the constraints that are not hard, plastic strains taken off: by row, list after list.
pub(crate) fn elastic_strains(model: &Model, state: &State) -> Vec<f64> {
    let lists = [&model.joints, &model.soft, &model.held];
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

/// Takes the plastic strain of its rows, the first of which is `first`, off the value of a constraint.
fn take_plastic(state: &State, first: usize, evaluation: &mut Evaluation) {
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
    /// Between points that never move.
    Held,
}

/// What `of` makes of each constraint of the model that is not hard, list after list: from its list, its first row, itself
/// and its value at `state`. First rows come with the answers.
fn evaluate<R: Send>(
    model: &Model,
    state: &State,
    of: impl Fn(List, usize, &Constraint, &Evaluation) -> R + Sync,
) -> [Vec<(usize, R)>; 3] {
    let mut first = 0;
    [
        (List::Rows, &model.joints),
        (List::Soft, &model.soft),
        (List::Held, &model.held),
    ]
    .map(|(list, constraints)| {
        let of = |row: usize, constraint: &Constraint, evaluation: &Evaluation| {
            of(list, row, constraint, evaluation)
        };
        let answers = evaluate_list(constraints, first, state, of);
        first += constraints.iter().map(Constraint::rows).sum::<usize>();
        answers
    })
}

/// The same of one list, the first row of which is `first`.
fn evaluate_list<R: Send>(
    constraints: &[Constraint],
    mut first: usize,
    state: &State,
    of: impl Fn(usize, &Constraint, &Evaluation) -> R + Sync,
) -> Vec<(usize, R)> {
    if constraints.iter().all(Constraint::is_hard) {
        return Vec::new();
    }
    let frames: Vec<Frame> = (state.rigid.iter())
        .map(|at| Frame {
            center: at.pose.center,
            orientation: at.pose.orientation,
        })
        .collect();
    let configuration = Configuration {
        particles: &state.positions,
        frames: &frames,
    };
    // No unknowns: only the values are asked for.
    let (particles, bodies) = (
        vec![None; state.positions.len()],
        vec![None; state.rigid.len()],
    );
    let layout = Layout {
        particles: &particles,
        bodies: &bodies,
    };
    let mut places = Vec::with_capacity(constraints.len());
    for constraint in constraints {
        if !constraint.is_hard() {
            places.push((first, constraint));
        }
        first += constraint.rows();
    }
    let one = |evaluation: &mut Evaluation, (first, constraint): (usize, &Constraint)| {
        evaluation.rows(constraint, &configuration, &layout);
        take_plastic(state, first, evaluation);
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

/// Scratch of all constraints.
#[derive(Debug, Default)]
pub(crate) struct JointRows {
    points: Vec<Vector3<f64>>,
    frames: Vec<Frame>,
    bodies: Vec<Option<BodyBlocks>>,
    first_rows: Vec<usize>,
    sum: StiffnessSum,
    rows: RowScratch,
    batch: Vec<Prepared>,
}

/// Constraints that are evaluated at once: enough for every thread, few enough that what they hold stays small.
const BATCH: usize = 512;

/// Constraints that one task takes: below that, handing them out costs more than they do.
const TASK: usize = 16;

/// What one constraint adds to the equations of a step.
#[derive(Debug, Default)]
struct Prepared {
    evaluation: Evaluation,
    condenser: Condenser,
    /// Whether a constraint in stiffness form presses.
    presses: bool,
    /// Whether it has geometric stiffness.
    stiff: bool,
}

/// Which of both a list of constraints is.
#[derive(Clone, Copy)]
enum Form<'a> {
    /// Rows of their own, with the forces of the step before and what of their geometric stiffness counts.
    Rows(&'a [f64], GeometricStiffness),
    /// Stiffnesses.
    Stiffness,
}

impl Prepared {
    /// Evaluates `constraint`, the first row of which is `first`.
    fn evaluate(
        &mut self,
        constraint: &Constraint,
        first: usize,
        form: Form<'_>,
        state: &State,
        configuration: &Configuration<'_>,
        layout: &Layout<'_>,
    ) {
        let evaluation = &mut self.evaluation;
        evaluation.rows(constraint, configuration, layout);
        take_plastic(state, first, evaluation);
        let (lambda, mode) = match form {
            Form::Rows(forces, mode) => (&forces[first..first + constraint.rows()], mode),
            Form::Stiffness => {
                self.presses = self.condenser.prepare(constraint, evaluation);
                if !self.presses {
                    self.stiff = false;
                    return;
                }
                (
                    self.condenser.lambda.as_slice(),
                    GeometricStiffness::Projected,
                )
            }
        };
        self.stiff = mode.evaluate(constraint, evaluation, configuration, layout, lambda);
    }
}

impl JointRows {
    /// Adds the rows at the start of the step and `−Δt² K̃` from the forces of the step before; the warm start takes those
    /// forces, too. What is in stiffness form is added to the momentum system, its `K̃` from the present forces and projected.
    ///
    /// [`RowScratch::push`] says which rows. Points with a prescribed motion are where they will be at the end, so they need no
    /// column.
    pub(crate) fn pose(
        &mut self,
        model: &Model,
        state: &State,
        rigid: &RigidStep,
        end: &[Vector3<f64>],
        problem: &mut ContactProblem,
        solution: &mut ContactSolution,
    ) {
        problem.constraints.clear();
        solution.constraints.clone_from(&state.joint_forces);
        if model.joints.is_empty() && model.soft.is_empty() {
            return;
        }
        let h = problem.time_step;
        self.points.clone_from(&state.positions);
        for (point, motion) in model.motion_of_point.iter().enumerate() {
            if matches!(motion, PointMotion::Prescribed(_)) {
                self.points[point] = end[point];
            }
        }
        self.frames.clear();
        self.bodies.clear();
        for (index, (body, at)) in model.rigid.iter().zip(&state.rigid).enumerate() {
            self.frames.push(Frame {
                center: at.pose.center,
                orientation: at.pose.orientation,
            });
            self.bodies.push(Some(BodyBlocks {
                first: body.first_block,
                axes: rigid.axes(index),
            }));
        }
        let configuration = Configuration {
            particles: &self.points,
            frames: &self.frames,
        };
        let layout = Layout {
            particles: &model.block_of_point,
            bodies: &self.bodies,
        };
        let most = model.joints.len().max(model.soft.len()).min(BATCH);
        if self.batch.len() < most {
            self.batch.resize_with(most, Prepared::default);
        }
        let mut first = 0;
        for (list, form, mode) in [
            (
                &model.joints,
                Form::Rows(&state.joint_forces, model.joint_stiffness),
                model.joint_stiffness,
            ),
            (&model.soft, Form::Stiffness, GeometricStiffness::Projected),
        ] {
            self.sum.start(self.bodies.len());
            for chunk in list.chunks(BATCH) {
                self.first_rows.clear();
                for constraint in chunk {
                    self.first_rows.push(first);
                    first += constraint.rows();
                }
                let evaluate = |of: &mut Prepared, constraint: &Constraint, first: usize| {
                    of.evaluate(constraint, first, form, state, &configuration, &layout);
                };
                if chunk.len() <= TASK {
                    let places = chunk.iter().zip(&self.first_rows);
                    for (of, (constraint, &first)) in self.batch.iter_mut().zip(places) {
                        evaluate(of, constraint, first);
                    }
                } else {
                    let places = chunk.par_iter().zip(&self.first_rows);
                    (self.batch.par_iter_mut().zip(places))
                        .with_min_len(TASK)
                        .for_each(|(of, (constraint, &first))| evaluate(of, constraint, first));
                }
                // One after the other: the same sums for any number of threads.
                for (constraint, of) in chunk.iter().zip(&self.batch) {
                    let momentum = &mut problem.momentum;
                    match form {
                        Form::Rows(..) => {
                            let rows = &mut problem.constraints;
                            self.rows.push(constraint, &of.evaluation, h, rows);
                        }
                        Form::Stiffness if of.presses => {
                            let rhs = &mut problem.rhs;
                            (of.condenser).scatter(constraint, &of.evaluation, h, momentum, rhs);
                        }
                        Form::Stiffness => {}
                    }
                    if of.stiff {
                        self.sum.scatter(constraint, &of.evaluation, h, momentum);
                    }
                }
            }
            self.sum.finish(&layout, mode, h, &mut problem.momentum);
        }
    }
}
