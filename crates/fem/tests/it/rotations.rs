//! Rotations of points: closed forms, and equivariance.

use crate::support::{Random, cuboid, materials, model};
use nalgebra::{Matrix3, Rotation3, Vector3};

fn rotations(model: &impinge_fem::ElasticModel, positions: &[Vector3<f64>]) -> Vec<Matrix3<f64>> {
    let mut rotations = vec![Matrix3::zeros(); positions.len()];
    model.node_rotations_into(positions, &mut rotations);
    rotations
}

#[test]
fn a_turned_and_stretched_body_has_its_turn_everywhere() {
    let mesh = cuboid([2, 2, 3], 0.3);
    let model = model(&mesh, &materials()[0]);
    let mut random = Random(5);
    for _ in 0..20 {
        let turn = random.rotation();
        // A symmetric stretch has no rotation of its own.
        let half = random.matrix() * 0.2;
        let stretch = Matrix3::identity() + half + half.transpose();
        let shift = random.vector();
        let x: Vec<_> = mesh
            .points
            .iter()
            .map(|x| turn * stretch * x + shift)
            .collect();
        for rotation in rotations(&model, &x) {
            assert!((rotation - turn).amax() < 1e-12, "{rotation} {turn}");
        }
    }
}

/// `R(Q x + t) = Q R(x)` for any deformation, inverted elements included.
#[test]
fn turning_a_deformed_body_turns_its_rotations() {
    let mesh = cuboid([2, 2, 2], 0.2);
    let model = model(&mesh, &materials()[0]);
    let mut random = Random(11);
    for _ in 0..20 {
        let x: Vec<_> = mesh
            .points
            .iter()
            .map(|x| x + random.vector() * 0.05)
            .collect();
        let (turn, shift) = (random.rotation(), random.vector());
        let turned: Vec<_> = x.iter().map(|x| turn * x + shift).collect();
        let pairs = rotations(&model, &x)
            .into_iter()
            .zip(rotations(&model, &turned));
        for (before, after) in pairs {
            assert!((turn * before - after).amax() < 1e-8);
            assert!((before.determinant() - 1.0).abs() < 1e-12);
            assert!((before.tr_mul(&before) - Matrix3::identity()).amax() < 1e-12);
        }
    }
}

/// The points of a twisted bar rotate by the angle of their height.
#[test]
fn a_twisted_bar_turns_with_height() {
    let mesh = cuboid([2, 2, 12], 0.0);
    let model = model(&mesh, &materials()[0]);
    let rate = 0.8;
    let turn = |x: &Vector3<f64>| Rotation3::from_axis_angle(&Vector3::z_axis(), rate * x.z);
    let x: Vec<_> = mesh.points.iter().map(|x| turn(x) * x).collect();
    for (rotation, rest) in rotations(&model, &x).iter().zip(&mesh.points) {
        // Off the axis a twist shears, which rotates too: the rotation is that of the whole gradient.
        let shear = Vector3::z().cross(rest) * rate;
        let gradient =
            turn(rest).matrix() * (Matrix3::identity() + shear * Vector3::z().transpose());
        let svd = gradient.svd(true, true);
        let expected = svd.u.expect("wanted") * svd.v_t.expect("wanted");
        let off = expected.tr_mul(rotation);
        let angle = (0.5 * (off.trace() - 1.0)).clamp(-1.0, 1.0).acos();
        // The mean is over elements within one layer of the point; at an end all of them are on one side.
        assert!(angle < rate * 0.1, "{angle} at {rest}");
    }
}

#[test]
fn points_without_elements_do_not_turn() {
    let mut mesh = cuboid([1, 1, 1], 0.0);
    mesh.points.push(Vector3::new(5.0, 0.0, 0.0));
    let model = model(&mesh, &materials()[0]);
    let turn = Random(2).rotation();
    let x: Vec<_> = mesh.points.iter().map(|x| turn * x).collect();
    let rotations = rotations(&model, &x);
    assert!((rotations[mesh.points.len() - 1] - Matrix3::identity()).amax() < 1e-15);
    assert!((rotations[0] - turn).amax() < 1e-12);
}
