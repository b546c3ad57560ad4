//! The method with constraint rows, against dense solves and the independent residual.

use super::catalogue::Numbers;
use impinge_contact::Tolerances;
use impinge_contact::constraint::ConstraintGroup;
use impinge_contact::constraint::redundancy::MOST_ROWS;
use impinge_contact::method::compliant_kkt::{CompliantKkt, CompliantKktSettings, KktSolver};
use impinge_contact::method::corrective_motion::{
    CorrectiveMotion, CorrectiveMotionSettings, DelassusForm,
};
use impinge_contact::method::{ContactSolver, Method, MethodSpec, RowSupport};
use impinge_contact::stored::{Origin, StoredProblem};
use impinge_contact::{
    ContactError, ContactProblem, ContactRow, ContactSolution, Termination, residual,
};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use proptest::prelude::*;

/// Blocks with masses over four decades, in a chain of springs.
fn chain(numbers: &mut Numbers, blocks: usize) -> ContactProblem {
    chain_over(numbers, blocks, 4.0)
}

/// The same over that many decades.
fn chain_over(numbers: &mut Numbers, blocks: usize, decades: f64) -> ContactProblem {
    let pattern = BlockPattern::from_pairs(blocks, (1..blocks as u32).map(|i| (i - 1, i)));
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);
    for block in 0..blocks {
        let mass = 10_f64.powf(0.5 * decades * numbers.number());
        *matrix.diagonal_block_mut(block) = Matrix3::identity() * mass;
    }
    for block in 1..blocks {
        let along = numbers.vector();
        let stiffness = along * along.transpose();
        *matrix.diagonal_block_mut(block) += stiffness;
        *matrix.diagonal_block_mut(block - 1) += stiffness;
        if let Some(slot) = matrix.pattern().slot(block - 1, block) {
            *matrix.block_mut(slot) -= stiffness;
        }
    }
    let rhs = (0..3 * blocks).map(|_| numbers.number()).collect();
    ContactProblem::new(1e-2, matrix, rhs)
}

/// A group of `rows` rows between two blocks; compliances of any size, or zero.
fn join(
    problem: &mut ContactProblem,
    numbers: &mut Numbers,
    blocks: [u32; 2],
    rows: usize,
    unilateral: bool,
) {
    let jacobian: Vec<Vector3<f64>> = (0..2 * rows).map(|_| numbers.vector()).collect();
    let offset: Vec<f64> = (0..rows).map(|_| numbers.number()).collect();
    let root = DMatrix::from_fn(rows, rows, |_, _| numbers.number());
    let size = if numbers.number() > 0.0 {
        0.0
    } else {
        10_f64.powf(4.0 * numbers.number())
    };
    let compliance = (&root * root.transpose()) * size;
    problem.constraints.push(&ConstraintGroup {
        blocks: &blocks,
        jacobian: &jacobian,
        offset: &offset,
        compliance: compliance.as_slice(),
        unilateral,
    });
}

/// `[A −jᵀ; −j −C]` and `[b; −c]`, dense.
fn dense(problem: &ContactProblem) -> (DMatrix<f64>, DVector<f64>) {
    let (n, m) = (problem.unknowns(), problem.constraints.len());
    let mut matrix = DMatrix::zeros(n + m, n + m);
    let csr = problem.momentum.to_csr();
    for (i, k, value) in csr.triplet_iter() {
        matrix[(i, k)] = *value;
    }
    let mut rhs = DVector::zeros(n + m);
    rhs.as_mut_slice()[..n].copy_from_slice(&problem.rhs);
    let mut at = n;
    for index in 0..problem.constraints.groups() {
        let group = problem.constraints.group(index);
        let rows = group.offset.len();
        for row in 0..rows {
            rhs[at + row] = -group.offset[row];
            for (place, &block) in group.blocks.iter().enumerate() {
                let j = group.jacobian[row * group.blocks.len() + place];
                for axis in 0..3 {
                    matrix[(at + row, 3 * block as usize + axis)] -= j[axis];
                    matrix[(3 * block as usize + axis, at + row)] -= j[axis];
                }
            }
            for column in 0..rows {
                matrix[(at + row, at + column)] -= group.compliance[row * rows + column];
            }
        }
        at += rows;
    }
    (matrix, rhs)
}

