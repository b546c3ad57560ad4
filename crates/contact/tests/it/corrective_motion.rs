//! The corrective motion with the exact compliance: guarantees beyond the other methods. `rivals` compares it with the
//! references.

use super::agreement::{collision, tolerances};
use super::support::{
    TIME_STEP, cases, dense_momentum, dense_rows, ground, lattice::Lattice, particles, push,
};
use impinge_contact::frame::ContactFrame;
use impinge_contact::method::active_set_cr::{ActiveSetCr, ActiveSetCrSettings};
use impinge_contact::method::corrective_motion::{
    CorrectiveMotion, CorrectiveMotionSettings, DelassusForm,
};
use impinge_contact::{
    ContactError, ContactProblem, ContactSolution, ContactSolver, Termination, residual,
};
use nalgebra::{DVector, Vector3};
use proptest::prelude::*;

fn solver(tightening: f64) -> CorrectiveMotion {
    CorrectiveMotion::exact(CorrectiveMotionSettings {
        tolerances: tolerances(tightening),
        ..CorrectiveMotionSettings::default()
    })
}

fn solve(problem: &ContactProblem, tightening: f64) -> ContactSolution {
    let mut solution = ContactSolution::at_rest(problem);
    let report = solver(tightening)
        .solve(problem, &mut solution)
        .expect("sound");
    assert_eq!(report.termination, Termination::Converged, "{report:?}");
    solution
}

proptest! {
    #![proptest_config(cases(25))]

    /// `v = v* + A⁻¹ Jᵀ f`, so momentum balances to rounding for any forces.
    #[test]
    fn momentum_balances_to_rounding(collision in collision(), friction in 0.0..0.9_f64) {
        let problem = collision.problem(friction);
        let solution = solve(&problem, 1.0);
        let momentum = dense_momentum(&problem);
        let velocity = DVector::from_column_slice(&solution.velocity);
        let scale = momentum.norm() * velocity.norm() + DVector::from_column_slice(&problem.rhs).norm();
        prop_assert!(residual(&problem, &solution).momentum < 1e-12 * scale);
    }

    /// It agrees with conjugate residuals: gaps and slips to the tolerances of both.
    #[test]
    fn displacements_agree_with_conjugate_residuals(collision in collision()) {
        let problem = collision.problem(0.0);
        let exact = solve(&problem, 10.0);
        let mut iterated = ContactSolution::at_rest(&problem);
        let report = ActiveSetCr::new(ActiveSetCrSettings {
            tolerances: tolerances(10.0),
            ..ActiveSetCrSettings::default()
        })
        .solve(&problem, &mut iterated)
        .expect("sound");
        prop_assume!(report.termination == Termination::Converged);
        let rows = dense_rows(&problem);
        let difference = rows
            * (DVector::from_column_slice(&exact.velocity) - DVector::from_column_slice(&iterated.velocity));
        // Normal displacements are unique; each method may be off by its gap tolerance and by its momentum error.
        for normal in difference.iter().step_by(3) {
            prop_assert!(normal.abs() < 2e-5, "{normal:e}");
        }
    }

    /// Reused factors are those of the present matrix.
    #[test]
    fn a_used_solver_agrees_with_a_fresh_one(first in collision(), second in collision()) {
        let mut used = solver(1.0);
        for problem in [first.problem(0.3), first.problem(0.6), second.problem(0.3)] {
            let mut solution = ContactSolution::at_rest(&problem);
            used.solve(&problem, &mut solution).expect("sound");
            prop_assert_eq!(&solution, &solve(&problem, 1.0));
        }
    }
}

/// A lattice pressed against the ground twice at every corner: half of the rows of `W` are redundant.
#[test]
fn doubled_contacts_change_no_velocity() {
    let lattice = Lattice::block([2, 2, 2], 0.02, 1e5, Vector3::zeros());
    let momentum = lattice.momentum(1e-3);
    let rhs: Vec<f64> = (0..lattice.nodes.len())
        .flat_map(|node| [0.3 * lattice.masses[node], 0.0, -lattice.masses[node]])
        .collect();
    let press = |copies: usize| {
        let mut problem = ContactProblem::new(1e-3, momentum.clone(), rhs.clone());
        for (node, position) in lattice.nodes.iter().enumerate() {
            for _ in 0..if position.z < 1e-12 { copies } else { 0 } {
                push(
                    &mut problem,
                    &ground(),
                    &[(node as u32, 1.0)],
                    Vector3::zeros(),
                    0.4,
                );
            }
        }
        solve(&problem, 1e4)
    };
    let (once, twice) = (press(1), press(2));
    for (a, b) in once.velocity.iter().zip(&twice.velocity) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}

