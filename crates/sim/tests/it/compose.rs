//! Scenes built by a program, and their text.

use impinge_sim::scene::{
    Body, BodyMesh, Fixed, Joint, Material, Motion, Obstacle, Pull, Region, Scene, Signal, Turning,
};
use impinge_sim::{SimError, Simulation};
use nalgebra::Vector3;

const NONE: &[&str] = &[];

/// Every key with its value, whatever wrote it.
fn content(scene: &Scene) -> serde_json::Value {
    serde_json::to_value(scene).expect("a scene")
}

/// Values that the program leaves out have the defaults of a scene file.
#[test]
fn a_composed_scene_is_the_one_of_its_file() {
    let composed = Scene::new()
        .time_step(2e-3)
        .duration(0.5)
        .friction(0.3)
        .body(
            Body::elastic(
                BodyMesh::cuboid([0.1; 3], [2; 3]),
                Material::new(1e5, 0.3, 1000.0),
            )
            .named("cube")
            .at([0.0, 0.0, 0.2])
            .held(Fixed::in_box([-1.0, -1.0, 0.24], [1.0, 1.0, 1.0]).named("top"))
            .pulled(Pull {
                region: Some(Region::new([-1.0; 3], [1.0, 1.0, 0.16])),
                force: Signal::Table(vec![(0.0, [0.0; 3]), (0.5, [0.0, 0.0, -1.0])]),
            }),
        )
        .body(
            Body::rigid_of_mass(BodyMesh::sphere(0.03, 2), 0.5)
                .named("ball")
                .at([0.3, 0.0, 0.2])
                .rotated([0.0, 0.0, 1.0], 30.0)
                .with_force([0.0, 1.0, 0.0]),
        )
        .obstacle(Obstacle::ground())
        .joint(Joint::rope("ball", [0.3, 0.0, 0.23], [0.3, 0.0, 0.5]).named("cord"))
        .friction_between("ball", "ground", 0.1);
    let text = r#"
[time]
step = 2e-3
duration = 0.5
[world]
friction = 0.3
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.2]
fixed = [{ name = "top", box = { lower = [-1, -1, 0.24], upper = [1, 1, 1] } }]
pulls = [{ box = { lower = [-1, -1, -1], upper = [1, 1, 0.16] }, force = [[0, [0, 0, 0]], [0.5, [0, 0, -1]]] }]
[[body]]
name = "ball"
kind = "rigid"
mass = 0.5
mesh = { sphere = { radius = 0.03, subdivisions = 2 } }
position = [0.3, 0, 0.2]
rotation = { axis = [0, 0, 1], degrees = 30 }
force = [0, 1, 0]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
[[joint]]
name = "cord"
kind = "rope"
first = "ball"
anchor = [0.3, 0, 0.23]
end = [0.3, 0, 0.5]
[[friction]]
first = "ball"
second = "ground"
coefficient = 0.1
"#;
    let parsed = Scene::parse("same.toml", text, NONE).expect("a scene");
    assert_eq!(content(&composed), content(&parsed));
    Simulation::new(&composed).expect("a simulation");
    // The same mistakes are errors.
    let heavy = composed.body(Body::rigid_of_mass(BodyMesh::sphere(0.03, 2), -1.0));
    let error = heavy.validate().expect_err("a negative mass").to_string();
    assert!(error.contains("body.2.mass"), "{error}");
}

/// The text of a scene is read as the same scene, for every shipped one.
#[test]
fn every_shipped_scene_comes_back_from_its_text() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the scenes") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let scene = Scene::load(&path, NONE).expect("a scene");
        let text = scene.to_toml().expect("a text");
        let mut again = Scene::parse("again.toml", &text, NONE)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        again.set_folder(scene.folder());
        assert_eq!(content(&scene), content(&again), "{}", path.display());
        assert_eq!(text, again.to_toml().expect("a text"), "{}", path.display());
        count += 1;
    }
    assert!(count > 40, "{count} scenes");
}

