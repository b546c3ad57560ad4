//! An affine displacement of an irregular mesh is in equilibrium at inner points.

use crate::support::{Random, YOUNG, cuboid, materials, model};
use nalgebra::{Matrix3, Vector3};

#[test]
fn affine_displacement_leaves_no_force_inside() {
    let mesh = cuboid([4, 4, 4], 0.25);
    let mut random = Random(21);
    let inside = mesh.boundary.iter().filter(|&&on| !on).count();
    assert_eq!(inside, 27);
    for material in materials() {
        let model = model(&mesh, &material);
        for size in [0.01, 0.3, 0.8] {
            let gradient = random.rotation() * (Matrix3::identity() + random.matrix() * size);
            let x: Vec<_> = mesh
                .points
                .iter()
                .map(|x| gradient * x + Vector3::new(1.0, 2.0, 3.0))
                .collect();
            let mut forces = vec![Vector3::zeros(); x.len()];
            model.elastic_force_into(&x, &mut forces);
            let on_face = forces
                .iter()
                .zip(&mesh.boundary)
                .filter(|(_, on)| **on)
                .map(|(f, _)| f.norm());
            assert!(
                on_face.fold(0.0, f64::max) > 1e-5 * YOUNG * 0.01,
                "the faces must carry the load"
            );
            for (force, _) in forces.iter().zip(&mesh.boundary).filter(|(_, on)| !**on) {
                assert!(force.norm() < 1e-10 * YOUNG * 0.01, "{}", force.norm());
            }
        }
    }
}
