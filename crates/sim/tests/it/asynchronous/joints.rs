//! Joints: closed forms, conservation, one-sided rows, contact.

use super::run::{CLOSED, Run, off};
use impinge_sim::stepper::Stepper;
use impinge_sim::{Scene, Simulation, StepReport};
use nalgebra::Vector3;

/// Gravity (m/s²).
const GRAVITY: f64 = 9.81;

/// Edge of the cubes (m), and their mass (kg).
const EDGE: f64 = 0.1;
const MASS: f64 = 2.0;

fn cube(name: &str, [x, y, z]: [f64; 3], more: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = {MASS}\nposition = [{x}, {y}, {z}]\n\
         mesh = {{ cuboid = {{ size = [{EDGE}, {EDGE}, {EDGE}], cells = [1, 1, 1] }} }}\n{more}\n"
    )
}

/// A body with three different moments of inertia.
fn plate(name: &str, [x, y, z]: [f64; 3], more: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = {MASS}\nposition = [{x}, {y}, {z}]\n\
         mesh = {{ cuboid = {{ size = [0.1, 0.14, 0.02], cells = [1, 1, 1] }} }}\n{more}\n"
    )
}

fn joint(kind: &str, first: &str, more: &str) -> String {
    format!("[[joint]]\nkind = \"{kind}\"\nfirst = \"{first}\"\n{more}\n")
}

/// The start of some bodies and joints.
fn run(step: f64, gravity: f64, parts: &[String]) -> Run {
    run_with("", step, gravity, parts)
}

/// The same with further settings of the stepper.
fn run_with(settings: &str, step: f64, gravity: f64, parts: &[String]) -> Run {
    Run::of(&format!(
        "stepper = \"asynchronous\"\n[time]\nstep = {step}\nduration = 9\n[world]\ngravity = [0, 0, {}]\n\
         [asynchronous]\nthickness = 1e-3\n{settings}\n{}",
        -gravity,
        parts.concat()
    ))
}

fn energy(of: &StepReport) -> f64 {
    of.kinetic_energy + of.elastic_energy + of.gravitational_energy
}

/// Two cubes swing as a double pendulum for 5 s. The energy of a symplectic rule has no drift.
#[test]
fn a_double_pendulum_keeps_its_energy() {
    let parts = [
        cube("upper", [0.2, 0.0, 0.0], ""),
        cube("lower", [0.5, 0.0, 0.0], ""),
        joint("ball", "upper", "anchor = [0, 0, 0]"),
        joint("ball", "upper", "second = \"lower\"\nanchor = [0.35, 0, 0]"),
    ];
    let mut run = run(0.01, GRAVITY, &parts);
    let start = energy(&run.advance());
    // The whole height that the pendulum can fall.
    let scale = 2.0 * MASS * GRAVITY * 0.7;
    let mut worst = 0.0_f64;
    for _ in 0..500 {
        worst = worst.max((energy(&run.advance()) - start).abs());
    }
    assert!(worst < 1e-2 * scale, "{worst} of {scale} J");
}

/// Joined cubes that float and turn keep their momenta.
#[test]
fn joined_bodies_keep_their_momenta() {
    let parts = [
        cube(
            "one",
            [0.0; 3],
            "velocity = [1, 0.3, 0]\nangular_velocity = [3, 5, 2]",
        ),
        cube("two", [0.15, 0.0, 0.0], ""),
        cube("three", [0.3, 0.0, 0.0], "angular_velocity = [0, 0, -4]"),
        joint("ball", "one", "second = \"two\"\nanchor = [0.075, 0, 0]"),
        joint(
            "hinge",
            "two",
            "second = \"three\"\nanchor = [0.225, 0, 0]\naxis = [0, 1, 0]",
        ),
        joint(
            "link",
            "one",
            "second = \"three\"\nanchor = [0, 0.05, 0]\nend = [0.3, 0.05, 0]\ncompliance = 1e-4",
        ),
    ];
    let mut run = run(0.01, 0.0, &parts);
    let first = run.advance();
    let last = run.advance_to(1.0);
    let momentum = Vector3::from(first.momentum).norm();
    assert!(off(first.momentum, last.momentum) < 1e-12 * momentum);
    let turning = Vector3::from(first.angular_momentum).norm();
    let lost = off(first.angular_momentum, last.angular_momentum) / turning;
    assert!(lost < 1e-6, "{lost:e}");
    assert!((energy(&last) / energy(&first) - 1.0).abs() < 0.01);
}

