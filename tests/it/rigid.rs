//! Rigid bodies: free flight, rest, friction, and impacts with deformable bodies.

use crate::figure::larger;
use crate::support::{assert_apart, energy, simulation};
use impinge_sim::measure::rigid::rigid_measures;
use impinge_sim::{Scene, Simulation, StepReport};
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};

/// A bar in free rotation about its middle axis.
const TUMBLING: &str = r#"
[time]
step = 2e-3
duration = 1
[world]
gravity = [0, 0, 0]
[[body]]
name = "bar"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.2, 0.5], cells = [1, 1, 1] } }
density = 700
position = [0.3, -0.2, 0.1]
rotation = { axis = [1, 2, 3], degrees = 40 }
velocity = [0.4, 0.1, -0.2]
angular_velocity = [2, 5, 1]
"#;

/// Kinetic energy errors over the initial energy, and the final direction of the bar.
fn tumble(steps: u32, duration: f64) -> (f64, Vector3<f64>) {
    let step = format!("time.step={}", duration / f64::from(steps));
    let mut simulation = simulation(TUMBLING, &[&step]);
    let mut start: Option<StepReport> = None;
    let mut worst: f64 = 0.0;
    for _ in 0..steps {
        let report = simulation.advance().expect("nothing is in the way");
        let first = start.get_or_insert_with(|| report.clone());
        let drift = |now: [f64; 3], then: [f64; 3]| {
            (Vector3::from(now) - Vector3::from(then)).norm() / Vector3::from(then).norm()
        };
        assert!(drift(report.momentum, first.momentum) <= 1e-12);
        let turned = drift(report.angular_momentum, first.angular_momentum);
        // Rounding adds up over the thousands of steps of the reference: about an ulp each.
        let rounding = 4.0 * f64::from(steps) * f64::EPSILON;
        assert!(turned <= rounding.max(1e-12), "{turned:e}");
        worst = larger(
            worst,
            (energy(&report) - energy(first)).abs() / energy(first),
        );
    }
    let state = &simulation.state().rigid[0];
    (worst, state.pose.orientation * Vector3::z())
}

#[test]
fn free_flight_keeps_momenta_to_rounding_and_energy_to_second_order() {
    let duration = 0.8;
    let [(coarse, at_coarse), (fine, at_fine)] = [tumble(200, duration), tumble(400, duration)];
    let (_, exact) = tumble(6400, duration);
    let order = (coarse / fine).log2();
    assert!(
        (order - 2.0).abs() < 0.2,
        "energy: order {order}, {coarse:e} and {fine:e}"
    );
    let order = ((at_coarse - exact).norm() / (at_fine - exact).norm()).log2();
    assert!((order - 2.0).abs() < 0.2, "orientation: order {order}");
}

const BOX_ON: &str = r#"
[time]
step = 1e-3
duration = 1
[world]
friction = 0.5
[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.06], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 0.1]
rotation = { axis = [1, 2, 0], degrees = 12 }
angular_velocity = [1, 0, 2]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// It falls on a corner, then on an edge, comes to rest, and the ground carries it.
#[test]
fn a_falling_box_lands_and_its_weight_is_recovered() {
    let mut simulation = simulation(BOX_ON, &[]);
    let mut mean = Vector3::zeros();
    let mut top = f64::INFINITY;
    for step in 0..800 {
        let report = simulation.advance().expect("a fall is solved");
        assert_apart(simulation.model(), simulation.state());
        // No impact gives energy back beyond the gap correction.
        let now = energy(&report);
        assert!(now <= top + 1e-4, "step {step}: {now} J after {top} J");
        top = top.min(now);
        if step >= 750 {
            let measures = rigid_measures(simulation.model(), simulation.state());
            mean += measures[0].wrench.force / 50.0;
            assert!(report.kinetic_energy < 1e-9, "{} J", report.kinetic_energy);
        }
    }
    let body = &simulation.model().rigid[0];
    assert!((body.inertia.mass() - 0.6).abs() < 1e-12);
    let weight = simulation.model().settings.gravity * body.inertia.mass();
    let error = (mean + weight).norm() / weight.norm();
    assert!(error <= 1e-3, "{error:e} of the weight");
}

