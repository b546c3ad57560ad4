//! Balls in a drum of twelve planks that turns faster and faster: its walls take them along, and carry what they weigh.
//!
//! `cargo run --release -p impinge-sim --example rolling_drum`

use impinge_sim::Simulation;
use impinge_sim::scene::{Body, BodyMesh, Motion, Obstacle, Scene};
use std::f64::consts::PI;

/// Distance of the planks' inner sides from the axis (m), their number, and their thickness (m).
const RADIUS: f64 = 0.2;
const PLANKS: u32 = 12;
const THICK: f64 = 0.02;

/// Angular speed at the start (rad/s).
const SLOW: f64 = 0.1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let width = 0.98 * 2.0 * RADIUS * (PI / f64::from(PLANKS)).tan();
    let mut scene = Scene::new().time_step(5e-3).friction(0.6);
    for plank in 0..PLANKS {
        let angle = 360.0 / f64::from(PLANKS) * f64::from(plank);
        let (sin, cos) = angle.to_radians().sin_cos();
        let out = RADIUS + 0.5 * THICK;
        let mesh = BodyMesh::cuboid([width, 0.12, THICK], [1; 3]);
        let about_axis = Motion {
            center: Some([0.0; 3]),
            ..Motion::turning([0.0, SLOW, 0.0])
        };
        let body = Body::driven(mesh, about_axis);
        let body = body
            .at([out * sin, 0.0, out * cos])
            .rotated([0.0, 1.0, 0.0], angle);
        scene = scene.body(body.named(format!("plank {plank}")));
    }
    for (ball, x) in [-0.06, 0.0, 0.06].into_iter().enumerate() {
        let body = Body::rigid(BodyMesh::sphere(0.03, 2), 1000.0);
        scene = scene.body(body.named(format!("ball {ball}")).at([x, 0.0, -0.15]));
    }
    // The ends of the drum.
    scene = scene
        .obstacle(Obstacle::half_space([0.0, 0.065, 0.0], [0.0, -1.0, 0.0]).with_friction(0.0))
        .obstacle(Obstacle::half_space([0.0, -0.065, 0.0], [0.0, 1.0, 0.0]).with_friction(0.0));
    let mut drum = Simulation::new(&scene)?;
    drum.on_step("speed up", |drum| {
        let speed = SLOW + 2.0 * drum.time().min(1.0);
        for plank in 0..PLANKS {
            drum.set_angular_velocity(&format!("plank {plank}"), [0.0, speed, 0.0])?;
        }
        Ok(())
    });
    let (mut support, mut shift, mut steps) = (0.0, 0.0, 0.0);
    while drum.time() < 3.0 {
        drum.step()?;
        for body in drum.bodies().filter(|body| body.name().starts_with("ball")) {
            let center = body.center_of_mass();
            assert!(center.x.hypot(center.z) < RADIUS, "no ball leaves the drum");
            if drum.time() > 1.0 {
                support += body.contact_load().force.z;
                shift += center.x;
            }
        }
        steps += f64::from(u8::from(drum.time() > 1.0));
    }
    let weight = 3.0 * 9.81 * drum.body("ball 0")?.mass();
    let (support, shift) = (support / steps, shift / steps / 3.0);
    assert!(
        (support - weight).abs() < 0.1 * weight,
        "{support} N carry {weight} N"
    );
    assert!(
        shift < -0.01,
        "the rising wall takes the balls along: {shift} m"
    );
    Ok(())
}
