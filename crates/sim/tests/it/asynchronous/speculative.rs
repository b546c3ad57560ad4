//! Speculation: the same motion as with certificates, bit for bit, for any windows and any output times.

use super::support::{CLOTH, Random, Scene, law, nail, particle, sheet};
use impinge_sim::scene::Detection;
use impinge_sim::stepper::asynchronous::{
    Engine, Path, Plane, Script, Settings, Stop, System, SystemError,
};
use nalgebra::Vector3;

fn engine(system: System, detection: Detection) -> Engine {
    let settings = Settings {
        detection,
        ..Settings::default()
    };
    Engine::new(system, settings).expect("a sound system")
}

/// Runs both variants, the second one in uneven slices, and compares every bit of them.
fn assert_equal_motion(system: impl Fn() -> System, end: f64, slices: u32) -> Engine {
    let mut kinetic = engine(system(), Detection::Kinetic);
    kinetic.run(end).expect("no trouble");
    let mut speculative = engine(system(), Detection::Speculative);
    for slice in 1..=slices {
        let share = f64::from(slice) / f64::from(slices);
        speculative.run(end * share * share).expect("no trouble");
        speculative.audit().expect("the invariants hold");
    }
    assert_eq!(kinetic.vertices(), speculative.vertices());
    let (one, other) = (kinetic.statistics(), speculative.statistics());
    assert_eq!(one.layer_pushes, other.layer_pushes);
    assert_eq!(one.force_terms, other.force_terms);
    assert_eq!(one.steps, other.steps);
    assert!(other.windows >= u64::from(slices));
    speculative
}

/// Two sheets, one above the other, fall on a nail: contact with an obstacle, with each other and self-contact.
fn pile() -> System {
    let (points, triangles) = sheet([5, 4], 0.02);
    let mut random = Random(11);
    let mut scene = Scene::default();
    scene.add_shell(&points, &triangles, &CLOTH, Vector3::new(0.0, 0.0, -1.5));
    let above: Vec<_> = points
        .iter()
        .map(|x| x + Vector3::new(0.004, -0.003, 0.012))
        .collect();
    scene.add_shell(&above, &triangles, &CLOTH, Vector3::new(0.2, 0.0, -2.5));
    for velocity in &mut scene.velocities {
        *velocity += Vector3::new(random.next(), random.next(), random.next()) * 0.3;
    }
    let (points, triangles) = nail(Vector3::new(0.052, 0.043, -0.03), 0.01);
    scene.add_obstacle(&points, &triangles);
    let mut system = scene.system(law(20.0, 2e-3), 9.81);
    system.restitution = 0.4;
    system.friction = vec![0.3; 3];
    system
}

/// Bit for bit, since additions have one order.
#[test]
fn both_back_ends_move_alike() {
    let speculative = assert_equal_motion(pile, 0.06, 7);
    assert!(speculative.statistics().layer_pushes > 2_000);
    assert!(
        speculative.statistics().windows_returned > 0,
        "nothing was ever done again, so going back was not tried"
    );
    assert!(
        speculative.statistics().windows_resumed > 0,
        "no part of a window ever stood, so going back to the middle was not tried"
    );
    // Most layers are activated before they are needed, and the part of a window before a missed layer is accepted.
    assert!(speculative.statistics().windows_returned * 5 < speculative.statistics().windows);
    assert!(speculative.statistics().events_in_vain * 20 < speculative.statistics().events());
}

#[test]
fn both_back_ends_bounce_alike_on_a_floor() {
    let dropped = || {
        let mut system = particle(0.3, true);
        system.restitution = 0.9;
        system.velocities[0].x = 0.4;
        system.friction[0] = 0.5;
        system.planes[0].friction = 0.5;
        system
    };
    let speculative = assert_equal_motion(dropped, 1.5, 3);
    assert!(speculative.statistics().layer_pushes > 100);
}

/// A path that waits, then moves suddenly.
#[derive(Debug)]
struct Jump(f64);

impl Path for Jump {
    fn position_at(&self, start: &Vector3<f64>, time: f64) -> Vector3<f64> {
        let way = 0.05 * time.min(0.02) + self.0 * (time - 0.02).max(0.0);
        start + Vector3::new(0.0, 0.0, way)
    }
}

