//! Thin bodies with the synchronous stepper: both forms of their equations, and rejected input.

use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;

/// A strip held at one end, 16 g in all.
const STRIP: &str = r#"
[solver]
momentum_tolerance = 1e-8

[time]
step = 5e-3
duration = 1.0

[[body]]
name = "strip"
kind = "shell"
mesh = { grid = { size = [0.8, 0.1], cells = [8, 1] } }
shell = { stretch = 200, density = 0.2 }
fixed = [{ box = { lower = [-0.41, -1, -1], upper = [-0.39, 1, 1] } }]
"#;

fn scene(text: &str) -> Scene {
    Scene::parse("strip.toml", text, &[""; 0]).expect("a scene")
}

fn run(text: &str, steps: u32) -> Simulation {
    let mut simulation = Simulation::new(&scene(text)).expect("sound");
    for _ in 0..steps {
        let report = simulation.advance().expect("solved");
        assert!(report.momentum_residual < 1e-6);
    }
    simulation
}

fn refused(text: &str) -> String {
    let error = match Scene::parse("strip.toml", text, &[""; 0]) {
        Ok(scene) => Simulation::new(&scene).err().map(|e| e.to_string()),
        Err(error) => Some(error.to_string()),
    };
    error.expect("refused")
}

fn with(keys: &str) -> String {
    STRIP.replace("density = 0.2", &format!("density = 0.2, {keys}"))
}

/// Largest distance between the points of two runs (m).
fn apart(one: &Simulation, other: &Simulation) -> f64 {
    let (one, other) = (&one.state().positions, &other.state().positions);
    let distances = one.iter().zip(other).map(|(a, b)| (a - b).norm());
    distances.fold(0.0, f64::max)
}

/// From rest without tension both forms are the same linear step, damping included. Later they differ in their
/// treatment of tension.
#[test]
fn both_forms_take_the_same_first_step() {
    for keys in ["", "damping = 2e-3, ", "poisson = 0.3, ", "bend = 1e-3, "] {
        let [stiff, rows] = ["stiffness", "compliance"]
            .map(|form| run(&with(&format!("{keys}formulation = \"{form}\"")), 1));
        // The fall of one step is 2.5e-4 m; the solvers' tolerance is a thousandth of the strip's weight.
        assert!(
            apart(&stiff, &rows) < 1e-6,
            "{keys}: {}",
            apart(&stiff, &rows)
        );
        let fallen = stiff
            .state()
            .positions
            .iter()
            .map(|x| x.z)
            .fold(0.0, f64::min);
        assert!(fallen < -2e-4, "{keys}: {fallen}");
    }
}

/// Both forms have the elongation of the closed form of a hanging strip.
#[test]
fn both_forms_hang_alike() {
    // Hangs straight down from the start: held at the upper end.
    let hanging = |keys: &str| {
        with(keys)
            .replace(
                "fixed = [{ box = { lower = [-0.41, -1, -1], upper = [-0.39, 1, 1] } }]",
                "rotation = { axis = [0, 1, 0], degrees = 90 }\n\
                 fixed = [{ box = { lower = [-1, -1, 0.39], upper = [1, 1, 1] } }]",
            )
            .replace("stretch = 200", "stretch = 20")
    };
    let lowest = |simulation: &Simulation| {
        let heights = simulation.state().positions.iter().map(|x| x.z);
        heights.fold(f64::INFINITY, f64::min)
    };
    let ends = ["stiffness", "compliance"].map(|form| {
        let keys = format!("damping = 0.05, formulation = \"{form}\"");
        lowest(&run(&hanging(&keys), 600))
    });
    // ρ g L²/(2 E t) = 0.2 · 9.81 · 0.64 / 40 m, for a strip whose springs let it contract across.
    let stretch = -0.4 - ends[0];
    assert!((0.9..1.1).contains(&(stretch / 0.0314)), "{stretch} m");
    assert!((ends[0] - ends[1]).abs() < 1e-5, "{ends:?}");
}

/// Unrelated methods step thin bodies in stiffness form to the same place.
#[test]
fn methods_agree_on_cloth_in_contact() {
    let text = r#"
[time]
step = 5e-3
duration = 1.0
[world]
friction = 0.3
[solver]
method = "METHOD"
momentum_tolerance = 1e-7
[[body]]
name = "cloth"
kind = "shell"
mesh = { grid = { size = [0.4, 0.4], cells = [4, 4] } }
shell = { stretch = 100, bend = 1e-3, density = 0.2 }
position = [0.01, 0.02, 0.03]
velocity = [0.3, 0, -0.2]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0.1, 0, 1] } }
"#;
    let runs = ["cr", "exact-compliance", "compliant-kkt"]
        .map(|method| run(&text.replace("METHOD", method), 20));
    for other in &runs[1..] {
        assert!(!other.state().contacts.is_empty());
        assert!(apart(&runs[0], other) < 2e-5, "{}", apart(&runs[0], other));
    }
}

