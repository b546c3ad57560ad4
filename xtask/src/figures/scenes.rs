//! Scenes that no file ships: many bodies at computed places.

use std::error::Error;
use std::fmt::Write as _;

use impinge_sim::Scene;

/// Prepares the scene `text` with `overrides` of the form `KEY=VALUE`.
pub(super) fn parse(text: &str, overrides: &[String]) -> Result<Scene, Box<dyn Error>> {
    Ok(Scene::parse("figures.toml", text, overrides)?)
}

/// Loads the shipped scene `name`.
pub(super) fn shipped(name: &str, overrides: &[String]) -> Result<Scene, Box<dyn Error>> {
    let path = crate::ci::root().join("scenes").join(name);
    Ok(Scene::load(path, overrides)?)
}

/// Soft rings of 0.1 m across, laid flat on each other in layers of 20 as bricks in a wall.
pub(super) fn stacked_rings(layers: u32) -> String {
    let mut text = "
[time]
step = 1e-3
duration = 10
[world]
friction = 0.5
[solver]
tolerances = \"paper\"
[[obstacle]]
name = \"ground\"
shape = { half_space = { normal = [0, 0, 1] } }
"
    .to_owned();
    let (pitch, height) = (0.125, 0.028);
    for layer in 0..layers {
        let shift = 0.5 * pitch * f64::from(layer % 2);
        for (column, row) in (0..5).flat_map(|column| (0..4).map(move |row| (column, row))) {
            // The golden angle repeats no orientation.
            let turn = 137.508 * f64::from(20 * layer + 4 * column + row) % 360.0;
            let _ = write!(
                text,
                "
[[body]]
name = \"ring {layer} {column} {row}\"
mesh = {{ ring = {{ major_radius = 0.05, section = 0.02 }} }}
material = {{ model = \"corotational\", young = 5e5, poisson = 0.2, density = 1000 }}
position = [{}, {}, {}]
rotation = {{ axis = [0, 0, 1], degrees = {turn:.3} }}
",
                shift + pitch * f64::from(column),
                shift + pitch * f64::from(row),
                0.016 + height * f64::from(layer),
            );
        }
    }
    text
}

/// A soft cube of `cells`³ cells, six tetrahedra each, that reaches the ground on a corner at 2 m/s.
pub(super) fn cube(cells: u32) -> String {
    format!(
        "
[time]
step = 1e-3
duration = 10
[world]
friction = 0.5
[[body]]
name = \"cube\"
mesh = {{ cuboid = {{ size = [0.5, 0.5, 0.5], cells = [{cells}, {cells}, {cells}] }} }}
material = {{ model = \"corotational\", young = 1e6, poisson = 0.3, density = 1000 }}
position = [0, 0, 0.315]
rotation = {{ axis = [1, 2, 0], degrees = 12 }}
velocity = [0, 0, -2]
[[obstacle]]
name = \"ground\"
shape = {{ half_space = {{ normal = [0, 0, 1] }} }}
"
    )
}

/// A pyramid of 140 rigid boxes of 0.1 m, in layers of 7², 6², ... 1².
pub(super) fn pyramid() -> String {
    let mut text = "
[time]
step = 1e-3
duration = 10
[world]
friction = 0.5
[[obstacle]]
name = \"ground\"
shape = { half_space = { normal = [0, 0, 1] } }
"
    .to_owned();
    for layer in 0..7_u32 {
        let side = 7 - layer;
        let _ = write!(
            text,
            "
[[body]]
name = \"layer {layer}\"
kind = \"rigid\"
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
density = 1000
position = [0, 0, {}]
copies = {{ count = {}, columns = [{side}, {side}], spacing = [0.11, 0.11, 0.11] }}
",
            0.0505 + 0.1005 * f64::from(layer),
            side * side,
        );
    }
    text
}
