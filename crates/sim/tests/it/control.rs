//! A running simulation that a program questions and changes.

use impinge_contact::ContactState;
use impinge_sim::measure::body::Pose;
use impinge_sim::{ControlError, Scene, SimError, Simulation, State, StepFailure};
use nalgebra::{UnitQuaternion, Vector3};

fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse("control.toml", text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("a simulation")
}

fn steps(simulation: &mut Simulation, count: usize) {
    for _ in 0..count {
        simulation.step().expect("a step");
    }
}

fn bits(state: &State) -> Vec<u64> {
    let vectors = state.positions.iter().chain(&state.velocities);
    let numbers = vectors.flat_map(|x| [x.x, x.y, x.z]);
    numbers.map(f64::to_bits).collect()
}

fn close(a: Vector3<f64>, b: Vector3<f64>, tolerance: f64) {
    assert!((a - b).norm() <= tolerance, "{a:?} is not {b:?}");
}

const HEAD: &str = "[time]\nstep = 1e-2\nduration = 1\n";

/// A rigid brick of 3 kg without gravity.
const BRICK: &str = r#"
[world]
gravity = [0, 0, 0]
[[body]]
name = "brick"
kind = "rigid"
mass = 3
mesh = { cuboid = { size = [0.1, 0.2, 0.3], cells = [1, 1, 1] } }
rotation = { axis = [1, 0, 0], degrees = 90 }
position = [1, 2, 3]
"#;

fn brick() -> Simulation {
    simulation(&format!("{HEAD}{BRICK}"))
}

/// `v = F t / m`, and the end of an implicit Euler path, `x = F t² / 2m` with `t (t + h)` for `t²`.
#[test]
fn a_force_moves_a_rigid_body_by_its_mass() {
    let mut simulation = brick();
    let force = Vector3::new(6.0, -3.0, 1.5);
    simulation.set_force("brick", force.into()).unwrap();
    let count = simulation.step_until(0.5).unwrap();
    assert_eq!((count, simulation.steps()), (50, 50));
    let body = simulation.body("brick").unwrap();
    close(body.velocity(), force * (0.5 / 3.0), 1e-12);
    let path = force * (0.5 * 0.51 / 6.0);
    close(
        body.center_of_mass(),
        Vector3::new(1.0, 2.0, 3.0) + path,
        1e-12,
    );
    assert!(body.angular_momentum().norm() < 1e-15);
    let kinetic = 0.5 * 3.0 * (force * (0.5 / 3.0)).norm_squared();
    assert!((body.energies().kinetic - kinetic).abs() < 1e-12);
    // Without the force it keeps its velocity.
    simulation.set_force("brick", [0.0; 3]).unwrap();
    simulation.step_until(1.0).unwrap();
    close(
        simulation.body("brick").unwrap().velocity(),
        force * (0.5 / 3.0),
        1e-12,
    );
}

/// `L = T t` about a principal axis, and `ω = L / I`.
#[test]
fn a_torque_turns_a_rigid_body_by_its_inertia() {
    let mut simulation = brick();
    simulation.set_torque("brick", [0.0, 0.02, 0.0]).unwrap();
    steps(&mut simulation, 50);
    let body = simulation.body("brick").unwrap();
    close(body.angular_momentum(), Vector3::y() * 0.01, 1e-14);
    // A quarter turn about x takes the body's z axis to -y: sides 0.1 and 0.2 are across.
    let inertia = 3.0 / 12.0 * (0.01 + 0.04);
    close(
        body.angular_velocity(),
        Vector3::y() * (0.01 / inertia),
        1e-12,
    );
    assert!(body.velocity().norm() < 1e-15);
    let angle = 0.5 * 0.02 / inertia * 0.5 * 0.51;
    let expected = UnitQuaternion::from_scaled_axis(Vector3::y() * angle)
        * UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::FRAC_PI_2);
    let pose = body.pose().unwrap();
    assert!(pose.orientation.angle_to(&expected) < 1e-9);
    close(pose.position, Vector3::new(1.0, 2.0, 3.0), 1e-12);
}

const JELLY: &str = r#"
[world]
gravity = [0, 0, 0]
[[body]]
name = "jelly"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 1]
"#;

