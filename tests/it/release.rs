//! Nodes that are released after a time.

use crate::support::simulation;
use impinge_sim::Simulation;
use nalgebra::Vector3;

/// A bar pulled at one end for fifty steps.
const PULLED: &str = r#"
[time]
step = 1e-3
duration = 0.1
[[body]]
name = "bar"
mesh = { cuboid = { size = [0.3, 0.03, 0.03], cells = [8, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 1]
fixed = [
  { box = { lower = [-0.16, -1, 0], upper = [-0.14, 1, 2] }, motion = { velocity = [-0.5, 0, 0] }, until = 0.05 },
]
"#;

#[test]
fn released_nodes_fall_freely() {
    let mut simulation = simulation(PULLED, &[]);
    let rest = simulation.model().points.rest.clone();
    let end = (0..rest.len())
        .find(|&point| rest[point].x < -0.14)
        .expect("the held end");
    let weight = 0.3 * 0.03 * 0.03 * 1000.0 * 9.81;
    let momentum = |simulation: &Simulation| -> Vector3<f64> {
        let (mass, velocities) = (
            &simulation.model().points.mass,
            &simulation.state().velocities,
        );
        mass.iter().zip(velocities).map(|(m, v)| *m * v).sum()
    };
    for step in 1..=100 {
        let before = momentum(&simulation);
        simulation.advance().expect("nothing is in the way");
        if step <= 50 {
            let path = rest[end] + Vector3::new(-0.5e-3 * f64::from(step), 0.0, 0.0);
            assert!((simulation.state().positions[end] - path).norm() < 1e-12);
            continue;
        }
        // The nodes keep their prescribed velocity.
        let change = momentum(&simulation) - before - Vector3::new(0.0, 0.0, -weight * 1e-3);
        assert!(change.norm() < 1e-10 * weight, "step {step}: {change}");
    }
    assert!(simulation.state().positions[end].z < 1.0 - 0.005);
}

/// Every step first computes undisturbed flight, so no solver noise makes a stiff body vibrate. (Gravity changes the
/// motion by less than the tolerance of the rows of a resting body and, in the second case, by little more than the
/// solver tolerance.)
#[test]
fn a_body_in_flight_needs_no_iteration() {
    let (bar, _) = PULLED.split_once("fixed").expect("a hand");
    let flying = format!("{bar}velocity = [2, 0, 1]\n");
    let stiff = "body.0.material.young=5e8";
    let light = [
        stiff,
        "body.0.material.density=200",
        "solver.tolerances=paper",
    ];
    for overrides in [&[stiff][..], &light] {
        let mut simulation = simulation(&flying, overrides);
        let rest = simulation.model().points.rest.clone();
        for step in 1..=100 {
            let report = simulation.advance().expect("nothing is in the way");
            assert_eq!(report.iterations, 0, "{overrides:?}, step {step}");
            let n = f64::from(step);
            let fall = 9.81e-6 * 0.5 * n * (n + 1.0);
            let path = Vector3::new(2e-3 * n, 0.0, 1e-3 * n - fall);
            for (start, now) in rest.iter().zip(&simulation.state().positions) {
                let off = (now - start - path).norm();
                assert!(off < 1e-10, "{overrides:?}, step {step}: {off}");
            }
        }
    }
}

/// A body released as a whole falls like a thrown one from its first step on.
#[test]
fn a_body_released_as_a_whole_needs_no_iteration() {
    let whole = PULLED.replace("-0.14, 1, 2]", "0.16, 1, 2]");
    let mut simulation = simulation(&whole, &["body.0.material.young=5e8"]);
    for step in 1..=100 {
        let report = simulation.advance().expect("nothing is in the way");
        assert_eq!(report.iterations, 0, "step {step}");
    }
    assert!(simulation.state().velocities.iter().all(|v| v.z < -0.4));
}

/// A held body does not start with gravity: of three bars, prescribed, on a joint and in flight, only the last does.
#[test]
fn only_unsupported_bodies_start_to_fall() {
    let body = |name: &str, y: f64| {
        let bar = &PULLED[PULLED.find("[[body]]").expect("a body")..];
        bar.replace("\"bar\"", &format!("\"{name}\""))
            .replace("[0, 0, 1]", &format!("[0, {y}, 1]"))
    };
    let free = |text: String| {
        let (start, _) = text.split_once("fixed").expect("a hand");
        start.to_owned()
    };
    let time = &PULLED[..PULLED.find("[[body]]").expect("a body")];
    let joint = "[[joint]]\nkind = \"ball\"\nfirst = \"hanging\"\nanchor = [-0.15, 0.985, 0.985]\n";
    let bodies = [
        body("held", 0.0),
        free(body("hanging", 1.0)),
        free(body("flying", 2.0)),
    ];
    let three = simulation(&format!("{time}{}{joint}", bodies.concat()), &[]);
    for (body, falls) in three
        .model()
        .geometry
        .bodies
        .iter()
        .zip([false, false, true])
    {
        for acceleration in &three.state().accelerations[body.points.clone()] {
            assert_eq!(*acceleration != Vector3::zeros(), falls, "{}", body.name);
        }
    }
}

/// A row between prescribed nodes only reports its force until a node is released.
#[test]
fn a_compliant_joint_may_hold_a_prescribed_body() {
    let joint = "\n[[joint]]\nkind = \"ball\"\nfirst = \"bar\"\nanchor = [-0.15, -0.015, 0.985]\ncompliance = 1e-6\n";
    let held = PULLED.replace(", motion = { velocity = [-0.5, 0, 0] }", "");
    let mut simulation = simulation(&format!("{held}{joint}"), &[]);
    for _ in 0..80 {
        simulation.advance().expect("nothing is in the way");
    }
    let corner = Vector3::new(-0.15, -0.015, 0.985);
    let (rest, now) = (
        &simulation.model().points.rest,
        &simulation.state().positions,
    );
    let held = (0..rest.len())
        .min_by(|&a, &b| {
            (rest[a] - corner)
                .norm()
                .total_cmp(&(rest[b] - corner).norm())
        })
        .expect("points");
    // Five newtons on 1e-6 m/N, plus the swing.
    assert!((now[held] - corner).norm() < 1e-4, "{}", now[held]);
}
