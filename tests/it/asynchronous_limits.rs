//! Limits of the asynchronous stepper: it stops at once with a message, and its last state is free of intersections.

use crate::support::assert_apart;
use impinge_sim::doctor::examine;
use impinge_sim::{Scene, Simulation};

/// A sheet above a ball.
const SHEET: &str = r#"
stepper = "asynchronous"
[time]
step = 5e-3
duration = 0.3
[asynchronous]
thickness = 2e-3
restitution = 0.2
[world]
friction = 0.3
[[body]]
name = "sheet"
kind = "shell"
mesh = { grid = { size = [0.1, 0.1], cells = [5, 5] } }
shell = { stretch = 50, bend = 1e-6, density = 0.2, damping = 1e-5 }
position = [0, 0, 0.06]
[[obstacle]]
name = "ball"
shape = { sphere = { radius = 0.05, subdivisions = 2 } }
"#;

fn scene(overrides: &[&str]) -> Scene {
    Scene::parse("sheet.toml", SHEET, overrides).expect("a scene")
}

fn start(overrides: &[&str]) -> Result<Simulation, String> {
    Simulation::new(&scene(overrides)).map_err(|error| error.to_string())
}

/// Advances until it stops; returns the reason.
fn stop(mut simulation: Simulation, steps: u32) -> String {
    for _ in 0..steps {
        if let Err(error) = simulation.advance() {
            assert_apart(simulation.model(), simulation.state());
            return error.to_string();
        }
        assert_apart(simulation.model(), simulation.state());
    }
    panic!("nothing stopped it");
}

/// A clock with a million ticks between two checks would seem to hang.
#[test]
fn clocks_that_are_too_fast_are_refused_by_name() {
    for (setting, part) in [
        ("body.0.shell.stretch=1e12", "`shell.stretch`"),
        ("body.0.shell.bend=1e6", "`shell.bend`"),
        ("body.0.shell.damping=1e6", "`shell.damping`"),
        (
            "asynchronous.longest_period=1e-50",
            "`asynchronous.longest_period`",
        ),
        ("asynchronous.stiffness=1e12", "`asynchronous.stiffness`"),
        ("asynchronous.layer_step=1e-9", "`asynchronous.layer_step`"),
        ("asynchronous.force_step=1e-9", "`asynchronous.force_step`"),
        ("asynchronous.thickness=1e-12", "`asynchronous.thickness`"),
    ] {
        let error = start(&[setting]).err().expect(setting);
        assert!(
            error.contains("shorter than the minimum"),
            "{setting}: {error}"
        );
        assert!(error.contains(part), "{setting}: {error}");
    }
}

/// A body too fast for any certificate does not hang the run either.
#[test]
fn points_that_cannot_be_kept_in_view_stop_the_run() {
    for detection in [
        "asynchronous.detection=kinetic",
        "asynchronous.detection=speculative",
    ] {
        let error = start(&[detection, "body.0.velocity=[0, 0, -1e40]"]).err();
        let error = error.expect("refused at the start");
        assert!(
            error.contains("`sheet`") && error.contains("too fast"),
            "{error}"
        );
        for gravity in ["world.gravity=[0, 0, 1e8]", "world.gravity=[0, 0, 1e30]"] {
            let falling = start(&[detection, gravity]).expect("it starts at rest");
            let error = stop(falling, 60);
            assert!(
                error.contains("`sheet`") && error.contains("earlier steps are valid"),
                "{error}"
            );
        }
    }
}

/// A force with a period longer than a step ticks at the end of each step.
#[test]
fn gravity_is_there_however_long_its_period_may_be() {
    let mut falling = start(&["asynchronous.longest_period=1", "body.0.position=[0, 0, 1]"])
        .expect("a scene that starts");
    for _ in 0..20 {
        falling.advance().expect("it falls");
    }
    let fallen = 1.0 - falling.state().positions[0].z;
    assert!((fallen - 0.5 * 9.81 * 0.01).abs() < 3e-3, "{fallen} m");
}