/// `p = F t` to rounding, `L = T t` to the error of a step; a force by mass does not deform.
#[test]
fn force_and_torque_on_an_elastic_body_are_its_momenta() {
    let mut simulation = simulation(&format!("{HEAD}{JELLY}"));
    let force = Vector3::new(0.5, 0.0, -0.25);
    simulation.set_force("jelly", force.into()).unwrap();
    steps(&mut simulation, 20);
    let body = simulation.body("jelly").unwrap();
    assert!((body.mass() - 1.0).abs() < 1e-12);
    close(body.momentum(), force * 0.2, 1e-12);
    let energies = body.energies();
    assert!(energies.elastic < 1e-9 * energies.kinetic, "{energies:?}");
    simulation.set_force("jelly", [0.0; 3]).unwrap();
    simulation.set_torque("jelly", [0.0, 0.0, 1e-3]).unwrap();
    steps(&mut simulation, 20);
    let body = simulation.body("jelly").unwrap();
    close(body.momentum(), force * 0.2, 1e-12);
    close(body.angular_momentum(), Vector3::z() * 2e-4, 2e-7);
    let turning = body.angular_velocity().z;
    // m a² / 6 of a cube; lumped masses lie farther out.
    assert!(turning > 0.03 && turning < 0.2, "{turning}");
}

const REST: &str = r#"
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 1e-2 }
position = [0, 0, 0.0501]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

#[test]
fn contact_forces_carry_the_weight() {
    let mut simulation = simulation(&format!("{HEAD}{REST}"));
    simulation.step_until(0.8).unwrap();
    let contacts = simulation.contacts();
    assert!(contacts.len() >= 4);
    let mut sum = Vector3::zeros();
    for contact in &contacts {
        assert_eq!(contact.bodies, ["cube", "ground"]);
        close(contact.normal, Vector3::z(), 1e-15);
        assert!(contact.gap > 0.0 && contact.gap < 1e-3, "{}", contact.gap);
        assert!((contact.place.z - contact.gap).abs() < 1e-12);
        assert!(contact.friction_force.norm() <= contact.friction * contact.normal_force + 1e-6);
        assert_eq!(contact.state, ContactState::Sticking);
        assert!(contact.slip.norm() < 1e-6);
        sum += contact.force();
    }
    close(sum, Vector3::z() * 9.81, 1e-3);
    let cube = simulation.body("cube").unwrap().contact_load();
    close(cube.force, sum, 1e-12);
    assert!(cube.torque.norm() < 1e-3);
    close(
        simulation.body("ground").unwrap().contact_load().force,
        -sum,
        1e-12,
    );
}

const PUSHER: &str = r#"
[world]
gravity = [0, 0, 0]
[[body]]
name = "puck"
kind = "rigid"
mass = 0.5
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
position = [0.2, 0, 0]
[[body]]
name = "finger"
kind = "rigid"
motion = {}
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
position = [0, 0, 0]
[[obstacle]]
name = "rest"
shape = { cuboid = { size = [0.1, 0.1, 0.1] } }
position = [0, 1, 0]
"#;

#[test]
fn prescribed_bodies_move_as_told_and_push_others() {
    let mut simulation = simulation(&format!("{HEAD}{PUSHER}"));
    assert!(simulation.body("finger").unwrap().is_prescribed());
    simulation.set_velocity("finger", [0.5, 0.0, 0.0]).unwrap();
    simulation.step_until(0.1).unwrap();
    close(
        simulation.body("finger").unwrap().pose().unwrap().position,
        Vector3::x() * 0.05,
        1e-15,
    );
    close(
        simulation.body("puck").unwrap().velocity(),
        Vector3::zeros(),
        1e-12,
    );
    // It reaches the puck at 0.2 s, and takes it along.
    simulation.step_until(0.4).unwrap();
    let puck = simulation.body("puck").unwrap();
    assert!(
        (puck.velocity().x - 0.5).abs() < 1e-3,
        "{}",
        puck.velocity()
    );
    let gap = puck.center_of_mass().x - 0.1 - 0.2;
    assert!(gap > 0.0 && gap < 1e-3, "{gap}");
    // The other motion at rest is not touched, and turns on its own.
    let pose = simulation.body("rest").unwrap().pose().unwrap();
    close(pose.position, Vector3::y(), 0.0);
    simulation
        .set_angular_velocity("rest", [0.0, 0.0, 2.0])
        .unwrap();
    simulation.set_velocity("finger", [0.0; 3]).unwrap();
    simulation.step_until(0.5).unwrap();
    let pose = simulation.body("rest").unwrap().pose().unwrap();
    close(pose.position, Vector3::y(), 1e-15);
    assert!((pose.orientation.scaled_axis().z - 0.2).abs() < 1e-12);
    close(
        simulation.body("finger").unwrap().pose().unwrap().position,
        Vector3::x() * 0.2,
        1e-14,
    );
}

