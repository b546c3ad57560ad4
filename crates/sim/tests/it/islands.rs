//! What a body does not touch changes no bit of its motion.

use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;

/// A soft cube that falls on an edge.
const SOFT: &str = r#"
[[body]]
name = "soft"
mesh = { cuboid = { size = [0.2, 0.2, 0.2], cells = [3, 3, 3] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.16]
rotation = { axis = [1, 1, 0], degrees = 30 }
"#;

/// A rigid brick that falls on the soft cube.
const BRICK: &str = r#"
[[body]]
name = "brick"
kind = "rigid"
density = 700
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
position = [0.05, 0, 0.4]
"#;

/// A heavy soft cube that turns, a light rigid one that slides, and a soft one whose impact takes Newton rounds.
const FAR: &str = r#"
[[body]]
name = "heavy"
mesh = { cuboid = { size = [1.0, 1.0, 1.0], cells = [2, 2, 2] } }
material = { young = 1e7, poisson = 0.3, density = 7000 }
position = [8, 0, 0.6]
angular_velocity = [1, 0, 0]
[[body]]
name = "pebble"
kind = "rigid"
density = 2000
mesh = { cuboid = { size = [0.01, 0.01, 0.01], cells = [1, 1, 1] } }
position = [-5, 0, 0.006]
velocity = [1, 0, 0]
[[body]]
name = "thrown"
mesh = { cuboid = { size = [0.2, 0.2, 0.2], cells = [2, 2, 2] } }
material = { model = "neo_hookean", young = 1e5, poisson = 0.4, density = 1000 }
position = [-8, 0, 0.5]
rotation = { axis = [1, 1, 0], degrees = 15 }
velocity = [0, 0, -15]
"#;

/// A small weight on a ball joint at the soft cube, and an arm on a hinge that falls on it.
const JOINED_TO_SOFT: &str = r#"
[[body]]
name = "weight"
kind = "rigid"
density = 500
mesh = { cuboid = { size = [0.04, 0.04, 0.04], cells = [1, 1, 1] } }
position = [-0.3, 0, 0.2]
[[body]]
name = "arm"
kind = "rigid"
density = 700
mesh = { cuboid = { size = [0.4, 0.04, 0.04], cells = [1, 1, 1] } }
position = [0.2, 0, 0.35]
[[joint]]
kind = "ball"
first = "weight"
second = "soft"
anchor = [-0.1, 0, 0.2]
[[joint]]
kind = "hinge"
first = "arm"
anchor = [0.4, 0, 0.35]
axis = [0, 1, 0]
"#;

/// A heavy pendulum that starts fast, far from everything.
const FAR_JOINED: &str = r#"
[[body]]
name = "pendulum"
kind = "rigid"
density = 7000
mesh = { cuboid = { size = [0.5, 0.5, 0.5], cells = [1, 1, 1] } }
position = [8, 8, 2]
velocity = [0, 3, 0]
[[joint]]
kind = "ball"
first = "pendulum"
anchor = [8, 8, 3]
"#;

/// Four soft cubes that fall on each other.
const NEAR_PILE: &str = r#"
[[body]]
name = "near"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { young = 1e6, poisson = 0.3, density = 1000 }
position = [0, 0, 0.1]
velocity = [0.3, 0.1, -1]
rotation = { axis = [1, 0.3, 0], degrees = 20 }
copies = { count = 4, columns = [1, 1], spacing = [0.1501, 0.1501, 0.1501] }
"#;

/// Rings whose elastic forces follow in many rounds that add contacts.
const FAR_PILE: &str = r#"
[[body]]
name = "far"
mesh = { ring = { major_radius = 0.05, section = 0.02 } }
material = { model = "corotational", young = 5e5, poisson = 0.2, density = 1000 }
position = [-8, 0, 0.07]
velocity = [0, 0, -3]
copies = { count = 8, columns = [2, 2], random_rotation = true, seed = 1 }
"#;

fn simulation(bodies: &[&str], method: &str) -> Simulation {
    integrated(bodies, method, "euler")
}

fn integrated(bodies: &[&str], method: &str, integrator: &str) -> Simulation {
    let text = format!(
        "[time]\nstep = 5e-3\nduration = 1\nintegrator = \"{integrator}\"\n\
         [solver]\nmethod = \"{method}\"\n{}\n\
         [[obstacle]]\nname = \"ground\"\nshape = {{ half_space = {{ normal = [0, 0, 1] }} }}\n",
        bodies.concat()
    );
    let scene = Scene::parse("islands.toml", &text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("sound")
}

/// Positions and velocities of a body's points.
fn motion(simulation: &Simulation, name: &str) -> Vec<[Vector3<f64>; 2]> {
    let (model, state) = (simulation.model(), simulation.state());
    let body = (model.geometry.bodies.iter()).find(|body| body.name == name);
    (body.expect("the body").points.clone())
        .map(|point| [state.positions[point], state.velocities[point]])
        .collect()
}

/// Takes `steps` of the same near bodies alone, before and after distant ones: those named move alike. Returns the
/// Newton rounds of all three runs.
fn compare(what: &str, mut runs: [Simulation; 3], steps: usize, names: &[&str]) -> [u32; 3] {
    let mut touched = false;
    let mut newton_rounds = [0; 3];
    for step in 0..steps {
        for (run, rounds) in runs.iter_mut().zip(&mut newton_rounds) {
            let report = run.advance().expect("a step");
            *rounds += report.newton_rounds;
            assert_eq!(report.rejected, 0, "{what}: a division would change all");
        }
        touched |= runs[0].state().contacts.len() > 1;
        for name in names {
            let [alone, before, after] = runs.each_ref().map(|run| motion(run, name));
            assert_eq!(alone, before, "{what}, step {step}, {name}");
            assert_eq!(alone, after, "{what}, step {step}, {name}");
        }
    }
    assert!(touched, "{what}: nothing was hit");
    newton_rounds
}

/// The near bodies alone, before distant ones, and after them.
fn orders<'a>(near: &'a [&'a str], far: &'a [&'a str]) -> [Vec<&'a str>; 3] {
    [near.to_vec(), [near, far].concat(), [far, near].concat()]
}

#[test]
fn a_distant_body_changes_no_bit() {
    for (method, integrator, steps) in [
        ("cr", "euler", 60),
        ("cr", "bdf2", 60),
        ("active-set", "euler", 40),
        ("ica", "euler", 40),
        ("exact-compliance", "euler", 40),
    ] {
        let runs =
            orders(&[SOFT, BRICK], &[FAR]).map(|bodies| integrated(&bodies, method, integrator));
        let what = format!("{method}, {integrator}");
        let [alone, with, _] = compare(&what, runs, steps, &["soft", "brick"]);
        assert!(
            with > alone,
            "{what}: the distant bodies took no Newton round"
        );
    }
}

/// Joints, whose rows are linearised again until they close, near and far.
#[test]
fn a_distant_joint_changes_no_bit() {
    for (method, integrator) in [("cr", "euler"), ("cr", "bdf2"), ("compliant-kkt", "euler")] {
        let runs = orders(&[SOFT, JOINED_TO_SOFT], &[FAR, FAR_JOINED])
            .map(|bodies| integrated(&bodies, method, integrator));
        let what = format!("{method}, {integrator}");
        let [alone, with, _] = compare(&what, runs, 60, &["soft", "weight", "arm"]);
        assert!(with > alone, "{what}: nothing far was assembled again");
    }
}

/// Equations are assembled again between two solves of the near pile, after its new contacts move by implicit Euler.
#[test]
fn a_distant_pile_changes_no_bit_with_bdf2() {
    let piles = orders(&[NEAR_PILE], &[FAR_PILE]).map(|bodies| integrated(&bodies, "cr", "bdf2"));
    let names = ["near 1", "near 2", "near 3", "near 4"];
    let [alone, with, _] = compare("piles", piles, 25, &names);
    assert!(with > alone, "nothing far was assembled again");
}

/// A bar that is held in its middle: its matrix falls into two parts, which stay one body.
#[test]
fn a_body_in_two_parts_is_one_island() {
    let bar = r#"
[[body]]
name = "bar"
mesh = { cuboid = { size = [0.6, 0.1, 0.1], cells = [6, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.0501]
fixed = [{ box = { lower = [-0.11, -1, -1], upper = [0.11, 1, 1] } }]
[[body]]
name = "load"
kind = "rigid"
density = 500
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
position = [0.25, 0, 0.1512]
"#;
    for method in ["cr", "warped-compliance"] {
        let mut simulation = simulation(&[bar], method);
        for _ in 0..10 {
            let report = simulation.advance().expect("a step");
            assert_eq!(report.rejected + report.inexact_solves, 0, "{method}");
        }
        assert!(!simulation.state().contacts.is_empty(), "{method}");
    }
}
