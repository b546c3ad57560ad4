//! Without gravity: vibrations never gain energy, whatever the step.

use crate::support::{energy, simulation};

/// Bodies held at a side, with an initial velocity; as soft as a sponge or a sheet of cloth.
const SCENES: [(&str, &str); 4] = [
    (
        "cube",
        r"mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
angular_velocity = [0, 0, 0.2]
fixed = [{ box = { lower = [-1, -1, -1], upper = [1, 1, -0.049] } }]",
    ),
    (
        "beam",
        r"mesh = { cuboid = { size = [1, 0.1, 0.1], cells = [8, 1, 1] } }
material = { young = 1e7, poisson = 0.3, density = 1000 }
velocity = [0, 0, 0.05]
fixed = [{ box = { lower = [-1, -1, -1], upper = [-0.499, 1, 1] } }]",
    ),
    (
        "hexahedra",
        r"mesh = { hexahedra = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
angular_velocity = [0, 0, 0.2]
fixed = [{ box = { lower = [-1, -1, -1], upper = [1, 1, -0.049] } }]",
    ),
    (
        "sheet",
        r#"kind = "shell"
mesh = { grid = { size = [0.2, 0.2], cells = [4, 4] } }
shell = { stretch = 1000, bend = 0.01, density = 0.2 }
velocity = [0, 0, 0.05]
fixed = [{ box = { lower = [-1, -1, -1], upper = [-0.099, 1, 1] } }]"#,
    ),
];

fn scene(body: &str) -> String {
    format!(
        "[time]\nstep = 1e-3\nduration = 1\n[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"body\"\n{body}\n"
    )
}

/// Energy after each of the given steps (J).
fn energies(text: &str, overrides: &[&str], steps: usize) -> Vec<f64> {
    let mut simulation = simulation(text, overrides);
    let step = |_| energy(&simulation.advance().expect("a vibration is solved"));
    (0..steps).map(step).collect()
}

#[test]
fn no_step_makes_energy_and_tolerances_cannot_be_seen() {
    for (name, body) in SCENES {
        let text = scene(body);
        for (step, steps) in [("1e-3", 100), ("1e-4", 300), ("1e-5", 300)] {
            let step = format!("time.step={step}");
            let exact = energies(&text, &[&step, "solver.tolerances=tight"], steps);
            for method in ["cr", "ica", "active-set", "sp-active-set"] {
                let method = format!("solver.method={method}");
                let found = energies(&text, &[&step, &method], steps);
                let begin = found[0];
                for (taken, (found, exact)) in found.iter().zip(&exact).enumerate() {
                    let place = format!("{name}, {step}, {method}, step {}", taken + 1);
                    assert!(*found <= begin * (1.0 + 1e-12), "{place}: {found:e} J");
                    let off = (found - exact).abs() / exact;
                    assert!(off < 0.01, "{place}: {off:e} of {exact:e} J");
                }
            }
        }
    }
}
