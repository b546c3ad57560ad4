//! Free rigid bodies: conservation, impacts, friction, safety.

use super::run::{Run, off};
use impinge_sim::Scene;
use nalgebra::Vector3;

/// Gravity (m/s²).
const GRAVITY: f64 = 9.81;

/// Density of all bodies (kg/m³).
const DENSITY: f64 = 1000.0;

const GROUND: &str =
    "[[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n";

/// What differs between scenes.
struct Setting {
    /// Length of a step (s).
    step: f64,
    gravity: [f64; 3],
    restitution: f64,
    friction: f64,
}

const FLOATING: Setting = Setting {
    step: 1e-2,
    gravity: [0.0; 3],
    restitution: 1.0,
    friction: 0.0,
};

fn body(name: &str, mesh: &str, [x, y, z]: [f64; 3], more: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmesh = {{ {mesh} }}\ndensity = {DENSITY}\n\
         position = [{x}, {y}, {z}]\n{more}\n"
    )
}

/// The start of some bodies.
fn run(setting: &Setting, bodies: &[String]) -> Run {
    let Setting {
        step,
        gravity,
        restitution,
        friction,
    } = setting;
    Run::of(&format!(
        "stepper = \"asynchronous\"\n[time]\nstep = {step}\nduration = 1\n[world]\ngravity = {gravity:?}\n\
         friction = {friction}\n[asynchronous]\nthickness = 1e-3\nrestitution = {restitution}\n{}",
        bodies.concat()
    ))
}

/// A box that turns about none of its axes, 10 rad/s for a second.
#[test]
fn a_free_body_keeps_its_momenta_and_its_energy() {
    let mesh = "cuboid = { size = [0.05, 0.1, 0.2], cells = [1, 1, 1] }";
    let motion = "velocity = [1, 2, 3]\nangular_velocity = [5, 3, 8]";
    let mut run = run(&FLOATING, &[body("box", mesh, [0.0; 3], motion)]);
    let first = run.advance();
    let last = run.advance_to(1.0);
    assert!(off(first.momentum, last.momentum) < 1e-13 * Vector3::from(first.momentum).norm());
    // About its centre, no bit changes; about the origin, the place of the centre is rounded.
    let (rigid, at) = (&run.simulation.model().rigid[0], &run.state.rigid[0]);
    let start = run.simulation.state().rigid[0].angular_momentum;
    assert_eq!(at.angular_momentum, start);
    let scale = at.pose.center.norm() * Vector3::from(last.momentum).norm();
    assert!(off(first.angular_momentum, last.angular_momentum) < 1e-13 * scale);
    let change = last.kinetic_energy / first.kinetic_energy - 1.0;
    assert!(change.abs() < 1e-7, "energy changes by {change:e}");
    // Pieces end with steps: the points are where the body is.
    for (point, arm) in rigid.points.clone().zip(&rigid.arms) {
        assert!((run.state.positions[point] - at.pose.place(arm)).norm() < 1e-14);
    }
}

/// A parabola, although points fly straight.
#[test]
fn a_falling_body_is_as_fast_and_as_low_as_it_should_be() {
    let setting = Setting {
        gravity: [0.0, 0.0, -GRAVITY],
        ..FLOATING
    };
    let mesh = "cuboid = { size = [0.05, 0.1, 0.2], cells = [1, 1, 1] }";
    let motion = "velocity = [0, 0, 1]\nangular_velocity = [5, 3, 8]";
    let mut run = run(&setting, &[body("box", mesh, [0.0; 3], motion)]);
    run.advance_to(1.0);
    let at = &run.state.rigid[0];
    assert!((at.velocity.z - (1.0 - GRAVITY)).abs() < 1e-12);
    assert!((at.pose.center.z - (1.0 - 0.5 * GRAVITY)).abs() < 1e-12);
}

