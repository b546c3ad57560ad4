//! Conjugate gradients on a `nalgebra_sparse::CsrMatrix`, with Jacobi's preconditioner.
//!
//! `cargo run -p impinge-krylov --example sparse_matrix`
#![expect(clippy::print_stdout, reason = "the result is this program's purpose")]

use impinge_krylov::nalgebra_sparse::{CooMatrix, CsrMatrix};
use impinge_krylov::{ConjugateGradient, Jacobi, LinearSystem, StoppingRule, Termination, solve};

fn main() -> Result<(), impinge_krylov::KrylovError> {
    // A chain of springs (N/m), each stiffer than the one before; the first is held by a wall.
    let nodes = 50;
    let mut entries = CooMatrix::new(nodes, nodes);
    for i in 0..nodes {
        let stiffness = 100.0 * (i + 1) as f64;
        entries.push(i, i, stiffness);
        if i > 0 {
            entries.push(i - 1, i - 1, stiffness);
            entries.push(i, i - 1, -stiffness);
            entries.push(i - 1, i, -stiffness);
        }
    }
    let matrix = CsrMatrix::from(&entries);

    // The last node is pulled with 1 N.
    let mut force = vec![0.0; nodes];
    force[nodes - 1] = 1.0;
    let diagonal: Vec<f64> = matrix.diagonal_as_csr().values().to_vec();
    let jacobi = Jacobi::new(&diagonal)?;
    let system = LinearSystem {
        operator: &matrix,
        preconditioner: &jacobi,
        rhs: &force,
    };
    let rule = StoppingRule {
        relative: 1e-12,
        absolute: 0.0,
        max_iterations: 500,
    };

    let mut x = vec![0.0; nodes];
    let report = solve(&mut ConjugateGradient::new(), &system, &mut x, &rule);
    println!(
        "{} iterations, the last node moves by {:.9} m",
        report.iterations,
        x[nodes - 1]
    );
    assert_eq!(report.termination, Termination::Converged);

    // Springs in a row: the elongations add up.
    let expected: f64 = (1..=nodes).map(|i| 1.0 / (100.0 * i as f64)).sum();
    assert!((x[nodes - 1] - expected).abs() < 1e-9);
    Ok(())
}
