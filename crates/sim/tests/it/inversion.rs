//! Inverted elements: forbidden by default, counted and named if a scene allows them.

use impinge_sim::{Scene, Simulation, StepFailure};

/// A soft cube that hits the ground at 20 m/s, ten times too fast for its elements at this step.
fn thrown(mesh: &str, key: &str) -> Simulation {
    let text = format!(
        r#"
[time]
step = 0.016666666666666666
duration = 0.2
minimum_step = 1e-3

[solver]
{key}

[[body]]
name = "cube"
mesh = {{ {mesh} = {{ size = [0.2, 0.2, 0.2], cells = [3, 3, 3] }} }}
material = {{ young = 1e5, poisson = 0.3, density = 1000 }}
position = [0, 0, 0.2]
rotation = {{ axis = [1, 1, 0], degrees = 15 }}
velocity = [3, 0, -20]

[[obstacle]]
name = "ground"
shape = {{ half_space = {{ normal = [0, 0, 1] }} }}
"#
    );
    let scene = Scene::parse("thrown.toml", &text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("sound")
}

#[test]
fn an_inverted_element_is_never_committed_unless_the_scene_allows_it() {
    for mesh in ["cuboid", "hexahedra"] {
        let mut simulation = thrown(mesh, "");
        let error = (0..12)
            .find_map(|_| simulation.advance().err())
            .expect("the cube is crushed");
        assert!(
            matches!(error.failure, StepFailure::Inverted { .. }),
            "{mesh}: {error}"
        );
        let message = error.to_string();
        assert!(
            message.contains("`cube`") && message.contains("solver.allow_inversion = true"),
            "{message}"
        );
        let least = (simulation.model().elements.elastic)
            .minimum_volume_ratio(&simulation.state().positions);
        assert!(least.expect("elements").ratio > 0.0, "{mesh}: {least:?}");
    }
}

#[test]
fn allowed_inversions_are_counted() {
    for mesh in ["cuboid", "hexahedra"] {
        let mut simulation = thrown(mesh, "allow_inversion = true");
        let mut counted = 0;
        for _ in 0..12 {
            let report = simulation.advance().expect("allowed");
            let inverted = report.inverted_elements;
            assert_eq!(inverted > 0, report.minimum_volume_ratio <= 0.0, "{mesh}");
            counted += inverted;
        }
        assert!(counted > 0, "{mesh}");
    }
}
