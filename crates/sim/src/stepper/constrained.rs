//! Stepper without contact: thin and rigid bodies and joints in one linear solve per step.

use crate::balance::Energies;
use crate::constrained::{
    BodyState, ConstrainedError, ConstrainedStepper, ConstrainedSystem, Formulation, StepSettings,
};
use crate::error::{SimError, StepError, StepFailure};
use crate::model::{Model, PointMotion};
use crate::report::StepReport;
use crate::state::State;
use crate::step::commit::energy::{EnergyAccount, MATERIAL_SHARE};
use crate::step::commit::{judge, measure};
use crate::stepper::Stepper;
use crate::stepper::crossings::Crossings;
use crate::thin::rows::{ThinPlaces, thin_constraints};
use impinge_contact::{
    Termination,
    constraint::{Constraint, Term, redundancy::MOST_ROWS},
    method::{Method, compliant_kkt::CompliantKktSettings},
};
use nalgebra::Vector3;
use std::time::Instant;

/// Advances a scene by the method of `docs/methods/stable_constraints.md`, without contact. Bodies may pass through
/// each other and through themselves; steps in which they do are counted.
///
/// The rows are joints in the order of the scene, then edges, then triangles of thin bodies. [`State::joint_forces`]
/// stores their forces, so that a new stepper continues bit for bit.
pub struct Constrained {
    system: ConstrainedSystem,
    stepper: ConstrainedStepper,
    account: EnergyAccount,
    /// Positions at the start of the step (m).
    start: Vec<Vector3<f64>>,
    crossings: Crossings,
    /// The first surfaces that crossed, and the time.
    first_crossing: Option<String>,
    notices: Vec<String>,
}

/// Notice of redundant constraints, or of too many rows to look for them.
fn redundancy_notice(system: &ConstrainedSystem, stepper: &ConstrainedStepper) -> Option<String> {
    let Some(dependent) = &stepper.dependent else {
        return Some(format!(
            "there are more than {MOST_ROWS} rows of hard constraints: whether some follow from others, or contradict \
             them, was not checked"
        ));
    };
    let mut names: Vec<&str> = (dependent.iter())
        .map(|row| system.constraints[row.group].name.as_str())
        .collect();
    names.dedup();
    (!names.is_empty()).then(|| {
        format!(
            "hard constraints that follow from others: {}; their forces are not unique and are shared evenly",
            names.join(", ")
        )
    })
}

impl Constrained {
    /// Prepares the rows of `model` at `state`.
    ///
    /// # Errors
    /// [`SimError::Constrained`] naming inconsistent joints, joints without movable points, and parts of thin bodies
    /// without length or area.
    pub fn new(model: &Model, state: &State) -> Result<Self, SimError> {
        let mut system = system_of(model)?;
        load(model, state, &mut system, state.time);
        let defaults = StepSettings::default();
        let solver = match model.settings.solver {
            Method::CompliantKkt(chosen) => CompliantKktSettings {
                tolerances: defaults.solver.tolerances,
                ..chosen
            },
            _ => defaults.solver,
        };
        let settings = StepSettings {
            geometric_stiffness: model.constraints.geometric_stiffness,
            unsymmetric: model.constraints.unsymmetric,
            solver,
            ..defaults
        };
        let stepper = ConstrainedStepper::new(&mut system, settings)?;
        let notices = redundancy_notice(&system, &stepper).into_iter().collect();
        Ok(Self {
            system,
            stepper,
            account: EnergyAccount::new(model, MATERIAL_SHARE),
            start: Vec::new(),
            crossings: Crossings::default(),
            first_crossing: None,
            notices,
        })
    }

    /// The first surfaces that crossed, and the time.
    pub(crate) fn first_crossing(&self) -> Option<&str> {
        self.first_crossing.as_deref()
    }

