//! Laws of whole simulations under the asynchronous stepper, on small variants of the shipped scenes.

use crate::figure::{figure, larger, largest, least, smaller};
use crate::support::assert_apart;
use impinge_sim::{Scene, SimError, Simulation, StepFailure};
use nalgebra::Vector3;
use std::ops::Range;
use std::path::Path;

fn scene(name: &str, overrides: &[&str]) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenes")
        .join(name);
    Scene::load(path, overrides).expect("a shipped scene")
}

/// Runs a scene for some steps; no state may have intersections, and contacts must occur.
fn run(name: &str, overrides: &[&str], steps: u32) -> Simulation {
    let mut simulation = Simulation::new(&scene(name, overrides)).expect("a shipped scene starts");
    for _ in 0..steps {
        simulation.advance().expect("a shipped scene runs");
        assert_apart(simulation.model(), simulation.state());
    }
    let events = simulation.events().expect("the asynchronous stepper");
    assert!(events.layer_pushes > 0, "{name}: nothing touched");
    simulation
}

/// Mean of some values.
fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

const SHEET: [&str; 2] = [
    "body.0.mesh.grid.cells=[12,12]",
    "asynchronous.thickness=0.008",
];

/// Both ways to find close pairs give the same states, bit for bit, and the same impulses.
#[test]
fn both_back_ends_move_alike() {
    for (name, overrides, steps) in [
        ("falling_sheet.toml", &SHEET[..], 30),
        ("reef_knot.toml", &COARSE_KNOT, 12),
    ] {
        let of = |detection: &str| {
            let overrides = [overrides, &[detection]].concat();
            run(name, &overrides, steps)
        };
        let kinetic = of("asynchronous.detection=kinetic");
        let speculative = of("asynchronous.detection=speculative");
        assert_eq!(kinetic.state(), speculative.state(), "{name}");
        let pushes = [kinetic, speculative].map(|run| run.events().map(|e| e.layer_pushes));
        assert_eq!(pushes[0], pushes[1], "{name}");
    }
}

#[test]
fn a_sheet_falls_on_a_ball() {
    let simulation = run("falling_sheet.toml", &SHEET, 40);
    // The sheet hangs over the ball, whose top is at 0.1 m.
    let heights = || simulation.state().positions[..169].iter().map(|x| x.z);
    let (lowest, highest) = (least(heights()), largest(heights()));
    assert!(highest > 0.09 && lowest < 0.1, "{lowest} {highest}");
}

#[test]
fn a_ball_goes_through_curtains_without_going_through_cloth() {
    let overrides = [
        "body.0.mesh.grid.cells=[8,8]",
        "asynchronous.thickness=0.02",
    ];
    let simulation = run("particle_and_curtains.toml", &overrides, 30);
    // The ball was shot by half a metre.
    let ball = simulation.model().geometry.solid(3).points.clone();
    let places = simulation.state().positions[ball].iter().map(|x| x.x);
    figure("place of the rear of the ball", "m", least(places)).above(0.45);
}

/// The walls move at five times the speed of the shipped scene and press the balls together.
#[test]
fn a_compactor_presses() {
    let overrides = [
        "body.0.mesh.sphere.subdivisions=2",
        "asynchronous.thickness=0.004",
        "obstacle.1.motion.velocity=[0.5, 0, 0]",
        "obstacle.2.motion.velocity=[-0.5, 0, 0]",
        "obstacle.3.motion.velocity=[0, 0.5, 0]",
        "obstacle.4.motion.velocity=[0, -0.5, 0]",
    ];
    let simulation = run("trash_compactor.toml", &overrides, 16);
    let (model, x) = (simulation.model(), &simulation.state().positions);
    let width = |of: &[Vector3<f64>], axis: usize| {
        let places = || of.iter().map(|x| x[axis]);
        largest(places()) - least(places())
    };
    let mut widest: f64 = 0.0;
    for body in &model.geometry.bodies {
        let (rest, x) = (
            &model.points.rest[body.points.clone()],
            &x[body.points.clone()],
        );
        for axis in [0, 1] {
            widest = larger(widest, width(x, axis) / width(rest, axis));
        }
    }
    let what = "largest width of a ball between the walls over its width at the start";
    figure(what, "", widest).below(0.95);
}

