//! `(A⁰)⁻¹` of one body at rest: a factor for all nodes, entries for surface nodes.

use crate::ContactError;
use impinge_krylov::KrylovError;
use impinge_krylov::block::SymmetricBlockMatrix;
use impinge_krylov::direct::{BlockCholesky, SolveScratch};
use nalgebra::{Matrix3, Vector3};

/// Smallest over largest eigenvalue of `A⁰` below which its inverse is noise.
///
/// A free body without inertia has about 1e-16; stiff fine meshes at long steps stay above 1e-9.
const SINGULAR: f64 = 1e-13;

/// Inverse iterations for the smallest eigenvalue. One suffices if the gap is four orders of magnitude.
const INVERSE_ITERATIONS: usize = 3;

/// The compliance of a body at rest.
///
/// With `A⁰ = M + Δt C + Δt² K⁰` (kg) of its free nodes, holds a Cholesky factor of `A⁰` and the 3×3 blocks of `(A⁰)⁻¹`
/// (1/kg) between all pairs of surface nodes. Depends on mesh, material, damping, step and prescribed nodes; the caller
/// recomputes it when one of them changes.
///
/// # Source
/// Saupin, Duriez, Cotin & Grisoni 2008, "Efficient Contact Modeling using Compliance Warping", section 3; differs from
/// it in: the factor moves interior nodes, so no entries are stored for them.
pub struct RestCompliance {
    factor: BlockCholesky,
    /// Nodes of the collision surface, ascending.
    surface: Vec<u32>,
    /// Index of every node in `surface`, or [`INTERIOR`].
    place: Vec<u32>,
    /// `(A⁰)⁻¹` between surface nodes, row by row.
    compliance: Vec<Matrix3<f64>>,
}

/// Marks an interior node.
const INTERIOR: u32 = u32::MAX;

impl RestCompliance {
    /// Factorises `momentum`, which is `A⁰`, and solves for the columns of the nodes `surface`.
    ///
    /// # Errors
    /// [`ContactError::SingularCompliance`] if `A⁰` is singular, as of a free body without inertia;
    /// [`ContactError::TooLarge`] if its factor does not fit in memory.
    ///
    /// # Panics
    /// If `surface` does not ascend or names a block that does not exist.
    ///
    /// # Cost
    /// One factorisation and three back-substitutions per node of the surface, once; 72 bytes per pair of such nodes.
    #[track_caller]
    pub fn new(momentum: &SymmetricBlockMatrix, surface: Vec<u32>) -> Result<Self, ContactError> {
        let mut rest = Self::factorised(momentum, surface)?;
        let size = momentum.len();
        let count = rest.surface.len();
        rest.compliance = vec![Matrix3::zeros(); count * count];
        let mut scratch = SolveScratch::default();
        let mut columns = vec![0.0; 3 * size];
        for (pushed, &node) in rest.surface.iter().enumerate() {
            columns.fill(0.0);
            for axis in 0..3 {
                columns[axis * size + 3 * node as usize + axis] = 1.0;
            }
            rest.factor.solve_with(&mut columns, &mut scratch);
            // Stores one half and mirrors it: the matrix is exactly symmetric despite rounding.
            for (felt, &node) in rest.surface.iter().enumerate().skip(pushed) {
                let at = |row: usize, axis: usize| columns[axis * size + 3 * node as usize + row];
                let block = Matrix3::from_fn(at);
                let block = if felt == pushed {
                    (block + block.transpose()) * 0.5
                } else {
                    block
                };
                rest.compliance[felt * count + pushed] = block;
                rest.compliance[pushed * count + felt] = block.transpose();
            }
        }
        Ok(rest)
    }

    /// Builds it from the [`compliance`](Self::compliance) of an equal `momentum` and `surface`.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`ContactError::ComplianceSize`] if `compliance` has another size.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[track_caller]
    pub fn from_stored(
        momentum: &SymmetricBlockMatrix,
        surface: Vec<u32>,
        compliance: Vec<Matrix3<f64>>,
    ) -> Result<Self, ContactError> {
        let expected = surface.len() * surface.len();
        if compliance.len() != expected {
            return Err(ContactError::ComplianceSize {
                found: compliance.len(),
                expected,
            });
        }
        Ok(Self {
            compliance,
            ..Self::factorised(momentum, surface)?
        })
    }

