//! Energies of a state, and the account of a step: what was gained that nothing outside explains.
//!
//! ```text
//! gain = E(end) − E(start) − W          E = kinetic + elastic + gravitational (+ penalty layers)
//! ```
//!
//! `W` is the work of the outside: of pulls, and of the contact forces on what follows a prescribed motion. Friction,
//! damping and implicit Euler only take energy, so a gain is an error: of the linearisation of a step that is too
//! long, or of a tolerance that is too coarse. Gains add up until they are lost again, so that a slow creep is found
//! as well as a burst.

use crate::contacts::contact::Contact;
use crate::measure::strains::joint_energy;
use crate::{
    model::{Model, PointMotion},
    report::StepReport,
    state::State,
};
use impinge_contact::constraint::{Constraint, Term};
use nalgebra::Vector3;

/// Share of the kinetic and elastic energy that has to be gained before it counts. Steps that are resolved gain less
/// than a tenth of that before they lose it again; one that goes wrong multiplies its energy within a few steps, so
/// anything up to 1 finds it.
pub(crate) const MATERIAL_SHARE: f64 = 0.01;

/// The same where each force has a clock: velocities are then half a period ahead of positions, and the energy that is
/// measured swings about the true one by `h ω/2` of what the fastest vibrations hold, 15 % at the clocks of default.
pub(crate) const MATERIAL_SHARE_OF_CLOCKS: f64 = 0.15;

/// Rounding of sums of energies, in parts of the sum of their sizes: 4,500 units in the last place, for
/// millions of terms.
const ROUNDING: f64 = 1e-12;

/// Energies of a state (J).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Energies {
    pub(crate) kinetic: f64,
    pub(crate) elastic: f64,
    /// In gravity, 0 at the origin.
    pub(crate) gravitational: f64,
    /// Of the penalty layers of the asynchronous stepper.
    pub(crate) layers: f64,
    /// Sum of the sizes of the terms of all of them.
    pub(crate) size: f64,
}

impl Energies {
    pub(crate) fn of(model: &Model, state: &State) -> Self {
        let (mut kinetic, mut gravitational, mut size) = (0.0, 0.0, 0.0);
        let mut weigh = |mass: f64, x: &Vector3<f64>| {
            let energy = -mass * model.settings.gravity.dot(x);
            gravitational += energy;
            size += energy.abs();
        };
        for (point, &mass) in model.points.mass.iter().enumerate() {
            weigh(mass, &state.positions[point]);
            kinetic += 0.5 * mass * state.velocities[point].norm_squared();
        }
        for (rigid, at) in model.rigid.iter().zip(&state.rigid) {
            weigh(rigid.inertia.mass(), &at.pose.center);
            kinetic += rigid.kinetic_energy(at);
        }
        let elastic = model.elements.elastic.energy(&state.positions)
            + model.elements.thin.energy(&state.positions)
            + joint_energy(model, state);
        Self {
            kinetic,
            elastic,
            gravitational,
            layers: 0.0,
            size: size + kinetic + elastic,
        }
    }

    fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravitational + self.layers
    }
}

/// What the outside did in a part of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Outside {
    /// Its work (J).
    work: f64,
    /// Energy that contacts may add on their own (J): each may push its sides apart by the clearance.
    by_contacts: f64,
    /// How far the clocks of the asynchronous stepper may be ahead (J): velocities have the kicks of given forces at
    /// most a period before positions follow, and a period is at most a step.
    by_clocks: f64,
}

/// The account of energy over the parts of steps.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnergyAccount {
    /// Points with a prescribed motion that elements or joints pull at: nobody tells the work that moves them.
    held: Vec<u32>,
    /// Share of the kinetic and elastic energy that a gain has to exceed.
    material_share: f64,
    /// Whether rows with damping hold energy: their forces are not the elastic ones alone, and their values are those
    /// of a linearised step, whose error a stiff row multiplies.
    damped: bool,
    /// Energies at the end of the last part.
    last: Option<Energies>,
}

impl EnergyAccount {
    /// An account of `model`, for as long as the same points are free; a gain has to exceed `material_share` of the
    /// kinetic and elastic energy.
    pub(crate) fn new(model: &Model, material_share: f64) -> Self {
        let mut is_pulled: Vec<bool> = model.points.mass.iter().map(|&mass| mass > 0.0).collect();
        let rows = model.constraints.rows.iter().chain(&model.constraints.soft);
        for term in rows.flat_map(Constraint::points).flat_map(|p| &p.terms) {
            if let Term::Particle { index, .. } = *term {
                is_pulled[index] = true;
            }
        }
        let held = (0..model.points.rest.len())
            .filter(|&point| is_pulled[point] && is_prescribed(model, point));
        Self {
            held: held.map(|point| point as u32).collect(),
            material_share,
            damped: (model.constraints.rows.iter())
                .any(|joint| joint.damping > 0.0 && !joint.is_hard()),
            last: None,
        }
    }

