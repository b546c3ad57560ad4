//! The constrained stepper in scenes: motion, state, and rejected input.

use impinge_sim::Simulation;
use impinge_sim::scene::Scene;
use nalgebra::Vector3;
use std::path::Path;

/// A cloth of 4 × 4 cells, one edge held, a weight of 5 kg at the middle of the opposite edge.
const CLOTH: &str = r#"
stepper = "constrained"

[time]
step = 1e-2
duration = 1.0

[[body]]
name = "cloth"
kind = "shell"
mesh = { grid = { size = [1, 1], cells = [4, 4] } }
shell = { stretch = 1e6, density = 0.1 }
fixed = [{ box = { lower = [-0.51, 0.49, -0.1], upper = [0.51, 0.51, 0.1] } }]

[[body]]
name = "weight"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 5
position = [0, -0.5, 0]

[[joint]]
kind = "ball"
first = "weight"
second = "cloth"
anchor = [0, -0.5, 0]
"#;

fn scene(text: &str) -> Scene {
    Scene::parse("cloth.toml", text, &[""; 0]).expect("a scene")
}

fn refused(text: &str) -> String {
    let error = match Scene::parse("cloth.toml", text, &[""; 0]) {
        Ok(scene) => Simulation::new(&scene).err().map(|e| e.to_string()),
        Err(error) => Some(error.to_string()),
    };
    error.expect("refused")
}

/// Energies of 100 steps, preceded by the initial one, and the final position of the weight.
fn fall(text: &str) -> (Vec<f64>, Vector3<f64>) {
    let mut simulation = Simulation::new(&scene(text)).expect("sound");
    let mut energies = Vec::new();
    for _ in 0..100 {
        let report = simulation.advance().expect("solved");
        assert!(report.momentum_residual < 1e-6);
        energies.push(report.kinetic_energy + report.elastic_energy + report.gravitational_energy);
    }
    let end = simulation.state().rigid[0].pose.center;
    (energies, end)
}

/// A weight 800 times as heavy as a point swings on cloth that hardly stretches; without geometric stiffness it gains
/// energy.
#[test]
fn a_heavy_weight_swings_on_cloth() {
    for poisson in ["", "poisson = 0.3, "] {
        let text = CLOTH.replace("density = 0.1", &format!("{poisson}density = 0.1"));
        let (energies, end) = fall(&text);
        assert!(
            energies.windows(2).all(|e| e[1] <= e[0] + 1e-9),
            "{poisson}"
        );
        let from_edge = (end - Vector3::new(0.0, 0.5, 0.0)).norm();
        assert!(from_edge < 1.01, "{poisson}: {from_edge}");
    }
    let without = CLOTH.replace("[time]", "[solver]\njoint_stiffness = \"none\"\n\n[time]");
    let (energies, _) = fall(&without);
    let most = energies.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    // A hundredth of the energy of a fall by 1 m.
    assert!(most > energies[0] + 0.01 * 5.0 * 9.81, "{most} J");
}

/// The state is complete: a new simulation continues from it with the same bits.
#[test]
fn a_new_stepper_continues_bit_for_bit() {
    use impinge_sim::stepper::{Constrained, Stepper};
    let simulation = Simulation::new(&scene(CLOTH)).expect("sound");
    let run = |renew: bool| {
        let (model, mut state) = (simulation.model(), simulation.state().clone());
        let mut stepper = Constrained::new(model, &state).expect("sound");
        for step in 0..40 {
            if renew && step == 20 {
                stepper = Constrained::new(model, &state).expect("sound");
            }
            stepper.advance(model, &mut state).expect("solved");
        }
        state
    };
    assert_eq!(run(false), run(true));
}

/// A moving edge takes the cloth along.
#[test]
fn a_moving_edge_is_where_its_motion_says() {
    let text = CLOTH.replace(
        "upper = [0.51, 0.51, 0.1] } }",
        "upper = [0.51, 0.51, 0.1] }, motion = { velocity = [0, 0, 0.5] } }",
    );
    let mut simulation = Simulation::new(&scene(&text)).expect("sound");
    for _ in 0..50 {
        simulation.advance().expect("solved");
    }
    let state = simulation.state();
    let held = (simulation.model().points.rest.iter().zip(&state.positions))
        .filter(|(rest, _)| rest.y > 0.49 && rest.z.abs() < 1e-9);
    let mut count = 0;
    for (rest, x) in held {
        assert!((x - rest - Vector3::z() * 0.25).norm() < 1e-12);
        count += 1;
    }
    assert_eq!(count, 5);
}

