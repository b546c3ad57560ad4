//! fem: forces and stiffness are derivatives, rigid motions cost no energy, golden values of the extrapolated energy.

use std::error::Error;

use impinge_fem::material::Lame;
use impinge_fem::{AssemblyScales, ElasticModel, Hyperelastic, Material, NeoHookean, NodalMotion};
use impinge_geometry::TetMesh;
use impinge_geometry::mesh::generate::cuboid;
use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Rotation3, Vector3};

use super::table::Table;

const YOUNG: f64 = 5e5;
const POISSON: f64 = 0.2;
const DENSITY: f64 = 1000.0;
/// Volume ratio below which the neo-Hookean law is extrapolated, as in Verschoor and Jalba 2019.
const THRESHOLD: f64 = 0.7;

/// Principal stretches, energy density (J/m³) and principal stresses (Pa) of the neo-Hookean law, extrapolated
/// below [`THRESHOLD`].
const GOLDEN: [([f64; 3], f64, [f64; 3]); 5] = [
    ([0.9, 0.9, 0.9], 13_413.346_198, [-92_759.498_0; 3]),
    ([0.5, 0.5, 0.5], 379_854.712_942, [-518_154.106_8; 3]),
    (
        [1.2, 0.8, 0.3],
        220_480.727_762,
        [15_142.401_4, -186_458.120_6, -630_579.376_8],
    ),
    (
        [1.0, 1.0, 0.0],
        435_226.852_727,
        [-69_398.952_9, -69_398.952_9, -935_188.469_8],
    ),
    (
        [1.0, 1.0, -0.5],
        1_030_077.144_322,
        [-54_435.470_1, -54_435.470_1, -1_444_212.696_6],
    ),
];

pub(super) fn fill(table: &mut Table) -> Result<(), Box<dyn Error>> {
    for (name, material) in [
        ("co-rotational", Material::corotational(YOUNG, POISSON)?),
        (
            "neo-Hookean",
            Material::neo_hookean_below(YOUNG, POISSON, THRESHOLD)?,
        ),
    ] {
        let mesh = cuboid([0.1, 0.1, 0.1], [2, 2, 2])?;
        let model = ElasticModel::new(
            mesh.nodes(),
            mesh.tets(),
            std::slice::from_ref(&material),
            &vec![0; mesh.tets().len()],
            &vec![DENSITY; mesh.tets().len()],
        )?;
        derivatives(table, name, &material, &model, &mesh);
        invariance(table, name, &model, &mesh);
        convexity(table, name, &model, &mesh)?;
    }
    golden(table)
}

/// Deformation gradients on both sides of the threshold of 70 % volume, some flat or inverted.
fn deformations() -> Vec<Matrix3<f64>> {
    let turn = Rotation3::from_euler_angles(0.4, -0.7, 1.1).into_inner();
    let stretches = [
        [1.0, 1.1, 0.9],
        [0.95, 0.93, 0.7],
        [0.95, 0.85, 0.9],
        [1.3, 0.8, 0.2],
        [1.1, 0.9, 0.0],
        [1.0, 0.8, -0.4],
    ];
    stretches
        .iter()
        .map(|s| {
            let shear = Matrix3::new(1.0, 0.1, 0.0, 0.0, 1.0, -0.05, 0.0, 0.0, 1.0);
            turn * Matrix3::from_diagonal(&Vector3::from(*s)) * shear
        })
        .collect()
}

/// Central differences: energy against force, stress against tangent.
fn derivatives(
    table: &mut Table,
    name: &str,
    material: &Material,
    model: &ElasticModel,
    mesh: &TetMesh,
) {
    let mut force_error = 0.0_f64;
    let mut tangent_error = 0.0_f64;
    // The co-rotational stiffness neglects the change of the rotation by design: only its rest value is exact.
    let exact_tangent = name != "co-rotational";
    for deformation in deformations() {
        let x: Vec<Vector3<f64>> = mesh.nodes().iter().map(|node| deformation * node).collect();
        let mut force = vec![Vector3::zeros(); x.len()];
        model.elastic_force_into(&x, &mut force);
        let direction: Vec<Vector3<f64>> = (0..x.len())
            .map(|i| {
                let t = i as f64;
                Vector3::new((1.3 * t).sin(), (2.1 * t).cos(), (0.7 * t).sin())
            })
            .collect();
        let step = 1e-7;
        let moved = |by: f64| -> Vec<Vector3<f64>> {
            x.iter().zip(&direction).map(|(x, d)| x + d * by).collect()
        };
        let slope = (model.energy(&moved(step)) - model.energy(&moved(-step))) / (2.0 * step);
        let work: f64 = force.iter().zip(&direction).map(|(f, d)| f.dot(d)).sum();
        let size: f64 = force.iter().map(Vector3::norm).sum();
        force_error = force_error.max((work + slope).abs() / size);

        if exact_tangent {
            let change = Matrix3::new(0.3, -0.2, 0.5, 0.1, 0.4, -0.6, 0.2, 0.7, -0.1);
            let step = 1e-6;
            let slope = (material.stress(&(deformation + change * step))
                - material.stress(&(deformation - change * step)))
                / (2.0 * step);
            let tangent = material.exact_tangent(&deformation).differential(&change);
            tangent_error = tangent_error.max((tangent - slope).norm() / slope.norm());
        }
    }
    table.at_most(
        &format!("{name}: force against energy differences"),
        force_error,
        1e-6,
    );
    if exact_tangent {
        table.at_most(
            &format!("{name}: tangent against stress differences"),
            tangent_error,
            1e-6,
        );
    }
}