fn direct() -> CompliantKkt {
    CompliantKkt::new(CompliantKktSettings::default())
}

proptest! {
    #![proptest_config(crate::support::cases(40))]

    /// Trees and cycles of rigid and compliant rows: the dense solution, by direct and iterative solves.
    #[test]
    fn bilateral_rows_are_solved_exactly(seed in any::<u64>(), blocks in 2_usize..8, cycles in 0_usize..3) {
        let mut numbers = Numbers::new(seed);
        let mut problem = chain(&mut numbers, blocks);
        for block in 1..blocks as u32 {
            let rows = 1 + numbers.below(2);
            join(&mut problem, &mut numbers, [block - 1, block], rows, false);
        }
        for _ in 0..cycles {
            let other = 1 + numbers.below(blocks - 1) as u32;
            join(&mut problem, &mut numbers, [0, other], 1, false);
        }
        prop_assume!(problem.constraints.len() < problem.unknowns());
        let (matrix, rhs) = dense(&problem);
        let condition = matrix.clone().singular_values();
        prop_assume!(condition.min() > 1e-9 * condition.max());
        let expected = matrix.lu().solve(&rhs).expect("regular");
        let mut solution = ContactSolution::at_rest(&problem);
        let report = direct().solve(&problem, &mut solution).expect("valid");
        prop_assert_eq!(report.termination, Termination::Converged);
        let n = problem.unknowns();
        let size = expected.rows(0, n).amax();
        for (found, expected) in solution.velocity.iter().zip(expected.iter()) {
            prop_assert!((found - expected).abs() < 1e-6 * size, "{found} {expected}");
        }
        let judged = residual(&problem, &solution);
        prop_assert!(judged.momentum < 1e-9 * (1.0 + expected.amax()), "{judged:?}");
        prop_assert!(judged.constraint < 1e-9 * (1.0 + expected.amax()), "{judged:?}");
    }

    /// One-sided rows and a contact: the independent residual confirms all laws.
    #[test]
    fn one_sided_rows_and_contacts_obey_their_laws(seed in any::<u64>(), blocks in 2_usize..6) {
        let mut numbers = Numbers::new(seed);
        let mut problem = chain(&mut numbers, blocks);
        for block in 1..blocks as u32 {
            join(&mut problem, &mut numbers, [block - 1, block], 1, false);
        }
        join(&mut problem, &mut numbers, [0, 1], 1, true);
        join(&mut problem, &mut numbers, [0, blocks as u32 - 1], 1, true);
        let frame = 1e-2 * Matrix3::new(0., 0., 1., 1., 0., 0., 0., 1., 0.);
        for block in 0..blocks as u32 {
            problem.push(&ContactRow {
                entries: &[(block, frame)],
                offset: Vector3::new(1e-3 * numbers.number(), 0.0, 0.0),
                friction: 0.3,
            });
        }
        let mut solution = ContactSolution::at_rest(&problem);
        let report = direct().solve(&problem, &mut solution).expect("valid");
        let judged = residual(&problem, &solution);
        prop_assert_eq!(report.termination, Termination::Converged, "{:?}", judged);
        let tolerances = CompliantKktSettings::default().tolerances;
        prop_assert!(judged.meets(&tolerances), "{judged:?}");
    }
}