/// Speed gain of a box on a slope within 0.3 s over `g sin θ t`, `1 − μ/tan θ` if it slides; and its final speed (m/s).
fn slide(tangent: f64) -> (f64, f64) {
    let degrees = f64::atan(tangent).to_degrees();
    let (sin, cos) = degrees.to_radians().sin_cos();
    let height = 0.03 + 1e-5;
    let overrides = [
        "body.0.angular_velocity=[0,0,0]".to_owned(),
        format!("body.0.position=[{}, 0, {}]", height * sin, height * cos),
        format!("body.0.rotation={{ axis = [0, 1, 0], degrees = {degrees} }}"),
        format!("obstacle.0.rotation={{ axis = [0, 1, 0], degrees = {degrees} }}"),
    ];
    let mut simulation = simulation(BOX_ON, &overrides.each_ref().map(String::as_str));
    let along = Vector3::new(cos, 0.0, -sin);
    let speed = |simulation: &Simulation| simulation.state().rigid[0].velocity.dot(&along);
    let mut early = 0.0;
    for step in 0..350 {
        simulation.advance().expect("a slope is solved");
        if step == 49 {
            early = speed(&simulation);
        }
    }
    let late = speed(&simulation);
    ((late - early) / (9.81 * sin * 0.3), late)
}

#[test]
fn a_box_on_a_slope_sticks_and_slides_as_coulomb_says() {
    // Less than 1e-3 m/s, long after the first contact.
    let (_, stuck) = slide(0.49);
    assert!(stuck.abs() < 1e-3, "{stuck:e} m/s");
    for tangent in [0.51, 0.8] {
        let ((found, _), expected) = (slide(tangent), 1.0 - 0.5 / tangent);
        // A thousandth of gravity: the slip tolerance allows half of that.
        assert!(
            (found - expected).abs() < 1e-3,
            "tan {tangent}: {found} instead of {expected}"
        );
    }
}

/// A rigid bar and a rubber ball meet off-centre in free space.
pub(crate) const IMPACT: &str = r#"
[time]
step = 1e-3
duration = 0.1
[world]
gravity = [0, 0, 0]
friction = 0.5
[[body]]
name = "ball"
mesh = { sphere = { radius = 0.05, subdivisions = 2 } }
material = { young = 2e5, poisson = 0.3, density = 1000 }
position = [-0.08, 0, 0]
velocity = [2, 0, 0.3]
[[body]]
name = "bar"
kind = "rigid"
mesh = { cuboid = { size = [0.05, 0.15, 0.05], cells = [1, 1, 1] } }
density = 500
position = [0.02, 0.04, 0]
velocity = [-1, 0, 0]
angular_velocity = [0, 3, 10]
"#;

#[test]
fn a_rigid_and_a_deformable_body_exchange_momentum() {
    let mut simulation = simulation(IMPACT, &[]);
    let mut start: Option<StepReport> = None;
    let mut touched = 0;
    for _ in 0..80 {
        let report = simulation.advance().expect("a plain impact is solved");
        assert_apart(simulation.model(), simulation.state());
        let first = start.get_or_insert_with(|| report.clone());
        touched += usize::from(report.active > 0);
        // Scales: the momentum of the ball alone, and its moment at the distance of the bodies' size.
        let scale = 0.52 * 2.0;
        let drift = Vector3::from(report.momentum) - Vector3::from(first.momentum);
        assert!(
            drift.norm() <= 1e-10 * scale,
            "step {}: {drift}",
            report.step
        );
        // Moments balance up to the slip of a contact in a step.
        let drift = Vector3::from(report.angular_momentum) - Vector3::from(first.angular_momentum);
        assert!(
            drift.norm() <= 1e-2 * scale * 0.1,
            "step {}: {drift}",
            report.step
        );
    }
    assert!(touched > 5, "the bodies met in {touched} steps only");
    let turned = simulation.state().rigid[0].pose.orientation.angle();
    assert!(turned > 0.1, "the bar turned by {turned} rad");
}

/// Rigid boxes and a turning drum: all contact types of a rigid side.
pub(crate) const TUMBLE: &str = r#"
[time]
step = 1e-3
duration = 0.3
[world]
friction = 0.4
[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.06, 0.05, 0.04], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 0.14]
copies = { count = 4, columns = [2, 1], random_rotation = true, seed = 3 }
[[body]]
name = "ball"
mesh = { sphere = { radius = 0.03, subdivisions = 2 } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.36]
[[body]]
name = "drum"
kind = "rigid"
mesh = { cylinder = { radius = 0.08, height = 0.4, rings = 2, layers = 2 } }
position = [0, 0, 0.01]
rotation = { axis = [1, 0, 0], degrees = 90 }
motion = { angular_velocity = [0, 5, 0] }
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1], point = [0, 0, -0.1] } }
"#;

