//! Solvers of constraint rows that a scene selects, as the comparisons of Tournier et al. 2015 need them.

use impinge_sim::{Scene, Simulation, StepReport};

/// Five boxes on ball joints fall and swing, the last 100 times as heavy, out of a plane.
const CHAIN: &str = r#"
stepper = "constrained"
[time]
step = 1e-2
duration = 2
[[body]]
name = "link"
kind = "rigid"
mesh = { cuboid = { size = [0.18, 0.04, 0.04], cells = [1, 1, 1] } }
mass = 1
position = [0.4, 0, 0]
copies = { count = 4, columns = [4, 1], spacing = [0.2, 0.1, 0.1] }
[[body]]
name = "weight"
kind = "rigid"
mesh = { cuboid = { size = [0.18, 0.04, 0.04], cells = [1, 1, 1] } }
mass = 100
position = [0.9, 0, 0]
velocity = [0, 2, 0]
[[joint]]
kind = "ball"
first = "link 1"
anchor = [0, 0, 0]
[[joint]]
kind = "ball"
first = "link"
second = "link"
anchor = [0.2, 0, 0]
[[joint]]
kind = "ball"
first = "link 4"
second = "weight"
anchor = [0.8, 0, 0]
"#;

/// A weight falls into a rope, and swings.
const ROPE: &str = r#"
stepper = "constrained"
[time]
step = 1e-2
duration = 2
[[body]]
name = "weight"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 2
position = [0.3, 0, 0.2]
[[joint]]
kind = "rope"
first = "weight"
anchor = [0.3, 0, 0.2]
end = [0, 0, 0.5]
length = 0.6
"#;

fn scene(text: &str, overrides: &[&str]) -> Scene {
    Scene::parse("rows.toml", text, overrides).expect("a scene")
}

fn run(text: &str, overrides: &[&str], steps: u32) -> (Simulation, Vec<StepReport>) {
    let mut simulation = Simulation::new(&scene(text, overrides)).expect("sound");
    let reports = (0..steps)
        .map(|_| simulation.advance().expect("solved"))
        .collect();
    (simulation, reports)
}

/// Largest distance of the centres of bodies in two runs (m).
fn apart(one: &Simulation, other: &Simulation) -> f64 {
    let pairs = one.state().rigid.iter().zip(&other.state().rigid);
    pairs
        .map(|(a, b)| (a.pose.center - b.pose.center).norm())
        .fold(0.0, f64::max)
}

fn inexact(reports: &[StepReport]) -> u32 {
    reports.iter().map(|report| report.inexact_solves).sum()
}

fn energy(report: &StepReport) -> f64 {
    report.kinetic_energy + report.elastic_energy + report.gravitational_energy
}

/// MINRES with either preconditioner gives the motion of factors; a budget of two iterations ends early, is taken as it
/// is, and counts as inexact.
#[test]
fn minres_moves_as_factors_do_unless_its_budget_ends() {
    let (direct, of_direct) = run(CHAIN, &[], 100);
    assert_eq!(inexact(&of_direct), 0);
    for preconditioner in ["full", "diagonal"] {
        let key = format!("solver.preconditioner={preconditioner}");
        let (minres, reports) = run(CHAIN, &["solver.linear=minres", &key], 100);
        assert_eq!(inexact(&reports), 0, "{preconditioner}");
        assert!(reports.iter().all(|report| report.iterations > 0));
        let off = apart(&direct, &minres);
        assert!(off < 1e-6, "{preconditioner}: {off} m");
    }
    let budget = [
        "solver.linear=minres",
        "solver.preconditioner=diagonal",
        "solver.max_iterations=2",
    ];
    let (short, reports) = run(CHAIN, &budget, 20);
    assert!(inexact(&reports) > 10, "{}", inexact(&reports));
    // Two solves in the step in which forces appear.
    assert!(reports.iter().all(|report| report.iterations <= 4));
    let (direct, _) = run(CHAIN, &[], 20);
    assert!(apart(&direct, &short) > 1e-3);
}

/// Projected Gauss-Seidel alone gives the motion of the combined solver.
#[test]
fn gauss_seidel_alone_holds_a_rope() {
    let (combined, _) = run(ROPE, &[], 150);
    let (alone, reports) = run(ROPE, &["solver.one_sided=gauss_seidel"], 150);
    assert_eq!(inexact(&reports), 0);
    assert!(reports.iter().any(|report| report.iterations > 0));
    let off = apart(&combined, &alone);
    assert!(off < 1e-9, "{off} m");
}

