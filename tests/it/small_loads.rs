//! Solver errors are small compared with the acting forces, however small these are.

use crate::support::simulation;
use impinge_sim::Simulation;
use nalgebra::Vector3;

/// A beam of ten kilograms, clamped at one end; damping brings it to rest within the duration.
const CANTILEVER: &str = r"
[time]
step = 1e-2
duration = 4
[[body]]
mesh = { hexahedra = { size = [1, 0.1, 0.1], cells = [10, 2, 2] } }
material = { young = 1e8, poisson = 0.3, density = 1000, mass_damping = 20 }
position = [0.5, 0, 0]
fixed = [{ box = { lower = [-0.001, -1, -1], upper = [0.001, 1, 1] } }]
";

/// Mean displacement of the tip of a beam at rest (m).
fn tip(text: &str, overrides: &[&str]) -> Vector3<f64> {
    let mut simulation = simulation(text, overrides);
    for _ in 0..400 {
        simulation.advance().expect("a beam is solved");
    }
    let (rest, positions) = (
        &simulation.model().points.rest,
        &simulation.state().positions,
    );
    let is_tip = |x: &&Vector3<f64>| x.x > 0.999;
    let count = rest.iter().filter(is_tip).count();
    let moved = rest.iter().zip(positions).filter(|(x, _)| is_tip(x));
    moved.map(|(x, now)| now - x).sum::<Vector3<f64>>() / count as f64
}

/// Sag under its own weight, and deflection by a lateral force of a thousandth of it, within 3 %.
#[test]
fn a_beam_bends_by_its_weight_and_by_a_thousandth_of_it() {
    let across = 0.01 * 9.81;
    let mut loaded = CANTILEVER.to_owned();
    loaded.push_str("pulls = [\n");
    for (y, share_y) in [(-0.05, 0.25), (0.0, 0.5), (0.05, 0.25)] {
        for (z, share_z) in [(-0.05, 0.25), (0.0, 0.5), (0.05, 0.25)] {
            let [low, high] = [-0.001, 0.001].map(|by| format!("{}, {}", y + by, z + by));
            let force = across * share_y * share_z;
            let region = format!("{{ lower = [0.999, {low}], upper = [1.001, {high}] }}");
            loaded.extend([
                "  { box = ",
                &region,
                ", force = [0, ",
                &force.to_string(),
                ", 0] },\n",
            ]);
        }
    }
    loaded.push_str("]\n");
    for method in ["cr", "ica"] {
        let method = format!("solver.method={method}");
        let exact = tip(&loaded, &["solver.momentum_tolerance=1e-11"]);
        let found = tip(&loaded, &[&method]);
        let sag = found.z / exact.z - 1.0;
        assert!(sag.abs() < 1e-3, "{method}: {sag:e} of the sag");
        let sideways = found.y / exact.y - 1.0;
        assert!(sideways.abs() < 0.03, "{method}: {sideways:e} of {exact}");
    }
}

/// A soft block on a slope 2 % steeper than the friction limit.
#[test]
fn a_block_slides_as_its_friction_lets_it() {
    let (friction, gravity) = (0.5, 9.81);
    let angle = f64::atan(1.02 * friction);
    let text = format!(
        r"
[time]
step = 1e-3
duration = 1
[world]
gravity = [{}, 0, {}]
friction = {friction}
[[body]]
mesh = {{ cuboid = {{ size = [0.2, 0.2, 0.1], cells = [2, 2, 1] }} }}
material = {{ young = 1e6, poisson = 0.3, density = 1000, stiffness_damping = 1e-2 }}
position = [0, 0, 0.05001]
[[obstacle]]
shape = {{ half_space = {{ normal = [0, 0, 1] }} }}
",
        gravity * angle.sin(),
        -gravity * angle.cos()
    );
    let speed = |simulation: &mut Simulation, steps: u32| {
        let mut last = 0.0;
        for _ in 0..steps {
            let report = simulation.advance().expect("a block is solved");
            last = report.momentum[0] / 4.0;
        }
        last
    };
    for method in ["cr", "ica"] {
        let mut simulation = simulation(&text, &[&format!("solver.method={method}")]);
        let start = speed(&mut simulation, 300);
        let gained = speed(&mut simulation, 500) - start;
        let expected = 0.5 * gravity * angle.cos() * 0.02 * friction;
        let error = gained / expected - 1.0;
        assert!(
            error.abs() < 0.01,
            "{method}: {error:e} of the acceleration"
        );
    }
}