/// Every row twice, rigid: the same motion, shared forces, no NaN.
#[test]
fn doubled_rows_change_nothing() {
    let mut numbers = Numbers::new(11);
    let mut once = chain(&mut numbers, 5);
    for block in 1..5 {
        join(&mut once, &mut numbers, [block - 1, block], 1, false);
    }
    let mut hard = once.clone();
    hard.constraints.clear();
    let mut twice = hard.clone();
    for index in 0..once.constraints.groups() {
        let mut group = once.constraints.group(index);
        group.compliance = &[0.0];
        hard.constraints.push(&group);
        twice.constraints.push(&group);
        twice.constraints.push(&group);
    }
    let mut expected = ContactSolution::at_rest(&hard);
    direct().solve(&hard, &mut expected).expect("valid");
    let mut solution = ContactSolution::at_rest(&twice);
    let report = direct().solve(&twice, &mut solution).expect("valid");
    assert_eq!(report.termination, Termination::Converged);
    let size = expected
        .velocity
        .iter()
        .fold(0.0, |m: f64, v| m.max(v.abs()));
    for (found, expected) in solution.velocity.iter().zip(&expected.velocity) {
        assert!((found - expected).abs() < 1e-6 * size, "{found} {expected}");
    }
    for row in 0..4 {
        let sum = solution.constraints[2 * row] + solution.constraints[2 * row + 1];
        let expected = expected.constraints[row];
        assert!(
            (sum - expected).abs() < 1e-6 * expected.abs().max(1.0),
            "{sum} {expected}"
        );
    }
}

/// MINRES and the factorisation agree.
#[test]
fn minres_agrees() {
    let mut numbers = Numbers::new(3);
    let mut problem = chain(&mut numbers, 6);
    for block in 1..6 {
        join(&mut problem, &mut numbers, [block - 1, block], 2, false);
    }
    let mut expected = ContactSolution::at_rest(&problem);
    direct().solve(&problem, &mut expected).expect("valid");
    let mut solution = ContactSolution::at_rest(&problem);
    let settings = CompliantKktSettings {
        solver: KktSolver::Minres,
        relative: 1e-13,
        ..CompliantKktSettings::default()
    };
    let report = CompliantKkt::new(settings)
        .solve(&problem, &mut solution)
        .expect("valid");
    assert_eq!(report.termination, Termination::Converged);
    for (found, expected) in solution.velocity.iter().zip(&expected.velocity) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
    join(&mut problem, &mut numbers, [0, 3], 1, true);
    let mut solution = ContactSolution::at_rest(&problem);
    assert_eq!(
        CompliantKkt::new(settings).solve(&problem, &mut solution),
        Err(ContactError::OneSidedRows)
    );
}

/// For uncoupled blocks and rigid rows the preconditioned matrix has three eigenvalues: MINRES takes as many steps (and
/// one for rounding), however the rows couple.
#[test]
fn three_steps_of_minres_are_enough_for_hard_rows_between_masses() {
    let mut numbers = Numbers::new(5);
    let blocks = 40;
    let mut matrix = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(blocks, []));
    for block in 0..blocks {
        let masses = numbers.vector().map(|number| 10_f64.powf(number));
        *matrix.diagonal_block_mut(block) = Matrix3::from_diagonal(&masses);
    }
    let rhs = (0..3 * blocks).map(|_| numbers.number()).collect();
    let mut problem = ContactProblem::new(1e-2, matrix, rhs);
    let mut hard = |pair: [u32; 2], rows: usize| {
        let jacobian: Vec<Vector3<f64>> = (0..2 * rows).map(|_| numbers.vector()).collect();
        let offset: Vec<f64> = (0..rows).map(|_| numbers.number()).collect();
        problem.constraints.push(&ConstraintGroup {
            blocks: &pair,
            jacobian: &jacobian,
            offset: &offset,
            compliance: &vec![0.0; rows * rows],
            unilateral: false,
        });
    };
    for block in 1..blocks as u32 {
        hard([block - 1, block], 2);
    }
    // One more between distant blocks, and one between two blocks with rows.
    hard([3, 30], 1);
    hard([7, 8], 1);
    let mut expected = ContactSolution::at_rest(&problem);
    direct().solve(&problem, &mut expected).expect("valid");
    let settings = CompliantKktSettings {
        solver: KktSolver::Minres,
        max_iterations: 4,
        relative: 1e-6,
        ..CompliantKktSettings::default()
    };
    let mut solution = ContactSolution::at_rest(&problem);
    let report = CompliantKkt::new(settings)
        .solve(&problem, &mut solution)
        .expect("valid");
    assert_eq!(report.termination, Termination::Converged, "{report:?}");
    let size = expected
        .velocity
        .iter()
        .fold(0.0_f64, |m, v| m.max(v.abs()));
    for (found, expected) in solution.velocity.iter().zip(&expected.velocity) {
        assert!((found - expected).abs() < 1e-4 * size, "{found} {expected}");
    }
}

