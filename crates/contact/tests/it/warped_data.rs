//! The data that a solver with warped compliance keeps between solves, and bodies that it refuses.

use super::support::TIME_STEP;
use super::warped::{Body, bend, block, fall, settings, told};
use impinge_contact::compliance::{RestCompliance, TurnedBodies, TurnedBody};
use impinge_contact::method::corrective_motion::{
    CorrectiveMotion, CorrectiveMotionSettings, DelassusForm,
};
use impinge_contact::{ContactError, ContactSolution, ContactSolver, Termination};
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;

/// Data kept between solves are discarded when their source changes: rotations of the nodes under the same momentum
/// matrix, another matrix, and back after rejected bodies.
///
/// Once with forces that must be found, which reveals a stale `W`; once with a sufficient warm start, which reveals a
/// stale motion: its impulses are those of the last solve.
#[test]
fn nothing_is_kept_from_bodies_that_turned() {
    let [one, other, stiff] = [(1e5, 15.0), (1e5, -10.0), (1e6, 15.0)].map(|(stiffness, rate)| {
        let body = Body::new(block(stiffness), bend(Vector3::y(), rate));
        let problem = fall(&body.lattice, body.lattice.momentum(TIME_STEP), 0.4);
        (body, problem)
    });
    let bodies = |body: &Body, first: u32| {
        Arc::new(TurnedBodies {
            time_step: TIME_STEP,
            bodies: vec![body.turned(first)],
        })
    };
    let cold = ContactSolution::at_rest(&one.1);
    let mut warm = cold.clone();
    told(settings(1e3), vec![one.0.turned(0)])
        .solve(&one.1, &mut warm)
        .expect("sound");
    for (start, tightening) in [(&cold, 1e3), (&warm, 1e-6)] {
        let mut used = CorrectiveMotion::warped(settings(tightening));
        for (index, (body, problem)) in [&one, &other, &stiff, &other, &one].into_iter().enumerate()
        {
            if index == 2 {
                used.know_bodies(&bodies(body, 1));
                let refused = used.solve(problem, &mut start.clone());
                assert_eq!(refused, Err(ContactError::RestComplianceBlocks { body: 0 }));
            }
            let known = bodies(body, 0);
            let mut fresh = CorrectiveMotion::warped(settings(tightening));
            let [found, expected] = [&mut used, &mut fresh].map(|solver| {
                let mut solution = start.clone();
                solver.know_bodies(&known);
                let report = solver.solve(problem, &mut solution).expect("sound");
                assert_eq!(report.sweeps == 0, tightening < 1.0, "{report:?}");
                solution
            });
            assert_eq!(found, expected, "solve {index}");
        }
    }
}

/// A step, its two halves, and the next whole one, as in a subdivided step: data kept for one length are wrong for
/// another.
#[test]
fn nothing_is_kept_through_a_divided_step() {
    let lattice = block(1e5);
    let surface: Vec<u32> = (0..lattice.nodes.len() as u32).collect();
    let turned = Body::new(block(1e5), bend(Vector3::y(), 15.0)).turned(0);
    let part = |time_step: f64| {
        let momentum = lattice.momentum(time_step);
        let rest = RestCompliance::new(&momentum, surface.clone()).expect("has mass");
        let bodies = TurnedBodies {
            time_step,
            bodies: vec![TurnedBody {
                rest: Arc::new(rest),
                ..turned.clone()
            }],
        };
        let mut problem = fall(&lattice, momentum, 0.4);
        problem.time_step = time_step;
        (problem, Arc::new(bodies))
    };
    for delassus in [DelassusForm::Assembled, DelassusForm::MatrixFree] {
        let settings = CorrectiveMotionSettings {
            delassus,
            ..settings(1e3)
        };
        let mut used = CorrectiveMotion::warped(settings);
        let mut start = None;
        for (index, share) in [1.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
            let (problem, bodies) = part(share * TIME_STEP);
            // Twice, as in collision rounds: the second time W is kept.
            for round in 0..2 {
                let start = start.get_or_insert_with(|| ContactSolution::at_rest(&problem));
                let [found, expected] =
                    [&mut used, &mut CorrectiveMotion::warped(settings)].map(|solver| {
                        let mut solution = start.clone();
                        solver.know_bodies(&bodies);
                        let report = solver.solve(&problem, &mut solution).expect("sound");
                        assert_eq!(report.termination, Termination::Converged);
                        solution
                    });
                assert_eq!(found, expected, "part {index}, round {round}");
            }
        }
    }
}

#[test]
fn mismatched_bodies_are_rejected_without_effect() {
    let body = Body::new(block(1e5), |_| Matrix3::identity());
    let problem = fall(&body.lattice, body.lattice.momentum(TIME_STEP), 0.4);
    let start = ContactSolution::at_rest(&problem);
    let refusal = |mut solver: CorrectiveMotion| {
        let mut solution = start.clone();
        let refused = solver.solve(&problem, &mut solution);
        assert_eq!(solution, start);
        refused.expect_err("does not fit")
    };
    let mut other_step = CorrectiveMotion::warped(settings(1.0));
    other_step.know_bodies(&Arc::new(TurnedBodies {
        time_step: 0.5 * TIME_STEP,
        bodies: vec![body.turned(0)],
    }));
    assert_eq!(
        refusal(other_step),
        ContactError::RestComplianceStep {
            known: 0.5 * TIME_STEP,
            time_step: TIME_STEP
        }
    );
    for bodies in [vec![body.turned(1)], vec![body.turned(0), body.turned(0)]] {
        let body = bodies.len() - 1;
        assert_eq!(
            refusal(told(settings(1.0), bodies)),
            ContactError::RestComplianceBlocks { body }
        );
    }
    let interior = RestCompliance::new(&body.lattice.momentum(TIME_STEP), vec![0, 1]);
    let interior = TurnedBody {
        rest: Arc::new(interior.expect("has mass")),
        ..body.turned(0)
    };
    assert_eq!(
        refusal(told(settings(1.0), vec![interior])),
        ContactError::InteriorContact {
            contact: 1,
            block: 2
        }
    );
}

/// Blocks without data at rest have the exact compliance, coupled or not. A caller that gives no data at all, not even
/// an empty list, has forgotten them.
#[test]
fn unknown_bodies_are_exact() {
    let lattice = block(1e5);
    let problem = fall(&lattice, lattice.momentum(TIME_STEP), 0.4);
    let tight = settings(1e9);
    let refused =
        CorrectiveMotion::warped(tight).solve(&problem, &mut ContactSolution::at_rest(&problem));
    assert_eq!(refused, Err(ContactError::NoRestCompliance { block: 0 }));
    let solved = [CorrectiveMotion::exact(tight), told(tight, vec![])].map(|mut by| {
        let mut solution = ContactSolution::at_rest(&problem);
        by.solve(&problem, &mut solution).expect("sound");
        solution.velocity
    });
    for (a, b) in solved[0].iter().zip(&solved[1]) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}
