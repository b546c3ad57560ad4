//! Friction problems of a folder: each solved and checked.

use std::borrow::Cow;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use impinge_contact::delassus::{
    FrictionMethod, FrictionProblem, StoredFrictionProblem, Target, friction_residual,
    global_friction_residual, read_problem, read_vectors,
};
use impinge_krylov::direct::singular_values;
use nalgebra::{DMatrix, Vector3};

/// Singular values above this share of the largest count.
const RANK: f64 = 1e-10;

/// Largest number of contacts with a rank: the dense decomposition of a larger problem takes minutes.
const MOST_FOR_RANK: usize = 1000;

/// Solves every `.fcp` file of `folder`, prints a line for each and a summary; true if all were solved.
pub(super) fn run(folder: &Path, method: &str, tolerance: f64) -> Result<bool, Box<dyn Error>> {
    let method = FrictionMethod::named(method).ok_or_else(|| {
        let names = FrictionMethod::ALL.map(FrictionMethod::name).join(", ");
        format!("--method {method}: choose one of {names}")
    })?;
    let files = problems(folder)?;
    println!(
        "{:<36}{:>5}{:>11}{:>7}{:>7}{:>6}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}  verdict",
        "friction problem",
        "nc",
        "rank/3nc",
        "sweeps",
        "newton",
        "admm",
        "time s",
        "nat. map",
        "penetr.",
        "cone",
        "compl.",
        "dissip.",
        "siconos",
        "scaled",
        "u - ref"
    );
    let mut solved = 0;
    for file in &files {
        // An unusable file is one broken line and does not end the table.
        match line(file, method, tolerance) {
            Ok((text, good)) => {
                println!("{text}");
                solved += usize::from(good);
            }
            Err(error) => println!("{:<36}{error}  BROKEN", stem(file)),
        }
    }
    println!(
        "{solved} of {} problems solved by {} to {tolerance:e} in both errors\n",
        files.len(),
        method.name()
    );
    Ok(solved == files.len())
}

fn problems(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "fcp") {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(format!("{} holds no .fcp file", folder.display()).into());
    }
    files.sort();
    Ok(files)
}

fn stem(file: &Path) -> String {
    let name = file.file_stem().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Solves one problem: its line, and whether both errors are within tolerance.
fn line(
    file: &Path,
    method: FrictionMethod,
    tolerance: f64,
) -> Result<(String, bool), Box<dyn Error>> {
    let stored = read_problem(&fs::read_to_string(file)?)?;
    let (problem, bodies) = match &stored {
        StoredFrictionProblem::Local(problem) => (Cow::Borrowed(problem), None),
        StoredFrictionProblem::Global(global) => {
            let (problem, bodies) = global.condense_rounded()?;
            (Cow::Owned(problem), Some(bodies))
        }
    };
    let problem = problem.as_ref();
    let mut reactions = vec![Vector3::zeros(); problem.contacts()];
    let mut solver = method.solver();
    let begin = Instant::now();
    let report = solver.solve(problem, &mut reactions, &Target { tolerance })?;
    let seconds = begin.elapsed().as_secs_f64();

    let mut judged = friction_residual(problem, &reactions);
    if let Some(global) = &bodies {
        let whole = global_friction_residual(global, problem, &reactions)?;
        judged.siconos_error = judged.siconos_error.max(whole.siconos_error);
    }
    let good = judged.is_answer(tolerance);
    let rank = rank(problem).map_or_else(|| "-".to_owned(), |rank| rank.to_string());
    let text = format!(
        "{:<36}{:>5}{:>11}{:>7}{:>7}{:>6}{:>9.4}{:>9.1e}{:>9.1e}{:>9.1e}{:>9.1e}{:>9.1e}{:>9.1e}{:>9.1e}{:>9}  {}",
        problem.name(),
        problem.contacts(),
        format!("{rank}/{}", 3 * problem.contacts()),
        report.sweeps,
        report.newton_steps,
        report.admm_iterations,
        seconds,
        judged.natural_map,
        judged.penetration,
        judged.cone,
        judged.complementarity,
        judged.dissipation,
        judged.siconos_error,
        judged.scaled_error,
        reference_difference(file, problem, &reactions)?,
        if good { "solved" } else { "NOT SOLVED" }
    );
    Ok((text, good))
}

/// `max |u − u_ref| / max |q|` if the folder has a reference velocity for the problem.
///
/// A figure only: some problems have several exact solutions.
fn reference_difference(
    file: &Path,
    problem: &FrictionProblem,
    reactions: &[Vector3<f64>],
) -> Result<String, Box<dyn Error>> {
    let Ok(text) = fs::read_to_string(file.with_extension("u")) else {
        return Ok("-".to_owned());
    };
    let reference = read_vectors(&text, problem.contacts())?;
    let mut velocities = vec![Vector3::zeros(); problem.contacts()];
    problem.delassus().multiply_into(reactions, &mut velocities);
    let mut most: f64 = 0.0;
    let mut scale: f64 = 0.0;
    for ((u, q), reference) in velocities
        .iter()
        .zip(problem.free_velocity())
        .zip(&reference)
    {
        most = most.max((u + q - reference).amax());
        scale = scale.max(q.amax());
    }
    Ok(format!(
        "{:.1e}",
        if scale > 0.0 { most / scale } else { most }
    ))
}

/// Number of singular values of `W` above [`RANK`] of the largest.
fn rank(problem: &FrictionProblem) -> Option<usize> {
    let contacts = problem.contacts();
    if contacts > MOST_FOR_RANK {
        return None;
    }
    let mut dense = DMatrix::zeros(3 * contacts, 3 * contacts);
    for row in 0..contacts {
        let (columns, blocks) = problem.delassus().row(row);
        for (&column, block) in columns.iter().zip(blocks) {
            dense
                .fixed_view_mut::<3, 3>(3 * row, 3 * column as usize)
                .copy_from(block);
        }
    }
    let values = singular_values(&dense)?;
    let largest = values.first().copied().unwrap_or(0.0);
    Some(values.iter().filter(|s| **s > RANK * largest).count())
}
