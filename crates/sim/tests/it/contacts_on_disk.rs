//! Contacts and reactions as files of a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::recorded::{record, recorded, scene};
use impinge_contact::ContactState;
use impinge_sim::measure::contacts::Feature;
use impinge_sim::output::{
    FrameContacts, Manifest, OutputError, Recording, read_contacts, read_frame, verify_run,
};
use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Acceleration of gravity (m/s²).
const GRAVITY: f64 = 9.81;

fn contacts_of(folder: &Path, index: usize) -> FrameContacts {
    let path = folder.join(format!("contacts_{index:05}.vtp"));
    read_contacts(path).expect("a file of contacts")
}

/// Sum of the stored forces on the body of that name (N).
fn force_on(contacts: &FrameContacts, name: &str) -> Vector3<f64> {
    let named = contacts.names.iter().position(|other| other == name);
    let body = named.expect("the name of a body") as u32;
    let mut sum = Vector3::zeros();
    for contact in &contacts.contacts {
        let force = contact.normal_force + contact.friction_force;
        for (other, sign) in contact.bodies.into_iter().zip([1.0, -1.0]) {
            sum += force * if other == body { sign } else { 0.0 };
        }
    }
    sum
}

/// Forces of `reactions.csv` in N, by name, at the times of their rows (s).
fn reactions(folder: &Path) -> BTreeMap<String, Vec<(f64, Vector3<f64>)>> {
    let mut read: BTreeMap<String, Vec<(f64, Vector3<f64>)>> = BTreeMap::new();
    let mut table = csv::Reader::from_path(folder.join("reactions.csv")).expect("a table");
    for row in table.records() {
        let row = row.expect("a row");
        let number = |index: usize| row[index].parse::<f64>().expect("a number");
        let force = Vector3::new(number(8), number(9), number(10));
        let of_name = read.entry(row[3].to_owned()).or_default();
        of_name.push((number(1), force));
    }
    read
}

/// A rigid block on an inclined plane, turned with it, and a second block on top. The plane is a half-space, or the
/// upper side of a driven plate at rest.
fn stack(slope: f64, density: f64, friction: f64, on_plate: bool) -> String {
    let degrees = slope.to_degrees();
    let (sin, cos) = slope.sin_cos();
    let turn = format!("rotation = {{ axis = [0, 1, 0], degrees = {degrees} }}");
    // A place at a height above the plane.
    let at = |height: f64| {
        format!(
            "{turn}\nposition = [{}, 0, {}]\n",
            height * sin,
            height * cos
        )
    };
    let block = |name: &str, height: f64| {
        let shape = "mesh = { cuboid = { size = [0.2, 0.2, 0.1], cells = [1, 1, 1] } }";
        let body = format!("name = \"{name}\"\nkind = \"rigid\"\ndensity = {density}\n{shape}");
        format!("[[body]]\n{body}\n{}", at(height))
    };
    let ground = if on_plate {
        let shape = "shape = { cuboid = { size = [1, 1, 0.05] } }";
        format!("{shape}\n{}", at(-0.025))
    } else {
        format!("shape = {{ half_space = {{ normal = [{sin}, 0, {cos}] }} }}\n")
    };
    let world = format!("gravity = [0, 0, -{GRAVITY}]\nfriction = {friction}");
    let head =
        format!("[time]\nstep = 1e-2\nduration = 0.3\n[world]\n{world}\n[output]\nevery = 30");
    let (lower, upper) = (block("lower", 0.0501), block("upper", 0.1502));
    format!("{head}\n{lower}{upper}[[obstacle]]\nname = \"ground\"\n{ground}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// On a slope that friction holds, the stored forces on each block carry its weight and that of what lies on it;
    /// the reaction of a plate carries both.
    #[test]
    fn stored_forces_carry_the_weight(
        slope in 0.0..0.35_f64,
        density in 200.0..5000.0_f64,
        spare in 1.2..3.0_f64,
        on_plate: bool,
    ) {
        let friction = 0.05 + slope.tan() * spare;
        let scene = scene(&stack(slope, density, friction, on_plate), &[]);
        let folder = recorded(&scene);
        let weight = density * 0.2 * 0.2 * 0.1 * GRAVITY;
        let contacts = contacts_of(folder.path(), 1);
        let near = |force: Vector3<f64>, expected: f64| {
            (force - Vector3::z() * expected).norm() <= 1e-3 * weight
        };
        for (name, expected) in [("lower", weight), ("upper", weight), ("ground", -2.0 * weight)] {
            let force = force_on(&contacts, name);
            prop_assert!(near(force, expected), "{name}: {force:?} N, not {expected} N up");
        }
        for contact in &contacts.contacts {
            prop_assert!((contact.normal.norm() - 1.0).abs() < 1e-12);
            let pull = contact.normal_force.dot(&contact.normal);
            // Forces that close the balance of a block are within its momentum tolerance, 1e-4 of the forces on it, and
            // need not be in the cone.
            prop_assert!(contact.friction_force.norm() <= friction * pull + 1e-4 * weight);
        }
        if on_plate {
            let (_, reaction) = reactions(folder.path())["ground"].pop_last();
            prop_assert!(near(reaction, 2.0 * weight), "the plate: {reaction:?} N");
        }
    }
}

/// The last entry of a list that is not empty.
trait PopLast<T> {
    fn pop_last(&self) -> T;
}

impl<T: Copy> PopLast<T> for Vec<T> {
    fn pop_last(&self) -> T {
        *self.last().expect("an entry")
    }
}

/// A cube that hangs from its top for 0.1 s, then falls onto the ground.
const HANGING: &str = r#"
title = "a cube hangs and falls"
[time]
step = 2e-3
duration = 0.2
[output]
every = 10
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000, mass_damping = 60 }
position = [0, 0, 0.0551]
fixed = [{ name = "hook", box = { lower = [-1, -1, 0.1], upper = [1, 1, 1] }, until = 0.1 }]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// The hook carries the weight, and has no rows once it lets go.
#[test]
fn a_hook_carries_the_weight_until_it_lets_go() {
    let folder = recorded(&scene(HANGING, &[]));
    let all = reactions(folder.path());
    assert_eq!(all.keys().collect::<Vec<_>>(), ["cube/hook"]);
    let rows = &all["cube/hook"];
    assert_eq!(rows.len(), 50, "one row a step");
    let (time, force) = rows.pop_last();
    assert!((time - 0.1).abs() < 1e-12);
    let weight = 1000.0 * 1e-3 * GRAVITY;
    assert!(
        (force - Vector3::z() * weight).norm() < 1e-2 * weight,
        "{force:?} N"
    );
    let text = fs::read_to_string(folder.path().join("reactions.csv")).unwrap();
    insta::assert_snapshot!("reactions_head", text.lines().next().unwrap());
}

