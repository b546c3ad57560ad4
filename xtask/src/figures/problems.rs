//! Contact problems of many scenes in short and long steps, solved by several methods from the same start.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use cpu_time::ThreadTime;
use impinge_contact::{ContactProblem, ContactSolution, Method, Termination, Tolerances};
use impinge_sim::Simulation;
use impinge_sim::stepper::{Solve, SolveObserver};

use super::figure::{Figure, Grid};
use super::{Context, Section, Sheet, scenes};
use crate::page::digits;

pub(super) const PROBLEMS: Section = Section {
    name: "problems",
    title: "Hard problems of many scenes",
    about: "Shipped scenes run for a quarter of a second in steps of 1, 4, 10 and 20 ms. Of each run the five solves\n\
            with most iterations are repeated by several methods, all from the start that the run had. Products are\n\
            those with the momentum matrix. A solve that does not converge counts with its effort. `cr-paper` has\n\
            the rules of the paper; `cr-full` and `cr-diagonal` differ from these by what\n\
            [the page of the method](../methods/active_set_cr.md) says.",
    long: true,
    measure: problems,
};

/// Scenes with contacts in their first quarter of a second. Problems with constraint rows, which some methods do not
/// take, are left out.
const SCENES: [&str; 12] = [
    "rings",
    "rings_stiff",
    "strings",
    "stack",
    "pyramid_small",
    "rigid_stack",
    "wedge",
    "gripped_peg",
    "bed_of_nails",
    "cloth_on_ball",
    "bearing",
    "pinched_ball",
];

/// Steps (s).
const STEPS: [f64; 4] = [1e-3, 4e-3, 1e-2, 2e-2];

/// Simulated time of a run (s).
const DURATION: f64 = 0.25;

/// Problems that are kept of a run.
const OF_RUN: usize = 5;

const METHODS: [&str; 5] = ["cr", "cr-full", "cr-diagonal", "cr-paper", "ica"];

/// A solve that is to be repeated.
#[derive(Clone)]
struct Stored {
    iterations: u64,
    problem: ContactProblem,
    start: ContactSolution,
    tolerances: Tolerances,
}

/// Keeps the [`OF_RUN`] solves with most iterations.
#[derive(Clone, Default)]
struct Hardest(Arc<Mutex<Vec<Stored>>>);

impl SolveObserver for Hardest {
    fn solved(&mut self, solve: &Solve<'_>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let iterations = solve.report.iterations;
        let is_one = solve.problem.contacts() > 0 && solve.problem.constraints.is_empty();
        let place = kept.partition_point(|other| other.iterations >= iterations);
        if !is_one || place == OF_RUN {
            return;
        }
        kept.truncate(OF_RUN - 1);
        let stored = Stored {
            iterations,
            problem: solve.problem.clone(),
            start: solve.start.clone(),
            tolerances: solve.method.tolerances(),
        };
        kept.insert(place, stored);
    }
}

/// Effort of one method on the problems of one step length.
#[derive(Clone, Copy, Default)]
struct Effort {
    products: u64,
    /// CPU (s).
    seconds: f64,
    unconverged: u32,
}

impl Effort {
    fn add(&mut self, other: Self) {
        self.products += other.products;
        self.seconds += other.seconds;
        self.unconverged += other.unconverged;
    }
}

fn problems(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let columns = [
        "step (ms)",
        "problems",
        "method",
        "products",
        "CPU (s)",
        "not converged",
    ];
    let mut grid = Grid::new("Repeated solves:".to_owned(), &columns);
    let mut all = [Effort::default(); METHODS.len()];
    let mut count = 0;
    for step in STEPS {
        let mut stored = Vec::new();
        for name in SCENES {
            stored.extend(pool.install(|| hardest(context, name, step))?);
        }
        count += stored.len();
        for (method, all) in METHODS.into_iter().zip(&mut all) {
            context
                .progress
                .run(&format!("{method}, {} ms", digits(1e3 * step)), 0);
            let mut effort = Effort::default();
            for problem in &stored {
                effort.add(pool.install(|| solve(method, problem))?);
            }
            grid.row(vec![
                digits(1e3 * step),
                stored.len().to_string(),
                method.to_owned(),
                effort.products.to_string(),
                digits(effort.seconds),
                effort.unconverged.to_string(),
            ]);
            all.add(effort);
        }
    }
    sheet.grids.push(grid);
    let scene = format!("{count} problems");
    let [own, ..] = all;
    for (method, effort) in METHODS.into_iter().zip(all) {
        let unconverged = Figure::speed(format!("solves that do not converge, {method}"), &scene);
        let value = f64::from(effort.unconverged);
        if method == METHODS[0] {
            sheet.figures.push(unconverged.at_most(0.0).value(value));
            continue;
        }
        sheet.figures.extend([
            unconverged.value(value),
            Figure::speed(format!("products over those of cr, {method}"), &scene)
                .value(effort.products as f64 / own.products as f64),
            Figure::speed(format!("CPU over that of cr, {method}"), &scene)
                .value(effort.seconds / own.seconds),
        ]);
    }
    Ok(())
}

/// The solves with most iterations of a run; a run that stops has those until then.
fn hardest(context: &Context, name: &str, step: f64) -> Result<Vec<Stored>, String> {
    let scene = scenes::shipped(&format!("{name}.toml"), &[format!("time.step={step:e}")])
        .map_err(|error| error.to_string())?;
    #[expect(clippy::cast_sign_loss, reason = "durations are positive")]
    let steps = (DURATION / step).round() as u64;
    context
        .progress
        .run(&format!("{name}, {} ms", digits(1e3 * step)), steps);
    let hardest = Hardest::default();
    let mut simulation = Simulation::new(&scene).map_err(|error| error.to_string())?;
    simulation.observe_solves(hardest.clone());
    for _ in 0..steps {
        if simulation.advance().is_err() {
            break;
        }
        context.progress.step();
    }
    let mut kept = hardest.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *kept))
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
        unconverged: u32::from(report.termination != Termination::Converged),
    })
}
