//! Angular momentum: couples of contacts whose two points are apart.

use crate::rigid::IMPACT;
use crate::support::{COLLISION, simulation};
use impinge_contact::ContactState;
use impinge_sim::contacts::contact::{Contact, ContactKey};
use impinge_sim::geometry::Body;
use impinge_sim::{Model, Simulation, State};
use nalgebra::Vector3;

/// An admissible normal may deviate by this (rad) from the direction between the closest points.
const SLACK: f64 = 1e-3;

/// Largest tangential offset of a corner that meets an edge or a corner, in clearances.
const REACH: f64 = 4.0;

/// `IMPACT` with two rigid bodies.
fn two_rigid_bodies() -> String {
    let soft = "mesh = { sphere = { radius = 0.05, subdivisions = 2 } }\nmaterial = \
                { young = 2e5, poisson = 0.3, density = 1000 }";
    let rigid =
        "kind = \"rigid\"\nmesh = { sphere = { radius = 0.05, subdivisions = 2 } }\ndensity = 1000";
    let text = IMPACT.replacen(soft, rigid, 1);
    assert_ne!(text, IMPACT);
    text
}

/// Moment of the forces of a contact (N m) at the start `positions`, at which the momentum of the step is balanced.
///
/// `x₁ = x₀ + Δt v₁` gives `Σ x₁ × m v₁ − Σ x₀ × m v₀ = Σ x₀ × m (v₁ − v₀)`: impulses at the start positions change the
/// angular momentum.
fn couple(contact: &Contact, positions: &[Vector3<f64>]) -> Vector3<f64> {
    let at = contact.gather(positions);
    (0..contact.stencil().len())
        .map(|i| at[i].cross(&contact.force_on(i)))
        .sum()
}

/// Largest relative travel of two points of the bodies in a step, at the speeds before or after it (m).
fn travel(model: &Model, states: [&State; 2]) -> f64 {
    let fastest = |state: &State| -> f64 {
        let of_body = |body: &Body| {
            let velocities = state.velocities[body.points.clone()].iter();
            velocities.map(Vector3::norm).fold(0.0, f64::max)
        };
        model.geometry.bodies.iter().map(of_body).sum()
    };
    states.map(fastest).into_iter().fold(0.0, f64::max) * model.settings.time_step
}

/// Contacts of a run, by the bound on their couple.
#[derive(Debug, Default)]
struct Held {
    /// Friction over the clearance.
    to_friction: u32,
    /// Travel of a step.
    to_travel: u32,
}

/// Checks the couple of every pushing contact after the step from `before`.
fn hold_couples(simulation: &Simulation, before: &State, relinearised: u32, held: &mut Held) {
    let (model, state) = (simulation.model(), simulation.state());
    let clearance = model.geometry.largest_clearance();
    for contact in &state.contacts {
        let pushed = |other: &&Contact| other.multipliers.state != ContactState::Inactive;
        if !pushed(&contact) {
            continue;
        }
        let known = before.contacts.iter().filter(pushed);
        let carried_over =
            relinearised == 0 && known.map(|other| other.key).any(|key| key == contact.key);
        let across = match contact.key {
            ContactKey::VertexEdge { .. } | ContactKey::VertexVertex { .. } => REACH,
            _ => SLACK,
        };
        let (lambda, friction) = (contact.multipliers.lambda.abs(), contact.friction);
        let arm = if carried_over {
            held.to_friction += 1;
            (friction + across) * clearance
        } else {
            held.to_travel += 1;
            (friction + 1.0) * (travel(model, [before, state]) + clearance)
        };
        let found = couple(contact, &before.positions).norm();
        assert!(
            found <= arm * lambda,
            "step {}: {:?} adds {found:e} N m, not {:e}",
            state.step,
            contact.key,
            arm * lambda
        );
    }
}

/// A persistent contact that keeps its linearisation adds at most friction over the clearance. A new or re-linearised
/// one pushes at points that are as far apart as the sides travel in a step, with or without friction.
#[test]
fn contacts_add_couples_of_friction_over_the_clearance_or_of_one_step() {
    let mut to_friction = 0;
    for text in [COLLISION, IMPACT, &two_rigid_bodies()] {
        for friction in ["world.friction=0", "world.friction=0.5"] {
            let mut simulation = simulation(text, &[friction]);
            let mut held = Held::default();
            for _ in 0..90 {
                let before = simulation.state().clone();
                let report = simulation.advance().expect("a plain impact is solved");
                // A subdivided step reports the forces of its last substep only.
                assert_eq!(report.substeps, 1, "step {}", report.step);
                hold_couples(&simulation, &before, report.relinearised, &mut held);
            }
            assert!(held.to_travel > 3, "{friction}: {held:?}");
            to_friction += held.to_friction;
        }
    }
    assert!(to_friction > 50, "{to_friction} of what stayed as it was");
}

/// Rigid bodies only: implicit Euler changes the angular momentum of stressed bodies.
#[test]
fn couples_of_contacts_explain_every_change_between_rigid_bodies() {
    for friction in ["world.friction=0", "world.friction=0.5"] {
        let mut simulation = simulation(&two_rigid_bodies(), &[friction]);
        let mut last: Option<Vector3<f64>> = None;
        let mut pushed = 0;
        for _ in 0..90 {
            let before = simulation.state().clone();
            let report = simulation.advance().expect("a plain impact is solved");
            let (model, state) = (simulation.model(), simulation.state());
            let active = state
                .contacts
                .iter()
                .filter(|contact| contact.multipliers.state != ContactState::Inactive);
            let couples: Vector3<f64> = active
                .map(|contact| couple(contact, &before.positions))
                .sum();
            pushed += u32::from(report.active > 0);
            let now = Vector3::from(report.angular_momentum);
            if let Some(last) = last {
                let error = (now - last - couples * model.settings.time_step).norm();
                // Rounding: the bodies have some tenths of a newton second, some centimetres away.
                assert!(error <= 1e-14, "step {}: {error:e} N m s", report.step);
            }
            last = Some(now);
        }
        assert!(pushed > 3, "{friction}: they met in {pushed} steps only");
    }
}
