//! Time to build the Delassus operator beside that of a whole solve by conjugate residuals.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use cpu_time::ThreadTime;
use impinge_contact::method::corrective_motion::{CorrectiveMotion, CorrectiveMotionSettings};
use impinge_contact::{ContactProblem, ContactSolution, Method, Termination, Tolerances};
use impinge_sim::stepper::{Solve, SolveObserver};
use impinge_sim::{Scene, Simulation};

use super::figure::{Figure, Grid};
use super::{Context, Section, Sheet, scenes};
use crate::page::digits;

pub(super) const DELASSUS: Section = Section {
    name: "delassus",
    title: "The Delassus operator beside a solve without it",
    about: "After Fig. 12 of Verschoor and Jalba 2019. Of contact problems of soft rings that lie on each other, in\n\
            one to four layers, of a soft cube that lands on a corner, of the armadillo between rollers and of the\n\
            bearing, the tables have the time to build `W = J A⁻¹ Jᵀ`, by sparse factors of `A` (numbers only, the\n\
            order is known) and a solve for each row, and the time of a whole solve from rest by `cr` and by the\n\
            rules of the paper, `cr-paper`, which need no `W`. A contact has three rows. The solve with `W` would\n\
            come on top. The exponent `p` says that the time grows as the number of rows to the power `p`; NaN\n\
            stands for a solve that does not converge.\n\n\
            The bound is the paper's finding, that `W` is dearer than a solve. A solve by `cr-paper`, here from rest\n\
            instead of from the last step, may take longer.",
    long: true,
    measure: delassus,
};

/// Growth of the number of contacts from one problem to the next.
const GROWTH: usize = 2;

/// Fewest contacts of a problem in the table.
const FEWEST: usize = 4;

/// Repetitions of each measurement; the least time counts.
const REPETITIONS: u32 = 3;

/// Stores the problems of a run, for [`problems`].
#[derive(Clone, Default)]
struct Problems(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    sample: Sample,
    /// The problem with most contacts, at least [`FEWEST`].
    largest: Option<(ContactProblem, Tolerances)>,
}

impl SolveObserver for Problems {
    fn solved(&mut self, solve: &Solve<'_>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let contacts = solve.problem.contacts();
        let copy = || (solve.problem.clone(), solve.method.tolerances());
        let most = (kept.sample.last()).map_or(FEWEST / GROWTH, |(problem, _)| problem.contacts());
        if contacts >= GROWTH * most {
            kept.sample.push(copy());
        }
        let largest = (kept.largest.as_ref()).map_or(FEWEST - 1, |(problem, _)| problem.contacts());
        if contacts > largest {
            kept.largest = Some(copy());
        }
    }
}

/// Times (s) on one problem.
struct Times {
    rows: usize,
    operator: f64,
    /// Of both methods.
    solves: [f64; 2],
}

const SOLVERS: [&str; 2] = ["cr", "cr-paper"];

fn delassus(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let mut settled = Vec::new();
    for layers in 1..=context.choose(2, 4) {
        let rings = scenes::parse(&scenes::stacked_rings(layers), &[])?;
        let name = format!("{} rings", 20 * layers);
        settled.extend(problems(context, &name, &rings, 80)?.largest);
    }
    measure(sheet, "rings", &settled)?;
    let cube = scenes::parse(&scenes::cube(context.choose(8, 16)), &[])?;
    let pressed = problems(context, "cube", &cube, context.choose(60, 120))?;
    measure(sheet, "cube", &pressed.sample)?;
    let bearing = scenes::shipped("bearing.toml", &[])?;
    let turning = problems(context, "bearing", &bearing, context.choose(40, 400))?;
    measure(sheet, "bearing", &turning.sample)?;
    if std::env::var_os("IMPINGE_DATA").is_none() {
        let figure = Figure::speed("time of W over a solve by cr", "armadillo");
        (sheet.figures).push(figure.skipped("IMPINGE_DATA names no folder of meshes"));
        return Ok(());
    }
    let armadillo = scenes::shipped("armadillo_rollers.toml", &[])?;
    let crushed = problems(context, "armadillo", &armadillo, context.choose(60, 1_000))?;
    measure(sheet, "armadillo", &crushed.sample)
}