/// Boxes fall on a turning drum and off it: no intersection, and no failed step.
#[test]
fn boxes_on_a_turning_drum_never_intersect() {
    let mut simulation = simulation(TUMBLE, &[]);
    let mut torque: f64 = 0.0;
    for _ in 0..300 {
        let report = simulation.advance().expect("a tumble is solved");
        assert_apart(simulation.model(), simulation.state());
        assert_eq!(report.inexact_solves, 0, "step {}", report.step);
        assert!(
            report.rounds <= 20,
            "step {}: {} rounds",
            report.step,
            report.rounds
        );
        let measures = rigid_measures(simulation.model(), simulation.state());
        torque = larger(torque, measures[4].wrench.torque.y.abs());
    }
    // Boxes on the drum slide on it: μ m g r is 0.05 N·m for one box.
    assert!(torque > 1e-3, "{torque} N m");
}

/// A rigid box in a drum of ten sides that turns about a horizontal axis, between two lids.
const TUMBLER: &str = r#"
[time]
step = 4e-3
duration = 1.5
[world]
friction = 0.5
[[body]]
name = "box"
mesh = { cuboid = { size = [0.08, 0.06, 0.06], cells = [1, 1, 1] } }
kind = "rigid"
density = 1000
position = [0, 0, -0.05]
[[body]]
name = "drum"
kind = "rigid"
mesh = { ring = { major_radius = 0.15, section = 0.1, segments = 10 } }
rotation = { axis = [1, 0, 0], degrees = 90 }
motion = { angular_velocity = [0, 8, 0] }
[[obstacle]]
name = "near lid"
shape = { half_space = { normal = [0, 1, 0], point = [0, -0.055, 0] } }
[[obstacle]]
name = "far lid"
shape = { half_space = { normal = [0, -1, 0], point = [0, 0.055, 0] } }
"#;

/// More than half a turn in contact with turning sides, on short and long steps, of a rigid and a soft body:
/// re-linearisation ends within its limit of rounds, and no step is subdivided.
#[test]
fn a_box_that_tumbles_in_a_drum_takes_few_rounds() {
    // Limit of collision rounds.
    const MOST_ROUNDS: u32 = 20;
    let soft = TUMBLER.replacen(
        "kind = \"rigid\"\ndensity = 1000",
        "material = { young = 1e6, poisson = 0.3, density = 1000 }",
        1,
    );
    assert_ne!(soft, TUMBLER);
    let mut relinearised = 0;
    for (text, step, steps) in [
        (TUMBLER, 1e-3, 1500),
        (TUMBLER, 4e-3, 375),
        (&soft, 1e-3, 1500),
        (&soft, 4e-3, 375),
    ] {
        let step_of = format!("time.step={step}");
        let mut simulation = simulation(text, &[&step_of]);
        // Angle of a diagonal of the box in its plane of rotation.
        let diagonal = |simulation: &Simulation| {
            let points = &simulation.model().geometry.bodies[0].points;
            let positions = &simulation.state().positions;
            let along = positions[points.end - 1] - positions[points.start];
            along.x.atan2(along.z)
        };
        let (mut last, mut turned) = (diagonal(&simulation), 0.0);
        for _ in 0..steps {
            let report = simulation.advance().expect("a tumble is solved");
            assert_apart(simulation.model(), simulation.state());
            assert!(
                report.rounds <= MOST_ROUNDS,
                "{step}, step {}: {} rounds",
                report.step,
                report.rounds
            );
            assert_eq!((report.substeps, report.inexact_solves), (1, 0), "{step}");
            relinearised += report.relinearised;
            let now = diagonal(&simulation);
            let by = (now - last + PI).rem_euclid(TAU) - PI;
            turned += if report.active > 0 { by } else { 0.0 };
            last = now;
        }
        assert!(turned > PI, "{step}: {turned} rad in contact");
    }
    assert!(relinearised > 100, "{relinearised}: nothing was at stake");
}

/// A mass ratio of a million: conjugate residuals do not converge, and the step is not subdivided for that.
#[test]
fn a_ton_rests_on_a_gram() {
    let text = r#"
[time]
step = 1e-3
duration = 1
[[body]]
name = "light"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
mass = 0.001
position = [0, 0, 0.0505]
[[body]]
name = "heavy"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
mass = 1000
position = [0, 0, 0.152]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;
    let scene = Scene::parse("ton.toml", text, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("a simulation");
    let mut rescued = 0;
    for _ in 0..30 {
        let report = simulation.advance().expect("a step");
        rescued += report.rescued_solves;
        assert_eq!(
            (report.substeps, report.inexact_solves),
            (1, 0),
            "step {}",
            report.step
        );
        assert_apart(simulation.model(), simulation.state());
    }
    assert!(rescued > 0, "nothing was hard");
}