/// Invalid input is rejected with its place and a remedy.
#[test]
fn unsupported_scenes_are_named() {
    let bend = refused(&CLOTH.replace("density = 0.1", "bend = 1e-6, density = 0.1"));
    assert!(
        bend.contains("cloth.toml:12") && bend.contains("leave `bend` out"),
        "{bend}"
    );
    let ground = format!(
        "{CLOTH}\n[[obstacle]]\nname = \"ground\"\nshape = {{ half_space = {{ normal = [0, 0, 1] }} }}\n"
    );
    let ground = refused(&ground);
    assert!(
        ground.contains("does not support contact") && ground.contains("another stepper"),
        "{ground}"
    );
    let solid = refused(&CLOTH.replace("kind = \"rigid\"\n", "").replace(
        "mass = 5",
        "material = { young = 1e5, poisson = 0.3, density = 1000 }",
    ));
    assert!(solid.contains("deformable solids"), "{solid}");
    let yields =
        refused(&CLOTH.replace("kind = \"ball\"\n", "kind = \"ball\"\ncompliance = -1e-3\n"));
    assert!(
        yields.contains("cloth.toml:") && yields.contains("compliance"),
        "{yields}"
    );
    let link = "kind = \"link\"\nend = [0, -0.5, 0]\n";
    let no_length = refused(&CLOTH.replace("kind = \"ball\"\n", link));
    assert!(
        no_length.contains("cloth.toml:") && no_length.contains("length"),
        "{no_length}"
    );
}

/// Inconsistent joints are rejected by name; redundant joints are solved, with a notice.
#[test]
fn contradicting_and_redundant_joints() {
    let weld = "\n[[joint]]\nkind = \"ball\"\nfirst = \"weight\"\nanchor = [0.05, -0.5, 0]\n";
    let twice = format!("{CLOTH}{weld}{weld}");
    let mut simulation = Simulation::new(&scene(&twice)).expect("sound");
    let notices = simulation.take_notices();
    assert!(
        notices.len() == 1 && notices[0].contains("joint"),
        "{notices:?}"
    );
    for _ in 0..20 {
        simulation.advance().expect("solved");
    }
    let rod = |length: f64| {
        format!(
            "\n[[joint]]\nkind = \"link\"\nfirst = \"weight\"\nanchor = [0, -0.5, 0]\nend = [0, -0.5, 1]\nlength = \
             {length}\n"
        )
    };
    let both = refused(&format!("{CLOTH}{}{}", rod(1.0), rod(1.2)));
    assert!(
        both.contains("joint 1") || both.contains("joint 2"),
        "{both}"
    );
    assert!(both.contains("incompatible"), "{both}");
}

/// More rows of rigid joints than the search takes: they are not checked, and that is said.
#[test]
fn joints_too_many_to_check_are_said() {
    let text = include_str!("../../../../scenes/tournier_load.toml");
    for stepper in ["stepper=constrained", "stepper=synchronous"] {
        let overrides = [stepper, "body.0.copies.count=1500"];
        let scene = Scene::parse("load.toml", text, &overrides).expect("a scene");
        let said = Simulation::new(&scene).expect("sound").take_notices();
        let not_checked = |notice: &&String| notice.contains("more than 1500 rows");
        assert_eq!(said.iter().filter(not_checked).count(), 1, "{said:?}");
    }
}

/// The synchronous stepper checks its rigid joints, too.
#[test]
fn hard_joints_beside_contact_are_checked_as_well() {
    let boxes = |second: f64| {
        let body = |name: &str, x: f64| {
            format!(
                "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = 1\nposition = [{x}, 0, 0]\n\
                 mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n"
            )
        };
        let rod = |length: f64| {
            format!(
                "[[joint]]\nkind = \"link\"\nfirst = \"a\"\nsecond = \"b\"\nanchor = [0, 0, 0]\n\
                 end = [0.5, 0, 0]\nlength = {length}\n"
            )
        };
        let time = "[time]\nstep = 1e-2\nduration = 0.05\n";
        format!(
            "{time}{}{}{}{}",
            body("a", 0.0),
            body("b", 0.5),
            rod(0.5),
            rod(second)
        )
    };
    let mut simulation = Simulation::new(&scene(&boxes(0.5))).expect("sound");
    let notices = simulation.take_notices();
    let of_rods: Vec<_> = (notices.iter())
        .filter(|notice| notice.contains("joint 1"))
        .collect();
    assert_eq!(of_rods.len(), 1, "{notices:?}");
    simulation.advance().expect("solved");
    let both = refused(&boxes(0.6));
    assert!(both.contains("incompatible"), "{both}");
}

/// What is said of the first steps of a scene under overrides.
fn said_of_long_steps(text: &str, overrides: &[&str]) -> Option<String> {
    let scene = Scene::parse("scene.toml", text, overrides).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("sound");
    for _ in 0..3 {
        simulation.advance().expect("solved");
    }
    simulation.long_step().map(str::to_owned)
}

/// Tournier et al. 2015, Table 1: without geometric stiffness a cable of particles of 50 kg, links of 1 m and steps of
/// 10 ms carries 51 t. Beyond, the step is said to be too long, and for which joint, by either stepper; with geometric
/// stiffness nothing is said.
#[test]
fn a_step_too_long_for_the_form_is_named() {
    let text = include_str!("../../../../scenes/tournier_load.toml");
    for stepper in ["stepper=constrained", "stepper=synchronous"] {
        let said = |load: &str, stiffness: &str| {
            let stiffness = format!("solver.joint_stiffness={stiffness}");
            said_of_long_steps(text, &[stepper, load, &stiffness])
        };
        assert_eq!(said("body.1.mass=5e4", "none"), None, "{stepper}");
        let notice = said("body.1.mass=5.2e4", "none").expect("too long");
        for part in [
            "steps of 1.000e-2 s",
            "of joint ",
            "up to 9.8",
            "shorten time.step",
        ] {
            assert!(notice.contains(part), "{stepper}: {notice}");
        }
        assert_eq!(said("body.1.mass=5.2e4", "projected"), None, "{stepper}");
    }
}

