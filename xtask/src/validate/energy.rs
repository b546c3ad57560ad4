//! Energies, and the effect of the default tolerances on them.

use std::error::Error;

use super::row::{Rows, Within};
use super::run::{Run, order};
use super::{Extent, Family};

pub(super) const FAMILY: Family = Family {
    name: "energy and tolerances",
    about: "Without gravity and motors no step adds energy, and default tolerances change no result that is looked at.",
    cases: &[
        ("twist", twist),
        ("flying beam", flying_beam),
        ("sag", sag),
        ("orders", orders),
        ("stiff rod", stiff_rod),
    ],
};

/// An override that makes the momentum tolerance negligible (N·s).
const TIGHT: &str = "solver.momentum_tolerance=1e-12";

/// A clamped cube twisted from rest.
const TWIST: &str = r"
[time]
step = 1e-3
duration = 0.05
[world]
gravity = [0, 0, 0]
[[body]]
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
angular_velocity = [0, 0, 0.2]
fixed = [{ box = { lower = [-1, -1, -1], upper = [1, 1, -0.049] } }]
";

/// A clamped beam after a lateral impact.
const BEAM: &str = r"
[time]
step = 1e-3
duration = 0.2
[world]
gravity = [0, 0, 0]
[[body]]
mesh = { cuboid = { size = [1, 0.1, 0.1], cells = [20, 2, 2] } }
material = { young = 1e7, poisson = 0.3, density = 1000 }
position = [0.5, 0, 0]
velocity = [0, 0, 0.05]
fixed = [{ box = { lower = [-0.001, -1, -1], upper = [0.001, 1, 1] } }]
";

/// Rows of a scene without gravity: default tolerances by these methods compared with tight ones.
fn without_gravity(
    rows: &mut Rows,
    (name, text): (&str, &str),
    steps: &[f64],
    methods: &[&str],
) -> Result<(), Box<dyn Error>> {
    for &length in steps {
        let step = format!("time.step={length:e}");
        let tight = Run::whole(text, &[&step, TIGHT])?;
        rows.push(
            format!("{name}, {step}, tight: rise of energy"),
            0.0,
            tight.rise(),
            Within::Absolute(1e-6),
        );
        for method in methods {
            let run = Run::whole(text, &[&step, &format!("solver.method={method}")])?;
            let case = format!("{name}, {step}, {method}: rise of energy");
            rows.push(case, 0.0, run.rise(), Within::Absolute(1e-6));
            let moved = (0..tight.simulation.state().positions.len())
                .map(|point| tight.moved(point).norm())
                .fold(0.0, f64::max);
            let case = format!("{name}, {step}, {method}: distance to tight / motion");
            let got = run.farthest_from(&tight, |x| x) / moved;
            rows.push(case, 0.0, got, Within::Absolute(0.01));
        }
    }
    Ok(())
}

fn twist(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    let steps = extent.choose(&[1e-3, 1e-4][..], &[1e-3, 1e-4, 1e-5]);
    without_gravity(rows, ("twisted cube", TWIST), steps, &["cr", "ica"])
}

fn flying_beam(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    let steps = extent.choose(&[1e-3][..], &[1e-3, 1.5625e-4]);
    without_gravity(rows, ("struck beam", BEAM), steps, &["cr"])
}

/// A cantilever of 10 kg under its weight and a lateral force of a hundredth of it: default against tight tolerances.
fn sag(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    for share in extent.choose(&[1e-2, 1e-3][..], &[1e-2, 1e-3, 2e-4]) {
        let pull = format!(
            "body.0.pulls=[{{ box = {{ lower = [0.99, -1, -1], upper = [1.01, 1, 1] }}, force = [0, {}, 0] }}]",
            share * 98.1
        );
        let overrides = |tight: bool| {
            let mut all = vec![
                "world.gravity=[0, 0, -9.81]",
                "body.0.velocity=[0, 0, 0]",
                "time.step=0.05",
                "time.duration=10",
                "body.0.material.mass_damping=5",
                pull.as_str(),
            ];
            all.extend(tight.then_some("solver.momentum_tolerance=1e-9"));
            all
        };
        let [default, tight] = [false, true].map(|tight| {
            let run = Run::whole(BEAM, &overrides(tight)).map_err(|error| error.to_string())?;
            Ok::<_, String>(run.mean_moved(|x| x.x > 0.99))
        });
        let (default, tight) = (default?, tight?);
        let case =
            format!("cantilever, {share} of its weight sideways: sag, default / tight tolerances");
        rows.push(case, 1.0, default.z / tight.z, Within::Relative(1e-3));
        let case =
            format!("cantilever, {share} of its weight sideways: bend, default / tight tolerances");
        rows.push(case, 1.0, default.y / tight.y, Within::Relative(0.03));
    }
    Ok(())
}