/// A door on two hinges, of which one follows from the other, tumbles with its frame. Forces that no motion shows would
/// grow without bound.
#[test]
fn rows_that_follow_from_others_share_their_force() {
    let hinge = |y: f64| {
        joint(
            "hinge",
            "frame",
            &format!("second = \"door\"\nanchor = [0.1, {y}, 0]\naxis = [0, 1, 0]"),
        )
    };
    let parts = [
        plate("frame", [0.0; 3], "angular_velocity = [2, 3, 1]"),
        plate("door", [0.2, 0.0, 0.0], "angular_velocity = [2, 8, 1]"),
        hinge(-0.05),
        hinge(0.05),
    ];
    let mut run = run(0.01, 0.0, &parts);
    let first = run.advance();
    let last = run.advance_to(2.0);
    assert!((energy(&last) / energy(&first) - 1.0).abs() < 0.01);
    // Centripetal forces are about m r ω² = 2 kg · 0.1 m · 60/s².
    let largest = run
        .state
        .joint_forces
        .iter()
        .fold(0.0_f64, |a, b| a.max(b.abs()));
    assert!(largest < 100.0, "{largest} N");
}

/// Plates turn about an axis that wanders in them, so their points do not move in circles.
#[test]
fn a_chain_of_plates_tumbles() {
    let parts = [
        plate("one", [0.0; 3], "angular_velocity = [20, 2, 1]"),
        plate("two", [0.15, 0.0, 0.0], "angular_velocity = [-5, 20, 3]"),
        joint("ball", "one", "second = \"two\"\nanchor = [0.075, 0, 0]"),
    ];
    let mut run = run(0.01, 0.0, &parts);
    // The misfit between two ticks is far below this, but only if places ahead are those that bodies reach.
    run.closed = 1e-8;
    let first = run.advance();
    let last = run.advance_to(1.0);
    assert!((energy(&last) / energy(&first) - 1.0).abs() < 0.01);
}

/// A plate hangs on a crank that turns fast, in steps that are long for it.
#[test]
fn a_crank_moves_its_load() {
    let crank = "[[body]]\nname = \"crank\"\nkind = \"rigid\"\nposition = [0.05, 0, 0]\n\
                 mesh = { cuboid = { size = [0.02, 0.02, 0.02], cells = [1, 1, 1] } }\n\
                 motion = { angular_velocity = [0, 0, 100], center = [0, 0, 0] }\n"
        .to_owned();
    let parts = [
        crank,
        plate("load", [0.15, 0.0, 0.0], ""),
        joint("ball", "crank", "second = \"load\"\nanchor = [0.05, 0, 0]"),
    ];
    let mut run = run_with("longest_period = 1e-2", 0.01, 0.0, &parts);
    run.advance_to(0.5);
}

/// A spring at the end of a long arm, along it at the start, pulls across it after a quarter turn.
#[test]
fn a_spring_on_a_long_arm_is_stable() {
    let parts = [
        cube("wheel", [0.0; 3], "angular_velocity = [0, 0, 3]"),
        joint(
            "link",
            "wheel",
            "anchor = [1, 0, 0]\nend = [2, 0, 0]\ncompliance = 1e-5",
        ),
    ];
    let mut run = run(0.01, 0.0, &parts);
    let start = energy(&run.advance());
    let mut most = 0.0_f64;
    for _ in 0..200 {
        most = most.max(energy(&run.advance()));
    }
    assert!(most < 1.2 * start, "{most} J of {start} J");
}

/// `ω = √(2k/m)` of two cubes on a spring. They start at its rest length with opposite velocities.
#[test]
fn a_spring_between_two_bodies_has_its_frequency() {
    let stiffness = 500.0_f64;
    let parts = [
        cube("one", [0.0; 3], "velocity = [-0.1, 0, 0]"),
        cube("two", [0.5, 0.0, 0.0], "velocity = [0.1, 0, 0]"),
        joint(
            "link",
            "one",
            &format!(
                "second = \"two\"\nanchor = [0, 0, 0]\nend = [0.5, 0, 0]\ncompliance = {}",
                1.0 / stiffness
            ),
        ),
    ];
    let mut run = run(1e-3, 0.0, &parts);
    let frequency = (2.0 * stiffness / MASS).sqrt();
    let largest = 0.2 / frequency;
    for _ in 0..2000 {
        let report = run.advance();
        let length = (run.center(1) - run.center(0)).norm();
        let expected = 0.5 + largest * (frequency * report.time).sin();
        let off = (length - expected).abs();
        assert!(off < 0.02 * largest, "{off} m at {} s", report.time);
        let energy = energy(&report);
        assert!((energy / (MASS * 0.01) - 1.0).abs() < 0.02, "{energy} J");
    }
}