/// A force that pushes has no restoring stiffness: it buckles a strut at any step, and no step is too long for it.
#[test]
fn a_pushing_force_limits_no_step() {
    let strut = r#"
stepper = "constrained"
[time]
step = 1e-2
duration = 1.0
[solver]
joint_stiffness = "none"
[[body]]
name = "weight"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 5
position = [0, 0, 1e-2]
[[joint]]
kind = "link"
first = "weight"
anchor = [0, 0, 1e-2]
end = [0, 0, 0]
"#;
    // A link of a centimetre that oscillates with 31 rad/s under its weight, if it is below the anchor.
    let pulled = ["world.gravity=[0, 0, 981]"];
    assert!(said_of_long_steps(strut, &pulled).is_some());
    assert_eq!(
        said_of_long_steps(strut, &["world.gravity=[0, 0, -981]"]),
        None
    );
}

/// No step of the shipped scenes gains energy; without geometric stiffness each of them does.
#[test]
fn shipped_scenes_hold_by_geometric_stiffness() {
    for name in [
        "cable_crane",
        "hanging_cloth",
        "rigid_chain_10",
        "rigid_chain_50",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
        for (stiffness, holds) in [("projected", true), ("none", false)] {
            let overrides = [format!("solver.joint_stiffness={stiffness}")];
            let scene = Scene::load(&path, &overrides).expect("a shipped scene");
            let mut simulation = Simulation::new(&scene).expect("sound");
            // The energy of a fall by one metre scales the rounding.
            let weight: f64 = (simulation.model().rigid.iter())
                .map(|rigid| 9.81 * rigid.inertia.mass())
                .sum();
            let mut before = f64::NAN;
            let mut gained = false;
            for _ in 0..scene.time.steps() {
                let Ok(report) = simulation.advance() else {
                    gained = true;
                    break;
                };
                let now =
                    report.kinetic_energy + report.elastic_energy + report.gravitational_energy;
                gained |= now > before + 1e-9 * weight;
                before = now;
            }
            assert_eq!(gained, !holds, "{name}, {stiffness}");
        }
    }
}

/// Settings of the synchronous stepper are not ignored silently.
#[test]
fn nodes_cannot_be_let_go() {
    let held = "upper = [0.51, 0.51, 0.1] } }";
    let let_go = CLOTH.replace(held, "upper = [0.51, 0.51, 0.1] }, until = 1.0 }");
    assert_ne!(let_go, CLOTH);
    let message = refused(&let_go);
    assert!(
        message.contains("`until`") && message.contains("synchronous"),
        "{message}"
    );
}

/// Two boxes that fly at each other, at `speed` (m/s) each, 5 cm apart.
fn head_on(speed: f64) -> Simulation {
    let body = |name: &str, x: f64, v: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\ndensity = 1000\n\
             mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}\n\
             position = [{x}, 0, 0]\nvelocity = [{v}, 0, 0]\n"
        )
    };
    let time = "stepper = \"constrained\"\n[time]\nstep = 0.01\nduration = 0.3\n";
    let (a, b) = (body("a", 0.0, speed), body("b", 0.15, -speed));
    Simulation::new(&scene(&format!("{time}{a}{b}"))).expect("sound")
}

/// Bodies pass through each other, but every step with a crossing or an overlap is counted, and the first pair is
/// reported.
#[test]
fn bodies_that_pass_through_each_other_are_counted() {
    let mut simulation = head_on(1.0);
    let crossings: Vec<u32> = (0..16)
        .map(|_| simulation.advance().expect("solved").crossings)
        .collect();
    // They collide after 0.025 s and are past each other after 0.125 s.
    let expected: Vec<u32> = (1..=16)
        .map(|step| u32::from((3..=13).contains(&step)))
        .collect();
    assert_eq!(crossings, expected);
    let told = simulation.first_crossing().expect("told");
    assert!(
        told.starts_with("`a` through `b` at 0.0250")
            || told.starts_with("`b` through `a` at 0.0250"),
        "{told}"
    );
}

/// Also if they are apart at both ends of the step.
#[test]
fn bodies_that_pass_within_a_step_are_counted() {
    let mut simulation = head_on(50.0);
    let crossings = [0; 3].map(|_| simulation.advance().expect("solved").crossings);
    assert_eq!(crossings, [1, 0, 0]);
}

/// Joined bodies may overlap, as with the other steppers.
#[test]
fn joined_bodies_do_not_cross() {
    let mut simulation = Simulation::new(&scene(CLOTH)).expect("sound");
    for _ in 0..20 {
        assert_eq!(simulation.advance().expect("solved").crossings, 0);
    }
    assert_eq!(simulation.first_crossing(), None);
}
