//! Constraints within a step: rows of joints and of bodies in compliance form beside those of contacts, stiffness of
//! constraints in stiffness form, and the geometric stiffness of both in the momentum matrix.

use super::newton_iterate::NewtonIterate;
use super::remainders::Remainders;
use crate::step::assemble::rigid::RigidStep;
use crate::{
    constrained::RowScratch,
    measure::strains::{TASK, take_offsets},
    model::{Components, Model},
    state::State,
    step::context::StepContext,
};
use impinge_contact::constraint::{
    BodyBlocks, Condenser, Constraint, Evaluation, Frame, GeometricStiffness, Placement,
    StiffnessSum,
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
    /// The force of each row that geometric stiffness is computed from (N, N·m): that of the last step, or of the last
    /// round for rows that were linearised again or took another remainder.
    forces: Vec<f64>,
    pub(crate) remainders: Remainders,
    /// Whether the equations of this attempt were assembled before.
    is_assembled: bool,
}

/// The places that constraints are evaluated at, and the unknowns of rigid bodies.
#[derive(Debug, Default)]
struct Placed {
    points: Vec<Vector3<f64>>,
    /// The same for constraints of components that are linearised elsewhere.
    moved: Vec<Vector3<f64>>,
    frames: Vec<Frame>,
    bodies: Vec<Option<BodyBlocks>>,
}

/// The constraints at hand, and sums over them.
#[derive(Debug, Default)]
struct Sums {
    /// Place of each constraint at hand.
    places: Vec<RowPlace>,
    batch: Vec<Prepared>,
    sum: StiffnessSum,
    rows: RowScratch,
}

/// Where the rows of a constraint are, and where it is linearised.
#[derive(Debug, Clone, Copy)]
struct RowPlace {
    first_row: usize,
    /// Whether it is linearised where its component is.
    moved: bool,
}

/// Consecutive constraints of a list.
#[derive(Clone, Copy)]
struct Batch<'a> {
    constraints: &'a [Constraint],
    form: Form<'a>,
    /// Number of the first one in the list.
    first: usize,
}

/// The motion that constraints are evaluated and linearised in.
#[derive(Clone, Copy)]
pub(crate) struct ConstraintMotion<'a> {
    /// The places and velocities `w_k` of components that were linearised again.
    pub(crate) iterate: &'a NewtonIterate,
    /// `w_R` of the flight, in the order of the unknowns (m/s).
    pub(crate) flown: &'a [f64],
    pub(crate) rigid: &'a RigidStep,
    /// Positions at the end (m); only those of prescribed points are read.
    pub(crate) end: &'a [Vector3<f64>],
}

/// The equations of a step that constraints add to.
pub(crate) struct StepSystem<'a> {
    /// The problem without contacts.
    pub(crate) problem: &'a mut ContactProblem,
    /// The warm start.
    pub(crate) solution: &'a mut ContactSolution,
    /// Impulses of the motion that components are linearised about, in the order of the unknowns (N·s).
    pub(crate) led_impulses: &'a mut [f64],
}

/// The velocities that constraints are linearised about, in the order of the unknowns (m/s).
struct Led<'a> {
    /// `w_R` of the flight and `w_k` of the Newton iterate.
    flown: &'a [f64],
    linearised: &'a [f64],
    /// `s w_k + (1 − s) w_R` for the share `s` at hand.
    share: f64,
    blended: Vec<f64>,
}

impl<'a> Led<'a> {
    fn new(flown: &'a [f64], linearised: &'a [f64]) -> Self {
        Self {
            flown,
            linearised,
            share: 1.0,
            blended: Vec::new(),
        }
    }

    /// The velocity that a constraint with the damping `d` (s) is linearised about in a step of `h` (s).
    ///
    /// Elasticity acts on `w − w_k`, damping on `w − w_R`: with `s = h/(h + d)` both together act on `w − s w_k − (1 −
    /// s) w_R`.
    fn of_damping(&mut self, damping: f64, h: f64) -> &[f64] {
        let share = h / (h + damping);
        if damping <= 0.0 {
            return self.linearised;
        }
        if self.blended.is_empty() || share.to_bits() != self.share.to_bits() {
            self.share = share;
            self.blended.clear();
            let both = self.linearised.iter().zip(self.flown);
            self.blended
                .extend(both.map(|(to, flown)| flown + share * (to - flown)));
        }
        &self.blended
    }
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

impl Form<'_> {
    fn geometric_stiffness(self) -> GeometricStiffness {
        match self {
            Self::Rows(_, mode) => mode,
            Self::Stiffness => GeometricStiffness::Projected,
        }
    }
}

/// Where constraints are evaluated: at the start of the step, and those within a component of a deformable body where
/// that is linearised.
struct Linearisation<'a> {
    model: &'a Model,
    state: &'a State,
    /// Time at the end of the step (s).
    end: f64,
    iterate: &'a NewtonIterate,
    start: Placement<'a>,
    moved: Placement<'a>,
}

