//! Condition numbers during the fall of a sheet, rows with compliance against stiffness; MINRES on both.

use std::error::Error;

use impinge_contact::constraint::GeometricStiffness;
use impinge_contact::constraint::strain::surface;
use impinge_contact::method::ContactSolver;
use impinge_contact::method::compliant_kkt::{CompliantKkt, CompliantKktSettings, KktSolver};
use impinge_contact::{ContactProblem, ContactSolution};
use impinge_krylov::direct::singular_values;
use impinge_sim::constrained::{Formulation, Sheet, SheetMaterial};
use nalgebra::{DMatrix, Vector3};

use super::super::{Extent, table::Table};
use super::stepper;

const STEP: f64 = 0.01;

/// `[H −Jᵀ; −J −C/h²]` without fixed unknowns; the rows of a problem contain `h`.
fn dense(problem: &ContactProblem) -> DMatrix<f64> {
    let (n, m) = (problem.unknowns(), problem.constraints.len());
    let mut matrix = DMatrix::zeros(n + m, n + m);
    for (i, k, value) in problem.momentum.to_csr().triplet_iter() {
        matrix[(i, k)] = *value;
    }
    let h = problem.time_step;
    for index in 0..problem.constraints.groups() {
        let group = problem.constraints.group(index);
        let (rows, first) = (group.offset.len(), n + problem.constraints.first_row(index));
        for row in 0..rows {
            let entries = &group.jacobian[row * group.blocks.len()..];
            for (&block, j) in group.blocks.iter().zip(entries) {
                for axis in 0..3 {
                    let unknown = 3 * block as usize + axis;
                    matrix[(first + row, unknown)] = -j[axis] / h;
                    matrix[(unknown, first + row)] = -j[axis] / h;
                }
            }
            for column in 0..rows {
                matrix[(first + row, first + column)] =
                    -group.compliance[row * rows + column] / (h * h);
            }
        }
    }
    matrix
}

fn condition(problem: &ContactProblem) -> f64 {
    let values = singular_values(&dense(problem)).unwrap_or_default();
    match (values.first(), values.last()) {
        (Some(largest), Some(least)) => largest / least,
        _ => f64::NAN,
    }
}

/// Largest condition number of the compliance form over the fall, and that of the stiffness form at the same states.
fn fall(
    mut material: SheetMaterial,
    node_mass: f64,
    stiffness: f64,
    (steps, every): (u32, u32),
) -> Result<[f64; 2], Box<dyn Error>> {
    let sheet = |material: SheetMaterial| Sheet {
        nodes: 10,
        edge: 1.0,
        node_mass,
        material,
        whole_row: true,
    };
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut rows = sheet(material.clone()).build(gravity)?;
    if let SheetMaterial::Distances { compliance } = &mut material {
        *compliance = 1.0 / stiffness;
    }
    let mut springs = sheet(material).build(gravity)?;
    springs.formulations = vec![Formulation::Stiffness; springs.constraints.len()];
    let mut of_rows = stepper(&mut rows, GeometricStiffness::Projected, 1)?;
    let mut of_springs = stepper(&mut springs, GeometricStiffness::Projected, 1)?;
    let mut worst = [0.0_f64; 2];
    for step in 0..steps {
        let before = (rows.positions.clone(), rows.velocities.clone());
        of_rows.advance(&mut rows, STEP)?;
        if step % every == 0 {
            (springs.positions, springs.velocities) = before;
            // The solution is not used and may be useless.
            let _ = of_springs.advance(&mut springs, STEP);
            worst[0] = worst[0].max(condition(of_rows.problem()));
            worst[1] = worst[1].max(condition(of_springs.problem()));
        }
    }
    Ok(worst)
}

/// Table 2.
pub(super) fn numbers(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let steps = match extent {
        Extent::Quick => (40, 20),
        Extent::Full => (200, 5),
    };
    let springs = SheetMaterial::Distances { compliance: 0.0 };
    for (node_mass, expected) in [(1.0, [1e2, 4e11]), (0.01, [2e2, 4e13])] {
        let [kkt, stiffness] = fall(springs.clone(), node_mass, 1e15, steps)?;
        let case = format!("condition, springs, {node_mass} kg nodes");
        figures(table, &case, [kkt, stiffness], expected);
        table.at_most(
            &format!("{case}: compliance over stiffness"),
            kkt / stiffness,
            1e-9,
        );
    }
    for (thickness, node_mass, expected) in [
        (1e-3, 0.01, [4e3, 6e4]),
        (1.0, 1.0, [5e4, 6e5]),
        (1.0, 0.01, [5e4, 6e7]),
    ] {
        let material = SheetMaterial::Triangles {
            compliance: surface(1e9, 0.49)?,
            thickness,
        };
        let [kkt, stiffness] = fall(material, node_mass, 0.0, steps)?;
        let case = format!("condition, StVK, {thickness} m thick, {node_mass} kg nodes");
        figures(table, &case, [kkt, stiffness], expected);
        table.at_most(
            &format!("{case}: compliance over stiffness"),
            kkt / stiffness,
            0.1,
        );
    }
    Ok(())
}

