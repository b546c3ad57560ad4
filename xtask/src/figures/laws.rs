//! Laws that hold whatever the step: momentum, energy, order, and independence of distant bodies.

use std::error::Error;

use impinge_sim::{Scene, Simulation};

use super::figure::Figure;
use super::{Context, Section, Sheet, scenes};
use crate::validate::{self, Row};

pub(super) const SPIN: Section = Section {
    name: "spin",
    title: "Angular momentum",
    about: "Free bodies turn at 10 rad/s: solids of tetrahedra and hexahedra of three materials, and shells of\n\
            triangles and quadrilaterals, each in stiffness and in compliance form. The value is the largest change\n\
            of the angular momentum, over its start, among all of them. Straight flight of the nodes would swell\n\
            these bodies and lose most of it in a second. Details: `cargo xtask validate --only spin`.",
    long: false,
    measure: spin,
};

pub(super) const PENDULUM: Section = Section {
    name: "pendulum",
    title: "A pendulum",
    about: "A rigid rod swings about its end on a ball joint and on a hinge, 400 steps a period. The value is the\n\
            share of its energy that a period loses. Implicit Euler loses `2 π²/200` by theory; the method of\n\
            second order keeps the swing. Details: `cargo xtask validate --only pendulum`.",
    long: false,
    measure: pendulum,
};

pub(super) const ORDERS: Section = Section {
    name: "orders",
    title: "Order of trajectories",
    about: "A damped bar vibrates at a held end, swings on a joint, flies, or lands and slides. The value is the\n\
            order at which the positions of its nodes converge when the step is halved, the least of these motions.\n\
            A motion with contact has kinks, where no method has more than order 1. Details:\n\
            `cargo xtask validate --only orders`.",
    long: false,
    measure: orders,
};

pub(super) const BALANCE: Section = Section {
    name: "balance",
    title: "Balance of energy",
    about: "Every shipped scene runs with both integrators; the quick form leaves out scenes with mesh files. In each\n\
            step and body, stored energies, works and losses add up to zero but for rounding. The value is the\n\
            largest miss over the largest entry of its row. Asynchronous and constrained steppers keep no\n\
            such balance.",
    long: false,
    measure: balance,
};

pub(super) const DISTANT: Section = Section {
    name: "distant",
    title: "A distant body",
    about: "A soft cube falls on an edge and a rigid brick on it, alone and beside a body of 7 t eight metres away\n\
            that lands as well. The value counts the coordinates of the near bodies, over all steps, that differ in\n\
            any bit.",
    long: false,
    measure: distant,
};

/// The deviation of the worst of the validation rows whose names contain all `words`, and its bound there.
fn worst(rows: &[Row], words: &[&str]) -> Result<f64, Box<dyn Error>> {
    let of = |row: &&Row| words.iter().all(|word| row.case.contains(word));
    let deviations = rows
        .iter()
        .filter(of)
        .map(|row| row.deviation().unwrap_or(f64::NAN));
    // A missing value must not be hidden by the others.
    deviations
        .reduce(|a, b| if a.is_nan() || a > b { a } else { b })
        .ok_or_else(|| {
            format!(
                "no row of the validation has the words {}",
                words.join(", ")
            )
            .into()
        })
}

fn spin(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    context.progress.run("spinning bodies", 0);
    let rows = validate::rows_of("spin", context.full)?;
    let duration = context.choose("0.1", "1");
    for integrator in ["euler", "bdf2"] {
        for (step, of, bound) in [("1 ms", "0.001 s", 1e-4), ("10 ms", "0.01 s", 1e-3)] {
            let quantity =
                format!("change of angular momentum in {duration} s, {integrator}, {step}");
            sheet.figures.push(
                Figure::law(quantity, "solids and shells")
                    .at_most(bound)
                    .value(worst(&rows, &[integrator, &format!("steps of {of}")])?),
            );
        }
    }
    Ok(())
}

fn pendulum(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    context.progress.run("pendulums", 0);
    let rows = validate::rows_of("pendulum", context.full)?;
    for (integrator, bound) in [("euler", None), ("bdf2", Some(5e-3))] {
        for joint in ["ball", "hinge"] {
            let lost = rows
                .iter()
                .find(|row| {
                    [joint, "synchronous", integrator, "energy lost"]
                        .iter()
                        .all(|word| row.case.contains(word))
                })
                .and_then(|row| row.got.as_ref().ok())
                .copied();
            let figure = Figure::law(
                format!("energy lost in a period, {integrator}"),
                format!("rod on a {joint}"),
            )
            .at_most_if(bound);
            sheet.figures.push(match lost {
                Some(lost) => figure.value(lost),
                None => figure.failed("no row of the validation"),
            });
        }
    }
    Ok(())
}

