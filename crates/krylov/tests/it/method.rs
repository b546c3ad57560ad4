//! Guarantees of each step of each method.

use impinge_krylov::{
    BlockJacobi, ConjugateGradient, ConjugateResidual, GuardedConjugateResidual, Identity,
    KrylovMethod, KrylovVector, LinearSystem, Minres, PartialSystem, Preconditioner, Step,
    StepOutcome, SymmetricBlockMatrix,
};
use nalgebra::DVector;
use proptest::prelude::*;

use crate::common::{Numbers, dense, patterns, positive_matrix, random_matrix, true_residual};

/// Slack for quantities that must not grow, relative to their initial value: rounding in the recurrences.
const SLACK: f64 = 1e-11;

/// Drift of recurrences from true values over the few steps here, relative to the start.
const DRIFT: f64 = 1e-9;

fn system<'a>(
    matrix: &'a SymmetricBlockMatrix,
    preconditioner: &'a dyn Preconditioner,
    rhs: &'a [f64],
) -> LinearSystem<'a> {
    LinearSystem {
        operator: matrix,
        preconditioner,
        rhs,
    }
}

/// Up to `count` steps from zero; calls `each` with `x` before and after the step, and its result.
fn walk(
    method: &mut dyn KrylovMethod,
    system: &LinearSystem<'_>,
    count: usize,
    mut each: impl FnMut(&[f64], &[f64], Step),
) {
    let mut x = vec![0.0; system.rhs.len()];
    let start = method.restart(system, &x);
    for _ in 0..count {
        let before = x.clone();
        let step = method.step(system, &mut x);
        if step.outcome != StepOutcome::Advanced || step.residual < 1e-10 * start {
            break;
        }
        each(&before, &x, step);
    }
}

proptest! {
    #[test]
    fn conjugate_gradient_lowers_the_energy((blocks, pairs, seed) in patterns(20)) {
        let matrix = positive_matrix(blocks, pairs, seed);
        let a = dense(&matrix);
        let b = Numbers::new(seed).vector(matrix.len());
        let preconditioner = BlockJacobi::new(&matrix).expect("positive definite");
        let energy = |x: &[f64]| {
            let x = DVector::from_column_slice(x);
            0.5 * (&a * &x).dot(&x) - x.dot(&DVector::from_column_slice(&b))
        };
        let mut steps = Vec::new();
        walk(&mut ConjugateGradient::new(), &system(&matrix, &preconditioner, &b), 30, |before, after, step| {
            steps.push((energy(after) - energy(before), true_residual(&a, after, &b) - step.residual, step.curvature));
        });
        for (change, drift, curvature) in steps {
            prop_assert!(change <= SLACK);
            prop_assert!(drift.abs() < DRIFT);
            prop_assert!(curvature > 0.0);
        }
    }

    /// The norm that CR and MINRES minimise never grows, and both reported norms are true, on positive definite and on
    /// indefinite matrices.
    #[test]
    fn residual_methods_never_let_the_residual_grow(
        (blocks, pairs, seed) in patterns(20),
        definite in any::<bool>(),
        minres in any::<bool>(),
    ) {
        let positive = positive_matrix(blocks, pairs.iter().copied(), seed);
        let preconditioner = BlockJacobi::new(&positive).expect("positive definite");
        let matrix = if definite { positive } else { random_matrix(blocks, pairs, seed, 0.0) };
        let a = dense(&matrix);
        let b = Numbers::new(seed).vector(matrix.len());
        let mut method: Box<dyn KrylovMethod> = if minres {
            Box::new(Minres::new())
        } else {
            Box::new(ConjugateResidual::new())
        };
        let scale = DVector::from_column_slice(&b).norm();
        let mut last = f64::INFINITY;
        let mut failures = Vec::new();
        walk(&mut *method, &system(&matrix, &preconditioner, &b), blocks, |_, x, step| {
            let r = DVector::from_column_slice(&b) - &a * DVector::from_column_slice(x);
            let mut z = DVector::zeros(r.len());
            preconditioner.apply(r.as_slice(), z.as_mut_slice());
            let preconditioned = r.dot(&z).sqrt();
            // CR on an indefinite matrix may pass near a breakdown, where its recurrence loses digits.
            let drift = if definite || minres { DRIFT } else { 1e-3 };
            if step.preconditioned_residual > last + SLACK * scale {
                failures.push(format!("grows from {last} to {}", step.preconditioned_residual));
            }
            if (r.norm() - step.residual).abs() > drift * scale {
                failures.push(format!("says {}, is {}", step.residual, r.norm()));
            }
            if (preconditioned - step.preconditioned_residual).abs() > drift * scale {
                failures.push(format!("says {}, is {preconditioned} (preconditioned)", step.preconditioned_residual));
            }
            last = step.preconditioned_residual;
        });
        prop_assert!(failures.is_empty(), "{}", failures.join("; "));
    }

    /// The recurrence of MINRES contains the curvature along its residual.
    #[test]
    fn minres_reports_the_curvature_along_the_residual((blocks, pairs, seed) in patterns(20)) {
        let matrix = random_matrix(blocks, pairs.iter().copied(), seed, 0.0);
        let positive = positive_matrix(blocks, pairs, seed);
        let preconditioner = BlockJacobi::new(&positive).expect("positive definite");
        let a = dense(&matrix);
        let b = Numbers::new(seed).vector(matrix.len());
        let mut errors = Vec::new();
        walk(&mut Minres::new(), &system(&matrix, &preconditioner, &b), blocks, |before, _, step| {
            let r = DVector::from_column_slice(&b) - &a * DVector::from_column_slice(before);
            let mut z = DVector::zeros(r.len());
            preconditioner.apply(r.as_slice(), z.as_mut_slice());
            errors.push(((&a * &z).dot(&z) - step.curvature).abs() / b.len() as f64);
        });
        for error in errors {
            prop_assert!(error < DRIFT, "off by {error}");
        }
    }

    /// For positive definite matrices CR and MINRES are the same iteration.
    #[test]
    fn conjugate_residual_and_minres_agree_when_definite((blocks, pairs, seed) in patterns(15)) {
        let matrix = positive_matrix(blocks, pairs, seed);
        let preconditioner = BlockJacobi::new(&matrix).expect("positive definite");
        let b = Numbers::new(seed).vector(matrix.len());
        let system = system(&matrix, &preconditioner, &b);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        walk(&mut ConjugateResidual::new(), &system, 8, |_, x, _| one.push(x.to_vec()));
        walk(&mut Minres::new(), &system, 8, |_, x, _| other.push(x.to_vec()));
        for (one, other) in one.iter().zip(&other) {
            let difference = DVector::from_column_slice(one) - DVector::from_column_slice(other);
            prop_assert!(difference.norm() < DRIFT);
        }
    }
}

