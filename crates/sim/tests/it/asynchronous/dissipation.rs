//! Restitution, friction, rest.

use super::support::{GRAVITY, particle};
use impinge_sim::stepper::asynchronous::force::UniformForce;
use impinge_sim::stepper::asynchronous::{Engine, Settings};
use nalgebra::Vector3;

/// The ratio of normal speeds is the coefficient of restitution.
#[test]
fn restitution_is_the_ratio_of_speeds() {
    for restitution in [0.1, 0.3, 0.5, 0.8, 1.0] {
        let speed = 3.0;
        let mut system = particle(0.2, false);
        system.velocities[0] = Vector3::new(0.7, 0.0, -speed);
        system.restitution = restitution;
        let mut engine = Engine::new(system, Settings::default()).expect("a sound system");
        engine.run(2.0).expect("no trouble");
        let after = engine.vertices()[0].velocity;
        assert!(
            (after.z / speed - restitution).abs() <= 0.01,
            "{restitution}: {after}"
        );
        assert!((after.x - 0.7).abs() <= 0.0, "a frictionless floor");
    }
}

/// Acceleration down a slope of the given tangent, and the mean speed in the second half of `end` seconds.
fn slide(tangent: f64, friction: f64, gravity_period: f64, end: f64) -> (f64, f64) {
    let angle = tangent.atan();
    let mut system = particle(0.0, false);
    // The height at which the layers carry the normal component of the weight.
    let weight = GRAVITY * angle.cos();
    let (mut near, mut far) = (1e-3, 0.1);
    for _ in 0..60 {
        let middle = 0.5 * (near + far);
        if system.law.force(middle) > weight {
            near = middle;
        } else {
            far = middle;
        }
    }
    system.positions[0] = Vector3::new(0.0, 0.0, near);
    let pull = Vector3::new(GRAVITY * angle.sin(), 0.0, -weight);
    system.forces = vec![Box::new(UniformForce::gravity(
        gravity_period,
        vec![0],
        vec![1.0],
        pull,
    ))];
    system.restitution = 0.5;
    system.friction[0] = friction;
    system.planes[0].friction = friction;
    let mut engine = Engine::new(system, Settings::default()).expect("a sound system");
    engine.run(0.5 * end).expect("no trouble");
    let half = (
        engine.vertices()[0].velocity.x,
        engine.vertices()[0].at(0.5 * end).x,
    );
    engine.run(end).expect("no trouble");
    let full = (
        engine.vertices()[0].velocity.x,
        engine.vertices()[0].at(end).x,
    );
    let duration = 0.5 * end;
    ((full.0 - half.0) / duration, (full.1 - half.1) / duration)
}

/// Coulomb's law on a slope.
#[test]
fn a_particle_slides_and_sticks_as_coulomb_says() {
    let friction = 0.5;
    for ratio in [1.2, 2.0] {
        let tangent = ratio * friction;
        let angle = f64::atan(tangent);
        let expected = GRAVITY * (angle.sin() - friction * angle.cos());
        let (acceleration, _) = slide(tangent, friction, 1e-3, 2.0);
        assert!(
            (acceleration / expected - 1.0).abs() <= 0.05,
            "{ratio}: {acceleration} {expected}"
        );
    }
    // The bound is 1 mm/s; with an anchor there is no creep, but a tremble.
    for (ratio, period) in [(0.8, 1e-3), (0.8, 2.5e-4), (0.3, 1e-3)] {
        let (_, creep) = slide(ratio * friction, friction, period, 2.0);
        assert!(creep.abs() < 1e-4, "creeps at {creep} m/s");
    }
}

/// At rest the mean gap is where the layers carry the weight, and nothing grows.
#[test]
fn a_particle_rests_where_the_layers_carry_it() {
    let mut system = particle(0.12, true);
    system.restitution = 0.5;
    let law = system.law;
    let mut engine = Engine::new(system, Settings::default()).expect("a sound system");
    engine.run(2.0).expect("no trouble");
    let mut gaps = Vec::new();
    for sample in 1..=4000 {
        let time = 2.0 + 2e-3 * f64::from(sample);
        engine.run(time).expect("no trouble");
        gaps.push(engine.vertices()[0].at(time).z);
    }
    let mean = |gaps: &[f64]| gaps.iter().sum::<f64>() / gaps.len() as f64;
    let (mut near, mut far) = (1e-3, 0.1);
    for _ in 0..60 {
        let middle = 0.5 * (near + far);
        if law.force(middle) > GRAVITY {
            near = middle;
        } else {
            far = middle;
        }
    }
    let average = mean(&gaps);
    assert!((average / near - 1.0).abs() <= 0.02, "{average} {near}");
    let jitter = |gaps: &[f64]| {
        let average = mean(gaps);
        gaps.iter()
            .map(|gap| (gap - average).abs())
            .fold(0.0, f64::max)
    };
    let (first, last) = (jitter(&gaps[..2000]), jitter(&gaps[2000..]));
    assert!(last <= 1.5 * first.max(1e-4), "{first} {last}");
}
