//! One particle and a floor: energy, depth, culling, and a reference solution without certificates.

use super::support::{GRAVITY, particle};
use impinge_contact::penalty::LayerLaw;
use impinge_sim::stepper::asynchronous::{Engine, EventKind, Settings};
use nalgebra::Vector3;

/// A particle of mass 1 above `z = 0` with all of its layers always active.
struct Bounce {
    layers: u32,
    layer_step: f64,
    height: f64,
    speed: f64,
    gravity_period: Option<f64>,
}

/// The motion in the simplest way: find the next clock, advance the particle, apply the impulse. Returns height and
/// speed at the end.
fn oracle(law: &LayerLaw, bounce: &Bounce, end: f64) -> (f64, f64) {
    let &Bounce {
        layers,
        layer_step,
        mut height,
        mut speed,
        gravity_period,
    } = bounce;
    let mut time = 0.0;
    let period = |layer: u32| layer_step / (law.stiffness(layer) / 0.5).sqrt();
    let mut ticks = vec![1_u64; layers as usize + 1];
    loop {
        // At one instant, deep layers come first and gravity last.
        let mut next = (f64::INFINITY, 0);
        for layer in (1..=layers).rev() {
            let due = ticks[layer as usize] as f64 * period(layer);
            if due < next.0 {
                next = (due, layer);
            }
        }
        if let Some(period) = gravity_period {
            let due = ticks[0] as f64 * period;
            if due < next.0 {
                next = (due, 0);
            }
        }
        let (due, which) = next;
        if due > end {
            return (height + speed * (end - time), speed);
        }
        if which == 0 {
            height += speed * (due - time);
            time = due;
            speed += -GRAVITY * gravity_period.unwrap_or(0.0);
        } else {
            let now = height + speed * (due - time);
            let gap = now - law.thickness(which);
            if gap < 0.0 {
                height = now;
                time = due;
                speed += period(which) * law.stiffness(which) * -gap;
            }
        }
        ticks[which as usize] += 1;
    }
}

fn run(height: f64, velocity: f64, gravity: bool, settings: Settings, end: f64) -> Engine {
    let mut system = particle(height, gravity);
    system.velocities[0] = Vector3::new(0.0, 0.0, velocity);
    let mut engine = Engine::new(system, settings).expect("a sound system");
    engine.run(end).expect("a harmless motion");
    engine
}

/// Runs to `end` and returns every impulse: the bits of its time, and its layer.
fn pushes(settings: Settings, end: f64) -> Vec<(u64, u32)> {
    let mut engine = Engine::new(particle(1.0, true), settings).expect("a sound system");
    let (mut pushes, mut seen) = (Vec::new(), 0);
    while let Some(event) = engine.step(end).expect("a harmless motion") {
        if engine.statistics().layer_pushes > seen {
            seen = engine.statistics().layer_pushes;
            pushes.push((event.time.to_bits(), u32::MAX - event.id));
        }
    }
    pushes
}

/// The impulses equal those of always active layers, one by one.
#[test]
fn culling_leaves_out_no_push() {
    let culled = pushes(Settings::default(), 3.0);
    let unculled = pushes(
        Settings {
            culling: false,
            unculled_depth: 40,
            ..Settings::default()
        },
        3.0,
    );
    assert!(culled.len() > 100);
    assert_eq!(culled, unculled);
}

/// Only near layers tick, and the motion does not change.
#[test]
fn culling_is_exact() {
    let end = 3.0;
    let culled = run(1.0, 0.0, true, Settings::default(), end);
    let settings = Settings {
        culling: false,
        unculled_depth: 40,
        ..Settings::default()
    };
    let unculled = run(1.0, 0.0, true, settings, end);
    let (speed, reference) = (
        culled.vertices()[0].velocity,
        unculled.vertices()[0].velocity,
    );
    assert!(
        (speed - reference).norm() <= 1e-12 * reference.norm(),
        "{speed} {reference}"
    );
    assert_eq!(
        culled.statistics().layer_pushes,
        unculled.statistics().layer_pushes
    );
    assert!(10 * culled.statistics().layer_ticks < unculled.statistics().layer_ticks);

    let law = particle(1.0, true).law;
    let bounce = Bounce {
        layers: 40,
        layer_step: Settings::default().layer_step,
        height: 1.0,
        speed: 0.0,
        gravity_period: Some(1e-3),
    };
    let (_, plain) = oracle(&law, &bounce, end);
    assert!(
        (speed.z - plain).abs() <= 1e-12 * plain.abs(),
        "{speed} {plain}"
    );
}

/// Energy of single elastic bounces at all phases of the clocks.
#[test]
fn a_bounce_keeps_its_energy() {
    let speed = 4.43;
    let mut worst = 0.0_f64;
    let mut squares = 0.0;
    let count = 100;
    for phase in 0..count {
        let height = 0.2 + 1e-3 * f64::from(phase);
        let engine = run(height, -speed, false, Settings::default(), 0.4);
        let after = engine.vertices()[0].velocity.z;
        assert!(after > 0.0);
        let change = (after / speed).powi(2) - 1.0;
        worst = worst.max(change.abs());
        squares += change * change;
    }
    let spread = (squares / f64::from(count)).sqrt();
    assert!(spread <= 1e-3, "spread {spread:e}, worst {worst:e}");
}

