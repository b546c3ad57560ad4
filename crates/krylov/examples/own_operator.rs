//! Conjugate gradients on an operator of one's own, which has no matrix.
//!
//! `cargo run -p impinge-krylov --example own_operator`
#![expect(clippy::print_stdout, reason = "the result is this program's purpose")]

use impinge_krylov::{
    ConjugateGradient, Identity, LinearOperator, LinearSystem, StoppingRule, Termination, solve,
};

/// `−u″` on a grid of points with the given spacing (m) between two walls where `u = 0`.
struct Laplacian {
    points: usize,
    spacing: f64,
}

impl LinearOperator for Laplacian {
    fn shape(&self) -> (usize, usize) {
        (self.points, self.points)
    }

    fn apply(&self, x: &[f64], y: &mut [f64], _scratch: &mut [f64]) {
        let scale = 1.0 / (self.spacing * self.spacing);
        for i in 0..self.points {
            let left = if i > 0 { x[i - 1] } else { 0.0 };
            let right = x.get(i + 1).copied().unwrap_or(0.0);
            y[i] = scale * (2.0 * x[i] - left - right);
        }
    }
}

fn main() {
    // −u″ = 1 on (0, 1): a parabola with its top, 1/8, in the middle.
    let points = 99;
    let laplacian = Laplacian {
        points,
        spacing: 1.0 / (points as f64 + 1.0),
    };
    let system = LinearSystem {
        operator: &laplacian,
        preconditioner: &Identity,
        rhs: &vec![1.0; points],
    };
    let rule = StoppingRule {
        relative: 1e-10,
        absolute: 0.0,
        max_iterations: 1000,
    };

    let mut u = vec![0.0; points];
    let report = solve(&mut ConjugateGradient::new(), &system, &mut u, &rule);
    println!("{} iterations, top {:.9}", report.iterations, u[points / 2]);
    assert_eq!(report.termination, Termination::Converged);
    assert!((u[points / 2] - 0.125).abs() < 1e-9);
}
