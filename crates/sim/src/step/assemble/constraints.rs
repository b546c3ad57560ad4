//! Constraints within a step: rows of joints and of bodies in compliance form beside those of contacts, stiffness of
//! constraints in stiffness form, and the geometric stiffness of both in the momentum matrix.

use crate::step::assemble::rigid::RigidStep;
use crate::{
    constrained::RowScratch,
    flight::Flight,
    measure::strains::{TASK, take_plastic},
    model::PointMotion,
    state::State,
    step::context::StepContext,
};
use impinge_contact::constraint::{
    BodyBlocks, Condenser, Configuration, Constraint, Evaluation, Frame, GeometricStiffness,
    Layout, StiffnessSum,
};
use impinge_contact::{ContactProblem, ContactSolution};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Scratch of all constraints.
#[derive(Debug, Default)]
pub(crate) struct JointRows {
    placed: Placed,
    sums: Sums,
    /// The joints in stiffness form that belong to no body alone, for the balance; empty unless they are kept.
    links: Vec<(Evaluation, Condenser)>,
    keeps_links: bool,
}

/// The places that constraints are evaluated at, and the unknowns of rigid bodies.
#[derive(Debug, Default)]
struct Placed {
    points: Vec<Vector3<f64>>,
    frames: Vec<Frame>,
    bodies: Vec<Option<BodyBlocks>>,
}

/// The constraints at hand, and sums over them.
#[derive(Debug, Default)]
struct Sums {
    /// First row of each constraint at hand, and whether it turns with its component.
    places: Vec<(usize, bool)>,
    batch: Vec<Prepared>,
    sum: StiffnessSum,
    rows: RowScratch,
}

/// The equations of a step that constraints add to.
pub(crate) struct StepSystem<'a> {
    /// The problem without contacts.
    pub(crate) problem: &'a mut ContactProblem,
    /// The warm start.
    pub(crate) solution: &'a mut ContactSolution,
    /// Impulses of the turn of components, in the order of the unknowns (N·s).
    pub(crate) turn_impulses: &'a mut [f64],
}

/// Number of constraints per batch: enough for all threads, few enough for a small scratch memory.
const BATCH: usize = 512;

/// Contribution of one constraint to the equations of a step.
#[derive(Debug, Default)]
struct Prepared {
    evaluation: Evaluation,
    condenser: Condenser,
    /// Whether a constraint in stiffness form is under compression.
    presses: bool,
    /// Whether it has geometric stiffness.
    stiff: bool,
}

/// Form of a list of constraints.
#[derive(Clone, Copy)]
enum Form<'a> {
    /// Compliance form: rows, with the forces of the last step and the kind of geometric stiffness.
    Rows(&'a [f64], GeometricStiffness),
    /// Stiffness form.
    Stiffness,
}

impl Prepared {
    /// Evaluates `constraint`; its first row is `first`.
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

impl Placed {
    /// Takes the points, and the frames and unknowns of rigid bodies, that constraints are evaluated at.
    fn place(&mut self, context: StepContext<'_>, rigid: &RigidStep, end: &[Vector3<f64>]) {
        let StepContext { model, state, .. } = context;
        self.points.clone_from(&state.positions);
        for (point, motion) in model.unknowns.motion_of_point.iter().enumerate() {
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
    }
}

impl Sums {
    /// Adds the constraints at hand, `list` with its form, to the equations of a step of `h` (s).
    fn add(
        &mut self,
        (list, form): (&[Constraint], Form<'_>),
        flight: &Flight,
        h: f64,
        (problem, turn_impulses): (&mut ContactProblem, &mut [f64]),
    ) {
        // One after the other: the same sums for any number of threads.
        for ((constraint, of), &(_, turns)) in list.iter().zip(&self.batch).zip(&self.places) {
            let momentum = &mut problem.momentum;
            let chords = turns.then(|| flight.chords());
            let evaluation = &of.evaluation;
            match form {
                Form::Rows(..) => {
                    let rows = &mut problem.constraints;
                    self.rows.push(constraint, evaluation, h, chords, rows);
                }
                Form::Stiffness if of.presses => {
                    let rhs = &mut problem.rhs;
                    (of.condenser).scatter(constraint, evaluation, h, momentum, rhs);
                    if let Some(chords) = chords {
                        let of = &of.condenser;
                        of.add_product(constraint, evaluation, h, chords, turn_impulses);
                    }
                }
                Form::Stiffness => {}
            }
            if of.stiff {
                self.sum.scatter(constraint, evaluation, h, momentum);
                if let Some(chords) = chords {
                    StiffnessSum::add_product(constraint, evaluation, h, chords, turn_impulses);
                }
            }
        }
    }
}

impl JointRows {
    /// Keeps the joints in stiffness form for the balance.
    pub(crate) fn keep_links(&mut self) {
        self.keeps_links = true;
    }

