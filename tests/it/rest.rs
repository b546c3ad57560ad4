//! Rest: impacts do not rebound, and the ground carries the weight of resting bodies.

use crate::support::{mass, simulation};
use impinge_fem::RigidPose;
use impinge_sim::StepReport;
use impinge_sim::measure::forces::contact_forces;
use nalgebra::Vector3;

/// Largest momentum error of a body after a solve, over the momentum of its weight in a step: ten times its share of
/// the largest impulse, which is the ground's.
const RESIDUAL: f64 = 1e-3;

/// Steps at the end of a run over which forces are averaged.
const AVERAGED: u32 = 50;

/// An almost rigid box falls flat: only the speed of the gap correction remains in the next steps.
#[test]
fn a_stiff_box_does_not_rebound() {
    let text = r"
[time]
step = 1e-3
duration = 0.1
[[body]]
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e9, poisson = 0.3, density = 1000 }
position = [0, 0, 0.0525]
velocity = [0, 0, -1]
[[obstacle]]
shape = { half_space = { normal = [0, 0, 1] } }
";
    let mut simulation = simulation(text, &[]);
    let mut contact_steps = 0;
    for _ in 0..20 {
        let report = simulation.advance().expect("a flat impact is solved");
        contact_steps += u32::from(report.active > 0);
        if contact_steps > 2 {
            let model = simulation.model();
            let step = model.settings.time_step;
            let body = mass(model);
            let speed = report.momentum[2].abs() / body;
            let bound = model.geometry.largest_clearance() / step
                + RESIDUAL * model.settings.gravity.norm() * step;
            assert!(
                speed <= bound,
                "step {}: {speed:e} m/s, at most {bound:e} allowed",
                report.step
            );
        }
    }
    assert!(contact_steps > 10);
}

/// A box that comes to rest on the ground.
const RESTING: &str = r#"
[time]
step = 1e-3
duration = 1
[[body]]
name = "box"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e6, poisson = 0.3, density = 1000, stiffness_damping = 5e-3 }
position = [0, 0, 0.05001]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// Mean force of the ground on the box over the last steps, relative to its weight.
fn weight_error(overrides: &[&str], steps: u32) -> f64 {
    let mut simulation = simulation(RESTING, overrides);
    let mut mean = Vector3::zeros();
    for taken in 0..steps {
        simulation.advance().expect("a box at rest is solved");
        if taken >= steps - AVERAGED {
            let forces = contact_forces(simulation.model(), simulation.state());
            // The box is solid 0, the ground solid 1: the force on the box.
            let pair = forces.pairs.get(&[0, 1]).copied().unwrap_or_default();
            mean += pair.force / f64::from(AVERAGED);
        }
    }
    let weight = mass(simulation.model()) * simulation.model().settings.gravity;
    (mean + weight).norm() / weight.norm()
}

/// Reported forces carry a resting body, over wide ranges of step, stiffness and mesh.
#[test]
fn weight_is_recovered_from_contact_forces() {
    let cases = [
        ("5e-4", 400, "1e7", "[2, 2, 2]"),
        ("1e-3", 400, "1e5", "[2, 2, 2]"),
        ("1e-3", 200, "1e6", "[4, 4, 4]"),
        ("4e-3", 100, "1e5", "[4, 4, 4]"),
        ("4e-3", 100, "1e7", "[2, 2, 2]"),
    ];
    for (step, steps, young, cells) in cases {
        let overrides = [
            format!("time.step={step}"),
            format!("body.0.material.young={young}"),
            format!("body.0.mesh.cuboid.cells={cells}"),
        ];
        let error = weight_error(&overrides.each_ref().map(String::as_str), steps);
        assert!(error <= 1e-3, "{overrides:?}: {error:e} of the weight");
    }
}

/// With tighter tolerances, and long after the impact, to a millionth.
#[test]
fn tighter_tolerances_recover_the_weight_more_closely() {
    let overrides = [
        "solver.momentum_tolerance=1e-9",
        "solver.slip_tolerance=1e-10",
        "body.0.material.stiffness_damping=2e-2",
    ];
    let error = weight_error(&overrides, 600);
    assert!(error <= 1e-6, "{error:e} of the weight");
}