impl Linearisation<'_> {
    /// Whether the constraint `index` of a list is linearised where its component is.
    fn is_moved(&self, form: Form<'_>, index: usize) -> bool {
        let component = match form {
            Form::Rows(..) => self.model.components.of_row(index),
            Form::Stiffness => self.model.components.of_soft(index),
        };
        component.is_some_and(|component| self.iterate.is_moved(component))
    }
}

impl Prepared {
    /// Evaluates `constraint`, whose rows are at `place`.
    fn evaluate(
        &mut self,
        constraint: &Constraint,
        place: RowPlace,
        form: Form<'_>,
        at: &Linearisation<'_>,
    ) {
        let first = place.first_row;
        let placement = if place.moved { &at.moved } else { &at.start };
        let evaluation = &mut self.evaluation;
        evaluation.rows(constraint, placement);
        take_offsets(at.model, at.state, at.end, first, evaluation);
        let lambda = match form {
            Form::Rows(forces, _) => &forces[first..first + constraint.rows()],
            Form::Stiffness => {
                self.presses = self.condenser.prepare(constraint, evaluation);
                if !self.presses {
                    self.stiff = false;
                    return;
                }
                self.condenser.lambda.as_slice()
            }
        };
        let mode = form.geometric_stiffness();
        self.stiff = mode.evaluate(constraint, evaluation, placement, lambda);
    }
}

