//! Bodies and contacts with tolerances of their own.

use super::support::{ground, particles, push};
use impinge_contact::Tolerances;
use impinge_contact::method::Method;
use impinge_contact::{ContactError, ContactProblem, ContactSolution, Termination, residual};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};

const METHODS: [&str; 6] = [
    "cr",
    "active-set",
    "sp-active-set",
    "ica",
    "exact-compliance",
    "compliant-kkt",
];

const TOLERANCES: Tolerances = Tolerances {
    momentum: 1.0,
    gap: 1e-6,
    slip: 1e-6,
};

/// Two chains of six masses joined by springs, one of tonnes and one of milligrams, pushed at one end.
fn chains() -> ContactProblem {
    let links = (0..11).filter(|link| link % 6 != 5).map(|i| (i, i + 1));
    let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(12, links.clone()));
    let mass = |block: usize| if block < 6 { 1e3 } else { 1e-6 };
    for block in 0..12 {
        *momentum.diagonal_block_mut(block) = Matrix3::identity() * mass(block);
    }
    for (a, b) in links {
        let spring = Matrix3::identity() * (5.0 * mass(a as usize));
        *momentum.diagonal_block_mut(a as usize) += spring;
        *momentum.diagonal_block_mut(b as usize) += spring;
        let slot = momentum
            .pattern()
            .slot(a as usize, b as usize)
            .expect("a pair");
        *momentum.block_mut(slot) = -spring;
    }
    let mut rhs = vec![0.0; 36];
    for block in [0, 6] {
        rhs[3 * block] = mass(block);
    }
    ContactProblem::new(1e-3, momentum, rhs)
}

/// `‖A v − b‖` of both chains.
fn left_over(problem: &ContactProblem, solution: &ContactSolution) -> [f64; 2] {
    let mut product = vec![0.0; 36];
    let mut scratch = vec![0.0; problem.momentum.scratch_len()];
    problem
        .momentum
        .multiply(&solution.velocity, &mut product, &mut scratch);
    [0..18, 18..36].map(|chain| {
        let squares = chain.map(|i| (product[i] - problem.rhs[i]).powi(2));
        squares.sum::<f64>().sqrt()
    })
}

#[test]
fn a_light_body_beside_a_heavy_one_is_solved_to_its_own_tolerance() {
    let mut problem = chains();
    problem.weigh_momentum((0..12).map(|block| if block < 6 { 1.0 } else { 1e9 }));
    for name in METHODS {
        let method = Method::named(name, TOLERANCES).expect("a method");
        let mut solution = ContactSolution::at_rest(&problem);
        let report = (method.solver().solve(&problem, &mut solution)).expect("a sound problem");
        assert_eq!(report.termination, Termination::Converged, "{name}");
        let [heavy, light] = left_over(&problem, &solution);
        assert!(
            heavy < 2.0 && light < 2e-9,
            "{name}: {heavy:e}, {light:e} N s"
        );
        assert!(residual(&problem, &solution).meets(&TOLERANCES), "{name}");
    }
    // The residual reveals a light body that was ignored, although its error is a millionth of the heavy one's
    // tolerance.
    let mut solution = ContactSolution::at_rest(&problem);
    let exact = Method::named("compliant-kkt", TOLERANCES).expect("a method");
    exact
        .solver()
        .solve(&problem, &mut solution)
        .expect("sound");
    solution.velocity[18..].fill(0.0);
    assert!(!residual(&problem, &solution).meets(&TOLERANCES));
    problem.weigh_momentum([1.0; 12]);
    assert!(residual(&problem, &solution).meets(&TOLERANCES));
}

/// A particle at rest on the ground and one that falls onto it: each gap has its own tolerance.
#[test]
fn every_gap_is_judged_by_its_own_tolerance() {
    let mut problem = particles(&[1.0, 1.0], &[Vector3::zeros(); 2]);
    for block in 0..2 {
        push(
            &mut problem,
            &ground(),
            &[(block, 1.0)],
            Vector3::zeros(),
            0.5,
        );
    }
    let mut solution = ContactSolution::at_rest(&problem);
    let meets = |problem: &ContactProblem, solution: &ContactSolution| {
        let judged = residual(problem, solution);
        let momentum = f64::INFINITY;
        judged.meets(&Tolerances {
            momentum,
            ..TOLERANCES
        })
    };
    let deep = -10.0 * TOLERANCES.gap / problem.time_step;
    solution.velocity[5] = deep;
    assert!(!meets(&problem, &solution));
    problem.scale_displacements(1, [100.0, 1.0]);
    assert!(meets(&problem, &solution));
    solution.velocity[2] = deep;
    assert!(!meets(&problem, &solution));
}

#[test]
fn weights_and_scales_that_are_not_positive_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut problem = particles(&[1.0, 1.0], &[Vector3::zeros(); 2]);
        problem.weigh_momentum([1.0, bad]);
        let refused = problem.validate();
        assert!(
            matches!(refused, Err(ContactError::MomentumWeight { block: 1, .. })),
            "{refused:?}"
        );
        let mut problem = particles(&[1.0], &[Vector3::zeros()]);
        push(&mut problem, &ground(), &[(0, 1.0)], Vector3::zeros(), 0.5);
        problem.scale_displacements(0, [1.0, bad]);
        let refused = problem.validate();
        assert!(
            matches!(
                refused,
                Err(ContactError::DisplacementScale { contact: 0, .. })
            ),
            "{refused:?}"
        );
    }
}
