//! Contact problems of many scenes in short and long steps, solved by several methods from the same start.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use cpu_time::ThreadTime;
use impinge_contact::{ContactProblem, ContactSolution, Method, Tolerances, residual};
use impinge_sim::Simulation;
use impinge_sim::stepper::{Solve, SolveObserver};

use super::figure::{Figure, Grid};
use super::{Context, Section, Sheet, scenes};
use crate::page::digits;

pub(super) const PROBLEMS: Section = Section {
    name: "problems",
    title: "Hard problems of many scenes",
    about: "Twelve shipped scenes run for 0.24 s in steps of 1, 4, 10 and 20 ms. Of each run the solves with most\n\
            iterations are repeated by several methods, one solve of each of five steps, from the start that the run\n\
            had. So the problems are those that are hard for `cr`. Products are those with the momentum matrix; each\n\
            solve is timed once. A solve is unmet if the independent residual is beyond twice the tolerances, with\n\
            friction held to that of gaps. Ratios are of the problems that both methods meet.\n\
            [The page of rivals](../methods/rivals.md) has the methods. `cr` and its variants end after 5000\n\
            iterations, `ica` after 20,000 or without progress.",
    long: true,
    measure: problems,
};

/// Scenes with contacts in their first quarter of a second. Problems with constraint rows, which some methods do not
/// take, are left out.
const SCENES: [&str; 12] = [
    "arch",
    "incline",
    "rings",
    "rings_stiff",
    "strings",
    "stack",
    "pyramid_small",
    "rigid_stack",
    "wedge",
    "gripped_peg",
    "cloth_on_ball",
    "bearing",
];

/// Steps (s).
const STEPS: [f64; 4] = [1e-3, 4e-3, 1e-2, 2e-2];

/// Simulated time of a run (s).
const DURATION: f64 = 0.24;

/// Problems that are kept of a run.
const OF_RUN: usize = 5;

/// The default method, then the others.
const METHODS: [&str; 5] = ["cr", "cr-full", "cr-diagonal", "cr-paper", "ica"];

/// The best offers, at most [`OF_RUN`] and one of each step: those with most iterations, the first of equal ones.
struct Hardest<T>(Vec<(Rank, T)>);

/// Step and iterations of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rank {
    step: u64,
    iterations: u64,
}

impl<T> Hardest<T> {
    /// Takes what `make` makes if it ranks high enough.
    fn offer(&mut self, rank: Rank, make: impl FnOnce() -> T) {
        let kept = &mut self.0;
        if let Some(at) = kept.iter().position(|(other, _)| other.step == rank.step) {
            if kept[at].0.iterations >= rank.iterations {
                return;
            }
            kept.remove(at);
        }
        let place = kept.partition_point(|(other, _)| other.iterations >= rank.iterations);
        if place < OF_RUN {
            kept.truncate(OF_RUN - 1);
            kept.insert(place, (rank, make()));
        }
    }
}

/// A solve that is to be repeated.
struct Stored {
    problem: ContactProblem,
    start: ContactSolution,
    tolerances: Tolerances,
}

/// Offers the solves of a run.
#[derive(Clone)]
struct Observer(Arc<Mutex<Hardest<Stored>>>);

impl SolveObserver for Observer {
    fn solved(&mut self, solve: &Solve<'_>) {
        if solve.problem.contacts() == 0 || !solve.problem.constraints.is_empty() {
            return;
        }
        let rank = Rank {
            step: solve.stamp.step,
            iterations: solve.report.iterations,
        };
        let mut hardest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hardest.offer(rank, || Stored {
            problem: solve.problem.clone(),
            start: solve.start.clone(),
            tolerances: solve.method.tolerances(),
        });
    }
}

/// One solve by one method.
#[derive(Clone, Copy)]
struct Effort {
    products: u64,
    /// CPU (s).
    seconds: f64,
    met: bool,
}

