//! Forces far below the tolerances of the solver, on bodies that touch something.

use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;

/// A soft and a rigid box on ice. The gravity has a share of a hundred-thousandth to the side.
const ICE: &str = r#"
[time]
step = 1e-3
duration = 0.1

[world]
gravity = [1e-4, 0, -9.81]
friction = 0

[[body]]
name = "soft"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e6, poisson = 0.3, density = 1000 }
position = [0, 0, 0.05]

[[body]]
name = "rigid"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [1, 0, 0.05]

[[obstacle]]
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// The solver alone would take both boxes for resting: the force is within its tolerance. The momentum of whole bodies
/// is closed beyond it.
#[test]
fn a_force_far_below_the_tolerance_moves_touching_bodies() {
    let scene = Scene::parse("ice.toml", ICE, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("sound");
    for step in 0..100 {
        let report = simulation.advance().expect("solved");
        // The rigid box falls by less than the clearance first.
        assert!(step == 0 || report.active == 9 + 4, "both lie on the ice");
        let weights: f64 = simulation.model().points.mass.iter().sum();
        assert!(weights * 1e-4 * 1e-3 < report.momentum_tolerance);
    }
    let (model, state) = (simulation.model(), simulation.state());
    let [soft, rigid] = [0, 1].map(|body| model.geometry.bodies[body].points.clone());
    let momentum: Vector3<f64> = (soft.clone())
        .map(|point| state.velocities[point] * model.points.mass[point])
        .sum();
    let of_soft = momentum.x / model.points.mass[soft].iter().sum::<f64>();
    let points = rigid.len() as f64;
    let of_rigid = rigid.map(|point| state.velocities[point].x).sum::<f64>() / points;
    for speed in [of_soft, of_rigid] {
        let expected = 1e-4 * 0.1;
        assert!((speed / expected - 1.0).abs() < 1e-6, "{speed:e} m/s");
    }
}
