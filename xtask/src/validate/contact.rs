//! Bodies pressed together, and starts at distance zero.

use std::error::Error;

use impinge_sim::measure::forces::contact_forces;
use impinge_sim::output::Frame;

use super::mesh::{Cells, Grid};
use super::row::{Rows, Within};
use super::run::Run;
use super::{Extent, Family};

pub(super) const FAMILY: Family = Family {
    name: "contact",
    about: "Normal contact at rest: pressure, stiffness of a contact, bodies that touch at the start.",
    cases: &[
        ("pressed", pressed),
        ("hertz", hertz),
        ("touching", touching),
    ],
};

/// Two blocks of 0.1 m with non-matching meshes, the upper one lowered by 2 mm.
const BLOCKS: &str = r#"
[time]
step = 2e-2
duration = 2
[world]
gravity = [0, 0, 0]
friction = 0
[solver]
gap_tolerance = 1e-7
[[body]]
name = "lower"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e6, poisson = 0, density = 1000 }
position = [0, 0, 0.05]
fixed = [{ box = { lower = [-1, -1, -0.001], upper = [1, 1, 0.001] } }]
[[body]]
name = "upper"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { young = 1e6, poisson = 0, density = 1000 }
position = [0, 0, 0.150004]
[[body.fixed]]
box = { lower = [-1, -1, 0.1999], upper = [1, 1, 0.2001] }
motion = { velocity = [0, 0, -0.004], then = [{ at = 0.5 }] }
"#;

/// Mean pressure between the blocks (Pa), and the root mean square deviation of the stress in their elements from
/// `expected`, over `expected`.
fn pressure(run: &Run, expected: f64) -> [f64; 2] {
    let (model, state) = (run.simulation.model(), run.simulation.state());
    let force: f64 = contact_forces(model, state)
        .pairs
        .values()
        .map(|pair| pair.force.z.abs())
        .sum();
    let stresses = Frame::capture(model, state).von_mises;
    let square: f64 = stresses
        .iter()
        .map(|stress| (stress / expected - 1.0).powi(2))
        .sum();
    [force / 0.01, (square / stresses.len() as f64).sqrt()]
}

fn pressed(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    let expected = 9980.0;
    let [mean, deviation] = pressure(&Run::whole(BLOCKS, &[])?, expected);
    rows.push(
        "two blocks, 2 and 3 cells: mean pressure (Pa)",
        expected,
        mean,
        Within::Relative(2e-4),
    );
    rows.push(
        "two blocks, 2 and 3 cells: deviation of stresses, rms",
        0.0,
        deviation,
        Within::Absolute(0.02),
    );
    Ok(())
}

/// A rigid ball of 0.1 m is pressed 1 mm into a large block with small cells at the contact.
fn hertz(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    let (young, poisson, radius, depth) = (1e6, 0.3, 0.1_f64, 1e-3_f64);
    let contact = (radius * depth).sqrt();
    let expected = 4.0 / 3.0 * young / (1.0 - poisson * poisson) * contact * depth;
    for &fineness in extent.choose(&[3.0][..], &[1.5, 3.0, 5.0]) {
        let run = indent(young, poisson, contact / fineness)?;
        let force = run.last().contact_force[2].abs();
        let case = format!("ball on a block, contact radius of {fineness} elements: force (N)");
        // The block ends at twenty contact radii.
        rows.push(
            case,
            expected,
            force,
            Within::Relative(if fineness < 2.0 { 0.4 } else { 0.1 }),
        );
    }
    Ok(())
}