/// Conjugate residuals handle rows of all kinds by an outer method of multipliers. With contacts, the independent
/// residual confirms every reported convergence, and the motion is that of the factorisation. Masses over one decade: a
/// wider range makes the softened matrix ill-conditioned.
#[test]
fn conjugate_residuals_take_all_kinds_of_rows() {
    let tolerances = Tolerances {
        momentum: 1e-8,
        gap: 1e-9,
        slip: 1e-9,
    };
    let mut converged = 0;
    for seed in 0..20 {
        let mut numbers = Numbers::new(seed);
        let blocks = 3 + numbers.below(4);
        let mut problem = chain_over(&mut numbers, blocks, 1.0);
        for block in 1..blocks as u32 {
            join(&mut problem, &mut numbers, [block - 1, block], 1, false);
        }
        // Between blocks without coupling in the momentum matrix.
        join(&mut problem, &mut numbers, [0, blocks as u32 - 1], 1, false);
        join(&mut problem, &mut numbers, [0, 1], 1, true);
        join(&mut problem, &mut numbers, [1, 2], 1, true);
        let frame = 1e-2 * Matrix3::new(0., 0., 1., 1., 0., 0., 0., 1., 0.);
        for block in 0..blocks as u32 {
            problem.push(&ContactRow {
                entries: &[(block, frame)],
                offset: Vector3::new(1e-3 * numbers.number(), 0.0, 0.0),
                friction: 0.3,
            });
        }
        let mut expected = ContactSolution::at_rest(&problem);
        let settings = CompliantKktSettings {
            tolerances,
            ..CompliantKktSettings::default()
        };
        let by_factors = CompliantKkt::new(settings).solve(&problem, &mut expected);
        assert_eq!(
            by_factors.expect("valid").termination,
            Termination::Converged
        );
        let method = Method::named("cr", tolerances).expect("known");
        let mut solution = ContactSolution::at_rest(&problem);
        let report = method
            .solver()
            .solve(&problem, &mut solution)
            .expect("valid");
        let judged = residual(&problem, &solution);
        if report.termination != Termination::Converged {
            continue;
        }
        converged += 1;
        assert!(judged.meets(&tolerances), "{seed}: {judged:?}");
        let size = expected
            .velocity
            .iter()
            .fold(0.0, |m: f64, v| m.max(v.abs()));
        for (found, expected) in solution.velocity.iter().zip(&expected.velocity) {
            assert!(
                (found - expected).abs() < 1e-4 * size,
                "{seed}: {found} {expected}"
            );
        }
    }
    // Without guarantee if one-sided rows and friction change together; it then reports that.
    assert!(converged >= 15, "{converged} of 20");
}

/// Compliances with eliminated rows, tight enough to compare with factors of all rows.
fn condensed(tolerances: Tolerances) -> CorrectiveMotion {
    CorrectiveMotion::exact(CorrectiveMotionSettings {
        tolerances,
        ..CorrectiveMotionSettings::default()
    })
}

