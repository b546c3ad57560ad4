//! Small variants of shipped scenes do what their titles say.

use crate::support::assert_apart;
use impinge_sim::rigid::rigid_measures;
use impinge_sim::{Scene, Simulation, StepReport};
use nalgebra::Vector3;
use std::path::Path;

/// A shipped scene with overrides.
fn shipped(name: &str, overrides: &[&str]) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenes")
        .join(name);
    let scene = Scene::load(path, overrides).expect("a shipped scene");
    Simulation::new(&scene).expect("a shipped scene starts apart")
}

/// Advances by `steps`; nothing may intersect at any time.
fn advance(simulation: &mut Simulation, steps: u32) -> StepReport {
    let mut last = StepReport::default();
    for _ in 0..steps {
        last = simulation.advance().expect("a shipped scene runs");
        assert_apart(simulation.model(), simulation.state());
    }
    last
}

/// From `settle` steps on, for as many again, bodies hardly move: kinetic energy below 1e-8 of the potential at the start, drift below the
/// clearance.
fn assert_rests(simulation: &mut Simulation, settle: u32) {
    let initial = advance(simulation, 1).gravitational_energy;
    advance(simulation, settle - 1);
    let before: Vec<Vector3<f64>> = simulation.state().positions.clone();
    for _ in 0..settle {
        let report = advance(simulation, 1);
        assert!(
            report.kinetic_energy < 1e-8 * initial,
            "step {}: {:e} J of {initial:e} J",
            report.step,
            report.kinetic_energy
        );
    }
    let drift = before
        .iter()
        .zip(&simulation.state().positions)
        .map(|(then, now)| (now - then).norm())
        .fold(0.0, f64::max);
    let clearance = simulation.model().tolerances.clearance();
    assert!(drift < clearance, "{drift:e} m, clearance {clearance:e} m");
}

#[test]
fn a_rigid_stack_rests() {
    assert_rests(&mut shipped("rigid_stack.toml", &[]), 400);
}

/// The keystone comes down by the joints that close, and no further.
#[test]
fn an_arch_stands_and_rests() {
    let mut simulation = shipped("arch.toml", &[]);
    let keystone = |simulation: &Simulation| simulation.state().rigid[7].pose.center;
    let start = keystone(&simulation);
    assert_rests(&mut simulation, 600);
    let fall = start.z - keystone(&simulation).z;
    // Fifteen joints of a fifth of a millimetre let the crown down by some millimetres; free fall would be 7 metres.
    assert!(
        (0.0..0.01).contains(&fall),
        "the keystone came down by {fall} m"
    );
    let carried: f64 = rigid_measures(simulation.model(), simulation.state())
        .iter()
        .map(|measure| measure.wrench.force.z)
        .sum();
    assert!(carried > 0.0);
}

/// The shaft drags the balls along, and their friction holds it back.
#[test]
fn a_bearing_turns() {
    let overrides = [
        "body.0.mesh.sphere.subdivisions=2",
        "obstacle.0.shape.torus.sides=36",
        "obstacle.0.shape.torus.tube_sides=12",
        // A coarse torus lies within the true one.
        "obstacle.0.shape.torus.major_radius=0.252",
        "body.0.position=[0.16, 0, 0.062]",
    ];
    let mut simulation = shipped("bearing.toml", &overrides);
    let (mut torque, mut force) = (Vector3::zeros(), Vector3::zeros());
    let mut report = StepReport::default();
    for _ in 0..100 {
        report = advance(&mut simulation, 1);
        let shaft = rigid_measures(simulation.model(), simulation.state())[0];
        torque += shaft.wrench.torque;
        force += shaft.wrench.force;
    }
    assert!(report.active >= 18, "{} contacts", report.active);
    assert!(report.angular_momentum[2] > 0.0);
    // Over the time in which the balls find their places; single moments swing to and fro.
    assert!(torque.z < 0.0, "{torque}");
    // It carries part of the balls' weight.
    assert!(force.z < 0.0, "{force}");
}

/// The walls take the crowd along.
#[test]
fn a_wedge_pushes_its_crowd() {
    let overrides = [
        "body.0.copies.count=12",
        "obstacle.1.motion.velocity=[1, 0, 0]",
        "obstacle.2.motion.velocity=[1, 0, 0]",
    ];
    let mut simulation = shipped("wedge.toml", &overrides);
    let report = advance(&mut simulation, 200);
    assert!(report.momentum[0] > 0.0);
    assert!(report.active > 30, "{} contacts", report.active);
}

/// Fast and soft enough to turn elements inside out: rows that start on the wrong side of a pair would pull it through.
#[test]
fn a_cube_thrown_at_60_metres_a_second_passes_through_nothing() {
    let mut simulation = shipped("thrown_cube.toml", &["body.0.velocity=[3, 0, -60]"]);
    advance(&mut simulation, 30);
}
