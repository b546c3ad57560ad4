//! Energy under the asynchronous stepper: elastic bodies thrown at walls keep their energy, even crumpled or crushed.

use crate::support::{energy, simulation};

const WITHOUT_LOSS: &str = r#"
stepper = "asynchronous"
[time]
step = 5e-3
duration = 1.0
[world]
gravity = [0, 0, 0]
friction = 0
[asynchronous]
thickness = 2e-3
restitution = 1
"#;

/// A sheet with high bending stiffness, edge on.
const SHEET: &str = r#"
[[body]]
name = "sheet"
kind = "shell"
mesh = { grid = { size = [0.2, 0.2], cells = [6, 6] } }
shell = { stretch = 50, bend = 1e-4, density = 0.2 }
rotation = { axis = [1, 0.5, 0], degrees = 80 }
velocity = [0, 0, -10]
[[obstacle]]
name = "wall"
shape = { half_space = { normal = [0, 0, 1], point = [0, 0, -0.15] } }
"#;

/// A cube thrown to and fro at 4 m/s, with a wave speed of 10 m/s.
const CUBE: &str = r#"
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { model = "corotational", young = 1e5, poisson = 0.3, density = 1000 }
rotation = { axis = [1, 0.5, 0], degrees = 30 }
velocity = [0, 1, 4]
[[obstacle]]
name = "floor"
shape = { half_space = { normal = [0, 0, 1], point = [0, 0, -0.12] } }
[[obstacle]]
name = "ceiling"
shape = { half_space = { normal = [0, 0, -1], point = [0, 0, 0.12] } }
"#;

/// Clocks of twice the length, or hinges at half the frequency of springs, gain energy here.
#[test]
fn elastic_impacts_with_walls_gain_no_energy() {
    for (name, body) in [("sheet", SHEET), ("cube", CUBE)] {
        let mut simulation = simulation(&format!("{WITHOUT_LOSS}{body}"), &[]);
        let (mass, velocities) = (
            &simulation.model().points.mass,
            &simulation.state().velocities,
        );
        let of_points = mass.iter().zip(velocities);
        let thrown: f64 = of_points.map(|(m, v)| 0.5 * m * v.norm_squared()).sum();
        let mut energies = Vec::new();
        for _ in 0..100 {
            energies.push(energy(
                &simulation.advance().expect("nothing is in the way"),
            ));
        }
        let events = simulation.events().expect("the asynchronous stepper");
        assert!(events.layer_pushes > 0, "{name}: nothing touched");
        // Compressed layers hold some energy, so a single state does not suffice.
        let tail = &energies[80..];
        let mean = tail.iter().sum::<f64>() / tail.len() as f64;
        let gained = mean / thrown - 1.0;
        assert!(gained.abs() < 0.03, "{name}: {gained}");
    }
}

/// With lossy impacts clocks are coarser unless the scene sets them.
#[test]
fn losses_choose_the_clocks() {
    let ticks = |overrides: &[&str]| {
        let mut simulation = simulation(&format!("{WITHOUT_LOSS}{SHEET}"), overrides);
        simulation.advance().expect("nothing is in the way");
        let events = simulation.events().expect("the asynchronous stepper");
        events.force_terms.iter().sum::<u64>()
    };
    let [lossy, fine] = [
        "asynchronous.restitution=0.9",
        "asynchronous.force_step=0.3",
    ];
    assert_eq!(ticks(&[]), ticks(&[lossy, fine]));
    assert!(ticks(&[lossy]) < ticks(&[]));
}
