//! Prescribed motions: positions, velocities, and valid input.

use impinge_sim::scene::{MotionLeg, MotionStart, RigidMotion, Scene};
use nalgebra::Vector3;

const NONE: &[&str] = &[];

/// The velocity is the derivative of the position: central differences with their measured order of 2.
#[test]
fn velocity_of_a_rigid_motion_is_the_derivative_of_its_position() {
    let motion = RigidMotion {
        velocity: Vector3::new(0.3, -0.2, 0.1),
        angular_velocity: Vector3::new(1.0, 2.0, -0.5),
        center: Vector3::new(0.1, 0.2, 0.3),
        until: None,
        start: MotionStart::default(),
        then: vec![MotionLeg {
            at: 1.5,
            velocity: Vector3::new(-1.0, 0.4, 2.0),
            angular_velocity: Vector3::new(-3.0, 0.5, 1.0),
        }],
    };
    let start = Vector3::new(1.0, -1.0, 0.5);
    for time in [0.7, 2.2] {
        let error = |h: f64| {
            let slope = (motion.position_at(&start, time + h)
                - motion.position_at(&start, time - h))
                / (2.0 * h);
            (slope - motion.velocity_at(&start, time)).norm()
        };
        let order = (error(2e-2) / error(1e-2)).log2();
        assert!((order - 2.0).abs() < 0.05, "order {order} at {time}");
    }
    let jump = motion.position_at(&start, 1.5 + 1e-9) - motion.position_at(&start, 1.5);
    assert!(jump.norm() < 1e-7, "{jump}");
}

/// A quarter turn about the centre, a translation along x that moves the centre, and another quarter turn about it.
#[test]
fn legs_of_a_motion_follow_one_another() {
    let quarter = Vector3::z() * std::f64::consts::FRAC_PI_2;
    let leg = |at, velocity, angular_velocity| MotionLeg {
        at,
        velocity,
        angular_velocity,
    };
    let motion = RigidMotion {
        velocity: Vector3::zeros(),
        angular_velocity: quarter,
        center: Vector3::new(1.0, 0.0, 0.0),
        until: None,
        start: MotionStart::default(),
        then: vec![
            leg(1.0, Vector3::x() * 2.0, Vector3::zeros()),
            leg(2.0, Vector3::zeros(), quarter),
            leg(3.0, Vector3::zeros(), Vector3::zeros()),
        ],
    };
    let start = Vector3::new(2.0, 0.0, 0.0);
    for (time, expected) in [
        (0.0, start),
        (1.0, Vector3::new(1.0, 1.0, 0.0)),
        (1.5, Vector3::new(2.0, 1.0, 0.0)),
        (2.0, Vector3::new(3.0, 1.0, 0.0)),
        (3.0, Vector3::new(2.0, 0.0, 0.0)),
        (9.0, Vector3::new(2.0, 0.0, 0.0)),
    ] {
        let error = (motion.position_at(&start, time) - expected).norm();
        assert!(error < 1e-14, "{time}: {error:e}");
    }
    let waits = RigidMotion {
        then: vec![leg(1.0, Vector3::x(), quarter)],
        ..RigidMotion::rest()
    };
    assert!(!waits.is_rest());
    let odd = Vector3::new(0.1, 0.7, -1.3);
    assert_eq!(waits.position_at(&odd, 0.9), odd, "bit for bit");
    // Only legs in the given interval count.
    let fastest = |motion: &RigidMotion| {
        [(0.0, 1.0), (0.9, 1.1), (5.0, 6.0)]
            .map(|(from, to)| motion.fastest_turn_between(from, to) > 1.0)
    };
    assert_eq!(fastest(&waits), [false, true, true]);
    assert_eq!(fastest(&motion), [true, true, false]);
    let until = Some(0.5);
    assert_eq!(fastest(&RigidMotion { until, ..waits }), [false; 3]);
}

#[test]
fn legs_of_a_motion_are_read_and_checked() {
    let scene = |then: &str| {
        format!(
            "[time]\nstep = 0.1\nduration = 1\n[[obstacle]]\nname = \"post\"\nshape = {{ cuboid = {{ \
             size = [1, 1, 1] }} }}\nmotion = {{ then = [{then}] }}\n[[body]]\nname = \"cube\"\nmesh = {{ cuboid = {{ \
             size = [1, 1, 1], cells = [1, 1, 1] }} }}\nposition = [9, 0, 0]\nmaterial = {{ young = 1e5, poisson = \
             0.3, density = 1000 }}\n"
        )
    };
    let text = scene("{ at = 0.5, velocity = [0, 0, 2] }, { at = 0.75 }");
    let parts = Scene::parse("test.toml", &text, NONE)
        .and_then(|scene| scene.instantiate())
        .unwrap();
    let motion = parts
        .motions
        .iter()
        .find(|motion| !motion.is_rest())
        .unwrap();
    let up = |time| motion.position_at(&Vector3::zeros(), time).z;
    for (time, expected) in [(0.5, 0.0), (0.6, 0.2), (0.75, 0.5), (1.0, 0.5)] {
        let found = up(time);
        assert!((found - expected).abs() < 1e-12, "{time}: {found}");
    }
    let late =
        "body.0.fixed=[{ until = 0.3, motion = { velocity = [0, 0, 1], then = [{ at = 0.5 }] } }]";
    let error = Scene::parse("test.toml", &text, &[late]).unwrap_err();
    assert!(error.to_string().contains("never reached"), "{error}");
    for (then, part) in [
        (
            "{ at = 0 }",
            "the time of a leg is 0, but must be greater than 0",
        ),
        ("{ at = nan }", "NaN is not a finite number"),
        (
            "{ at = 0.5 }, { at = 0.5 }",
            "not after the leg before, at 0.5 s",
        ),
        ("{ at = 1, velocity = [inf, 0, 0] }", "inf"),
    ] {
        let error = Scene::parse("test.toml", &scene(then), NONE)
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{then}: {error}");
    }
}