/// Released nodes fall with the rest, in both forms.
#[test]
fn a_strip_that_is_let_go_falls() {
    for form in ["stiffness", "compliance"] {
        let text = with(&format!("formulation = \"{form}\"")).replace(
            "upper = [-0.39, 1, 1] }",
            "upper = [-0.39, 1, 1] }, until = 0.1",
        );
        let simulation = run(&text, 60);
        let state = simulation.state();
        let mean = |of: &[Vector3<f64>]| {
            let masses = simulation.model().points.mass.iter();
            let total: f64 = masses.clone().sum();
            masses.zip(of).map(|(m, x)| x * *m).sum::<Vector3<f64>>() / total
        };
        // 0.2 s of free fall after 0.1 s of being held.
        assert!(mean(&state.velocities).z < -0.2 * 9.81, "{form}");
        assert!(state.positions.iter().all(|x| x.z < -0.1), "{form}");
    }
}

/// Invalid input is rejected with its place and a remedy.
#[test]
fn unsupported_thin_bodies_are_named() {
    let rows = with("formulation = \"compliance\"");
    let ica = refused(&rows.replace("[time]", "method = \"ica\"\n[time]"));
    assert!(
        ica.contains("strip.toml:5") && ica.contains("`ica`") && ica.contains("\"stiffness\""),
        "{ica}"
    );
    let asynchronous =
        format!("stepper = \"asynchronous\"\n[asynchronous]\nthickness = 1e-3\n{rows}");
    let asynchronous = refused(&asynchronous);
    assert!(
        asynchronous.contains("strip.toml:16") && asynchronous.contains("formulation"),
        "{asynchronous}"
    );
    let unknown = refused(&with("formulation = \"stiff\""));
    assert!(
        unknown.contains("stiffness") && unknown.contains("compliance"),
        "{unknown}"
    );
}

/// The constrained stepper supports both forms, too.
#[test]
fn the_constrained_stepper_knows_both_forms() {
    let [stiff, rows] = ["stiffness", "compliance"].map(|form| {
        let text = format!(
            "stepper = \"constrained\"\n{}",
            with(&format!("formulation = \"{form}\""))
        );
        run(&text, 1)
    });
    assert!(apart(&stiff, &rows) < 1e-12, "{}", apart(&stiff, &rows));
}

/// A strip with one bend: width, length, and rejected input.
#[test]
fn strips_follow_their_line() {
    let strip = |points: &str, across: &str| {
        STRIP
            .replace(
                "{ grid = { size = [0.8, 0.1], cells = [8, 1] } }",
                &format!(
                    "{{ strip = {{ points = {points}, across = {across}, width = 0.1, spacing = 0.1 }} }}"
                ),
            )
            .replace("lower = [-0.41, -1, -1]", "lower = [-1, -1, -1]")
    };
    let bent = strip("[[-0.4, 0, 0], [0, 0, 0], [0, 0, 0.35]]", "[0, 2, 0]");
    let simulation = Simulation::new(&scene(&bent)).expect("sound");
    let model = simulation.model();
    // 4 cells along one side, 4 along the other: no cell is longer than the spacing.
    assert_eq!(model.points.rest.len(), 18);
    for pair in model.points.rest.chunks_exact(2) {
        assert!((pair[1] - pair[0] - Vector3::y() * 0.1).norm() < 1e-15);
    }
    let mass: f64 = model.points.mass.iter().sum();
    assert!((mass - 0.75 * 0.1 * 0.2).abs() < 1e-12, "{mass} kg");
    for (points, across, said) in [
        ("[[0, 0, 0]]", "[0, 1, 0]", "must be at least 2"),
        (
            "[[-0.4, 0, 0], [-0.4, 0, 0]]",
            "[0, 1, 0]",
            "points 0 and 1 coincide",
        ),
        (
            "[[-0.4, 0, 0], [0, 0, 0]]",
            "[1, 0, 0]",
            "runs along `across`",
        ),
        (
            "[[-0.4, 0, 0], [0, 0, 0], [-0.4, 0, 0]]",
            "[0, 1, 0]",
            "turns back",
        ),
        (
            "[[-0.4, 0, 0], [0, 0, 0]]",
            "[0, 0, 0]",
            "is the zero vector",
        ),
        (
            "[[-0.4, 0, 0], [1e9, 0, 0]]",
            "[0, 1, 0]",
            "more than 100000 cells",
        ),
    ] {
        let message = refused(&strip(points, across));
        assert!(
            message.contains("strip.toml:12") && message.contains(said),
            "{message}"
        );
    }
    let solid = refused(&bent.replace("kind = \"shell\"\n", "").replace(
        "shell = { stretch = 200, density = 0.2 }",
        "material = { young = 1e5, poisson = 0.3, density = 1 }",
    ));
    assert!(
        solid.contains("no volume") && solid.contains("kind = \"shell\""),
        "{solid}"
    );
}

