//! Energies of a state, and the energy account of a step: gains that no external work explains.
//!
//! ```text
//! gain = ΔE − W          E = kinetic + elastic + gravitational (+ penalty layers, by the least that they can hold)
//! ```
//!
//! `W` is the external work: of given forces and torques, of forces of extensions, of prescribed motions, and of
//! lengths and limits that change with time. Where these act on elements or joints it is that of the balance sheet
//! (`balance`), and unknown without one. Friction,
//! damping and implicit Euler only dissipate, so a gain is an error: of the linearisation of a long step, or of a
//! coarse tolerance. Gains are summed up until they are lost again, so that both a slow drift and a burst are found.

use crate::balance::Energies;
use crate::contacts::contact::Contact;
use crate::{
    history::RigidHistory,
    model::Model,
    report::StepReport,
    rigid::{RigidBody, RigidState},
    state::State,
};
use impinge_contact::constraint::{Constraint, Term};
use nalgebra::Vector3;

/// Smallest gain that is reported, as a share of the kinetic and elastic energy, layers included. In correct steps
/// gains stay below a tenth of it. Instability multiplies the energy within a few steps, so any value up to 1 finds it.
pub(crate) const MATERIAL_SHARE: f64 = 0.01;

/// Rounding of sums of energies over the sum of their absolute values: 4,500 units in the last place, for millions of
/// terms.
const ROUNDING: f64 = 1e-12;

/// External work in a substep.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ExternalWork {
    /// Work (J); `None` if only the balance sheet knows it.
    work: Option<f64>,
    /// Energy that contacts may add (J): each may push its bodies apart by the clearance.
    by_contacts: f64,
    /// Largest energy by which velocities of the asynchronous stepper are ahead of positions (J): by the impulses of
    /// given forces over one period, which is at most a step.
    by_clocks: f64,
    /// Energy by which velocities lag behind momenta in a step of second order (J).
    by_lags: f64,
}

impl ExternalWork {
    /// The same in a step from `state`, whose history says by how much velocities lag behind momenta.
    pub(crate) fn lagging(self, model: &Model, state: &State) -> Self {
        let of_point = |(point, lead): (usize, &Vector3<f64>)| {
            let along = state.velocities[point].dot(lead).abs();
            model.points.mass[point] * (along + lead.norm_squared())
        };
        let points: f64 = state.history.leads.iter().enumerate().map(of_point).sum();
        let of_rigid = |((rigid, at), history): ((&RigidBody, &RigidState), &RigidHistory)| {
            let lead = &history.leads[0];
            let along = at.velocity.dot(lead).abs();
            let spin = rigid.angular_velocity(at).dot(&history.leads[1]).abs();
            rigid.inertia.mass() * (along + lead.norm_squared()) + spin
        };
        let rigid: f64 = (model.rigid.iter().zip(&state.rigid))
            .zip(&state.history.rigid)
            .map(of_rigid)
            .sum();
        // Positions lag behind velocities in the same way, and elastic energies by as much.
        Self {
            by_lags: 2.0 * (points + rigid),
            ..self
        }
    }

    /// The same with further work (J).
    pub(crate) fn with(self, work: f64) -> Self {
        Self {
            work: self.work.map(|known| known + work),
            ..self
        }
    }
}

/// The energy account over substeps.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnergyAccount {
    /// Points with a prescribed motion that elements or joints act on: the work of their motion is unknown.
    held: Vec<u32>,
    /// Smallest gain that is reported, as a share of the kinetic and elastic energy.
    material_share: f64,
    /// Weight of all that moves, times the largest coordinate at rest (J). At height 0 the energies of a body at rest
    /// vanish, but not the rounding of its coordinates.
    of_coordinates: f64,
    /// Whether there are rows with damping. Their forces are not elastic alone, and their values are those of a
    /// linearised step, whose error a stiff row amplifies.
    damped: bool,
    /// Energies at the end of the last substep.
    last: Option<Energies>,
}

impl ExternalWork {
    /// The same with the work that the balance sheet found (J), where it is not known otherwise.
    pub(crate) fn or(self, found: Option<f64>) -> Self {
        Self {
            work: self.work.or(found),
            ..self
        }
    }

    /// The same without its work.
    pub(crate) fn forget_work(self) -> Self {
        Self { work: None, ..self }
    }
}