impl Placed {
    fn placement<'a>(&'a self, model: &'a Model, particles: &'a [Vector3<f64>]) -> Placement<'a> {
        Placement::new(
            (particles, &model.unknowns.block_of_point),
            (&self.frames, &self.bodies),
        )
    }

    /// Takes the points, and the frames and unknowns of rigid bodies, that constraints are evaluated at.
    fn place(
        &mut self,
        context: StepContext<'_>,
        rigid: &RigidStep,
        [moved, end]: [&[Vector3<f64>]; 2],
    ) {
        let StepContext { model, state, .. } = context;
        self.points.clone_from(&state.positions);
        self.moved.clear();
        self.moved.extend_from_slice(moved);
        for (point, motion) in model.unknowns.motion_of_point.iter().enumerate() {
            if motion.is_prescribed() {
                self.points[point] = end[point];
                self.moved[point] = end[point];
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
    /// Makes room for the largest batch of the constraints of `model`.
    fn grow(&mut self, model: &Model) {
        let constraints = &model.constraints;
        let most = constraints.rows.len().max(constraints.soft.len());
        if self.batch.len() < most.min(BATCH) {
            self.batch.resize_with(most.min(BATCH), Prepared::default);
        }
    }

    /// Takes the places of the constraints at hand, whose rows begin with number `row`; returns the number of the row
    /// after the last.
    fn locate(&mut self, at: &Linearisation<'_>, batch: Batch<'_>, mut row: usize) -> usize {
        self.places.clear();
        for (index, constraint) in (batch.first..).zip(batch.constraints) {
            self.places.push(RowPlace {
                first_row: row,
                moved: at.is_moved(batch.form, index),
            });
            row += constraint.rows();
        }
        row
    }

    /// Evaluates the constraints at hand, in parallel if they are many.
    fn evaluate(&mut self, at: &Linearisation<'_>, batch: Batch<'_>) {
        let (list, form) = (batch.constraints, batch.form);
        if list.len() <= TASK {
            for ((of, constraint), &place) in self.batch.iter_mut().zip(list).zip(&self.places) {
                of.evaluate(constraint, place, form, at);
            }
        } else {
            let places = list.par_iter().zip(&self.places);
            (self.batch.par_iter_mut().zip(places))
                .with_min_len(TASK)
                .for_each(|(of, (constraint, &place))| of.evaluate(constraint, place, form, at));
        }
    }

    /// Adds the constraints at hand to the equations of a step.
    fn add(
        &mut self,
        batch: Batch<'_>,
        led: &mut Led<'_>,
        remainders: &mut Remainders,
        system: &mut StepSystem<'_>,
    ) {
        let StepSystem {
            problem,
            led_impulses,
            ..
        } = system;
        let h = problem.time_step;
        let own = batch.constraints.iter().zip(&self.batch).zip(&self.places);
        // One after the other: the same sums for any number of threads.
        for ((constraint, of), &RowPlace { moved, .. }) in own {
            let momentum = &mut problem.momentum;
            let chords = moved.then(|| led.of_damping(constraint.damping, h));
            let evaluation = &of.evaluation;
            match batch.form {
                Form::Rows(..) => {
                    let group = self.rows.group(constraint, evaluation, h, chords);
                    let index = problem.constraints.push(&group);
                    for (row, (value, offset)) in
                        (evaluation.value.iter()).zip(group.offset).enumerate()
                    {
                        let led_by = moved.then_some(led.linearised);
                        let of_led =
                            led_by.map_or(0.0, |led| problem.constraints.product(index, row, led));
                        remainders.push(value - of_led, *offset);
                    }
                }
                Form::Stiffness if of.presses => {
                    let rhs = &mut problem.rhs;
                    of.condenser.scatter(evaluation, h, momentum, rhs);
                    if let Some(chords) = chords {
                        (of.condenser).add_product(evaluation, h, chords, led_impulses);
                    }
                }
                Form::Stiffness => {}
            }
            if of.stiff {
                self.sum.scatter(constraint, evaluation, h, momentum);
                if moved {
                    let damping = if constraint.has_potential() {
                        constraint.damping
                    } else {
                        0.0
                    };
                    let chords = led.of_damping(damping, h);
                    StiffnessSum::add_product(constraint, evaluation, h, chords, led_impulses);
                }
            }
        }
    }
}

impl JointRows {
    /// A new attempt starts.
    pub(crate) fn start(&mut self) {
        self.is_assembled = false;
    }

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
    /// [`RowScratch::group`] says which rows. Points with a prescribed motion are where they will be at the end, so
    /// they need no column. Lengths and limits that change with time are those at the end. Constraints within a
    /// component of a deformable body are evaluated where that is linearised.
    pub(crate) fn assemble(
        &mut self,
        context: StepContext<'_>,
        motion: ConstraintMotion<'_>,
        mut system: StepSystem<'_>,
    ) {
        let StepContext { model, state, .. } = context;
        let ConstraintMotion {
            iterate,
            flown,
            rigid,
            end,
        } = motion;
        let StepSystem {
            problem, solution, ..
        } = &mut system;
        problem.constraints.clear();
        self.links.clear();
        if self.is_assembled {
            self.renew_forces(context, iterate, &solution.constraints);
        } else {
            self.forces.clone_from(&state.joint_forces);
            solution.constraints.clone_from(&state.joint_forces);
        }
        if model.constraints.rows.is_empty() && model.constraints.soft.is_empty() {
            return;
        }
        let h = problem.time_step;
        self.placed
            .place(context, rigid, [iterate.positions(), end]);
        let at = Linearisation {
            model,
            state,
            end: context.end(),
            iterate,
            start: self.placed.placement(model, &self.placed.points),
            moved: self.placed.placement(model, &self.placed.moved),
        };
        let mut led = Led::new(flown, iterate.led());
        self.sums.grow(model);
        self.remainders.start(self.is_assembled);
        self.is_assembled = true;
        let rows = Form::Rows(&self.forces, model.constraints.geometric_stiffness);
        let mut row = 0;
        for (list, form) in [
            (&model.constraints.rows, rows),
            (&model.constraints.soft, Form::Stiffness),
        ] {
            self.sums.sum.start(self.placed.bodies.len());
            for (number, constraints) in list.chunks(BATCH).enumerate() {
                let batch = Batch {
                    constraints,
                    form,
                    first: number * BATCH,
                };
                row = self.sums.locate(&at, batch, row);
                self.sums.evaluate(&at, batch);
                if matches!(form, Form::Stiffness) && self.keeps_links {
                    let links = model.constraints.soft_links - self.links.len();
                    let hand = &self.sums.batch[..links.min(constraints.len())];
                    take_links(&model.components, hand, &mut self.links);
                }
                (self.sums).add(batch, &mut led, &mut self.remainders, &mut system);
            }
            let mode = form.geometric_stiffness();
            let momentum = &mut system.problem.momentum;
            (self.sums.sum).finish(&at.start.layout, mode, h, momentum);
        }
        let rows = &mut system.problem.constraints;
        (self.remainders).finish(&model.constraints.rows, h, rows);
    }

    /// Takes the forces of the last round for the rows of components that were linearised again, and of joints whose
    /// remainders changed.
    fn renew_forces(&mut self, context: StepContext<'_>, iterate: &NewtonIterate, solved: &[f64]) {
        let mut first = 0;
        for (index, constraint) in context.model.constraints.rows.iter().enumerate() {
            let own = first..first + constraint.rows();
            first = own.end;
            let component = context.model.components.of_row(index);
            if component.is_some_and(|one| iterate.is_fresh(one))
                || self.remainders.is_renewed(index)
            {
                self.forces[own.clone()].copy_from_slice(&solved[own]);
            }
        }
    }
}

/// Keeps the joints `at_hand` in stiffness form, which follow those in `links`.
fn take_links(
    components: &Components,
    at_hand: &[Prepared],
    links: &mut Vec<(Evaluation, Condenser)>,
) {
    for of in at_hand {
        let is_own = components.of_soft(links.len()).is_some();
        links.push(if of.presses && !is_own {
            (of.evaluation.clone(), of.condenser.clone())
        } else {
            (Evaluation::default(), Condenser::default())
        });
    }
}
