//! Frames are orthonormal and right-handed, and rotate as little as possible.

use impinge_contact::frame::ContactFrame;
use nalgebra::{Matrix3, Rotation3, Vector3};
use proptest::prelude::*;

/// A few roundings of numbers of order one.
const ROUNDING: f64 = 1e-13;

fn unit() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-1.0..1.0_f64)
        .prop_map(Vector3::from)
        .prop_filter("long enough to have a direction", |v| v.norm() > 1e-3)
        .prop_map(|v| v.normalize())
}

fn assert_orthonormal(frame: &ContactFrame) {
    let rows = frame.rows();
    assert!((rows * rows.transpose() - Matrix3::identity()).amax() < ROUNDING);
    assert!((rows.determinant() - 1.0).abs() < ROUNDING);
}

proptest! {
    #![proptest_config(super::support::cases(256))]

    #[test]
    fn around_any_normal_is_orthonormal(normal in unit()) {
        let frame = ContactFrame::around(normal);
        assert_orthonormal(&frame);
        prop_assert_eq!(frame.normal, normal);
    }

    #[test]
    fn transport_is_orthonormal_and_keeps_the_tangent(from in unit(), to in unit()) {
        let frame = ContactFrame::around(from);
        let turned = frame.transported(to);
        assert_orthonormal(&turned);
        prop_assert_eq!(turned.normal, to);
        // The old tangent has no component along the new second tangent: the first tangent is as close as possible.
        let along_second = turned.tangents[1].dot(&frame.tangents[0]);
        prop_assert!(along_second.abs() < 1e-9 || (frame.tangents[0].cross(&to)).norm() < 2e-3);
    }

    #[test]
    fn tangential_components_are_those_of_the_rows(normal in unit(), vector in unit()) {
        let frame = ContactFrame::around(normal);
        let all = frame.rows() * vector;
        let [first, second] = frame.tangential(&vector);
        prop_assert!((first - all.y).abs() < ROUNDING && (second - all.z).abs() < ROUNDING);
    }
}

#[test]
fn transport_to_the_same_normal_changes_nothing() {
    let frame = ContactFrame::around(Vector3::new(2.0, -1.0, 0.5).normalize());
    assert!((frame.transported(frame.normal).rows() - frame.rows()).amax() < ROUNDING);
}

#[test]
fn normals_along_the_axes_have_frames() {
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            assert_orthonormal(&ContactFrame::around(Vector3::ith(axis, sign)));
        }
    }
}

/// The normal turns onto the old first tangent: the first tangent must turn with it, onto minus the old normal, as
/// the rotation by a right angle about the second one does.
#[test]
fn a_normal_that_becomes_the_tangent_rotates_the_frame() {
    let frame = ContactFrame::around(Vector3::z());
    let turned = frame.transported(frame.tangents[0]);
    let rotation = Rotation3::new(frame.tangents[1] * std::f64::consts::FRAC_PI_2);
    assert!((turned.rows() - frame.rows() * rotation.inverse().matrix()).amax() < ROUNDING);
    let back = frame.transported(-frame.tangents[0]);
    assert_orthonormal(&back);
    assert!((back.tangents[0] - frame.normal).norm() < ROUNDING);
}
