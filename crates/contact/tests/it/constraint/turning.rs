//! Forces at the arms of a rotating body: second derivatives in both coordinates, and their projection.

use super::catalogue::Numbers;
use impinge_contact::constraint::{ArmForce, TurningSum};
use impinge_krylov::direct::symmetric_eigen;
use nalgebra::{DMatrix, Matrix3, UnitQuaternion, Vector3};
use proptest::prelude::*;

/// Step of the differences (rad): rounding over `h²` and the fourth derivative times `h²` are both near 1e-7.
const STEP: f64 = 3e-4;

fn forces(numbers: &mut Numbers, count: usize) -> Vec<ArmForce> {
    let force = |numbers: &mut Numbers| ArmForce {
        body: 0,
        force: numbers.vector(),
        arm: numbers.vector(),
    };
    (0..count).map(|_| force(numbers)).collect()
}

fn sum(forces: &[ArmForce]) -> TurningSum {
    let mut sum = TurningSum::default();
    for force in forces {
        sum.add(force);
    }
    sum
}

/// `∇² Σ f·(R(θ) r)` at `θ = 0` by central differences.
fn hessian(
    forces: &[ArmForce],
    turn: impl Fn(Vector3<f64>) -> UnitQuaternion<f64>,
) -> Matrix3<f64> {
    let value = |theta: Vector3<f64>| -> f64 {
        let turned = turn(theta);
        forces
            .iter()
            .map(|at| at.force.dot(&(turned * at.arm)))
            .sum()
    };
    Matrix3::from_fn(|i, k| {
        let at = |si: f64, sk: f64| value(Vector3::ith(i, si * STEP) + Vector3::ith(k, sk * STEP));
        (at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0)) / (4.0 * STEP * STEP)
    })
}

fn largest_eigenvalue(matrix: &Matrix3<f64>) -> f64 {
    let dense = DMatrix::from_column_slice(3, 3, matrix.as_slice());
    symmetric_eigen(&dense).expect("finite").0[2]
}

proptest! {
    #![proptest_config(crate::support::cases(20))]

    /// The two forms are the second derivatives of the work in their coordinates.
    #[test]
    fn both_coordinates_are_those_of_their_hessian(seed in any::<u64>(), count in 1_usize..4) {
        let mut numbers = Numbers::new(seed);
        let forces = forces(&mut numbers, count);
        let sum = sum(&forces);
        let exponential = hessian(&forces, UnitQuaternion::from_scaled_axis);
        prop_assert!((sum.stiffness - exponential).amax() < 1e-6);

        let axis = numbers.vector().normalize();
        let about = hessian(&forces, |theta| {
            let along = axis * axis.dot(&theta);
            UnitQuaternion::from_scaled_axis(theta - along) * UnitQuaternion::from_scaled_axis(along)
        });
        prop_assert!((sum.about(&axis) - about).amax() < 1e-6);
    }

    /// With balanced moments the second derivative is the same in all coordinates.
    #[test]
    fn coordinates_do_not_matter_in_equilibrium(seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let mut forces = forces(&mut numbers, 2);
        // A couple at two more arms balances the moment of the first two.
        let moment = sum(&forces).moment;
        let arm = moment.cross(&numbers.vector()).normalize();
        let force = arm.cross(&moment) * 0.5;
        for sign in [-1.0, 1.0] {
            forces.push(ArmForce { body: 0, force: force * sign, arm: arm * sign });
        }
        let sum = sum(&forces);
        prop_assert!(sum.moment.norm() < 1e-12, "{}", sum.moment);
        let axis = numbers.vector().normalize();
        prop_assert!((sum.about(&axis) - sum.stiffness).amax() < 1e-12);
    }

    /// A force at one arm resists swings by its component along the arm, and no rotation about it, whatever its
    /// direction.
    #[test]
    fn a_pull_at_an_arm_needs_no_projection(seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let mut at = forces(&mut numbers, 1)[0];
        if at.force.dot(&at.arm) < 0.0 {
            at.force = -at.force;
        }
        let along = at.arm.normalize();
        let swings = Matrix3::identity() - along * along.transpose();
        let expected = swings * -at.force.dot(&at.arm);
        let sum = sum(&[at]);
        prop_assert!((sum.resisting() - expected).amax() < 1e-12 * (1.0 + expected.amax()));
        at.force = -at.force;
        let mut pushed = TurningSum::default();
        pushed.add(&at);
        prop_assert!(pushed.resisting().amax() < 1e-12 * (1.0 + expected.amax()));
    }

    /// The projection never adds energy.
    #[test]
    fn resisting_rows_have_no_positive_part(seed in any::<u64>(), count in 1_usize..5) {
        let mut numbers = Numbers::new(seed);
        let resisting = sum(&forces(&mut numbers, count)).resisting();
        prop_assert!(largest_eigenvalue(&resisting) < 1e-12);
    }
}

/// Two equally loaded perpendicular arms: neither is a better axis, so rounding must not choose one.
#[test]
fn arms_across_each_other_leave_no_choice_to_rounding() {
    for off in [0.0, 1e-12, -1e-12, 1e-6, -1e-6] {
        let at = |force, arm| ArmForce {
            body: 0,
            force,
            arm,
        };
        let sum = sum(&[
            at(Vector3::y(), Vector3::x()),
            at(-Vector3::x() * (1.0 + off), Vector3::y()),
        ]);
        let resisting = sum.resisting();
        assert!(
            resisting.amax() <= 10.0 * f64::abs(off),
            "{off}: {resisting}"
        );
    }
}