/// The ball pressed into a block with cells of `side` at the contact.
fn indent(young: f64, poisson: f64, side: f64) -> Result<Run, Box<dyn Error>> {
    // Each cell is half as large again as the one before, up to 0.2 m.
    let mut half = vec![0.0];
    let mut cell = side;
    while half[half.len() - 1] < 0.2 {
        half.push(half[half.len() - 1] + cell);
        if half.len() > 3 {
            cell *= 1.5;
        }
    }
    let across: Vec<f64> = half
        .iter()
        .rev()
        .map(|x| -x)
        .chain(half.iter().skip(1).copied())
        .collect();
    let down: Vec<f64> = half.iter().rev().map(|x| -x).collect();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("block.msh");
    Grid {
        lines: [&across, &across, &down],
        shift: &|x| x,
        cells: Cells::Hexahedra,
    }
    .write(&path)?;
    let path = path.display();
    let text = format!(
        r#"
[time]
step = 0.1
duration = 1.5
[world]
gravity = [0, 0, 0]
friction = 0
[solver]
gap_tolerance = 1e-6
momentum_tolerance = 1e-4
[[body]]
name = "block"
mesh = {{ file = {{ path = "{path}" }} }}
material = {{ young = {young}, poisson = {poisson}, density = 1000 }}
fixed = [{{ box = {{ lower = [-1, -1, -1], upper = [1, 1, {}] }} }}]
[[obstacle]]
name = "ball"
shape = {{ sphere = {{ radius = 0.1, subdivisions = 48 }} }}
position = [0, 0, 0.1001]
motion = {{ velocity = [0, 0, -2.2e-3], then = [{{ at = 0.5 }}] }}
"#,
        down[0] + 1e-6
    );
    Run::whole(&text, &[])
}

/// Starts at distance zero.
#[expect(clippy::unnecessary_wraps, reason = "it is one of the cases")]
fn touching(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    let text = |result: Result<Run, Box<dyn Error>>| result.map_err(|error| error.to_string());

    let run = text(Run::whole(BLOCKS, &["body.1.position=[0, 0, 0.15]"]));
    let mean = run.map(|run| pressure(&run, 1e4)[0]);
    let case = "two blocks that touch at the start: mean pressure (Pa)";
    rows.attempt(case, 1e4, mean, Within::Relative(1e-3));

    let run = text(Run::whole(COLUMN, &[]));
    let sag = run.map(|run| -run.mean_moved(|x| x.z > 0.199).z);
    // ρ g L² / (2 E).
    let case = "column clamped on its plane: sag under its weight (m)";
    rows.attempt(
        case,
        1000.0 * 9.81 * 0.04 / 2e6,
        sag,
        Within::Relative(0.01),
    );

    let run = text(Run::whole(BOXES, &[]));
    let moved = run.map(|run| {
        let starts = [[0.0, 0.0, 0.2], [0.8, 0.0, 0.2]];
        let moved = (0..2).map(|body| {
            (run.rigid(body).pose.center - nalgebra::Vector3::from(starts[body])).norm()
        });
        moved.fold(0.0, f64::max)
    });
    let case = "two rigid boxes set on the plane: motion in 1 s (m)";
    rows.attempt(case, 0.0, moved, Within::Absolute(1e-4));

    let run = text(Run::whole(&stack(), &[]));
    let force = run.map(|run| run.last().contact_force[2] / (3.0 * 9.81));
    let case = "three soft cubes without gaps: force of the ground / weight";
    rows.attempt(case, 1.0, force, Within::Relative(0.01));
    Ok(())
}

const COLUMN: &str = r"
[time]
step = 2e-2
duration = 1
[[body]]
mesh = { cuboid = { size = [0.1, 0.1, 0.2], cells = [2, 2, 4] } }
material = { young = 1e6, poisson = 0, density = 1000 }
position = [0, 0, 0.1]
fixed = [{ box = { lower = [-1, -1, -0.001], upper = [1, 1, 0.001] } }]
[[obstacle]]
shape = { half_space = { normal = [0, 0, 1] } }
";

const BOXES: &str = r#"
[time]
step = 1e-2
duration = 1
[[body]]
kind = "rigid"
mesh = { cuboid = { size = [0.4, 0.4, 0.4], cells = [1, 1, 1] } }
density = 200
friction = 5
position = [0, 0, 0.2]
[[body]]
kind = "rigid"
mesh = { cuboid = { size = [0.4, 0.4, 0.4], cells = [1, 1, 1] } }
density = 200
friction = 1
position = [0.8, 0, 0.2]
[[obstacle]]
shape = { half_space = { normal = [0, 0, 1] } }
friction = 1
"#;

/// Three soft cubes on each other, without gaps.
fn stack() -> String {
    let cube = |height: f64| {
        format!(
            r"
[[body]]
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}
material = {{ young = 1e6, poisson = 0.3, density = 1000 }}
position = [0, 0, {height}]
"
        )
    };
    let cubes: String = [0.05, 0.15, 0.25].map(cube).concat();
    format!(
        r"
[time]
step = 1e-2
duration = 1
{cubes}
[[obstacle]]
shape = {{ half_space = {{ normal = [0, 0, 1] }} }}
"
    )
}
