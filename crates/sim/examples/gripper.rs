//! A gripper with force control: two fingers close until each presses with 2 N, then they lift a soft ball.
//!
//! `cargo run --release -p impinge-sim --example gripper`
#![expect(clippy::print_stdout, reason = "the result is this program's purpose")]

use impinge_sim::Simulation;
use impinge_sim::scene::{Body, BodyMesh, Material, Motion, Obstacle, Scene};

const GRIP: f64 = 2.0; // N

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let soft = Material {
        stiffness_damping: 5e-3,
        ..Material::new(5e4, 0.4, 500.0)
    };
    let ball = Body::elastic(BodyMesh::sphere(0.03, 2), soft);
    let finger = || {
        Body::driven(
            BodyMesh::cuboid([0.02, 0.06, 0.06], [1; 3]),
            Motion::default(),
        )
    };
    let scene = Scene::new()
        .time_step(5e-3)
        .body(ball.named("ball").at([0.0, 0.0, 0.0301]))
        .body(finger().named("left").at([-0.045, 0.0, 0.035]))
        .body(finger().named("right").at([0.045, 0.0, 0.035]))
        .obstacle(Obstacle::ground());
    let mut gripper = Simulation::new(&scene)?;
    gripper.on_step("grip", |gripper| {
        let lift = if gripper.time() > 0.5 { 0.1 } else { 0.0 };
        for (finger, inwards) in [("left", 1.0), ("right", -1.0)] {
            let press = -inwards * gripper.body(finger)?.contact_load().force.x;
            let speed = 0.02 * (GRIP - press);
            gripper.set_velocity(finger, [inwards * speed, 0.0, lift])?;
        }
        Ok(())
    });
    gripper.step_until(1.5)?;
    let (ball, finger) = (gripper.body("ball")?, gripper.body("left")?);
    println!(
        "the ball is at {:.9} m, held with {:.9} N",
        ball.center_of_mass().z,
        -finger.contact_load().force.x
    );
    assert!(
        (ball.center_of_mass().z - 0.13).abs() < 3e-3,
        "the ball is 10 cm higher"
    );
    assert!(
        (finger.contact_load().force.x + GRIP).abs() < 0.05,
        "the grip holds"
    );
    assert!(
        (2.0 * finger.contact_load().force.z + 9.81 * ball.mass()).abs() < 0.02,
        "friction carries the weight"
    );
    Ok(())
}
