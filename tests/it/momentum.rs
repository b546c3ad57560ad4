//! Momentum: contact forces are opposite and elastic forces sum to zero, so internal forces do not change it.

use crate::support::{COLLISION, STACK, THROW, active, mass, momentum_scale, simulation};
use impinge_sim::{Model, Scene};
use nalgebra::Vector3;

/// Rounding of sums over some hundred nodes, relative to `Σ ‖m v‖`.
const ROUNDING: f64 = 1e-10;

#[test]
fn colliding_bodies_keep_their_momentum() {
    let mut simulation = simulation(COLLISION, &[]);
    let start: Vector3<f64> = total(&simulation);
    let mut touched = 0;
    for _ in 0..60 {
        let report = simulation.advance().expect("a plain collision is solved");
        touched += usize::from(report.active > 0);
        let drift = (Vector3::from(report.momentum) - start).norm();
        let scale = momentum_scale(simulation.model(), simulation.state());
        assert!(
            drift <= ROUNDING * scale,
            "step {}: {drift:e} of {scale:e} N s",
            report.step
        );
    }
    assert!(touched > 5, "the bodies met in {touched} steps only");
}

/// Over a whole step, only weight and contact forces change momentum.
#[test]
fn weight_and_contact_forces_explain_every_change() {
    for text in [THROW, STACK] {
        let mut simulation = simulation(text, &[]);
        let mut before = total(&simulation);
        let step = simulation.model().settings.time_step;
        let mut touched = false;
        for _ in 0..60 {
            let report = simulation.advance().expect("a plain fall is solved");
            touched |= active(simulation.state()).next().is_some();
            let now = Vector3::from(report.momentum);
            // A subdivided step reports the forces of its last substep only.
            if report.substeps == 1 {
                let weight = simulation.model().settings.gravity * mass(simulation.model());
                let expected = (weight + Vector3::from(report.contact_force)) * step;
                let error = (now - before - expected).norm();
                assert!(
                    error <= ROUNDING * weight.norm() * step,
                    "step {}: {error:e} N s",
                    report.step
                );
            }
            before = now;
        }
        assert!(touched);
    }
}

/// A free cube with a force on its upper face.
const PULLED: &str = r#"
[time]
step = 5e-3
duration = 0.1
[world]
gravity = [0, 0, 0]
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
pulls = [
    { box = { lower = [-1, -1, 0.049], upper = [1, 1, 1] }, force = [0.5, 0, 2] },
    { force = [0, -0.25, 0] },
]
"#;

/// Momentum is force times time under every stepper with nodal forces, wherever they act.
#[test]
fn pulls_are_the_change_of_momentum() {
    let of_layers = "stepper = \"asynchronous\"\n[asynchronous]\nthickness = 5e-3\n";
    for text in [PULLED.to_owned(), format!("{of_layers}{PULLED}")] {
        let mut simulation = simulation(&text, &[]);
        for _ in 0..12 {
            let report = simulation.advance().expect("nothing in its way");
            let expected = Vector3::new(0.5, -0.25, 2.0) * report.time;
            let error = (Vector3::from(report.momentum) - expected).norm();
            assert!(error <= ROUNDING * expected.norm(), "{error:e} N s");
        }
    }
}

#[test]
fn pulls_that_pull_nothing_are_named() {
    for (overrides, part) in [
        ("body.0.pulls.0.box.lower=[2, 2, 2]", "box is empty"),
        (
            "body.0.pulls.0.box={lower=[2, 2, 2], upper=[3, 3, 3]}",
            "no free node of",
        ),
        ("body.0.fixed=[{}]", "no free node of"),
        ("body.0.pulls.1.force=[0, 1e400, 0]", "finite number"),
    ] {
        let scene = Scene::parse("pulled.toml", PULLED, &[overrides]);
        let error = match scene {
            Err(error) => error.to_string(),
            Ok(scene) => Model::new(&scene).expect_err("refused").to_string(),
        };
        assert!(error.contains(part), "{error}");
    }
}

fn total(simulation: &impinge_sim::Simulation) -> Vector3<f64> {
    let (model, state) = (simulation.model(), simulation.state());
    model
        .points
        .mass
        .iter()
        .zip(&state.velocities)
        .map(|(mass, v)| v * *mass)
        .sum()
}
