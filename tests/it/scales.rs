//! Distant bodies without contact change nothing, however large or light they are.

use crate::figure::{largest, least};
use crate::support::simulation;
use nalgebra::Vector3;

/// A peg of twenty millimetres falls on its edge onto a floor with a coarse mesh.
const PEG: &str = r#"
[time]
step = 2e-3
duration = 1
[world]
friction = 0.1
[[body]]
name = "peg"
kind = "rigid"
mesh = { cuboid = { size = [0.02, 0.02, 0.04], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 0.0302]
rotation = { axis = [1, 0.4, 0.3], degrees = 2 }
[[obstacle]]
name = "floor"
shape = { cuboid = { size = [20, 20, 1] } }
position = [0, 0, -0.5]
"#;

/// A cloth falls on a ball.
const CLOTH: &str = r#"
[time]
step = 5e-3
duration = 1
[world]
friction = 0.3
[[body]]
name = "cloth"
kind = "shell"
mesh = { grid = { size = [1, 1], cells = [8, 8] } }
shell = { stretch = 500, bend = 1e-4, density = 0.2, damping = 1e-3 }
position = [0.02, 0.01, 0.31]
rotation = { axis = [0, 0, 1], degrees = 10 }
[[obstacle]]
name = "ball"
shape = { sphere = { radius = 0.3, subdivisions = 3 } }
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1], point = [0, 0, -0.31] } }
"#;

const CRATE: &str = r#"
[[body]]
name = "crate"
kind = "rigid"
mesh = { cuboid = { size = [10, 10, 10], cells = [1, 1, 1] } }
density = 500
position = [100, 0, 5.001]
"#;

const PIN: &str = r#"
[[body]]
name = "pin"
kind = "rigid"
mesh = { cuboid = { size = [0.001, 0.001, 0.001], cells = [1, 1, 1] } }
density = 1000
position = [10, 0, 10]
"#;

/// Positions of the points of one body after the given steps.
fn end(parts: &[&str], steps: u32, body: &str) -> Vec<Vector3<f64>> {
    let mut simulation = simulation(&parts.concat(), &[]);
    for _ in 0..steps {
        simulation.advance().expect("a plain scene is solved");
    }
    let model = simulation.model();
    let body = (model.geometry.bodies.iter()).find(|other| other.name == body);
    simulation.state().positions[body.expect("a body").points.clone()].to_vec()
}

fn apart(one: &[Vector3<f64>], other: &[Vector3<f64>]) -> f64 {
    let distances = one.iter().zip(other).map(|(a, b)| (a - b).norm());
    largest(distances)
}

#[test]
fn a_peg_lands_as_alone() {
    let alone = end(&[PEG], 250, "peg");
    let lowest = least(alone.iter().map(|x| x.z));
    assert!(
        lowest > 0.0 && lowest < 2e-5,
        "{lowest:e} m above the floor"
    );
    for far in [CRATE, PIN] {
        let off = apart(&alone, &end(&[PEG, far], 250, "peg"));
        assert!(off < 1e-6, "{off:e} m beside{far}");
    }
}

/// Force errors of solves, two parts in ten thousand, change its fall by no more than that share.
#[test]
fn a_cloth_moves_as_alone() {
    let steps = 60;
    let time = f64::from(steps) * 5e-3;
    let left_over = 2e-4 * 0.5 * 9.81 * time * time;
    let alone = end(&[CLOTH], steps, "cloth");
    for far in [CRATE, PIN] {
        let off = apart(&alone, &end(&[CLOTH, far], steps, "cloth"));
        assert!(off < left_over, "{off:e} m beside{far}");
    }
}
