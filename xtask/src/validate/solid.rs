//! Elastic solids at rest: patch tests, bars, beams, plasticity.

use std::error::Error;
use std::fmt::Write as _;

use impinge_sim::output::Frame;
use nalgebra::{Matrix3, Vector3};

use super::mesh::{Cells, Grid, boxed, list, traction};
use super::row::{Rows, Within};
use super::run::Run;
use super::theory::{Law, elastica, lame};
use super::{Extent, Family};

pub(super) const FAMILY: Family = Family {
    name: "solids",
    about: "Elastic solids under given displacements or loads, after long steps that leave nothing of the motion.",
    cases: &[
        ("patch", patch),
        ("yield", plastic),
        ("bar", bar),
        ("beam", beam),
        ("elastica", deflect),
        ("crush", crush),
        ("bending", bending),
    ],
};

/// Young's modulus of the solids (Pa); all results are ratios to it.
const YOUNG: f64 = 1e6;
/// Poisson's ratio of the cases that depend on it.
const POISSON: f64 = 0.3;

/// Form of the strains in the equations, and its method.
const FORMS: [(&str, &str); 2] = [("stiffness", "cr"), ("compliance", "compliant-kkt")];

/// 10 % of strain with shear and some rotation.
const GRADIENT: Matrix3<f64> = Matrix3::new(1.10, 0.05, 0.0, 0.02, 0.94, 0.03, 0.0, 0.04, 1.08);

/// A cube of 1 m with displaced inner nodes, whose outer nodes follow a uniform deformation gradient.
fn deform(
    gradient: Matrix3<f64>,
    cells: Cells,
    (form, method): (&str, &str),
    material: &str,
) -> Result<Run, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("block.msh");
    let lines = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0];
    let is_inner = |x: Vector3<f64>| x.iter().all(|x| (0.1..0.9).contains(x));
    // Up to a sixth of a cell, in irregular directions.
    let shift = |x: Vector3<f64>| {
        let angles = [1.0, 2.0, 3.0].map(|k| (k * (13.0 * x.x + 7.0 * x.y + 5.0 * x.z)).sin());
        if is_inner(x) {
            x + Vector3::from(angles) * 0.05
        } else {
            x
        }
    };
    Grid {
        lines: [&lines; 3],
        shift: &shift,
        cells,
    }
    .write(&path)?;
    let path = path.display();
    let mut fixed = String::new();
    for node in 0..64 {
        let x = Vector3::new(lines[node / 16], lines[node / 4 % 4], lines[node % 4]);
        if !is_inner(x) {
            let speed = list((gradient - Matrix3::identity()) * x);
            let _ = writeln!(
                fixed,
                "  {{ {}, motion = {{ velocity = {speed}, then = [{{ at = 1 }}] }} }},",
                boxed(x, 1e-3)
            );
        }
    }
    // Ten steps of motion, thirty of rest.
    let text = format!(
        r#"
[time]
step = 0.1
duration = 4
[world]
gravity = [0, 0, 0]
[solver]
method = "{method}"
momentum_tolerance = 1e-8
[[body]]
mesh = {{ file = {{ path = "{path}" }} }}
material = {{ {material}, young = {YOUNG}, density = 1000, formulation = "{form}" }}
fixed = [
{fixed}]
"#
    );
    Run::whole(&text, &[])
}

/// Largest von Mises stress, and the smallest (Pa).
fn stresses(run: &Run) -> [f64; 2] {
    let frame = Frame::capture(run.simulation.model(), run.simulation.state());
    let stresses = frame.von_mises.iter();
    [
        stresses.clone().copied().fold(0.0, f64::max),
        stresses.copied().fold(f64::INFINITY, f64::min),
    ]
}