/// A run that was ended at any frame, with files of later steps left by a killed program, goes on to the same files.
#[test]
fn a_resumed_run_stores_the_same_contacts_and_reactions() {
    let scene = scene(HANGING, &[]);
    let whole = recorded(&scene);
    let last = contacts_of(whole.path(), 10);
    assert!(!last.contacts.is_empty(), "the cube has landed");
    for pause in [0, 30, 50, 70, 90] {
        let folder = tempfile::tempdir().unwrap();
        record(&scene, folder.path(), pause);
        let left = pause / 10 + 1;
        for name in [
            format!("contacts_{left:05}.vtp"),
            ".contacts_00009.vtp.part".to_owned(),
        ] {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        let path = folder.path().join("reactions.csv");
        let rows = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{rows}{},0.1", pause + 1)).unwrap();
        record(&scene, folder.path(), scene.time.steps());
        for entry in fs::read_dir(whole.path()).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            if name.starts_with("contacts") || name.starts_with("frame") || name == "reactions.csv"
            {
                let [a, b] = [&whole, &folder].map(|of| fs::read(of.path().join(&name)).unwrap());
                assert!(a == b, "{name} after a pause at step {pause}");
            }
        }
        let findings = verify_run(folder.path(), &|| ()).unwrap().findings;
        assert!(findings.is_empty(), "{findings:#?}");
    }
}

/// A run whose contacts were changed is not resumed.
#[test]
fn changed_contacts_are_no_run_to_resume() {
    let scene = scene(HANGING, &[]);
    let folder = tempfile::tempdir().unwrap();
    record(&scene, folder.path(), 50);
    let kept = || {
        let simulation = Simulation::new(&scene).unwrap();
        Recording::resume(folder.path().to_owned(), &scene, simulation)
    };
    let path = folder.path().join("contacts_00002.vtp");
    let sound = fs::read(&path).unwrap();
    fs::write(&path, &sound[..sound.len() - 3]).unwrap();
    let error = kept().err().expect("a refusal").to_string();
    assert!(error.contains("contacts_00002.vtp"), "{error}");
    fs::remove_file(&path).unwrap();
    let error = kept().err().expect("a refusal").to_string();
    assert!(error.contains("contacts_00002.vtp"), "{error}");
}