proptest! {
    #![proptest_config(crate::support::cases(40))]

    /// The exact compliance of joined bodies: motion and forces of the factorisation of all rows, without contacts and
    /// with frictionless ones, with ropes and without, for either form of the Delassus operator.
    #[test]
    fn eliminated_rows_give_the_motion_of_all_rows(
        seed in any::<u64>(), blocks in 2_usize..8, ropes in 0_u32..4, unbuilt in any::<bool>(),
    ) {
        let mut numbers = Numbers::new(seed);
        let mut problem = chain_over(&mut numbers, blocks, 1.0);
        for block in 1..blocks as u32 {
            join(&mut problem, &mut numbers, [block - 1, block], 1, false);
        }
        // Between blocks without coupling in the momentum matrix.
        join(&mut problem, &mut numbers, [0, blocks as u32 - 1], 1, false);
        for rope in 0..ropes.min(blocks as u32 - 1) {
            join(&mut problem, &mut numbers, [rope, rope + 1], 1, true);
        }
        let tolerances = Tolerances { momentum: 1e-9, gap: 1e-10, slip: 1e-10 };
        for contacts in [0, blocks as u32] {
            let frame = 1e-2 * Matrix3::new(0., 0., 1., 1., 0., 0., 0., 1., 0.);
            for block in 0..contacts {
                problem.push(&ContactRow {
                    entries: &[(block, frame)],
                    offset: Vector3::new(1e-3 * numbers.number(), 0.0, 0.0),
                    friction: 0.0,
                });
            }
            let mut expected = ContactSolution::at_rest(&problem);
            let settings = CompliantKktSettings { tolerances, ..CompliantKktSettings::default() };
            let by_factors = CompliantKkt::new(settings).solve(&problem, &mut expected).expect("valid");
            prop_assume!(by_factors.termination == Termination::Converged);
            let mut solver = condensed(tolerances);
            if unbuilt {
                solver.settings.delassus = DelassusForm::MatrixFree;
            }
            let mut solution = ContactSolution::at_rest(&problem);
            let report = solver.solve(&problem, &mut solution).expect("valid");
            prop_assert_eq!(report.termination, Termination::Converged);
            let judged = residual(&problem, &solution);
            prop_assert!(judged.meets(&tolerances), "{:?}", judged);
            let size = |of: &[f64]| of.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
            for (found, expected, size) in [
                (&solution.velocity, &expected.velocity, size(&expected.velocity)),
                (&solution.constraints, &expected.constraints, size(&expected.constraints)),
            ] {
                for (found, expected) in found.iter().zip(expected) {
                    prop_assert!((found - expected).abs() < 1e-5 * size, "{} {}", found, expected);
                }
            }
        }
    }
}

/// A row that follows from others has no force, and the motion is that without it. If it contradicts them, no
/// convergence is reported.
#[test]
fn rows_that_follow_from_others_change_nothing_where_they_are_eliminated() {
    let mut numbers = Numbers::new(7);
    let mut problem = chain_over(&mut numbers, 3, 1.0);
    let jacobian = [
        Vector3::new(0.01, 0.0, 0.02),
        Vector3::new(-0.01, 0.0, -0.02),
    ];
    let add = |problem: &mut ContactProblem, offset: f64| {
        problem.constraints.push(&ConstraintGroup {
            blocks: &[0, 2],
            jacobian: &jacobian,
            offset: &[offset],
            compliance: &[0.0],
            unilateral: false,
        })
    };
    add(&mut problem, 1e-3);
    let tolerances = Tolerances {
        momentum: 1e-8,
        gap: 1e-9,
        slip: 1e-9,
    };
    let solve = |problem: &ContactProblem| {
        let mut solution = ContactSolution::at_rest(problem);
        let report = condensed(tolerances).solve(problem, &mut solution);
        (solution, report.expect("valid").termination)
    };
    let (once, _) = solve(&problem);
    add(&mut problem, 1e-3);
    let (twice, termination) = solve(&problem);
    assert_eq!(termination, Termination::Converged);
    assert_eq!(once.velocity, twice.velocity);
    assert_eq!(twice.constraints[1].to_bits(), 0.0_f64.to_bits());
    add(&mut problem, 2e-3);
    assert_ne!(solve(&problem).1, Termination::Converged);
}

