//! Lengths and limits of joints that change with time: motion, work, and mistakes in their tables.

use impinge_sim::balance::BodyBalance;
use impinge_sim::scene::{BodyMesh, Joint, Signal};
use impinge_sim::{Scene, Simulation};

/// Closing error over the largest entry of its row.
const CLOSES: f64 = 1e-8;

/// Mass of the body that is moved (kg).
const MASS: f64 = 2.0;

/// Gravity (m/s²).
const GRAVITY: f64 = 9.81;

/// A cube that hangs on a joint, with further keys of the joint and of the scene.
fn hanging(step: f64, joint: &str, scene: &str) -> Simulation {
    hanging_with(step, joint, scene, &[])
}

fn hanging_with(step: f64, joint: &str, scene: &str, overrides: &[&str]) -> Simulation {
    let text = format!(
        "{scene}\n[time]\nstep = {step}\nduration = 10\n[[body]]\nname = \"load\"\nkind = \"rigid\"\nmass = {MASS}\n\
         mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n\
         [[joint]]\nfirst = \"load\"\nanchor = [0, 0, 0]\n{joint}\n"
    );
    let scene = Scene::parse("hanging.toml", &text, overrides).expect("a scene");
    Simulation::new(&scene).expect("sound")
}

/// Sums over a run, of load and joint.
struct Run {
    /// Work of the change.
    prescribed: f64,
    numerical: f64,
    /// Energies at the end.
    kinetic: f64,
    gravity: f64,
    elastic: f64,
    /// Largest numerical gain of a step over all bodies.
    gain: f64,
}

/// Runs some steps. The balance closes in each, and no gain is reported.
fn run(simulation: &mut Simulation, steps: u32) -> Run {
    let mut sums = Run {
        prescribed: 0.0,
        numerical: 0.0,
        kinetic: 0.0,
        gravity: 0.0,
        elastic: 0.0,
        gain: f64::NEG_INFINITY,
    };
    for step in 0..steps {
        let report = simulation.advance().expect("solved");
        assert_eq!(report.energy_gains, 0, "step {step}");
        let balance = report.balance.expect("kept by default");
        for body in &balance.bodies {
            let largest = BodyBalance::largest(body);
            assert!(body.closing.abs() <= CLOSES * largest, "{step}: {body:?}");
        }
        let total = balance.total();
        sums.prescribed += total.prescribed;
        sums.numerical += total.numerical;
        sums.gain = sums.gain.max(total.numerical);
        (sums.kinetic, sums.gravity) = (total.kinetic, total.gravity);
        sums.elastic = total.elastic;
    }
    sums
}

#[track_caller]
fn assert_near(found: f64, expected: f64, share: f64) {
    assert!(
        (found - expected).abs() <= share * expected.abs(),
        "{found:e}, not {expected:e}"
    );
}

fn height(simulation: &Simulation) -> f64 {
    simulation.state().rigid[0].pose.center.z
}

/// Lifting at the speed `v` from one step on takes `m g h`, and `m v²` for the jerk at the start: half of it is the
/// kinetic energy, the other half is lost. The jerk at the end takes no work. Ropes, rods and ropes through a point do
/// the same.
#[test]
fn a_joint_that_shortens_lifts_a_mass() {
    let (speed, lift) = (0.4, 0.2);
    let table = "length = [[0.1, 1.0], [0.6, 0.8]]";
    for joint in [
        format!("kind = \"rope\"\nend = [0, 0, 1]\n{table}"),
        format!("kind = \"link\"\nend = [0, 0, 1]\n{table}"),
        format!("kind = \"rope\"\nend = [0, 0, 1]\nvia = [{{ at = [0, 0, 0.5] }}]\n{table}"),
    ] {
        let mut simulation = hanging(1e-2, &joint, "");
        let before = run(&mut simulation, 10);
        assert!(before.prescribed.abs() < 1e-9, "{joint}");
        let lifted = run(&mut simulation, 20);
        assert_near(height(&simulation), 0.08, 1e-9);
        let kinetic = 0.5 * MASS * speed * speed;
        assert_near(lifted.kinetic, kinetic, 1e-9);
        let work = MASS * GRAVITY * 0.08 + 2.0 * kinetic;
        assert_near(lifted.prescribed, work, 1e-9);
        assert_near(lifted.numerical, -kinetic, 1e-9);
        if joint.contains("rope") {
            continue;
        }
        // A rope goes slack where a rod stops the mass.
        let rest = run(&mut simulation, 40);
        assert_near(height(&simulation), lift, 1e-9);
        assert!(rest.kinetic < 1e-12);
        assert_near(rest.prescribed, MASS * GRAVITY * 0.12, 1e-9);
    }
}