    /// Counts a step in which surfaces crossed, and records the first.
    fn look_for_crossings(&mut self, model: &Model, state: &State, report: &mut StepReport) {
        let Some(met) = (self.crossings).first(model, &self.start, &state.positions) else {
            return;
        };
        report.crossings = 1;
        self.first_crossing.get_or_insert_with(|| {
            let [first, second] = met.bodies.map(|body| model.geometry.name_of(body));
            let time = state.time - (1.0 - met.at) * model.settings.time_step;
            if met.bodies[0] == met.bodies[1] {
                format!("`{first}` through itself at {time:.6} s")
            } else {
                format!("`{first}` through `{second}` at {time:.6} s")
            }
        });
    }

    /// Number of rows of all constraints.
    pub(crate) fn rows(&self) -> usize {
        self.system.rows()
    }

    /// Messages to the user since the last call.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }
}

/// Checks the rigid joints of a model for another stepper. Returns a message about redundant ones, or about too
/// many to look for them.
///
/// # Errors
/// [`SimError::Constrained`] naming inconsistent joints and joints without movable points.
pub(crate) fn check_joints(model: &Model, state: &State) -> Result<Vec<String>, SimError> {
    let moves = |term: &Term| match *term {
        Term::Particle { index, .. } => match model.unknowns.motion_of_point[index] {
            PointMotion::Free(_) | PointMotion::Rigid(_) => true,
            PointMotion::Prescribed(by) => model.unknowns.motions[by as usize].until.is_some(),
        },
        Term::Body { .. } => true,
    };
    let hard = |(_, joint): &(usize, &Constraint)| joint.is_hard();
    for (constraint, joint) in model.constraints.rows.iter().enumerate().filter(hard) {
        let mut terms = joint.points().iter().flat_map(|point| &point.terms);
        if !terms.any(moves) {
            let name = joint.name.clone();
            return Err(ConstrainedError::Immovable { constraint, name }.into());
        }
    }
    if !model.constraints.rows.iter().any(Constraint::is_hard) {
        return Ok(Vec::new());
    }
    match Constrained::new(model, state) {
        Ok(mut constrained) => Ok(constrained.take_notices()),
        Err(error @ SimError::Constrained(ConstrainedError::Contradiction { .. })) => Err(error),
        // Errors that only this stepper reports are not caused by the joints.
        Err(_) => Ok(Vec::new()),
    }
}

/// The constants: masses, inertia, constraints.
fn system_of(model: &Model) -> Result<ConstrainedSystem, ConstrainedError> {
    let mut system = ConstrainedSystem::new(model.settings.gravity);
    for (point, motion) in model.unknowns.motion_of_point.iter().enumerate() {
        let free = motion.is_free();
        let mass = if free { model.points.mass[point] } else { 0.0 };
        let index = system.add_particle(model.points.rest[point], mass);
        system.fixed[index] = !free;
    }
    for rigid in &model.rigid {
        system.bodies.push(BodyState {
            inertia: rigid.inertia,
            state: rigid.start(Vector3::zeros(), Vector3::zeros()),
            fixed: false,
        });
    }
    system
        .constraints
        .extend(model.constraints.rows.iter().cloned());
    system.formulations = vec![Formulation::Compliance; model.constraints.rows.len()];
    system
        .constraints
        .extend(model.constraints.soft.iter().cloned());
    // Terms of thin bodies in stiffness form come last: the model has no constraints for them.
    let moves: Vec<bool> = system.fixed.iter().map(|fixed| !fixed).collect();
    let places = ThinPlaces {
        rest: &model.points.rest,
        bodies: &model.geometry.bodies,
        moves: &moves,
    };
    let stiff = thin_constraints(&model.elements.thin, &places, false, false)?;
    system.formulations.resize(
        system.constraints.len() + stiff.len(),
        Formulation::Stiffness,
    );
    system.constraints.extend(stiff);
    Ok(system)
}