    /// The joints in stiffness form of the latest step, in the order of the model's; empty ones for those without
    /// force or in one body.
    pub(crate) fn links(&self) -> &[(Evaluation, Condenser)] {
        &self.links
    }

    /// Adds the rows and `−Δt² K̃` from the forces of the last step; the warm start takes those forces, too.
    /// Constraints in stiffness form are added to the momentum system, their `K̃` from the present forces and
    /// projected.
    ///
    /// [`RowScratch::push`] says which rows. Points with a prescribed motion are where they will be at the end, so they
    /// need no column. Constraints within a component of a deformable body that turns are evaluated where it turns to.
    pub(crate) fn assemble(
        &mut self,
        context: StepContext<'_>,
        flight: &Flight,
        rigid: &RigidStep,
        end: &[Vector3<f64>],
        system: StepSystem<'_>,
    ) {
        let StepContext { model, state, .. } = context;
        let StepSystem {
            problem,
            solution,
            turn_impulses,
        } = system;
        problem.constraints.clear();
        solution.constraints.clone_from(&state.joint_forces);
        self.links.clear();
        if model.constraints.rows.is_empty() && model.constraints.soft.is_empty() {
            return;
        }
        let h = problem.time_step;
        self.placed.place(context, rigid, end);
        let configuration = Configuration {
            particles: &self.placed.points,
            frames: &self.placed.frames,
        };
        let turned = Configuration {
            particles: flight.positions(),
            frames: &self.placed.frames,
        };
        let components = &model.components;
        let turns = |component: Option<usize>| component.is_some_and(|one| flight.is_turning(one));
        let layout = Layout {
            particles: &model.unknowns.block_of_point,
            bodies: &self.placed.bodies,
        };
        let most = model
            .constraints
            .rows
            .len()
            .max(model.constraints.soft.len())
            .min(BATCH);
        if self.sums.batch.len() < most {
            self.sums.batch.resize_with(most, Prepared::default);
        }
        let mut first = 0;
        for (list, form, mode) in [
            (
                &model.constraints.rows,
                Form::Rows(&state.joint_forces, model.constraints.geometric_stiffness),
                model.constraints.geometric_stiffness,
            ),
            (
                &model.constraints.soft,
                Form::Stiffness,
                GeometricStiffness::Projected,
            ),
        ] {
            self.sums.sum.start(self.placed.bodies.len());
            for (chunk_index, chunk) in list.chunks(BATCH).enumerate() {
                self.sums.places.clear();
                for (index, constraint) in (chunk_index * BATCH..).zip(chunk) {
                    let component = match form {
                        Form::Rows(..) => components.of_row(index),
                        Form::Stiffness => components.of_soft(index),
                    };
                    self.sums.places.push((first, turns(component)));
                    first += constraint.rows();
                }
                let evaluate =
                    |of: &mut Prepared, constraint: &Constraint, place: (usize, bool)| {
                        let (first, turns) = place;
                        let at = if turns { &turned } else { &configuration };
                        of.evaluate(constraint, first, form, state, at, &layout);
                    };
                if chunk.len() <= TASK {
                    let places = chunk.iter().zip(&self.sums.places);
                    for (of, (constraint, &place)) in self.sums.batch.iter_mut().zip(places) {
                        evaluate(of, constraint, place);
                    }
                } else {
                    let places = chunk.par_iter().zip(&self.sums.places);
                    (self.sums.batch.par_iter_mut().zip(places))
                        .with_min_len(TASK)
                        .for_each(|(of, (constraint, &place))| evaluate(of, constraint, place));
                }
                if let (Form::Stiffness, true) = (form, self.keeps_links) {
                    let kept = self.links.len();
                    let links = model.constraints.soft_links - kept;
                    let is_own = |index: usize| components.of_soft(index).is_some();
                    for (index, of) in
                        (kept..).zip(self.sums.batch.iter().take(links.min(chunk.len())))
                    {
                        self.links.push(if of.presses && !is_own(index) {
                            (of.evaluation.clone(), of.condenser.clone())
                        } else {
                            (Evaluation::default(), Condenser::default())
                        });
                    }
                }
                let list = (chunk, form);
                self.sums.add(list, flight, h, (problem, turn_impulses));
            }
            self.sums
                .sum
                .finish(&layout, mode, h, &mut problem.momentum);
        }
    }
}