#[test]
fn a_pose_is_reached_in_one_step_and_kept() {
    let mut simulation = simulation(&format!("{HEAD}{PUSHER}"));
    let pose = Pose {
        position: Vector3::new(-0.1, 0.02, 0.3),
        orientation: UnitQuaternion::from_scaled_axis(Vector3::new(0.1, -0.2, 0.3)),
    };
    for _ in 0..2 {
        simulation.set_pose("finger", pose).unwrap();
        for _ in 0..3 {
            simulation.step().unwrap();
            let found = simulation.body("finger").unwrap().pose().unwrap();
            close(found.position, pose.position, 1e-14);
            assert!(found.orientation.angle_to(&pose.orientation) < 1e-12);
        }
    }
}

/// A puck against a wall: a finger that leaves it no room is an error, and the simulation stays usable.
#[test]
fn a_prescribed_body_that_leaves_no_room_is_an_error() {
    let text = format!(
        "{HEAD}{PUSHER}[[obstacle]]\nname = \"wall\"\n\
         shape = {{ half_space = {{ normal = [-1, 0, 0], point = [0.26, 0, 0] }} }}\n"
    );
    let mut simulation = simulation(&text);
    let too_far = Pose {
        position: Vector3::x() * 0.12,
        orientation: UnitQuaternion::identity(),
    };
    simulation.set_pose("finger", too_far).unwrap();
    let before = simulation.save();
    let error = simulation.step().expect_err("no space");
    assert!(
        matches!(
            error.failure,
            StepFailure::Squeezed { .. } | StepFailure::PrescribedCollision { .. }
        ),
        "{error}"
    );
    assert_eq!(simulation.state(), before.state());
    simulation.set_velocity("finger", [-0.1, 0.0, 0.0]).unwrap();
    steps(&mut simulation, 10);
    let finger = simulation.body("finger").unwrap().pose().unwrap();
    close(finger.position, Vector3::x() * -0.01, 1e-14);
}

const RAMP: &str = r#"
[world]
gravity = [1, 0, -4]
friction = 0.5
[[body]]
name = "box"
kind = "rigid"
mass = 2
mesh = { cuboid = { size = [0.1, 0.1, 0.02], cells = [1, 1, 1] } }
position = [0, 0, 0.0101]
[[obstacle]]
name = "ramp"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// With `tan θ = 1/4`, a box sticks for `μ = 0.5`, and slides with `g (sin θ − μ cos θ)` for `μ = 0.1`.
#[test]
fn friction_of_a_pair_can_be_changed_while_it_sticks() {
    let mut simulation = simulation(&format!("{HEAD}{RAMP}"));
    simulation.step_until(0.3).unwrap();
    assert!(simulation.body("box").unwrap().velocity().norm() < 1e-6);
    simulation.set_friction("ramp", "box", 0.1).unwrap();
    simulation.step_until(0.5).unwrap();
    let speed = simulation.body("box").unwrap().velocity().x;
    assert!((speed - (1.0 - 0.1 * 4.0) * 0.2).abs() < 1e-6, "{speed}");
    for contact in simulation.contacts() {
        assert_eq!(contact.state, ContactState::Sliding);
        assert!((contact.friction_force.norm() - 0.1 * contact.normal_force).abs() < 1e-9);
        assert!(
            (contact.slip.x - speed * 1e-2).abs() < 1e-5,
            "{}",
            contact.slip
        );
    }
}

/// Nodes that a program moves, nodes that are released, and forces: all of it comes back.
#[test]
fn a_restored_simulation_continues_bit_for_bit() {
    let text = format!(
        r#"{HEAD}
[[body]]
name = "jelly"
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}
material = {{ young = 1e5, poisson = 0.3, density = 1000 }}
position = [0, 0, 0.16]
fixed = [
  {{ name = "top", box = {{ lower = [-1, -1, 0.209], upper = [1, 1, 1] }} }},
  {{ box = {{ lower = [-1, -1, 0.159], upper = [1, 1, 0.161] }}, until = 0.15 }},
]
[[body]]
name = "brick"
kind = "rigid"
mass = 1
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
position = [0.005, 0, 0.0505]
[[obstacle]]
name = "ground"
shape = {{ half_space = {{ normal = [0, 0, 1] }} }}
"#
    );
    let mut simulation = simulation(&text);
    simulation
        .set_velocity("jelly/top", [0.0, 0.0, -0.2])
        .unwrap();
    simulation.set_torque("brick", [0.0, 0.01, 0.0]).unwrap();
    simulation.set_friction("brick", "ground", 0.05).unwrap();
    simulation.step_until(0.1).unwrap();
    let saved = simulation.save();
    let go_on = |simulation: &mut Simulation| {
        steps(simulation, 4);
        simulation
            .set_velocity("jelly/top", [0.1, 0.0, 0.0])
            .unwrap();
        simulation.set_force("brick", [0.3, 0.0, 0.0]).unwrap();
        // Past the release.
        steps(simulation, 6);
        bits(simulation.state())
    };
    let first = go_on(&mut simulation);
    assert!(!simulation.contacts().is_empty());
    simulation.restore(&saved).unwrap();
    assert_eq!(simulation.state(), saved.state());
    assert!(simulation.keeps_balance(), "its reports go on");
    assert_eq!(go_on(&mut simulation), first);
    let mut other = self::simulation(&text);
    other.restore(&saved).unwrap();
    assert_eq!(go_on(&mut other), first);
}

