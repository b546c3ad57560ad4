//! The same bits for any number of threads, while binding and while assembling.

use crate::support::{Mesh, cells, cuboid, materials, shaken};
use impinge_fem::{AssemblyScales, ElasticModel, NodalMotion};
use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;

/// Two large bodies of different materials, the second of hexahedra and with some prescribed points.
fn scene() -> (Mesh, ElasticModel, Vec<Option<u32>>) {
    let one = cuboid([8, 8, 8], 0.2);
    let count = one.points.len() as u32;
    let mut both = cuboid([8, 8, 8], 0.2);
    both.points
        .extend(one.points.iter().map(|x| x + Vector3::x() * 2.0));
    both.tets
        .extend(one.tets.iter().map(|tet| tet.map(|n| n + count)));
    let half = one.tets.len();
    let material_of_tet = [vec![0; half], vec![1; half]].concat();
    let model = ElasticModel::new(
        &both.points,
        &both.tets,
        &materials(),
        &material_of_tet,
        &vec![1000.0; 2 * half],
    )
    .expect("a sound mesh");
    let (hexahedra, cell_of_tet) = cells(&both);
    let second = hexahedra.len() / 2;
    let cell_of_tet: Vec<_> = cell_of_tet
        .into_iter()
        .map(|cell| cell.and_then(|cell| cell.checked_sub(second as u32)))
        .collect();
    let stiff = vec![true; second];
    let model = model
        .with_hexahedra(&both.points, &hexahedra[second..], &cell_of_tet, &stiff)
        .expect("sound cells");
    // Numbered from the last point to the first.
    let mut next = 0;
    let mut blocks: Vec<_> = (0..both.points.len())
        .rev()
        .map(|point| {
            (point < count as usize || point % 9 != 0).then(|| {
                next += 1;
                next - 1
            })
        })
        .collect();
    blocks.reverse();
    (both, model, blocks)
}

/// The system with masses, in one pass or in three.
fn bits(threads: usize, one_pass: bool) -> Vec<u64> {
    let (mesh, model, blocks) = scene();
    let x = shaken(&mesh.points, 0.03, 1);
    let v = shaken(&vec![Vector3::zeros(); x.len()], 1.0, 2);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a thread pool");
    pool.install(|| {
        let pattern = Arc::new(BlockPattern::from_pairs(
            // Seven rows of a rigid body and others.
            blocks.iter().flatten().count() + 7,
            model.block_pairs(&blocks),
        ));
        let assembler = model.bind(&pattern, &blocks).expect("the pattern fits");
        let mut matrix = SymmetricBlockMatrix::zeros(pattern);
        let mut rhs = vec![0.0; matrix.len()];
        let motion = NodalMotion::new(&x, &v);
        let scales = AssemblyScales::implicit_euler(1e-3);
        matrix.values_mut().fill(Matrix3::repeat(3.0));
        if one_pass {
            assembler.assemble_with_mass(&motion, &scales, &mut matrix, &mut rhs);
        } else {
            matrix.set_zero();
            assembler.add_mass(&scales, &mut matrix);
            assembler.assemble(&motion, &scales, &mut matrix, &mut rhs);
        }
        let least = model.minimum_volume_ratio(&x).expect("there are elements");
        let entries = matrix
            .values()
            .iter()
            .flat_map(Matrix3::as_slice)
            .chain(&rhs);
        entries
            .chain([&model.energy(&x), &least.ratio])
            .map(|value| value.to_bits())
            .chain([least.element as u64, model.inverted_elements(&x) as u64])
            .collect()
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let serial = bits(1, false);
    assert!(serial.len() > 50_000);
    for (threads, one_pass) in [(1, true), (2, false), (2, true), (7, true)] {
        assert!(
            bits(threads, one_pass) == serial,
            "{threads} threads differ from one, in one pass: {one_pass}"
        );
    }
}
