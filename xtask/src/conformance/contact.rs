//! contact: closed forms of one particle, and the independent residual of an elastic block on the ground.

use std::error::Error;

use impinge_contact::Tolerances;
use impinge_contact::method::active_set_cr::{
    ActiveSetCr, ActiveSetCrSettings, PreconditionerKind,
};
use impinge_contact::{
    ContactProblem, ContactReport, ContactRow, ContactSolution, ContactSolver, Termination,
    residual,
};
use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};

use super::{Extent, lattice, table::Table};

const STEP: f64 = 1e-3;
const FRICTION: f64 = 0.5;

pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    particle(table)?;
    block(table, extent)
}

/// Rows of a vertex on the ground, `z` up.
fn ground(block: u32) -> (u32, Matrix3<f64>) {
    (
        block,
        STEP * Matrix3::new(0., 0., 1., 1., 0., 0., 0., 1., 0.),
    )
}

fn tight() -> ActiveSetCrSettings {
    ActiveSetCrSettings {
        tolerances: Tolerances {
            momentum: 1e-14,
            gap: 1e-14,
            slip: 1e-14,
        },
        ..ActiveSetCrSettings::default()
    }
}

/// A particle of 2 kg that must stop, stick or slide.
fn particle(table: &mut Table) -> Result<(), Box<dyn Error>> {
    let mass = 2.0;
    let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(1, []));
    momentum.values_mut()[0] = Matrix3::from_diagonal_element(mass);
    // Half a millimetre above the ground, at 3 m/s downwards: 0.5 m/s may remain, 2.5 m/s must be stopped.
    let (falls, height) = (-3.0, 5e-4);
    for (name, speed) in [("sticks", 1.0), ("slides", 4.0)] {
        let rhs = vec![mass * speed, 0.0, mass * falls];
        let mut problem = ContactProblem::new(STEP, momentum.clone(), rhs);
        problem.push(&ContactRow {
            entries: &[ground(0)],
            offset: Vector3::new(-height, 0.0, 0.0),
            friction: FRICTION,
        });
        let mut solution = ContactSolution::at_rest(&problem);
        ActiveSetCr::new(tight()).solve(&problem, &mut solution)?;
        let normal_speed = -height / STEP;
        let force = mass * (normal_speed - falls) / STEP;
        let left = (speed - FRICTION * force * STEP / mass).max(0.0);
        let expected = Vector3::new(left, 0.0, normal_speed);
        let found = Vector3::from_column_slice(&solution.velocity);
        table.at_most(
            &format!("particle {name}: velocity, m/s"),
            (found - expected).norm(),
            1e-8,
        );
        table.at_most(
            &format!("particle {name}: normal force, relative"),
            (solution.contacts[0].lambda / force - 1.0).abs(),
            1e-10,
        );
    }
    Ok(())
}

/// An elastic block thrown at the ground: residuals, agreement of both preconditioners, duplicated contacts.
fn block(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let axis = match extent {
        Extent::Quick => 6,
        Extent::Full => 14,
    };
    let settings = ActiveSetCrSettings {
        tolerances: Tolerances {
            momentum: 1e-6,
            gap: 1e-6,
            slip: 5e-8,
        },
        ..ActiveSetCrSettings::default()
    };
    let diagonal = ActiveSetCrSettings {
        preconditioner: PreconditionerKind::Diagonal,
        ..settings
    };
    let (single, full) = solve(table, "Full", &spinning_block(axis, 1), settings)?;
    let (other, diag) = solve(table, "Diag", &spinning_block(axis, 1), diagonal)?;
    let (copied, four) = solve(
        table,
        "Full, each contact four times",
        &spinning_block(axis, 4),
        settings,
    )?;
    let scale = largest(&single.velocity);
    table.at_most(
        "Full and Diag: difference of velocities, relative",
        difference(&single, &other) / scale,
        2e-2,
    );
    table.at_most(
        "each contact four times: difference of velocities, relative",
        difference(&single, &copied) / scale,
        2e-2,
    );
    table.figure(
        "iterations: Full, Diag, Full with four copies",
        format!(
            "{}, {}, {}",
            full.iterations, diag.iterations, four.iterations
        ),
    );
    Ok(())
}

fn solve(
    table: &mut Table,
    name: &str,
    problem: &ContactProblem,
    settings: ActiveSetCrSettings,
) -> Result<(ContactSolution, ContactReport), Box<dyn Error>> {
    let mut solution = ContactSolution::at_rest(problem);
    let report = ActiveSetCr::new(settings).solve(problem, &mut solution)?;
    let judged = residual(problem, &solution);
    let tolerances = settings.tolerances;
    let contacts = problem.contacts();
    table.certain(
        &format!("{name}, {contacts} contacts: converged"),
        report.termination != Termination::MaxIterations
            && report.termination != Termination::Breakdown,
    );
    table.at_most(
        &format!("{name}: e_v, N s"),
        judged.momentum,
        2.0 * tolerances.momentum,
    );
    table.at_most(
        &format!("{name}: e_n, m"),
        judged.normal,
        2.0 * tolerances.gap,
    );
    table.at_most(
        &format!("{name}: e_t, m"),
        judged.friction,
        2.0 * tolerances.slip.max(tolerances.gap),
    );
    Ok((solution, report))
}

/// A block of `axis³` nodes joined by springs, spinning and falling obliquely on the ground; `copies` of each contact.
fn spinning_block(axis: usize, copies: usize) -> ContactProblem {
    let spacing = 0.02;
    let (mass, stiffness) = (1000.0 * f64::powi(spacing, 3), 0.4 * 5e5 * spacing);
    let momentum = lattice::matrix(axis, mass, STEP * STEP * stiffness);
    let spin = Vector3::new(1.0, 4.0, 8.0);
    let rhs = lattice::places(axis)
        .flat_map(|place| {
            let x = Vector3::from(place.map(|x| x as f64)) * spacing;
            let velocity = Vector3::new(0.6, -0.2, -1.0) + spin.cross(&x);
            [mass * velocity.x, mass * velocity.y, mass * velocity.z]
        })
        .collect();
    let mut problem = ContactProblem::new(STEP, momentum, rhs);
    for y in 0..axis {
        for x in 0..axis {
            for _ in 0..copies {
                problem.push(&ContactRow {
                    entries: &[ground((x + axis * y) as u32)],
                    offset: Vector3::new(-1e-4, 0.0, 0.0),
                    friction: FRICTION,
                });
            }
        }
    }
    problem
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| f64::max(most, x.abs()))
}

fn difference(a: &ContactSolution, b: &ContactSolution) -> f64 {
    let change: Vec<f64> = a
        .velocity
        .iter()
        .zip(&b.velocity)
        .map(|(a, b)| a - b)
        .collect();
    largest(&change)
}
