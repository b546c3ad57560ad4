//! Impulses on every body in a step, and the momentum tolerances relative to them.

use crate::contacts::contact::Contact;
use crate::step::assemble::rigid::RigidStep;
use crate::step::context::StepContext;
use crate::step::detect::separation::POINTS_PER_TASK;
use crate::{
    flight::Flight,
    model::{Model, PointMotion},
    state::State,
};
use impinge_contact::{ContactProblem, ContactSolution, ContactState};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Relative rounding of a product with `A` and of an elastic force: rows have some twenty to fifty terms.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Kinds of impulses that tolerances are relative to. Damping is not needed: it balances the others, so it is at most
/// four times the largest.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Elastic,
    Contact,
    /// Gravity and nodal forces.
    Given,
    Inertial,
}

/// Squares of the impulses on one body (N²s²), by [`Kind`].
type Squares = [f64; 4];

/// Parts of a step that are known before it is solved: rigid bodies, contacts, and those parts of the right-hand side
/// of nodes that are no forces.
#[derive(Clone, Copy)]
pub(crate) struct StepStart<'a> {
    pub(crate) flight: &'a Flight,
    /// Impulses of the motion that components are linearised about, in the order of the unknowns (N·s).
    pub(crate) led_impulses: &'a [f64],
    pub(crate) rigid: &'a RigidStep,
    pub(crate) contacts: &'a [Contact],
}

/// Momentum tolerances of the bodies of a model, step by step.
#[derive(Debug, Default)]
pub(crate) struct BodyLoads {
    /// Momentum of each body at the smallest speed that counts, in the norm over its nodes (N·s).
    floors: Vec<f64>,
    squares: Vec<Squares>,
    /// Squares of the rounding error in the momentum balance of each body (N²s²).
    rounding: Vec<f64>,
    /// Both for each free node.
    of_nodes: Vec<(Squares, f64)>,
    /// Impulses of contacts, and of elasticity, joints and strains, in the order of the unknowns (N·s).
    contact: Vec<f64>,
    elastic: Vec<f64>,
    tolerances: Vec<f64>,
    /// The largest tolerance of a body with unknowns (N·s), and the value that weights are relative to.
    largest: f64,
    reference: f64,
    /// Tolerance of the gaps of each body (m).
    gaps: Vec<f64>,
}

/// The impulses on one block of unknowns.
struct BlockLoad {
    block: usize,
    /// Position (m) and velocity (m/s) of its point.
    position: Vector3<f64>,
    velocity: Vector3<f64>,
    /// One for each [`Kind`] (N·s).
    impulses: [Vector3<f64>; 4],
}

impl BodyLoads {
    /// The tolerance of every body of the model (N·s).
    pub(crate) fn tolerances(&self) -> &[f64] {
        &self.tolerances
    }

    /// The largest of them among bodies with unknowns (N·s).
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// The tolerance that the problem's weights are relative to (N·s).
    pub(crate) fn reference(&self) -> f64 {
        self.reference
    }

    /// Tolerance of the gaps of every body (m).
    pub(crate) fn gaps(&self) -> &[f64] {
        &self.gaps
    }

