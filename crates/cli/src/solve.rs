//! `impinge solve`: solves a stored contact problem and checks the answer.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use impinge_contact::method::TraceRow;
use impinge_contact::{
    ContactReport, ContactResidual, ContactSolution, FrictionLaw, Method, StoredProblem,
    Termination, Tolerances, residual_under,
};
use impinge_report::{Draft, ReportError};
use impinge_sim::output::read_problem;

use super::arguments::Solve;
use super::exit::{Code, Failure};
use super::friction;
use super::places::distinct;
use super::terminal;
use super::threads::use_threads;

/// Solves the problem of `options`.
pub(crate) fn solve(options: &Solve) -> Result<(), Failure> {
    if friction::is_problem(&options.problem) {
        return friction::solve(options);
    }
    if options.tolerance.is_some() || options.out.is_some() {
        return Err(Failure::new(
            Code::BadInput,
            "--tolerance and --out are for friction problems (.fcp)\n  mend: use --set tolerances.gap=.. and the like",
        ));
    }
    use_threads(options.threads)?;
    let stored = load(&options.problem)?;
    let method = choose(&stored, options)?;
    // Checked first: without a writable trace there is no solve.
    distinct(
        &[&options.problem],
        &[("--trace", options.trace.as_deref())],
    )?;
    // The unfinished file is removed, so that an interrupt leaves nothing behind. A pipe stays open, as its reader
    // would take the closing for the end.
    if let Some(path) = options
        .trace
        .as_deref()
        .filter(|path| Draft::replaces(path))
    {
        drop(claim(path)?);
    }

    let mut solution = stored.start.clone();
    let mut solver = method.solver();
    if options.trace.is_some() {
        solver.record();
    }
    let (begin, processor) = (Instant::now(), ProcessTime::try_now());
    let report = solver
        .solve(&stored.problem, &mut solution)
        .map_err(|error| Failure::bad_input(&error))?;
    let seconds = begin.elapsed().as_secs_f64();
    let processor = processor.and_then(|begin| begin.try_elapsed()).ok();

    let judged = residual_under(method.friction_law(), &stored.problem, &solution);
    let met = judged.meets(&method.tolerances());
    terminal::say(&describe(options, &stored))?;
    let name = options.method.as_deref().unwrap_or(method.name());
    terminal::say(&outcome(name, &report, seconds, processor))?;
    terminal::say(&table(&method, &judged, &solution))?;
    if let Some(path) = &options.trace {
        claim(path)?
            .finish(&trace_table(solver.trace()))
            .map_err(|error| unwritten(&error))?;
    }
    if met {
        Ok(())
    } else {
        Err(Failure::new(
            Code::Unsound,
            format!(
                "the tolerance was not met: {}\n  \
                 mend: raise the tolerance (--set tolerances.momentum=..), allow more iterations (--set \
                 max_iterations=..), or choose another --method",
                judged.over(&method.tolerances())
            ),
        ))
    }
}

/// One row per iteration.
fn trace_table(rows: &[TraceRow]) -> String {
    let mut text = "iteration,phase,residual,evaluations,state_changes\n".to_owned();
    for row in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{:?},{},{}",
            row.iteration, row.phase, row.residual, row.evaluations, row.state_changes
        );
    }
    text
}

/// The file of the trace, claimed as writable.
fn claim(path: &Path) -> Result<Draft, Failure> {
    Draft::claim(path).map_err(|error| unwritten(&error))
}

fn unwritten(error: &ReportError) -> Failure {
    Failure::new(Code::Output, format!("--trace: {error}"))
}

/// The problem of a file, by its content.
fn load(path: &Path) -> Result<StoredProblem, Failure> {
    Ok(read_problem(path)?)
}

