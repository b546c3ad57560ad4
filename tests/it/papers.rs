//! The papers' own scenes do what the papers say of them; `docs/papers.md` lists them.

use crate::scenes::{advance, energies, gain, shipped};
use impinge_sim::{Simulation, StepReport};
use nalgebra::Vector3;

/// Largest opening of a hard joint (m): ten gap tolerances.
const CLOSED: f64 = 1e-5;

/// Mechanical energy (J) at the end of a step.
fn energy(report: &StepReport) -> f64 {
    report.kinetic_energy + report.elastic_energy + report.gravitational_energy
}

/// Largest distance (m) at the joints of the first `links` rigid bodies, which end at plus and minus `half` (m) of
/// their centres.
fn opening(simulation: &Simulation, links: usize, half: Vector3<f64>) -> f64 {
    let gaps = simulation.state().rigid[..links].windows(2).map(|pair| {
        let end = |link: usize, side: f64| {
            let pose = &pair[link].pose;
            pose.center + pose.orientation * (half * side)
        };
        (end(0, 1.0) - end(1, -1.0)).norm()
    });
    gaps.fold(0.0, f64::max)
}

/// Tournier et al. 2015, Fig. 1: in steps of 10 ms, none of them divided, the ball sinks into the mat and comes back
/// up. No step gains energy, and the edges of the mat keep their length as well as steps close them, to first order.
#[test]
fn a_hard_mat_on_soft_springs_throws_a_ball_up() {
    let mut simulation = shipped("tournier_trampoline.toml", &[]);
    let mut run = Vec::new();
    let (mut lowest, mut back) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut strain: f64 = 0.0;
    for _ in 0..150 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.substeps, 1, "step {}", report.step);
        run.push(energy(&report));
        let height = simulation.state().rigid[0].pose.center.z;
        if height < lowest {
            (lowest, back) = (height, f64::NEG_INFINITY);
        }
        back = back.max(height);
        let (model, x) = (simulation.model(), &simulation.state().positions);
        for &[a, b] in model.geometry.surface.edges() {
            let (a, b) = (a as usize, b as usize);
            if model.geometry.bodies[0].points.contains(&a) {
                let rest = (model.points.rest[a] - model.points.rest[b]).norm();
                strain = strain.max(((x[a] - x[b]).norm() / rest - 1.0).abs());
            }
        }
    }
    assert!(gain(&run) < 0.0, "{} J", gain(&run));
    assert!(strain < 0.02, "{strain}");
    // The ball, of radius 0.25 m, meets the mat at 1.25 m.
    assert!(lowest < 1.0, "{lowest} m");
    assert!(back > 1.25, "{back} m");
}

/// Tournier et al. 2015, Fig. 1: in steps of 10 ms, none of them divided, the doll swings; no step gains energy, and the
/// liana holds together.
#[test]
fn a_ragdoll_of_twelve_bodies_swings() {
    let mut simulation = shipped("tournier_ragdoll.toml", &[]);
    let mut run = Vec::new();
    let mut farthest: f64 = 0.0;
    for _ in 0..200 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.substeps, 1, "step {}", report.step);
        run.push(energy(&report));
        let gap = opening(&simulation, 10, Vector3::new(0.0, 0.0, 0.1));
        assert!(gap < CLOSED, "step {}: {gap} m", report.step);
        farthest = farthest.max(simulation.state().rigid[0].pose.center.x.abs());
    }
    assert!(gain(&run) < 0.0, "{} J", gain(&run));
    assert!(farthest > 0.3, "{farthest} m");
}

/// Tournier et al. 2015, Section 4.1: fifty links on hinges with limits fall in steps of 10 ms. No step gains energy,
/// joints stay closed, and hinges reach their limit and keep it. Without geometric stiffness the chain gains energy.
#[test]
fn a_chain_of_fifty_hinges_keeps_its_limits() {
    let mut simulation = shipped("tournier_hinge_chain.toml", &[]);
    let mut run = Vec::new();
    let mut largest: f64 = 0.0;
    for step in 0..150 {
        run.extend(energies(&mut simulation, 1));
        let gap = opening(&simulation, 50, Vector3::new(0.1, 0.0, 0.0));
        assert!(gap < CLOSED, "step {step}: {gap} m");
        for pair in simulation.state().rigid.windows(2) {
            let turn = pair[0]
                .pose
                .orientation
                .rotation_to(&pair[1].pose.orientation);
            largest = largest.max(turn.angle());
        }
    }
    assert_eq!(run.len(), 150);
    assert!(gain(&run) < 0.0, "{} J", gain(&run));
    assert!((0.28..0.3005).contains(&largest), "{largest} rad");
    let without = ["solver.joint_stiffness=none"];
    let without = energies(&mut shipped("tournier_hinge_chain.toml", &without), 150);
    let gained = gain(&without);
    assert!(gained > 1.0, "{gained} J");
}
