//! Ropes through points that several bodies carry together, by linear blend skinning.

use impinge_sim::{Scene, Simulation};

const NONE: &[&str] = &[];

/// A load on a rope that runs up to a point, and over to the world. A post that stands still and a lift that rises
/// carry the point.
const LIFTED: &str = r#"
[time]
step = 5e-3
duration = 1
[[body]]
name = "load"
kind = "rigid"
mass = 2
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
position = [0, 0, -1]
[[body]]
name = "post"
kind = "rigid"
motion = {}
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
position = [0.5, 0, 0]
[[body]]
name = "lift"
kind = "rigid"
motion = { velocity = [0, 0, 0.4] }
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
position = [-0.5, 0, 0]
[[body]]
name = "jelly"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 1, 0]
[[joint]]
kind = "rope"
first = "load"
anchor = [0, 0, -1]
end = [1, 0, 0]
via = [{ at = [0, 0, 0], skin = { post = 0.75, lift = 0.25 } }]
"#;

/// The point rises by a quarter of the lift's way, and the load by what the rope then leaves.
#[test]
fn a_point_moves_with_the_weighted_mean_of_its_carriers() {
    let scene = Scene::parse("lifted.toml", LIFTED, NONE).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("sound");
    for _ in 0..200 {
        let report = simulation.advance().expect("solved");
        let point = 0.25 * 0.4 * 5e-3 * report.step as f64;
        let expected = point - (2.0 - point.hypot(1.0));
        let load = simulation.state().rigid[0].pose.center;
        assert!((load.z - expected).abs() < 2e-4, "{} {expected}", load.z);
        assert!(load.x.abs() < 1e-6 && load.y.abs() < 1e-9, "{load}");
    }
}

#[test]
fn mistakes_in_weights_are_named() {
    let said = |skin: &str| {
        let text = LIFTED.replace("skin = { post = 0.75, lift = 0.25 }", skin);
        match Scene::parse("lifted.toml", &text, NONE) {
            Ok(scene) => Simulation::new(&scene)
                .map(drop)
                .expect_err(skin)
                .to_string(),
            Err(error) => error.to_string(),
        }
    };
    for (skin, words) in [
        (
            "skin = { post = 0.75, lift = 0.5 }",
            "the weights sum to 1.25",
        ),
        ("skin = { post = 1.5, lift = -0.5 }", "the weight of `lift`"),
        ("body = \"post\", skin = { lift = 1 }", "both name"),
        ("skin = { post = 0.75, life = 0.25 }", "no body `life`"),
        (
            "skin = { post = 0.75, jelly = 0.25 }",
            "`jelly` deforms and does not contain the point",
        ),
    ] {
        let message = said(skin);
        assert!(message.contains(words), "{skin}: {message}");
        assert!(message.contains("toml:33:"), "{skin}: {message}");
    }
}
