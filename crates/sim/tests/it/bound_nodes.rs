//! Joints that bind the nodes of a body to another one.

use super::joints::{held, refused, run};
use impinge_contact::constraint::Term;

/// A soft and a stiff cube that touch, with coincident nodes. The far sides are held, and one of them is moved away.
const CUBES: &str = r#"
[time]
step = 1e-2
duration = 2.0
[world]
gravity = [0, 0, 0]
[[body]]
name = "soft"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { young = 1e5, poisson = 0.0, density = 1000, mass_damping = 10 }
fixed = [{ box = { lower = [-0.0501, -1, -1], upper = [-0.0499, 1, 1] } }]
[[body]]
name = "stiff"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { young = 1e8, poisson = 0.0, density = 1000, mass_damping = 10 }
position = [0.1, 0, 0]
fixed = [
  { box = { lower = [0.1499, -1, -1], upper = [0.1501, 1, 1] }, motion = { velocity = [0.05, 0, 0], then = [
    { at = 1.0 },
  ] } },
]
[[joint]]
kind = "bind"
first = "stiff"
second = "soft"
"#;

/// Stretched by 50 mm, each cube acts as a spring k = E A / l: ½ (k₁ k₂ / (k₁ + k₂)) u² = 12.49 J. Nodes of the next
/// layer, also in the selecting ball, are 33 mm off and must not be bound, which would double the energy.
#[test]
fn bound_cubes_share_a_stretch_by_their_stiffness() {
    let [soft, stiff] = [1e5 * 0.1, 1e8 * 0.1];
    let expected = 0.5 * soft * stiff / (soft + stiff) * 0.05_f64.powi(2);
    let ball = "anchor = [0.05, 0, 0]\nreach = 0.0709\n";
    let side = "box = { lower = [0.04, -1, -1], upper = [0.06, 1, 1] }\n";
    for (selection, left_out) in [(ball, true), (side, false), ("", false)] {
        let mut simulation = run(&format!("{CUBES}{selection}"), 0);
        let said = simulation.take_notices();
        let counted = said
            .iter()
            .any(|notice| notice.contains("joint 0 binds 16 nodes of `stiff` to `soft`"));
        assert_eq!(counted, left_out, "{selection}: {said:?}");
        assert_eq!(simulation.model().constraints.rows.len(), 16, "{selection}");
        let last = (0..200)
            .map(|_| simulation.advance().expect("solved"))
            .last();
        let energy = last.expect("steps").elastic_energy;
        assert!(
            (energy - expected).abs() < 2e-3 * expected,
            "{selection}: {energy} J, {expected} J expected"
        );
    }
}

/// Bodies that are apart are rejected with their distance.
#[test]
fn bodies_that_do_not_meet_are_not_bound() {
    let apart = CUBES
        .replace("position = [0.1, 0, 0]", "position = [0.4, 0, 0]")
        .replace(
            "[0.1499, -1, -1], upper = [0.1501",
            "[0.4499, -1, -1], upper = [0.4501",
        );
    let message = refused(&apart);
    for word in [
        "a.toml:",
        "joint 0 binds no node",
        "the nearest node of `stiff` is 0.300000 m from `soft`",
        "swap `first` and `second`",
    ] {
        assert!(message.contains(word), "{word}: {message}");
    }
}

/// Across a gap of a millimetre a row holds the node where it starts: both forces act at one place, so that there is no
/// torque. The weights differ from those of the closest point only by the gap over the height of an element.
#[test]
fn rows_across_a_gap_begin_closed() {
    let text = CUBES
        .replace("position = [0.1, 0, 0]", "position = [0.101, 0, 0]")
        .replace(
            "[0.1499, -1, -1], upper = [0.1501",
            "[0.1509, -1, -1], upper = [0.1511",
        );
    let simulation = run(&text, 0);
    let (model, state) = (simulation.model(), simulation.state());
    assert_eq!(model.constraints.rows.len(), 16);
    for joint in &model.constraints.rows {
        let terms = &joint.points()[0].terms;
        let apart = held(terms, &state.positions).norm();
        assert!(apart < 1e-12, "{apart:e} m apart");
        let of = |term: &Term| match *term {
            Term::Particle { weight, .. } => weight.abs(),
            Term::Body { .. } => panic!("no rigid body"),
        };
        let most = terms.iter().map(of).fold(0.0, f64::max);
        assert!(most < 1.0 + 0.001 / 0.033, "{most}");
    }
}