#[test]
fn conjugate_gradient_reports_negative_curvature_and_leaves_the_iterate() {
    let mut matrix = positive_matrix(3, [(0, 1)], 4);
    *matrix.diagonal_block_mut(2) *= -1.0;
    let b = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let mut x = vec![0.25; 9];
    let system = system(&matrix, &Identity, &b);
    let mut method = ConjugateGradient::new();
    x[..6].fill(0.0);
    method.restart(&system, &x);
    let step = method.step(&system, &mut x);
    assert_eq!(step.outcome, StepOutcome::NonPositiveCurvature);
    assert!(step.curvature < 0.0);
    assert!(
        x[6..]
            .iter()
            .all(|value| (value - 0.25).abs() < f64::EPSILON)
    );
}

#[test]
fn conjugate_residual_reports_the_sign_of_the_curvature() {
    let mut matrix = positive_matrix(2, [], 4);
    for sign in [1.0, -1.0] {
        for block in matrix.values_mut() {
            *block = nalgebra::Matrix3::identity() * sign;
        }
        let mut x = vec![0.0; 6];
        let b = [1.0; 6];
        let system = system(&matrix, &Identity, &b);
        let mut method = ConjugateResidual::new();
        method.restart(&system, &x);
        let step = method.step(&system, &mut x);
        assert!((step.curvature - 6.0 * sign).abs() < 1e-14);
        assert!(x.iter().all(|x| (x - sign).abs() < 1e-14));
        assert_eq!(method.step(&system, &mut x).outcome, StepOutcome::Solved);
    }
}

/// A dense symmetric system without preconditioner.
struct Plain(nalgebra::DMatrix<f64>);

impl PartialSystem<Vec<f64>> for Plain {
    fn clear(&self, _: &mut Vec<f64>) {}

    fn multiply(&mut self, x: &Vec<f64>, out: &mut Vec<f64>) {
        let y = &self.0 * DVector::from_column_slice(x);
        out.copy_from_slice(y.as_slice());
    }

    fn precondition(&mut self, x: &Vec<f64>, out: &mut Vec<f64>) {
        out.copy_from_slice(x);
    }
}

fn guarded_solve(system: &mut Plain, rhs: &[f64], steps: usize) -> Vec<f64> {
    let mut method = GuardedConjugateResidual::<Vec<f64>>::default();
    for vector in method.vectors_mut() {
        vector.resize(rhs.len(), 0.0);
    }
    method.residual.copy_from_slice(rhs);
    let mut x = vec![0.0; rhs.len()];
    method.restart(system);
    for _ in 0..steps {
        let before = method.residual.norm();
        if before < 1e-12 || method.curvature(system) <= 0.0 {
            break;
        }
        let alpha = method.advance();
        x.axpy(alpha, method.direction());
        let guarded = method.is_useless(alpha, before);
        if method.turn(system, guarded) {
            break;
        }
    }
    x
}

proptest! {
    #[test]
    fn guarded_conjugate_residuals_are_conjugate_residuals_when_definite(
        (blocks, pairs, seed) in patterns(15),
    ) {
        let matrix = positive_matrix(blocks, pairs, seed);
        let b = Numbers::new(seed).vector(matrix.len());
        let identity = Identity;
        let mut plain = vec![0.0; b.len()];
        let system = system(&matrix, &identity, &b);
        let mut method = ConjugateResidual::new();
        method.restart(&system, &plain);
        for _ in 0..3 {
            method.step(&system, &mut plain);
        }
        let guarded = guarded_solve(&mut Plain(dense(&matrix)), &b, 3);
        let size = plain.norm();
        for (guarded, plain) in guarded.iter().zip(&plain) {
            prop_assert!((guarded - plain).abs() <= DRIFT * size, "{guarded} {plain}");
        }
    }
}

/// `zᵀ B z = 0` at the start, where plain conjugate residuals break down.
#[test]
fn guarded_conjugate_residuals_solve_an_exchange_of_unknowns() {
    let exchange = nalgebra::DMatrix::from_row_slice(2, 2, &[0.0, 1.0, 1.0, 0.0]);
    let x = guarded_solve(&mut Plain(exchange), &[1.0, 0.0], 4);
    assert!(x[0].abs() < 1e-14 && (x[1] - 1.0).abs() < 1e-14, "{x:?}");
}