/// Rotations cost no force, forces sum to zero, nodal masses to the total mass.
fn invariance(table: &mut Table, name: &str, model: &ElasticModel, mesh: &TetMesh) {
    // The rest lengths of the mesh are twentieths of a metre.
    let force_scale = YOUNG * 0.05 * 0.05;
    let turn = Rotation3::from_euler_angles(2.0, 0.3, -1.0).into_inner();
    let turned: Vec<Vector3<f64>> = mesh.nodes().iter().map(|x| turn * x).collect();
    let mut force = vec![Vector3::zeros(); turned.len()];
    model.elastic_force_into(&turned, &mut force);
    let largest = force.iter().map(Vector3::norm).fold(0.0, f64::max);
    table.at_most(
        &format!("{name}: force of a rotated rest shape, over E h²"),
        largest / force_scale,
        1e-10,
    );
    let stretched: Vec<Vector3<f64>> = mesh
        .nodes()
        .iter()
        .map(|x| Vector3::new(1.2 * x.x + 3.0 * x.y * x.z, 0.8 * x.y, x.z + x.x * x.x))
        .collect();
    model.elastic_force_into(&stretched, &mut force);
    table.at_most(
        &format!("{name}: sum of the forces of any shape, over E h²"),
        force.iter().sum::<Vector3<f64>>().norm() / force_scale,
        1e-12,
    );
    let mass: f64 = model.lumped_mass().iter().sum();
    table.at_most(
        &format!("{name}: sum of masses against density times volume"),
        (mass / (DENSITY * mesh.volume()) - 1.0).abs(),
        1e-12,
    );
}

/// `vᵀ K v ≥ 0` at every deformation, by random and by smooth directions; translations are in the kernel.
fn convexity(
    table: &mut Table,
    name: &str,
    model: &ElasticModel,
    mesh: &TetMesh,
) -> Result<(), Box<dyn Error>> {
    let points = mesh.nodes().len();
    let block_of_point: Vec<Option<u32>> = (0..points as u32).map(Some).collect();
    let pattern = BlockPattern::from_pairs(points, model.block_pairs(&block_of_point));
    let assembler = model.bind(&pattern, &block_of_point)?;
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);
    let mut rhs = vec![0.0; matrix.len()];
    let mut scratch = vec![0.0; matrix.scratch_len()];
    let mut product = vec![0.0; matrix.len()];
    let scales = AssemblyScales::implicit_euler(1.0);
    let (mut lowest, mut translation) = (f64::INFINITY, 0.0_f64);
    for deformation in deformations() {
        let x: Vec<Vector3<f64>> = mesh.nodes().iter().map(|node| deformation * node).collect();
        matrix.set_zero();
        let still = vec![Vector3::zeros(); points];
        assembler.assemble(
            &NodalMotion::new(&x, &still),
            &scales,
            &mut matrix,
            &mut rhs,
        );
        let size = matrix
            .values()
            .iter()
            .map(Matrix3::amax)
            .fold(0.0, f64::max);
        for kind in 0..8 {
            let v: Vec<f64> = (0..matrix.len())
                .map(|i| {
                    let (node, axis) = (i / 3, i % 3);
                    match kind {
                        0..3 => f64::from(u8::from(axis == kind)),
                        3..6 => mesh.nodes()[node][(axis + kind) % 3],
                        _ => (f64::from(kind as u8) * 1.7 * i as f64).sin(),
                    }
                })
                .collect();
            matrix.multiply(&v, &mut product, &mut scratch);
            let energy: f64 = v.iter().zip(&product).map(|(a, b)| a * b).sum();
            let norm: f64 = v.iter().map(|a| a * a).sum();
            lowest = lowest.min(energy / (size * norm));
            if kind < 3 {
                let largest = product.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
                translation = translation.max(largest / size);
            }
        }
    }
    table.at_most(
        &format!("{name}: most negative curvature of K, relative"),
        (-lowest).max(0.0),
        1e-12,
    );
    table.at_most(
        &format!("{name}: K times a translation, relative"),
        translation,
        1e-12,
    );
    Ok(())
}

/// Reference values with ten digits.
fn golden(table: &mut Table) -> Result<(), Box<dyn Error>> {
    let material = NeoHookean::with_threshold(Lame::new(YOUNG, POISSON)?, THRESHOLD)?;
    let mut worst = 0.0_f64;
    for (stretches, energy, stress) in GOLDEN {
        let sigma = Vector3::from(stretches);
        worst = worst.max((material.principal_energy(&sigma) / energy - 1.0).abs());
        let found = material.principal_stress(&sigma);
        for (found, expected) in found.iter().zip(stress) {
            worst = worst.max((found / expected - 1.0).abs());
        }
    }
    table.at_most("neo-Hookean: golden values, relative", worst, 1e-8);
    Ok(())
}