    /// Computes the tolerances of a step from its momentum system, constraint rows and contacts at the start, and
    /// weights the momentum residual by them.
    ///
    /// A body's tolerance is a share of the largest impulse on it ([`ToleranceScales::momentum`]), in the Euclidean
    /// norm over its nodes, like residuals. Impulses are those of elastic forces at the start of the step, of contact
    /// forces and inertia of the last step, and of gravity and nodal forces. A tolerance that the scene gives holds for
    /// every body.
    ///
    /// [`ToleranceScales::momentum`]: crate::tolerances::ToleranceScales::momentum
    pub(crate) fn weigh(
        &mut self,
        context: StepContext<'_>,
        start: StepStart<'_>,
        problem: &mut ContactProblem,
        solution: &ContactSolution,
    ) {
        let StepContext { model, state, .. } = context;
        let gap = |body| {
            (model.geometry.tolerances).gap(model.geometry.scale_of_body(body), problem.time_step)
        };
        self.gaps.clear();
        self.gaps.extend((0..model.geometry.bodies.len()).map(gap));
        self.tolerances.clear();
        if let Some(given) = model.geometry.tolerances.given_momentum() {
            self.tolerances.resize(model.geometry.bodies.len(), given);
            problem.weigh_momentum(std::iter::repeat_n(1.0, model.blocks()));
            self.largest = given;
            self.reference = given;
            return;
        }
        if self.floors.len() != model.geometry.bodies.len() {
            self.floors = floors(model);
        }
        self.squares.clear();
        self.squares
            .resize(model.geometry.bodies.len(), Squares::default());
        self.rounding.clear();
        self.rounding.resize(model.geometry.bodies.len(), 0.0);
        self.add_contacts(context, start, problem);
        self.add_constraints(problem, solution);
        self.measure_nodes(model, state, start, problem);
        self.measure_rigid(model, state, start.rigid, problem);
        let of_body = |((squares, rounding), floor): ((&Squares, &f64), &f64)| {
            let largest = squares.iter().copied().fold(0.0, f64::max).sqrt();
            let least = floor.max(ROUNDING * rounding.sqrt());
            model.geometry.tolerances.momentum(largest, least)
        };
        let bodies = self.squares.iter().zip(&self.rounding).zip(&self.floors);
        self.tolerances.extend(bodies.map(of_body));
        let of_block = |block| self.tolerances[model.body_of_block(block)];
        let largest = (0..model.blocks()).map(of_block).reduce(f64::max);
        // Without unknowns no residual is compared with it.
        self.largest = largest.unwrap_or(1.0);
        let reference = model.geometry.tolerances.reference(self.largest);
        problem.weigh_momentum((0..model.blocks()).map(|block| reference / of_block(block)));
        self.reference = reference;
    }

    /// Adds the impulses of the present contacts on nodes and rigid bodies.
    fn add_contacts(
        &mut self,
        context: StepContext<'_>,
        start: StepStart<'_>,
        problem: &ContactProblem,
    ) {
        let StepContext { model, state, .. } = context;
        self.contact.clear();
        self.contact.resize(problem.unknowns(), 0.0);
        let pushes = |contact: &&Contact| contact.multipliers.state != ContactState::Inactive;
        for contact in start.contacts.iter().filter(pushes) {
            for (i, &point) in contact.stencil().iter().enumerate() {
                let impulse = contact.force_on(i) * problem.time_step;
                match model.unknowns.motion_of_point[point as usize] {
                    PointMotion::Free(block) => add(&mut self.contact, block, &impulse),
                    PointMotion::Rigid(index) => {
                        let block = model.rigid[index as usize].first_block;
                        let center = state.rigid[index as usize].pose.center;
                        let moment = (state.positions[point as usize] - center).cross(&impulse);
                        add(&mut self.contact, block, &impulse);
                        let turn = start.rigid.axes(index as usize).tr_mul(&moment);
                        add(&mut self.contact, block + 1, &turn);
                    }
                    PointMotion::Prescribed(_) => {}
                }
            }
        }
    }

    /// Adds the impulses of joints, and of bodies in compliance form, from the warm start.
    fn add_constraints(&mut self, problem: &ContactProblem, solution: &ContactSolution) {
        self.elastic.clear();
        self.elastic.resize(problem.unknowns(), 0.0);
        let mut forces = solution.constraints.iter();
        for group in 0..problem.constraints.groups() {
            let rows = problem.constraints.group(group).offset.len();
            for (row, &force) in forces.by_ref().take(rows).enumerate() {
                (problem.constraints).add_impulse(group, row, force, &mut self.elastic);
            }
        }
    }

    fn measure_nodes(
        &mut self,
        model: &Model,
        state: &State,
        start: StepStart<'_>,
        problem: &ContactProblem,
    ) {
        let time_step = problem.time_step;
        let (of_elastic, of_contacts) = (&self.elastic, &self.contact);
        let measure = |(block, &point): (usize, &u32)| {
            let point = point as usize;
            let mass = model.points.mass[point];
            let given =
                model.settings.gravity * (mass * time_step) + model.points.pull[point] * time_step;
            let turn = get(start.led_impulses, block);
            let known = start.flight.velocities()[point] * mass + given + turn;
            let elastic = get(&problem.rhs, block) - known + get(of_elastic, block);
            let inertial = state.accelerations[point] * (mass * time_step);
            let contact = get(of_contacts, block);
            BlockLoad {
                block,
                position: state.positions[point],
                velocity: state.velocities[point],
                impulses: [elastic, contact, given, inertial],
            }
            .measure(problem)
        };
        (model.unknowns.point_of_block.par_iter().enumerate())
            .with_min_len(POINTS_PER_TASK)
            .map(measure)
            .collect_into_vec(&mut self.of_nodes);
        // One after the other: the order of a sum does not depend on the number of threads.
        for (&point, &measured) in model.unknowns.point_of_block.iter().zip(&self.of_nodes) {
            let body = model.geometry.solid_of_point(point);
            add_measured(&mut self.squares[body], &mut self.rounding[body], measured);
        }
    }