/// Soft pads on rigid fingers with a prescribed motion: the nodes on the fingers' sides are held, and none beside or
/// behind them.
#[test]
fn pads_are_bound_to_the_faces_of_carried_fingers() {
    let text = r#"
[time]
step = 5e-3
duration = 1.0
[[body]]
name = "finger"
kind = "rigid"
mesh = { cuboid = { size = [0.01, 0.03, 0.04], cells = [1, 1, 1] } }
position = [-0.0355, 0, 0.03]
motion = { velocity = [0.012, 0, 0] }
[[body]]
name = "pad"
mesh = { cuboid = { size = [0.006, 0.02, 0.02], cells = [2, 4, 4] } }
material = { young = 5e5, poisson = 0.3, density = 1000, stiffness_damping = 0.01 }
position = [-0.0275, 0, 0.03]
[[joint]]
kind = "bind"
first = "pad"
second = "finger"
anchor = [-0.0305, 0, 0.03]
reach = 0.01415
"#;
    let simulation = run(text, 3);
    assert_eq!(
        simulation.model().constraints.rows.len(),
        25,
        "the nodes of one side"
    );
}

/// A node deep inside a rigid body, free or prescribed, is held like one on its surface: all 27 nodes of the block are
/// held.
#[test]
fn nodes_deep_in_a_rigid_body_are_bound() {
    for way in ["density = 2000", "motion = { velocity = [0.01, 0, 0] }"] {
        let text = format!(
            "[time]\nstep = 1e-3\nduration = 1.0\n\
             [[body]]\nname = \"bone\"\nkind = \"rigid\"\n\
             mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n{way}\n\
             [[body]]\nname = \"tissue\"\n\
             mesh = {{ cuboid = {{ size = [0.04, 0.04, 0.04], cells = [2, 2, 2] }} }}\n\
             material = {{ young = 1e5, poisson = 0.3, density = 1000 }}\nposition = [0.003, 0.001, 0.002]\n\
             [[joint]]\nkind = \"bind\"\nfirst = \"tissue\"\nsecond = \"bone\"\n"
        );
        assert_eq!(run(&text, 0).model().constraints.rows.len(), 27, "{way}");
    }
}

/// Nodes two or more layers below the surface are held by the element around them, with all weights within [0, 1].
#[test]
fn nodes_deep_in_a_solid_are_held_by_the_element_around_them() {
    let drawn = CUBES.rfind("fixed = ").zip(CUBES.find("[[joint]]"));
    let (from, to) = drawn.expect("the nodes that are drawn");
    let drawn = &CUBES[from..to];
    let text = CUBES
        .replace(drawn, "")
        .replacen("cells = [3, 3, 3]", "cells = [7, 7, 7]", 1)
        .replace(
            "position = [0.1, 0, 0]",
            "position = [0.043, 0.002, -0.003]",
        );
    let simulation = run(&text, 0);
    let (model, state) = (simulation.model(), simulation.state());
    let (soft, stiff) = (
        &model.geometry.bodies[0].points,
        &model.geometry.bodies[1].points,
    );
    let layers = 2.0 * 0.1 / 7.0;
    let mut deep = 0;
    for joint in &model.constraints.rows {
        let terms = &joint.points()[0].terms;
        assert!(held(terms, &state.positions).norm() < 1e-12);
        let of = |term: &Term| match *term {
            Term::Particle { index, weight } => (index, weight),
            Term::Body { .. } => panic!("no rigid body"),
        };
        let mut nodes = terms.iter().map(of);
        let bound = nodes.clone().find(|(index, _)| stiff.contains(index));
        let (node, sign) = bound.expect("a node of the stiff cube");
        if state.positions[node].amax() > 0.05 - layers {
            continue;
        }
        deep += 1;
        let within = |(index, weight): (usize, f64)| {
            !soft.contains(&index) || (-1e-9..=1.0 + 1e-9).contains(&(-weight / sign))
        };
        assert!(nodes.all(within), "{terms:?}");
    }
    assert_eq!(deep, 4, "the inner nodes of the side that is farthest in");
}