/// One solver for problems with other rows, without rows, and after a failure: the same as a new solver for each.
#[test]
fn a_used_solver_forgets_the_rows_of_earlier_problems() {
    let mut numbers = Numbers::new(11);
    let tolerances = Tolerances {
        momentum: 1e-9,
        gap: 1e-10,
        slip: 1e-10,
    };
    let mut free = chain_over(&mut numbers, 4, 1.0);
    let frame = 1e-2 * Matrix3::new(0., 0., 1., 1., 0., 0., 0., 1., 0.);
    for block in 0..4 {
        free.push(&ContactRow {
            entries: &[(block, frame)],
            offset: Vector3::new(1e-3 * numbers.number(), 0.0, 0.0),
            friction: 0.3,
        });
    }
    let mut joined = free.clone();
    join(&mut joined, &mut numbers, [0, 3], 2, false);
    let mut softer = free.clone();
    join(&mut softer, &mut numbers, [1, 2], 1, false);
    // A compliance between points that are held.
    softer.constraints.push(&ConstraintGroup {
        blocks: &[],
        jacobian: &[],
        offset: &[2e-3],
        compliance: &[1e-3],
        unilateral: false,
    });
    let mut crowded = free.clone();
    for _ in 0..=MOST_ROWS {
        crowded.constraints.push(&ConstraintGroup {
            blocks: &[0],
            jacobian: &[Vector3::x()],
            offset: &[0.0],
            compliance: &[1.0],
            unilateral: false,
        });
    }
    let mut used = condensed(tolerances);
    for problem in [
        &joined, &free, &crowded, &free, &joined, &crowded, &joined, &softer,
    ] {
        let mut solution = ContactSolution::at_rest(problem);
        let mut expected = solution.clone();
        let found = used.solve(problem, &mut solution);
        let alone = condensed(tolerances).solve(problem, &mut expected);
        assert_eq!(
            found.as_ref().map(|report| report.termination),
            alone.as_ref().map(|report| report.termination)
        );
        assert_eq!(solution, expected);
        match found {
            Ok(report) => assert_eq!(report.termination, Termination::Converged),
            Err(error) => {
                assert_eq!(
                    error,
                    ContactError::ManyRows {
                        rows: MOST_ROWS + 1,
                        most: MOST_ROWS
                    }
                );
            }
        }
    }
}

/// Ropes beside contacts with friction: every solve that claims convergence has it, and most do.
#[test]
fn ropes_and_friction_change_together_where_rows_are_eliminated() {
    let tolerances = Tolerances {
        momentum: 1e-8,
        gap: 1e-9,
        slip: 1e-9,
    };
    let (mut converged, mut holding) = (0, 0);
    for seed in 0..40 {
        let mut numbers = Numbers::new(seed);
        let mut problem = chain_over(&mut numbers, 5, 1.0);
        join(&mut problem, &mut numbers, [0, 1], 1, false);
        for rope in 1..4 {
            join(&mut problem, &mut numbers, [rope, rope + 1], 1, true);
        }
        let frame = 1e-2 * Matrix3::new(0., 0., 1., 1., 0., 0., 0., 1., 0.);
        for block in 0..5 {
            problem.push(&ContactRow {
                entries: &[(block, frame)],
                offset: Vector3::new(1e-3 * numbers.number(), 0.0, 0.0),
                friction: 0.4,
            });
        }
        let mut solution = ContactSolution::at_rest(&problem);
        let report = condensed(tolerances).solve(&problem, &mut solution);
        if report.expect("valid").termination == Termination::Converged {
            converged += 1;
            holding += solution
                .constraints
                .iter()
                .filter(|&&pull| pull > 0.0)
                .count();
            let judged = residual(&problem, &solution);
            assert!(judged.meets(&tolerances), "{seed}: {judged:?}");
        }
    }
    assert!(converged >= 38 && holding > 40, "{converged}, {holding}");
}