/// Within one decade of the values of an independent prototype.
fn figures(table: &mut Table, case: &str, measured: [f64; 2], expected: [f64; 2]) {
    for (name, (measured, expected)) in ["compliance", "stiffness"]
        .into_iter()
        .zip(measured.into_iter().zip(expected))
    {
        table.at_most(
            &format!("{case}, {name} {measured:.0e}: decades from {expected:.0e}"),
            (measured / expected).log10().abs(),
            1.0,
        );
    }
}

/// Steps of MINRES on the problem of a step, from zero, until velocities are within a tenth of those by factorisation;
/// `most` if they never are.
fn steps_to_a_tenth(problem: &ContactProblem, most: u64) -> Result<u64, Box<dyn Error>> {
    let mut exact = ContactSolution::at_rest(problem);
    CompliantKkt::new(CompliantKktSettings::default()).solve(problem, &mut exact)?;
    let size: f64 = exact.velocity.iter().map(|v| v * v).sum();
    let within = |steps: u64| -> Result<bool, Box<dyn Error>> {
        let settings = CompliantKktSettings {
            solver: KktSolver::Minres,
            max_iterations: steps,
            relative: f64::MIN_POSITIVE,
            ..CompliantKktSettings::default()
        };
        let mut solution = ContactSolution::at_rest(problem);
        CompliantKkt::new(settings).solve(problem, &mut solution)?;
        let both = solution.velocity.iter().zip(&exact.velocity);
        let wrong: f64 = both.map(|(a, b)| (a - b).powi(2)).sum();
        Ok(wrong < 0.01 * size)
    };
    // The first sufficient count: tried one by one while small, then in steps of a tenth.
    let mut steps = 1;
    while steps < most {
        if within(steps)? {
            return Ok(steps);
        }
        steps += 1 + steps / 10;
    }
    Ok(most)
}

/// MINRES on both forms of a falling sheet of 1 GPa: most steps at any time of the fall until velocities are within a
/// tenth.
///
/// During free fall the velocity is nearly uniform and both converge at once; the swing decides.
pub(super) fn minres(table: &mut Table) -> Result<(), Box<dyn Error>> {
    let material = SheetMaterial::Triangles {
        compliance: surface(1e9, 0.49)?,
        thickness: 1.0,
    };
    let mut most = [0; 2];
    for step in (20..=200).step_by(20) {
        let (rows, springs) = problems(material.clone(), 0.01, step)?;
        for (most, problem) in most.iter_mut().zip([rows, springs]) {
            *most = steps_to_a_tenth(&problem, MOST_STEPS)?.max(*most);
        }
    }
    let case = "MINRES, StVK, 1 m thick, 0.01 kg nodes";
    table.at_most(
        &format!("{case}, compliance: most steps to 10 %"),
        most[0] as f64,
        20.0,
    );
    table.at_least(
        &format!("{case}, stiffness: most steps to 10 %"),
        most[1] as f64,
        1000.0,
    );
    Ok(())
}

/// Limit of MINRES steps.
const MOST_STEPS: u64 = 6000;

/// The problem of a step of the fall in both forms, at the same state.
fn problems(
    material: SheetMaterial,
    node_mass: f64,
    step: u32,
) -> Result<(ContactProblem, ContactProblem), Box<dyn Error>> {
    let sheet = Sheet {
        nodes: 10,
        edge: 1.0,
        node_mass,
        material,
        whole_row: true,
    };
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut rows = sheet.build(gravity)?;
    let mut springs = sheet.build(gravity)?;
    springs.formulations = vec![Formulation::Stiffness; springs.constraints.len()];
    let mut of_rows = stepper(&mut rows, GeometricStiffness::Projected, 1)?;
    let mut of_springs = stepper(&mut springs, GeometricStiffness::Projected, 1)?;
    for _ in 1..step {
        of_rows.advance(&mut rows, STEP)?;
    }
    (springs.positions, springs.velocities) = (rows.positions.clone(), rows.velocities.clone());
    of_rows.advance(&mut rows, STEP)?;
    // The solution is not used and may be useless.
    let _ = of_springs.advance(&mut springs, STEP);
    Ok((of_rows.problem().clone(), of_springs.problem().clone()))
}
