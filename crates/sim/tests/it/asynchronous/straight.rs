//! Continuous collision detection over every straight piece of the motion, and exact predicates on its states; both are
//! independent of layers and certificates.

use super::support::{CLOTH, Random, Scene, law, nail, sheet};
use impinge_geometry::broad_phase::{Aabb, BroadPhase, BruteForce, CandidateSet};
use impinge_geometry::ccd::{CcdRule, LinearMotion, earliest_impact};
use impinge_geometry::exact::surface_intersections;
use impinge_sim::stepper::asynchronous::{Engine, Settings, System};
use nalgebra::Vector3;

/// Number of events between two checked states.
const EVENTS: u64 = 1_000;

/// Runs to `end`. Between two events all vertices move straight, and no pair may collide.
fn assert_straight_pieces_keep_apart(system: System, end: f64) {
    let mut engine = Engine::new(system, Settings::default()).expect("a sound system");
    let mut from = vec![Vector3::zeros(); engine.vertices().len()];
    let mut to = from.clone();
    engine.positions_into(0.0, &mut from);
    let (mut boxes, mut candidates) = (Vec::new(), CandidateSet::default());
    let (mut last, mut pieces, mut looked_at) = (0.0, 0_u32, 0);
    loop {
        let event = engine.step(end).expect("no trouble");
        let time = event.map_or(end, |event| event.time);
        if time > last {
            engine.positions_into(time, &mut to);
            boxes.clear();
            boxes.extend(from.iter().zip(&to).map(|(a, b)| Aabb::from_points([a, b])));
            BruteForce.collect(engine.surface(), &boxes, &mut candidates);
            let motion = LinearMotion {
                start: &from,
                end: &to,
            };
            let hit = earliest_impact(engine.surface(), &candidates, motion, &CcdRule::default());
            assert!(hit.is_none(), "{hit:?} between {last} s and {time} s");
            (last, pieces) = (time, pieces + 1);
            std::mem::swap(&mut from, &mut to);
        }
        let events = engine.statistics().events();
        if events / EVENTS > looked_at {
            looked_at = events / EVENTS;
            assert_eq!(surface_intersections(&from, engine.surface(), 1).len(), 0);
        }
        if event.is_none() {
            break;
        }
    }
    let statistics = engine.statistics();
    assert!(pieces > 1_000 && looked_at > 20, "{pieces} {looked_at}");
    assert!(statistics.layer_pushes > 500, "nothing touched");
}

#[test]
fn two_sheets_on_a_nail() {
    let (points, triangles) = sheet([3, 3], 0.02);
    let mut random = Random(17);
    let mut scene = Scene::default();
    scene.add_shell(&points, &triangles, &CLOTH, Vector3::new(0.0, 0.0, -2.0));
    let above: Vec<_> = points
        .iter()
        .map(|x| x + Vector3::new(0.004, -0.003, 0.01))
        .collect();
    scene.add_shell(&above, &triangles, &CLOTH, Vector3::new(0.2, 0.0, -3.0));
    for velocity in &mut scene.velocities {
        *velocity += Vector3::new(random.next(), random.next(), random.next()) * 0.3;
    }
    let (points, triangles) = nail(Vector3::new(0.032, 0.031, -0.03), 0.01);
    scene.add_obstacle(&points, &triangles);
    let mut system = scene.system(law(20.0, 2e-3), 9.81);
    system.friction = vec![0.3; 3];
    assert_straight_pieces_keep_apart(system, 0.04);
}
