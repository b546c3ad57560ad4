//! Piles of rings in steps of 1 to 20 ms.

use std::error::Error;

use impinge_sim::Scene;

use super::falls::Falls;
use super::figure::{Figure, Grid};
use super::measure::{Case, Measured};
use super::{Context, Section, Sheet, scenes};
use crate::page::digits;

pub(super) const RINGS: Section = Section {
    name: "rings",
    title: "Large steps: falling rings",
    about: "Rings of `scenes/rings.toml` fall on each other. The same motion is computed in steps of 1 to 20 ms. Its\n\
            energy at the end (kinetic, elastic and gravitational, from the ground) must not depend on the step, and\n\
            a simulated second must not cost more processor time in large steps. Energies are judged in the mean of\n\
            falls with other orientations of the rings. Iterations are those of the step with most of them, over all\n\
            its rounds and substeps.\n\n\
            Limits: in a long step every ring passes many others, and each round finds the collisions of a new\n\
            motion. Candidates and tests of the long paths take as much time as the solver. Rounds that are solved to\n\
            a coarse tolerance save as many iterations as their successors cost. Where most iterations are\n\
            predictions, which have the diagonal, another preconditioner of the conjugate residuals saves little. The\n\
            method with exact factors of the bodies, `exact-compliance`, takes longer. The end energies differ as\n\
            both integrators lose the vibrations that a step does not resolve, and impacts excite these.",
    long: false,
    measure: rings,
};

pub(super) const STACK: Section = Section {
    name: "stack",
    title: "Large steps: stacked rings",
    about: "Rings lie on each other in layers of 20, as bricks in a wall, and settle under their weight. Many\n\
            contacts persist: a change of the step changes mostly the effort. The bounds of processor time are for a\n\
            machine with a memory bandwidth of 24.5 GB/s (triad); the section of the block product shows that of this\n\
            one. In proportion to it a faster machine should be below them. For steps of 10 and 25 ms they are a 35th\n\
            and a 15th of the time of IPC (Li et al. 2020) there.\n\n\
            Limits: in a step of 25 ms sound crosses thirty elements, and the number of iterations grows with that of\n\
            the elements. Most iterations of long steps are predictions.",
    long: false,
    measure: stack,
};

/// Repetitions of a run whose time counts.
pub(super) const REPETITIONS: u32 = 2;

/// Steps (s), the shortest first.
pub(super) const STEPS: [f64; 5] = [1e-3, 2e-3, 5e-3, 1e-2, 2e-2];

/// Prepares the scene with overrides.
pub(super) type Prepare<'a> = &'a dyn Fn(&[String]) -> Result<Scene, Box<dyn Error>>;

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
                repetitions: context.choose(1, REPETITIONS),
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

/// Largest change of the energy at the end (1) that a `step` (s) may make.
fn largest_change(step: f64) -> f64 {
    if step >= 2e-2 { 0.06 } else { 0.03 }
}

/// The share of predictions in all iterations of the longest steps.
fn share_of_predictions(name: &str, runs: &[Result<Measured, String>]) -> Figure {
    let figure = Figure::speed("predictions over iterations, euler, 20 ms", name);
    match runs.last() {
        Some(Ok(run)) => {
            let [mut predictions, mut iterations] = [0; 2];
            for report in &run.reports {
                predictions += report.prediction_iterations;
                iterations += report.iterations;
            }
            figure.value(predictions as f64 / iterations as f64)
        }
        Some(Err(error)) => figure.failed(error),
        None => figure,
    }
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
            // Energies are judged in the mean of several falls: one differs from the next.
            if step >= 2e-2 {
                Bounds {
                    iterations: Some(1500.0),
                    cost: Some(1.2),
                    ..Bounds::default()
                }
            } else if step >= 1e-2 {
                Bounds {
                    iterations: Some(500.0),
                    cost: Some(1.0),
                    ..Bounds::default()
                }
            } else {
                Bounds::default()
            }
        });
        // In the short motion of the quick form most energy goes into impacts, whose loss depends on the step.
        if context.full {
            let falls = Falls {
                context,
                scene: (&name, duration),
                integrator,
                prepare: &prepare,
                first: &runs,
            };
            sheet.figures.extend(falls.energies(largest_change));
            if integrator == "euler" {
                sheet.figures.push(share_of_predictions(&name, &runs));
                // Steps of 10 and of 20 ms.
                sheet.figures.push(falls.exact_factors(3));
                sheet.figures.push(falls.exact_factors(4));
            }
        }
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
            energy: Some(largest_change(step)),
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
            sheet.figures.push(share_of_predictions(&name, &runs));
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
            repetitions: REPETITIONS,
        },
    );
    let figure = Figure::speed("CPU a step, euler, 25 ms (s)", name);
    Ok(match run {
        Ok(run) => figure.at_most(121.5 / 8.0 / 15.0).value(run.per_step()),
        Err(error) => figure.failed(error.to_string()),
    })
}
