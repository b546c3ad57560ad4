//! Complete solves.

use impinge_krylov::{
    BlockJacobi, ConjugateGradient, ConjugateResidual, Identity, KrylovMethod, LinearSystem,
    Minres, StoppingRule, Termination, solve,
};
use nalgebra::{DVector, Matrix3};
use proptest::prelude::*;

use crate::common::{
    Numbers, dense, large_matrix, patterns, positive_matrix, random_matrix, same_on_all_pools,
    true_residual,
};

const TIGHT: StoppingRule = StoppingRule {
    relative: 1e-10,
    absolute: 0.0,
    max_iterations: 10_000,
};

fn methods() -> [(&'static str, Box<dyn KrylovMethod>); 3] {
    [
        ("CG", Box::new(ConjugateGradient::new())),
        ("CR", Box::new(ConjugateResidual::new())),
        ("MINRES", Box::new(Minres::new())),
    ]
}

proptest! {
    /// In exact arithmetic n steps suffice; four more allow for rounding.
    #[test]
    fn positive_systems_take_no_more_steps_than_unknowns((blocks, pairs, seed) in patterns(12)) {
        let matrix = positive_matrix(blocks, pairs, seed);
        let b = Numbers::new(seed).vector(matrix.len());
        let preconditioner = BlockJacobi::new(&matrix).expect("positive definite");
        let system = LinearSystem { operator: &matrix, preconditioner: &preconditioner, rhs: &b };
        for (name, mut method) in methods() {
            let mut x = vec![0.0; b.len()];
            let report = solve(&mut *method, &system, &mut x, &TIGHT);
            prop_assert_eq!(report.termination, Termination::Converged, "{}", name);
            prop_assert!(report.iterations <= b.len() + 4, "{} took {} steps", name, report.iterations);
            let residual = true_residual(&dense(&matrix), &x, &b);
            prop_assert!((residual - report.residual).abs() < 1e-13 * (1.0 + residual));
        }
    }

    /// Eigenvalues of both signs, at least 0.1 from zero. Lanczos vectors lose orthogonality sooner than for a definite
    /// spectrum, so MINRES may take half as many steps more.
    #[test]
    fn indefinite_systems_are_solved((blocks, pairs, seed) in patterns(12)) {
        let mut matrix = positive_matrix(blocks, pairs, seed);
        for i in (0..blocks).step_by(2) {
            *matrix.diagonal_block_mut(i) *= -1.0;
        }
        let b = Numbers::new(seed).vector(matrix.len());
        let system = LinearSystem { operator: &matrix, preconditioner: &Identity, rhs: &b };
        for (name, mut method) in methods().into_iter().skip(1) {
            let mut x = vec![0.0; b.len()];
            let report = solve(&mut *method, &system, &mut x, &TIGHT);
            prop_assert_eq!(report.termination, Termination::Converged, "{}: {:?}", name, report);
            if name == "MINRES" {
                prop_assert!(report.iterations <= b.len() + b.len() / 2 + 4, "{} took {} steps",
                name, report.iterations);
            }
        }
    }

    /// For every matrix, the report is true.
    #[test]
    fn reports_tell_the_truth((blocks, pairs, seed) in patterns(12)) {
        let matrix = random_matrix(blocks, pairs, seed, 0.0);
        let b = Numbers::new(seed).vector(matrix.len());
        let system = LinearSystem { operator: &matrix, preconditioner: &Identity, rhs: &b };
        for (name, mut method) in methods() {
            let mut x = vec![0.0; b.len()];
            let report = solve(&mut *method, &system, &mut x, &StoppingRule { max_iterations: 100, ..TIGHT });
            let size = DVector::from_column_slice(&x).norm() + 1.0;
            let residual = true_residual(&dense(&matrix), &x, &b);
            prop_assert!((residual - report.residual).abs() < 1e-11 * size, "{}: {:?} but {}", name, report, residual);
            prop_assert_eq!(report.termination == Termination::Converged, report.residual <= report.target);
        }
    }
}

#[test]
fn large_solves_have_the_same_bits_on_all_pools() {
    let matrix = large_matrix(80_000);
    let preconditioner = BlockJacobi::new(&matrix).unwrap();
    let b = Numbers::new(8).vector(matrix.len());
    let system = LinearSystem {
        operator: &matrix,
        preconditioner: &preconditioner,
        rhs: &b,
    };
    for which in 0..3 {
        same_on_all_pools(|| {
            let (_, mut method) = methods().into_iter().nth(which).expect("three methods");
            let mut x = vec![0.0; b.len()];
            let rule = StoppingRule {
                max_iterations: 12,
                ..TIGHT
            };
            let report = solve(&mut *method, &system, &mut x, &rule);
            x.push(report.residual);
            x
        });
    }
}

#[test]
fn a_good_first_guess_costs_nothing() {
    let matrix = positive_matrix(5, [(0, 4)], 2);
    let b = vec![0.0; 15];
    let system = LinearSystem {
        operator: &matrix,
        preconditioner: &Identity,
        rhs: &b,
    };
    for (_, mut method) in methods() {
        let report = solve(&mut *method, &system, &mut [0.0; 15], &TIGHT);
        assert_eq!(
            (report.termination, report.iterations),
            (Termination::Converged, 0)
        );
    }
}

#[test]
fn endings_are_named() {
    let b = [1.0; 9];
    let end = |operator: &_, method: &mut dyn KrylovMethod, rule: &StoppingRule| {
        let system = LinearSystem {
            operator,
            preconditioner: &Identity,
            rhs: &b,
        };
        solve(method, &system, &mut [0.0; 9], rule).termination
    };

    let matrix = positive_matrix(3, [(0, 1), (1, 2)], 3);
    let short = StoppingRule {
        max_iterations: 1,
        ..TIGHT
    };
    let exact = StoppingRule {
        relative: 0.0,
        ..TIGHT
    };
    for (_, mut method) in methods() {
        assert_eq!(
            end(&matrix, &mut *method, &short),
            Termination::IterationLimit
        );
        // Rounding rarely allows an exact zero: the solve converges by chance or reports another end.
        assert_ne!(
            end(&matrix, &mut *method, &exact),
            Termination::IterationLimit
        );
    }

    let mut nothing = matrix.clone();
    nothing.set_zero();
    assert_eq!(
        end(&nothing, &mut ConjugateGradient::new(), &TIGHT),
        Termination::NonPositiveCurvature
    );
    assert_eq!(
        end(&nothing, &mut ConjugateResidual::new(), &TIGHT),
        Termination::Breakdown
    );
    assert_eq!(
        end(&nothing, &mut Minres::new(), &TIGHT),
        Termination::Breakdown
    );

    let mut poisoned = matrix;
    *poisoned.diagonal_block_mut(1) = Matrix3::identity() * f64::NAN;
    for (name, mut method) in methods() {
        assert_eq!(
            end(&poisoned, &mut *method, &TIGHT),
            Termination::NotFinite,
            "{name}"
        );
    }
}
