//! The doctor identifies bodies of all kinds, in whatever order a scene lists its elastic, thin and rigid ones.

use impinge_sim::doctor::{SeparateError, Symptom, examine, separate};
use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;

const HEAD: &str = "[time]\nstep = 1e-3\nduration = 0.01\n";
const GROUND: &str =
    "[[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n";

fn scene(parts: &[String]) -> Scene {
    let text = HEAD.to_owned() + &parts.concat();
    Scene::parse("test.toml", &text, &[""; 0]).unwrap_or_else(|error| panic!("{error}"))
}

/// A body of each kind; `kind` is one of `KINDS`.
fn body(kind: &str, name: &str, position: [f64; 3]) -> String {
    let [mut x, y, z] = position;
    if kind == "copies" {
        // The middle of the two.
        x -= 1.5;
    }
    let what = match kind {
        "elastic" => {
            "mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\n\
             material = { young = 1e5, poisson = 0.3, density = 1000 }\n"
        }
        "rigid" => {
            "kind = \"rigid\"\ndensity = 1000\nmesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\n"
        }
        "shell" => {
            "kind = \"shell\"\nmesh = { grid = { size = [0.1, 0.1], cells = [2, 2] } }\n\
             shell = { stretch = 100, density = 0.2 }\nrotation = { axis = [1, 0, 0], degrees = 30 }\n"
        }
        // Two of a kind, the second of which is in the way.
        _ => {
            "kind = \"rigid\"\ndensity = 1000\nmesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\n\
             copies = { count = 2, columns = [2, 1], spacing = [3.0, 3.0, 3.0] }\n"
        }
    };
    format!("[[body]]\nname = \"{name}\"\n{what}position = [{x:?}, {y:?}, {z:?}]\n")
}

const KINDS: [&str; 4] = ["elastic", "rigid", "shell", "copies"];

/// Positions of all bodies, by name.
fn places(scene: &Scene) -> Vec<(String, Vector3<f64>)> {
    let parts = scene.instantiate().expect("a scene that was written");
    let elastic = parts.bodies.iter().map(|part| (&part.name, part.origin));
    let thin = parts.shells.iter().map(|part| (&part.name, part.origin));
    let rigid = parts
        .rigid_bodies
        .iter()
        .map(|part| (&part.name, part.origin));
    let mut places: Vec<(String, Vector3<f64>)> = elastic
        .chain(thin)
        .chain(rigid)
        .map(|(name, origin)| (name.clone(), origin.position))
        .collect();
    places.sort_by(|a, b| a.0.cmp(&b.0));
    places
}

/// Every pair of kinds overlaps in turn, in every order and next to bystanders of the other kinds: only the bodies in
/// the way move.
#[test]
fn bodies_of_every_kind_are_moved_in_every_order() {
    let orders: Vec<[usize; 4]> = (0..256)
        .map(|code| [code % 4, code / 4 % 4, code / 16 % 4, code / 64])
        .filter(|order| (0..4).all(|kind| order.contains(&kind)))
        .collect();
    assert_eq!(orders.len(), 24);
    for order in orders {
        // The first two overlap; the others stand apart.
        let spots = [
            [0.0, 0.0, 1.0],
            [0.04, 0.01, 1.02],
            [0.0, 1.0, 1.0],
            [0.0, 2.0, 1.0],
        ];
        for listed in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let parts: Vec<String> = (listed.iter())
                .map(|&at| {
                    body(
                        KINDS[order[at]],
                        &format!("{} {at}", KINDS[order[at]]),
                        spots[at],
                    )
                })
                .chain([GROUND.to_owned()])
                .collect();
            let scene = scene(&parts);
            let separation =
                separate(&scene).unwrap_or_else(|error| panic!("{order:?} {listed:?}: {error}"));
            assert!(Simulation::new(&separation.scene).is_ok());
            let moved: Vec<&str> = separation
                .moves
                .iter()
                .map(|way| way.body.as_str())
                .collect();
            assert!((1..=2).contains(&moved.len()), "{moved:?}");
            for ((name, before), (same, after)) in
                places(&scene).iter().zip(places(&separation.scene))
            {
                assert_eq!(*name, same);
                let way = (after - before).norm();
                let listed = separation.moves.iter().find(|way| way.body == *name);
                assert!(
                    (way - listed.map_or(0.0, |way| way.length)).abs() < 1e-12,
                    "{name}"
                );
                let in_the_way = [0, 1].iter().any(|at| {
                    let kind = KINDS[order[*at]];
                    name.starts_with(&format!("{kind} {at}"))
                });
                assert!(way == 0.0 || in_the_way, "{name} moved by {way}");
            }
        }
    }
}

/// A finding names the right body.
#[test]
fn findings_name_the_body_that_they_are_about() {
    let fast = body("elastic", "fast", [0.0, 0.0, 3.0]) + "velocity = [300, 0, 0]\n";
    let parts = [
        body("rigid", "slow", [0.0, 0.0, 1.0]),
        body("shell", "sheet", [0.0, 0.0, 2.0]),
        fast,
    ];
    let findings = examine(&scene(&parts)).findings;
    let named = findings.iter().find_map(|finding| match &finding.symptom {
        Symptom::FastStart { body, .. } => Some(body.as_str()),
        _ => None,
    });
    assert_eq!(named, Some("fast"), "{findings:?}");
}

/// A region of nodal forces moves along with its body.
#[test]
fn pulls_move_with_their_body() {
    let pulled = body("elastic", "pulled", [0.0, 0.0, 1.0])
        + "pulls = [{ force = [0, 0, 1], box = { lower = [-1, -1, 1.04999], upper = [1, 1, 1.05001] } }]\n";
    let parts = [pulled, body("rigid", "other", [0.01, 0.0, 1.06])];
    let separation = separate(&scene(&parts)).expect("there is room");
    let before = scene(&parts).instantiate().expect("parts");
    let after = separation.scene.instantiate().expect("parts");
    assert!(separation.moves.iter().any(|way| way.body == "pulled"));
    assert_eq!(before.bodies[0].nodes.pull, after.bodies[0].nodes.pull);
}

/// Held bodies that touch by rounding need no move. For overlapping ones, the message gives the depth and the reasons
/// why both are fixed.
#[test]
fn held_bodies_are_told_by_how_much_they_overlap() {
    let held = "fixed = [{ box = { lower = [-1, -1, -1], upper = [1, 1, 0.001] } }]\n";
    let free = body("rigid", "free", [1.0, 0.0, 0.2]);
    let with = |depth: f64| {
        let lower = body("elastic", "lower", [0.0, 0.0, 0.05 - depth]) + held;
        scene(&[lower, free.clone(), GROUND.to_owned()])
    };
    let separation = separate(&with(1.4e-17)).expect("it touches");
    assert!(separation.moves.is_empty());
    assert!(Simulation::new(&separation.scene).is_ok());
    match separate(&with(0.002)) {
        Err(error @ SeparateError::Immovable { depth, .. }) => {
            assert!((depth - 0.002).abs() < 1e-9);
            let said = error.to_string();
            assert!(
                said.contains("overlap by 0.002 m") && said.contains("4 of the 8 nodes of `lower`"),
                "{said}"
            );
        }
        other => panic!("{other:?}"),
    }
}
