//! Measures the cost of assembling a cell: 120 rings of 18 cells, as six tetrahedra or one hexahedron each, all
//! materials, one thread and all.
//!
//! `cargo run --release -p impinge-fem --example assembly_cost`

#![expect(clippy::print_stdout, reason = "a measurement for people to read")]

use impinge_fem::{AssemblyScales, ElasticModel, Material, NodalMotion};
use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::Vector3;
use std::sync::Arc;
use std::time::Instant;

const RINGS: u32 = 120;
const SEGMENTS: u32 = 18;
/// Corners of a hexahedron in the six tetrahedra of the Kuhn split: bit 0 along x, 1 along y, 2 along z.
const KUHN: [[u32; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 5, 1, 7],
    [0, 3, 2, 7],
    [0, 2, 6, 7],
    [0, 4, 5, 7],
    [0, 6, 4, 7],
];
const ROUNDS: usize = 200;

fn main() {
    let (points, tets) = rings();
    let deformed: Vec<_> = points
        .iter()
        .enumerate()
        .map(|(i, x)| x + wiggle(i) * 0.05)
        .collect();
    for (name, material) in [
        ("co-rotational", Material::corotational(5e5, 0.2)),
        ("neo-Hookean", Material::neo_hookean(5e5, 0.2)),
        (
            "Saint Venant-Kirchhoff",
            Material::st_venant_kirchhoff(5e5, 0.2),
        ),
    ] {
        let material = material.expect("valid constants");
        for threads in [
            1,
            std::thread::available_parallelism().map_or(1, usize::from),
        ] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a thread pool");
            let [tets, hexahedron] = [false, true].map(|hexahedra| {
                pool.install(|| cost_per_cell(&points, &tets, hexahedra, &material, &deformed))
            });
            println!(
                "{name}: {tets:.3} µs per six tetrahedra, {hexahedron:.3} µs per hexahedron ({:.2} times) on {threads} \
                 thread(s)",
                hexahedron / tets
            );
        }
    }
}

/// Best time of many rounds, in microseconds per cell.
fn cost_per_cell(
    rest: &[Vector3<f64>],
    tets: &[[u32; 4]],
    hexahedra: bool,
    material: &Material,
    positions: &[Vector3<f64>],
) -> f64 {
    let model = ElasticModel::new(
        rest,
        tets,
        std::slice::from_ref(material),
        &vec![0; tets.len()],
        &vec![1000.0; tets.len()],
    )
    .expect("a sound mesh");
    let model = if hexahedra {
        let cells: Vec<_> = tets.chunks(6).map(hexahedron_of).collect();
        let cell_of_tet: Vec<_> = (0..tets.len()).map(|tet| Some(tet as u32 / 6)).collect();
        model
            .with_hexahedra(rest, &cells, &cell_of_tet, &vec![true; cells.len()])
            .expect("sound cells")
    } else {
        model
    };
    let block_of_point: Vec<_> = (0..rest.len() as u32).map(Some).collect();
    let pattern = Arc::new(BlockPattern::from_pairs(
        rest.len(),
        model.block_pairs(&block_of_point),
    ));
    let assembler = model
        .bind(&pattern, &block_of_point)
        .expect("the pattern fits");
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);
    let mut rhs = vec![0.0; matrix.len()];
    let still = vec![Vector3::zeros(); rest.len()];
    let scales = AssemblyScales::implicit_euler(1e-3);
    let best = (0..ROUNDS)
        .map(|_| {
            matrix.set_zero();
            rhs.fill(0.0);
            let start = Instant::now();
            assembler.assemble(
                &NodalMotion::new(positions, &still),
                &scales,
                &mut matrix,
                &mut rhs,
            );
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    6e6 * best / tets.len() as f64
}

/// The cell of a Kuhn split.
fn hexahedron_of(tets: &[[u32; 4]]) -> [u32; 8] {
    let [
        [n0, n1, n3, n7],
        [_, n5, ..],
        [_, _, n2, _],
        [_, _, n6, _],
        [_, n4, ..],
        _,
    ] = *tets
    else {
        panic!("six tetrahedra");
    };
    [n0, n1, n3, n2, n4, n5, n7, n6]
}

/// Square-section rings around z, 18 hexahedra each, side by side.
fn rings() -> (Vec<Vector3<f64>>, Vec<[u32; 4]>) {
    let (mut points, mut tets) = (Vec::new(), Vec::new());
    for ring in 0..RINGS {
        let first = points.len() as u32;
        for segment in 0..SEGMENTS {
            let angle = std::f64::consts::TAU * f64::from(segment) / f64::from(SEGMENTS);
            for corner in 0..4 {
                let radius = 2.5 + f64::from(corner & 1);
                let place = Vector3::new(
                    radius * angle.cos(),
                    radius * angle.sin(),
                    f64::from(corner >> 1),
                );
                points.push(place + Vector3::z() * (2.0 * f64::from(ring)));
            }
        }
        for segment in 0..SEGMENTS {
            let next = (segment + 1) % SEGMENTS;
            // x: across the section, y: along the ring, z: up.
            let node = |corner: u32| {
                let along = if corner & 2 == 0 { segment } else { next };
                first + 4 * along + (corner & 1) + 2 * (corner >> 2)
            };
            tets.extend(KUHN.map(|tet| tet.map(node)));
        }
    }
    (points, tets)
}

/// A repeatable displacement of unit size.
fn wiggle(i: usize) -> Vector3<f64> {
    let phase = i as f64;
    Vector3::new(
        (3.1 * phase).sin(),
        (5.3 * phase).sin(),
        (7.7 * phase).sin(),
    )
}