fn patch(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    for law in Law::ALL {
        let [energy, stress] = law.of_gradient(POISSON, GRADIENT);
        for cells in Cells::BOTH {
            for form in FORMS {
                let name = format!("patch of {}, {}, {}", law.key(), cells.key(), form.0);
                let material = format!("model = \"{}\", poisson = {POISSON}", law.key());
                let run = deform(GRADIENT, cells, form, &material)?;
                let model = run.simulation.model();
                let error =
                    |point: usize| (run.at(point) - GRADIENT * model.points.rest[point]).norm();
                let error = (0..model.points.rest.len()).map(error).fold(0.0, f64::max);
                rows.push(
                    format!("{name}: nodes (m)"),
                    0.0,
                    error,
                    Within::Absolute(1e-7),
                );
                let got = run.last().elastic_energy / YOUNG;
                let case = format!("{name}: energy / E V");
                rows.push(case, energy, got, Within::Relative(1e-7));
                let [most, least] = stresses(&run);
                for (which, got) in [("greatest", most), ("least", least)] {
                    let case = format!("{name}: {which} von Mises / E");
                    rows.push(case, stress, got / YOUNG, Within::Relative(1e-6));
                }
            }
        }
    }
    Ok(())
}

/// Relative error of the stress: plastic flow follows the strain of the last step, so stresses end slightly low.
const FLOW: f64 = 5e-3;

/// An ideally plastic cube in simple shear beyond its yield stress: the output stress is the yield stress, and the
/// energy that of the elastic strain.
fn plastic(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    let flow = 0.01;
    let stress = flow * YOUNG;
    let mut gradient = Matrix3::identity();
    gradient[(0, 1)] = 0.02;
    gradient[(1, 0)] = 0.02;
    // W = σ²/(6 μ), since the volume is constant.
    let energy = flow * flow / (6.0 * lame(POISSON)[1]);
    for cells in Cells::BOTH {
        for form in FORMS {
            let name = format!("flow in shear, {}, {}", cells.key(), form.0);
            let run = deform(
                gradient,
                cells,
                form,
                &format!("poisson = {POISSON}, yield_stress = {stress}"),
            )?;
            let [most, _] = stresses(&run);
            let case = format!("{name}: greatest von Mises / E");
            rows.push(case, flow, most / YOUNG, Within::Relative(FLOW));
            let got = run.last().elastic_energy / YOUNG;
            let case = format!("{name}: energy / E V");
            rows.push(case, energy, got, Within::Relative(FLOW));
        }
    }
    Ok(())
}

/// A free bar of 1 m.
#[derive(Clone, Copy)]
struct Bar {
    law: Law,
    poisson: f64,
    cells: Cells,
    /// Formulation of its elements, and the method for it.
    form: (&'static str, &'static str),
}

/// Stretches along and across a bar between opposite tractions of `load` Young's moduli.
fn pull(bar: Bar, load: f64, overrides: &[&str]) -> Result<[f64; 2], Box<dyn Error>> {
    let Bar {
        law,
        poisson,
        cells,
        form: (form, method),
    } = bar;
    let text = |pulls: &str| {
        format!(
            r#"
[time]
step = 0.01
duration = 2
[world]
gravity = [0, 0, 0]
[solver]
method = "{method}"
momentum_tolerance = 1e-6
[[body]]
mesh = {{ {} = {{ size = [1, 0.2, 0.2], cells = [4, 1, 1] }} }}
pulls = [
{pulls}]
[body.material]
model = "{}"
young = {YOUNG}
poisson = {poisson}
density = 1000
mass_damping = 30
formulation = "{form}"
"#,
            cells.key(),
            law.key()
        )
    };
    let free = Run::new(&text(""), &[])?;
    let force = Vector3::x() * (load * YOUNG * 0.04);
    let pulls = [(0.5, force), (-0.5, -force)]
        .map(|(end, force)| traction(&free.simulation, cells, (0, end), force));
    let run = Run::whole(&text(&pulls.concat()), overrides)?;
    let end = |x: f64, axis: usize| run.mean_moved(|at| (at[axis] - x).abs() < 1e-6)[axis];
    Ok([
        1.0 + end(0.5, 0) - end(-0.5, 0),
        1.0 + (end(0.1, 1) - end(-0.1, 1)) / 0.2,
    ])
}