    /// The inertial impulse of a rigid body is the sum of the other impulses, so it needs no measure of its own.
    fn measure_rigid(
        &mut self,
        model: &Model,
        state: &State,
        axes: &RigidStep,
        problem: &ContactProblem,
    ) {
        for (index, (rigid, at)) in model.rigid.iter().zip(&state.rigid).enumerate() {
            let block = rigid.first_block as usize;
            let mut given = model.settings.gravity * (rigid.inertia.mass() * problem.time_step);
            let mut turning = Vector3::zeros();
            let load = model.loads.of_rigid(index);
            if !load.is_zero() {
                given += load.force * problem.time_step;
                turning = axes.axes(index).tr_mul(&load.torque) * problem.time_step;
            }
            for (block, given) in [(block, given), (block + 1, turning)] {
                let (elastic, contact) = (get(&self.elastic, block), get(&self.contact, block));
                let measured = BlockLoad {
                    block,
                    position: at.pose.center,
                    velocity: at.velocity,
                    impulses: [elastic, contact, given, Vector3::zeros()],
                }
                .measure(problem);
                let body = rigid.body;
                add_measured(&mut self.squares[body], &mut self.rounding[body], measured);
            }
        }
    }
}

impl BlockLoad {
    /// The squares of the impulses, and that of their rounding (N²·s²).
    fn measure(&self, problem: &ContactProblem) -> (Squares, f64) {
        let mut squares = Squares::default();
        let kinds = [Kind::Elastic, Kind::Contact, Kind::Given, Kind::Inertial];
        for (kind, impulse) in kinds.into_iter().zip(&self.impulses) {
            squares[kind as usize] = impulse.norm_squared();
        }
        // Positions are rounded, and with them elastic forces, whose stiffness is `Δt K = A/Δt`.
        let rounded = self.velocity.norm() + self.position.norm() / problem.time_step;
        let stiffest = problem.momentum.diagonal_block(self.block).diagonal().max();
        (squares, (stiffest * rounded).powi(2))
    }
}

/// Adds the squares of one block to those of its body.
fn add_measured(of_body: &mut Squares, rounding: &mut f64, measured: (Squares, f64)) {
    for (sum, square) in of_body.iter_mut().zip(measured.0) {
        *sum += square;
    }
    *rounding += measured.1;
}

/// Momentum of every body at [`LEAST_RATE`](crate::tolerances::LEAST_RATE) of its size, in the norm over its nodes
/// (N·s).
fn floors(model: &Model) -> Vec<f64> {
    let of_body = |index: usize| {
        let points = model.geometry.bodies[index].points.clone();
        let positions = &model.points.rest[points.clone()];
        let start = positions.first().copied().unwrap_or_default();
        let (low, high) = positions
            .iter()
            .fold((start, start), |(low, high), x| (low.inf(x), high.sup(x)));
        let rigid = model.rigid.iter().find(|rigid| rigid.body == index);
        let mass = rigid.map_or_else(
            || {
                model.points.mass[points]
                    .iter()
                    .map(|m| m * m)
                    .sum::<f64>()
                    .sqrt()
            },
            |rigid| rigid.inertia.mass(),
        );
        crate::tolerances::LEAST_RATE * (high - low).norm() * mass
    };
    (0..model.geometry.bodies.len()).map(of_body).collect()
}

fn get(values: &[f64], block: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&values[3 * block..][..3])
}

fn add(values: &mut [f64], block: u32, by: &Vector3<f64>) {
    let values = &mut values[3 * block as usize..][..3];
    for (value, by) in values.iter_mut().zip(by.iter()) {
        *value += by;
    }
}
