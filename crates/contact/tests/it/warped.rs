//! The compliance at rest, rotated per node: exact properties.
//!
//! References are dense matrices from the definition `R (A⁰)⁻¹ Rᵀ`.

use super::agreement::tolerances;
use super::support::{TIME_STEP, cases, dense_rows, ground, lattice::Lattice, particles, push};
use impinge_contact::compliance::{RestCompliance, RigidMoments, TurnedBodies, TurnedBody};
use impinge_contact::constraint::ConstraintGroup;
use impinge_contact::delassus::{FrictionSolver, ProximalNewton, Target};
use impinge_contact::frame::ContactFrame;
use impinge_contact::method::corrective_motion::{
    CorrectiveMotion, CorrectiveMotionSettings, DelassusForm,
};
use impinge_contact::{
    ContactError, ContactProblem, ContactSolution, ContactSolver, Termination, residual,
};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};
use proptest::prelude::*;
use std::sync::Arc;

/// A lattice block and its compliance.
pub(super) struct Body {
    pub(super) lattice: Lattice,
    rest: Arc<RestCompliance>,
    rotations: Vec<Matrix3<f64>>,
}

impl Body {
    /// Nodes rotate by `rotations(their rest position)`; all are surface nodes.
    pub(super) fn new(lattice: Lattice, rotations: impl Fn(&Vector3<f64>) -> Matrix3<f64>) -> Self {
        let surface = (0..lattice.nodes.len() as u32).collect();
        let rest = RestCompliance::new(&lattice.momentum(TIME_STEP), surface).expect("has mass");
        Self {
            rotations: lattice.nodes.iter().map(rotations).collect(),
            rest: Arc::new(rest),
            lattice,
        }
    }

    pub(super) fn turned(&self, first_block: u32) -> TurnedBody {
        TurnedBody {
            rest: Arc::clone(&self.rest),
            blocks: (first_block..).take(self.lattice.nodes.len()).collect(),
            rotations: self.rotations.clone(),
            moments: Some(RigidMoments {
                masses: self.lattice.masses.clone(),
                positions: self.lattice.nodes.clone(),
            }),
        }
    }

    /// `R (A⁰)⁻¹ Rᵀ`.
    fn dense(&self) -> DMatrix<f64> {
        let momentum = DMatrix::from(&self.lattice.momentum(TIME_STEP).to_csr());
        let inverse = momentum.try_inverse().expect("has mass");
        let n = self.rotations.len();
        let mut r = DMatrix::zeros(3 * n, 3 * n);
        for (i, rotation) in self.rotations.iter().enumerate() {
            r.fixed_view_mut::<3, 3>(3 * i, 3 * i).copy_from(rotation);
        }
        &r * inverse * r.transpose()
    }
}

/// Without corrections: most of these tests concern the compliance itself.
pub(super) fn settings(tightening: f64) -> CorrectiveMotionSettings {
    CorrectiveMotionSettings {
        tolerances: tolerances(tightening),
        corrections: 0,
        ..CorrectiveMotionSettings::default()
    }
}

pub(super) fn told(
    settings: CorrectiveMotionSettings,
    bodies: Vec<TurnedBody>,
) -> CorrectiveMotion {
    let mut solver = CorrectiveMotion::warped(settings);
    solver.know_bodies(&Arc::new(TurnedBodies {
        time_step: TIME_STEP,
        bodies,
    }));
    solver
}

pub(super) fn block(stiffness: f64) -> Lattice {
    Lattice::block([3, 2, 3], 0.02, stiffness, Vector3::zeros())
}

/// A rotation that grows along x: about `bend` rad per metre.
pub(super) fn bend(axis: Vector3<f64>, bend: f64) -> impl Fn(&Vector3<f64>) -> Matrix3<f64> {
    move |x| Rotation3::new(axis * bend * x.x).into_inner()
}

/// `C̃` of a solver, column by column.
fn dense_response(solver: &mut CorrectiveMotion, problem: &ContactProblem) -> DMatrix<f64> {
    let n = problem.unknowns();
    let mut dense = DMatrix::zeros(n, n);
    for column in 0..n {
        let mut impulse = vec![0.0; n];
        impulse[column] = 1.0;
        solver.respond(problem, &mut impulse).expect("sound");
        dense.set_column(column, &DVector::from_vec(impulse));
    }
    dense
}

