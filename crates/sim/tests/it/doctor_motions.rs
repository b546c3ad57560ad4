//! Warnings about prescribed motions, units and bound bodies.

use impinge_sim::doctor::{Severity, Symptom, examine, quick_look};
use impinge_sim::{Model, Scene};

const GROUND: &str =
    "[[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n";
const RIGID: &str = "kind = \"rigid\"\ndensity = 1000\n";
const ELASTIC: &str = "material = { young = 1e5, poisson = 0.3, density = 1000 }\n";

/// Duration of one second.
fn symptoms(parts: &[&str]) -> Vec<Symptom> {
    let text = [&["[time]\nstep = 5e-3\nduration = 1.0\n"], parts]
        .concat()
        .concat();
    let scene =
        Scene::parse("test.toml", &text, &[""; 0]).unwrap_or_else(|error| panic!("{error}"));
    let (model, _) = Model::new(&scene).unwrap_or_else(|error| panic!("{error}"));
    let told = quick_look(&scene, &model).findings;
    assert!(
        told.iter()
            .all(|finding| finding.severity >= Severity::Warning)
    );
    told.into_iter().map(|finding| finding.symptom).collect()
}

fn cube(kind: &str, position: [f64; 3]) -> String {
    let [x, y, z] = position;
    format!(
        "[[body]]\nname = \"cube\"\n{kind}mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n\
         position = [{x:?}, {y:?}, {z:?}]\n"
    )
}

fn wall(x: f64, motion: &str) -> String {
    format!(
        "[[obstacle]]\nname = \"wall at {x}\"\nshape = {{ cuboid = {{ size = [0.02, 0.3, 0.3] }} }}\nposition = \
         [{x:?}, 0, 0.16]\n{motion}\n"
    )
}

fn squeezed(symptoms: &[Symptom]) -> Vec<(&str, f64)> {
    let of = |symptom| match symptom {
        &Symptom::Squeezed { ref body, time, .. } => Some((body.as_str(), time)),
        _ => None,
    };
    symptoms.iter().filter_map(of).collect()
}

/// Walls 0.14 m apart that close on a cube of 0.1 m, rigid or not: found with the time, and not if they stop early
/// enough.
#[test]
fn walls_that_close_on_a_body_are_found() {
    let at = |kind: &str, speed: f64, then: &str| {
        let motion = |speed: f64| format!("motion = {{ velocity = [{speed:?}, 0, 0]{then} }}");
        let parts = [
            cube(kind, [0.0, 0.0, 0.0501]),
            wall(-0.08, &motion(speed)),
            wall(0.08, &motion(-speed)),
        ];
        symptoms(&[&parts[0], &parts[1], &parts[2], GROUND])
    };
    // A rigid cube lacks space from 0.04 m on, at 0.05 m/s each.
    let found = at(RIGID, 0.05, "");
    let [(body, time)] = squeezed(&found)[..] else {
        panic!("{found:?}")
    };
    assert!(body == "cube" && (time - 0.4).abs() < 1e-2, "{time}");
    assert_eq!(squeezed(&at(RIGID, 0.05, ", then = [{ at = 0.39 }]")), []);
    // An elastic one may be compressed to a fifth: 0.02 m between walls that start 0.14 m apart.
    let found = at(ELASTIC, 0.2, "");
    let [(_, time)] = squeezed(&found)[..] else {
        panic!("{found:?}")
    };
    assert!((time - 0.3).abs() < 1e-3, "{time}");
    assert_eq!(
        squeezed(&at(ELASTIC, 0.2, ", then = [{ at = 0.34 }]")).len(),
        1
    );
    assert_eq!(squeezed(&at(ELASTIC, 0.2, ", then = [{ at = 0.25 }]")), []);
}

/// A wall against a half-space, held nodes against each other and against a wall all count as walls. A body beside them
/// is safe.
#[test]
fn half_spaces_and_held_nodes_are_walls() {
    let press = "[[obstacle]]\nname = \"press\"\nshape = { cuboid = { size = [0.3, 0.3, 0.02] } }\nposition = [0, 0, \
                 0.2]\nmotion = { velocity = [0, 0, -0.2] }\n";
    let found = symptoms(&[&cube(RIGID, [0.0, 0.0, 0.0501]), press, GROUND]);
    let [(_, time)] = squeezed(&found)[..] else {
        panic!("{found:?}")
    };
    assert!((time - 0.45).abs() < 1e-2, "{time}");
    let beside = symptoms(&[&cube(RIGID, [0.5, 0.0, 0.0501]), press, GROUND]);
    assert_eq!(squeezed(&beside), []);

    let grips = |velocity: f64| {
        cube(ELASTIC, [0.0, 0.0, 0.2]).replace("[1, 1, 1]", "[2, 2, 2]")
            + &format!(
                "fixed = [{{ box = {{ lower = [-1, -1, 0.1499], upper = [1, 1, 0.1501] }} }}, \
                 {{ box = {{ lower = [-1, -1, 0.2499], upper = [1, 1, 0.2501] }}, motion = {{ \
                 velocity = [0, 0, {velocity:?}] }} }}]\n"
            )
            + &cube(RIGID, [0.5, 0.0, 0.2]).replace("cube\"", "other\"")
    };
    let found = symptoms(&[&grips(-0.1)]);
    let [(_, time)] = squeezed(&found)[..] else {
        panic!("{found:?}")
    };
    assert!((time - 0.8).abs() < 1e-3, "{time}");
    assert_eq!(squeezed(&symptoms(&[&grips(-0.07)])), []);
    assert_eq!(squeezed(&symptoms(&[&grips(0.1)])), []);
}

