//! The correction on a coarse grid: a projection that knows linear fields, and iterations that it saves.

use crate::common::Numbers;
use impinge_krylov::preconditioner::CoarseGrid;
use impinge_krylov::{
    BlockPattern, ConjugateResidual, Jacobi, KrylovError, LinearSystem, Preconditioner,
    StoppingRule, SymmetricBlockMatrix, Termination, solve,
};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use std::sync::Mutex;

/// Cells of three edges.
const EDGES: f64 = 3.0;

/// Numbers of nodes along the axes, so many that the grid is coarse.
fn counts() -> impl Strategy<Value = [u32; 3]> {
    [5..9_u32, 5..9_u32, 5..7_u32]
}

/// Nodes of a body with masses, springs to near nodes, and little stiffness across the springs.
struct Body {
    nodes: Vec<Vector3<f64>>,
    matrix: SymmetricBlockMatrix,
}

impl Body {
    /// `counts` nodes about 1 apart, displaced by up to `jitter`; springs are `stiffness` times as strong as the mass.
    fn new(counts: [u32; 3], jitter: f64, stiffness: f64, seed: u64) -> Self {
        let mut numbers = Numbers::new(seed);
        let mut nodes = Vec::new();
        for z in 0..counts[2] {
            for y in 0..counts[1] {
                for x in 0..counts[0] {
                    let moved = Vector3::from_fn(|_, _| jitter * numbers.number());
                    nodes.push(Vector3::new(f64::from(x), f64::from(y), f64::from(z)) + moved);
                }
            }
        }
        let mut pairs = Vec::new();
        for i in 0..nodes.len() {
            for j in 0..i {
                if (nodes[i] - nodes[j]).norm() < 1.5 {
                    pairs.push((j as u32, i as u32));
                }
            }
        }
        let pattern = BlockPattern::from_pairs(nodes.len(), pairs.iter().copied());
        let mut matrix = SymmetricBlockMatrix::zeros(pattern);
        for node in 0..nodes.len() {
            *matrix.diagonal_block_mut(node) = Matrix3::identity();
        }
        for (i, j) in pairs {
            let (i, j) = (i as usize, j as usize);
            let along = (nodes[j] - nodes[i]).normalize();
            let spring = (along * along.transpose() + 0.1 * Matrix3::identity()) * stiffness;
            *matrix.diagonal_block_mut(i) += spring;
            *matrix.diagonal_block_mut(j) += spring;
            let slot = matrix.pattern().slot(i, j).expect("a pair");
            // Blocks off the diagonal need not be symmetric; the masses keep the matrix positive definite.
            *matrix.block_mut(slot) -= spring + 0.02 * along.cross_matrix();
        }
        Self { nodes, matrix }
    }

    fn grid(&self, edges: f64, excluded: &[u32]) -> CoarseGrid {
        let position = |node: usize| Some((0, self.nodes[node]));
        let grid = CoarseGrid::new(self.matrix.pattern(), position, edges).expect("memory");
        let mut grid = grid.expect("a coarse grid");
        let excluded = excluded.iter().copied();
        grid.prepare(&self.matrix, excluded)
            .expect("positive definite");
        grid
    }

    fn product(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        let mut scratch = vec![0.0; self.matrix.scratch_len()];
        self.matrix.multiply(x, &mut y, &mut scratch);
        y
    }
}

