//! An assembled stiffness matrix: a bar of tetrahedra that hangs from the ceiling, solved by conjugate gradients.
//!
//! `cargo run -p impinge-fem --example stiffness_matrix`
#![expect(clippy::print_stdout, reason = "the result is this program's purpose")]

use impinge_fem::{AssemblyScales, ElasticModel, Material, NodalMotion};
use impinge_krylov::{
    BlockJacobi, BlockPattern, ConjugateGradient, LinearSystem, StoppingRule, SymmetricBlockMatrix,
    Termination, solve,
};
use nalgebra::Vector3;

/// Corners of a cube in its six tetrahedra: bit 0 of a corner is along x, 1 along y, 2 along z.
const TETS: [[u32; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 5, 1, 7],
    [0, 3, 2, 7],
    [0, 2, 6, 7],
    [0, 4, 5, 7],
    [0, 6, 4, 7],
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A bar of ten cubes of 0.1 m, from z = 0 down to z = −1 m.
    let (cells, side) = (10, 0.1);
    let corner = |layer: u32, i: u32| {
        let (x, y) = (f64::from(i & 1), f64::from(i >> 1));
        Vector3::new(x * side, y * side, -f64::from(layer) * side)
    };
    let points: Vec<_> = (0..=cells)
        .flat_map(|layer| (0..4).map(move |i| corner(layer, i)))
        .collect();
    // The cube under layer k: its upper corners are the points 4 k to 4 k + 3.
    let tets: Vec<[u32; 4]> = (0..cells)
        .flat_map(|cell| {
            TETS.map(|tet| tet.map(|at| 4 * cell + if at < 4 { 4 + at } else { at - 4 }))
        })
        .collect();

    let (young, density) = (1e6, 1000.0);
    let rubber = Material::corotational(young, 0.0)?;
    let of_tet = vec![0; tets.len()];
    let model = ElasticModel::new(
        &points,
        &tets,
        &[rubber],
        &of_tet,
        &vec![density; tets.len()],
    )?;

    // The ceiling holds the first layer; every other point has a block of the matrix.
    let block_of_point: Vec<Option<u32>> = (0..points.len() as u32)
        .map(|point| point.checked_sub(4))
        .collect();
    let blocks = points.len() - 4;
    let pattern = BlockPattern::from_pairs(blocks, model.block_pairs(&block_of_point));
    let assembler = model.bind(&pattern, &block_of_point)?;
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);

    // With stiffness alone, no masses and no velocities, the matrix is K.
    let scales = AssemblyScales {
        force: 0.0,
        stiffness: 1.0,
        damping: 0.0,
    };
    let still = vec![Vector3::zeros(); points.len()];
    let mut unused = vec![0.0; 3 * blocks];
    assembler.assemble(
        &NodalMotion::new(&points, &still),
        &scales,
        &mut matrix,
        &mut unused,
    );

    // K u = m g.
    let gravity = -9.81;
    let mass = model.lumped_mass();
    let weight: Vec<f64> = (mass[4..].iter())
        .flat_map(|mass| [0.0, 0.0, mass * gravity])
        .collect();
    let jacobi = BlockJacobi::new(&matrix)?;
    let system = LinearSystem {
        operator: &matrix,
        preconditioner: &jacobi,
        rhs: &weight,
    };
    let rule = StoppingRule {
        relative: 1e-10,
        absolute: 0.0,
        max_iterations: 1000,
    };
    let mut u = vec![0.0; 3 * blocks];
    let report = solve(&mut ConjugateGradient::new(), &system, &mut u, &rule);
    assert_eq!(report.termination, Termination::Converged);

    // A bar under its own weight stretches by ρ g L² / 2 E.
    let length = f64::from(cells) * side;
    let expected = density * gravity * length * length / (2.0 * young);
    let end = (u.chunks_exact(3).rev().take(4)).map(|u| u[2]).sum::<f64>() / 4.0;
    println!("the end moves by {end:.6} m, in theory by {expected:.6} m");
    assert!((end - expected).abs() < 1e-2 * expected.abs());
    Ok(())
}