/// The lower sheet lies on the points of the nails, the upper one on it, and is pulled sideways.
#[test]
fn sheets_lie_on_nails_and_are_tugged() {
    let overrides = [
        "body.0.mesh.grid.cells=[8,8]",
        "body.1.mesh.grid.cells=[8,8]",
        "body.1.fixed.0.motion.then.0.at=0.03",
    ];
    let simulation = run("bed_of_nails.toml", &overrides, 16);
    let (model, x) = (simulation.model(), &simulation.state().positions);
    let [lower, upper] = [0, 1].map(|body| model.geometry.bodies[body].points.clone());
    // Above the nails, which stand within 5 cm of the middle and are 3 cm high.
    let height = |points: Range<usize>| {
        let above = x[points].iter().filter(|x| x.x.abs().max(x.y.abs()) < 0.05);
        mean(above.map(|x| x.z - 0.03))
    };
    let lower = height(lower);
    let over_lower = height(upper.clone()) - lower;
    let pulled = mean(upper.map(|point| x[point].x - model.points.rest[point].x));
    let what = "mean height of the lower sheet above the points of nails";
    figure(what, "m", lower).within(0.0..0.003);
    let what = "mean height of the upper sheet above the lower one";
    figure(what, "m", over_lower).within(0.0..0.004);
    let what = "mean distance by which the upper sheet is pulled";
    figure(what, "m", pulled).above(0.012);
}

const COARSE_KNOT: [&str; 3] = [
    "body.0.mesh.file.path=meshes/reef_knot_a_coarse.obj",
    "body.1.mesh.file.path=meshes/reef_knot_b_coarse.obj",
    "asynchronous.thickness=1.2e-3",
];

/// The bends of the knot close, and neither passes through the other.
#[test]
fn a_reef_knot_tightens() {
    let overrides = [&COARSE_KNOT[..], &["asynchronous.detection=speculative"]].concat();
    let simulation = run("reef_knot.toml", &overrides, 20);
    let model = simulation.model();
    let reach = |body: usize, sign: f64| {
        let points = model.geometry.bodies[body].points.clone();
        largest(points.map(|point| sign * simulation.state().positions[point].x))
    };
    // The left ribbon still passes round the right one: its bend is to the right of the other's.
    let (left, right) = (reach(0, 1.0), -reach(1, -1.0));
    figure("overlap of the bends along x", "m", left - right).within(0.0..0.08);
}

