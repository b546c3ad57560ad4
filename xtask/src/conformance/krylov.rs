//! krylov: solves reach their reported residual, and bits do not depend on threads.

use std::error::Error;

use impinge_krylov::{
    BlockJacobi, ConjugateGradient, ConjugateResidual, KrylovMethod, LinearSystem, Minres,
    StoppingRule, SymmetricBlockMatrix, Termination, solve,
};

use super::{Extent, lattice, table::Table};

/// Required `‖b − A x‖/‖b‖` of the solves.
const RELATIVE: f64 = 1e-10;

/// Weak stiffness that holds every node, over that of a spring.
const HELD: f64 = 0.01;

pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let axis = match extent {
        Extent::Quick => 16,
        Extent::Full => 40,
    };
    let matrix = lattice::matrix(axis, HELD, 1.0);
    let rhs: Vec<f64> = (0..matrix.len())
        .map(|i| ((7 * i) % 19) as f64 - 9.0)
        .collect();
    let (positive, _) = solve_all(table, "positive definite", &matrix, &rhs, true)?;
    bits(table, &matrix, &rhs, &positive)?;
    // Every seventh node has negative stiffness: indefinite.
    let mut indefinite = matrix;
    for node in (0..indefinite.blocks()).step_by(7) {
        *indefinite.diagonal_block_mut(node) *= -1.0;
    }
    solve_all(table, "indefinite", &indefinite, &rhs, false)?;
    Ok(())
}

/// Solves with the suitable methods; returns the solutions and the largest number of steps.
fn solve_all(
    table: &mut Table,
    name: &str,
    matrix: &SymmetricBlockMatrix,
    rhs: &[f64],
    positive: bool,
) -> Result<(Vec<f64>, usize), Box<dyn Error>> {
    let block_jacobi;
    let preconditioner: &dyn impinge_krylov::Preconditioner = if positive {
        block_jacobi = BlockJacobi::new(matrix)?;
        &block_jacobi
    } else {
        &impinge_krylov::Identity
    };
    let system = LinearSystem {
        operator: matrix,
        preconditioner,
        rhs,
    };
    let mut methods: Vec<(&str, Box<dyn KrylovMethod>)> = vec![("MINRES", Box::new(Minres::new()))];
    if positive {
        methods.push(("CG", Box::new(ConjugateGradient::new())));
        methods.push(("CR", Box::new(ConjugateResidual::new())));
    }
    let rule = StoppingRule {
        relative: RELATIVE,
        absolute: 0.0,
        max_iterations: 4 * matrix.len(),
    };
    let (mut x, mut most) = (Vec::new(), 0);
    for (method, workspace) in &mut methods {
        x = vec![0.0; matrix.len()];
        let report = solve(workspace.as_mut(), &system, &mut x, &rule);
        table.certain(
            &format!("{method}, {name}, {} unknowns: converged", matrix.len()),
            report.termination == Termination::Converged,
        );
        table.at_most(
            &format!(
                "{method}, {name}: residual, from CSR ({} steps)",
                report.iterations
            ),
            csr_residual(matrix, &x, rhs),
            2.0 * RELATIVE,
        );
        most = most.max(report.iterations);
    }
    Ok((x, most))
}

/// `‖b − A x‖/‖b‖` by an independent product.
fn csr_residual(matrix: &SymmetricBlockMatrix, x: &[f64], rhs: &[f64]) -> f64 {
    let csr = matrix.to_csr();
    let (mut error, mut size) = (0.0, 0.0);
    for (row, b) in csr.row_iter().zip(rhs) {
        let product: f64 = row
            .col_indices()
            .iter()
            .zip(row.values())
            .map(|(&column, value)| value * x[column])
            .sum();
        error += (b - product).powi(2);
        size += b * b;
    }
    f64::sqrt(error / size)
}

/// CR again, on 1, 2 and 7 threads.
fn bits(
    table: &mut Table,
    matrix: &SymmetricBlockMatrix,
    rhs: &[f64],
    expected: &[f64],
) -> Result<(), Box<dyn Error>> {
    let preconditioner = BlockJacobi::new(matrix)?;
    let system = LinearSystem {
        operator: matrix,
        preconditioner: &preconditioner,
        rhs,
    };
    let rule = StoppingRule {
        relative: RELATIVE,
        absolute: 0.0,
        max_iterations: 4 * matrix.len(),
    };
    let mut same = true;
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        let mut x = vec![0.0; matrix.len()];
        pool.install(|| solve(&mut ConjugateResidual::new(), &system, &mut x, &rule));
        same &= x
            .iter()
            .zip(expected)
            .all(|(a, b)| a.to_bits() == b.to_bits());
    }
    table.certain("CR: same bits on 1, 2 and 7 threads", same);
    Ok(())
}
