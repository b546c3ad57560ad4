//! Viscous forces: their limit at rest, rigid motions, their sign.

use impinge_fem::thin::Hinge;
use impinge_fem::{Hyperelastic, Material, TetElement};
use nalgebra::{Rotation3, Vector3};

const REST: [[f64; 3]; 4] = [
    [0.0, 0.1, 0.0],
    [0.9, 0.0, 0.2],
    [0.1, 1.1, 0.0],
    [0.2, 0.1, 0.8],
];
const VELOCITIES: [[f64; 3]; 4] = [
    [0.3, -0.2, 0.5],
    [-0.4, 0.1, 0.2],
    [0.7, 0.6, -0.3],
    [0.1, -0.8, 0.4],
];
const TIME: f64 = 0.02;

fn points(x: [[f64; 3]; 4]) -> [Vector3<f64>; 4] {
    x.map(Vector3::from)
}

fn element() -> TetElement {
    TetElement::new([0, 1, 2, 3], &points(REST)).expect("not flat")
}

fn deformed() -> [Vector3<f64>; 4] {
    let mut x = points(REST);
    x[1] += Vector3::new(0.6, 0.2, -0.3);
    x[3] += Vector3::new(-0.1, 0.5, 0.9);
    x
}

/// At rest they are the change of the elastic forces along the velocities, for every material.
#[test]
fn at_rest_viscous_forces_are_stiffness_times_velocity() {
    let (element, x, v) = (element(), points(REST), points(VELOCITIES));
    for material in [
        Material::corotational(1e4, 0.3),
        Material::st_venant_kirchhoff(1e4, 0.3),
        Material::neo_hookean(1e4, 0.3),
    ] {
        let material = material.expect("a sound material");
        let forces = element.viscous_forces(&material.lame(), TIME, &x, &v);
        let step = 1e-5;
        let elastic = |by: f64| {
            let moved: [Vector3<f64>; 4] = std::array::from_fn(|k| x[k] + v[k] * by);
            element.forces(&material.stress(&element.deformation(&moved)))
        };
        let (after, before) = (elastic(step), elastic(-step));
        for k in 0..4 {
            let expected = (after[k] - before[k]) * (TIME / (2.0 * step));
            let off = (forces[k] - expected).norm();
            assert!(off < 1e-6 * expected.norm(), "{off:e}");
        }
    }
}

#[test]
fn viscous_forces_have_no_resultant_and_take_energy() {
    let (element, x, v) = (element(), deformed(), points(VELOCITIES));
    let lame = Material::neo_hookean(1e4, 0.3).expect("sound").lame();
    let forces = element.viscous_forces(&lame, TIME, &x, &v);
    let size: f64 = forces.iter().map(Vector3::norm).sum();
    let torque: Vector3<f64> = x.iter().zip(&forces).map(|(x, f)| x.cross(f)).sum();
    assert!(forces.iter().sum::<Vector3<f64>>().norm() < 1e-14 * size);
    assert!(torque.norm() < 1e-14 * size, "{torque}");
    let power: f64 = forces.iter().zip(&v).map(|(f, v)| f.dot(v)).sum();
    assert!(power < -0.01 * size, "{power}");
}

/// A rigid motion of a deformed body has no viscous forces, and rotating the body rotates its forces.
#[test]
fn viscous_forces_do_not_see_rigid_motions() {
    let (element, x) = (element(), deformed());
    let lame = Material::neo_hookean(1e4, 0.3).expect("sound").lame();
    let spin = Vector3::new(0.4, -1.0, 2.0);
    let rigid = x.map(|x| spin.cross(&x) + Vector3::new(1.0, 2.0, 3.0));
    let v = points(VELOCITIES);
    let size = element.viscous_forces(&lame, TIME, &x, &v)[0].norm();
    for force in element.viscous_forces(&lame, TIME, &x, &rigid) {
        assert!(force.norm() < 1e-13 * size, "{force}");
    }
    let turn = Rotation3::new(Vector3::new(0.5, 0.6, -1.2));
    let turned = element.viscous_forces(&lame, TIME, &x.map(|x| turn * x), &v.map(|v| turn * v));
    for (turned, plain) in turned
        .iter()
        .zip(element.viscous_forces(&lame, TIME, &x, &v))
    {
        assert!((turned - turn * plain).norm() < 1e-13 * size);
    }
}

/// The damping forces of a hinge are its tangent times the velocities, exact at rest, and vanish for rigid motions.
#[test]
fn damping_of_a_hinge_is_its_tangent_times_velocity() {
    let hinge = Hinge::new([0, 1, 2, 3], &points(REST), 0.3).expect("not flat");
    let (x, v) = (deformed(), points(VELOCITIES));
    let forces = hinge.damping_forces(TIME, &x, &v);
    let tangent = hinge.tangent(&x);
    for (force, row) in forces.iter().zip(tangent) {
        let expected: Vector3<f64> = row.iter().zip(&v).map(|(k, v)| k * v * -TIME).sum();
        assert!((force - expected).norm() < 1e-13 * forces[2].norm());
    }
    let spin = Vector3::new(0.4, -1.0, 2.0);
    for force in hinge.damping_forces(TIME, &x, &x.map(|x| spin.cross(&x))) {
        assert!(force.norm() < 1e-12 * forces[2].norm(), "{force}");
    }
}