    #[track_caller]
    fn factorised(
        momentum: &SymmetricBlockMatrix,
        surface: Vec<u32>,
    ) -> Result<Self, ContactError> {
        assert!(
            surface.is_sorted_by(|a, b| a < b),
            "nodes of the surface have to ascend, each once"
        );
        let blocks = momentum.blocks();
        let mut place = vec![INTERIOR; blocks];
        for (index, &node) in surface.iter().enumerate() {
            place[node as usize] = index as u32;
        }
        let unknowns = momentum.len();
        let mut factor = BlockCholesky::new(momentum.pattern(), (0..blocks).collect())
            .map_err(|_| ContactError::TooLarge { unknowns })?;
        factor.factorize(momentum).map_err(|error| match error {
            KrylovError::TooLarge { unknowns } => ContactError::TooLarge { unknowns },
            _ => ContactError::SingularCompliance { ratio: 0.0 },
        })?;
        let ratio = eigenvalue_ratio(momentum, &factor);
        if ratio.is_nan() || ratio < SINGULAR {
            return Err(ContactError::SingularCompliance { ratio });
        }
        Ok(Self {
            factor,
            surface,
            place,
            compliance: Vec::new(),
        })
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.place.len()
    }

    /// Nodes of the collision surface, ascending.
    pub fn surface(&self) -> &[u32] {
        &self.surface
    }

    /// `(A⁰)⁻¹` (1/kg) between all pairs of [`surface`](Self::surface), row by row.
    pub fn compliance(&self) -> &[Matrix3<f64>] {
        &self.compliance
    }

    /// Index of a node among the surface nodes.
    pub(crate) fn place(&self, node: usize) -> Option<usize> {
        let place = self.place[node];
        (place != INTERIOR).then_some(place as usize)
    }

    /// `(A⁰)⁻¹` between two surface nodes, by their indices.
    #[inline]
    pub(crate) fn between(&self, felt: usize, pushed: usize) -> &Matrix3<f64> {
        &self.compliance[felt * self.surface.len() + pushed]
    }

    /// Replaces the columns of `x`, at most [`MOST_RIGHT_HAND_SIDES`](impinge_krylov::direct::MOST_RIGHT_HAND_SIDES),
    /// by `(A⁰)⁻¹ x`.
    pub(crate) fn solve(&self, x: &mut [f64], scratch: &mut SolveScratch) {
        self.factor.solve_with(x, scratch);
    }
}

/// Smallest eigenvalue by inverse iteration over the largest absolute row sum: about `1/κ(A⁰)`.
fn eigenvalue_ratio(momentum: &SymmetricBlockMatrix, factor: &BlockCholesky) -> f64 {
    let mut sums = vec![Vector3::zeros(); momentum.blocks()];
    for row in 0..momentum.blocks() {
        for slot in momentum.pattern().row(row) {
            let column = momentum.pattern().columns()[slot] as usize;
            let block = momentum.block(slot).abs();
            sums[row] += block.column_sum();
            if column != row {
                sums[column] += block.tr_mul(&Vector3::repeat(1.0));
            }
        }
    }
    let largest = sums.iter().fold(0.0_f64, |most, sum| most.max(sum.max()));
    // A start vector that is not orthogonal to any smooth mode: uniform plus a slope that differs per axis.
    let n = momentum.len() as f64;
    let mut x: Vec<f64> = (0..momentum.len())
        .map(|i| 1.0 + (i % 3) as f64 * i as f64 / n)
        .collect();
    let mut scratch = SolveScratch::default();
    let mut smallest = f64::INFINITY;
    for _ in 0..INVERSE_ITERATIONS {
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        for x in &mut x {
            *x /= length;
        }
        factor.solve_with(&mut x, &mut scratch);
        let growth = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        smallest = 1.0 / growth;
    }
    smallest / largest
}