/// A cube falls into its rope, which then carries it.
#[test]
fn a_rope_holds_a_body_that_falls_into_it() {
    let parts = [
        cube("load", [0.0; 3], ""),
        joint(
            "rope",
            "load",
            "anchor = [0, 0, 0]\nend = [0, 0, 0.2]\nlength = 0.5",
        ),
    ];
    let mut run = run(0.01, GRAVITY, &parts);
    let falling = run.advance_to(0.2);
    assert!((falling.kinetic_energy / (0.5 * MASS * (GRAVITY * 0.2).powi(2)) - 1.0).abs() < 0.02);
    assert_eq!(run.state.joint_forces, [0.0]);
    run.advance_to(1.0);
    assert!((run.center(0).z + 0.3).abs() < 1e-6, "{}", run.center(0).z);
    let tension = run.state.joint_forces[0];
    assert!(
        (tension / (MASS * GRAVITY) - 1.0).abs() < 1e-3,
        "{tension} N"
    );
}

/// A load on a rope is thrown up, so that the rope becomes slack where gravity alone bends the path more than the rope
/// does: where `v² = g L sin θ`, with `v² = v₀² − 2 g L sin θ`. From there on it flies.
#[test]
fn a_rope_does_not_push() {
    let (length, thrown) = (0.5, 2.0_f64);
    let parts = [
        cube("load", [length, 0.0, 0.0], "velocity = [0, 0, 2]"),
        joint(
            "rope",
            "load",
            "anchor = [0.5, 0, 0]\nend = [0, 0, 0]\nlength = 0.5",
        ),
    ];
    let mut run = run_with("longest_period = 1e-4", 1e-3, GRAVITY, &parts);
    let sine = thrown * thrown / (3.0 * GRAVITY * length);
    let (angle, speed) = (sine.asin(), (GRAVITY * length * sine).sqrt());
    loop {
        run.advance();
        let at = run.center(0);
        if at.z.atan2(at.x) >= angle {
            break;
        }
    }
    let start = (run.center(0), run.state.time);
    run.advance_to(start.1 + 0.1);
    let wait = run.state.time - start.1;
    let fallen = 0.5 * GRAVITY * wait * wait;
    let along = Vector3::new(-angle.sin(), 0.0, angle.cos()) * (speed * wait);
    let off = (run.center(0) - start.0 - along + Vector3::z() * fallen).norm();
    assert!(off < 1e-3, "{off} m");
    assert_eq!(run.state.joint_forces, [0.0]);
}

/// A body turns by two radians in the longest period: the joint has no solution there, but it has in shorter ones.
#[test]
fn a_period_without_solution_is_divided() {
    let parts = [
        cube(
            "wheel",
            [0.1, 0.0, 0.0],
            "angular_velocity = [0, 0, 2000]\nvelocity = [0, 200, 0]",
        ),
        joint("ball", "wheel", "anchor = [0, 0, 0]"),
    ];
    let mut run = run(1e-3, 0.0, &parts);
    let first = run.advance();
    let last = run.advance_to(0.02);
    assert!((energy(&last) / energy(&first) - 1.0).abs() < 0.02);
}

/// A winch pulls a load up by a link that becomes shorter.
#[test]
fn a_link_that_becomes_shorter_lifts_its_load() {
    let parts = [
        cube("load", [0.0; 3], ""),
        joint(
            "link",
            "load",
            "anchor = [0, 0, 0]\nend = [0, 0, 1]\nlength = [[0, 1.0], [0.5, 0.8], [1, 0.8]]",
        ),
    ];
    let mut run = run(0.01, GRAVITY, &parts);
    let model_rows = run.simulation.model().constraints.rows.len();
    assert_eq!(model_rows, 1);
    loop {
        let model = run.simulation.model();
        let report = run
            .stepper
            .advance(model, &mut run.state)
            .expect("no trouble");
        assert_eq!((report.inexact_solves, report.energy_gains), (0, 0));
        let length = (1.0 - 0.4 * report.time).max(0.8);
        let off = (1.0 - run.center(0).z - length).abs();
        assert!(off < CLOSED, "{off} m at {} s", report.time);
        if report.time > 1.0 - 1e-9 {
            break;
        }
    }
}

/// A door swings between the limits of its hinge.
#[test]
fn limits_of_a_hinge_hold() {
    let parts = [
        cube(
            "door",
            [0.2, 0.0, 0.0],
            "angular_velocity = [0, 0, 4]\nvelocity = [0, 0.8, 0]",
        ),
        joint(
            "hinge",
            "door",
            "anchor = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = [-0.5, 0.5]",
        ),
    ];
    let mut run = run(0.01, 0.0, &parts);
    let mut farthest = 0.0_f64;
    for _ in 0..100 {
        run.advance();
        let at = run.center(0);
        farthest = farthest.max(at.y.atan2(at.x));
    }
    assert!((farthest - 0.5).abs() < 1e-3, "{farthest}");
}

