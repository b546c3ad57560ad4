//! The reference problems of Siconos and LMGC90, if `IMPINGE_DATA` has them.

use impinge_contact::delassus::{
    Auto, FrictionProblem, FrictionSolver, ProximalNewton, StoredFrictionProblem, Target,
    friction_residual, global_friction_residual, read_problem, read_vectors,
};
use nalgebra::Vector3;
use std::fs;
use std::path::PathBuf;

/// Problems with several exact solutions: only their residual is checked.
const AMBIGUOUS: [&str; 2] = ["OneObject-i100000-316", "OneObject-i1028-138"];

/// Bounds of Siconos' strictest test on its own error, for each problem that must not fail there.
///
/// From numerics_tests.cmake and the test collections of siconos 6070f0f6.
const DEMANDED: [(&str, f64); 33] = [
    ("BoxesStack1-i100000-32", 1e-8),
    ("Capsules-i100-1090", 1e-10),
    ("Capsules-i101-404", 1e-10),
    ("Capsules-i103-990", 1e-10),
    ("Confeti-ex03", 1e-8),
    ("FC3D_Example1", 1e-16),
    ("FrictionContact3D_1c", 1e-12),
    ("FrictionContact3D_RR_1c", 1e-12),
    ("G-Box_Stacks-i0122-82-5", 1e-12),
    ("G-CubeH8", 1e-8),
    ("G-Example0", 1e-12),
    ("G-Example00", 1e-12),
    ("G-Example00_badly_scaled", 1e-12),
    ("G-TwoRods1", 1e-12),
    ("G-spheres-in-a-box-98-i10000-256-10", 1e-5),
    ("GFC3D_TwoRods1-condensed", 1e-12),
    ("KaplasTower-i1061-4", 1e-3),
    ("LmgcDriver-2", 1e-16),
    ("LmgcDriver-3", 1e-10),
    ("LmgcDriver-5", 1e-10),
    ("NESpheres_30_1", 1e-10),
    ("OneObject-i100000-316", 1e-8),
    ("OneObject-i1028-138", 1e-8),
    ("RFC3D_cube_1-norolling", 1e-8),
    ("Rover1039", 1e-10),
    ("Rover1040", 1e-10),
    ("Rover1041", 1e-10),
    ("Rover11035", 1e-10),
    ("Rover4396", 1e-5),
    ("Rover4609", 1e-10),
    ("Rover4613", 1e-10),
    ("Rover4622", 1e-10),
    ("rockfall_14-norolling", 1e-8),
];

/// Errors of the references: at most 1e-11, raised slightly by other rounding of a condensed `W`.
const EXACT: f64 = 1e-10;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("IMPINGE_DATA").map(|data| PathBuf::from(data).join("friction"));
    match folder {
        Some(folder) if folder.is_dir() => Some(folder),
        _ => {
            #[expect(clippy::print_stderr, reason = "a skipped test has to say so")]
            {
                eprintln!("skipped: IMPINGE_DATA names no folder with the friction problems");
            }
            None
        }
    }
}

fn load(folder: &std::path::Path, name: &str) -> (FrictionProblem, StoredFrictionProblem) {
    let text = fs::read_to_string(folder.join(format!("{name}.fcp"))).expect("readable");
    let stored = read_problem(&text).expect("sound");
    let problem = match &stored {
        StoredFrictionProblem::Local(problem) => problem.clone(),
        StoredFrictionProblem::Global(global) => global.condense().expect("regular"),
    };
    (problem, stored)
}

fn velocities(problem: &FrictionProblem, reactions: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut u = vec![Vector3::zeros(); problem.contacts()];
    problem.delassus().multiply_into(reactions, &mut u);
    u.iter()
        .zip(problem.free_velocity())
        .map(|(u, q)| u + q)
        .collect()
}

fn vectors(folder: &std::path::Path, file: &str, contacts: usize) -> Vec<Vector3<f64>> {
    let text = fs::read_to_string(folder.join(file)).expect("readable");
    read_vectors(&text, contacts).expect("three numbers a line")
}

/// The independent residual accepts the references: signs, frames and errors have the same meaning on both sides.
#[test]
fn the_judge_accepts_every_reference() {
    let Some(folder) = folder() else { return };
    for (name, _) in DEMANDED {
        let (problem, _) = load(&folder, name);
        let r = vectors(&folder, &format!("{name}.r"), problem.contacts());
        let judged = friction_residual(&problem, &r);
        assert!(judged.worst_error() < EXACT, "{name}: {judged:?}");
        let symmetric = folder.join(format!("{name}.sym.r"));
        if symmetric.exists() && !name.starts_with("G-") {
            let r = vectors(&folder, &format!("{name}.sym.r"), problem.contacts());
            let judged = friction_residual(&problem.symmetric_part(), &r);
            assert!(judged.worst_error() < EXACT, "{name} (sym): {judged:?}");
        }
    }
}

/// Both errors below 1e-8, and Siconos' error below the bound of its own tests; velocities of the reference where these
/// are unique.
#[test]
fn auto_solves_every_problem_better_than_siconos_demands() {
    let Some(folder) = folder() else { return };
    for (name, demanded) in DEMANDED {
        let (problem, stored) = load(&folder, name);
        let mut r = vec![Vector3::zeros(); problem.contacts()];
        // Below 1e-12 the rounding of W r dominates.
        let tolerance = (0.5 * demanded).clamp(1e-12, 1e-9);
        let target = Target { tolerance };
        Auto::default()
            .solve(&problem, &mut r, &target)
            .expect("sound");
        let judged = friction_residual(&problem, &r);
        let mut siconos = judged.siconos_error;
        if let StoredFrictionProblem::Global(global) = &stored {
            let whole = global_friction_residual(global, &problem, &r).expect("regular");
            siconos = siconos.max(whole.siconos_error);
        }
        assert!(siconos <= demanded, "{name}: {siconos:e} > {demanded:e}");
        assert!(judged.worst_error() <= 1e-8, "{name}: {judged:?}");
        if !AMBIGUOUS.contains(&name) {
            let u = velocities(&problem, &r);
            let reference = vectors(&folder, &format!("{name}.u"), problem.contacts());
            let largest = problem
                .free_velocity()
                .iter()
                .fold(0.0_f64, |m, q| m.max(q.amax()));
            let difference = u
                .iter()
                .zip(&reference)
                .fold(0.0_f64, |m, (a, b)| m.max((a - b).amax()));
            // The references differ among themselves by up to 5e-8 of max|q|.
            assert!(
                difference <= 1e-6 * largest,
                "{name}: u differs by {difference:e}"
            );
        }
    }
}

/// Newton's method converges from zero on all but a few of them, symmetrised ones included.
#[test]
fn newton_reaches_rounding_from_nothing() {
    let Some(folder) = folder() else { return };
    for (name, _) in DEMANDED {
        let (problem, _) = load(&folder, name);
        for problem in [&problem, &problem.symmetric_part()] {
            let mut r = vec![Vector3::zeros(); problem.contacts()];
            let target = Target { tolerance: 1e-11 };
            ProximalNewton::default()
                .solve(problem, &mut r, &target)
                .expect("sound");
            let judged = friction_residual(problem, &r);
            assert!(judged.worst_error() <= 1e-10, "{name}: {judged:?}");
        }
    }
}
