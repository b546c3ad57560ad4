//! Mass properties against closed forms, and the rotation of a free body.

use impinge_fem::{FemError, RigidInertia, RigidPose};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use proptest::prelude::*;

/// Corners of a box about `center`, bit 0, 1, 2 of the number on the high side along x, y, z.
fn corners(size: Vector3<f64>, center: Vector3<f64>) -> Vec<Vector3<f64>> {
    (0..8usize)
        .map(|corner| {
            let side = |axis: usize| if corner >> axis & 1 == 1 { 0.5 } else { -0.5 };
            center + size.component_mul(&Vector3::new(side(0), side(1), side(2)))
        })
        .collect()
}

const BOX_TRIANGLES: [[u32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];

/// The Kuhn split of the same box.
const BOX_TETS: [[u32; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 3, 2, 7],
    [0, 2, 6, 7],
    [0, 6, 4, 7],
    [0, 4, 5, 7],
    [0, 5, 1, 7],
];

fn bar() -> RigidInertia {
    let size = Vector3::new(0.1, 0.2, 0.5);
    RigidInertia::of_surface(&corners(size, Vector3::zeros()), &BOX_TRIANGLES, 700.0)
        .expect("a box has volume")
}

proptest! {
    /// `m (b² + c²)/12` along each axis, for any place and orientation of the box.
    #[test]
    fn a_box_has_the_inertia_of_the_textbook(
        size in prop::array::uniform3(0.01..3.0),
        center in prop::array::uniform3(-5.0..5.0),
        axis in prop::array::uniform3(-3.0..3.0),
        density in 1.0..8000.0,
    ) {
        let (size, center) = (Vector3::from(size), Vector3::from(center));
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from(axis));
        let points: Vec<_> = corners(size, center).iter().map(|x| turn * x).collect();
        let mass = density * size.product();
        let squares = size.component_mul(&size);
        let principal = (Vector3::repeat(squares.sum()) - squares) * (mass / 12.0);
        let r = turn.to_rotation_matrix().into_inner();
        let expected = r * Matrix3::from_diagonal(&principal) * r.transpose();
        for found in [
            RigidInertia::of_surface(&points, &BOX_TRIANGLES, density),
            RigidInertia::of_tets(&points, &BOX_TETS, density),
        ] {
            let found = found.expect("a box has volume");
            prop_assert!((found.mass() - mass).abs() <= 1e-12 * mass);
            prop_assert!((found.center() - turn * center).amax() <= 1e-12 * (1.0 + center.amax()));
            let error = (found.inertia() - expected).amax();
            prop_assert!(error <= 1e-11 * expected.amax(), "{error:e}");
            let b = found.unit_axes();
            let unit = b.transpose() * found.inertia() * b / found.mass();
            prop_assert!((unit - Matrix3::identity()).amax() <= 1e-10);
        }
    }

    /// Without torque the angular momentum is constant, and the midpoint rule is reversible: a step back in time
    /// restores the state.
    #[test]
    fn a_free_spin_is_reversible(
        axis in prop::array::uniform3(-2.0..2.0),
        spin in prop::array::uniform3(-10.0..10.0),
    ) {
        let body = bar();
        let orientation = UnitQuaternion::from_scaled_axis(Vector3::from(axis));
        let momentum = body.world_inertia(&orientation) * Vector3::from(spin);
        let start = RigidPose { center: Vector3::zeros(), orientation };
        let h = 0.01;
        let there = body.free_spin(&start.orientation, &momentum, h);
        let end = start.advanced(&Vector3::zeros(), &there, h);
        let back = body.free_spin(&end.orientation, &momentum, -h);
        let again = end.advanced(&Vector3::zeros(), &back, -h);
        prop_assert!((there - back).norm() <= 1e-12 * there.norm());
        prop_assert!(again.orientation.angle_to(&start.orientation) <= 1e-7);
    }
}

