//! Predicted impacts are contacts of the first solve.

use impinge_sim::{Simulation, scene::Scene};

/// A cube that falls flat and hits the ground after a fifth of a second.
const CUBE: &str = r#"
[time]
step = 1e-3
duration = 0.3
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e6, poisson = 0.3, density = 1000 }
position = [0, 0, 0.25]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// The motion before the impact predicts the colliding vertices, without a solve.
#[test]
fn an_impact_takes_one_round() {
    let scene = Scene::parse("cube.toml", CUBE, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("sound");
    let (mut impacts, mut rounds) = (0, Vec::new());
    while simulation.state().time < scene.time.duration {
        let report = simulation.advance().expect("a step");
        impacts += report.contacts_added;
        if report.contacts_added > 0 {
            rounds.push(report.rounds);
        }
    }
    assert!(impacts >= 9, "the cube has nine vertices below: {impacts}");
    assert!(rounds.iter().all(|&rounds| rounds == 1), "{rounds:?}");
}
