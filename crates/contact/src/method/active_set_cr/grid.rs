//! The correction of deformable bodies on a coarse grid, where steps are long beside the time that sound takes across an
//! element.
//!
//! Predictions and conjugate residuals precondition the momentum rows with `D⁻¹ + P (PᵀAP)⁻¹ Pᵀ` then. Blocks in
//! contact are excluded, so `J P = 0`: corrections move no contact, no contact force acts on the grid, and every estimate of
//! the contacts, as `L D⁻¹ Lᵀ`, stays what it is with `D⁻¹` alone.

use crate::ContactProblem;
use crate::problem::Place;
use impinge_krylov::KrylovError;
use impinge_krylov::block::BlockPattern;
use impinge_krylov::preconditioner::CoarseGrid;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Length of a cell over that of an edge (1), 4 to 8: smaller cells cost more than they save, larger ones leave more
/// iterations.
const EDGES: f64 = 6.0;

/// Cells along an axis from which on a grid is worth its cost (1), 1.5 to 3: so many cells sound has to cross within a
/// step, and so many along each axis the blocks of a body could fill.
const CELLS: f64 = 2.0;

/// The correction of one solve.
#[derive(Default)]
pub(super) struct GridCorrection {
    made: Option<Made>,
    /// Whether the present solve uses it.
    in_use: bool,
}

/// A grid, and the problem that it was made for.
struct Made {
    grid: CoarseGrid,
    pattern: Arc<BlockPattern>,
    places: Arc<[Option<Place>]>,
    bodies: Vec<u32>,
}

impl fmt::Debug for GridCorrection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GridCorrection")
            .field("in_use", &self.in_use)
            .finish_non_exhaustive()
    }
}

impl GridCorrection {
    /// Makes a solve without it.
    pub(super) fn omit(&mut self) {
        self.in_use = false;
    }

    /// Prepares it for the bodies of `problem` that are worth a grid, if there are any; `diagonal` is that of `A`.
    ///
    /// # Errors
    /// [`KrylovError`] if the coarse matrix cannot be factorised; it is not used then.
    pub(super) fn prepare(
        &mut self,
        problem: &ContactProblem,
        diagonal: &[f64],
    ) -> Result<(), KrylovError> {
        let bodies = bodies_worth_a_grid(problem.places(), diagonal);
        self.in_use = false;
        if bodies.is_empty() {
            return Ok(());
        }
        let pattern = problem.momentum.pattern();
        let places = problem.places();
        let kept = self.made.take().filter(|made| {
            Arc::ptr_eq(&made.pattern, pattern)
                && Arc::ptr_eq(&made.places, places)
                && made.bodies == bodies
        });
        let mut made = match kept {
            Some(made) => made,
            None => {
                let place = |block: usize| {
                    let place =
                        places[block].filter(|place| bodies.binary_search(&place.body).is_ok())?;
                    Some((place.body, place.position))
                };
                Made {
                    grid: CoarseGrid::new(pattern, place, EDGES)?,
                    pattern: Arc::clone(pattern),
                    places: Arc::clone(places),
                    bodies,
                }
            }
        };
        let excluded =
            (0..problem.contacts()).flat_map(|contact| problem.row(contact).0.iter().copied());
        let prepared = made.grid.prepare(&problem.momentum, excluded);
        self.in_use = prepared.is_ok();
        self.made = Some(made);
        prepared
    }

    /// The grid of the present solve, if it uses one.
    pub(super) fn in_use(&mut self) -> Option<&mut CoarseGrid> {
        let made = self.made.as_mut().filter(|_| self.in_use)?;
        Some(&mut made.grid)
    }

    /// `z += P (PᵀAP)⁻¹ Pᵀ r`, if the present solve uses a grid.
    pub(super) fn add(&mut self, r: &[f64], z: &mut [f64]) {
        if let Some(grid) = self.in_use() {
            let z = z.as_chunks_mut::<3>().0;
            let r = r.as_chunks::<3>().0;
            grid.correct(
                |block| r[block].into(),
                |block, correction: Vector3<f64>| {
                    for (z, correction) in z[block].iter_mut().zip(correction.iter()) {
                        *z += correction;
                    }
                },
            );
        }
    }
}

/// The bodies, ascending, that have more than [`CELLS`] cells along each axis, in which sound crosses as many within a
/// step.
///
/// Between neighbours of mass `m` with a stiffness `k` sound takes the time `√(m/k)`, and the diagonal of `A = M + Δt²K` is
/// about `m + Δt²k`.
fn bodies_worth_a_grid(places: &[Option<Place>], diagonal: &[f64]) -> Vec<u32> {
    let mut sums: BTreeMap<u32, [f64; 3]> = BTreeMap::new();
    for (place, entries) in places.iter().zip(diagonal.as_chunks::<3>().0) {
        if let Some(place) = place {
            let [blocks, inertia, mass] = sums.entry(place.body).or_default();
            *blocks += 1.0;
            *inertia += entries.iter().sum::<f64>() / 3.0;
            *mass += place.mass;
        }
    }
    let edges = CELLS * EDGES;
    let is_worth = |&(_, [blocks, inertia, mass]): &(u32, [f64; 3])| {
        blocks > edges.powi(3) && inertia > (1.0 + edges.powi(2)) * mass
    };
    (sums.into_iter().filter(is_worth))
        .map(|(body, _)| body)
        .collect()
}
