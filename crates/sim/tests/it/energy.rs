//! Energies against closed forms, and unexplained energy gains.

use impinge_sim::{Scene, Simulation, StepReport};

fn reports(text: &str, steps: u32) -> Vec<StepReport> {
    let scene = Scene::parse("a.toml", text, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("sound");
    (0..steps)
        .map(|_| simulation.advance().expect("solved"))
        .collect()
}

fn gains(reports: &[StepReport]) -> u32 {
    reports.iter().map(|report| report.energy_gains).sum()
}

fn total(report: &StepReport) -> f64 {
    report.kinetic_energy + report.elastic_energy + report.gravitational_energy
}

/// A block of one cell between two prescribed faces, stretched by a tenth: all of its nodes are prescribed. A separate
/// cube is free, since a scene needs a free node.
fn stretched(mesh: &str, material: &str) -> StepReport {
    let text = format!(
        r#"
[time]
step = 0.05
duration = 1
[world]
gravity = [0, 0, 0]
[solver]
method = "compliant-kkt"
momentum_tolerance = 1e-10
[[body]]
name = "block"
mesh = {{ {mesh} }}
material = {{ young = 1e5, poisson = 0.3, density = 1000, {material} }}
fixed = [
  {{ box = {{ lower = [-1, -1, -1], upper = [1, 1, -0.049] }} }},
  {{ box = {{ lower = [-1, -1, 0.049], upper = [1, 1, 1] }}, motion = {{ velocity = [0, 0, 0.01] }} }},
]
[[body]]
name = "free"
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
material = {{ young = 1e5, poisson = 0.3, density = 1000 }}
position = [1, 0, 0]
"#
    );
    reports(&text, 20).pop().expect("steps")
}

/// `V ψ` of a block under `F = diag(1, 1, 1 + e)`: `V (μ + λ/2) E²`, with `E` linear or Green's.
fn closed_form(green: bool) -> f64 {
    let (young, poisson, volume, e): (f64, f64, f64, f64) = (1e5, 0.3, 1e-3, 0.1);
    let mu = young / (2.0 * (1.0 + poisson));
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let strain = if green { e + 0.5 * e * e } else { e };
    volume * (mu + 0.5 * lambda) * strain * strain
}

/// Elements between prescribed nodes store energy in both forms, plastic ones included.
#[test]
fn prescribed_elements_hold_their_energy() {
    let cuboid = "cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }";
    let hexahedra = "hexahedra = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }";
    for (mesh, keys, green) in [
        (cuboid, "formulation = \"stiffness\"", false),
        (cuboid, "formulation = \"compliance\"", false),
        (
            cuboid,
            "formulation = \"stiffness\", yield_stress = 1e6",
            false,
        ),
        (
            cuboid,
            "formulation = \"compliance\", yield_stress = 1e6",
            false,
        ),
        (
            cuboid,
            "formulation = \"compliance\", model = \"st_venant_kirchhoff\"",
            true,
        ),
        (hexahedra, "formulation = \"stiffness\"", false),
        (hexahedra, "formulation = \"compliance\"", false),
    ] {
        let found = stretched(mesh, keys).elastic_energy;
        let expected = closed_form(green);
        assert!(
            (found / expected - 1.0).abs() < 1e-6,
            "{mesh} {keys}: {found} {expected}"
        );
    }
}

/// A mass of 1 kg on a rod of 1 m with a compliance of 1 nm/N, released horizontally. The rod stores `T² C/2`, with the
/// tension `T = 3 m g sin θ` of a pendulum, not the square of the elongation by a straight step over its compliance.
#[test]
fn the_energy_of_a_stiff_rod_agrees_with_its_force() {
    let text = r#"
[time]
step = 5e-3
duration = 1
[[body]]
name = "bob"
kind = "rigid"
mesh = { cuboid = { size = [0.02, 0.02, 0.02], cells = [1, 1, 1] } }
mass = 1
position = [1, 0, 0]
[[joint]]
kind = "link"
first = "bob"
anchor = [1, 0, 0]
end = [0, 0, 0]
compliance = 1e-9
"#;
    for stepper in ["", "stepper = \"constrained\"\n"] {
        let all = reports(&format!("{stepper}{text}"), 110);
        let mut compared = 0;
        for report in &all {
            // The fall in height, as the potential is 0 at the start.
            let sine = -report.gravitational_energy / 9.81;
            let tension = 3.0 * 9.81 * sine;
            let expected = 0.5 * tension * tension * 1e-9;
            if sine > 0.3 {
                let off = report.elastic_energy / expected;
                assert!((0.8..1.2).contains(&off), "step {}: {off}", report.step);
                compared += 1;
            }
        }
        assert!(compared > 40, "{compared}");
        assert_eq!(gains(&all), 0);
    }
}

/// The key that takes one linearisation a step, in the place of the nonlinear equation.
fn linearised(text: &str) -> String {
    text.replacen("[time]", "[time]\nelasticity = \"linearised\"", 1)
}

/// Two falling cubes of a stiffness that a step of 10 ms does not resolve gain energy with one linearisation a step,
/// and none with the nonlinear equation.
#[test]
fn gains_of_a_step_too_long_for_the_stiffness_are_counted() {
    let text = r#"
[time]
step = 0.01
duration = 0.3
[[body]]
name = "a"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { young = 1e11, poisson = 0.3, density = 7800 }
position = [0, 0, 0.06]
rotation = { axis = [1, 2, 0], degrees = 3 }
[[body]]
name = "b"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { young = 1e11, poisson = 0.3, density = 7800 }
position = [0.02, 0, 0.18]
rotation = { axis = [1, 2, 0], degrees = 20 }
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;
    assert!(gains(&reports(&linearised(text), 15)) > 0);
    assert_eq!(gains(&reports(text, 15)), 0);
}

/// A ball at 100 m/s hits a cloth: one linearisation a step gains energy, the nonlinear equation does not.
#[test]
fn a_burst_in_one_step_is_counted() {
    let text = r#"
[time]
step = 0.01
duration = 0.1
[[body]]
name = "cloth"
kind = "shell"
mesh = { grid = { size = [1, 1], cells = [12, 12] } }
shell = { stretch = 500, bend = 1e-4, density = 0.2, damping = 1e-3 }
fixed = [
    { box = { lower = [-0.51, -0.51, -1], upper = [-0.49, 0.51, 1] } },
    { box = { lower = [0.49, -0.51, -1], upper = [0.51, 0.51, 1] } },
]
[[body]]
name = "ball"
kind = "rigid"
mesh = { sphere = { radius = 0.05, subdivisions = 2 } }
density = 1000
position = [0.01, 0.02, 0.3]
velocity = [0, 0, -100]
"#;
    assert!(gains(&reports(&linearised(text), 6)) > 0);
    assert_eq!(gains(&reports(text, 6)), 0);
}

/// A cube, twisted without gravity, and solved to a tolerance as large as its own momentum: energy creeps up slowly.
const TWIST: &str = r#"
[time]
step = 1e-4
duration = 0.2
[world]
gravity = [0, 0, 0]
[[body]]
name = "a"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
angular_velocity = [0, 0, 0.2]
fixed = [{ box = { lower = [-1, -1, -1], upper = [1, 1, -0.049] } }]
"#;

#[test]
fn a_creep_over_many_steps_is_counted() {
    let coarse = TWIST.replace("[[body]]", "[solver]\nmomentum_tolerance = 8e-5\n[[body]]");
    let all = reports(&coarse, 600);
    assert!(total(&all[599]) > 1.1 * total(&all[0]));
    assert!(gains(&all) > 0);
}

#[test]
fn vibration_that_is_resolved_gains_nothing() {
    let fine = TWIST.replace("[[body]]", "[solver]\nmomentum_tolerance = 1e-10\n[[body]]");
    assert_eq!(gains(&reports(&fine, 300)), 0);
}

/// A moving wall does work: pushing a block from rest is no unexplained gain.
#[test]
fn the_work_of_a_moving_wall_is_explained() {
    let text = r#"
[time]
step = 5e-3
duration = 0.4
[world]
friction = 0
[[body]]
name = "block"
KIND
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
position = [0, 0, 0.0501]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
[[body]]
name = "wall"
kind = "rigid"
mesh = { cuboid = { size = [0.02, 0.3, 0.3], cells = [1, 1, 1] } }
position = [-0.0701, 0, 0.16]
motion = { velocity = [1, 0, 0] }
"#;
    for kind in [
        "kind = \"rigid\"\ndensity = 1000",
        "material = { young = 1e5, poisson = 0.3, density = 1000 }",
    ] {
        let all = reports(&text.replace("KIND", kind), 40);
        let last = &all[39];
        assert!(last.kinetic_energy > 0.4, "{}", last.kinetic_energy);
        assert_eq!(gains(&all), 0, "{kind}");
    }
}

/// A constant force does work, too.
#[test]
fn the_work_of_a_pull_is_explained() {
    let text = r#"
[time]
step = 5e-3
duration = 0.4
[[body]]
name = "block"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
pulls = [{ box = { lower = [-1, -1, -1], upper = [1, 1, 1] }, force = [0, 0, 30] }]
"#;
    for stepper in [
        "",
        "stepper = \"asynchronous\"\n[asynchronous]\nthickness = 1e-3\n",
    ] {
        let all = reports(&format!("{stepper}{text}"), 40);
        assert!(total(&all[39]) > total(&all[0]) + 1.0);
        assert_eq!(gains(&all), 0, "{stepper}");
    }
}

/// A body at rest at height 0 has no energy but rounding, which is no gain: on a rope under both steppers with joints.
#[test]
fn rounding_of_a_body_at_rest_at_height_zero_is_no_gain() {
    let text = r#"
[time]
step = 1e-3
duration = 1
[[body]]
name = "ball"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 1
[[joint]]
kind = "rope"
first = "ball"
anchor = [0, 0, 0.05]
end = [0, 0, 1.05]
"#;
    for stepper in ["", "stepper = \"constrained\"\n"] {
        let all = reports(&format!("{stepper}{text}"), 100);
        let largest = |energy: fn(&StepReport) -> f64| {
            let sizes = all.iter().map(|report| energy(report).abs());
            sizes.fold(0.0, f64::max)
        };
        assert!(largest(|report| report.kinetic_energy) < 1e-20);
        assert!(largest(|report| report.gravitational_energy) < 1e-12);
        assert_eq!(gains(&all), 0, "{stepper}");
    }
}