/// The same with contacts, in the synchronous stepper.
#[test]
fn gauss_seidel_alone_holds_contacts() {
    let text = r#"
[time]
step = 5e-3
duration = 1
[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 1
position = [0, 0, 0.0501]
copies = { count = 3, columns = [1, 1], spacing = [0.2, 0.2, 0.1001] }
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;
    let method = "solver.method=compliant-kkt";
    let (combined, _) = run(text, &[method], 60);
    let alone = [method, "solver.one_sided=gauss_seidel"];
    let (alone, reports) = run(text, &alone, 60);
    assert_eq!(inexact(&reports), 0);
    let off = apart(&combined, &alone);
    assert!(off < 1e-5, "{off} m");
    // One sweep is too few for a stack: steps are divided, or fail.
    let budget = [
        method,
        "solver.one_sided=gauss_seidel",
        "solver.max_iterations=1",
    ];
    let mut short = Simulation::new(&scene(text, &budget)).expect("sound");
    let misses = |_| (short.advance()).map_or(true, |report| report.substeps > 1);
    assert!((0..10).any(misses));
}

/// The geometric stiffness that is not symmetric has nearly the effect of its symmetric part (Tournier et al. 2015,
/// Fig. 5): the energy of a chain does not grow, as it does without any, and both chains end at nearly the same place.
#[test]
fn the_unsymmetric_stiffness_acts_as_its_symmetric_part() {
    let stiffness = |name: &str| {
        let key = format!("solver.joint_stiffness={name}");
        run(CHAIN, &[&key], 100)
    };
    let gained = |reports: &[StepReport]| {
        let energies = reports.iter().map(energy);
        energies.fold(f64::NEG_INFINITY, f64::max) - energy(&reports[0])
    };
    let (whole, of_whole) = stiffness("unsymmetric");
    let (symmetric, of_symmetric) = stiffness("symmetric");
    let (_, without) = stiffness("none");
    assert!(gained(&of_whole) < 1e-6, "{} J", gained(&of_whole));
    assert!(gained(&of_symmetric) < 1e-6, "{} J", gained(&of_symmetric));
    assert!(gained(&without) > 1.0, "{} J", gained(&without));
    // The right-hand side takes the share that is not symmetric, so that the residual judges both alike.
    for report in &of_whole {
        assert!(
            report.momentum_residual < 1e-8,
            "{:e}",
            report.momentum_residual
        );
    }
    let off = apart(&whole, &symmetric);
    assert!((1e-9..0.05).contains(&off), "{off} m");
}

/// Combinations that no solver supports are rejected by the names of their keys.
#[test]
fn unsupported_combinations_are_named() {
    let synchronous = CHAIN.replace("stepper = \"constrained\"", "");
    let limits = ROPE.to_owned();
    for (text, overrides, expected) in [
        (&synchronous, &["solver.linear=minres"][..], "solver.linear"),
        (
            &synchronous,
            &["solver.joint_stiffness=unsymmetric"],
            "solver.joint_stiffness",
        ),
        (
            &synchronous,
            &["solver.one_sided=gauss_seidel", "solver.method=cr"],
            "solver.one_sided",
        ),
        (&limits, &["solver.linear=minres"], "solver.linear"),
        (
            &limits,
            &["solver.joint_stiffness=unsymmetric"],
            "solver.joint_stiffness",
        ),
        (
            &CHAIN.to_owned(),
            &["solver.linear=minres", "solver.joint_stiffness=unsymmetric"],
            "solver.linear",
        ),
        (
            &CHAIN.to_owned(),
            &["solver.preconditioner=diagonal"],
            "solver.preconditioner",
        ),
        (
            &synchronous,
            &[
                "solver.preconditioner=diagonal",
                "solver.method=compliant-kkt",
            ],
            "solver.preconditioner",
        ),
        (
            &CHAIN.to_owned(),
            &["solver.linear=minres", "solver.one_sided=gauss_seidel"],
            "solver.one_sided",
        ),
    ] {
        let said = match Scene::parse("rows.toml", text, overrides) {
            Ok(scene) => Simulation::new(&scene).err().map(|error| error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        let said = said.expect("refused");
        assert!(said.contains(expected), "{overrides:?}: {said}");
    }
}