fn orders(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    context.progress.run("bars", 0);
    let rows = validate::rows_of("orders", context.full)?;
    // A measured order comes close to its limit only as the step vanishes.
    for (integrator, kind, words, bound) in [
        (
            "euler",
            "smooth",
            &["held", "swinging", "turning"][..],
            0.65,
        ),
        ("euler", "with contact", &["landing"], 0.65),
        ("bdf2", "smooth", &["held", "swinging", "turning"], 1.65),
        ("bdf2", "with contact", &["landing"], 0.65),
    ] {
        let least = rows
            .iter()
            .filter(|row| row.case.contains(integrator))
            .filter(|row| words.iter().any(|word| row.case.contains(word)))
            .map(|row| row.got.as_ref().map_or(f64::NAN, |&order| order))
            .reduce(|a, b| if a.is_nan() || a < b { a } else { b });
        let figure = Figure::law(
            format!("order in the step, {kind}, {integrator}"),
            format!("{} bar", words.join(", ")),
        )
        .above(bound);
        sheet.figures.push(match least {
            Some(least) => figure.value(least),
            None => figure.failed("no row of the validation"),
        });
    }
    Ok(())
}

fn balance(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let steps = context.choose(2_u64, 20);
    let mut left_out = Vec::new();
    for integrator in ["euler", "bdf2"] {
        let (mut worst, mut of, mut scenes) = (0.0_f64, String::new(), 0);
        for path in shipped_scenes()? {
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            context
                .progress
                .run(&format!("{name}, {integrator}"), steps);
            let overrides = [format!("time.integrator={integrator}")];
            // Other steppers have no choice of the integrator.
            let Ok(scene) = Scene::load(&path, &overrides) else {
                continue;
            };
            if !context.full && !scene.mesh_files().is_empty() {
                continue;
            }
            let Ok(mut simulation) = Simulation::new(&scene) else {
                left_out.push(name);
                continue;
            };
            if !simulation.keeps_balance() {
                continue;
            }
            scenes += 1;
            for step in 1..=steps {
                let report = simulation
                    .advance()
                    .map_err(|error| format!("{name}, {integrator}, step {step}: {error}"))?;
                context.progress.step();
                for body in report.balance.iter().flat_map(|balance| &balance.bodies) {
                    // A body without energy has 0 of 0.
                    let miss = if body.closing == 0.0 {
                        0.0
                    } else {
                        body.closing.abs() / body.largest()
                    };
                    if miss > worst || miss.is_nan() {
                        (worst, of) = (miss, name.clone());
                    }
                }
            }
        }
        let figure = Figure::law(
            format!("largest miss over largest entry, {steps} steps, {integrator}"),
            format!("{scenes} scenes, most in {of}"),
        )
        .at_most(1e-8);
        sheet.figures.push(if scenes == 0 {
            figure.failed("no scene could be measured")
        } else {
            figure.value(worst)
        });
    }
    left_out.dedup();
    if !left_out.is_empty() {
        sheet.figures.push(
            Figure::law(
                "balance of scenes that could not be prepared",
                left_out.join(", "),
            )
            .skipped("their meshes are in the folder that IMPINGE_DATA names"),
        );
    }
    Ok(())
}

fn shipped_scenes() -> Result<Vec<std::path::PathBuf>, Box<dyn Error>> {
    let mut scenes: Vec<_> = std::fs::read_dir(crate::ci::root().join("scenes"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    scenes.sort();
    Ok(scenes)
}

const NEAR: &str = r#"
[time]
step = 5e-3
duration = 1
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
[[body]]
name = "soft"
mesh = { cuboid = { size = [0.2, 0.2, 0.2], cells = [3, 3, 3] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.16]
rotation = { axis = [1, 1, 0], degrees = 30 }
[[body]]
name = "brick"
kind = "rigid"
density = 700
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
position = [0.05, 0, 0.4]
"#;

const FAR: &str = r#"
[[body]]
name = "heavy"
mesh = { cuboid = { size = [1, 1, 1], cells = [2, 2, 2] } }
material = { young = 1e7, poisson = 0.3, density = 7000 }
position = [8, 0, 0.6]
angular_velocity = [1, 0, 0]
"#;

fn distant(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let steps = context.choose(60, 200);
    for integrator in ["euler", "bdf2"] {
        context.progress.run(integrator, steps);
        let overrides = [format!("time.integrator={integrator}")];
        let mut alone = Simulation::new(&scenes::parse(NEAR, &overrides)?)?;
        let both = [NEAR, FAR].concat();
        let mut beside = Simulation::new(&scenes::parse(&both, &overrides)?)?;
        let mut differ = 0_u32;
        let mut touched = false;
        for _ in 0..steps {
            alone.advance()?;
            beside.advance()?;
            touched |= !alone.state().contacts.is_empty();
            for name in ["soft", "brick"] {
                let bits = [&alone, &beside].map(|simulation| {
                    let bodies = &simulation.model().geometry.bodies;
                    let body = bodies.iter().find(|body| body.name == name);
                    let points = body.map_or(0..0, |body| body.points.clone());
                    simulation.state().positions[points]
                        .iter()
                        .flat_map(|x| x.iter().map(|x| x.to_bits()))
                        .collect::<Vec<_>>()
                });
                let pairs = bits[0].iter().zip(&bits[1]);
                differ += pairs.map(|(a, b)| u32::from(a != b)).sum::<u32>();
            }
            context.progress.step();
        }
        let figure = Figure::law(
            format!("coordinates that differ, {steps} steps of 5 ms, {integrator}"),
            "soft cube and brick",
        )
        .at_most(0.0);
        sheet.figures.push(if touched {
            figure.value(f64::from(differ))
        } else {
            figure.failed("nothing was hit")
        });
    }
    Ok(())
}