/// An obstacle that suddenly is a thousand times as fast, in the middle of a window.
#[test]
fn both_back_ends_survive_a_jump_alike() {
    let hit = || {
        let (points, triangles) = sheet([4, 4], 0.02);
        let mut scene = Scene::default();
        scene.add_shell(&points, &triangles, &CLOTH, Vector3::zeros());
        let (points, triangles) = nail(Vector3::new(0.041, 0.043, -0.03), 0.01);
        let first = scene.add_obstacle(&points, &triangles) as u32;
        let mut system = scene.system(law(20.0, 2e-3), 0.0);
        system.scripts.push(Script {
            vertices: (first..first + 4).collect(),
            path: Box::new(Jump(50.0)),
            period: 1e-3,
        });
        system
    };
    assert_equal_motion(hit, 0.024, 2);
}

/// If speculation cannot continue, it reports the reason, from the last accepted state.
#[test]
fn a_run_without_progress_stops_safely() {
    let mut system = particle(0.2, false);
    system.velocities[0] = Vector3::new(0.0, 0.0, -1e3);
    let settings = Settings {
        detection: Detection::Speculative,
        most_ticks: 1e5,
        ..Settings::default()
    };
    let mut engine = Engine::new(system, settings).expect("a sound system");
    let stop = engine.run(1e-3).expect_err("too fast for so few ticks");
    let Stop::NoProgress {
        speed,
        stiffness,
        thickness,
        ..
    } = stop
    else {
        panic!("{stop}");
    };
    assert!((speed - 1e3).abs() < 1.0, "{stop}");
    assert!(stiffness.is_finite() && thickness.is_finite(), "{stop}");
    let vertex = engine.vertices()[0];
    assert!(vertex.at(engine.now()).z > 0.0);
    engine.audit().expect("safe");
}

#[test]
fn a_start_below_the_layers_is_refused() {
    let (points, triangles) = sheet([2, 2], 0.02);
    let mut scene = Scene::default();
    scene.add_shell(&points, &triangles, &CLOTH, Vector3::zeros());
    let above: Vec<_> = points
        .iter()
        .map(|x| x + Vector3::new(0.001, 0.002, 1e-7))
        .collect();
    scene.add_shell(&above, &triangles, &CLOTH, Vector3::zeros());
    let settings = Settings {
        detection: Detection::Speculative,
        ..Settings::default()
    };
    let error = Engine::new(scene.system(law(20.0, 2e-3), 0.0), settings);
    assert!(matches!(error, Err(SystemError::TooClose { .. })));
}

/// Large enough that threads share force terms, pairs of layers and window checks.
#[test]
fn a_large_sheet_moves_alike_on_any_number_of_threads() {
    let fallen = || {
        let cell = 0.01;
        let (mut points, triangles) = sheet([66, 66], cell);
        for point in &mut points {
            point.z = 1e-4 * (40.0 * point.x).sin() + 2.05e-3;
        }
        let mut scene = Scene::default();
        scene.add_shell(&points, &triangles, &CLOTH, Vector3::new(0.1, 0.0, -0.4));
        let mut system = scene.system(law(20.0, 2e-3), 9.81);
        system.planes.push(Plane {
            normal: Vector3::z(),
            offset: 0.0,
            friction: 0.3,
        });
        system.restitution = 0.4;
        system.friction = vec![0.3];
        system
    };
    let run = |threads: usize, detection: Detection| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| {
            let mut engine = engine(fallen(), detection);
            engine.run(3e-3).expect("no trouble");
            engine
        })
    };
    let one = run(1, Detection::Kinetic);
    assert!(one.statistics().layer_pushes > 4_000);
    for (threads, detection) in [
        (4, Detection::Kinetic),
        (1, Detection::Speculative),
        (4, Detection::Speculative),
    ] {
        let other = run(threads, detection);
        assert_eq!(one.vertices(), other.vertices(), "{threads} threads");
        assert_eq!(one.statistics().steps, other.statistics().steps);
    }
}

/// Certificates for one velocity, as in Harmon et al. 2012, are rescheduled by every impulse; the motion is the same.
#[test]
fn promises_do_not_change_the_motion() {
    let run = |velocity_bound: f64| {
        let settings = Settings {
            velocity_bound,
            ..Settings::default()
        };
        let mut engine = Engine::new(pile(), settings).expect("a sound system");
        engine.run(0.03).expect("no trouble");
        engine
    };
    let (kept, broken) = (run(0.25), run(0.0));
    assert_eq!(kept.vertices(), broken.vertices());
    assert!(kept.statistics().velocity_bounds_left * 10 < broken.statistics().velocity_bounds_left);
}