impl EnergyAccount {
    /// An account of `model`, valid while the same points are free. Gains above `material_share` of the kinetic and
    /// elastic energy are reported.
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
            of_coordinates: energy_of_coordinates(model),
            damped: (model.constraints.rows.iter())
                .any(|joint| joint.damping > 0.0 && !joint.is_hard()),
            last: None,
        }
    }

    /// Resets the account, if the next substep starts from another state than the last one ended with.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }

    /// Takes the state before a substep as the start of the account, if it has no state.
    pub(crate) fn open(&mut self, model: &Model, state: &State) {
        self.last.get_or_insert_with(|| Energies::of(model, state));
    }

    /// External work of a substep that moves points from `start` to `end` under the forces of `contacts`; prescribed
    /// points have `velocities` at its end. The work is left to the balance sheet if a prescribed motion acts on
    /// elements or joints, or starts at the end. `None` if there are rows with damping.
    pub(crate) fn external_work(
        &self,
        model: &Model,
        [start, end]: [&[Vector3<f64>]; 2],
        velocities: &[Vector3<f64>],
        contacts: &[Contact],
    ) -> Option<ExternalWork> {
        let moved = |point: usize| end[point] - start[point];
        let moves = |point: usize| {
            moved(point) != Vector3::zeros() || velocities[point] != Vector3::zeros()
        };
        if self.damped {
            return None;
        }
        let is_known = !self.held.iter().any(|&point| moves(point as usize));
        let mut work = work_of_pulls(model, start, end);
        let mut by_contacts = 0.0;
        for contact in contacts {
            let clearance = model.geometry.clearance(contact.key);
            for (i, &point) in contact.stencil().iter().enumerate() {
                if is_prescribed(model, point as usize) {
                    work -= contact.force_on(i).dot(&moved(point as usize));
                }
            }
            by_contacts += contact.multipliers.force().norm() * clearance;
        }
        Some(ExternalWork {
            work: is_known.then_some(work),
            by_contacts,
            by_clocks: 0.0,
            by_lags: 0.0,
        })
    }

    /// Ends the account of a substep with `energies`, and reports these and an unexplained gain.
    pub(crate) fn close(
        &mut self,
        energies: Energies,
        external: Option<ExternalWork>,
        state: &mut State,
        report: &mut StepReport,
    ) {
        report.kinetic_energy = energies.kinetic;
        report.elastic_energy = energies.elastic;
        report.gravitational_energy = energies.gravitational;
        let before = self.last.replace(energies);
        let work = external.and_then(|external| external.work);
        let (Some(before), Some(external), Some(work)) = (before, external, work) else {
            state.energy_gained = 0.0;
            return;
        };
        let gain = energies.change_since(&before) - work;
        let size = before.size + energies.size + self.of_coordinates;
        let allowed = external.by_contacts + ROUNDING * size;
        state.energy_gained = (state.energy_gained + gain - allowed).max(0.0);
        let stored = energies.elastic + energies.layers;
        let share = self.material_share * (energies.kinetic + stored);
        let material = share + external.by_clocks + external.by_lags;
        if gain.is_nan() || (gain > allowed && state.energy_gained > material) {
            report.energy_gains = 1;
            state.energy_gained = 0.0;
        }
    }
}

/// External work of an asynchronous step from `start` to the state `end`; `None` if a prescribed point moves or starts
/// to move.
pub(crate) fn external_work_at_rest(
    model: &Model,
    start: &[Vector3<f64>],
    end: &State,
) -> Option<ExternalWork> {
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
    (!(0..start.len()).any(moves)).then(|| ExternalWork {
        work: Some(work_of_pulls(model, start, end)),
        by_clocks: (model.unknowns.point_of_block.iter())
            .map(|&point| given(point as usize))
            .sum(),
        ..ExternalWork::default()
    })
}

fn is_prescribed(model: &Model, point: usize) -> bool {
    model.unknowns.motion_of_point[point].is_prescribed()
}

/// `Σ m |g| max |x|` over all masses, with the largest coordinate of a point at rest (J).
fn energy_of_coordinates(model: &Model) -> f64 {
    let of_points: f64 = model.points.mass.iter().sum();
    let of_bodies: f64 = (model.rigid.iter()).map(|rigid| rigid.inertia.mass()).sum();
    let largest = (model.points.rest.iter()).fold(0.0, |most: f64, x| most.max(x.amax()));
    (of_points + of_bodies) * model.settings.gravity.norm() * largest
}

/// Work of constant forces on free points (J).
fn work_of_pulls(model: &Model, start: &[Vector3<f64>], end: &[Vector3<f64>]) -> f64 {
    (model.unknowns.point_of_block.iter())
        .map(|&point| point as usize)
        .map(|point| model.points.pull[point].dot(&(end[point] - start[point])))
        .sum()
}