/// A tower. A plain sweep transports a force by one contact, so they need some thousands: the square of its height.
#[test]
fn sweeps_carry_a_tower() {
    const STOREYS: u32 = 30;
    let masses = vec![1.0; STOREYS as usize];
    let fall = Vector3::new(0.0, 0.0, -9.81 * TIME_STEP);
    let mut problem = particles(&masses, &vec![fall; masses.len()]);
    push(&mut problem, &ground(), &[(0, 1.0)], Vector3::zeros(), 0.4);
    for storey in 1..STOREYS {
        let weights = [(storey, 1.0), (storey - 1, -1.0)];
        push(&mut problem, &ground(), &weights, Vector3::zeros(), 0.4);
    }
    for delassus in [DelassusForm::Assembled, DelassusForm::MatrixFree] {
        let mut solution = ContactSolution::at_rest(&problem);
        let mut solver = solver(1e3);
        solver.settings.delassus = delassus;
        let report = solver.solve(&problem, &mut solution).expect("sound");
        assert_eq!(report.termination, Termination::Converged);
        assert!(report.sweeps <= 150, "{report:?}");
        assert_eq!(report.iterations, 0, "{report:?}");
        for (storey, contact) in solution.contacts.iter().enumerate() {
            let carried = 9.81 * (masses.len() - storey) as f64;
            let off = (contact.lambda / carried - 1.0).abs();
            assert!(off < 1e-3, "storey {storey}: {} {carried}", contact.lambda);
        }
    }
}

/// Separate towers of particles on the ground, one offset moved by `lift` (m).
fn towers(count: u32, storeys: u32, lift: f64) -> ContactProblem {
    let masses = vec![1.0; (count * storeys) as usize];
    let fall = Vector3::new(0.0, 0.0, -9.81 * TIME_STEP);
    let mut problem = particles(&masses, &vec![fall; masses.len()]);
    for first in (0..count * storeys).step_by(storeys as usize) {
        let offset = if first == storeys { lift } else { 0.0 };
        let offset = Vector3::new(offset, 0.0, 0.0);
        push(&mut problem, &ground(), &[(first, 1.0)], offset, 0.4);
        for storey in first + 1..first + storeys {
            let weights = [(storey, 1.0), (storey - 1, -1.0)];
            push(&mut problem, &ground(), &weights, Vector3::zeros(), 0.4);
        }
    }
    problem
}

/// A local change is solved locally, without a sweep over all contacts: the other forces keep their bits.
#[test]
fn a_change_in_one_place_is_settled_there() {
    let (count, storeys) = (100, 3);
    for delassus in [DelassusForm::Assembled, DelassusForm::MatrixFree] {
        // So accurate at first that afterwards only the change is unconverged.
        let mut solver = solver(1e5);
        solver.settings.delassus = delassus;
        let mut solution = ContactSolution::at_rest(&towers(count, storeys, 0.0));
        let first = solver
            .solve(&towers(count, storeys, 0.0), &mut solution)
            .expect("sound");
        assert_eq!(first.termination, Termination::Converged);
        let before = solution.clone();
        solver.settings.tolerances = tolerances(1e3);
        let lifted = towers(count, storeys, 1e-4);
        let report = solver.solve(&lifted, &mut solution).expect("sound");
        assert_eq!(report.termination, Termination::Converged);
        assert!(report.sweeps == 0 && first.sweeps > 0, "{report:?}");
        for (contact, (now, old)) in solution.contacts.iter().zip(&before.contacts).enumerate() {
            if contact as u32 / storeys == 1 {
                assert!(now.lambda > old.lambda, "contact {contact}");
            } else {
                assert_eq!(now.lambda.to_bits(), old.lambda.to_bits());
            }
        }
    }
}

/// `W` is kept for unchanged contacts: added, removed, rotated and returning rows give the bits of a fresh solver.
#[test]
fn rows_that_come_and_go_leave_no_trace() {
    let lattice = Lattice::block([3, 3, 2], 0.02, 1e5, Vector3::zeros());
    let momentum = lattice.momentum(TIME_STEP);
    let rhs: Vec<f64> = (0..lattice.nodes.len())
        .flat_map(|node| [0.3 * lattice.masses[node], 0.0, -lattice.masses[node]])
        .collect();
    let bottom: Vec<u32> = (0..lattice.nodes.len() as u32)
        .filter(|&node| lattice.nodes[node as usize].z < 1e-12)
        .collect();
    let problem = |present: &dyn Fn(usize) -> bool, tilted: usize| {
        let mut problem = ContactProblem::new(TIME_STEP, momentum.clone(), rhs.clone());
        for (place, &node) in bottom.iter().enumerate() {
            let tilt = if place == tilted { 0.1 } else { 0.0 };
            let normal = Vector3::new(tilt, 0.0, 1.0).normalize();
            let frame = ContactFrame::around(normal).rows();
            if present(place) {
                // The next node shares in it, so that contacts have common nodes.
                let next = bottom[(place + 1) % bottom.len()];
                let weights = [(node, 0.7), (next, 0.3)];
                push(&mut problem, &frame, &weights, Vector3::zeros(), 0.4);
            }
        }
        problem
    };
    let none = usize::MAX;
    let mut used = solver(1e2);
    for problem in [
        problem(&|_| true, none),
        problem(&|place| place % 3 != 0, none),
        problem(&|_| true, 4),
        // None is added or removed: one rotates back, another rotates.
        problem(&|_| true, 7),
        problem(&|_| true, none),
        problem(&|place| place > 2, 4),
        problem(&|_| false, none),
        problem(&|_| true, none),
    ] {
        let mut solution = ContactSolution::at_rest(&problem);
        used.solve(&problem, &mut solution).expect("sound");
        assert_eq!(solution, solve(&problem, 1e2));
    }
}