/// Of two ropes between the same points the shorter one pulls, in either order and whatever the start. The compliance
/// of contacts depends on the states of ropes: it is not given.
#[test]
fn the_shorter_of_two_ropes_pulls_where_rows_are_eliminated() {
    let mut numbers = Numbers::new(4);
    let free = chain(&mut numbers, 3);
    let tolerances = Tolerances {
        momentum: 1e-9,
        gap: 1e-10,
        slip: 1e-10,
    };
    let mut alone = ContactSolution::at_rest(&free);
    let report = condensed(tolerances).solve(&free, &mut alone);
    assert_eq!(report.expect("valid").termination, Termination::Converged);
    let jacobian = [Vector3::x(), -Vector3::x()];
    let with_ropes = |offsets: &[f64]| {
        let mut problem = free.clone();
        for offset in offsets {
            problem.constraints.push(&ConstraintGroup {
                blocks: &[0, 2],
                jacobian: &jacobian,
                offset: &[*offset],
                compliance: &[0.0],
                unilateral: true,
            });
        }
        problem
    };
    let excess = alone.velocity[0] - alone.velocity[6];
    let solve = |problem: &ContactProblem, start: &[f64]| {
        let mut solution = ContactSolution::at_rest(problem);
        solution.constraints.copy_from_slice(start);
        let report = condensed(tolerances).solve(problem, &mut solution);
        assert_eq!(report.expect("valid").termination, Termination::Converged);
        solution
    };
    let (slack, long, short) = (excess - 1.0, excess + 0.5, excess + 1.0);
    let expected = solve(&with_ropes(&[short]), &[0.0]);
    assert!(expected.constraints[0] > 0.0);
    for (ropes, pulls) in [([short, long], 0), ([long, short], 1)] {
        for start in [[0.0; 2], [1.0, 0.0], [0.0, 1.0], [1.0; 2]] {
            let found = solve(&with_ropes(&ropes), &start);
            assert_eq!(found.constraints[1 - pulls].to_bits(), 0.0_f64.to_bits());
            let pull = found.constraints[pulls];
            assert!(
                (pull / expected.constraints[0] - 1.0).abs() < 1e-9,
                "{pull}"
            );
        }
    }
    // A rope that is too long has no force, whatever the start.
    for start in [0.0, 1.0] {
        let found = solve(&with_ropes(&[slack]), &[start]);
        assert_eq!(found.constraints[0].to_bits(), 0.0_f64.to_bits());
        assert_eq!(found.velocity, alone.velocity);
    }
    assert_eq!(
        condensed(tolerances)
            .condense(&with_ropes(&[short]))
            .map(drop),
        Err(ContactError::OneSidedRow { constraint: 0 })
    );
}

/// A stored problem keeps its constraint rows to the last bit.
#[test]
fn stored_problems_keep_constraint_rows() {
    let mut numbers = Numbers::new(8);
    let mut problem = chain(&mut numbers, 4);
    join(&mut problem, &mut numbers, [0, 1], 2, false);
    join(&mut problem, &mut numbers, [1, 3], 1, true);
    let mut start = ContactSolution::at_rest(&problem);
    for (row, force) in start.constraints.iter_mut().enumerate() {
        *force = 0.1 + row as f64 / 3.0;
    }
    let stored = StoredProblem {
        problem,
        start,
        method: Method::CompliantKkt(CompliantKktSettings::default()),
        origin: Origin::default(),
    };
    let bytes = stored.to_bytes();
    let read = StoredProblem::from_bytes(&bytes).expect("whole");
    assert_eq!(read.problem.constraints, stored.problem.constraints);
    assert_eq!(read.start, stored.start);
    assert_eq!(read.method, stored.method);
    assert_eq!(read.to_bytes(), bytes);
}

/// Methods without constraint rows reject them.
#[test]
fn other_methods_refuse_constraint_rows() {
    let mut numbers = Numbers::new(4);
    let mut problem = chain(&mut numbers, 3);
    join(&mut problem, &mut numbers, [0, 1], 2, false);
    let tolerances = CompliantKktSettings::default().tolerances;
    let takes_none = |spec: &&MethodSpec| spec.capabilities.constraint_rows == RowSupport::Nothing;
    for spec in MethodSpec::methods().filter(takes_none) {
        let name = spec.name;
        let method = Method::named(name, tolerances).expect("known");
        let mut solution = ContactSolution::at_rest(&problem);
        assert_eq!(
            method.solver().solve(&problem, &mut solution),
            Err(ContactError::ConstraintRows { rows: 2 }),
            "{name}"
        );
    }
    // The method with constraint rows rejects invalid numbers.
    problem.constraints.clear();
    problem.constraints.push(&ConstraintGroup {
        blocks: &[0],
        jacobian: &[Vector3::x()],
        offset: &[0.0],
        compliance: &[-1.0],
        unilateral: false,
    });
    let mut solution = ContactSolution::at_rest(&problem);
    assert!(matches!(
        direct().solve(&problem, &mut solution),
        Err(ContactError::NegativeCompliance { constraint: 0, .. })
    ));
}