fn bar(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    for cells in Cells::BOTH {
        for form in FORMS {
            let name = format!("bar of {}, {}", cells.key(), form.0);
            let [along, across] = pull(
                Bar {
                    law: Law::Corotational,
                    poisson: POISSON,
                    cells,
                    form,
                },
                0.01,
                &[],
            )?;
            rows.push(
                format!("{name}: E / given E"),
                1.0,
                0.01 / (along - 1.0),
                Within::Relative(1e-5),
            );
            rows.push(
                format!("{name}: nu"),
                POISSON,
                (1.0 - across) / (along - 1.0),
                Within::Relative(1e-5),
            );
            for (law, printed) in [
                (Law::Corotational, 2.0),
                (Law::NeoHookean, 2.780_359),
                (Law::StVenantKirchhoff, 1.521_380),
            ] {
                let [along, _] = pull(
                    Bar {
                        law,
                        poisson: POISSON,
                        cells,
                        form,
                    },
                    1.0,
                    &[],
                )?;
                let case = format!("{name}: stretch of {} under E A", law.key());
                rows.push(case, printed, along, Within::Relative(1e-6));
            }
        }
    }
    // The step is many times the period of the bar; one linearisation of tetrahedra does not converge there.
    let long = [
        "time.step=0.1",
        "time.duration=3",
        "body.0.material.mass_damping=0",
    ];
    for cells in Cells::BOTH {
        let [along, _] = pull(
            Bar {
                law: Law::Corotational,
                poisson: POISSON,
                cells,
                form: FORMS[0],
            },
            1.0,
            &long,
        )?;
        let case = format!(
            "bar of {}, steps of 0.1 s: stretch of corotational under E A",
            cells.key()
        );
        rows.push(case, 2.0, along, Within::Relative(1e-6)).known =
            (cells == Cells::Tetrahedra).then_some("elastic forces that converge within a step");
    }
    Ok(())
}

/// A cantilever of hexahedra, compared with an independent program for linear hexahedra: the mean over the end nodes,
/// which share the load equally.
fn beam(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    const TEXT: &str = r#"
[time]
step = 10
duration = 200
[world]
gravity = [0, 0, 0]
[solver]
method = "compliant-kkt"
momentum_tolerance = 1e-10
[[body]]
mesh = { hexahedra = { size = [1, 0.1, 0.1], cells = [20, 2, 2] } }
material = { young = 1e7, poisson = 0.3, density = 1000 }
fixed = [{ box = { lower = [-0.51, -1, -1], upper = [-0.49, 1, 1] } }]
pulls = [{ box = { lower = [0.49, -1, -1], upper = [0.51, 1, 1] }, force = [0, 0, 0.1] }]
"#;
    let run = Run::whole(TEXT, &[])?;
    let got = run.mean_moved(|x| x.x > 0.49).z;
    rows.push(
        "cantilever of 20x2x2 hexahedra: tip (m)",
        3.503_292e-4,
        got,
        Within::Relative(1e-6),
    );
    Ok(())
}

/// A slender clamped beam bends far under a load at its end.
fn deflect(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    let cells = 80;
    for load in extent.choose(&[1.0, 10.0][..], &[1.0, 3.0, 10.0]) {
        let (height, stiffness) = (0.05_f64, YOUNG * 0.05_f64.powi(4) / 12.0);
        let text = format!(
            r#"
[time]
step = 0.5
duration = 40
[world]
gravity = [0, 0, 0]
[solver]
method = "compliant-kkt"
momentum_tolerance = 1e-9
[[body]]
mesh = {{ hexahedra = {{ size = [1, {height}, {height}], cells = [{cells}, 2, 2] }} }}
material = {{ young = {YOUNG}, poisson = 0, density = 1000, mass_damping = 3 }}
fixed = [{{ box = {{ lower = [-0.51, -1, -1], upper = [-0.499, 1, 1] }} }}]
pulls = [{{ box = {{ lower = [0.499, -1, -1], upper = [0.51, 1, 1] }}, force = [0, 0, {}] }}]
"#,
            load * stiffness
        );
        let run = Run::whole(&text, &[])?;
        let got = run.mean_moved(|x| x.x > 0.499).z;
        let case = format!("elastica of {cells}x2x2 hexahedra, P L^2 / EI = {load}: tip / L");
        rows.push(case, elastica(*load), got, Within::Relative(0.03));
    }
    Ok(())
}

