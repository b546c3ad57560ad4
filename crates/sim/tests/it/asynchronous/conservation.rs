//! Momentum and energy of elastic bodies, with and without contact.

use super::support::{CLOTH, Random, Scene, law, sheet};
use impinge_fem::thin::ShellMaterial;
use impinge_sim::stepper::asynchronous::{Engine, Settings};
use nalgebra::Vector3;

/// Two sheets that fly at each other, rotated and perturbed to break symmetry, dissipative if there is friction.
fn collision(friction: f64) -> Engine {
    let mut random = Random(5);
    let (points, triangles) = sheet([4, 4], 0.02);
    let material = ShellMaterial {
        bend: 1e-5,
        ..CLOTH
    };
    let mut scene = Scene::default();
    let turn = nalgebra::Rotation3::new(Vector3::new(0.3, 0.2, 0.5));
    let upper: Vec<_> = points
        .iter()
        .map(|x| turn * x + Vector3::new(0.0, 0.01, 0.04))
        .collect();
    scene.add_shell(&points, &triangles, &material, Vector3::new(0.1, 0.0, 1.0));
    scene.add_shell(&upper, &triangles, &material, Vector3::new(-0.1, 0.2, -1.5));
    for velocity in &mut scene.velocities {
        *velocity += Vector3::new(random.next(), random.next(), random.next()) * 0.1;
    }
    let mut system = scene.system(law(50.0, 2e-3), 0.0);
    if friction > 0.0 {
        system.friction.fill(friction);
        system.restitution = 0.6;
    }
    Engine::new(system, Settings::default()).expect("a sound system")
}

/// Over more than a million events, many of them in contact, with and without friction.
#[test]
fn momentum_is_kept_to_round_off() {
    for friction in [0.0, 0.6] {
        momentum_is_kept(collision(friction));
    }
}

fn momentum_is_kept(mut engine: Engine) {
    let (linear, angular) = (engine.momentum(), engine.angular_momentum(0.0));
    let scale: f64 = engine
        .vertices()
        .iter()
        .map(|vertex| vertex.velocity.norm() / vertex.inverse_mass)
        .sum();
    let mut end = 0.0;
    while engine.statistics().events() < 1_000_000 {
        end += 0.01;
        engine.run(end).expect("no trouble");
    }
    assert!(engine.statistics().layer_pushes > 5_000);
    let drift = (engine.momentum() - linear).norm() / linear.norm();
    assert!(drift <= 1e-13, "linear momentum drifts by {drift:e}");
    // About the origin, from which the bodies fly away: relative to the momenta at a distance of one metre.
    let drift = (engine.angular_momentum(end) - angular).norm() / angular.norm().max(0.1 * scale);
    assert!(drift <= 1e-12, "angular momentum drifts by {drift:e}");
}

/// Without contact, the energy of a vibrating sheet has no trend.
#[test]
fn elastic_energy_has_no_trend() {
    let (points, triangles) = sheet([4, 4], 0.02);
    let mut random = Random(9);
    let mut scene = Scene::default();
    scene.add_shell(&points, &triangles, &CLOTH, Vector3::zeros());
    for velocity in &mut scene.velocities {
        *velocity = Vector3::new(random.next(), random.next(), random.next()) * 0.2;
    }
    let system = scene.system(law(1.0, 1e-4), 0.0);
    let mut engine = Engine::new(system, Settings::default()).expect("a sound system");
    let mut positions = vec![Vector3::zeros(); points.len()];
    let mut means = Vec::new();
    let mut time = 0.0;
    // The sum over current velocities and positions oscillates; its mean must not drift.
    for _ in 0..16 {
        let mut sum = 0.0;
        for _ in 0..500 {
            time += 0.413e-3;
            engine.run(time).expect("no trouble");
            engine.positions_into(time, &mut positions);
            sum += engine.kinetic_energy() + engine.force_energy(&positions);
        }
        means.push(sum / 500.0);
    }
    assert!(engine.statistics().events() > 1_000_000);
    // Least squares fit to the means over the whole run.
    let count = means.len() as f64;
    let middle = 0.5 * (count - 1.0);
    let mean = means.iter().sum::<f64>() / count;
    let (mut above, mut below) = (0.0, 0.0);
    for (index, value) in means.iter().enumerate() {
        let off = index as f64 - middle;
        above += off * value;
        below += off * off;
    }
    let trend = above / below * count / mean;
    assert!(trend.abs() < 1e-3, "{trend:e}: {means:?}");
}
