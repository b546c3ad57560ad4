//! Spinning bodies keep their angular momentum.

use std::error::Error;

use super::mesh::Cells;
use super::row::{Rows, Within};
use super::run::Run;
use super::theory::Law;
use super::{Extent, Family};

pub(super) const FAMILY: Family = Family {
    name: "spin",
    about: "Free bodies that turn at 10 rad/s, without contact: remaining share of their angular momentum.",
    cases: &[("solids", solids), ("shells", shells)],
};

/// Angular momentum at the end over that at the start.
fn kept(text: &str, steps: u64) -> Result<f64, Box<dyn Error>> {
    let mut run = Run::new(text, &[])?;
    let (model, state) = (run.simulation.model(), run.simulation.state());
    let points = model
        .points
        .mass
        .iter()
        .zip(&state.positions)
        .zip(&state.velocities);
    let start: f64 = points
        .map(|((mass, x), v)| mass * (x.x * v.y - x.y * v.x))
        .sum();
    run.advance(steps)?;
    Ok(run.last().angular_momentum[2] / start)
}

/// Steps (s), how many are a tenth of a second, the deviation from 1 that each allows, and the integrator.
const STEPS: [(f64, u64, Within, &str); 4] = [
    (1e-3, 100, Within::Absolute(1e-4), "euler"),
    (1e-2, 10, Within::Absolute(1e-3), "euler"),
    (1e-3, 100, Within::Absolute(1e-4), "bdf2"),
    (1e-2, 10, Within::Absolute(1e-3), "bdf2"),
];

fn solids(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    let (tenths, duration) = extent.choose((1, "0.1"), (10, "1"));
    for law in Law::ALL {
        for cells in Cells::BOTH {
            for (form, method) in [("stiffness", "cr"), ("compliance", "compliant-kkt")] {
                for (step, steps, within, integrator) in STEPS {
                    let text = format!(
                        r#"
[time]
step = {step}
duration = 1
integrator = "{integrator}"
[world]
gravity = [0, 0, 0]
[solver]
method = "{method}"
momentum_tolerance = 1e-11
[[body]]
mesh = {{ {} = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}
material = {{ model = "{}", young = 1e8, poisson = 0.3, density = 1000, formulation = "{form}" }}
angular_velocity = [0, 0, 10]
"#,
                        cells.key(),
                        law.key()
                    );
                    let case = format!(
                        "{}, {}, {form}, {integrator}, steps of {step} s: L / L0 after {duration} s",
                        law.key(),
                        cells.key()
                    );
                    rows.push(case, 1.0, kept(&text, tenths * steps)?, within);
                }
            }
        }
    }
    Ok(())
}

fn shells(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    let (tenths, duration) = extent.choose((1, "0.1"), (10, "1"));
    for (form, method) in [("stiffness", "cr"), ("compliance", "compliant-kkt")] {
        for (kind, mesh) in [
            ("", "grid"),
            (", poisson = 0.3", "grid"),
            (", poisson = 0.3", "quadrilaterals"),
        ] {
            for (step, steps, within, integrator) in STEPS {
                let text = format!(
                    r#"
[time]
step = {step}
duration = 1
integrator = "{integrator}"
[world]
gravity = [0, 0, 0]
[solver]
method = "{method}"
momentum_tolerance = 1e-11
[[body]]
kind = "shell"
mesh = {{ {mesh} = {{ size = [0.2, 0.2], cells = [4, 4] }} }}
shell = {{ stretch = 1000, bend = 0.01, density = 0.2, formulation = "{form}"{kind} }}
angular_velocity = [0, 0, 10]
"#
                );
                let strains = if kind.is_empty() {
                    "springs"
                } else {
                    "strains"
                };
                let case = format!(
                    "shell of {mesh}, {strains}, {form}, {integrator}, steps of {step} s: L / L0 after {duration} s"
                );
                rows.push(case, 1.0, kept(&text, tenths * steps)?, within);
            }
        }
    }
    Ok(())
}