/// A block on a smooth plane under a dead load on its top: neo-Hookean stretches. Smooth walls at a distance of 20 µm
/// keep it upright: a free block is unstable under such a load, and turns over.
fn crush(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    for &load in extent.choose(&[0.30, 0.36][..], &[0.1, 0.2, 0.30, 0.36, 0.5]) {
        let text = |pulls: &str| {
            format!(
                r#"
[time]
step = 5e-3
duration = 1
[world]
gravity = [0, 0, 0]
friction = 0
[solver]
momentum_tolerance = 1e-8
[[body]]
mesh = {{ hexahedra = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}
material = {{ model = "neo_hookean", young = {YOUNG}, poisson = 0, density = 1000, mass_damping = 50 }}
position = [0, 0, 0.0501]
pulls = [
{pulls}]
[[obstacle]]
shape = {{ half_space = {{ normal = [0, 0, 1] }} }}
[[obstacle]]
shape = {{ half_space = {{ normal = [1, 0, 0], point = [-0.05002, 0, 0] }} }}
[[obstacle]]
shape = {{ half_space = {{ normal = [-1, 0, 0], point = [0.05002, 0, 0] }} }}
[[obstacle]]
shape = {{ half_space = {{ normal = [0, 1, 0], point = [0, -0.05002, 0] }} }}
[[obstacle]]
shape = {{ half_space = {{ normal = [0, -1, 0], point = [0, 0.05002, 0] }} }}
"#
            )
        };
        let free = Run::new(&text(""), &[])?;
        let force = Vector3::z() * (-load * YOUNG * 0.01);
        let pulls = traction(&free.simulation, Cells::Hexahedra, (2, 0.1001), force);
        let got = Run::whole(&text(&pulls), &[])
            .map_err(|error| error.to_string())
            .map(|run| {
                let end = |z: f64| run.mean_moved(|x| (x.z - z).abs() < 1e-6).z;
                1.0 + (end(0.1001) - end(1e-4)) / 0.1
            });
        let expected = Law::NeoHookean.stretch(0.0, -load);
        let case = format!("neo-Hookean block under {load} E A: stretch");
        rows.attempt(case, expected, got, Within::Relative(1e-3));
    }
    Ok(())
}

/// A cantilever of 1 m under its own weight, two cells through its height.
fn bending(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    const TEXT: &str = r#"
[time]
step = 10
duration = 200
[solver]
method = "compliant-kkt"
[[body]]
mesh = { KIND = { size = [1, 0.027465, 0.027465], cells = [40, 2, 2] } }
material = { young = 21e9, poisson = 0, density = 7800 }
fixed = [{ box = { lower = [-0.5001, -1, -1], upper = [-0.4999, 1, 1] } }]
"#;
    for cells in Cells::BOTH {
        for poisson in [0.0, 0.49] {
            let set = format!("body.0.material.poisson={poisson}");
            let run = Run::whole(&TEXT.replace("KIND", cells.key()), &[&set])?;
            let got = -run.mean_moved(|x| x.x > 0.4999).z;
            // Euler and Bernoulli: w = ρ A g L⁴ / (8 EI).
            let expected = 12.0 * 7800.0 * 9.81 / (8.0 * 21e9 * 0.027_465_f64.powi(2));
            let case = format!(
                "cantilever of 40x2x2 {}, nu {poisson}: sag (m)",
                cells.key()
            );
            rows.push(case, expected, got, Within::Relative(0.03)).known =
                Some("elements that do not lock");
        }
    }
    Ok(())
}
