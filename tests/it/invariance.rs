//! Invariance: rotation of a scene and the unit of length do not change the motion.

use crate::support::simulation;
use nalgebra::{Rotation3, Vector3};

/// A tilted cube falls on the ground; the whole scene is rotated about y.
fn turned(degrees: f64) -> String {
    let turn = Rotation3::from_axis_angle(&Vector3::y_axis(), degrees.to_radians());
    let [gravity, normal, position] = [[0.0, 0.0, -9.81], [0.0, 0.0, 1.0], [0.0, 0.0, 0.075]]
        .map(|v| <[f64; 3]>::from(turn * Vector3::from(v)));
    // Both rotations are about y, so their angles add up.
    let tilt = 20.0 + degrees;
    format!(
        r"
[time]
step = 1e-3
duration = 0.1
[world]
gravity = {gravity:?}
[solver]
momentum_tolerance = 1e-8
slip_tolerance = 1e-9
[[body]]
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}
material = {{ young = 1e5, poisson = 0.3, density = 1000 }}
position = {position:?}
rotation = {{ axis = [0, 1, 0], degrees = {tilt} }}
[[obstacle]]
shape = {{ half_space = {{ normal = {normal:?} }} }}
"
    )
}

/// Position error due to solver tolerances for a body of a tenth of a metre after 60 steps (m).
const TOLERATED: f64 = 1e-6;

#[test]
fn a_turned_scene_moves_alike() {
    let mut straight = simulation(&turned(0.0), &[]);
    let mut other = simulation(&turned(10.0), &[]);
    let back = Rotation3::from_axis_angle(&Vector3::y_axis(), -10_f64.to_radians());
    let mut touched = false;
    for _ in 0..60 {
        touched |= straight.advance().expect("a plain fall is solved").active > 0;
        other.advance().expect("a plain fall is solved");
    }
    assert!(touched);
    // Nodes follow a space-filling curve, so a rotated scene has another order.
    let (one, two) = (by_original_node(&straight), by_original_node(&other));
    for (point, (x, turned)) in one.iter().zip(&two).enumerate() {
        let difference = (back * turned - x).norm();
        assert!(difference <= TOLERATED, "node {point}: {difference:e} m");
    }
}

/// A tenth of every length, with units to match: m → 0.1 m; seconds and kilograms per volume stay.
#[test]
fn a_smaller_scene_moves_alike() {
    let scene = |scale: f64, gravity: f64, young: f64| {
        format!(
            r"
[time]
step = 1e-3
duration = 0.1
[world]
gravity = [0, 0, {gravity}]
[solver]
momentum_tolerance = {momentum:e}
slip_tolerance = {slip:e}
[[body]]
mesh = {{ cuboid = {{ size = [{size}, {size}, {size}], cells = [2, 2, 2] }} }}
material = {{ young = {young}, poisson = 0.3, density = 1000 }}
position = [0, 0, {height}]
rotation = {{ axis = [0, 1, 0], degrees = 20 }}
[[obstacle]]
shape = {{ half_space = {{ normal = [0, 0, 1] }} }}
",
            size = 0.1 * scale,
            height = 0.075 * scale,
            momentum = 1e-8 * scale.powi(4),
            slip = 1e-9 * scale,
        )
    };
    let mut large = simulation(&scene(1.0, -9.81, 1e5), &[]);
    // Accelerations scale with length, stress with density times length squared.
    let mut small = simulation(&scene(0.1, -0.981, 1e3), &[]);
    for _ in 0..60 {
        large.advance().expect("a plain fall is solved");
        small.advance().expect("a plain fall is solved");
    }
    let (one, two) = (by_original_node(&large), by_original_node(&small));
    for (point, (x, scaled)) in one.iter().zip(&two).enumerate() {
        let difference = (scaled * 10.0 - x).norm();
        assert!(difference <= TOLERATED, "node {point}: {difference:e} m");
    }
}

fn by_original_node(simulation: &impinge_sim::Simulation) -> Vec<Vector3<f64>> {
    let body = &simulation.model().geometry.bodies[0];
    let mut sorted = vec![Vector3::zeros(); body.points.len()];
    for (point, &node) in body.points.clone().zip(&body.original_nodes) {
        sorted[node as usize] = simulation.state().positions[point];
    }
    sorted
}
