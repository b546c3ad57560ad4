//! Volume ratios, stresses and energies with closed forms.

use crate::support::{POISSON, YOUNG, cuboid, materials, model};
use impinge_fem::Hyperelastic;
use nalgebra::{Matrix3, Vector3};

#[test]
fn uniaxial_stress_has_the_closed_form() {
    // Small uniaxial tension: σ = E ε along the axis, nothing across; the von Mises stress is the same.
    let mesh = cuboid([1, 1, 2], 0.0);
    let strain = 1e-7;
    let stretch = Vector3::new(1.0 - POISSON * strain, 1.0 - POISSON * strain, 1.0 + strain);
    let x: Vec<_> = mesh
        .points
        .iter()
        .map(|x| x.component_mul(&stretch))
        .collect();
    for material in materials() {
        let model = model(&mesh, &material);
        let mut von_mises = vec![0.0; mesh.tets.len()];
        model.von_mises_into(&x, &mut von_mises);
        for (element, value) in von_mises.iter().enumerate() {
            assert!(
                (value - YOUNG * strain).abs() < 1e-5 * YOUNG * strain,
                "{value}"
            );
            let deformation = model.deformation(element, &x);
            let stress = model.material(element).stress(&deformation);
            let expected = Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, YOUNG * strain));
            assert!((stress - expected).amax() < 1e-5 * YOUNG * strain);
        }
        let volume: f64 = model.elements().iter().map(|element| element.volume).sum();
        let energy = 0.5 * YOUNG * strain * strain * volume;
        let rest = model.energy(&mesh.points);
        // Energies this small are differences of numbers of the size μ.
        assert!((model.energy(&x) - rest - energy).abs() < 1e-15 * YOUNG * volume * 10.0);
    }
}

#[test]
fn the_most_compressed_element_is_found() {
    let mesh = cuboid([6, 6, 6], 0.0);
    let model = model(&mesh, &materials()[0]);
    let least = model
        .minimum_volume_ratio(&mesh.points)
        .expect("there are elements");
    assert!((least.ratio - 1.0).abs() < 1e-12);
    assert_eq!(model.inverted_elements(&mesh.points), 0);

    // Moves one corner point through its opposite face: exactly its elements are inverted.
    let mut x = mesh.points.clone();
    let corner = mesh.tets[1000][1] as usize;
    x[corner] += Vector3::repeat(0.35);
    let least = model.minimum_volume_ratio(&x).expect("there are elements");
    assert!(least.ratio < 0.0 && mesh.tets[least.element].contains(&(corner as u32)));
    let inverted: Vec<_> = (0..mesh.tets.len())
        .filter(|&element| model.deformation(element, &x).determinant() < 0.0)
        .collect();
    assert!(inverted.len() > 1 && model.inverted_elements(&x) == inverted.len());
    let brute = (0..mesh.tets.len())
        .map(|element| model.deformation(element, &x).determinant())
        .fold(f64::INFINITY, f64::min);
    assert!((least.ratio - brute).abs() < 1e-12 * brute.abs());

    x[corner].y = f64::NAN;
    assert!(
        model
            .minimum_volume_ratio(&x)
            .expect("there are elements")
            .ratio
            .is_nan()
    );
    let of_corner = mesh
        .tets
        .iter()
        .filter(|tet| tet.contains(&(corner as u32)));
    assert!(model.inverted_elements(&x) >= of_corner.count());
}

#[test]
fn forces_of_elements_add_up() {
    let mesh = cuboid([2, 2, 2], 0.2);
    let x: Vec<_> = mesh
        .points
        .iter()
        .map(|x| x.component_mul(&Vector3::new(1.2, 0.9, 1.0)))
        .collect();
    let model = model(&mesh, &materials()[1]);
    let mut total = vec![Vector3::zeros(); x.len()];
    model.elastic_force_into(&x, &mut total);
    let mut sum = vec![Vector3::<f64>::zeros(); x.len()];
    for (element, tet) in mesh.tets.iter().enumerate() {
        for (node, force) in tet.iter().zip(model.element_forces(element, &x)) {
            sum[*node as usize] += force;
        }
    }
    assert_eq!(sum, total);
    let net: Vector3<f64> = total.iter().sum();
    assert!(net.norm() < 1e-10 * YOUNG * 0.01);
}
