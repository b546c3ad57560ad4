//! Fig. 8: a knee of rigid bones, with ligaments and muscles that only pull.

use crate::figure::{figure, larger};
use crate::scenes::{advance, shipped};
use impinge_sim::Simulation;
use nalgebra::Vector3;

/// Tournier et al. 2015, Fig. 8: the muscle contracts by a changing limit of its length and bends the knee by more than
/// 60 degrees, then gives way, and the shin swings back. No step gains energy beyond the work of the muscles, which
/// is in the balance of the joints, and lifts the shin.
#[test]
fn a_muscle_bends_a_knee() {
    let mut simulation = shipped("tournier_knee.toml", &[]);
    let mut most: f64 = 0.0;
    let mut work = 0.0;
    let mut closing: f64 = 0.0;
    let start = simulation.state().rigid[0].pose.center.z;
    for _ in 0..300 {
        let report = advance(&mut simulation, 1);
        let place = format!("step {}", report.step);
        let found = (report.energy_gains, report.inexact_solves);
        assert_eq!(found, (0, 0), "{place}");
        assert!(report.substeps <= 2, "{place}");
        let balance = report.balance.expect("kept by default");
        for body in &balance.bodies {
            assert!(body.closing.abs() <= 1e-8 * body.largest(), "{place}");
            // A body at rest has no term.
            if body.largest() > 0.0 {
                closing = larger(closing, body.closing.abs() / body.largest());
            }
        }
        if report.step <= 120 {
            work += balance.total().prescribed;
        }
        if report.step == 120 {
            // The muscle holds the shin up: its work went into gravity, springs and losses.
            let lift = simulation.state().rigid[0].pose.center.z - start;
            let gravity = 3.0 * 9.81 * lift;
            figure("work that lifts the shin", "J", gravity).above(1.0);
            figure("work of the muscles", "J", work).above(gravity);
        }
        most = larger(most, flexion(&simulation));
    }
    figure("largest flexion of the knee", "rad", most).above(1.05);
    let last = flexion(&simulation);
    figure("flexion of the knee at the end", "rad", last).below(0.3);
    figure(
        "largest error of the energy balance of a body over its largest term",
        "",
        closing,
    )
    .at_most(1e-8);
}

/// Tournier et al. 2015, Fig. 8, the Lachman test: with relaxed muscles, 25 N at the plateau pull the shin forward by a
/// centimetre, and much further without the front cruciate ligament.
#[test]
fn a_knee_without_its_ligament_fails_the_lachman_test() {
    // A force at the plateau, 12 cm above the centre of mass, that grows in 0.2 s. The muscles do not contract.
    let pull = [
        "body.1.force=[[0, [0, 0, 0]], [0.2, [25, 0, 0]]]",
        "body.1.torque=[[0, [0, 0, 0]], [0.2, [0, 3, 0]]]",
        "joint.9.length=0.243",
        "joint.12.length=0.232",
    ];
    let torn = ["joint.0.compliance=1", "joint.1.compliance=1"];
    let forward = |overrides: &[&str]| {
        let mut simulation = shipped("tournier_knee.toml", overrides);
        let mut most: f64 = 0.0;
        for _ in 0..300 {
            let report = advance(&mut simulation, 1);
            let found = (report.energy_gains, report.inexact_solves);
            assert_eq!(found, (0, 0), "step {}", report.step);
            // The middle of the plateau.
            let shin = simulation.state().rigid[0].pose;
            let plateau = shin.center + shin.orientation * Vector3::new(0.0, 0.0, 0.15);
            most = larger(most, plateau.x);
        }
        most
    };
    let whole = forward(&pull);
    let torn = forward(&[&pull[..], &torn].concat());
    figure(
        "largest displacement of the shin forward with the ligament",
        "m",
        whole,
    )
    .within(0.005..0.012);
    figure(
        "largest displacement of the shin forward without the ligament",
        "m",
        torn,
    )
    .above(0.02);
}

/// Angle of the shin with the vertical (rad).
fn flexion(simulation: &Simulation) -> f64 {
    let down = simulation.state().rigid[0].pose.orientation * -Vector3::z();
    down.angle(&-Vector3::z())
}
