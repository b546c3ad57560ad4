//! The example of the workspace's README: a soft ball falls on the ground and slides.
//!
//! `cargo run -p impinge-sim --example ball`
#![expect(clippy::print_stdout, reason = "the result is this program's purpose")]

use impinge_sim::Simulation;
use impinge_sim::scene::{Body, BodyMesh, Material, Obstacle, Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let jelly = Material::new(1e5, 0.4, 1000.0); // Pa, 1, kg/m³
    let ball = Body::elastic(BodyMesh::sphere(0.05, 3), jelly).named("ball");
    let scene = Scene::new()
        .time_step(2e-3)
        .friction(0.4)
        .body(ball.at([0.0, 0.0, 0.2]).moving([0.5, 0.0, 0.0]))
        .obstacle(Obstacle::ground());
    let mut simulation = Simulation::new(&scene)?;
    simulation.step_until(0.5)?;
    let ball = simulation.body("ball")?;
    println!("at {} m", ball.center_of_mass());
    println!("pressed by {} N", ball.contact_load().force);
    Ok(())
}
