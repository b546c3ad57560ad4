//! Joined bodies with the methods that eliminate rows.

use crate::figure::{figure, largest};
use crate::support::{assert_apart, scene, simulation};
use impinge_sim::Simulation;

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
    let run = |method: &str| {
        let mut simulation = simulation(JOINED_BLOCKS, &[&format!("solver.method={method}")]);
        for _ in 0..120 {
            let report = simulation.advance().expect("no step fails");
            assert_eq!(report.inexact_solves, 0, "{method}");
            assert_eq!(report.unmet_momentum, 0, "{method}");
        }
        assert_apart(simulation.model(), simulation.state());
        simulation.state().positions.clone()
    };
    let expected = run("compliant-kkt");
    let apart = |method: &str| -> f64 {
        let found = run(method);
        largest((found.iter().zip(&expected)).map(|(a, b)| (a - b).norm()))
    };
    let exact = apart("exact-compliance");
    let what = "largest difference of a place, exact compliance";
    figure(what, "m", exact).below(1e-4);
    let warped = apart("warped-compliance");
    let what = "largest difference of a place, warped compliance";
    figure(what, "m", warped).below(1e-4);
}

/// No compliance knows ropes: refused when the scene is loaded, with the methods that can.
#[test]
fn ropes_are_refused_by_compliances() {
    let rope = JOINED_BLOCKS.replace("kind = \"link\"", "kind = \"rope\"");
    for method in ["exact-compliance", "warped-compliance"] {
        let method = format!("solver.method={method}");
        let refused = Simulation::new(&scene(&rope, &[&method])).map(drop);
        let refused = refused.expect_err("refused").to_string();
        assert!(
            refused.contains("does not support ropes and limits"),
            "{refused}"
        );
        assert!(!refused.contains("-compliance\""), "{refused}");
    }
}
