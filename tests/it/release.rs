//! Nodes that are let go after a time.

use crate::support::simulation;
use nalgebra::Vector3;

/// A bar that is pulled at one end for fifty steps.
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
fn what_is_let_go_falls_freely() {
    let mut simulation = simulation(PULLED, &[]);
    let rest = simulation.model().rest.clone();
    let end = (0..rest.len())
        .find(|&point| rest[point].x < -0.14)
        .expect("the held end");
    let weight = 0.3 * 0.03 * 0.03 * 1000.0 * 9.81;
    let mut momentum: Option<Vector3<f64>> = None;
    for step in 1..=100 {
        let report = simulation.advance().expect("nothing is in the way");
        let now = Vector3::from(report.momentum);
        if step <= 50 {
            let path = rest[end] + Vector3::new(-0.5e-3 * f64::from(step), 0.0, 0.0);
            assert!((simulation.state().positions[end] - path).norm() < 1e-12);
            continue;
        }
        // The first step without the hand counts from the velocities that the nodes had in it.
        if let Some(before) = momentum {
            let change = now - before - Vector3::new(0.0, 0.0, -weight * 1e-3);
            assert!(change.norm() < 1e-10 * weight, "step {step}: {change}");
        }
        momentum = Some(now);
    }
    assert!(simulation.state().positions[end].z < 1.0 - 0.005);
}
