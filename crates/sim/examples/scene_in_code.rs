//! A scene that is built in code instead of a file, and stepped: a rubber cube falls on the ground.
//!
//! `cargo run -p impinge-sim --example scene_in_code`
#![expect(clippy::print_stdout, reason = "the result is this program's purpose")]

use impinge_sim::scene::{Body, BodyMesh, Material, Obstacle, ObstacleShape, Time};
use impinge_sim::{Scene, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A cube of 10 cm whose lower side is 2 cm above the ground. Every key of a scene file is a field.
    let mesh = BodyMesh::Cuboid {
        size: [0.1; 3],
        cells: [2; 3],
    };
    let rubber = Material {
        stiffness_damping: 1e-2,
        ..Material::new(1e6, 0.3, 1000.0)
    };
    let cube = Body {
        name: "cube".to_owned(),
        position: [0.0, 0.0, 0.07],
        ..Body::elastic(mesh, rubber)
    };
    let ground = Obstacle::new(ObstacleShape::HalfSpace {
        point: [0.0; 3],
        normal: [0.0, 0.0, 1.0],
    });

    let mut scene = Scene::default();
    scene.time = Time {
        step: 2e-3,
        duration: 0.4,
        ..Time::default()
    };
    scene.bodies = vec![cube];
    scene.obstacles = vec![ground];

    // A mistake in the scene is an error that names the field.
    let mut simulation = Simulation::new(&scene)?;
    let lowest = |simulation: &Simulation| {
        let heights = simulation.state().positions.iter().map(|x| x.z);
        heights.fold(f64::INFINITY, f64::min)
    };
    let mut impacts = 0;
    for _ in 0..scene.time.steps() {
        let report = simulation.advance()?;
        impacts += report.active;
        assert!(
            lowest(&simulation) > 0.0,
            "no node passes through the ground"
        );
    }
    println!(
        "after {} s the lowest node is {:.2e} m above the ground; {impacts} contacts in all steps",
        scene.time.duration,
        lowest(&simulation)
    );
    assert!(impacts > 0 && lowest(&simulation) < 1e-3);
    Ok(())
}
