//! The stiffness of forces on a rigid body, its part that is not symmetric included, against central differences.

use impinge_contact::constraint::joint::{JointPlace, Side};
use impinge_contact::constraint::{
    BodyBlocks, Configuration, Evaluation, Frame, GeometricStiffness, Layout, Placement, Point,
    link,
};
use impinge_sim::constrained::{ConstrainedStepper, ConstrainedSystem, StepSettings, box_inertia};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

const TIME_STEP: f64 = 1e-2;

/// A box on a ball joint at one corner and on a spring at another, with forces of the last step (N).
fn hung_box() -> ConstrainedSystem {
    let mut system = ConstrainedSystem::new(Vector3::new(0.0, 0.0, -9.81));
    let inertia = box_inertia(Vector3::new(0.2, 0.1, 0.05), 3.0).expect("sound");
    let centre = Vector3::new(0.3, 0.1, -0.2);
    let orientation = UnitQuaternion::from_euler_angles(0.3, -0.8, 1.1);
    let body = system.add_body(inertia, centre, orientation);
    let frames = system.frames();
    let place = JointPlace {
        first: Side::World,
        second: Side::Body(body),
        anchor: centre + orientation * Vector3::new(0.1, 0.05, 0.025),
        state: Configuration {
            particles: &[],
            frames: &frames,
        },
    };
    system.constraints.push(place.ball().expect("sound"));
    let hook = Point::fixed(Vector3::new(0.5, -0.2, 0.4));
    let held = Point::on_body(body, Vector3::new(-0.1, 0.05, 0.025));
    let spring = link::spring(&hook, held, 0.3, 1e-3).expect("sound");
    system.constraints.push(spring);
    system.forces = vec![40.0, -25.0, 60.0, -80.0];
    system.has_history = vec![true; 2];
    system
}

/// Moment (N·m) of the forces on the body, turned by `turn` (rad) from its pose, about its centre in world axes.
fn moment(system: &ConstrainedSystem, turn: Vector3<f64>) -> Vector3<f64> {
    let mut frames = system.frames();
    let Frame { orientation, .. } = &mut frames[0];
    *orientation = UnitQuaternion::from_scaled_axis(turn) * *orientation;
    let bodies = [Some(BodyBlocks {
        first: 0,
        axes: Matrix3::identity(),
    })];
    let placement = Placement {
        state: Configuration {
            particles: &[],
            frames: &frames,
        },
        layout: Layout {
            particles: &[],
            bodies: &bodies,
        },
    };
    let (mut sum, mut first) = (Vector3::zeros(), 0);
    for constraint in &system.constraints {
        let mut evaluation = Evaluation::default();
        evaluation.rows(constraint, &placement);
        assert_eq!(evaluation.blocks, [0, 1], "translation and rotation");
        for row in 0..constraint.rows() {
            sum += evaluation.jacobian[2 * row + 1] * system.forces[first + row];
        }
        first += constraint.rows();
    }
    sum
}

/// A step of the box: the stepper has its equations and their solution.
fn step(unsymmetric: bool) -> ConstrainedStepper {
    let mut system = hung_box();
    let settings = StepSettings {
        geometric_stiffness: GeometricStiffness::Symmetric,
        unsymmetric,
        dry_solves: 0,
        ..StepSettings::default()
    };
    let mut stepper = ConstrainedStepper::new(&mut system, settings).expect("sound");
    stepper.advance(&mut system, TIME_STEP).expect("solved");
    stepper
}

/// Implicit forces change by `h D ω` during a step, so momentum has the matrix `M − h² D`. Its symmetric part is in
/// the matrix; the product of the other part with the solution is on the right-hand side of the judged problem.
#[test]
fn both_parts_of_the_stiffness_are_the_derivative_of_the_moment() {
    let system = hung_box();
    // Central differences: their error is about the square of the turn.
    let turn = 1e-5;
    let derivative = Matrix3::from_columns(&[0, 1, 2].map(|axis| {
        let by = Vector3::ith(axis, turn);
        (moment(&system, by) - moment(&system, -by)) / (2.0 * turn)
    }));
    let body = &system.bodies[0];
    let axes = body.state.pose.orientation.to_rotation_matrix() * body.inertia.unit_axes();
    let expected = axes.transpose() * derivative * axes * (-TIME_STEP * TIME_STEP);
    let symmetric = (expected + expected.transpose()) * 0.5;
    let skew = expected - symmetric;

    let (with, without) = (step(true), step(false));
    let matrix = with.problem().momentum.diagonal_block(1);
    let stiffness = matrix - Matrix3::identity() * body.inertia.mass();
    assert!((stiffness - symmetric).norm() < 1e-7 * symmetric.norm());

    let block = |values: &[f64]| Vector3::from_column_slice(&values[3..6]);
    let impulse = block(&without.problem().rhs) - block(&with.problem().rhs);
    let expected = skew * block(&with.solution().velocity);
    assert!(expected.norm() > 1e-4, "{expected}: the body turns");
    let off = (impulse - expected).norm();
    assert!(off < 1e-7 * expected.norm(), "{impulse} {expected}");
}