/// The correction for a residual.
fn corrected(grid: &mut CoarseGrid, r: &[f64]) -> Vec<f64> {
    let mut z = vec![0.0; r.len()];
    grid.correct(
        |node| Vector3::from_column_slice(&r[3 * node..][..3]),
        |node, value| z[3 * node..][..3].copy_from_slice(value.as_slice()),
    );
    z
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Translations, rotations and uniform strains come back from their residuals.
    #[test]
    fn linear_fields_are_reproduced(seed in any::<u64>(), counts in counts()) {
        let body = Body::new(counts, 0.2, 30.0, seed);
        let mut numbers = Numbers::new(seed ^ 1);
        let gradient = Matrix3::from_fn(|_, _| numbers.number());
        let field: Vec<f64> = (body.nodes.iter())
            .flat_map(|x| <[f64; 3]>::from(gradient * x + Vector3::x()))
            .collect();
        let z = corrected(&mut body.grid(EDGES, &[]), &body.product(&field));
        let largest = field.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (z, expected) in z.iter().zip(&field) {
            prop_assert!((z - expected).abs() < 1e-4 * largest, "{z} {expected}");
        }
    }

    /// The correction is the projection in the norm of `A`: `zᵀAz = zᵀr`, symmetric, and zero on excluded nodes. Where
    /// most nodes are excluded, corners are nearly dependent, and the addition to the diagonal makes it shorter, never
    /// longer.
    #[test]
    fn it_is_a_symmetric_projection(
        seed in any::<u64>(),
        counts in counts(),
        share in 0.0..1.0_f64,
    ) {
        let body = Body::new(counts, 0.2, 30.0, seed);
        let mut numbers = Numbers::new(seed ^ 2);
        let excluded: Vec<u32> = (0..body.nodes.len() as u32)
            .filter(|_| numbers.number().abs() < share)
            .collect();
        let mut grid = body.grid(EDGES, &excluded);
        let [r, other] = [(); 2].map(|()| numbers.vector(3 * body.nodes.len()));
        let (z, z_other) = (corrected(&mut grid, &r), corrected(&mut grid, &other));
        for &node in &excluded {
            prop_assert_eq!(&z[3 * node as usize..][..3], &[0.0; 3]);
        }
        let size = dot(&r, &r).sqrt() * dot(&other, &other).sqrt();
        prop_assert!((dot(&z, &other) - dot(&z_other, &r)).abs() < 1e-9 * size);
        let (work, energy) = (dot(&z, &r), dot(&z, &body.product(&z)));
        prop_assert!(energy <= (1.0 + 1e-9) * work, "{work} {energy}");
        if 2 * excluded.len() < body.nodes.len() {
            prop_assert!(energy >= (1.0 - 1e-6) * work, "{work} {energy}");
        }
    }
}

/// A sheet in a coordinate plane uses one side of its cells only: the corners of the other have no unknown.
#[test]
fn a_flat_sheet_is_corrected() {
    let body = Body::new([15, 15, 1], 0.0, 30.0, 1);
    let field: Vec<f64> = (body.nodes.iter())
        .flat_map(|x| [1.0 + x.y, -x.x, x.x])
        .collect();
    let z = corrected(&mut body.grid(2.0 * EDGES, &[]), &body.product(&field));
    for (z, expected) in z.iter().zip(&field) {
        assert!((z - expected).abs() < 1e-5, "{z} {expected}");
    }
}

/// Bodies have grids of their own, whatever their numbers, and nodes without a position have no correction.
#[test]
fn each_body_has_its_own_grid() {
    let body = Body::new([7, 7, 7], 0.1, 30.0, 5);
    let position = |node: usize| match node % 3 {
        0 => None,
        1 => Some((7, body.nodes[node])),
        _ => Some((2, body.nodes[node])),
    };
    let grid = CoarseGrid::new(body.matrix.pattern(), position, 9.0).expect("memory");
    let mut grid = grid.expect("a coarse grid");
    // One cell each.
    assert_eq!(grid.corners(), 16);
    grid.prepare(&body.matrix, []).expect("positive definite");
    let z = corrected(&mut grid, &vec![1.0; 3 * body.nodes.len()]);
    for (node, z) in z.chunks(3).enumerate() {
        assert_eq!(z.iter().all(|z| *z == 0.0), node % 3 == 0, "{node}");
    }
}