/// The same rows under another momentum matrix have another `W`: a shorter step, a stiffer body, a matrix rejected in
/// between, and back.
#[test]
fn nothing_is_kept_from_another_momentum_matrix() {
    let soft = Lattice::block([3, 3, 2], 0.02, 1e5, Vector3::zeros());
    let stiff = Lattice::block([3, 3, 2], 0.02, 1e6, Vector3::zeros());
    let mut indefinite = soft.momentum(TIME_STEP);
    *indefinite.diagonal_block_mut(4) *= 1e-9;
    let matrices = [
        soft.momentum(TIME_STEP),
        soft.momentum(0.5 * TIME_STEP),
        stiff.momentum(TIME_STEP),
        indefinite,
        stiff.momentum(TIME_STEP),
        soft.momentum(TIME_STEP),
    ];
    let mut used = solver(1e2);
    for (index, momentum) in matrices.into_iter().enumerate() {
        let rhs = soft.masses.iter().flat_map(|m| [0.3 * m, 0.0, -m]);
        let mut problem = ContactProblem::new(TIME_STEP, momentum, rhs.collect());
        if index != 3 {
            // Data may be kept even before the first contact.
            let mut solution = ContactSolution::at_rest(&problem);
            used.solve(&problem, &mut solution).expect("sound");
            assert_eq!(solution, solve(&problem, 1e2), "matrix {index}, no contact");
        }
        for (node, x) in soft.nodes.iter().enumerate() {
            if x.z < 1e-12 {
                let weights = [(node as u32, 1.0)];
                push(&mut problem, &ground(), &weights, Vector3::zeros(), 0.4);
            }
        }
        let mut solution = ContactSolution::at_rest(&problem);
        if index == 3 {
            let refused = used.solve(&problem, &mut solution);
            assert!(
                matches!(refused, Err(ContactError::IndefiniteMomentum { .. })),
                "{refused:?}"
            );
            continue;
        }
        used.solve(&problem, &mut solution).expect("sound");
        assert_eq!(solution, solve(&problem, 1e2), "matrix {index}");
    }
}

/// A response under another momentum matrix leaves nothing of the solve before it for the next one.
#[test]
fn a_response_keeps_nothing_from_the_solve_before_it() {
    let resting = |stiffness| {
        let block = Lattice::block([3, 3, 2], 0.02, stiffness, Vector3::zeros());
        let rhs = block.masses.iter().flat_map(|m| [0.3 * m, 0.0, -m]);
        let mut problem = ContactProblem::new(TIME_STEP, block.momentum(TIME_STEP), rhs.collect());
        for (node, _) in block.nodes.iter().enumerate().filter(|(_, x)| x.z < 1e-12) {
            let weights = [(node as u32, 1.0)];
            push(&mut problem, &ground(), &weights, Vector3::zeros(), 0.4);
        }
        problem
    };
    let [soft, stiff] = [1e5, 1e6].map(resting);
    let mut used = solver(1e2);
    let mut solution = ContactSolution::at_rest(&soft);
    used.solve(&soft, &mut solution).expect("sound");
    let mut impulses = vec![1.0; stiff.unknowns()];
    used.respond(&stiff, &mut impulses).expect("sound");
    let mut solution = ContactSolution::at_rest(&stiff);
    used.solve(&stiff, &mut solution).expect("sound");
    assert_eq!(solution, solve(&stiff, 1e2));
}

#[test]
fn a_momentum_matrix_without_a_factor_is_refused_with_its_body() {
    let lattice = Lattice::block([2, 1, 1], 0.02, 1e5, Vector3::zeros());
    let sound = particles(&[1.0], &[Vector3::zeros()]);
    let mut momentum = lattice.momentum(1e-3);
    // Coupling larger than the diagonal: positive diagonal entries, but indefinite.
    let slot = momentum.pattern().slot(0, 1).expect("a spring");
    momentum.values_mut()[slot] = nalgebra::Matrix3::from_diagonal_element(1e9);
    let problem = ContactProblem::new(1e-3, momentum, vec![0.0; 6]);
    let mut solution = ContactSolution::at_rest(&problem);
    let before = solution.clone();
    let refused = solver(1.0).solve(&problem, &mut solution);
    assert_eq!(refused, Err(ContactError::IndefiniteMomentum { block: 0 }));
    assert_eq!(solution, before);
    assert!(
        solver(1.0)
            .solve(&sound, &mut ContactSolution::at_rest(&sound))
            .is_ok()
    );
}
