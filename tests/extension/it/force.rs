//! A force: a spring on every point, with and without damping.

use crate::support::{FLOATING, bits, broken, run, simulation};
use impinge_sim::Simulation;
use impinge_sim::extension::{
    ExtensionKind, ExtensionResult, Extensions, Force, ForceInput, ForceTerms,
};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::TAU;

/// Pulls every point to its own place by its share of the mass: `f = −m ω² (x − x₀) − 2 ζ m ω v`.
struct Springs {
    /// Points at rest (m), moved.
    home: Vec<Vector3<f64>>,
    /// `ω` (rad/s).
    frequency: f64,
    /// `ζ`.
    damping_ratio: f64,
}

impl Force for Springs {
    fn add(&mut self, at: &ForceInput<'_>, terms: &mut ForceTerms<'_>) -> ExtensionResult {
        for (point, home) in self.home.iter().enumerate() {
            let mass = at.masses[point];
            let stiffness = mass * self.frequency * self.frequency;
            let damping = 2.0 * self.damping_ratio * mass * self.frequency;
            terms.force[point] -= stiffness * (at.positions[point] - home);
            terms.force[point] -= damping * at.velocities[point];
            terms.stiffness[point] += stiffness * Matrix3::identity();
            terms.damping[point] += damping * Matrix3::identity();
        }
        Ok(())
    }
}

/// The cube on springs whose ends are moved aside.
fn on_springs(aside: Vector3<f64>, frequency: f64, damping_ratio: f64) -> Simulation {
    let rest = simulation(FLOATING, Extensions::new());
    let home = rest.state().positions.iter().map(|x| x + aside).collect();
    let springs = Springs {
        home,
        frequency,
        damping_ratio,
    };
    simulation(FLOATING, Extensions::new().force("springs", springs))
}

/// Implicit Euler turns by `atan(ω Δt)` in a step and shrinks by `1/√(1 + ω²Δt²)`: both are found to the solver's
/// tolerance.
#[test]
fn a_spring_oscillates_with_its_period() {
    let (frequency, time_step) = (TAU / 0.1, 1e-3);
    let aside = Vector3::new(0.02, 0.0, -0.01);
    let mut simulation = on_springs(aside, frequency, 0.0);
    let start = simulation.state().positions[0];
    let phase = (frequency * time_step).atan();
    let shrink = (1.0 + (frequency * time_step).powi(2)).sqrt().recip();
    for step in 1..=300 {
        simulation.advance().expect("a step");
        let angle = phase * f64::from(step);
        let exact = start + aside * (1.0 - shrink.powi(step) * angle.cos());
        let off = (simulation.state().positions[0] - exact).norm();
        assert!(off < 1e-4 * aside.norm(), "step {step}: {off:e} m");
    }
}

#[test]
fn a_critically_damped_spring_comes_home_without_passing() {
    let aside = Vector3::new(0.02, 0.0, 0.0);
    let mut simulation = on_springs(aside, 50.0, 1.0);
    let home = simulation.state().positions[0] + aside;
    let mut before = aside.x;
    for _ in 0..400 {
        simulation.advance().expect("a step");
        let left = (home - simulation.state().positions[0]).x;
        assert!(
            left <= before && left > -1e-6,
            "{left:e} m after {before:e} m"
        );
        before = left;
    }
    assert!(before < 1e-4 * aside.x, "{before:e} m");
}

/// A force couple turns a rigid cube: half the angle of constant acceleration `½ (τ/I) t²`, to first order in the step.
#[test]
fn a_couple_turns_a_rigid_body() {
    let text = FLOATING.replace(
        "material = { young = 1e5, poisson = 0.3, density = 1000 }",
        "kind = \"rigid\"\ndensity = 1000",
    );
    let scene = impinge_sim::Scene::parse("rigid.toml", &text, &[""; 0]);
    let scene = scene.expect("a sound scene");
    let extensions = Extensions::new().force("couple", Couple);
    let mut simulation = Simulation::extended(&scene, extensions).expect("a simulation");
    for _ in 0..100 {
        simulation.advance().expect("a step");
    }
    let state = &simulation.state().rigid[0];
    let (mass, side) = (1.0, 0.1);
    let inertia = mass * side * side / 6.0;
    // The two forces act at the ends of an arm of 0.1 m in x, each ±0.01 N in y.
    let spin = 0.01 * side * 0.1 / inertia;
    let found = state.angular_momentum.z / inertia;
    assert!(
        (found / spin - 1.0).abs() < 1e-2,
        "{found} against {spin} rad/s"
    );
    assert!(state.velocity.norm() < 1e-12, "no resultant force");
}

struct Couple;

impl Force for Couple {
    fn add(&mut self, at: &ForceInput<'_>, terms: &mut ForceTerms<'_>) -> ExtensionResult {
        let by_x = |a: &usize, b: &usize| at.positions[*a].x.total_cmp(&at.positions[*b].x);
        let points = 0..at.positions.len();
        let (first, last) = (points.clone().min_by(by_x), points.max_by(by_x));
        let (Some(first), Some(last)) = (first, last) else {
            return Err("no points".into());
        };
        let across = (at.positions[last] - at.positions[first]).xy();
        let along = Vector3::new(-across.y, across.x, 0.0).normalize() * 0.01;
        // The component along z of the moment is |across| · 0.01 N.
        let scale = 0.1 / across.norm();
        terms.force[last] += along * scale;
        terms.force[first] -= along * scale;
        Ok(())
    }
}

#[test]
fn a_force_of_zero_changes_little() {
    let own = run(FLOATING, Extensions::new(), 5);
    let springs = Springs {
        home: Vec::new(),
        frequency: 0.0,
        damping_ratio: 0.0,
    };
    let extended = run(FLOATING, Extensions::new().force("none", springs), 5);
    assert_eq!(bits(&own), bits(&extended));
}

struct Broken(fn(&mut ForceTerms<'_>) -> ExtensionResult);

impl Force for Broken {
    fn add(&mut self, _: &ForceInput<'_>, terms: &mut ForceTerms<'_>) -> ExtensionResult {
        (self.0)(terms)
    }
}

#[test]
fn broken_contracts_end_the_step_by_the_name_of_the_force() {
    type Breaks = fn(&mut ForceTerms<'_>) -> ExtensionResult;
    let cases: [(Breaks, &str); 4] = [
        (
            |terms| {
                terms.force[1].y = f64::NAN;
                Ok(())
            },
            "not finite",
        ),
        (
            |terms| {
                terms.stiffness[1] = -Matrix3::identity();
                Ok(())
            },
            "positive semi-definite",
        ),
        (
            |terms| {
                terms.damping[1][(0, 1)] = 1.0;
                Ok(())
            },
            "not symmetric",
        ),
        (|_| Err("no wind today".into()), "no wind today"),
    ];
    for (breaks, expected) in cases {
        let mut simulation = simulation(FLOATING, Extensions::new().force("wind", Broken(breaks)));
        let start = bits(simulation.state());
        let error = simulation.advance().expect_err("a broken contract");
        let extension = broken(&error, ExtensionKind::Force, "wind");
        assert!(extension.problem.contains(expected), "{extension}");
        assert_eq!(bits(simulation.state()), start);
    }
}