/// Joined bodies touch each other only if their joint allows contact.
#[test]
fn joined_bodies_touch_where_the_joint_says_so() {
    let text = r#"
[time]
step = 5e-3
duration = 1.0
[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 1
position = [0, 0, 0.2]
[[body]]
name = "table"
kind = "rigid"
mesh = { cuboid = { size = [0.4, 0.4, 0.1], cells = [1, 1, 1] } }
motion = {}
[[joint]]
kind = "rope"
first = "box"
second = "table"
anchor = [0, 0, 0.15]
end = [0, 0, 0.05]
CONTACT
"#;
    for (contact, lands) in [("contact = true", true), ("", false)] {
        let simulation = run(&text.replace("CONTACT", contact), 60);
        let height = simulation.state().rigid[0].pose.center.z;
        assert_eq!((height - 0.1).abs() < 1e-3, lands, "{height} m");
    }
}

/// The key would have no meaning: a body may touch the world to which it is joined.
#[test]
fn contact_with_the_world_is_no_choice_of_a_joint() {
    let text = r#"
[time]
step = 5e-3
duration = 1.0
[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 1
[[joint]]
kind = "ball"
first = "box"
anchor = [0, 0, 0]
contact = true
"#;
    let message = refused(text);
    assert!(
        message.contains("contact") && message.contains("two bodies"),
        "{message}"
    );
}

/// The state is complete: a new stepper continues from it with the same bits, with rows and contacts.
#[test]
fn a_new_stepper_continues_bit_for_bit() {
    use impinge_sim::stepper::{Stepper, Synchronous};
    let text = with("damping = 1e-3, bend = 1e-4, formulation = \"compliance\"")
        + "[[obstacle]]\nshape = { cylinder = { radius = 0.05, height = 0.5, sides = 12 } }\n\
           position = [0, 0, -0.06]\nrotation = { axis = [1, 0, 0], degrees = 90 }\n";
    let simulation = Simulation::new(&scene(&text)).expect("sound");
    let run = |renew: bool| {
        let (model, mut state) = (simulation.model(), simulation.state().clone());
        let mut stepper = Synchronous::new(model).expect("sound");
        for step in 0..40 {
            if renew && step == 30 {
                assert!(!state.contacts.is_empty());
                stepper = Synchronous::new(model).expect("sound");
            }
            stepper.advance(model, &mut state).expect("solved");
        }
        state
    };
    assert_eq!(run(false), run(true));
}

/// The energy of a spring between a body and the world is part of the total; a slack rope has none.
#[test]
fn springs_of_joints_hold_energy() {
    let text = r#"
[time]
step = 1e-3
duration = 1.0
[[body]]
kind = "rigid"
name = "box"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 2
[[joint]]
kind = "link"
first = "box"
anchor = [0, 0, 0]
end = [0, 0, 1]
compliance = 1e-2
[[joint]]
kind = "rope"
first = "box"
anchor = [0, 0, 0]
end = [0, 0, 1]
length = 1.1
compliance = 2e-2
"#;
    let mut simulation = Simulation::new(&scene(text)).expect("sound");
    let (mut total, mut taut) = (0.0, 0);
    for _ in 0..300 {
        let report = simulation.advance().expect("solved");
        let length = 1.0 - simulation.state().rigid[0].pose.center.z;
        let beyond = f64::max(length - 1.1, 0.0);
        taut += u32::from(beyond > 0.0);
        let held = 0.5 * (length - 1.0).powi(2) / 1e-2 + 0.5 * beyond * beyond / 2e-2;
        assert!((report.elastic_energy - held).abs() < 1e-12, "{held} J");
        let now = report.elastic_energy + report.kinetic_energy + report.gravitational_energy;
        assert!(now < total + 1e-12, "{now} J");
        total = now;
    }
    assert!((50..250).contains(&taut), "{taut}");
}