/// Problems, each with [`GROWTH`] times the contacts of the one before, or more, and their tolerances.
type Sample = Vec<(ContactProblem, Tolerances)>;

fn problems(
    context: &Context,
    name: &str,
    scene: &Scene,
    steps: u64,
) -> Result<Kept, Box<dyn Error>> {
    let problems = Problems::default();
    context.progress.run(name, steps);
    let mut simulation = Simulation::new(scene)?;
    simulation.observe_solves(problems.clone());
    for _ in 0..steps {
        simulation.advance()?;
        context.progress.step();
    }
    let mut problems = problems.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *problems))
}

/// A table and rows of one scene.
fn measure(
    sheet: &mut Sheet,
    name: &str,
    problems: &[(ContactProblem, Tolerances)],
) -> Result<(), Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut grid = Grid::new(
        format!("{name}:"),
        &[
            "unknowns",
            "rows",
            "W (CPU, s)",
            "cr (CPU, s)",
            "cr-paper (CPU, s)",
            "W over cr",
        ],
    );
    let mut all = Vec::new();
    for (problem, tolerances) in problems {
        let times = pool.install(|| times(problem, *tolerances));
        let times = times.map_err(|error| -> Box<dyn Error> { error })?;
        grid.row(vec![
            problem.unknowns().to_string(),
            times.rows.to_string(),
            digits(times.operator),
            digits(times.solves[0]),
            digits(times.solves[1]),
            digits(times.operator / times.solves[0]),
        ]);
        all.push(times);
    }
    sheet.grids.push(grid);
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        return Err(format!("{name}: no problem with {FEWEST} contacts").into());
    };
    let scene = format!("{name}, {} rows", last.rows);
    for (solver, time) in SOLVERS.into_iter().zip(last.solves) {
        let figure = Figure::speed(format!("time of W over a solve by {solver}"), scene.clone())
            .at_least(1.0);
        sheet.figures.push(if time.is_finite() {
            figure.value(last.operator / time)
        } else if solver == SOLVERS[0] {
            figure.failed("the solve from rest does not converge")
        } else {
            figure.skipped("the solve from rest does not converge")
        });
    }
    if last.rows > first.rows {
        let grown = (last.rows as f64 / first.rows as f64).ln();
        let range = format!("{name}, {} to {} rows", first.rows, last.rows);
        for (what, times) in [
            ("W", [first.operator, last.operator]),
            ("a solve by cr", [first.solves[0], last.solves[0]]),
        ] {
            let exponent = (times[1] / times[0]).ln() / grown;
            sheet.figures.push(
                Figure::speed(format!("exponent of the time of {what}"), range.clone())
                    .value(exponent),
            );
        }
    }
    Ok(())
}

/// The least time (s) of some repetitions.
fn least<E>(mut work: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let mut least = f64::INFINITY;
    for _ in 0..REPETITIONS {
        let begin = ThreadTime::now();
        work()?;
        least = least.min(begin.elapsed().as_secs_f64());
    }
    Ok(least)
}

fn times(
    problem: &ContactProblem,
    tolerances: Tolerances,
) -> Result<Times, Box<dyn Error + Send + Sync>> {
    // Factors of a step: the same order with new values.
    let mut other = problem.clone();
    for block in other.momentum.values_mut() {
        *block *= 1.0 + 1e-9;
    }
    let mut exact = CorrectiveMotion::exact(CorrectiveMotionSettings::default());
    exact.condense(&other)?;
    let mut turn = false;
    let operator = least(|| {
        turn = !turn;
        let at = if turn { problem } else { &other };
        exact.condense(at).map(drop)
    })?;
    let mut solves = [f64::NAN; 2];
    for (time, name) in solves.iter_mut().zip(SOLVERS) {
        let mut solver = Method::named(name, tolerances)?.solver();
        let mut converged = true;
        let taken = least(|| {
            let mut solution = ContactSolution::at_rest(problem);
            let report = solver.solve(problem, &mut solution)?;
            converged &= report.termination == Termination::Converged;
            Ok::<_, impinge_contact::ContactError>(())
        })?;
        if converged {
            *time = taken;
        }
    }
    Ok(Times {
        rows: 3 * problem.contacts(),
        operator,
        solves,
    })
}