/// A rod, a body with few large elements among many small ones and nodes that nothing couples: no coarse grid, or one
/// cell.
#[test]
fn a_grid_that_is_not_coarse_is_refused() {
    let corners = |nodes: &[Vector3<f64>], pairs: &[(u32, u32)]| {
        let pattern = BlockPattern::from_pairs(nodes.len(), pairs.iter().copied());
        let grid = CoarseGrid::new(&pattern, |node| Some((0, nodes[node])), 6.0);
        grid.expect("memory").map(|grid| grid.corners())
    };
    let chain = |length: u32| -> Vec<(u32, u32)> { (1..length).map(|i| (i - 1, i)).collect() };
    let along = |x: f64| Vector3::new(x, 0.0, 0.0);
    let rod: Vec<_> = (0..300).map(|i| along(f64::from(i))).collect();
    assert_eq!(corners(&rod, &chain(300)), None);
    let uneven: Vec<_> = (0..300).map(|i| along(1.1_f64.powi(i))).collect();
    let huge: Vec<_> = (0..300).map(|i| along(1e300 * f64::from(i % 2))).collect();
    for nodes in [&uneven, &huge] {
        assert!(corners(nodes, &chain(300)).is_none_or(|corners| corners <= 37));
    }
    assert_eq!(corners(&rod, &[]), Some(8));
    assert_eq!(corners(&[Vector3::zeros(); 100], &chain(100)), Some(8));
    assert_eq!(corners(&rod[..1], &[]), None);
    assert_eq!(corners(&[], &[]).unwrap_or(0), 0);
}

#[test]
fn matrices_that_are_not_positive_definite_are_refused() {
    let mut body = Body::new([6, 6, 6], 0.1, 30.0, 3);
    let mut grid = body.grid(EDGES, &[]);
    for wrong in [f64::NAN, -1e4] {
        *body.matrix.diagonal_block_mut(4) = Matrix3::identity() * wrong;
        let error = grid.prepare(&body.matrix, []).unwrap_err();
        assert!(matches!(error, KrylovError::NotPositiveDefinite { .. }));
    }
    // An excluded node takes no part, whatever its block.
    assert_eq!(grid.prepare(&body.matrix, [4]), Ok(()));
}

/// `D⁻¹` and the correction.
struct TwoLevels {
    jacobi: Jacobi,
    grid: Mutex<CoarseGrid>,
}

impl Preconditioner for TwoLevels {
    fn apply(&self, r: &[f64], z: &mut [f64]) {
        self.jacobi.apply(r, z);
        let correction = corrected(&mut self.grid.lock().expect("no panic"), r);
        for (z, correction) in z.iter_mut().zip(&correction) {
            *z += correction;
        }
    }
}

/// In stiff cubes of 6 to 12 nodes along an edge iterations grow with the edge without the grid, and hardly with it.
#[test]
fn iterations_do_not_grow_with_the_number_of_nodes() {
    let iterations = |count: u32, with_grid: bool| {
        let body = Body::new([count; 3], 0.1, 1e4, 8);
        let mut diagonal = vec![0.0; body.matrix.len()];
        body.matrix.diagonal_into(&mut diagonal);
        let jacobi = Jacobi::new(&diagonal).expect("positive");
        let levels;
        let preconditioner: &dyn Preconditioner = if with_grid {
            levels = TwoLevels {
                jacobi,
                grid: Mutex::new(body.grid(EDGES, &[])),
            };
            &levels
        } else {
            &jacobi
        };
        let rhs = Numbers::new(4).vector(body.matrix.len());
        let system = LinearSystem {
            operator: &body.matrix,
            preconditioner,
            rhs: &rhs,
        };
        let rule = StoppingRule {
            relative: 1e-6,
            absolute: 0.0,
            max_iterations: 10_000,
        };
        let mut x = vec![0.0; rhs.len()];
        let report = solve(&mut ConjugateResidual::new(), &system, &mut x, &rule);
        assert_eq!(report.termination, Termination::Converged);
        report.iterations as f64
    };
    let alone = [iterations(6, false), iterations(12, false)];
    let two_levels = [iterations(6, true), iterations(12, true)];
    assert!(alone[1] > 1.5 * alone[0], "{alone:?}");
    assert!(two_levels[1] < 1.3 * two_levels[0], "{two_levels:?}");
    assert!(3.0 * two_levels[1] < alone[1], "{two_levels:?} {alone:?}");
}