/// Loads the state into the system. Prescribed points get the velocity that takes them to their place at `end` (s);
/// lengths and limits that change with time are those at `end`.
fn load(model: &Model, state: &State, system: &mut ConstrainedSystem, end: f64) {
    system.time = state.time;
    system.positions.clone_from(&state.positions);
    system.velocities.clone_from(&state.velocities);
    let h = end - state.time;
    for (point, motion) in model.unknowns.motion_of_point.iter().enumerate() {
        match *motion {
            PointMotion::Free(_) => {}
            PointMotion::Prescribed(index) if h > 0.0 => {
                let motion = &model.unknowns.motions[index as usize];
                let to = motion.position_at(&model.points.rest[point], end);
                system.velocities[point] = (to - state.positions[point]) / h;
            }
            _ => system.velocities[point] = Vector3::zeros(),
        }
    }
    for (body, at) in system.bodies.iter_mut().zip(&state.rigid) {
        body.state = *at;
    }
    let constraints = &model.constraints;
    for of in &constraints.changing {
        let constraint = match of.index.checked_sub(constraints.rows.len()) {
            None => &constraints.rows[of.index],
            Some(index) => &constraints.soft[index],
        };
        system.constraints[of.index].offset[0] = constraint.offset[0] - of.change.at(end);
    }
    let rows = system.rows();
    system.forces.clone_from(&state.joint_forces);
    system.forces.resize(rows, 0.0);
    system.has_history.clear();
    system
        .has_history
        .resize(system.constraints.len(), state.step > 0);
}

/// Stores the system in the state.
fn store(model: &Model, system: &ConstrainedSystem, state: &mut State, end: f64) {
    state.positions.clone_from(&system.positions);
    state.velocities.clone_from(&system.velocities);
    for (point, motion) in model.unknowns.motion_of_point.iter().enumerate() {
        if let PointMotion::Prescribed(index) = *motion {
            let motion = &model.unknowns.motions[index as usize];
            state.positions[point] = motion.position_at(&model.points.rest[point], end);
            state.velocities[point] = motion.velocity_at(&model.points.rest[point], end);
        }
    }
    for ((body, at), rigid) in system.bodies.iter().zip(&mut state.rigid).zip(&model.rigid) {
        *at = body.state;
        rigid.write_points(at, &mut state.positions, &mut state.velocities);
    }
    state.joint_forces.clone_from(&system.forces);
    state.time = end;
}

impl Stepper for Constrained {
    fn is_resumable(&self) -> bool {
        true
    }

    fn advance(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError> {
        let begin = Instant::now();
        let step = state.step + 1;
        let end = step as f64 * model.settings.time_step;
        self.account.open(model, state);
        self.start.clone_from(&state.positions);
        let changes = (model.constraints).changes_between(state.time, end);
        load(model, state, &mut self.system, end);
        let solved = self
            .stepper
            .advance(&mut self.system, model.settings.time_step)
            .map_err(|error| StepError {
                step,
                time: state.time,
                shortest: model.settings.time_step,
                failure: StepFailure::Constrained(error),
                unsolved: None,
            })?;
        store(model, &self.system, state, end);
        state.step = step;
        let mut report = StepReport {
            step,
            time: end,
            minimum_gap: f64::INFINITY,
            substeps: 1,
            iterations: solved.iterations,
            rounds: 1 + solved.dry_solves,
            inexact_solves: u32::from(solved.termination == Termination::MaxIterations),
            least_squares_solves: u32::from(solved.termination == Termination::LeastSquares),
            ..StepReport::default()
        };
        let solved = (self.stepper.problem(), self.stepper.solution());
        judge(solved, (1, &|_| 0), 1.0, &mut report);
        let external = (self.account)
            .external_work(
                model,
                [&self.start, &state.positions],
                &state.velocities,
                &[],
            )
            .filter(|_| !changes);
        let energies = Energies::of(model, state);
        self.account.close(energies, external, state, &mut report);
        measure(model, state, None, &mut report);
        self.look_for_crossings(model, state, &mut report);
        report.times.resolve = begin.elapsed().as_secs_f64();
        Ok(report)
    }
}