/// Contacts of a falling body with the ground and with oblique planes, under the momentum matrix `momentum`.
pub(super) fn fall(
    lattice: &Lattice,
    momentum: SymmetricBlockMatrix,
    friction: f64,
) -> ContactProblem {
    let rhs = lattice
        .masses
        .iter()
        .flat_map(|m| [0.4 * m, -0.1 * m, -m])
        .collect();
    let mut problem = ContactProblem::new(TIME_STEP, momentum, rhs);
    for (node, x) in lattice.nodes.iter().enumerate() {
        if x.z < 1e-9 {
            let tilt = Vector3::new(0.1 * (node % 3) as f64 - 0.1, 0.05, 1.0).normalize();
            let frame = ContactFrame::around(tilt).rows();
            // Two nodes carry the contact point.
            let weights = [(node as u32, 0.7), ((node as u32 + 1) % 18, 0.3)];
            push(&mut problem, &frame, &weights, Vector3::zeros(), friction);
        }
    }
    problem
}

fn axis() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-1.0..1.0)
        .prop_map(Vector3::from)
        .prop_filter("a direction", |x| x.norm() > 0.1)
        .prop_map(|x| x.normalize())
}

proptest! {
    #![proptest_config(cases(20))]

    /// A rigidly rotated body has exactly the compliance of its rotated matrix.
    #[test]
    fn a_turned_body_yields_exactly(axis in axis(), angle in -3.0..3.0_f64, stiffness in 4.0..7.0_f64) {
        let turn = Rotation3::new(axis * angle).into_inner();
        let body = Body::new(block(10.0_f64.powf(stiffness)), |_| turn);
        let mut turned = body.lattice.clone();
        for x in &mut turned.nodes {
            *x = turn * *x;
        }
        let momentum = turned.momentum(TIME_STEP);
        let problem = ContactProblem::new(TIME_STEP, momentum, vec![0.0; 54]);
        let exact = DMatrix::from(&problem.momentum.to_csr()).try_inverse().expect("has mass");
        let mut solver = told(settings(1.0), vec![body.turned(0)]);
        let warped = dense_response(&mut solver, &problem);
        prop_assert!((&warped - &exact).norm() < 1e-10 * exact.norm());
    }

    /// The compliance is `R (A⁰)⁻¹ Rᵀ` (eq. 23 of Saupin et al. 2008): symmetric, positive semi-definite, at contacts
    /// too.
    #[test]
    fn the_compliance_is_that_of_rest_turned_node_by_node(
        axis in axis(),
        rate in -30.0..30.0_f64,
        repair in any::<bool>(),
    ) {
        let body = Body::new(block(1e5), bend(axis, rate));
        let problem = fall(&body.lattice, body.lattice.momentum(TIME_STEP), 0.4);
        let mut solver = told(
            CorrectiveMotionSettings { momentum_repair: repair, ..settings(1.0) },
            vec![body.turned(0)],
        );
        let warped = dense_response(&mut solver, &problem);
        if !repair {
            let expected = body.dense();
            prop_assert!((&warped - &expected).norm() < 1e-10 * expected.norm());
        }
        let rows = dense_rows(&problem);
        let condensed = solver.condense(&problem).expect("sound");
        let contacts = problem.contacts();
        let mut w = DMatrix::zeros(3 * contacts, 3 * contacts);
        for row in 0..contacts {
            let (columns, blocks) = condensed.delassus().row(row);
            for (&column, block) in columns.iter().zip(blocks) {
                w.fixed_view_mut::<3, 3>(3 * row, 3 * column as usize).copy_from(block);
            }
        }
        // The corrective motion and W use the same compliance.
        let expected = &rows * &warped * rows.transpose();
        prop_assert!((&w - &expected).norm() < 1e-11 * expected.norm());
        for matrix in [&warped, &w] {
            prop_assert!((matrix - matrix.transpose()).amax() < 1e-12 * matrix.amax());
            let eigenvalues = ((matrix + matrix.transpose()) * 0.5).symmetric_eigenvalues();
            prop_assert!(eigenvalues.min() > -1e-12 * eigenvalues.max());
        }
    }

    /// After the corrective motion, linear gaps and slips are `W f + q`, and meet the laws to tolerance.
    #[test]
    fn contacts_hold_whatever_the_compliance(
        axis in axis(),
        rate in -20.0..20.0_f64,
        friction in 0.0..0.9_f64,
        unbuilt in any::<bool>(),
        repair in any::<bool>(),
    ) {
        let body = Body::new(block(1e5), bend(axis, rate));
        let problem = fall(&body.lattice, body.lattice.momentum(TIME_STEP), friction);
        let settings = CorrectiveMotionSettings {
            delassus: if unbuilt { DelassusForm::MatrixFree } else { DelassusForm::Assembled },
            momentum_repair: repair,
            ..settings(10.0)
        };
        let mut solver = told(settings, vec![body.turned(0)]);
        let mut solution = ContactSolution::at_rest(&problem);
        let report = solver.solve(&problem, &mut solution).expect("sound");
        prop_assert_eq!(report.termination, Termination::Converged);
        let condensed = solver.condense(&problem).expect("sound");
        let forces: Vec<Vector3<f64>> = solution.contacts.iter().map(|m| {
            let [f1, f2] = m.friction_force();
            Vector3::new(m.lambda, f1, f2)
        }).collect();
        let mut expected = vec![Vector3::zeros(); forces.len()];
        condensed.delassus().multiply_into(&forces, &mut expected);
        let moved = dense_rows(&problem) * DVector::from_column_slice(&solution.velocity);
        for contact in 0..forces.len() {
            let linear = moved.fixed_rows::<3>(3 * contact) - problem.offset(contact);
            let expected = expected[contact] + condensed.free_velocity()[contact];
            prop_assert!((linear - expected).amax() < 1e-10, "{linear} {expected}");
        }
        let judged = residual(&problem, &solution);
        prop_assert!(judged.normal < settings.tolerances.gap && judged.friction < settings.tolerances.slip);
        prop_assert!(judged.penetration < settings.tolerances.gap);
    }

    /// With the momentum projection, a free body gets the momentum of the contact impulses; without, it does not.
    #[test]
    fn repaired_momentum_is_that_of_the_impulses(axis in axis(), rate in 10.0..30.0_f64, seed in 0_usize..18) {
        let body = Body::new(block(1e5), bend(axis, rate));
        let problem = ContactProblem::new(TIME_STEP, body.lattice.momentum(TIME_STEP), vec![0.0; 54]);
        let impulse = Vector3::new(0.3, -0.5, 1.0);
        let balance = |repair: bool| {
            let settings = CorrectiveMotionSettings { momentum_repair: repair, ..settings(1.0) };
            let mut velocity = vec![0.0; 54];
            velocity[3 * seed..3 * seed + 3].copy_from_slice(impulse.as_slice());
            told(settings, vec![body.turned(0)]).respond(&problem, &mut velocity).expect("sound");
            let lattice = &body.lattice;
            let (mut linear, mut angular) = (-impulse, -lattice.nodes[seed].cross(&impulse));
            for (node, v) in velocity.chunks_exact(3).enumerate() {
                let p = Vector3::from_column_slice(v) * lattice.masses[node];
                linear += p;
                angular += lattice.nodes[node].cross(&p);
            }
            (linear.norm() / impulse.norm(), angular.norm() / (0.03 * impulse.norm()))
        };
        let (linear, angular) = balance(true);
        prop_assert!(linear < 1e-12 && angular < 1e-12, "{linear:e} {angular:e}");
        let (linear, _) = balance(false);
        prop_assert!(linear > 1e-7, "{linear:e}");
    }

    /// Without rotation, and with the matrix at rest, exact and warped steps agree.
    #[test]
    fn without_turns_it_is_exact(friction in 0.0..0.9_f64, repair in any::<bool>()) {
        let body = Body::new(block(1e5), |_| Matrix3::identity());
        let problem = fall(&body.lattice, body.lattice.momentum(TIME_STEP), friction);
        // Tolerances far below the compared differences, also of the free motion.
        let tight = CorrectiveMotionSettings { momentum_repair: repair, ..settings(1e9) };
        let mut exact = ContactSolution::at_rest(&problem);
        let mut warped = exact.clone();
        CorrectiveMotion::exact(tight).solve(&problem, &mut exact).expect("sound");
        told(tight, vec![body.turned(0)]).solve(&problem, &mut warped).expect("sound");
        for (a, b) in exact.velocity.iter().zip(&warped.velocity) {
            prop_assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
    }

    /// Assembled and matrix-free operators agree: without friction, velocities are equal within the tolerances.
    #[test]
    fn built_and_unbuilt_agree(axis in axis(), rate in -20.0..20.0_f64, warped in any::<bool>()) {
        let body = Body::new(block(1e5), bend(axis, rate));
        let problem = fall(&body.lattice, body.lattice.momentum(TIME_STEP), 0.0);
        let answer = |delassus| {
            let settings = CorrectiveMotionSettings { delassus, ..settings(1e4) };
            let mut solver = if warped {
                told(settings, vec![body.turned(0)])
            } else {
                CorrectiveMotion::exact(settings)
            };
            let mut solution = ContactSolution::at_rest(&problem);
            let report = solver.solve(&problem, &mut solution).expect("sound");
            assert_eq!(report.termination, Termination::Converged);
            dense_rows(&problem) * DVector::from_column_slice(&solution.velocity)
        };
        let difference = answer(DelassusForm::Assembled) - answer(DelassusForm::MatrixFree);
        prop_assert!(difference.iter().step_by(3).all(|gap| gap.abs() < 1e-8), "{difference}");
    }

    /// Blocks without a body are rigid; without friction, every set of active contacts is tried.
    #[test]
    fn rigid_bodies_meet_as_a_complementarity_problem_says(
        masses in prop::array::uniform4(0.1..5.0_f64),
        falls in prop::array::uniform4(-2.0..0.5_f64),
        gaps in prop::array::uniform4(0.0..1e-3_f64),
    ) {
        let velocities = falls.map(|fall| Vector3::new(0.1, 0.2, fall));
        let mut problem = particles(&masses, &velocities);
        push(&mut problem, &ground(), &[(0, 1.0)], Vector3::new(-gaps[0], 0.0, 0.0), 0.0);
        for (upper, gap) in (1..4).zip(&gaps[1..]) {
            let weights = [(upper, 1.0), (upper - 1, -1.0)];
            push(&mut problem, &ground(), &weights, Vector3::new(-gap, 0.0, 0.0), 0.0);
        }
        let mut solution = ContactSolution::at_rest(&problem);
        let mut solver = CorrectiveMotion::warped(settings(1e9));
        solver.solve(&problem, &mut solution).expect("sound");
        let velocity = by_enumeration(&problem);
        for (found, expected) in solution.velocity.iter().zip(velocity.iter()) {
            prop_assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
    }
}

/// Forces known before a solve carry no error of the compliance. Repeated solves with their own forces balance momentum
/// better each time, and converge to the exact solution.
#[test]
fn known_forces_carry_no_error() {
    let body = Body::new(block(1e5), bend(Vector3::y(), 5.0));
    let free = fall(&body.lattice, body.lattice.momentum(TIME_STEP), 0.4);
    carry_no_error(&body, &free);
    // A joint, and a softer one, hold two nodes.
    let mut held = free;
    for (block, compliance) in [(17, 0.0), (9, 1e-4)] {
        held.constraints.push(&ConstraintGroup {
            blocks: &[block],
            jacobian: &Matrix3::identity()
                .column_iter()
                .map(|e| e * TIME_STEP)
                .collect::<Vec<_>>(),
            offset: &[TIME_STEP, 0.0, -TIME_STEP],
            compliance: Matrix3::from_diagonal_element(compliance).as_slice(),
            unilateral: false,
        });
    }
    carry_no_error(&body, &held);
}

fn carry_no_error(body: &Body, problem: &ContactProblem) {
    let tight = settings(1e3);
    let from = |start: &ContactSolution, corrections: u32| {
        let settings = CorrectiveMotionSettings {
            corrections,
            ..tight
        };
        let mut solution = start.clone();
        let report = told(settings, vec![body.turned(0)])
            .solve(problem, &mut solution)
            .expect("sound");
        assert_eq!(report.termination, Termination::Converged);
        solution
    };
    let off = |solution: &ContactSolution| residual(problem, solution).momentum;
    let cold = from(&ContactSolution::at_rest(problem), 0);
    let warm = from(&cold, 0);
    let corrected = from(&ContactSolution::at_rest(problem), 1);
    assert!(off(&cold) > 100.0 * tight.tolerances.momentum);
    assert!(
        off(&warm) < 0.5 * off(&cold),
        "{} {}",
        off(&warm),
        off(&cold)
    );
    assert!(off(&corrected) < 0.5 * off(&cold), "{}", off(&corrected));

    let balanced = from(&ContactSolution::at_rest(problem), 100);
    let judged = residual(problem, &balanced);
    assert!(judged.momentum < tight.tolerances.momentum);
    assert!(judged.constraint < tight.tolerances.gap);
    let mut exact = ContactSolution::at_rest(problem);
    CorrectiveMotion::exact(tight)
        .solve(problem, &mut exact)
        .expect("sound");
    let apart = |a: &ContactSolution, b: &ContactSolution| {
        let pairs = a.velocity.iter().zip(&b.velocity);
        pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    };
    let [near, far] = [&balanced, &cold].map(|solution| apart(solution, &exact));
    assert!(near < 0.01 * far, "{near} {far}");
}

/// Wrong known forces do no harm.
#[test]
fn forces_that_lead_astray_are_given_up() {
    let body = Body::new(block(1e5), bend(Vector3::y(), 5.0));
    let problem = fall(&body.lattice, body.lattice.momentum(TIME_STEP), 0.4);
    let from = |start: &ContactSolution| {
        let mut solution = start.clone();
        told(settings(1e3), vec![body.turned(0)])
            .solve(&problem, &mut solution)
            .expect("sound");
        solution
    };
    let cold = from(&ContactSolution::at_rest(&problem));
    let mut nonsense = cold.clone();
    for contact in &mut nonsense.contacts {
        contact.lambda = 1e5 * (1.0 + contact.lambda);
    }
    let off = |solution: &ContactSolution| residual(&problem, solution).momentum;
    let astray = from(&nonsense);
    assert!(off(&astray) < off(&cold), "{} {}", off(&astray), off(&cold));
}

/// Sweeps converge to the forces of Newton's method for the condensed problem, redundant contacts summed; on the cone
/// to rounding and within a micrometre.
#[test]
fn sweeps_end_where_newton_does() {
    let body = Body::new(block(1e5), bend(Vector3::y(), 15.0));
    let problem = fall(&body.lattice, body.lattice.momentum(TIME_STEP), 0.4);
    let mut solver = told(settings(1e3), vec![body.turned(0)]);
    let mut solution = ContactSolution::at_rest(&problem);
    let report = solver.solve(&problem, &mut solution).expect("sound");
    assert_eq!(report.termination, Termination::Converged);
    assert!(
        report.sweeps <= 1000 && report.iterations == 0,
        "{report:?}"
    );

    let condensed = solver.condense(&problem).expect("sound");
    let mut forces = vec![Vector3::zeros(); problem.contacts()];
    let target = Target { tolerance: 1e-12 };
    let newton = ProximalNewton::default()
        .solve(&condensed, &mut forces, &target)
        .expect("sound");
    assert!(newton.converged, "{newton:?}");
    let swept: f64 = solution.contacts.iter().map(|m| m.lambda).sum();
    let found: f64 = forces.iter().map(|f| f.x).sum();
    assert!((swept / found - 1.0).abs() < 1e-3, "{swept} {found}");
    for m in &solution.contacts {
        let [f1, f2] = m.friction_force();
        assert!(f1.hypot(f2) - 0.4 * m.lambda <= 1e-9);
    }
    assert!(residual(&problem, &solution).penetration <= 1e-6);
}

/// The frictionless solution by enumeration of all sets of active contacts.
fn by_enumeration(problem: &ContactProblem) -> DVector<f64> {
    let a = DMatrix::from(&problem.momentum.to_csr());
    let inverse = a.try_inverse().expect("has mass");
    let rows = dense_rows(problem);
    let contacts = problem.contacts();
    let normal = DMatrix::from_fn(contacts, rows.ncols(), |i, j| rows[(3 * i, j)]);
    let offsets = DVector::from_fn(contacts, |i, _| problem.offset(i).x);
    let free = &inverse * DVector::from_column_slice(&problem.rhs);
    for set in 0..1_u32 << contacts {
        let touching: Vec<usize> = (0..contacts).filter(|i| set >> i & 1 == 1).collect();
        let j = normal.select_rows(&touching);
        let w = &j * &inverse * j.transpose();
        let missing = offsets.select_rows(&touching) - &j * &free;
        let Some(forces) = w.cholesky().map(|factors| factors.solve(&missing)) else {
            continue;
        };
        let velocity = &free + &inverse * j.transpose() * &forces;
        let apart = &normal * &velocity - &offsets;
        if forces.iter().all(|f| *f >= -1e-9) && apart.iter().all(|g| *g >= -1e-12) {
            return velocity;
        }
    }
    panic!("a complementarity problem with a positive definite matrix has a solution");
}

/// A single particle: `C = Δt²/m` in the contact's units (checks the sign and the factor Δt²).
#[test]
fn a_particle_yields_by_its_mass() {
    let mut problem = particles(&[2.0], &[Vector3::zeros()]);
    push(&mut problem, &ground(), &[(0, 1.0)], Vector3::zeros(), 0.5);
    let mut solver = CorrectiveMotion::warped(settings(1.0));
    let w = solver.condense(&problem).expect("sound");
    let expected = Matrix3::identity() * (TIME_STEP * TIME_STEP / 2.0);
    assert!((w.delassus().diagonal(0) - expected).amax() < 1e-15 * expected.amax());
}

/// A stored compliance gives the bits of a computed one.
#[test]
fn stored_numbers_serve_as_well() {
    let lattice = block(1e5);
    let momentum = lattice.momentum(TIME_STEP);
    let surface: Vec<u32> = (0..18).filter(|node| node % 3 != 1).collect();
    let computed = RestCompliance::new(&momentum, surface.clone()).expect("has mass");
    assert_eq!(computed.surface(), surface);
    let numbers = computed.compliance().to_vec();
    let restored =
        RestCompliance::from_stored(&momentum, surface.clone(), numbers.clone()).expect("fits");
    assert_eq!(restored.compliance(), computed.compliance());
    assert_eq!(restored.blocks(), 18);
    let refused = RestCompliance::from_stored(&momentum, surface, numbers[1..].to_vec());
    assert_eq!(
        refused.err(),
        Some(ContactError::ComplianceSize {
            found: 143,
            expected: 144
        })
    );
}

#[test]
fn a_body_that_nothing_holds_and_nothing_slows_has_no_compliance() {
    let lattice = block(1e5);
    let mut stiffness = lattice.momentum(TIME_STEP);
    for (block, mass) in lattice.masses.iter().enumerate() {
        *stiffness.diagonal_block_mut(block) -= Matrix3::from_diagonal_element(*mass);
    }
    let refused = RestCompliance::new(&stiffness, vec![0]).err();
    assert!(
        matches!(refused, Some(ContactError::SingularCompliance { .. })),
        "{refused:?}"
    );
    // Held at one corner it can still rotate about it.
    *stiffness.diagonal_block_mut(0) += Matrix3::from_diagonal_element(1.0);
    let refused = RestCompliance::new(&stiffness, vec![0]).err();
    assert!(
        matches!(refused, Some(ContactError::SingularCompliance { .. })),
        "{refused:?}"
    );
}

/// A joint between a body at rest and a rigid one, whose blocks are unknown, coupled by a little geometric stiffness.
#[test]
fn joints_between_soft_and_rigid_bodies_balance() {
    let body = Body::new(block(1e5), |_| Matrix3::identity());
    let count = body.lattice.nodes.len();
    let soft = body.lattice.momentum(TIME_STEP);
    let coupled =
        [(5, count), (5, count + 1), (count, count + 1)].map(|(a, b)| (a as u32, b as u32));
    let pairs = (0..count).flat_map(|row| {
        let columns = &soft.pattern().columns()[soft.pattern().row(row)];
        columns.iter().map(move |&column| (row as u32, column))
    });
    let pattern = BlockPattern::from_pairs(count + 2, pairs.chain(coupled));
    let mut momentum = SymmetricBlockMatrix::zeros(pattern);
    for row in 0..count {
        for slot in soft.pattern().row(row) {
            let column = soft.pattern().columns()[slot] as usize;
            let place = momentum.pattern().slot(row, column).expect("copied");
            *momentum.block_mut(place) = *soft.block(slot);
        }
    }
    for rigid in [count, count + 1] {
        *momentum.diagonal_block_mut(rigid) = Matrix3::from_diagonal_element(0.05);
    }
    let rhs = (0..3 * (count + 2))
        .map(|i| 1e-3 * (i % 7) as f64)
        .collect();
    let mut problem = ContactProblem::new(TIME_STEP, momentum, rhs);
    let mut jacobian = Vec::new();
    for axis in 0..3 {
        let e = Vector3::ith(axis, TIME_STEP);
        jacobian.extend([
            e,
            -e,
            0.7 * e.cross(&Vector3::new(1.0, 2.0, 3.0).normalize()),
        ]);
    }
    problem.constraints.push(&ConstraintGroup {
        blocks: &[5, count as u32, count as u32 + 1],
        jacobian: &jacobian,
        offset: &[TIME_STEP, 0.0, -TIME_STEP],
        compliance: &[0.0; 9],
        unilateral: false,
    });
    let tight = settings(1e6);
    let solved = [
        CorrectiveMotion::exact(tight),
        told(tight, vec![body.turned(0)]),
    ];
    let [exact, warped] = solved.map(|mut by| {
        let mut solution = ContactSolution::at_rest(&problem);
        by.solve(&problem, &mut solution).expect("sound");
        solution
    });
    for (a, b) in exact.velocity.iter().zip(&warped.velocity) {
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
}