/// A soft bar whose end is held by a ball joint to a rigid cube that turns: momenta are kept, and energy is.
#[test]
fn soft_and_rigid_bodies_are_joined() {
    let bar = "[[body]]\nname = \"bar\"\nmesh = { cuboid = { size = [0.4, 0.1, 0.1], cells = [4, 1, 1] } }\n\
               material = { density = 1000, young = 1e5, poisson = 0.3 }\nposition = [0.3, 0, 0]\n"
        .to_owned();
    let parts = [
        cube("rigid", [0.0; 3], "velocity = [0, 0.5, 0]"),
        bar,
        joint("ball", "rigid", "second = \"bar\"\nanchor = [0.1, 0, 0]"),
    ];
    let mut run = run(0.01, 0.0, &parts);
    let first = run.advance();
    let last = run.advance_to(1.0);
    let momentum = Vector3::from(first.momentum).norm();
    assert!(off(first.momentum, last.momentum) < 1e-12 * momentum);
    let turning = off(first.angular_momentum, last.angular_momentum);
    assert!(turning < 1e-6 * momentum, "{turning}");
    assert!((energy(&last) / energy(&first) - 1.0).abs() < 0.02);
}

/// A chain of five cubes falls on the ground and comes to rest there.
#[test]
fn a_chain_falls_on_the_ground() {
    let mut parts = vec![
        "[[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n"
            .to_owned(),
    ];
    for k in 0..5 {
        let at = [0.15 * f64::from(k), 0.0, 0.06 + 0.05 * f64::from(k)];
        parts.push(cube(&format!("link{k}"), at, ""));
        if k > 0 {
            let before = k - 1;
            let (x, z) = (
                0.15 * f64::from(k) - 0.075,
                0.085 + 0.05 * f64::from(before),
            );
            parts.push(joint(
                "ball",
                &format!("link{before}"),
                &format!("second = \"link{k}\"\nanchor = [{x}, 0, {z}]"),
            ));
        }
    }
    let mut run = run_with("restitution = 0", 0.01, GRAVITY, &parts);
    run.closed = 1e-5;
    let last = run.advance_to(1.0);
    assert!(last.kinetic_energy < 1e-3, "{} J", last.kinetic_energy);
    let weight = 5.0 * MASS * GRAVITY;
    assert!(
        (last.contact_force[2] / weight - 1.0).abs() < 0.1,
        "{:?}",
        last.contact_force
    );
}

/// A cube that is welded on another one, which stands on the ground: the weld carries it in the mean, mostly by answers
/// to the impulses of the ground.
#[test]
fn forces_of_joints_contain_their_answers() {
    let parts = [
        "[[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n"
            .to_owned(),
        cube("lower", [0.0, 0.0, 0.051], ""),
        cube("upper", [0.0, 0.0, 0.16], ""),
        joint(
            "weld",
            "lower",
            "second = \"upper\"\nanchor = [0, 0, 0.105]",
        ),
    ];
    let mut run = run_with("restitution = 0", 1e-3, GRAVITY, &parts);
    run.closed = 1e-5;
    run.advance_to(0.5);
    let mut sum = 0.0;
    for _ in 0..500 {
        run.advance();
        sum += run.state.joint_forces[2].abs();
    }
    let mean = sum / 500.0;
    assert!((mean / (MASS * GRAVITY) - 1.0).abs() < 0.02, "{mean} N");
}

/// A spring that no clock can follow is refused with the remedy, and speculation with joints too.
#[test]
fn springs_that_are_too_stiff_are_refused() {
    let with = |compliance: f64, detection: &str| {
        let parts = [
            cube("load", [0.0; 3], ""),
            joint(
                "link",
                "load",
                &format!("anchor = [0, 0, 0]\nend = [0, 0, 1]\ncompliance = {compliance:e}"),
            ),
        ];
        let text = format!(
            "stepper = \"asynchronous\"\n[time]\nstep = 0.01\nduration = 1\n[asynchronous]\nthickness = 1e-3\n\
             {detection}\n{}",
            parts.concat()
        );
        let scene =
            Scene::parse("spring.toml", &text, &[""; 0]).map_err(|error| error.to_string())?;
        Simulation::new(&scene)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(with(1e-6, ""), Ok(()));
    let error = with(1e-18, "").expect_err("too stiff");
    assert!(error.contains("the springs of joints"), "{error}");
    assert!(
        error.contains("a joint without compliance needs no fast clock"),
        "{error}"
    );
    let error = with(1e-6, "detection = \"speculative\"").expect_err("not supported");
    assert!(
        error.contains("speculative detection does not support joints"),
        "{error}"
    );
}
