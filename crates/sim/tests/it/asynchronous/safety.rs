//! No surface passes through another, checked by brute force and by exact predicates.

use super::support::{CLOTH, Random, Scene, law, nail, sheet};
use impinge_sim::stepper::asynchronous::{
    Engine, Path, Script, Settings, Stop, System, SystemError,
};
use nalgebra::Vector3;

/// A sheet falls on a sharp tetrahedron; some of its points get random impulses.
fn falling_sheet(speed: f64) -> System {
    let (points, triangles) = sheet([5, 5], 0.02);
    let mut random = Random(3);
    let mut scene = Scene::default();
    scene.add_shell(&points, &triangles, &CLOTH, Vector3::new(0.0, 0.0, -speed));
    for velocity in &mut scene.velocities {
        *velocity += Vector3::new(random.next(), random.next(), random.next()) * 0.3;
    }
    let (points, triangles) = nail(Vector3::new(0.052, 0.049, -0.03), 0.01);
    scene.add_obstacle(&points, &triangles);
    scene.system(law(20.0, 2e-3), 9.81)
}

/// After every thousandth event, brute force finds every pair watched and every certificate valid.
#[test]
fn the_invariants_hold() {
    let mut engine = Engine::new(falling_sheet(2.0), Settings::default()).expect("a sound system");
    engine.audit().expect("the invariants hold at the start");
    let mut events = 0_u64;
    while engine.step(0.08).expect("no trouble").is_some() {
        events += 1;
        if events.is_multiple_of(500) {
            engine.audit().expect("the invariants hold");
        }
    }
    assert!(engine.statistics().layer_pushes > 100, "nothing touched");
}

/// A path that waits, then moves suddenly.
#[derive(Debug)]
struct Jump {
    at: f64,
    before: Vector3<f64>,
    after: Vector3<f64>,
}

impl Path for Jump {
    fn position_at(&self, start: &Vector3<f64>, time: f64) -> Vector3<f64> {
        start + self.before * time.min(self.at) + self.after * (time - self.at).max(0.0)
    }
}

/// A prescribed body that suddenly is a thousand times as fast takes the sheet along.
#[test]
fn a_jump_of_velocity_passes_nothing() {
    let (points, triangles) = sheet([4, 4], 0.02);
    let mut scene = Scene::default();
    scene.add_shell(&points, &triangles, &CLOTH, Vector3::zeros());
    let (points, triangles) = nail(Vector3::new(0.041, 0.043, -0.03), 0.01);
    let first = scene.add_obstacle(&points, &triangles) as u32;
    let mut system = scene.system(law(20.0, 2e-3), 0.0);
    system.scripts.push(Script {
        vertices: (first..first + 4).collect(),
        path: Box::new(Jump {
            at: 0.02,
            before: Vector3::new(0.0, 0.0, 0.05),
            after: Vector3::new(0.0, 0.0, 50.0),
        }),
        period: 1e-3,
    });
    let mut engine = Engine::new(system, Settings::default()).expect("a sound system");
    let mut time = 0.0;
    while time < 0.025 {
        time += 1e-3;
        engine.run(time).expect("no trouble");
        engine.audit().expect("the invariants hold");
    }
    let tip = engine.vertices()[first as usize + 3].at(time).z;
    let middle = engine.vertices()[12].at(time).z;
    assert!(tip > 0.2 && middle > tip, "tip {tip}, sheet {middle}");
}

/// A sheet between two closing walls: the run stops and names the place.
#[test]
fn a_run_without_progress_stops_safely() {
    let (points, triangles) = sheet([2, 2], 0.02);
    let mut scene = Scene::default();
    scene.add_shell(&points, &triangles, &CLOTH, Vector3::zeros());
    let wall: Vec<_> = points
        .iter()
        .map(|x| x * 3.0 + Vector3::new(-0.04, -0.04, 0.0))
        .collect();
    let shifted = |z: f64| {
        wall.iter()
            .map(|x| x + Vector3::new(0.0, 0.0, z))
            .collect::<Vec<_>>()
    };
    let lower = scene.add_obstacle(&shifted(-0.01), &triangles) as u32;
    let upper = scene.add_obstacle(&shifted(0.01), &triangles) as u32;
    let count = points.len() as u32;
    let mut system = scene.system(law(20.0, 2e-3), 0.0);
    for (first, speed) in [(lower, 0.1), (upper, -0.1)] {
        system.scripts.push(Script {
            vertices: (first..first + count).collect(),
            path: Box::new(Jump {
                at: 0.0,
                before: Vector3::zeros(),
                after: Vector3::new(0.0, 0.0, speed),
            }),
            period: 1e-3,
        });
    }
    let settings = Settings {
        most_ticks: 1e6,
        ..Settings::default()
    };
    let mut engine = Engine::new(system, settings).expect("a sound system");
    let stop = engine.run(0.2).expect_err("walls meet at 0.1 s");
    let Stop::NoProgress {
        time,
        distance,
        thickness,
        ..
    } = stop
    else {
        panic!("{stop}");
    };
    assert!((0.08..0.1).contains(&time), "{time}");
    assert!(distance > 0.0 && thickness < 2e-3);
    assert!(stop.to_string().contains("no progress at t = "));
    for vertex in &engine.vertices()[..count as usize] {
        assert!(vertex.at(time).z.abs() < 0.1 * (0.1 - time));
    }
}

/// Two triangles that collide with an edge and a corner, with all layers always active or only near ones.
#[test]
fn culling_is_exact_for_triangles() {
    let run = |culling: bool| {
        let triangle = [Vector3::zeros(), Vector3::x() * 0.05, Vector3::y() * 0.04];
        let mut scene = Scene::default();
        scene.add_shell(&triangle, &[[0, 1, 2]], &CLOTH, Vector3::new(0.0, 0.0, 0.5));
        let turn = nalgebra::Rotation3::new(Vector3::new(0.7, 0.4, 0.2));
        let above = triangle.map(|x| turn * x + Vector3::new(0.01, 0.0, 0.03));
        scene.add_shell(&above, &[[0, 1, 2]], &CLOTH, Vector3::new(0.05, 0.0, -0.5));
        let settings = Settings {
            culling,
            unculled_depth: 12,
            ..Settings::default()
        };
        let mut engine =
            Engine::new(scene.system(law(5.0, 2e-3), 0.0), settings).expect("a sound system");
        engine.run(0.15).expect("no trouble");
        engine
    };
    let (culled, unculled) = (run(true), run(false));
    assert!(culled.statistics().layer_pushes > 50);
    assert!((1..12).contains(&culled.statistics().deepest_layer));
    assert_eq!(
        culled.statistics().layer_pushes,
        unculled.statistics().layer_pushes
    );
    for (vertex, reference) in culled.vertices().iter().zip(unculled.vertices()) {
        let off = (vertex.velocity - reference.velocity).norm();
        assert!(off <= 1e-12 * reference.velocity.norm(), "{off:e}");
    }
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
    let error = Engine::new(scene.system(law(20.0, 2e-3), 0.0), Settings::default());
    assert!(matches!(error, Err(SystemError::TooClose { .. })));
}