    /// Ends the account, where the next part starts from another state than the last one ended with.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }

    /// Takes the state before a part as the start of the account, if there is none yet.
    pub(crate) fn open(&mut self, model: &Model, state: &State) {
        self.last.get_or_insert_with(|| Energies::of(model, state));
    }

    /// What the outside does in a part that takes points from `start` to `end` under the forces of `contacts`,
    /// prescribed points with `velocities` at its end; `None` where that is not known: a prescribed motion pulls at
    /// elements or joints, or sets off at the end, or rows with damping hold energy.
    pub(crate) fn outside(
        &self,
        model: &Model,
        [start, end]: [&[Vector3<f64>]; 2],
        velocities: &[Vector3<f64>],
        contacts: &[Contact],
    ) -> Option<Outside> {
        let moved = |point: usize| end[point] - start[point];
        let moves = |point: usize| {
            moved(point) != Vector3::zeros() || velocities[point] != Vector3::zeros()
        };
        if self.damped || self.held.iter().any(|&point| moves(point as usize)) {
            return None;
        }
        let mut outside = Outside {
            work: work_of_pulls(model, start, end),
            ..Outside::default()
        };
        for contact in contacts {
            let clearance = model.geometry.clearance(contact.key);
            for (i, &point) in contact.stencil().iter().enumerate() {
                if is_prescribed(model, point as usize) {
                    outside.work -= contact.force_on(i).dot(&moved(point as usize));
                }
            }
            outside.by_contacts += contact.multipliers.force().norm() * clearance;
        }
        Some(outside)
    }

    /// Closes the account of a part that ended with `energies`, and reports them, and a gain where there is one.
    pub(crate) fn close(
        &mut self,
        energies: Energies,
        outside: Option<Outside>,
        state: &mut State,
        report: &mut StepReport,
    ) {
        report.kinetic_energy = energies.kinetic;
        report.elastic_energy = energies.elastic;
        report.gravitational_energy = energies.gravitational;
        let before = self.last.replace(energies);
        let (Some(before), Some(outside)) = (before, outside) else {
            state.energy_gained = 0.0;
            return;
        };
        let gain = energies.total() - before.total() - outside.work;
        let allowed = outside.by_contacts + ROUNDING * (before.size + energies.size);
        state.energy_gained = (state.energy_gained + gain - allowed).max(0.0);
        let share = self.material_share * (energies.kinetic + energies.elastic);
        let material = share + outside.by_clocks;
        if gain.is_nan() || (gain > allowed && state.energy_gained > material) {
            report.energy_gains = 1;
            state.energy_gained = 0.0;
        }
    }
}

/// What the outside does in a step of forces with clocks from `start` to `end`, the state after it, in which no
/// prescribed point moves or sets off; `None` if one does.
pub(crate) fn outside_at_rest(
    model: &Model,
    start: &[Vector3<f64>],
    end: &State,
) -> Option<Outside> {
    let velocities = &end.velocities;
    let end = end.positions.as_slice();
    let moves = |point: usize| {
        is_prescribed(model, point)
            && (end[point] != start[point] || velocities[point] != Vector3::zeros())
    };
    let given = |point: usize| {
        let force = model.settings.gravity * model.points.mass[point] + model.points.pull[point];
        force.dot(&(end[point] - start[point])).abs()
    };
    (!(0..start.len()).any(moves)).then(|| Outside {
        work: work_of_pulls(model, start, end),
        by_clocks: (model.unknowns.point_of_block.iter())
            .map(|&point| given(point as usize))
            .sum(),
        ..Outside::default()
    })
}

fn is_prescribed(model: &Model, point: usize) -> bool {
    matches!(
        model.unknowns.motion_of_point[point],
        PointMotion::Prescribed(_)
    )
}

/// Work of constant forces on free points (J).
fn work_of_pulls(model: &Model, start: &[Vector3<f64>], end: &[Vector3<f64>]) -> f64 {
    (model.unknowns.point_of_block.iter())
        .map(|&point| point as usize)
        .map(|point| model.points.pull[point].dot(&(end[point] - start[point])))
        .sum()
}
