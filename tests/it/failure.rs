//! What a run says when a step cannot be completed, and where it stops.

use impinge_geometry::exact::surface_intersections;
use impinge_sim::{Scene, Simulation, StepFailure};

/// A rigid box between the ground and a plate that comes down on it: no forces keep both away.
const SCENE: &str = r#"
title = "A box between closing plates"
[time]
step = 1e-2
duration = 1.0
minimum_step = 4e-3
[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 0.051]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
[[obstacle]]
name = "plate"
shape = { cuboid = { size = [0.3, 0.3, 0.02] } }
position = [0, 0, 0.13]
motion = { velocity = [0, 0, -0.2] }
"#;

/// The run stops before anything passes through anything, and names what the box is between and the solve that has no answer, with what it is
/// off by. A shorter step, which cannot help, is not recommended.
#[test]
fn a_box_that_is_crushed_stops_the_run_and_the_solve_is_named() {
    let scene = Scene::parse("crushed.toml", SCENE, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("sound");
    let error = (0..100)
        .find_map(|_| simulation.advance().err())
        .expect("the plate arrives after 9 steps");
    let solve = error.unsolved.as_deref().unwrap_or(&error.failure);
    let StepFailure::NotConverged { excess, .. } = solve else {
        panic!("{error}");
    };
    let off = [excess.momentum, excess.gap, excess.slip];
    assert!(off.iter().any(|share| *share >= 2.0), "{error}");
    let text = error.to_string();
    let StepFailure::Squeezed {
        body,
        first,
        second,
    } = &error.failure
    else {
        panic!("{error}");
    };
    let mut walls = [first.as_str(), second];
    walls.sort_unstable();
    assert_eq!((body.as_str(), walls), ("box", ["ground", "plate"]));
    assert!(text.contains("change a `motion`"), "{text}");
    assert!(!text.contains("shorter `time.step`"), "{text}");
    assert!(
        text.contains("the contact method `cr` did not converge"),
        "{text}"
    );
    assert!(text.contains("Everything up to here is safe"), "{text}");
    let (model, state) = (simulation.model(), simulation.state());
    assert!(state.step >= 8, "{text}");
    let crossing = surface_intersections(&state.positions, &model.surface, 1);
    assert!(crossing.is_empty(), "{text}");
}

/// Where a plate goes up from the box, or a box that could yield is between the plates, the cause is another.
#[test]
fn what_is_not_squeezed_is_not_called_so() {
    let rigid = "kind = \"rigid\"\n";
    let elastic = "density = 1000\nposition = [0, 0, 0.051]";
    let soft =
        "material = { young = 1e6, poisson = 0.3, density = 1000 }\nposition = [0, 0, 0.051]";
    let yielding = SCENE.replace(rigid, "").replace(elastic, soft);
    let leaving = SCENE.replace("[0, 0, -0.2]", "[0, 0, 0.2]");
    // A ground that goes down as fast as the plate comes after it is no press either.
    let together = SCENE.replace(
        "shape = { half_space = { normal = [0, 0, 1] } }",
        "shape = { cuboid = { size = [0.3, 0.3, 0.02] } }\nposition = [0, 0, -0.01]\nmotion = { velocity = [0, 0, -0.2] }",
    );
    for text in [yielding, leaving, together] {
        let scene = Scene::parse("pressed.toml", &text, &[""; 0]).expect("a scene");
        let mut simulation = Simulation::new(&scene).expect("sound");
        if let Some(error) = (0..12).find_map(|_| simulation.advance().err()) {
            assert!(
                !matches!(error.failure, StepFailure::Squeezed { .. }),
                "{error}"
            );
        }
    }
}