#[test]
fn tables_are_linear_between_their_times_and_have_their_mean() {
    let table = Signal::Table(vec![
        (1.0, [0.0; 3]),
        (2.0, [2.0, 0.0, -4.0]),
        (4.0, [2.0, 6.0, 0.0]),
    ]);
    for (time, expected) in [
        (0.0, [0.0, 0.0, 0.0]),
        (1.5, [1.0, 0.0, -2.0]),
        (2.0, [2.0, 0.0, -4.0]),
        (3.0, [2.0, 3.0, -2.0]),
        (9.0, [2.0, 6.0, 0.0]),
    ] {
        let error = Vector3::from(table.at(time)) - Vector3::from(expected);
        assert!(error.norm() < 1e-15, "{time}: {error:?}");
    }
    // ∫ from 1.5 to 3: 0.75 + 2 for x.
    let mean = table.mean(1.5, 3.0);
    assert!((mean[0] - 2.75 / 1.5).abs() < 1e-15, "{mean:?}");
    let constant = Vector3::new(1.0, 2.0, 3.0);
    let mean = Signal::from([1.0, 2.0, 3.0]).mean(0.0, 7.0);
    assert!((Vector3::from(mean) - constant).norm() < 1e-15, "{mean:?}");
}

fn simulation(text: &str) -> Simulation {
    let head = "[time]\nstep = 1e-2\nduration = 1\n[world]\ngravity = [0, 0, 0]\n";
    let scene = Scene::parse("tables.toml", &format!("{head}{text}"), NONE).expect("a scene");
    Simulation::new(&scene).expect("a simulation")
}

/// Momentum is the integral of the force, whatever the steps make of the table; so is angular momentum of a torque.
#[test]
fn the_impulse_of_a_table_is_its_integral() {
    let mut simulation = simulation(
        r#"
[[body]]
name = "brick"
kind = "rigid"
mass = 3
mesh = { cuboid = { size = [0.1, 0.2, 0.3], cells = [1, 1, 1] } }
force = [[0.105, [0, 0, 0]], [0.205, [6, 0, 0]], [0.3, [0, 0, 3]]]
torque = [[0, [0, 0, 0]], [0.1, [0, 0.02, 0]], [0.2, [0, 0, 0]]]
[[body]]
name = "jelly"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [1, 0, 0]
pulls = [{ force = [[0, [0, 0, 0]], [0.1, [0, 0, 1]], [0.15, [0, 0, 0]]] }]
force = [0, 2, 0]
"#,
    );
    simulation.step_until(0.4).unwrap();
    let brick = simulation.body("brick").unwrap();
    let impulse = Vector3::new(
        0.5 * 0.1 * 6.0 + 0.5 * 0.095 * 6.0,
        0.0,
        0.5 * 0.095 * 3.0 + 0.1 * 3.0,
    );
    assert!(
        (brick.momentum() - impulse).norm() < 1e-12,
        "{}",
        brick.momentum()
    );
    assert!((brick.angular_momentum() - Vector3::y() * 2e-3).norm() < 1e-14);
    let jelly = simulation.body("jelly").unwrap();
    let impulse = Vector3::new(0.0, 0.8, 0.5 * 0.15);
    assert!(
        (jelly.momentum() - impulse).norm() < 1e-12,
        "{}",
        jelly.momentum()
    );
}

#[test]
fn a_motion_follows_its_tables() {
    let mut simulation = simulation(
        r#"
[[body]]
name = "tool"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.2, 0.3], cells = [1, 1, 1] } }
position = [0, 0, 1]
[body.motion]
shift = [[0, [0, 0, 0]], [0.1, [0, 0, 0]], [0.3, [0.2, 0, 0.1]]]
turn = { axis = [0, 0, 2], degrees = [[0, 0], [0.2, 10]] }
[[body]]
name = "free"
kind = "rigid"
mass = 1
mesh = { cuboid = { size = [0.1, 0.2, 0.3], cells = [1, 1, 1] } }
position = [9, 0, 1]
"#,
    );
    for (time, shift, degrees) in [
        (0.1, [0.0, 0.0, 0.0], 5.0),
        (0.2, [0.1, 0.0, 0.05], 10.0),
        (0.3, [0.2, 0.0, 0.1], 10.0),
        (0.5, [0.2, 0.0, 0.1], 10.0_f64),
    ] {
        simulation.step_until(time).unwrap();
        let pose = simulation.body("tool").unwrap().pose().unwrap();
        let expected = Vector3::new(0.0, 0.0, 1.0) + Vector3::from(shift);
        assert!(
            (pose.position - expected).norm() < 1e-14,
            "{time}: {}",
            pose.position
        );
        let angle = pose.orientation.scaled_axis().z;
        assert!(
            (angle - degrees.to_radians()).abs() < 1e-12,
            "{time}: {angle}"
        );
    }
    let composed = Motion {
        turn: Some(Turning {
            axis: [0.0, 0.0, 1.0],
            degrees: vec![(0.0, 1.0)],
        }),
        ..Motion::default()
    };
    let scene = Scene::new().body(Body::driven(BodyMesh::sphere(0.1, 1), composed));
    let error = scene.validate().expect_err("a jump").to_string();
    assert!(error.contains("jump at the start"), "{error}");
}