/// Two elastic bodies of one name and an odd one that slide onto an edge of a rigid block.
const SLIDING: &str = r#"
[time]
step = 1e-3
duration = 0.02
[world]
friction = 0.2
[[body]]
name = "soft & <odd>"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.2015]
velocity = [1, 0, -1]
[[body]]
name = "block"
kind = "rigid"
mesh = { cuboid = { size = [0.3, 0.3, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0.02, 0.01, 0.1]
[[obstacle]]
name = "ground"
shape = { cuboid = { size = [2, 2, 0.1] } }
position = [0, 0, -0.0015]
"#;

/// Files, simulation and frames tell of the same contacts.
#[test]
fn files_hold_the_contacts_of_the_simulation() {
    let scene = scene(SLIDING, &[]);
    let folder = recorded(&scene);
    let mut simulation = Simulation::new(&scene).unwrap();
    let (mut states, mut most) = (Vec::new(), 0);
    for step in 0..=scene.time.steps() {
        if step > 0 {
            simulation.advance().unwrap();
        }
        let stored = contacts_of(folder.path(), step as usize);
        let frame = read_frame(folder.path().join(format!("frame_{step:05}.vtu"))).unwrap();
        assert_eq!(frame.names, ["soft & <odd>", "block", "ground"]);
        assert_eq!(stored.names, frame.names);
        let own = simulation.contacts();
        assert_eq!(stored.contacts.len(), own.len());
        most = most.max(own.len());
        for (stored, own) in stored.contacts.iter().zip(&own) {
            let bodies = stored.bodies.map(|body| stored_name(&frame.names, body));
            assert_eq!(bodies, own.bodies);
            assert_eq!((stored.features, stored.place), (own.features, own.place));
            assert_eq!((stored.normal, stored.slip), (own.normal, own.slip));
            assert_eq!((stored.gap, stored.friction), (own.gap, own.friction));
            assert_eq!(stored.normal_force, own.normal * own.normal_force);
            assert_eq!(stored.friction_force, own.friction_force);
            assert_eq!(stored.state, own.state);
            states.push(stored.state);
            // The place is near a node of the feature, or between its nodes.
            if let Feature::Vertex(node) = stored.features[0] {
                let is_node = |&point: &usize| {
                    frame.node_ids[point] == node && frame.body_of_point[point] == stored.bodies[0]
                };
                let point = (0..frame.points.len()).find(is_node).expect("a node");
                assert!((frame.points[point] - stored.place).norm() < 1e-12);
            }
        }
    }
    assert!(most > 8, "{most} contacts");
    for state in [ContactState::Sticking, ContactState::Sliding] {
        assert!(states.contains(&state), "no contact is {state:?}");
    }
    assert!(!states.contains(&ContactState::Inactive));
}

fn stored_name(names: &[String], body: u32) -> &str {
    &names[body as usize]
}

/// The text around the numbers of a file of contacts, and the list of a short run.
#[test]
fn the_form_of_the_files() {
    let folder = recorded(&scene(SLIDING, &["output.every=10"]));
    let pvd = fs::read_to_string(folder.path().join("contacts.pvd")).unwrap();
    insta::assert_snapshot!("contacts_pvd", pvd);
    let text = fs::read_to_string(folder.path().join("contacts_00000.vtp")).unwrap();
    insta::assert_snapshot!("contacts_vtp", text);
}

#[test]
fn keys_turn_the_files_off() {
    let scene = scene(
        HANGING,
        &["output.contacts=false", "output.reactions=false"],
    );
    let folder = recorded(&scene);
    let names = fs::read_dir(folder.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let own = |name: &String| name.contains("contacts") || name.contains("reactions");
    assert_eq!(names.filter(own).collect::<Vec<_>>(), [""; 0]);
    let entries = Manifest::read(folder.path()).unwrap().frames;
    assert!(entries.iter().all(|entry| entry.contacts.is_none()));
}

const CLOTH: &str = r#"
stepper = "constrained"
[time]
step = 1e-3
duration = 0.02
[[body]]
name = "cloth"
kind = "shell"
mesh = { grid = { size = [1, 1], cells = [2, 2] } }
shell = { stretch = 100, density = 0.2 }
fixed = [{ name = "edge", box = { lower = [-1, 0.49, -1], upper = [1, 1, 1] } }]
"#;

const LAYERED: &str = r#"
stepper = "asynchronous"
[asynchronous]
thickness = 1e-3
[time]
step = 1e-3
duration = 0.01
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.0515]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// A stepper writes files of contacts and reactions only if it computes them; asking for others is an error.
#[test]
fn steppers_write_what_they_compute() {
    for (text, stepper, has_contacts, has_reactions) in [
        (CLOTH, "constrained", false, true),
        (LAYERED, "asynchronous", true, false),
    ] {
        let folder = recorded(&scene(text, &[]));
        for file in ["contacts.pvd", "contacts_00000.vtp"] {
            assert_eq!(folder.path().join(file).exists(), has_contacts, "{stepper}");
        }
        assert_eq!(
            folder.path().join("reactions.csv").exists(),
            has_reactions,
            "{stepper}"
        );
        let asked = Scene::parse("scene.toml", text, &["output.contacts=true"]);
        match asked {
            Ok(_) => assert!(has_contacts, "{stepper}"),
            Err(error) => {
                let said = error.to_string();
                assert!(!has_contacts, "{said}");
                assert!(
                    said.contains("output.contacts")
                        && said.contains(&format!("the {stepper} stepper")),
                    "{said}"
                );
            }
        }
        let asked = Scene::parse("scene.toml", text, &["output.reactions=true"]);
        assert_eq!(asked.is_ok(), has_reactions, "{stepper}");
    }
}

/// What cannot be read says what it is.
#[test]
fn a_frame_is_no_file_of_contacts() {
    let folder = recorded(&scene(HANGING, &[]));
    let error = read_contacts(folder.path().join("frame_00000.vtu")).unwrap_err();
    assert!(matches!(error, OutputError::Format { .. }), "{error}");
    let error = read_frame(folder.path().join("contacts_00000.vtp")).unwrap_err();
    assert!(matches!(error, OutputError::Format { .. }), "{error}");
}

/// A cube of 1 kg falls by half a millimetre and rests on layers of either detection.
const RESTING: &str = r#"
stepper = "asynchronous"
[asynchronous]
thickness = 2e-3
restitution = 0
[world]
friction = 0.5
[time]
step = 5e-3
duration = 0.6
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 1e-3 }
position = [0, 0, 0.0525]
[[obstacle]]
name = "ground"
shape = { SHAPE }
position = [0, 0, PLACE]
"#;

/// Layers push in pulses, but the contacts of frames hold their mean forces over a step. Over a window at rest their
/// vertical sum is the weight to a hundredth, and their impulse is that of gravity and the change of momentum to 1e-6
/// N s: on half-spaces and on meshes, with the same bits by either detection. Without contacts there are no forces.
#[test]
fn forces_of_layers_carry_the_weight() {
    let plane = RESTING
        .replace("SHAPE", "half_space = { normal = [0, 0, 1] }")
        .replace("position = [0, 0, PLACE]\n", "");
    let slab = RESTING
        .replace("SHAPE", "cuboid = { size = [0.3, 0.3, 0.1] }")
        .replace("PLACE", "-0.05");
    for text in [plane, slab] {
        let mut runs = Vec::new();
        for detection in ["kinetic", "speculative"] {
            let key = format!("asynchronous.detection={detection}");
            let scene = scene(&text, &[&key]);
            let mut simulation = Simulation::new(&scene).expect("sound");
            let (mut forces, mut momenta) = (Vec::new(), Vec::new());
            for _ in 0..120 {
                let report = simulation.advance().expect("it runs");
                let contacts = simulation.contacts();
                let vertical = |contact: &impinge_sim::measure::contacts::ContactRecord<'_>| {
                    let sign = if contact.bodies[0] == "cube" {
                        1.0
                    } else {
                        -1.0
                    };
                    sign * contact.force().z
                };
                let sum: f64 = contacts.iter().map(vertical).sum();
                assert!((sum - report.contact_force[2]).abs() < 1e-9 * (1.0 + sum.abs()));
                for contact in &contacts {
                    let most = contact.friction * contact.normal_force;
                    assert!(contact.friction_force.norm() <= most * (1.0 + 1e-9));
                }
                forces.push(sum);
                momenta.push(report.momentum[2]);
            }
            let window = &forces[60..];
            let mean = window.iter().sum::<f64>() / window.len() as f64;
            assert!((mean / GRAVITY - 1.0).abs() < 0.01, "{detection}: {mean} N");
            let impulse = 5e-3 * window.iter().sum::<f64>();
            let expected = 0.3 * GRAVITY + momenta[119] - momenta[59];
            assert!(
                (impulse - expected).abs() < 1e-6,
                "{impulse} {expected} N s"
            );
            runs.push(forces);
        }
        assert_eq!(runs[0], runs[1]);
        let without = scene(&text, &["output.contacts=false"]);
        let mut simulation = Simulation::new(&without).expect("sound");
        for _ in 0..40 {
            simulation.advance().expect("it runs");
            assert!(simulation.contacts().is_empty());
        }
    }
}