/// Friction takes energy for every coefficient: sticking sides return no faster than they slid.
#[test]
fn no_friction_adds_energy() {
    for friction in ["world.friction=5", "world.friction=1e6"] {
        let mut sheet = start(&[friction, "asynchronous.restitution=0"]).expect("it starts");
        let mut first = None;
        for _ in 0..60 {
            let report = sheet.advance().expect("it runs");
            let energy =
                report.kinetic_energy + report.elastic_energy + report.gravitational_energy;
            let first = *first.get_or_insert(energy);
            assert!(energy < 1.02 * first, "{friction}: {energy} J of {first} J");
        }
    }
}

#[test]
fn inversion_that_is_not_allowed_stops_the_run() {
    let text = r#"
stepper = "asynchronous"
[time]
step = 1e-3
duration = 0.1
[solver]
allow_inversion = false
[asynchronous]
thickness = 2e-3
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.05, 0.05, 0.05], cells = [2, 2, 2] } }
material = { young = 1e4, poisson = 0.3, density = 1000 }
position = [0, 0, 0.04]
velocity = [0, 0, -20]
[[obstacle]]
name = "floor"
shape = { half_space = { normal = [0, 0, 1] } }
"#;
    let scene = Scene::parse("cube.toml", text, &[""; 0]).expect("a scene");
    let mut cube = Simulation::new(&scene).expect("it starts");
    let error = (0..100).find_map(|_| cube.advance().err());
    let error = error.expect("it is crushed").to_string();
    assert!(
        error.contains("`cube`") && error.contains("inverted"),
        "{error}"
    );
    let ratio = cube
        .model()
        .elements
        .elastic
        .minimum_volume_ratio(&cube.state().positions);
    assert!(
        ratio.expect("elements").ratio > 0.0,
        "the last state is the one before"
    );
}

/// Pieces of a rotation are short enough for straight paths, whatever the longest period is.
#[test]
fn a_fast_blade_does_not_turn_through_a_post() {
    let text = r#"
stepper = "asynchronous"
[time]
step = 1e-2
duration = 0.1
[asynchronous]
thickness = 2e-3
longest_period = 1e-2
[world]
gravity = [0, 0, 0]
[[body]]
name = "sheet"
kind = "shell"
mesh = { grid = { size = [0.02, 0.02], cells = [2, 2] } }
shell = { stretch = 50, bend = 1e-6, density = 0.2 }
position = [0, 0, 0.3]
[[obstacle]]
name = "blade"
shape = { cuboid = { size = [0.2, 0.01, 0.05] } }
motion = { angular_velocity = [0, 0, 314.1592653589793] }
[[obstacle]]
name = "post"
shape = { cuboid = { size = [0.01, 0.01, 0.05] } }
position = [0, -0.08, 0]
"#;
    let scene = Scene::parse("blade.toml", text, &[""; 0]).expect("a scene");
    let error = stop(Simulation::new(&scene).expect("it starts"), 10);
    assert!(error.contains("`blade` and `post`"), "{error}");
    // A quarter turn less the widths of both.
    assert!(
        error.contains("t = 0.0045") || error.contains("t = 0.0046"),
        "{error}"
    );
}

/// A sheet whose edge is driven into a block, with speculative windows that drive it through.
#[test]
fn speculation_stops_where_time_hardly_passes() {
    let pressed = [
        "asynchronous.detection=speculative",
        "world.gravity=[0, 0, 0]",
        "body.0.fixed=[{ box = { lower = [-1, -1, -1], upper = [0.01, 1, 1] }, motion = { velocity = [0, 0, -0.5] } }]",
    ];
    let error = stop(start(&pressed).expect("it starts"), 40);
    // A vertex of either may be the first.
    let named = ["`sheet` and `ball`", "`ball` and `sheet`"];
    assert!(named.iter().any(|pair| error.contains(pair)), "{error}");
    for part in ["no progress at t = ", "`asynchronous.stiffness`"] {
        assert!(error.contains(part), "{error}");
    }
}

/// Bodies that start within the layers are named, also by the doctor.
#[test]
fn features_that_start_too_close_are_named() {
    let close = ["body.0.position=[0, 0, 0.0500001]"];
    let error = start(&close).err().expect("refused");
    assert!(
        error.contains("`ball` and `sheet`") && error.contains("apart"),
        "{error}"
    );
    let diagnosis = examine(&scene(&close));
    assert!(!diagnosis.can_start());
    assert!(
        diagnosis.findings[0]
            .to_string()
            .contains("`ball` and `sheet`")
    );
    assert!(examine(&scene(&[])).can_start());
}