/// Paths that cross, straight or rotating, and held nodes that move into an obstacle or a half-space.
#[test]
fn paths_that_meet_are_found() {
    let free = cube(RIGID, [0.0, 5.0, 0.2]);
    let meeting = |parts: &[&str]| {
        let found = symptoms(&[&[free.as_str()], parts].concat());
        let of = |symptom| match symptom {
            Symptom::PathsMeet { time, .. } => Some(time),
            _ => None,
        };
        found.into_iter().filter_map(of).collect::<Vec<_>>()
    };
    let moving = wall(-0.5, "motion = { velocity = [1, 0, 0] }");
    let found = meeting(&[&moving, &wall(0.0, "")]);
    let [time] = found[..] else {
        panic!("{found:?}")
    };
    assert!((time - 0.48).abs() < 1e-3, "{time}");
    let stopped = wall(
        -0.5,
        "motion = { velocity = [1, 0, 0], then = [{ at = 0.47 }] }",
    );
    assert!(meeting(&[&stopped, &wall(0.0, "")]).is_empty());
    // A post beside a wall that rotates about the vertical: its corner is 0.15 m out.
    let turning = wall(0.0, "motion = { angular_velocity = [0, 0, 2] }");
    let post = |x: f64| wall(x, "").replace("[0.02, 0.3, 0.3]", "[0.02, 0.02, 0.3]");
    assert_eq!(meeting(&[&turning, &post(0.1)]).len(), 1);
    assert!(meeting(&[&turning, &post(0.2)]).is_empty());
    // Two that overlap from the start do so on purpose.
    assert!(meeting(&[&turning, &wall(0.005, "")]).is_empty());

    let led = |velocity: &str| {
        cube(ELASTIC, [0.0, 0.0, 0.2]).replace("cube\"", "led\"")
            + &format!(
                "fixed = [{{ box = {{ lower = [-1, -1, 0.1499], upper = [1, 1, 0.1501] }}, motion = {{ \
                 velocity = {velocity} }} }}]\n"
            )
    };
    let found = meeting(&[&led("[0, 0, -0.3]"), GROUND]);
    let [time] = found[..] else {
        panic!("{found:?}")
    };
    assert!((time - 0.5).abs() < 1e-2, "{time}");
    // An obstacle may slide on the half-space that it stands on, and enter none: the bottom is 0.01 m above the ground.
    let sinking = wall(0.0, "motion = { velocity = [0, 0, -0.1] }");
    assert_eq!(meeting(&[&sinking, GROUND]).len(), 1);
    let sliding = wall(0.0, "motion = { velocity = [0.1, 0, 0] }").replace("0.16]", "0.15]");
    assert!(meeting(&[&sliding, GROUND]).is_empty());
    assert_eq!(meeting(&[&led("[0.5, 0, 0]"), &wall(0.3, "")]).len(), 1);
    assert!(meeting(&[&led("[-0.5, 0, 0]"), &wall(0.3, ""), GROUND]).is_empty());
}

/// A body in other units than the rest, and a file in millimetres.
#[test]
fn units_are_judged_against_the_scene_and_the_file() {
    let small = cube(RIGID, [0.0, 0.0, 50.0]).replace("[0.1, 0.1, 0.1]", "[1, 1, 1]");
    let ball = |radius: f64| {
        format!(
            "[[body]]\nname = \"ball\"\n{RIGID}mesh = {{ sphere = {{ radius = {radius:?}, subdivisions = 1 }} \
             }}\nposition = [60, 0, 50]\n"
        )
    };
    let kinds = |parts: &[&str]| -> Vec<String> {
        let found = symptoms(parts)
            .into_iter()
            .filter_map(|symptom| match symptom {
                Symptom::SizeAmongOthers { body, .. } => Some(format!("among others: {body}")),
                Symptom::Units {
                    subject, quantity, ..
                } => Some(format!("{quantity} of {subject}")),
                _ => None,
            });
        found.collect()
    };
    assert_eq!(kinds(&[&small, &ball(20.0)]), ["among others: ball"]);
    assert_eq!(kinds(&[&small, &ball(1.0)]), [""; 0]);

    let folder = tempfile::tempdir().expect("a folder");
    let mesh = impinge_geometry::mesh::generate::sphere(30.0, 1).expect("a ball");
    impinge_geometry::io::write_tet_mesh(folder.path().join("ball.msh"), &mesh).expect("room");
    let of_file = |scale: &str| {
        let text = format!(
            "[time]\nstep = 5e-3\nduration = 1.0\n[[body]]\nname = \"part\"\n{RIGID}mesh = {{ file = {{ \
             path = \"ball.msh\"{scale} }} }}\nposition = [0, 0, 200]\n"
        );
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, text).expect("room");
        examine(&Scene::load(&path, &[""; 0]).expect("a scene")).findings
    };
    let found = of_file("");
    assert!(
        found
            .iter()
            .any(|finding| finding.mend.contains("scale = 0.001")),
        "{found:?}"
    );
    assert_eq!(of_file(", scale = 0.001"), []);
}

/// Bodies that are bound although they are apart.
#[test]
fn bodies_that_are_bound_apart_are_found() {
    let pair = |z: f64| {
        cube(ELASTIC, [0.0, 0.0, 0.0]).replace("cube\"", "soft\"")
            + &cube(ELASTIC, [0.0, 0.0, z])
            + "[[joint]]\nkind = \"bind\"\nreach = 0.3\nfirst = \"soft\"\nsecond = \"cube\"\nanchor = [0, 0, \
               0.25]\ndistance = 0.5\n"
    };
    let found = symptoms(&[&pair(0.4)]);
    let [Symptom::BoundApart { distance, .. }] = &found[..] else {
        panic!("{found:?}")
    };
    assert!((distance - 0.3).abs() < 1e-9);
    assert_eq!(symptoms(&[&pair(0.1)]), []);
}