/// A constant acceleration `a` by a table with an entry for every step: the work is `m g z + m v²/2`, but for
/// `m a² h²/4` by the constant velocity in each step.
#[test]
fn work_of_a_smooth_lift_is_that_of_its_energies() {
    let acceleration = 2.0;
    for steps in [50, 200] {
        let step = 0.5 / f64::from(steps);
        let entries = (0..=steps).map(|at| {
            let time = step * f64::from(at);
            format!("[{time}, {}]", 1.0 - 0.5 * acceleration * time * time)
        });
        let table = entries.collect::<Vec<_>>().join(", ");
        let joint = format!("kind = \"rope\"\nend = [0, 0, 1]\nlength = [{table}]");
        let mut simulation = hanging(step, &joint, "");
        let lifted = run(&mut simulation, steps);
        let weight = MASS * GRAVITY * 0.25;
        assert_near(lifted.gravity, weight, 1e-9);
        let rounding = 0.25 * MASS * (acceleration * step).powi(2);
        assert_near(lifted.prescribed, weight + 0.5 * MASS - rounding, 1e-9);
    }
}

/// A spring whose rest length shortens: both forms end where `m g` stretches it, with the work of the energies that it
/// leaves and of the losses. No step gains energy.
#[test]
fn a_spring_that_shortens_works_alike_in_both_forms() {
    let ends = ["compliance", "stiffness"].map(|form| {
        let joint = format!(
            "kind = \"link\"\nend = [0, 0, 1]\ncompliance = 1e-4\nformulation = \"{form}\"\n\
             length = [[0, 0.998038], [0.2, 0.898038]]"
        );
        let mut simulation = hanging(5e-3, &joint, "");
        let lifted = run(&mut simulation, 600);
        assert!(lifted.gain < 1e-12, "{form}: {:e}", lifted.gain);
        assert_near(height(&simulation), 0.1, 1e-5);
        let stretch = MASS * GRAVITY * 1e-4;
        let stored = 0.5 * MASS * GRAVITY * stretch;
        assert_near(lifted.elastic, stored, 1e-3);
        // The stretch of the start is that of the end.
        let sum = MASS * GRAVITY * 0.1 - lifted.numerical;
        assert_near(lifted.prescribed, sum, 1e-5);
        lifted.prescribed
    });
    assert_near(ends[0], ends[1], 1e-3);
}

/// Equal limits that change turn a hinge like a motor, here by 3 rad; without gravity the work is the kinetic energy
/// and that of the jerk, the same again.
#[test]
fn limits_that_change_turn_a_hinge() {
    let joint = "kind = \"hinge\"\naxis = [1, 0, 0]\nlimits = [[0, [0, 0]], [1, [3, 3]]]";
    let mut simulation = hanging(1e-2, joint, "world.gravity = [0, 0, 0]");
    let turned = run(&mut simulation, 100);
    let angle = simulation.state().rigid[0].pose.orientation.angle();
    assert_near(angle, 3.0, 1e-6);
    let inertia = MASS * 0.1 * 0.1 / 6.0;
    assert_near(turned.kinetic, 0.5 * inertia * 9.0, 1e-6);
    assert_near(turned.prescribed, inertia * 9.0, 1e-6);
}

/// Limits may be almost a turn apart: each acts at its own angle only, also where the other one is far.
#[test]
fn limits_that_are_far_apart_act_at_their_angles_only() {
    let inertia = MASS * 0.1 * 0.1 / 6.0;
    let joint = "kind = \"hinge\"\naxis = [1, 0, 0]\nlimits = [[0, [0, 2]], [1, [3, 5]]]";
    let mut simulation = hanging(1e-2, joint, "world.gravity = [0, 0, 0]");
    let turned = run(&mut simulation, 100);
    assert_near(turned.kinetic, 0.5 * inertia * 9.0, 1e-6);
    for speed in [2.0, -2.0] {
        let joint = "kind = \"hinge\"\naxis = [1, 0, 0]\nlimits = [-2.5, 2.5]";
        let spin = format!("body.0.angular_velocity=[{speed},0,0]");
        let mut simulation = hanging_with(1e-2, joint, "world.gravity = [0, 0, 0]", &[&spin]);
        let free = run(&mut simulation, 110);
        assert_near(free.kinetic, 0.5 * inertia * 4.0, 1e-6);
        run(&mut simulation, 50);
        let angle = simulation.state().rigid[0].pose.orientation.angle();
        assert!((angle - 2.5).abs() < 1e-3, "{angle}");
    }
}

