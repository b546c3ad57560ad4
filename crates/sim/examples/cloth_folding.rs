//! A cloth on a table is folded: one edge is carried in an arc over the other, and let go.
//!
//! `cargo run --release -p impinge-sim --example cloth_folding`

use impinge_sim::Simulation;
use impinge_sim::scene::{Body, BodyMesh, Fixed, Obstacle, Scene, Shell};

/// Half of the length of the cloth (m), and how long the edge is carried (s).
const HALF: f64 = 0.1;
const CARRIED: f64 = 1.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let linen = Shell {
        stretch: 50.0,
        bend: 1e-6,
        density: 0.2,
        poisson: None,
        orthotropic: None,
        damping: 5e-3,
        bend_damping: 5e-2,
        mass_damping: 0.0,
        formulation: None,
    };
    let edge = Fixed::in_box([HALF - 1e-3, -1.0, -1.0], [1.0, 1.0, 1.0]);
    let cloth = Body::thin(BodyMesh::grid([2.0 * HALF, HALF], [10, 5]), linen)
        .named("cloth")
        .at([0.0, 0.0, 1e-4])
        .held(edge.named("edge").until(CARRIED));
    let scene = Scene::new()
        .time_step(5e-3)
        .body(cloth)
        .obstacle(Obstacle::ground());
    let mut folding = Simulation::new(&scene)?;
    folding.on_step("carry", |folding| {
        // Half a circle about the middle, a little shorter than the cloth, ending above the other edge.
        let angle = |time: f64| std::f64::consts::PI * (time / CARRIED).min(1.0);
        let place = |time: f64| {
            let (sin, cos) = angle(time).sin_cos();
            [
                0.9 * HALF * cos,
                0.9 * HALF * sin + 1e-2 * (0.5 - 0.5 * cos),
            ]
        };
        let (now, step) = (folding.time(), folding.model().settings.time_step);
        if now < CARRIED - 0.5 * step {
            let ([x0, z0], [x1, z1]) = (place(now), place(now + step));
            folding.set_velocity("cloth/edge", [(x1 - x0) / step, 0.0, (z1 - z0) / step])?;
        }
        Ok(())
    });
    folding.step_until(1.6)?;
    let cloth = folding.body("cloth")?;
    let across = cloth.positions().iter().map(|x| x.x);
    let (left, right) = across.fold((0.0, 0.0), |(low, high), x| {
        (f64::min(low, x), f64::max(high, x))
    });
    assert!(
        right - left < 1.3 * HALF,
        "it is folded: {left} m to {right} m"
    );
    let lowest = cloth
        .positions()
        .iter()
        .map(|x| x.z)
        .fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.0, "no point passes through the table");
    let (weight, carried) = (
        9.81 * cloth.mass(),
        folding.body("ground")?.contact_load().force.z,
    );
    assert!(
        (carried + weight).abs() < 0.05 * weight,
        "the table carries {carried} N of {weight} N"
    );
    let layers = folding.contacts();
    let own = layers
        .iter()
        .filter(|contact| contact.bodies == ["cloth", "cloth"]);
    assert!(own.count() > 0, "the layers lie on each other");
    Ok(())
}