/// Three stiff rings in two layers, to the paper's tolerances.
const PILE: &str = r#"
[time]
step = 1e-3
duration = 1
[solver]
tolerances = "paper"
[[body]]
name = "lower"
mesh = { ring = { major_radius = 0.1, section = 0.02, segments = 24 } }
material = { young = 5e6, poisson = 0.2, density = 1000 }
position = [0, 0, 0.012]
copies = { count = 2, columns = [2, 1], spacing = [0.225, 0.225, 0.1] }
[[body]]
name = "upper"
mesh = { ring = { major_radius = 0.1, section = 0.02, segments = 24 } }
material = { young = 5e6, poisson = 0.2, density = 1000 }
position = [0.1125, 0, 0.034]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// Solver noise does not enter the motion of a pile, where the next step would have to remove it: the forces of every
/// step carry the pile, and most steps need no iterations.
#[test]
fn a_stiff_pile_does_not_move_up_and_down() {
    let mut simulation = simulation(PILE, &[]);
    let weight = mass(simulation.model()) * simulation.model().settings.gravity.norm();
    let (settling, watched) = (300, 100);
    let mut iterations = 0;
    for taken in 0..settling + watched {
        let report = simulation.advance().expect("a pile at rest is solved");
        if taken >= settling {
            let error = (report.contact_force[2] / weight - 1.0).abs();
            assert!(
                error < 1e-6,
                "step {}: {error:e} of the weight",
                report.step
            );
            iterations += report.iterations;
        }
    }
    assert!(
        iterations <= watched / 10,
        "{iterations} iterations in {watched} steps"
    );
}

/// Four rigid boxes on each other.
const RIGID_STACK: &str = r#"
[time]
step = 1e-3
duration = 2
[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 0.0501]
copies = { count = 4, columns = [1, 1], spacing = [0.1001, 0.1001, 0.1001] }
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// Row errors within tolerance do not keep a stack in motion.
#[test]
fn a_rigid_stack_comes_to_rest_and_costs_nothing() {
    let mut simulation = simulation(RIGID_STACK, &[]);
    let potential = simulation
        .advance()
        .expect("a stack is solved")
        .gravitational_energy;
    let (settling, watched) = (1500, 100);
    let mut iterations = 0;
    for taken in 0..settling + watched {
        let report = simulation.advance().expect("a stack is solved");
        if taken >= settling {
            let share = report.kinetic_energy / potential;
            assert!(share < 1e-20, "step {}: {share:e}", report.step);
            iterations += report.iterations;
        }
    }
    assert!(
        iterations <= watched / 10,
        "{iterations} iterations in {watched} steps"
    );
}

/// Ten boxes stand for two seconds in place.
#[test]
fn a_tower_of_rigid_boxes_stays_upright_and_in_its_place() {
    let mut simulation = simulation(RIGID_STACK, &["body.0.copies.count=10"]);
    let start: Vec<RigidPose> = simulation.state().rigid.iter().map(|at| at.pose).collect();
    assert_eq!(start.len(), 10);
    let time_step = simulation.model().settings.time_step;
    let seconds = 2.0;
    let slip = (simulation.model().geometry.tolerances)
        .slip(simulation.model().geometry.finest_scale(), time_step);
    let mut last = StepReport::default();
    for _ in 0..2000 {
        last = simulation.advance().expect("a tower is solved");
        for (at, start) in simulation.state().rigid.iter().zip(&start) {
            let turned = at.pose.orientation.angle_to(&start.orientation);
            assert!(
                turned.to_degrees() < 0.1,
                "step {}: {turned} rad",
                last.step
            );
            let drift = (at.pose.center - start.center).xy().norm();
            assert!(
                drift < seconds * slip / time_step,
                "step {}: {drift:e} m from its place",
                last.step
            );
        }
    }
    let share = last.kinetic_energy / last.gravitational_energy;
    assert!(share < 1e-6, "{share:e} of its potential energy");
}