/// The lower limit of a slider lifts a mass.
#[test]
fn a_limit_that_changes_lifts_a_slider() {
    let joint = "kind = \"slider\"\naxis = [0, 0, 1]\nlimits = [[0.1, [0, 1]], [0.6, [0.2, 1]]]";
    let mut simulation = hanging(1e-2, joint, "");
    let lifted = run(&mut simulation, 30);
    assert_near(height(&simulation), 0.08, 1e-9);
    assert_near(lifted.prescribed, MASS * GRAVITY * 0.08 + MASS * 0.16, 1e-9);
}

/// The other stepper with joints moves the mass alike, and reports no gain.
#[test]
fn the_constrained_stepper_changes_lengths_too() {
    let joint = "kind = \"link\"\nend = [0, 0, 1]\nlength = [[0.1, 1.0], [0.6, 0.8]]";
    let mut simulation = hanging(1e-2, joint, "stepper = \"constrained\"");
    let mut synchronous = hanging(1e-2, joint, "");
    for _ in 0..70 {
        simulation.advance().expect("solved");
        synchronous.advance().expect("solved");
        assert_near(height(&simulation), height(&synchronous), 1e-9);
    }
    assert_near(height(&simulation), 0.2, 1e-9);
}

#[test]
fn programs_write_lengths_over_time() {
    let table = vec![(0.0, 0.3), (0.5, 0.25)];
    let joint = Joint::rope("load", [0.0; 3], [0.0, 0.0, 0.3]).of_length(table.clone());
    assert_eq!(joint.length, Some(Signal::Table(table)));
    let load = impinge_sim::scene::Body::rigid(BodyMesh::sphere(0.1, 1), 1000.0).named("load");
    let scene = Scene::new().body(load).joint(joint);
    scene.validate().expect("sound");
}

#[test]
fn mistakes_in_tables_of_joints_have_their_place() {
    let head = "[time]\nstep = 1e-2\nduration = 1\n[[body]]\nname = \"a\"\nkind = \"rigid\"\nmass = 1\n\
                mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }\n[[joint]]\nfirst = \"a\"\n\
                anchor = [0, 0, 0]\n";
    let rope = "kind = \"rope\"\nend = [0, 0, 2]\n";
    let hinge = "kind = \"hinge\"\naxis = [0, 0, 1]\n";
    for (joint, line, expected) in [
        (
            rope,
            "length = [[0.2, 1], [0.1, 1]]",
            "0.1 s is not after the entry before",
        ),
        (
            rope,
            "length = [[0, 1], [0.1, 0]]",
            "must be greater than 0",
        ),
        (rope, "length = [[-1, 1]]", "must not be negative"),
        (rope, "length = [[0]]", "a time (s) and a length"),
        (
            rope,
            "length = []",
            "a number, or a table of times and lengths",
        ),
        (
            rope,
            "length = [1, 2]",
            "a number, or a table of times and lengths",
        ),
        (
            rope,
            "length = \"long\"",
            "a number, or a table of times and lengths",
        ),
        (
            hinge,
            "limits = [[0, [0, 1]], [0.1, [1, 0]]]",
            "write the lower one first",
        ),
        (
            hinge,
            "limits = [[0, [0, 4]], [0.1, [3.5, 6.5]]]",
            "from 0 to 6.5 rad, a turn or more",
        ),
        (
            rope,
            "length = [[0, 0.3, 0.5, 0.25]]",
            "a time (s) and a length (m)",
        ),
        (
            hinge,
            "limits = [0, 1, 2]",
            "a list of 2 numbers, or a table",
        ),
        (
            hinge,
            "length = [[0, 1]]",
            "`length` belongs to a link or rope",
        ),
    ] {
        let text = format!("{head}{joint}{line}\n");
        let error = Scene::parse("table.toml", &text, &[""; 0]).expect_err(line);
        let error = error.to_string();
        assert!(
            error.contains(expected) && error.contains("table.toml:14"),
            "{line}: {error}"
        );
    }
}