/// Runs a scene until it fails for want of progress, before `end` (s); no state may have intersections.
fn assert_stops_safely(name: &str, overrides: &[&str], end: f64) {
    let mut simulation = Simulation::new(&scene(name, overrides)).expect("it starts");
    let error = loop {
        match simulation.advance() {
            Ok(report) => assert!(report.time < end, "nothing stopped it"),
            Err(error) => break error,
        }
        assert_apart(simulation.model(), simulation.state());
    };
    assert!(
        matches!(error.failure, StepFailure::Asynchronous { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("no progress at t = "), "{error}");
    assert_apart(simulation.model(), simulation.state());
}

#[test]
fn a_reef_knot_that_is_pulled_too_tight_stops_safely() {
    let overrides = [&COARSE_KNOT[..], &["asynchronous.most_ticks=1e6"]].concat();
    assert_stops_safely("reef_knot_overpulled.toml", &overrides, 0.3);
}

/// The small ball goes down between the nails. The large ones rebound from their points.
#[test]
fn balls_are_shot_at_nails() {
    let overrides = [
        "body.0.copies.count=1",
        "body.1.mesh.sphere.subdivisions=2",
        "body.2.mesh.sphere.subdivisions=2",
    ];
    let simulation = run("projectiles_on_nails.toml", &overrides, 15);
    let (model, state) = (simulation.model(), simulation.state());
    let of = |body: usize, values: &[Vector3<f64>]| {
        let points = model.geometry.bodies[body].points.clone();
        mean(values[points].iter().map(|value| value.z))
    };
    let lower = |values: &[Vector3<f64>]| smaller(of(1, values), of(2, values));
    // Nails are 3 cm high. Large balls have a radius of 1.6 cm.
    let small = of(0, &state.positions);
    figure("height of the centre of the small ball", "m", small).below(0.02);
    let large = lower(&state.positions);
    figure("least height of the centre of a large ball", "m", large).above(0.04);
    let rebound = lower(&state.velocities);
    figure("least upward velocity of a large ball", "m/s", rebound).above(0.5);
}

/// A sheet held at two edges sags onto a ball, without friction so that its state of rest is unique. Both steppers end
/// within the thickness of the layers of each other.
#[test]
fn both_steppers_rest_alike() {
    let thickness = 5e-3;
    let text = |stepper: &str| {
        format!(
            r#"
{stepper}
[time]
step = 5e-3
duration = 2
[world]
friction = 0
[[body]]
name = "sheet"
kind = "shell"
mesh = {{ grid = {{ size = [0.2, 0.2], cells = [6, 6] }} }}
shell = {{ stretch = 20, bend = 1e-6, density = 0.3, damping = 5e-3 }}
position = [0, 0, 0.06]
fixed = [
    {{ box = {{ lower = [-1, -1, 0], upper = [-0.099, 1, 1] }} }},
    {{ box = {{ lower = [0.099, -1, 0], upper = [1, 1, 1] }} }},
]
[[obstacle]]
name = "ball"
shape = {{ sphere = {{ radius = 0.05, subdivisions = 4 }} }}
"#
        )
    };
    let asynchronous = format!(
        "stepper = \"asynchronous\"\n[asynchronous]\nthickness = {thickness}\nrestitution = 0"
    );
    let start = |stepper: &str| {
        let scene = Scene::parse("sheet.toml", &text(stepper), &[""; 0]).expect("a scene");
        Simulation::new(&scene).expect("it starts")
    };
    let (mut synchronous, mut asynchronous) = (start(""), start(&asynchronous));
    for _ in 0..300 {
        synchronous.advance().expect("it runs");
        asynchronous.advance().expect("it runs");
    }
    let events = asynchronous.events().expect("the asynchronous stepper");
    assert!(events.layer_pushes > 0, "nothing touched");
    // Averaged, because layers vibrate.
    let mut mean = vec![Vector3::zeros(); asynchronous.state().positions.len()];
    for _ in 0..50 {
        asynchronous.advance().expect("it runs");
        for (mean, x) in mean.iter_mut().zip(&asynchronous.state().positions) {
            *mean += x / 50.0;
        }
    }
    let sagged = synchronous.state().positions[24].z;
    assert!(sagged < 0.0595, "the sheet did not sag: {sagged}");
    for (point, (one, other)) in mean.iter().zip(&synchronous.state().positions).enumerate() {
        let off = (one - other).norm();
        assert!(off <= thickness, "point {point} rests {off} m apart");
    }
}

/// A solid of tetrahedra on the same stepper.
#[test]
fn a_solid_bounces() {
    let text = r#"
stepper = "asynchronous"
[time]
step = 5e-3
duration = 0.3
[asynchronous]
thickness = 5e-3
restitution = 1
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.1]
rotation = { axis = [1, 2, 0], degrees = 20 }
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;
    let scene = Scene::parse("cube.toml", text, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("it starts");
    let mut rising = false;
    let mut first = None;
    for _ in 0..60 {
        let report = simulation.advance().expect("it runs");
        assert_apart(simulation.model(), simulation.state());
        rising |= report.momentum[2] > 0.0;
        let energy = report.kinetic_energy + report.elastic_energy + report.gravitational_energy;
        let first = *first.get_or_insert(energy);
        // The energy of layers is not counted, so there may be less during an impact.
        assert!(energy < 1.02 * first, "{energy} J of {first} J");
    }
    assert!(rising);
}

/// Two runs agree bit for bit.
#[test]
fn two_runs_are_equal() {
    let of = || run("falling_sheet.toml", &SHEET, 15).state().clone();
    assert_eq!(of(), of());
}

/// Walls that close on a body end the run with a message; every earlier state is free of intersections.
#[test]
fn a_compactor_that_closes_stops_safely() {
    let overrides = [
        "body.0.mesh.sphere.subdivisions=1",
        "body.0.copies.count=1",
        "body.0.copies.columns=[1,1]",
        "asynchronous.thickness=0.008",
        "obstacle.1.motion.velocity=[1, 0, 0]",
        "obstacle.2.motion.velocity=[-1, 0, 0]",
        "obstacle.3.motion.velocity=[0, 0, 0]",
        "obstacle.4.motion.velocity=[0, 0, 0]",
    ];
    // Then the walls would meet.
    assert_stops_safely("trash_compactor.toml", &overrides, 0.12);
}

#[test]
fn a_thickness_larger_than_the_mesh_is_refused() {
    let scene = scene("falling_sheet.toml", &["asynchronous.thickness=0.02"]);
    let error = Simulation::new(&scene).err().expect("refused");
    assert!(matches!(error, SimError::ThickerThanMesh { .. }), "{error}");
}

#[test]
fn invalid_settings_are_rejected() {
    for (overrides, part) in [
        (
            vec!["stepper=synchronous"],
            "to the asynchronous stepper only",
        ),
        (vec!["asynchronous.restitution=2"], "from 0 to 1"),
        (vec!["asynchronous.layer_step=0.5"], "gains energy"),
        (vec!["asynchronous.force_step=1.5"], "fly apart"),
        (vec!["asynchronous.thickness=0"], "greater than 0"),
        (vec!["asynchronous.stiffness=-1"], "greater than 0"),
        (vec!["asynchronous.most_ticks=0"], "greater than 0"),
        (vec!["asynchronous.detection=sometimes"], "kinetic"),
        (vec!["body.0.kind=elastic"], "no volume"),
        (vec!["body.0.shell.density=0"], "greater than 0"),
        (vec!["body.0.shell.poisson=0.3"], "without `poisson`"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/falling_sheet.toml");
        let error = Scene::load(path, &overrides).expect_err(part);
        assert!(error.to_string().contains(part), "{error}");
    }
}

/// Two blocks 0.1 m apart and a floor 0.1 m below them, with prescribed motions.
fn driven(left: &str, right: &str) -> Simulation {
    let text = format!(
        r#"
stepper = "asynchronous"
[time]
step = 5e-3
duration = 1
[asynchronous]
thickness = 2e-3
[[body]]
name = "sheet"
kind = "shell"
mesh = {{ grid = {{ size = [0.1, 0.1], cells = [2, 2] }} }}
shell = {{ stretch = 20, density = 0.3 }}
position = [0, 0, 5]
[[obstacle]]
name = "left block"
shape = {{ cuboid = {{ size = [0.1, 0.1, 0.1] }} }}
position = [-0.1, 0, 0.15]
motion = {left}
[[obstacle]]
name = "right block"
shape = {{ cuboid = {{ size = [0.1, 0.08, 0.08] }} }}
position = [0.1, 0, 0.15]
motion = {right}
[[obstacle]]
name = "floor"
shape = {{ half_space = {{ normal = [0, 0, 1] }} }}
"#
    );
    let scene = Scene::parse("blocks.toml", &text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("it starts")
}

/// Runs until obstacles meet; returns their names and the time.
fn meeting_of(mut simulation: Simulation) -> (String, String, f64) {
    let error = loop {
        match simulation.advance() {
            Ok(report) => assert!(report.time < 0.9, "nothing stopped it"),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("change a `motion`"), "{error}");
    let StepFailure::ObstaclesMeet {
        first,
        second,
        time,
        ..
    } = error.failure
    else {
        panic!("{error}");
    };
    // The last state is the one of the impact.
    assert!((simulation.state().time - time).abs() <= 0.0);
    (first, second, time)
}

/// Time at which `0.05 cos φ + 0.05 sin φ + 0.1 t` is 0.15 m, with `φ = t/2`: a corner of the turning and moving left
/// block touches the plane of the right one, whose side is long enough.
fn turned_meeting() -> f64 {
    let (mut before, mut after) = (0.0, 1.0);
    for _ in 0..60 {
        let middle: f64 = 0.5 * (before + after);
        let (sine, cosine) = (0.5 * middle).sin_cos();
        if 0.05 * (sine + cosine) + 0.1 * middle < 0.15 {
            before = middle;
        } else {
            after = middle;
        }
    }
    before
}

/// Prescribed bodies cannot yield, so the run ends at their impact with the names of both, even if fast bodies would
/// pass through each other between two checks.
#[test]
fn obstacles_driven_into_each_other_stop_the_run() {
    let rest = "{ velocity = [0, 0, 0] }";
    for (left, right, names, expected) in [
        (
            "{ velocity = [0.3, 0, 0] }",
            "{ velocity = [-0.1, 0, 0] }",
            ["left block", "right block"],
            0.25,
        ),
        (
            "{ velocity = [1000, 0, 0] }",
            rest,
            ["left block", "right block"],
            1e-4,
        ),
        (
            "{ velocity = [0, 0, -0.4] }",
            rest,
            ["left block", "floor"],
            0.25,
        ),
        (
            "{ velocity = [0.1, 0, 0], angular_velocity = [0, 0, 0.5] }",
            rest,
            ["left block", "right block"],
            turned_meeting(),
        ),
    ] {
        let (first, second, time) = meeting_of(driven(left, right));
        assert_eq!([first.as_str(), second.as_str()], names);
        assert!(
            (time / expected - 1.0).abs() <= 1e-4,
            "{time} s, not {expected} s"
        );
    }
}

/// Bodies in contact at the start may stay in contact: a block slides on the floor and along a standing block.
#[test]
fn obstacles_that_touch_at_the_start_may_slide() {
    let mut simulation = Simulation::new(&scene(
        "trash_compactor.toml",
        &[
            "body.0.mesh.sphere.subdivisions=1",
            "body.0.copies.count=1",
            "body.0.copies.columns=[1,1]",
            "asynchronous.thickness=0.008",
        ],
    ))
    .expect("it starts");
    for _ in 0..20 {
        simulation
            .advance()
            .expect("walls that cross each other at the start");
    }
}

/// A cube in free flight under `material` keys for a tenth of a second: momentum, and energy without that of layers.
fn flying(keys: &str) -> (Vector3<f64>, f64) {
    let text = format!(
        r#"
stepper = "asynchronous"
[time]
step = 5e-3
duration = 0.1
[world]
gravity = [0, 0, 0]
[asynchronous]
thickness = 5e-3
[[body]]
name = "cube"
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}
material = {{ young = 1e5, poisson = 0.3, density = 1000{keys} }}
velocity = [1, 0, 0]
angular_velocity = [0, 40, 0]
"#
    );
    let scene = Scene::parse("cube.toml", &text, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("it starts");
    let mut report = None;
    for _ in 0..20 {
        report = Some(simulation.advance().expect("it runs"));
    }
    let report = report.expect("twenty steps");
    (
        Vector3::from(report.momentum),
        report.kinetic_energy + report.elastic_energy,
    )
}

/// The damping keys of solids have the same meaning as under the synchronous stepper. Mass damping reduces momentum by
/// `exp(−a t)`; stiffness damping keeps it and removes the energy of vibration.
#[test]
fn solids_are_damped_as_their_keys_say() {
    let (plain, of_plain) = flying("");
    let (dragged, _) = flying(", mass_damping = 4");
    let (stilled, of_stilled) = flying(", stiffness_damping = 2e-3");
    let expected = plain * f64::exp(-0.4);
    assert!((dragged - expected).norm() < 1e-12, "{dragged} {expected}");
    assert!((stilled - plain).norm() < 1e-12, "{stilled} {plain}");
    // The spin makes it bulge and vibrate.
    assert!(of_stilled < 0.999 * of_plain, "{of_stilled} {of_plain}");
}

/// Sag of the free end of a strip after a tenth of a second (m).
fn sunk(stepper: &str, step: f64, damping: f64) -> f64 {
    let text = format!(
        r#"
{stepper}
[time]
step = {step}
duration = 0.1
[[body]]
name = "strip"
kind = "shell"
mesh = {{ grid = {{ size = [0.4, 0.05], cells = [8, 1] }} }}
shell = {{ stretch = 50, bend = 1e-2, bend_damping = {damping}, density = 0.2 }}
fixed = [{{ box = {{ lower = [-1, -1, -1], upper = [-0.149, 1, 1] }} }}]
"#
    );
    let scene = Scene::parse("strip.toml", &text, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("it starts");
    while simulation.state().time < 0.0999 {
        simulation.advance().expect("it runs");
    }
    let positions = &simulation.state().positions;
    -least(positions.iter().map(|x| x.z))
}

/// `mass_damping` of a thin body has the same meaning under both steppers: its speed falls as `exp(−a t)`. The
/// constrained stepper refuses it by name.
#[test]
fn both_steppers_slow_a_cloth_alike() {
    let text = |stepper: &str| {
        format!(
            r#"
{stepper}
[time]
step = 1e-3
duration = 0.5
[world]
gravity = [0, 0, 0]
[[body]]
kind = "shell"
mesh = {{ grid = {{ size = [0.2, 0.2], cells = [2, 2] }} }}
shell = {{ stretch = 100, density = 0.2, mass_damping = 2 }}
velocity = [1, 0, 0]
"#
        )
    };
    for stepper in [
        "",
        "stepper = \"asynchronous\"\n[asynchronous]\nthickness = 1e-3",
    ] {
        let scene = Scene::parse("cloth.toml", &text(stepper), &[""; 0]).expect("a scene");
        let mut simulation = Simulation::new(&scene).expect("nothing touches");
        for _ in 0..500 {
            simulation.advance().expect("free flight");
        }
        for velocity in &simulation.state().velocities {
            let expected = (-2.0 * 0.5_f64).exp();
            assert!((velocity.x / expected - 1.0).abs() < 2e-3, "{velocity}");
            assert!(velocity.yz().norm() < 1e-9, "{velocity}");
        }
    }
    let constrained = text("stepper = \"constrained\"");
    let refused = Scene::parse("cloth.toml", &constrained, &[""; 0]).expect_err("refused");
    let refused = refused.to_string();
    assert!(
        refused.contains("does not support `mass_damping`"),
        "{refused}"
    );
}

/// `bend_damping` has the same meaning under both steppers: it slows the sag of a strip equally.
#[test]
fn both_steppers_damp_bending_alike() {
    let asynchronous = "stepper = \"asynchronous\"\n[asynchronous]\nthickness = 2e-3";
    let free = sunk(asynchronous, 5e-3, 0.0);
    let [one, other] = [sunk("", 5e-4, 0.5), sunk(asynchronous, 5e-3, 0.5)];
    assert!(one < 0.8 * free, "no damping: {one} of {free}");
    assert!(
        (one - other).abs() < 0.05 * (free - one),
        "{one} {other} {free}"
    );
}