/// The change of momentum of each step is the sum of the impulses of gravity and of the ground.
#[test]
fn a_tumbling_box_comes_to_rest_on_the_ground() {
    let setting = Setting {
        step: 5e-3,
        gravity: [0.0, 0.0, -GRAVITY],
        restitution: 0.3,
        friction: 0.5,
    };
    let mesh = "cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }";
    let motion = "rotation = { axis = [1, 2, 0], degrees = 20 }\nangular_velocity = [1, -2, 3]";
    let bodies = [
        body("box", mesh, [0.0, 0.0, 0.15], motion),
        GROUND.to_owned(),
    ];
    let mut run = run(&setting, &bodies);
    let mass = DENSITY * 1e-3;
    let mut before = run.advance();
    let mut mean = 0.0;
    for step in 2..=300 {
        let after = run.advance();
        assert!(run.height() > 0.0, "below the ground at {} s", after.time);
        let gained = Vector3::from(after.momentum) - Vector3::from(before.momentum);
        let weight = Vector3::new(0.0, 0.0, -GRAVITY * mass);
        let given = (weight + Vector3::from(after.contact_force)) * setting.step;
        assert!(
            (gained - given).norm() < 1e-11,
            "step {step}: {gained} {given}"
        );
        assert_eq!(after.energy_gains, 0, "step {step}");
        if step > 200 {
            mean += after.contact_force[2] / 100.0;
        }
        before = after;
    }
    let weight = GRAVITY * mass;
    assert!((mean / weight - 1.0).abs() < 0.02, "{mean} {weight}");
    assert!(before.kinetic_energy < 1e-3, "{}", before.kinetic_energy);
    let center = run.state.rigid[0].pose.center.z;
    assert!(center > 0.05 && center < 0.051, "{center}");
}

/// A box that falls flat on all of its corners.
#[test]
fn a_box_bounces_with_the_given_restitution() {
    for restitution in [1.0, 0.8, 0.4] {
        let setting = Setting {
            restitution,
            ..FLOATING
        };
        let mesh = "cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }";
        let bodies = [
            body("box", mesh, [0.0, 0.0, 0.1], "velocity = [0, 0, -1]"),
            GROUND.to_owned(),
        ];
        let mut run = run(&setting, &bodies);
        run.advance_to(0.2);
        let speed = run.state.rigid[0].velocity.z;
        assert!((speed - restitution).abs() < 0.02, "{restitution}: {speed}");
        let turned = run.state.rigid[0].angular_momentum.norm();
        // Corners act one after the other: the first may approach when the last one already separates.
        assert!(turned < 1e-5, "{restitution}: {turned:e}");
    }
}

/// Two cubes, one behind the other, face to face.
#[test]
fn equal_bodies_exchange_their_velocities() {
    let [large, small] = [0.1, 0.08]
        .map(|side| format!("cuboid = {{ size = [0.1, {side}, {side}], cells = [1, 1, 1] }}"));
    // The small one is as heavy as the large one.
    let heavy = body("small", &small, [0.11, 0.0, 0.0], "velocity = [-0.5, 0, 0]")
        .replace(&format!("density = {DENSITY}"), "mass = 1");
    let bodies = [
        body("large", &large, [0.0; 3], "velocity = [1, 0, 0]"),
        heavy,
    ];
    let mut run = run(&FLOATING, &bodies);
    run.advance_to(0.2);
    let speeds = [0, 1].map(|body| run.state.rigid[body].velocity.x);
    assert!((speeds[0] + 0.5).abs() < 0.01, "{speeds:?}");
    assert!((speeds[1] - 1.0).abs() < 0.01, "{speeds:?}");
}

/// Two spinning balls, aside of each other by half a radius.
#[test]
fn an_oblique_collision_keeps_momenta_and_energy() {
    let mesh = "sphere = { radius = 0.05, subdivisions = 2 }";
    let bodies = [
        body(
            "left",
            mesh,
            [-0.08, 0.0, 0.0],
            "velocity = [1, 0, 0]\nangular_velocity = [3, -8, 5]",
        ),
        body(
            "right",
            mesh,
            [0.08, 0.025, 0.01],
            "velocity = [-1, 0.2, 0]",
        ),
    ];
    let mut run = run(&FLOATING, &bodies);
    let first = run.advance();
    let last = run.advance_to(0.3);
    let turned = run.state.rigid[1].angular_momentum.norm();
    assert!(turned > 1e-4, "the balls do not collide");
    let scale = run.simulation.model().rigid[0].inertia.mass();
    assert!(off(first.momentum, last.momentum) < 1e-13 * scale);
    assert!(off(first.angular_momentum, last.angular_momentum) < 1e-13 * scale);
    let change = last.kinetic_energy / first.kinetic_energy - 1.0;
    assert!(change.abs() < 5e-3, "energy changes by {change:e}");
}