#[test]
fn mistakes_in_tables_have_their_place() {
    let brick = "[[body]]\nkind = \"rigid\"\nmass = 3\nmesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }\n";
    let head = "[time]\nstep = 1e-2\nduration = 1\n";
    for (line, expected) in [
        (
            "force = [[0.2, [0, 0, 0]], [0.1, [0, 0, 1]]]",
            "not after the entry before",
        ),
        ("force = [[-1, [0, 0, 0]]]", "must not be negative"),
        ("force = [1, 2]", "expected a list of 3 numbers"),
        (
            "force = [[0, [0, 0, 0]], 3]",
            "expected a list of 3 numbers",
        ),
        ("torque = [[0, [0, 0]]]", "expected a list of 3 numbers"),
        ("torque = [0, 0, nan]", "not a finite number"),
        ("force = \"up\"", "expected a list of 3 numbers"),
    ] {
        let text = format!("{head}{brick}{line}\n");
        let error = Scene::parse("table.toml", &text, NONE)
            .expect_err(line)
            .to_string();
        assert!(
            error.contains(expected) && error.contains("table.toml:8"),
            "{line}: {error}"
        );
    }
    let text = format!(
        "{head}{brick}[[friction]]\nfirst = \"body 1\"\nsecond = \"ice\"\ncoefficient = 0.1\n"
    );
    let scene = Scene::parse("pair.toml", &text, NONE).expect("a scene");
    let Err(error) = Simulation::new(&scene) else {
        panic!("there is no ice");
    };
    assert!(matches!(error, SimError::Scene(_)));
    let error = error.to_string();
    assert!(
        error.contains("pair.toml:10") && error.contains("no body or obstacle `ice`"),
        "{error}"
    );
}

/// A pair has its own friction, for all copies: a box sticks on a slope of 1/4 where the mean would let it slide.
#[test]
fn a_pair_has_its_own_friction() {
    let slide = |pair: &str| {
        let text = format!(
            r#"
[time]
step = 1e-2
duration = 1
[world]
gravity = [1, 0, -4]
friction = 0.1
[[body]]
name = "box"
kind = "rigid"
mass = 2
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.02], cells = [1, 1, 1] }} }}
position = [0, 0, 0.0101]
copies = {{ count = 2, columns = [1, 2], spacing = [1, 1, 1] }}
[[obstacle]]
name = "ramp"
shape = {{ half_space = {{ normal = [0, 0, 1] }} }}
{pair}
"#
        );
        let scene = Scene::parse("pair.toml", &text, NONE).expect("a scene");
        let mut simulation = Simulation::new(&scene).expect("a simulation");
        simulation.step_until(0.3).expect("steps");
        ["box 1", "box 2"].map(|name| simulation.body(name).unwrap().velocity().x)
    };
    let expected = (1.0 - 0.1 * 4.0) * 0.3;
    assert!(
        slide("")
            .iter()
            .all(|speed| (speed - expected).abs() < 0.02)
    );
    let pair = |name: &str| {
        format!("[[friction]]\nfirst = \"ramp\"\nsecond = \"{name}\"\ncoefficient = 0.5\n")
    };
    assert!(slide(&pair("box")).iter().all(|speed| speed.abs() < 1e-6));
    let [first, second] = slide(&pair("box 2"));
    assert!((first - expected).abs() < 0.02 && second.abs() < 1e-6);
}