fn problems(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let columns = [
        "step (ms)",
        "problems",
        "method",
        "products",
        "CPU (s)",
        "unmet",
    ];
    let mut grid = Grid::new("Repeated solves:", &columns);
    let mut all: [Vec<Effort>; METHODS.len()] = Default::default();
    let mut stopped = 0;
    for step in STEPS {
        let mut stored = Vec::new();
        for name in SCENES {
            let run = pool.install(|| run(context, name, step))?;
            stored.extend(run.hardest);
            stopped += u32::from(run.stopped);
        }
        for (method, all) in METHODS.into_iter().zip(&mut all) {
            let what = format!("{method}, {} ms", digits(1e3 * step));
            context.progress.run(&what, stored.len() as u64);
            let solve = |problem| {
                let effort = solve(method, problem);
                context.progress.step();
                effort
            };
            let of_step: Result<Vec<_>, _> = pool.install(|| stored.iter().map(solve).collect());
            let of_step = of_step?;
            grid.row(vec![
                digits(1e3 * step),
                stored.len().to_string(),
                method.to_owned(),
                products(&of_step).to_string(),
                digits(seconds(&of_step)),
                unmet(&of_step).to_string(),
            ]);
            all.extend(of_step);
        }
    }
    sheet.grids.push(grid);
    let [own, ..] = &all;
    let scene = format!("{} problems", own.len());
    sheet.figures.push(
        Figure::speed(
            "runs that stop early",
            format!("{} runs", SCENES.len() * STEPS.len()),
        )
        .value(stopped.into()),
    );
    for (method, efforts) in METHODS.into_iter().zip(&all) {
        let figure = Figure::speed(format!("unmet solves, {method}"), &scene);
        let figure = if method == METHODS[0] {
            figure.at_most(0.0)
        } else {
            figure
        };
        sheet.figures.push(figure.value(unmet(efforts) as f64));
        if method == METHODS[0] {
            continue;
        }
        let both: Vec<_> = (own.iter().zip(efforts))
            .filter(|(own, other)| own.met && other.met)
            .collect();
        let scene = format!("{} problems", both.len());
        let (own, other): (Vec<Effort>, Vec<Effort>) = both.into_iter().unzip();
        sheet.figures.extend([
            Figure::speed(format!("products over those of cr, {method}"), &scene)
                .value(products(&other) as f64 / products(&own) as f64),
            Figure::speed(format!("CPU over that of cr, {method}"), &scene)
                .value(seconds(&other) / seconds(&own)),
        ]);
    }
    Ok(())
}

fn products(efforts: &[Effort]) -> u64 {
    efforts.iter().map(|effort| effort.products).sum()
}

fn seconds(efforts: &[Effort]) -> f64 {
    efforts.iter().map(|effort| effort.seconds).sum()
}

fn unmet(efforts: &[Effort]) -> usize {
    efforts.iter().filter(|effort| !effort.met).count()
}

/// A run of a scene.
struct Run {
    hardest: Vec<Stored>,
    /// Whether a step failed; the solves are those until then.
    stopped: bool,
}

/// Runs a scene for its hardest solves.
///
/// # Errors
/// If there is no problem: the scene does not belong here.
fn run(context: &Context, name: &str, step: f64) -> Result<Run, String> {
    let overrides = [format!("time.step={step:e}")];
    let scene =
        scenes::shipped(&format!("{name}.toml"), &overrides).map_err(|error| error.to_string())?;
    let what = format!("{name}, {} ms", digits(1e3 * step));
    #[expect(clippy::cast_sign_loss, reason = "durations are positive")]
    let steps = (DURATION / step).round() as u64;
    context.progress.run(&what, steps);
    let observer = Observer(Arc::new(Mutex::new(Hardest(Vec::new()))));
    let mut simulation = Simulation::new(&scene).map_err(|error| error.to_string())?;
    simulation.observe_solves(observer.clone());
    let mut stopped = false;
    for _ in 0..steps {
        stopped = simulation.advance().is_err();
        if stopped {
            break;
        }
        context.progress.step();
    }
    let mut hardest = observer.0.lock().unwrap_or_else(PoisonError::into_inner);
    let hardest: Vec<_> = hardest.0.drain(..).map(|(_, stored)| stored).collect();
    if hardest.is_empty() {
        return Err(format!("{what}: no problem of contacts alone"));
    }
    Ok(Run { hardest, stopped })
}

fn solve(method: &str, stored: &Stored) -> Result<Effort, String> {
    let named = Method::named(method, stored.tolerances).map_err(|error| error.to_string())?;
    let mut solver = named.solver();
    let mut solution = stored.start.clone();
    let begin = ThreadTime::now();
    let report = solver
        .solve(&stored.problem, &mut solution)
        .map_err(|error| error.to_string())?;
    Ok(Effort {
        products: report.iterations + report.extra_products,
        seconds: begin.elapsed().as_secs_f64(),
        met: residual(&stored.problem, &solution).meets(&stored.tolerances),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hardest_solves_are_kept_one_of_each_step() {
        let mut hardest = Hardest(Vec::new());
        let offers = [
            (1, 10),
            (2, 30),
            (2, 20),
            (2, 40),
            (3, 5),
            (4, 50),
            (4, 1),
            (5, 40),
            (6, 7),
            (7, 7),
            (8, 6),
        ];
        for (step, iterations) in offers {
            let rank = Rank { step, iterations };
            hardest.offer(rank, || rank);
        }
        let kept: Vec<_> = (hardest.0.iter())
            .map(|(rank, made)| {
                assert_eq!(rank, made);
                (rank.step, rank.iterations)
            })
            .collect();
        assert_eq!(kept, [(4, 50), (2, 40), (5, 40), (1, 10), (6, 7)]);
    }
}