/// A ball flies into free cloth: friction and losses do not change the sums of momenta.
#[test]
fn cloth_and_a_ball_keep_their_momenta() {
    let setting = Setting {
        step: 2e-3,
        restitution: 0.5,
        friction: 0.5,
        ..FLOATING
    };
    let mesh = "sphere = { radius = 0.05, subdivisions = 2 }";
    let motion = "velocity = [0.3, 0, -1]\nangular_velocity = [10, 5, 20]";
    let cloth = "[[body]]\nname = \"cloth\"\nkind = \"shell\"\n\
                 mesh = { grid = { size = [0.3, 0.3], cells = [10, 10] } }\n\
                 shell = { stretch = 50, bend = 1e-5, density = 0.2 }\n";
    let bodies = [
        body("ball", mesh, [0.01, 0.02, 0.055], motion),
        cloth.to_owned(),
    ];
    let mut run = run(&setting, &bodies);
    let first = run.advance();
    let last = run.advance_to(0.1);
    let ball = &run.state.rigid[0];
    assert!(ball.velocity.z > -0.99, "the ball does not meet the cloth");
    assert!(off(first.momentum, last.momentum) < 1e-13);
    assert!(off(first.angular_momentum, last.angular_momentum) < 1e-13);
    assert!(last.kinetic_energy < first.kinetic_energy);
}

/// A flat box on a slope, in its frame: gravity is tilted, along x.
fn slope(ratio: f64) -> Run {
    let friction = 0.5;
    let angle = (ratio * friction).atan();
    let setting = Setting {
        step: 5e-3,
        gravity: [GRAVITY * angle.sin(), 0.0, -GRAVITY * angle.cos()],
        restitution: 0.2,
        friction,
    };
    let mesh = "cuboid = { size = [0.1, 0.1, 0.02], cells = [1, 1, 1] }";
    run(
        &setting,
        &[body("box", mesh, [0.0, 0.0, 0.0108], ""), GROUND.to_owned()],
    )
}

#[test]
fn a_box_slides_down_a_steep_slope_as_coulomb_says() {
    for ratio in [1.2, 2.0] {
        let mut run = slope(ratio);
        let [from, to] = [0.2, 0.5].map(|time| {
            run.advance_to(time);
            run.state.rigid[0].velocity.x
        });
        let angle = (ratio * 0.5_f64).atan();
        let coulomb = GRAVITY * (angle.sin() - 0.5 * angle.cos());
        let measured = (to - from) / 0.3;
        assert!(
            (measured / coulomb - 1.0).abs() < 0.02,
            "{ratio}: {measured} {coulomb}"
        );
    }
}

#[test]
fn a_box_stays_on_a_gentle_slope() {
    for ratio in [0.3, 0.8] {
        let mut run = slope(ratio);
        let [from, to] = [0.1, 0.5].map(|time| {
            run.advance_to(time);
            run.state.rigid[0].pose.center.x
        });
        let creep = (to - from) / 0.4;
        assert!(creep.abs() < 1e-4, "{ratio}: creeps at {creep:e} m/s");
    }
}

/// Boxes in a heap, on one thread and on three.
#[test]
fn the_number_of_threads_does_not_matter() {
    let setting = Setting {
        step: 5e-3,
        gravity: [0.0, 0.0, -GRAVITY],
        restitution: 0.5,
        friction: 0.3,
    };
    let mesh = "cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }";
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| {
            let bodies = [
                body(
                    "lower",
                    mesh,
                    [0.0, 0.0, 0.052],
                    "angular_velocity = [0, 0, 1]",
                ),
                body(
                    "upper",
                    mesh,
                    [0.02, 0.01, 0.16],
                    "angular_velocity = [1, 2, 3]",
                ),
                GROUND.to_owned(),
            ];
            let mut run = run(&setting, &bodies);
            run.advance_to(0.3);
            assert!(run.height() > 0.0);
            run.state
        })
    };
    assert_eq!(of(1), of(3));
}

#[test]
fn speculation_is_for_deformable_bodies() {
    let mesh = "cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }";
    let text = format!(
        "stepper = \"asynchronous\"\n[time]\nstep = 1e-2\nduration = 1\n\
         [asynchronous]\nthickness = 1e-3\ndetection = \"speculative\"\n{}",
        body("box", mesh, [0.0; 3], "")
    );
    let refused = Scene::parse("rigid.toml", &text, &[""; 0]).expect_err("no speculation");
    let said = refused.to_string();
    assert!(said.contains("freely moving rigid bodies"), "{said}");
    assert!(said.contains("detection = \"kinetic\""), "{said}");
}
