//! Prescribed motions that drive obstacles into each other: no force keeps them apart, so the step is an error.

use impinge_sim::measure::body::Pose;
use impinge_sim::{Scene, SimError, Simulation, StepFailure};
use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;

/// The head of a scene, with a body that is far from everything.
const HEAD: &str = r#"
[time]
step = 1e-2
duration = 1
[world]
gravity = [0, 0, 0]
[[body]]
name = "bystander"
kind = "rigid"
mass = 1
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
position = [0, 0, 9]
"#;

fn simulation(parts: &str) -> Simulation {
    let scene =
        Scene::parse("obstacles.toml", &format!("{HEAD}{parts}"), &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("a simulation")
}

/// A cube of 0.1 m whose middle is at `position`, with further keys.
fn cube(name: &str, position: [f64; 3], keys: &str) -> String {
    format!(
        "[[obstacle]]\nname = \"{name}\"\nposition = {position:?}\n\
         shape = {{ cuboid = {{ size = [0.1, 0.1, 0.1] }} }}\n{keys}\n"
    )
}

fn moving(velocity: [f64; 3]) -> String {
    format!("motion = {{ velocity = {velocity:?} }}")
}

/// Names, time (s) and place (m) of the collision that ends a run until `end` (s).
fn meeting(simulation: &mut Simulation, end: f64) -> Option<([String; 2], f64, [f64; 3])> {
    match simulation.step_until(end) {
        Ok(_) => None,
        Err(SimError::Step(error)) => match error.failure {
            StepFailure::ObstaclesMeet {
                first,
                second,
                time,
                place,
            } => Some(([first, second], time, place)),
            other => panic!("{other}"),
        },
        Err(other) => panic!("{other}"),
    }
}

/// Two cubes approach each other from a distance of 0.1 m at 0.3 + 0.21 m/s; the steps before that are made.
#[test]
fn cubes_that_are_driven_into_each_other_end_the_run_before_they_touch() {
    let right = cube("right", [0.2, 0.01, 0.02], &moving([-0.21, 0.0, 0.0]));
    let mut both = simulation(&(cube("left", [0.0; 3], &moving([0.3, 0.0, 0.0])) + &right));
    let (names, time, place) = meeting(&mut both, 1.0).expect("they collide");
    assert_eq!(names, ["left", "right"]);
    assert!((0.196..=0.1961).contains(&time), "{time} s");
    assert!((place[0] - 0.10882).abs() < 1e-3, "{place:?}");
    assert_eq!(both.steps(), 19);
}

/// An edge of a bar that turns at 1 rad/s hits a post though no corner does; a half-space stops a cube.
#[test]
fn turning_bars_and_half_spaces_are_seen() {
    let bar = "[[obstacle]]\nname = \"bar\"\nshape = { cuboid = { size = [1, 0.02, 0.02] } }\n\
               motion = { angular_velocity = [0, 0, 1] }\n";
    let post = |y: f64| {
        format!(
            "[[obstacle]]\nname = \"post\"\nposition = [0.3, {y}, 0]\n\
             shape = {{ cuboid = {{ size = [0.01, 0.01, 1] }} }}\n"
        )
    };
    let (names, time, _) =
        meeting(&mut simulation(&(bar.to_owned() + &post(0.2))), 1.0).expect("a hit");
    assert_eq!(names, ["bar", "post"]);
    // The front side of the bar, 0.01 m before its axis, reaches the corner (0.305, 0.195).
    let turn = (0.195_f64).atan2(0.305) - (0.01 / 0.195_f64.hypot(0.305)).asin();
    assert!((time - turn).abs() < 1e-3, "{time} s, {turn} s");
    assert_eq!(
        meeting(&mut simulation(&(bar.to_owned() + &post(0.6))), 1.0),
        None
    );

    let ground =
        "[[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n";
    let falling = cube("press", [0.0, 0.0, 0.1], &moving([0.0, 0.0, -0.1]));
    let (names, time, _) = meeting(&mut simulation(&(falling + ground)), 1.0).expect("a hit");
    assert_eq!(names, ["press", "ground"]);
    assert!((0.499..=0.5).contains(&time), "{time} s");
}

/// A cube that rests on another may slide on it, and cubes with one motion never collide.
#[test]
fn obstacles_that_touch_at_the_start_count_as_one() {
    let table = cube("table", [0.0; 3], "");
    let sliding = cube("sliding", [0.0, 0.0, 0.1], &moving([0.1, 0.0, 0.0]));
    assert_eq!(meeting(&mut simulation(&(table + &sliding)), 0.5), None);
    let pair = ["front", "back"].map(|name| {
        let x = if name == "front" { 0.1001 } else { 0.0 };
        cube(name, [x, 0.0, 0.0], &moving([0.4, 0.1, 0.0]))
    });
    assert_eq!(meeting(&mut simulation(&pair.concat()), 0.5), None);
}

/// A pose beyond a wall is refused, whatever moved before; the simulation goes on from the step before.
#[test]
fn a_pose_beyond_a_wall_is_an_error_that_changes_nothing() {
    let finger = cube("finger", [0.0; 3], "");
    let wall = cube("wall", [0.5, 0.0, 0.0], "");
    let mut simulation = simulation(&(finger + &wall));
    simulation.step().expect("nothing moves");
    let pose = |x: f64| Pose {
        position: Vector3::new(x, 0.0, 0.0),
        orientation: UnitQuaternion::identity(),
    };
    simulation.set_pose("finger", pose(1.0)).expect("a pose");
    let before = simulation.state().positions.clone();
    let (names, _, _) = meeting(&mut simulation, 0.02).expect("the wall is in the way");
    assert_eq!(names, ["finger", "wall"]);
    assert_eq!(simulation.state().positions, before);
    simulation.set_pose("finger", pose(0.3)).expect("a pose");
    simulation.step().expect("before the wall");
    // The wall moves now, too.
    simulation
        .set_velocity("wall", [-1.0, 0.0, 0.0])
        .expect("a velocity");
    let (names, time, _) = meeting(&mut simulation, 1.0).expect("it meets the finger");
    assert_eq!(names, ["finger", "wall"]);
    assert!((0.119..=0.12).contains(&time), "{time} s");
}

/// The start of the scene decides which obstacles touch: a drawer that leaves a wall may come back, also in a run that
/// begins again from a saved state in between.
#[test]
fn obstacles_that_touched_at_the_start_may_meet_again() {
    let drawer =
        "motion = { velocity = [-0.1, 0, 0], then = [{ at = 0.2, velocity = [0.1, 0, 0] }] }";
    let parts = cube("wall", [0.1, 0.0, 0.0], "") + &cube("drawer", [0.0; 3], drawer);
    let mut whole = simulation(&parts);
    whole.step_until(0.2).expect("apart");
    let saved = whole.save();
    assert_eq!(meeting(&mut whole, 0.5), None);
    let mut again = simulation(&parts);
    again.restore(&saved).expect("a state of this scene");
    assert_eq!(meeting(&mut again, 0.5), None);
    assert_eq!(again.state().positions, whole.state().positions);
}

/// Rounding decides which of two faces is higher, so it must not decide whether the run ends: a slider begins 1 nm
/// above its table, or its ground, and sinks by 10 nm/s.
#[test]
fn obstacles_nearer_than_the_clearance_touch() {
    let slider = |height: f64| {
        let motion = moving([0.1, 0.0, -1e-8]);
        cube("slider", [0.0, 0.0, height + 1e-9], &motion)
    };
    let table = cube("table", [0.0; 3], "");
    assert_eq!(meeting(&mut simulation(&(table + &slider(0.1))), 0.5), None);
    let ground =
        "[[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n";
    assert_eq!(
        meeting(&mut simulation(&(slider(0.05) + ground)), 0.5),
        None
    );
}

/// Both ends of an elastic block are held, and nothing of it is free; only its far end moves, into a wall.
#[test]
fn a_held_body_of_which_one_part_moves_is_tested() {
    let block = |motion: &str| {
        format!(
            "[[body]]\nname = \"block\"\nmesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n\
             material = {{ young = 1e5, poisson = 0.3, density = 1000 }}\n\
             fixed = [{{ box = {{ lower = [-1, -1, -1], upper = [0, 1, 1] }} }},\
             {{ box = {{ lower = [0, -1, -1], upper = [1, 1, 1] }}, {motion} }}]\n"
        )
    };
    let wall = cube("wall", [0.12, 0.0, 0.0], "");
    let mut moved = simulation(&(block("motion = { velocity = [0.1, 0, 0] }") + &wall));
    let (names, time, _) = meeting(&mut moved, 1.0).expect("the end meets the wall");
    assert_eq!(names, ["block", "wall"]);
    assert!((0.199..=0.2).contains(&time), "{time} s");
    // The same, told while it runs.
    let mut told = simulation(&(block("motion = {}") + &wall));
    told.step().expect("nothing moves");
    told.set_velocity("block/held 2", [0.1, 0.0, 0.0])
        .expect("a velocity");
    assert!(meeting(&mut told, 1.0).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A cube flies past another on a straight line: it is stopped if the interval of one axis after the other says
    /// that their boxes overlap at some time.
    #[test]
    fn straight_motions_meet_when_their_boxes_do(
        from in proptest::array::uniform3(-0.4_f64..0.4),
        velocity in proptest::array::uniform3(-1.0_f64..1.0),
    ) {
        let start = [from[0] - 0.6, from[1], from[2]];
        let (mut enter, mut leave) = (0.0_f64, 0.6_f64);
        for k in 0..3 {
            let mut times = [(-0.1 - start[k]) / velocity[k], (0.1 - start[k]) / velocity[k]];
            times.sort_by(f64::total_cmp);
            enter = enter.max(times[0]);
            leave = leave.min(times[1]);
        }
        // Grazing paths are decided by rounding.
        prop_assume!((enter - leave).abs() > 1e-3);
        let parts = cube("still", [0.0; 3], "") + &cube("flying", start, &moving(velocity));
        match meeting(&mut simulation(&parts), 0.6) {
            Some((_, time, _)) => {
                prop_assert!(enter < leave, "no meeting at {time} s");
                prop_assert!(time <= enter + 1e-9 && time > enter - 1e-3, "{time} s, {enter} s");
            }
            None => prop_assert!(enter > leave, "a meeting at {enter} s"),
        }
    }
}