/// A pendulum on a rod of 1 nm/N: its rod holds a negligible energy `λ² C / 2`.
fn stiff_rod(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    const TEXT: &str = r#"
[time]
step = 1e-2
duration = 0.5
[[body]]
name = "bob"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 1
position = [1, 0, 0]
[[joint]]
kind = "link"
first = "bob"
anchor = [1, 0, 0]
end = [0, 0, 0]
compliance = 1e-9
"#;
    let run = Run::whole(TEXT, &[])?;
    let most = run
        .reports
        .iter()
        .map(|report| report.elastic_energy)
        .fold(0.0, f64::max);
    // In theory the force is at most 3 m g; energies of the swing are m g times metres.
    rows.push(
        "pendulum on a rod of 1 nm/N: energy of the rod / m g L",
        0.0,
        most / 9.81,
        Within::Absolute(1e-4),
    );
    Ok(())
}

/// A damped bar that vibrates at a held end; swings on a joint; turns freely; and one that lands and slides.
const BARS: [(&str, f64, &str); 4] = [
    (
        "held bar",
        2.0,
        "velocity = [1, 0, 0]\nfixed = [{ box = { lower = [-9, -9, -9], upper = [9, 9, -0.19] } }]",
    ),
    (
        "swinging bar",
        2.0,
        "velocity = [0.3, 0, 0]\n[[joint]]\nkind = \"ball\"\nfirst = \"bar\"\nanchor = [0, 0, 0.2]",
    ),
    (
        "turning bar",
        2.0,
        "velocity = [1, 2, 3]\nangular_velocity = [4, 3, 1]",
    ),
    (
        "landing bar",
        1.0,
        "velocity = [0.5, 0, -0.5]\n[[obstacle]]\n\
         shape = { half_space = { normal = [0, 0, 1], point = [0, 0, -0.205] } }",
    ),
];

/// Orders of the positions of nodes in the step, from four steps.
fn orders(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    for (name, expected, rest) in BARS {
        for (integrator, expected) in [("euler", 1.0), ("bdf2", expected)] {
            let text = format!(
                "[time]\nstep = 1e-3\nduration = 0.1\n[solver]\nmomentum_tolerance = 1e-13\n[[body]]\n\
                 name = \"bar\"\nmesh = {{ cuboid = {{ size = [0.1, 0.1, 0.4], cells = [1, 1, 4] }} }}\n\
                 material = {{ model = \"neo_hookean\", young = 1e5, poisson = 0.3, density = 1000,\
                 stiffness_damping = 0.01, mass_damping = 2 }}\n{rest}\n"
            );
            let finest = extent.choose(5e-4, 1.25e-4);
            let steps = [8.0, 4.0, 2.0, 1.0].map(|factor| factor * finest);
            let mut runs = Vec::new();
            for step in steps {
                let step = format!("time.step={step:e}");
                let integrator = format!("time.integrator={integrator}");
                runs.push(Run::whole(&text, &[&step, &integrator])?);
            }
            let off: Vec<f64> = (runs.windows(2))
                .map(|pair| pair[0].farthest_from(&pair[1], |x| x))
                .collect();
            let got = order(off[1], off[2]);
            let case = format!("{name}, {integrator}: order of trajectories");
            rows.push(case, expected, got, Within::Absolute(0.35));
        }
    }
    Ok(())
}