/// 500 bounces. Clocks restarted at every activation of a layer make energy grow without bound; a reference solution
/// with this mistake shows that the test detects it.
#[test]
fn five_hundred_bounces_keep_the_energy() {
    let mut system = particle(1.0, true);
    system.velocities[0] = Vector3::zeros();
    let mut engine = Engine::new(system, Settings::default()).expect("a sound system");
    let start = GRAVITY * 1.0;
    let (mut bounces, mut falling, mut worst) = (0, false, 0.0_f64);
    while bounces < 500 {
        let event = engine
            .step(f64::INFINITY)
            .expect("no trouble")
            .expect("gravity ticks");
        let vertex = engine.vertices()[0];
        // At the apex all energy is potential.
        if event.kind == EventKind::Force {
            let now_falling = vertex.velocity.z < 0.0;
            if now_falling && !falling && vertex.position.z > 0.2 {
                bounces += 1;
                // Half an impulse of gravity off, on average.
                let energy = GRAVITY * vertex.position.z;
                worst = worst.max((energy / start - 1.0).abs());
            }
            falling = now_falling;
        }
    }
    let bound = 0.05;
    assert!(worst <= bound, "energy off by {worst:.3}");
    // With the step of this test, ten times the bound; with a larger step, energy grows without bound.
    let step = Settings::default().layer_step;
    assert!(restarted_clocks_gain(step, 500) > 10.0 * bound);
    assert!(restarted_clocks_gain(0.2, 500) > 1.0);
}

/// The largest relative gain of energy over some bounces if clocks restart at every activation, with layers of a `step`
/// (θ_c).
fn restarted_clocks_gain(step: f64, bounces: u32) -> f64 {
    let law = particle(1.0, true).law;
    let period = |layer: u32| step / (law.stiffness(layer) / 0.5).sqrt();
    let mut energy: f64 = GRAVITY;
    let mut gain = 0.0_f64;
    for _ in 0..bounces {
        let (mut height, mut speed) = (law.thickness(1), -(2.0 * energy).sqrt());
        let (mut time, mut called): (f64, Vec<(f64, u64)>) = (0.0, Vec::new());
        loop {
            let depth = law.layers_at(height) as usize;
            while called.len() < depth {
                called.push((time, 1));
            }
            called.truncate(depth);
            // The next tick of an active layer, or the next layer.
            let below = law.thickness(depth as u32 + 1);
            let mut next = (
                if speed < 0.0 {
                    time + (height - below) / -speed
                } else {
                    f64::INFINITY
                },
                0,
            );
            for (layer, &(start, tick)) in (1..).zip(&called) {
                let due = start + tick as f64 * period(layer);
                if due < next.0 {
                    next = (due, layer);
                }
            }
            if called.is_empty() && speed > 0.0 || !next.0.is_finite() {
                break;
            }
            height += speed * (next.0 - time);
            time = next.0;
            if next.1 == 0 {
                height = height.min(below.next_down());
            } else {
                called[next.1 as usize - 1].1 += 1;
                let gap = height - law.thickness(next.1);
                if gap < 0.0 {
                    speed += period(next.1) * law.stiffness(next.1) * -gap;
                }
            }
        }
        energy = 0.5 * speed * speed;
        gain = gain.max(energy / GRAVITY - 1.0);
        if gain > 10.0 {
            break;
        }
    }
    gain
}

/// The closed forms of depth, to one layer, and of the smallest distance.
#[test]
fn depth_and_smallest_distance_follow_the_closed_forms() {
    for drop in [1.0_f64, 10.0, 100.0, 1000.0] {
        let speed = (2.0 * GRAVITY * drop).sqrt();
        let engine = run(0.2, -speed, false, Settings::default(), 0.4 / speed + 0.1);
        let energy = 0.5 * speed * speed;
        let smallest = engine.statistics().smallest_distance;
        // Number of layers in compression; one more may have been activated in advance.
        let depth = f64::from(engine.law().layers_at(smallest));
        let called = f64::from(engine.statistics().deepest_layer);
        let expected = engine.law().layers_reached(energy);
        assert!(
            (depth - expected).abs() <= 1.0,
            "{drop}: {depth} {expected}"
        );
        assert!(
            (depth..=depth + 1.0).contains(&called),
            "{drop}: {depth} {called}"
        );
        let closed = engine.law().smallest_distance(energy);
        assert!(
            (smallest / closed - 1.0).abs() <= 0.02,
            "{drop}: {smallest} {closed}"
        );
    }
}

/// A thousand times the speed changes the depth, not the outcome.
#[test]
fn speed_does_not_matter_for_safety() {
    for speed in [1.0, 1e3, 1e4] {
        let settings = Settings {
            most_ticks: 1e15,
            shortest_period: 1e-13,
            ..Settings::default()
        };
        let engine = run(0.2, -speed, false, settings, 1.0 / speed);
        let after = engine.vertices()[0].velocity.z;
        assert!((after / speed - 1.0).abs() < 2e-3, "{speed}: {after}");
        let smallest = engine.statistics().smallest_distance;
        assert!(smallest > 0.0);
        let depth = f64::from(engine.law().layers_at(smallest));
        let expected = engine.law().layers_reached(0.5 * speed * speed);
        assert!(
            (depth - expected).abs() <= 1.0,
            "{speed}: {depth} layers, {expected} predicted"
        );
    }
}

/// Two runs agree bit for bit.
#[test]
fn two_runs_are_equal() {
    let of = || run(1.0, 0.0, true, Settings::default(), 5.0);
    assert_eq!(of().vertices(), of().vertices());
}
