//! A preconditioner: Jacobi, in a Krylov solve and in the contact method of a scene.

use crate::support::{THROW, broken, run, simulation};
use impinge_krylov::LinearSystem;
use impinge_krylov::block::SymmetricBlockMatrix;
use impinge_krylov::method::ConjugateGradient;
use impinge_krylov::preconditioner::{Identity, Preconditioner};
use impinge_krylov::{StoppingRule, Termination, solve};
use impinge_sim::extension::{ExtensionKind, Extensions};
use impinge_sim::{SimError, Simulation};

/// The inverse of the diagonal.
#[derive(Default)]
struct Jacobi(Vec<f64>);

impl Preconditioner for Jacobi {
    fn prepare(&mut self, matrix: &SymmetricBlockMatrix) {
        self.0.resize(matrix.len(), 0.0);
        matrix.diagonal_into(&mut self.0);
        for entry in &mut self.0 {
            *entry = entry.recip();
        }
    }

    fn apply(&self, r: &[f64], z: &mut [f64]) {
        for ((z, r), inverse) in z.iter_mut().zip(r).zip(&self.0) {
            *z = r * inverse;
        }
    }
}

#[test]
fn jacobi_solves_a_badly_scaled_system_in_fewer_steps() {
    let blocks = 40;
    let couplings = (1..blocks as u32).map(|i| (i - 1, i));
    let pattern = impinge_krylov::block::BlockPattern::from_pairs(blocks, couplings);
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);
    for (block, power) in (0..blocks).zip((-3..4).cycle()) {
        let scale = 10_f64.powi(power);
        *matrix.diagonal_block_mut(block) = nalgebra::Matrix3::identity() * (3.0 * scale);
    }
    let rhs: Vec<f64> = (0..matrix.len()).map(|i| (i as f64).sin()).collect();
    let rule = StoppingRule {
        relative: 1e-12,
        absolute: 0.0,
        max_iterations: 1000,
    };
    let steps = |preconditioner: &dyn Preconditioner| {
        let system = LinearSystem {
            operator: &matrix,
            preconditioner,
            rhs: &rhs,
        };
        let mut x = vec![0.0; rhs.len()];
        let report = solve(&mut ConjugateGradient::default(), &system, &mut x, &rule);
        assert_eq!(report.termination, Termination::Converged);
        report.iterations
    };
    let mut jacobi = Jacobi::default();
    jacobi.prepare(&matrix);
    assert_eq!(steps(&jacobi), 1, "the matrix is diagonal");
    assert!(steps(&Identity) > 3);
}

/// Largest distance of two runs of one scene (m): both solve every step to its tolerances.
const SOLVED_ALIKE: f64 = 1e-5;

#[test]
fn a_preconditioned_contact_method_solves_the_same_steps() {
    // Without predictions of the active set, conjugate residuals do all the work.
    let text = format!("{THROW}[solver]\nprediction = false\n");
    let extensions = Extensions::new().preconditioner("jacobi", Jacobi::default());
    let mut simulation = simulation(&text, extensions);
    for _ in 0..40 {
        let report = simulation.advance().expect("a step");
        assert_eq!(report.inexact_solves, 0);
    }
    let own = run(&text, Extensions::new(), 40);
    let pairs = own.positions.iter().zip(&simulation.state().positions);
    let apart = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(apart < SOLVED_ALIKE, "{apart:e} m");
    assert!(apart > 0.0, "other iterates");
}

struct Negative(f64);

impl Preconditioner for Negative {
    fn apply(&self, r: &[f64], z: &mut [f64]) {
        for (z, r) in z.iter_mut().zip(r) {
            *z = self.0 * r;
        }
    }
}

#[test]
fn an_indefinite_preconditioner_ends_the_step_by_its_name() {
    for (factor, expected) in [(-1.0, "positive definite"), (f64::NAN, "not finite")] {
        let extensions = Extensions::new().preconditioner("negative", Negative(factor));
        let mut simulation = simulation(THROW, extensions);
        let error = simulation.advance().expect_err("a broken contract");
        let extension = broken(&error, ExtensionKind::Preconditioner, "negative");
        assert!(extension.problem.contains(expected), "{extension}");
    }
}

#[test]
fn a_method_without_a_place_for_it_refuses() {
    let text = format!("{THROW}[solver]\nmethod = \"ica\"\n");
    let extensions = Extensions::new().preconditioner("jacobi", Jacobi::default());
    let refused = Simulation::extended(&crate::support::scene(&text), extensions);
    let Err(SimError::Extension(error)) = refused else {
        panic!("`ica` takes no preconditioner");
    };
    assert!(error.to_string().contains("`ica`"), "{error}");
}
