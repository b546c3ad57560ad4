//! Joined bodies with the methods that eliminate rows.

use crate::figure::{figure, largest};
use crate::support::{assert_apart, simulation};
use impinge_sim::Simulation;
use std::collections::BTreeMap;

/// Two soft and two rigid blocks in a row, connected by a ball, a link and a hinge, fall on the ground.
const JOINED_BLOCKS: &str = r#"
[time]
step = 0.005
duration = 0.6
[world]
gravity = [0, 0, -9.81]
friction = 0.4
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
[[body]]
name = "first"
mesh = { cuboid = { size = [0.3, 0.1, 0.1], cells = [6, 2, 2] } }
material = { model = "corotational", young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.2]
[[body]]
name = "second"
mesh = { cuboid = { size = [0.3, 0.1, 0.1], cells = [6, 2, 2] } }
material = { model = "corotational", young = 1e5, poisson = 0.3, density = 1000 }
position = [0.31, 0, 0.2]
[[body]]
name = "third"
kind = "rigid"
density = 1000
mesh = { cuboid = { size = [0.3, 0.1, 0.1], cells = [1, 1, 1] } }
position = [0.7, 0, 0.2]
[[body]]
name = "fourth"
kind = "rigid"
density = 1000
mesh = { cuboid = { size = [0.3, 0.1, 0.1], cells = [1, 1, 1] } }
position = [1.05, 0, 0.3]
[[joint]]
kind = "ball"
first = "first"
second = "second"
anchor = [0.15, 0, 0.2]
contact = false
[[joint]]
kind = "link"
first = "second"
second = "third"
anchor = [0.46, 0, 0.2]
end = [0.55, 0, 0.2]
[[joint]]
kind = "hinge"
first = "third"
second = "fourth"
anchor = [0.875, 0, 0.25]
axis = [0, 1, 0]
"#;

/// Joined soft and rigid bodies fall alike whether the rows of joints are eliminated, by either compliance, or
/// factorised.
#[test]
fn joined_bodies_fall_alike_where_rows_are_eliminated() {
    let [exact, warped] = apart(JOINED_BLOCKS, |_| {});
    let what = "largest difference of a place, exact compliance";
    figure(what, "m", exact).below(1e-4);
    let what = "largest difference of a place, warped compliance";
    figure(what, "m", warped).below(1e-4);
}

/// The same with a rope in the place of the link, and a limit of the hinge: each holds in some steps and is slack in
/// others. Blocks that land on two edges may turn to either side, so the bound is wider: the methods `cr` and
/// `compliant-kkt` differ by 0.3 mm.
#[test]
fn ropes_and_limits_act_alike_where_rows_are_eliminated() {
    let scene = JOINED_BLOCKS
        .replace("kind = \"link\"", "kind = \"rope\"")
        .replace("axis = [0, 1, 0]", "axis = [0, 1, 0]\nlimits = [-0.1, 0.1]");
    // By the number of its row, how many steps each rope and limit is slack and holds.
    let mut steps: BTreeMap<usize, [u32; 2]> = BTreeMap::new();
    let [exact, warped] = apart(&scene, |simulation| {
        let mut row = 0;
        for joint in &simulation.model().constraints.rows {
            if joint.unilateral {
                let force = simulation.state().joint_forces[row];
                steps.entry(row).or_default()[usize::from(force > 0.0)] += 1;
            }
            row += joint.rows();
        }
    });
    let changing = steps.values().filter(|of| of[0] > 5 && of[1] > 5).count();
    assert!(changing >= 2, "a rope and a limit: {steps:?}");
    let what = "largest difference of a place with a rope and a limit, exact compliance";
    figure(what, "m", exact).below(5e-4);
    let what = "largest difference of a place with a rope and a limit, warped compliance";
    figure(what, "m", warped).below(5e-4);
}

/// Largest differences of the last places (m) of exact and warped compliance from those of factors of all rows. `look`
/// sees each state of the latter.
fn apart(scene: &str, mut look: impl FnMut(&Simulation)) -> [f64; 2] {
    let run = |method: &str, look: &mut dyn FnMut(&Simulation)| {
        let mut simulation = simulation(scene, &[&format!("solver.method={method}")]);
        for _ in 0..120 {
            let report = simulation.advance().expect("no step fails");
            assert_eq!(report.inexact_solves, 0, "{method}");
            assert_eq!(report.unmet_momentum, 0, "{method}");
            look(&simulation);
        }
        assert_apart(simulation.model(), simulation.state());
        simulation.state().positions.clone()
    };
    let expected = run("compliant-kkt", &mut look);
    ["exact-compliance", "warped-compliance"].map(|method| {
        let found = run(method, &mut |_| {});
        largest((found.iter().zip(&expected)).map(|(a, b)| (a - b).norm()))
    })
}