/// The inertia of polyhedra inside a ball tends to `2/5 m r²` with the square of their edges.
#[test]
fn spheres_tend_to_two_fifths() {
    // An octahedron refined by halving its edges onto the sphere.
    let mut faces: Vec<[Vector3<f64>; 3]> = Vec::new();
    for sign in 0..8u32 {
        let s = |bit: u32| if sign >> bit & 1 == 1 { -1.0 } else { 1.0 };
        let (x, y, z) = (
            Vector3::x() * s(0),
            Vector3::y() * s(1),
            Vector3::z() * s(2),
        );
        let inwards = s(0) * s(1) * s(2) < 0.0;
        faces.push(if inwards { [x, z, y] } else { [x, y, z] });
    }
    let mut errors = Vec::new();
    for _ in 0..5 {
        faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let [ab, bc, ca] = [(a + b), (b + c), (c + a)].map(|m| m.normalize());
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
        let points: Vec<_> = faces.iter().flatten().copied().collect();
        let triangles: Vec<[u32; 3]> = (0..faces.len() as u32)
            .map(|f| [3 * f, 3 * f + 1, 3 * f + 2])
            .collect();
        let ball = RigidInertia::of_surface(&points, &triangles, 3.0).expect("a ball has volume");
        let exact = 0.4 * 3.0 * (4.0 / 3.0 * std::f64::consts::PI);
        errors.push((ball.inertia() - Matrix3::identity() * exact).amax() / exact);
    }
    let order = (errors[3] / errors[4]).log2();
    assert!(
        (order - 2.0).abs() < 0.05,
        "order {order}, errors {errors:?}"
    );
}

#[test]
fn another_mass_scales_everything() {
    let twice = bar().with_mass(2.0 * bar().mass()).expect("a mass");
    assert!((twice.inertia() - bar().inertia() * 2.0).amax() < 1e-12);
    assert_eq!(twice.center(), bar().center());
    let (q, l) = (UnitQuaternion::identity(), Vector3::new(1.0, 2.0, 3.0));
    let half = bar().angular_velocity(&q, &l) * 0.5;
    assert!((twice.angular_velocity(&q, &l) - half).amax() < 1e-12);
}

#[test]
fn bodies_without_mass_are_rejected() {
    let points = corners(Vector3::repeat(1.0), Vector3::zeros());
    let with_density = |density| RigidInertia::of_surface(&points, &BOX_TRIANGLES, density);
    assert!(matches!(
        with_density(0.0),
        Err(FemError::RigidDensity { .. })
    ));
    assert!(matches!(
        with_density(f64::NAN),
        Err(FemError::RigidDensity { .. })
    ));
    let inwards = BOX_TRIANGLES.map(|[a, b, c]| [a, c, b]);
    let error = RigidInertia::of_surface(&points, &inwards, 1.0).expect_err("wound inwards");
    assert!(error.to_string().contains("wound outwards"), "{error}");
    assert!(RigidInertia::of_surface(&[], &[], 1.0).is_err());
    assert!(matches!(
        bar().with_mass(-1.0),
        Err(FemError::RigidMass { .. })
    ));
}

/// Angular momentum and energy of a rotating bar: the first is constant to rounding, the second to second order and
/// without drift over fifty rotations.
#[test]
fn a_free_spin_keeps_energy_to_second_order() {
    let body = bar();
    let worst = |steps_per_second: f64, seconds: f64| -> f64 {
        let h = 1.0 / steps_per_second;
        let mut pose = RigidPose {
            center: Vector3::zeros(),
            orientation: UnitQuaternion::identity(),
        };
        // Mostly about the middle axis: the unstable one, which tumbles.
        let momentum = body.inertia() * Vector3::new(0.1, 6.0, 0.3);
        let start = body.spin_energy(&pose.orientation, &momentum);
        let mut worst: f64 = 0.0;
        let steps = steps_per_second * seconds;
        for _ in (1..).take_while(|&step| f64::from(step) <= steps) {
            let spin = body.free_spin(&pose.orientation, &momentum, h);
            pose = pose.advanced(&Vector3::zeros(), &spin, h);
            let now = body.spin_energy(&pose.orientation, &momentum);
            worst = worst.max((now - start).abs() / start);
        }
        worst
    };
    let [coarse, fine] = [worst(200.0, 3.0), worst(400.0, 3.0)];
    let order = (coarse / fine).log2();
    assert!(
        (order - 2.0).abs() < 0.1,
        "order {order}: {coarse:e}, {fine:e}"
    );
    let long = worst(200.0, 50.0);
    assert!(
        long <= 1.5 * coarse,
        "{long:e} after 50 s, {coarse:e} after 3 s"
    );
}