#[test]
fn mistakes_are_errors_that_name_the_body_and_change_nothing() {
    let mut simulation = simulation(&format!("{HEAD}{PUSHER}"));
    let error = simulation.body("pock").map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no body or obstacle `pock`; known are `puck`, `finger`, `rest`"
    );
    let refused = [
        simulation.set_force("finger", [1.0, 0.0, 0.0]),
        simulation.set_torque("rest", [1.0, 0.0, 0.0]),
        simulation.set_velocity("puck", [1.0, 0.0, 0.0]),
    ];
    for (result, name) in refused.into_iter().zip(["finger", "rest", "puck"]) {
        match result {
            Err(ControlError::Refused { body, mend, .. }) => {
                assert_eq!(body, name);
                assert!(mend.contains("set_"), "{mend}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    let odd = [
        simulation.set_force("puck", [f64::NAN, 0.0, 0.0]),
        simulation.set_velocity("finger", [0.0, f64::INFINITY, 0.0]),
        simulation.set_friction("puck", "finger", -0.1),
        simulation.set_friction("puck", "finger", f64::NAN),
    ];
    for result in odd {
        assert!(
            matches!(result, Err(ControlError::Value { .. })),
            "{result:?}"
        );
    }
    assert!(matches!(
        simulation.step_until(f64::NAN),
        Err(SimError::Control(ControlError::Value { .. }))
    ));
    let known = simulation.set_velocity("puck/top", [0.0; 3]).unwrap_err();
    assert_eq!(
        known.to_string(),
        "there is no set of held nodes `puck/top`; the scene has none"
    );
    let other = brick().save();
    assert!(matches!(
        simulation.restore(&other),
        Err(SimError::Control(ControlError::NotRestorable { .. }))
    ));
    steps(&mut simulation, 1);
    close(
        simulation.body("finger").unwrap().velocity(),
        Vector3::zeros(),
        0.0,
    );
}

#[test]
fn a_controller_that_fails_leaves_the_simulation_before_the_step() {
    let mut simulation = brick();
    simulation.on_step("limit", |simulation| {
        if simulation.time() > 0.025 {
            return Err("three steps are enough".into());
        }
        Ok(())
    });
    let error = simulation.step_until(1.0).unwrap_err().to_string();
    assert!(
        error.contains("controller `limit`") && error.contains("three steps are enough"),
        "{error}"
    );
    assert_eq!(simulation.steps(), 3);
    simulation.clear_controllers();
    assert_eq!(simulation.step_until(0.1).unwrap(), 7);
    simulation.on_step("runaway", |simulation| {
        simulation.step()?;
        Ok(())
    });
    let error = simulation.step().unwrap_err().to_string();
    assert!(error.contains("only its caller may step"), "{error}");
}

/// A block that hangs from its top, which holds its weight with that of the held nodes.
const HANGING: &str = r#"
[[body]]
name = "block"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 5e-2 }
position = [0, 0, 1]
fixed = [
  { name = "left", box = { lower = [-1, -1, 1.049], upper = [-0.04, 1, 2] } },
  { box = { lower = [0.04, -1, 1.049], upper = [1, 1, 2] } },
]
"#;

#[test]
fn reactions_of_held_nodes_carry_the_weight() {
    let mut simulation = simulation(&format!("{HEAD}{HANGING}"));
    simulation.step_until(1.5).unwrap();
    let reactions = simulation.reactions().unwrap();
    let names: Vec<&str> = reactions.iter().map(|reaction| reaction.name).collect();
    assert_eq!(names, ["block/left", "block/held 2"]);
    let sum: Vector3<f64> = reactions.iter().map(|reaction| reaction.force).sum();
    // To the momentum tolerance of the solver.
    close(sum, Vector3::z() * 9.81, 5e-3);
    // The torques about the centre of mass cancel.
    let center = simulation.body("block").unwrap().center_of_mass();
    let about = |r: &impinge_sim::Reaction<'_>| r.torque + (r.place - center).cross(&r.force);
    let torque: Vector3<f64> = reactions.iter().map(about).sum();
    assert!(torque.norm() < 1e-3, "{torque:?}");
    let error = simulation.reaction("block/right").unwrap_err().to_string();
    assert!(
        error.contains("known are `block/left`, `block/held 2`"),
        "{error}"
    );
}

/// A cloth between two held edges: springs, bending, and the catenary's horizontal pull.
#[test]
fn reactions_of_a_cloth_carry_its_weight() {
    let text = format!(
        r#"{HEAD}
[[body]]
name = "cloth"
kind = "shell"
mesh = {{ grid = {{ size = [1, 0.2], cells = [10, 2] }} }}
shell = {{ stretch = 200, bend = 1e-3, density = 0.5, damping = 1e-1, bend_damping = 1e-1 }}
fixed = [
  {{ box = {{ lower = [-1, -1, -1], upper = [-0.49, 1, 1] }} }},
  {{ box = {{ lower = [0.49, -1, -1], upper = [1, 1, 1] }} }},
]
"#
    );
    let mut simulation = simulation(&text);
    simulation.step_until(6.0).unwrap();
    let [first, second] = [0, 1].map(|i| simulation.reactions().unwrap()[i].force);
    close(first + second, Vector3::z() * (0.5 * 0.2 * 9.81), 2e-3);
    assert!(
        first.x < -1.0 && (first.x + second.x).abs() < 1e-3,
        "{first:?} {second:?}"
    );
}

/// Of every kind of joint, the reaction on the body that the scene calls the first.
#[test]
fn the_reaction_of_a_joint_acts_on_its_first_body() {
    for kind in ["ball", "link", "rope", "weld", "hinge", "slider"] {
        for [first, second] in [["bob", "hanger"], ["hanger", "bob"]] {
            let more = match kind {
                "link" | "rope" => "end = [0, 0, 1.5]",
                "hinge" | "slider" => "axis = [1, 0, 0]",
                _ => "",
            };
            let text = format!(
                r#"{HEAD}
[[body]]
name = "bob"
kind = "rigid"
mass = 2
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
position = [0, 0, 1]
[[body]]
name = "hanger"
kind = "rigid"
mass = 1
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
position = [0, 0, 1.3]
[[joint]]
name = "hook"
kind = "{kind}"
first = "{first}"
second = "{second}"
anchor = [0, 0, 1.15]
{more}
"#
            );
            let mut simulation = simulation(&text);
            simulation.set_force("bob", [0.0, 0.0, -6.0]).unwrap();
            steps(&mut simulation, 1);
            let reactions = simulation.reactions().unwrap();
            let bodies: Vec<&str> = reactions.iter().map(|reaction| reaction.body).collect();
            assert_eq!(bodies, [first, second], "{kind}");
            assert_eq!(simulation.reaction("hook").unwrap(), reactions[0]);
            close(reactions[0].force, -reactions[1].force, 1e-9);
        }
    }
}

/// A pendulum at rest on a ball joint, and a box on a driven table.
#[test]
fn reactions_of_joints_and_driven_bodies_carry_the_weight() {
    let text = format!(
        r#"{HEAD}
[[body]]
name = "bob"
kind = "rigid"
mass = 2
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
position = [3, 0, 1]
[[body]]
name = "box"
kind = "rigid"
mass = 1
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
position = [0.1, 0, 0.0505]
[[body]]
name = "table"
kind = "rigid"
mesh = {{ cuboid = {{ size = [1, 1, 0.1], cells = [1, 1, 1] }} }}
position = [0, 0, -0.05]
motion = {{ velocity = [0, 0, 0.1] }}
[[joint]]
name = "hook"
kind = "ball"
first = "bob"
anchor = [3, 0, 1.5]
"#
    );
    let mut simulation = simulation(&text);
    simulation.step_until(0.5).unwrap();
    let hook = simulation.reaction("hook").unwrap();
    assert_eq!(hook.body, "bob");
    close(hook.place, Vector3::new(3.0, 0.0, 1.5), 1e-6);
    close(hook.force, Vector3::z() * (2.0 * 9.81), 1e-3);
    assert!(hook.torque.norm() < 1e-6);
    let table = simulation.reaction("table").unwrap();
    close(table.force, Vector3::z() * 9.81, 1e-3);
    close(table.torque, Vector3::y() * (-0.1 * 9.81), 2e-3);
}
