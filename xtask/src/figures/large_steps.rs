//! Piles of rings in steps of 1 to 20 ms.

use std::error::Error;

use impinge_sim::Scene;

use super::figure::{Figure, Grid};
use super::measure::{Case, Measured};
use super::{Context, Section, Sheet, scenes};
use crate::page::digits;

pub(super) const RINGS: Section = Section {
    name: "rings",
    title: "Large steps: falling rings",
    about: "Rings of `scenes/rings.toml` fall on each other. The same motion is computed in steps of 1 to 20 ms. Its\n\
            energy at the end (kinetic, elastic and gravitational, from the ground) must not depend on the step, and\n\
            a simulated second must not cost more processor time in large steps. Iterations are those of the step\n\
            with most of them, over all its rounds and substeps.\n\n\
            Limits: in a long step every ring passes many others, and each round finds the collisions of a new\n\
            motion. Candidates and tests of the long paths take as much time as the solver. Rounds that are solved to\n\
            a coarse tolerance save as many iterations as their successors cost. The end energies differ because both\n\
            integrators lose the vibrations that a step does not resolve, and impacts excite these.",
    long: false,
    measure: rings,
};

pub(super) const STACK: Section = Section {
    name: "stack",
    title: "Large steps: stacked rings",
    about: "Rings lie on each other in layers of 20, as bricks in a wall, and settle under their weight. Many\n\
            contacts persist: a change of the step changes mostly the effort. The bounds of processor time are for a\n\
            machine with a memory bandwidth of 24.5 GB/s (triad); the section of the block product shows that of this\n\
            one. For steps of 10 and 25 ms they are a 35th and a 15th of the time of IPC (Li et al. 2020) there.",
    long: false,
    measure: stack,
};

/// Steps (s), the shortest first.
const STEPS: [f64; 5] = [1e-3, 2e-3, 5e-3, 1e-2, 2e-2];

/// Prepares the scene with overrides.
type Prepare<'a> = &'a dyn Fn(&[String]) -> Result<Scene, Box<dyn Error>>;

/// Runs of one integrator, one for each of [`STEPS`]; a run that stopped has the reason.
fn runs(
    sheet: &mut Sheet,
    context: &Context,
    (name, duration): (&str, f64),
    integrator: &str,
    prepare: Prepare<'_>,
) -> Result<Vec<Result<Measured, String>>, Box<dyn Error>> {
    let mut grid = Grid::new(
        format!("{name}, {integrator}, {} s:", digits(duration)),
        &[
            "step (ms)",
            "end energy (J)",
            "most iterations a step",
            "rounds a step",
            "most rounds a step",
            "substeps a step",
            "CPU per second (s/s)",
        ],
    );
    let mut runs = Vec::new();
    for step in STEPS {
        let scene = prepare(&[
            format!("time.step={step:e}"),
            format!("time.integrator={integrator}"),
        ])?;
        #[expect(clippy::cast_sign_loss, reason = "durations are positive")]
        let steps = (duration / step).round() as u64;
        let run = Measured::new(
            context,
            &Case {
                what: &format!("{name}, {integrator}, {} ms", digits(1e3 * step)),
                scene: &scene,
                steps,
                threads: 1,
                repetitions: context.choose(1, 2),
            },
        )
        .map_err(|error| error.to_string());
        let mut cells = vec![digits(1e3 * step)];
        match &run {
            Ok(run) => {
                let count = run.reports.len() as f64;
                let rounds: u32 = run.reports.iter().map(|report| report.rounds).sum();
                let most = run.reports.iter().map(|report| report.rounds).max();
                let substeps: u32 = run.reports.iter().map(|report| report.substeps).sum();
                cells.extend([
                    digits(run.energy()),
                    worst_iterations(run).to_string(),
                    digits(f64::from(rounds) / count),
                    most.unwrap_or_default().to_string(),
                    digits(f64::from(substeps) / count),
                    digits(run.total() / duration),
                ]);
            }
            Err(error) => {
                cells.push(error.lines().next().unwrap_or_default().to_owned());
                cells.resize(7, String::new());
            }
        }
        grid.row(cells);
        runs.push(run);
    }
    sheet.grids.push(grid);
    Ok(runs)
}

fn worst_iterations(run: &Measured) -> u64 {
    let iterations = run.reports.iter().map(|report| report.iterations);
    iterations.max().unwrap_or_default()
}