/// The requested method, else the stored one. A stored method keeps its settings, another one has its defaults.
fn choose(stored: &StoredProblem, options: &Solve) -> Result<Method, Failure> {
    let mut method = match &options.method {
        Some(name) if name != stored.method.name() => {
            Method::named(name, stored.method.tolerances())
                .map_err(|error| Failure::bad_input(&error))?
        }
        _ => stored.method,
    };
    for setting in &options.settings {
        let (key, value) = setting.split_once('=').ok_or_else(|| {
            Failure::new(
                Code::BadInput,
                format!("--set {setting}: write KEY=VALUE, for example max_iterations=5000"),
            )
        })?;
        method
            .set(key.trim(), value.trim())
            .map_err(|error| Failure::bad_input(&error))?;
    }
    method
        .validate()
        .map_err(|error| Failure::bad_input(&error))?;
    Ok(method)
}

fn describe(options: &Solve, stored: &StoredProblem) -> String {
    let StoredProblem {
        problem, origin, ..
    } = stored;
    let place = if origin.step == 0 {
        String::new()
    } else {
        format!(
            ": step {}, round {}, from {:.6} s of \"{}\"",
            origin.step, origin.round, origin.time, origin.scene
        )
    };
    format!(
        "{}{place}\n{} unknowns, {} contacts, {} blocks of A, time step {} s",
        options.problem.display(),
        problem.unknowns(),
        problem.contacts(),
        problem.momentum.values().len(),
        problem.time_step,
    )
}

/// `name` is the requested one: variants share the name of their method.
fn outcome(
    name: &str,
    report: &ContactReport,
    seconds: f64,
    processor: Option<Duration>,
) -> String {
    let processor = processor.map_or_else(String::new, |time| {
        format!(" ({:.3} s of processor time)", time.as_secs_f64())
    });
    let end = match report.termination {
        Termination::Converged if report.relaxed => {
            "converged (friction to the gap tolerance only)"
        }
        Termination::Converged => "converged",
        Termination::LeastSquares => "ended at a least-squares solution",
        Termination::MaxIterations => "not converged",
        Termination::Breakdown => "broke down",
    };
    format!(
        "{name} {end} after {} iterations in {seconds:.3} s{processor}: {} products with A, {} active-set updates, {} \
         state changes{}",
        report.iterations,
        report.iterations + report.extra_products,
        report.evaluations,
        report.state_changes,
        match (report.passes, report.sweeps) {
            (0, _) => String::new(),
            (passes, 0) => format!(", {passes} projections"),
            (passes, sweeps) => format!(", {passes} passes, {sweeps} sweeps over the contacts"),
        }
    )
}

/// The residuals beside their tolerances.
fn table(method: &Method, judged: &ContactResidual, solution: &ContactSolution) -> String {
    let tolerances = method.tolerances();
    let friction = tolerances.slip.max(tolerances.gap);
    let rows = [
        ("momentum", judged.momentum, tolerances.momentum, "N s"),
        ("normal", judged.normal, tolerances.gap, "m"),
        ("friction", judged.friction, friction, "m"),
    ];
    let mut text = match method.friction_law() {
        FrictionLaw::Cone => "independent residual   reached     accepted".to_owned(),
        FrictionLaw::Pyramid => {
            "independent residual   reached     accepted (friction pyramid)".to_owned()
        }
    };
    for (name, value, tolerance, unit) in rows {
        let verdict = if value < Tolerances::ACCEPTED * tolerance {
            ""
        } else {
            "  not met"
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n  {name:<19}  {value:<10.3e}  {:<10.3e} {unit}{verdict}",
            Tolerances::ACCEPTED * tolerance
        );
    }
    let [inactive, sliding, sticking] = solution.contacts.iter().fold([0; 3], |mut counts, c| {
        counts[c.state as usize] += 1;
        counts
    });
    let _ = write!(
        text,
        "\n  {:<19}  {:<10.3e}             m\ncontacts: {sticking} sticking, {sliding} sliding, {inactive} inactive",
        "penetration", judged.penetration
    );
    text
}
