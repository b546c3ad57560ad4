//! `impinge solve` for friction problems: `W`, `q`, `mu` from any program.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use impinge_contact::delassus::{
    FrictionMethod, FrictionProblem, FrictionReport, FrictionResidual, StoredFrictionProblem,
    Target, friction_residual, global_friction_residual, read_problem, write_vectors,
};
use impinge_geometry::io::read_regular;
use nalgebra::Vector3;

use super::arguments::Solve;
use super::exit::{Code, Failure};
use super::places::distinct;
use super::terminal;

/// Default tolerance of both errors of an answer.
const TOLERANCE: f64 = 1e-8;

/// Whether the file is a friction problem, by its name.
pub(crate) fn is_problem(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "fcp")
}

/// Solves the problem of `options` and checks the answer.
pub(crate) fn solve(options: &Solve) -> Result<(), Failure> {
    if let Some(setting) = options.settings.first() {
        return Err(Failure::new(
            Code::BadInput,
            format!("--set {setting}: the only setting of friction problems is --tolerance"),
        ));
    }
    if let Some(path) = &options.trace {
        return Err(Failure::new(
            Code::BadInput,
            format!(
                "--trace {}: friction problems have no trace\n  mend: leave --trace out",
                path.display()
            ),
        ));
    }
    let tolerance = options.tolerance.unwrap_or(TOLERANCE);
    let stored = load(&options.problem)?;
    let method = choose(options.method.as_deref())?;
    distinct(&[&options.problem], &[("--out", options.out.as_deref())])?;
    let named = |error: &dyn std::error::Error| bad_file(&options.problem, error);

    let begin = Instant::now();
    let (problem, bodies) = match &stored {
        StoredFrictionProblem::Local(problem) => (Cow::Borrowed(problem), None),
        StoredFrictionProblem::Global(global) => {
            let (problem, bodies) = global.condense_rounded().map_err(|e| named(&e))?;
            (Cow::Owned(problem), Some(bodies))
        }
    };
    let problem = problem.as_ref();
    let condensing = begin.elapsed().as_secs_f64();
    let mut reactions = vec![Vector3::zeros(); problem.contacts()];
    let begin = Instant::now();
    let report = method
        .solver()
        .solve(problem, &mut reactions, &Target { tolerance })
        .map_err(|error| named(&error))?;
    let seconds = begin.elapsed().as_secs_f64();

    let mut judged = friction_residual(problem, &reactions);
    terminal::say(&describe(problem, &stored, condensing))?;
    if let Some(global) = &bodies {
        if let Cow::Owned(_) = global {
            terminal::remark(
                "M is symmetric up to rounding, but W is not; the symmetric part of M is used",
            );
        }
        let whole =
            global_friction_residual(global, problem, &reactions).map_err(|error| named(&error))?;
        terminal::say(&format!(
            "with the bodies: equilibrium {:.2e}, siconos error {:.2e}",
            whole.equilibrium, whole.siconos_error
        ))?;
        judged.siconos_error = judged.siconos_error.max(whole.siconos_error);
    }
    terminal::say(&outcome(method, &report, seconds))?;
    terminal::say(&table(&judged, tolerance))?;
    if let Some(path) = &options.out {
        let heading = format!("reactions N T1 T2 of {}", problem.name());
        fs::write(path, write_vectors(&heading, &reactions)).map_err(|error| {
            Failure::new(
                Code::Output,
                format!("{} cannot be written: {error}", path.display()),
            )
        })?;
    }
    if judged.is_answer(tolerance) {
        Ok(())
    } else if judged.worst_error() <= tolerance {
        Err(Failure::new(
            Code::Unsound,
            "no solution: both relative errors meet the tolerance only because the forces are very large; contacts \
             penetrate, or push while they separate\n  \
             mend: give a smaller --tolerance; if the forces keep growing, no motion keeps all contacts apart",
        ))
    } else {
        Err(Failure::new(
            Code::Unsound,
            "the tolerance was not met\n  mend: raise --tolerance, or choose another --method",
        ))
    }
}

fn load(path: &Path) -> Result<StoredFrictionProblem, Failure> {
    let bytes = read_regular(path).map_err(|error| bad_file(path, &error))?;
    let text = String::from_utf8(bytes).map_err(|error| bad_file(path, &error))?;
    read_problem(&text).map_err(|error| bad_file(path, &error))
}

fn bad_file(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::new(Code::BadInput, format!("{}: {error}", path.display()))
}

fn choose(name: Option<&str>) -> Result<FrictionMethod, Failure> {
    let Some(name) = name else {
        return Ok(FrictionMethod::Auto);
    };
    FrictionMethod::named(name).ok_or_else(|| {
        let names = FrictionMethod::ALL.map(FrictionMethod::name).join(", ");
        Failure::new(
            Code::BadInput,
            format!("--method {name}: unknown method for friction problems; choose one of {names}"),
        )
    })
}

fn describe(problem: &FrictionProblem, stored: &StoredFrictionProblem, condensing: f64) -> String {
    let bodies = match stored {
        StoredFrictionProblem::Local(_) => String::new(),
        StoredFrictionProblem::Global(global) => format!(
            ", condensed from {} degrees of freedom in {condensing:.3} s",
            global.forces.len()
        ),
    };
    format!(
        "{}: {} contacts, {} blocks of W{bodies}",
        problem.name(),
        problem.contacts(),
        problem.delassus().stored()
    )
}

fn outcome(method: FrictionMethod, report: &FrictionReport, seconds: f64) -> String {
    let counts: Vec<String> = [
        (report.sweeps, "sweeps"),
        (report.newton_steps, "Newton steps"),
        (report.admm_iterations, "ADMM iterations"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, name)| format!("{count} {name}"))
    .collect();
    let counts = if counts.is_empty() {
        "no iteration".to_owned()
    } else {
        counts.join(", ")
    };
    let verb = if report.converged {
        "solved"
    } else {
        "not solved"
    };
    let last = if method == FrictionMethod::Auto {
        format!(" ({} last)", report.method.name())
    } else {
        String::new()
    };
    format!(
        "{}{last}: {verb} after {counts} in {seconds:.3} s",
        method.name()
    )
}

/// The two errors beside the tolerance.
fn table(judged: &FrictionResidual, tolerance: f64) -> String {
    let mut text = "independent residual".to_owned();
    for (name, value) in [
        ("siconos error", judged.siconos_error),
        ("scaled error", judged.scaled_error),
    ] {
        let verdict = if value <= tolerance { "" } else { "  not met" };
        _ = write!(
            text,
            "\n  {name:<18} {value:<10.2e} tolerance {tolerance:e}{verdict}"
        );
    }
    for (name, value) in [
        ("natural map", judged.natural_map),
        ("penetration", judged.penetration),
        ("cone", judged.cone),
        ("complementarity", judged.complementarity),
        ("dissipation", judged.dissipation),
    ] {
        _ = write!(text, "\n  {name:<18} {value:<10.2e}");
    }
    if judged.is_gross(tolerance) {
        text += "\n  penetration or complementarity is above max(1e-3, tolerance): not met";
    }
    text
}