/// Rows of the runs in long steps beside the one in the shortest.
fn compare(
    sheet: &mut Sheet,
    name: &str,
    integrator: &str,
    runs: &[Result<Measured, String>],
    bounds: impl Fn(f64) -> Bounds,
) {
    let base = &runs[0];
    for (step, run) in STEPS.iter().zip(runs).skip(1) {
        let at = format!("{integrator}, {} ms", digits(1e3 * step));
        let bounds = bounds(*step);
        let push = |figure: Figure, bound, value: &dyn Fn(&Measured, &Measured) -> f64| {
            let figure = figure.at_most_if(bound);
            match (base, run) {
                (Ok(base), Ok(run)) => figure.value(value(base, run)),
                (Err(error), _) | (_, Err(error)) => figure.failed(error),
            }
        };
        let energy = Figure::law(format!("energy at the end, {at}, change from 1 ms"), name);
        sheet
            .figures
            .push(push(energy, bounds.energy, &|base, run| {
                (run.energy() / base.energy() - 1.0).abs()
            }));
        let iterations = Figure::speed(format!("iterations of the worst step, {at}"), name);
        sheet
            .figures
            .push(push(iterations, bounds.iterations, &|_, run| {
                worst_iterations(run) as f64
            }));
        let cost = Figure::speed(format!("CPU a simulated second, {at}, over 1 ms"), name);
        sheet.figures.push(push(cost, bounds.cost, &|base, run| {
            run.total() / base.total()
        }));
    }
}

/// Bounds of the comparison with 1 ms.
#[derive(Default)]
struct Bounds {
    energy: Option<f64>,
    iterations: Option<f64>,
    cost: Option<f64>,
}

fn rings(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let (count, duration) = context.choose((32, 0.2), (120, 0.3));
    let name = format!("{count} falling rings");
    let prepare = |overrides: &[String]| {
        let mut overrides = overrides.to_vec();
        overrides.push(format!("body.0.copies.count={count}"));
        scenes::shipped("rings.toml", &overrides)
    };
    for integrator in ["euler", "bdf2"] {
        let runs = runs(sheet, context, (&name, duration), integrator, &prepare)?;
        compare(sheet, &name, integrator, &runs, |step| {
            // In the short motion of the quick form most energy goes into impacts, whose loss depends on the step.
            let energy = |bound| context.full.then_some(bound);
            if step >= 2e-2 {
                Bounds {
                    energy: energy(0.06),
                    iterations: Some(1500.0),
                    cost: Some(1.2),
                }
            } else if step >= 1e-2 {
                Bounds {
                    energy: energy(0.03),
                    iterations: Some(500.0),
                    cost: Some(1.0),
                }
            } else {
                Bounds {
                    energy: energy(0.03),
                    ..Bounds::default()
                }
            }
        });
    }
    Ok(())
}

fn stack(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let (layers, duration) = context.choose((2, 0.1), (6, 0.2));
    let text = scenes::stacked_rings(layers);
    let name = format!("{} stacked rings", 20 * layers);
    for integrator in ["euler", "bdf2"] {
        let prepare = |overrides: &[String]| scenes::parse(&text, overrides);
        let runs = runs(sheet, context, (&name, duration), integrator, &prepare)?;
        compare(sheet, &name, integrator, &runs, |step| Bounds {
            energy: Some(if step >= 2e-2 { 0.06 } else { 0.03 }),
            ..Bounds::default()
        });
        if context.full && integrator == "euler" {
            for (run, step, bound) in [(&runs[0], "1 ms", 0.066), (&runs[3], "10 ms", 8.92 / 35.0)]
            {
                let figure = Figure::speed(format!("CPU a step, {integrator}, {step} (s)"), &name);
                sheet.figures.push(match run {
                    Ok(run) => figure.at_most(bound).value(run.per_step()),
                    Err(error) => figure.failed(error),
                });
            }
            sheet.figures.push(longest_step(context, &name, &prepare)?);
        }
    }
    Ok(())
}

/// The step of 25 ms: it has a bound of its own and no row in the comparison of energies.
fn longest_step(
    context: &Context,
    name: &str,
    prepare: Prepare<'_>,
) -> Result<Figure, Box<dyn Error>> {
    let scene = prepare(&["time.step=2.5e-2".to_owned()])?;
    let run = Measured::new(
        context,
        &Case {
            what: &format!("{name}, euler, 25 ms"),
            scene: &scene,
            steps: 8,
            threads: 1,
            repetitions: 2,
        },
    );
    let figure = Figure::speed("CPU a step, euler, 25 ms (s)", name);
    Ok(match run {
        Ok(run) => figure.at_most(121.5 / 8.0 / 15.0).value(run.per_step()),
        Err(error) => figure.failed(error.to_string()),
    })
}
