//! The correction of finely meshed bodies on a coarse grid, in steps that are long beside the time that sound takes
//! across an element.
//!
//! Predictions and conjugate residuals precondition the momentum rows with `D⁻¹ + P (PᵀAP)⁻¹ Pᵀ` then. Blocks in
//! contact are excluded, so `J P = 0`: corrections move no contact, no contact force acts on the grid, and every
//! estimate of the contacts, as `L D⁻¹ Lᵀ`, stays what it is with `D⁻¹` alone.

use crate::ContactProblem;
use crate::problem::RestNode;
use impinge_krylov::KrylovError;
use impinge_krylov::block::BlockPattern;
use impinge_krylov::preconditioner::CoarseGrid;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tracing::{debug, trace};

/// Length of a cell over that of an edge (1), 4 to 8: smaller cells cost more than they save, larger ones leave more
/// iterations.
const EDGES: u32 = 6;

/// Least number of cells that sound crosses within a step, and that a cube has along each axis, for a grid to be worth
/// its cost (1), 1 to 3: at 1 a preparation takes as long as the iterations that it saves.
const CELLS: u32 = 2;

/// The correction of one solve.
#[derive(Default)]
pub(super) struct GridCorrection {
    /// The grid of this solve or of an earlier one.
    made: Option<Made>,
    /// Whether the present solve has asked for a grid, and whether it uses one.
    asked: bool,
    in_use: bool,
}

/// A grid, and the problem that it was made for.
struct Made {
    /// `None` where the bodies are too thin or too uneven for it.
    grid: Option<CoarseGrid>,
    pattern: Arc<BlockPattern>,
    nodes: Arc<[Option<RestNode>]>,
    bodies: Vec<u32>,
    /// The matrix ([`SymmetricBlockMatrix::revision`](impinge_krylov::SymmetricBlockMatrix::revision)) and the blocks
    /// in contact that it was prepared for.
    prepared: Option<(u64, Vec<u32>)>,
}

impl fmt::Debug for GridCorrection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GridCorrection")
            .field("in_use", &self.in_use)
            .finish_non_exhaustive()
    }
}

impl GridCorrection {
    /// Begins a solve, which has no grid yet.
    pub(super) fn begin_solve(&mut self) {
        (self.asked, self.in_use) = (false, false);
    }

    /// Whether the present solve has asked for a grid; the call counts as asking.
    pub(super) fn ask(&mut self) -> bool {
        std::mem::replace(&mut self.asked, true)
    }

    /// Prepares it for the bodies of `problem` that are worth a grid, if there are any; `diagonal` is that of `A`.
    ///
    /// # Errors
    /// [`KrylovError`] if the coarse matrix cannot be factorised; the solve has no grid then.
    pub(super) fn prepare(
        &mut self,
        problem: &ContactProblem,
        diagonal: &[f64],
    ) -> Result<(), KrylovError> {
        let nodes = problem.shared_rest_nodes();
        let bodies = bodies_worth_a_grid(nodes, diagonal);
        if bodies.is_empty() {
            return Ok(());
        }
        let kept = self
            .made
            .take()
            .filter(|made| made.serves(problem, &bodies));
        let mut made = match kept {
            Some(made) => made,
            None => Made::new(problem, bodies)?,
        };
        let prepared = made.prepare(problem);
        self.in_use = prepared.is_ok() && made.grid.is_some();
        self.made = Some(made);
        prepared
    }

    /// The grid of the present solve, if it uses one.
    pub(super) fn in_use(&mut self) -> Option<&mut CoarseGrid> {
        let made = self.made.as_mut().filter(|_| self.in_use)?;
        made.grid.as_mut()
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

impl Made {
    fn new(problem: &ContactProblem, bodies: Vec<u32>) -> Result<Self, KrylovError> {
        let (pattern, nodes) = (problem.momentum.pattern(), problem.shared_rest_nodes());
        let position = |block: usize| {
            let node = (*nodes.get(block)?)?;
            let body = bodies.binary_search(&node.body).ok()?;
            Some((bodies[body], node.position))
        };
        let grid = CoarseGrid::new(pattern, position, EDGES.into());
        if let Err(error) = &grid {
            debug!(%error, "no coarse grid");
        }
        let grid = grid?;
        trace!(
            bodies = bodies.len(),
            corners = grid.as_ref().map(CoarseGrid::corners),
            "coarse grid"
        );
        Ok(Self {
            grid,
            pattern: Arc::clone(pattern),
            nodes: Arc::clone(nodes),
            bodies,
            prepared: None,
        })
    }

    fn serves(&self, problem: &ContactProblem, bodies: &[u32]) -> bool {
        let (pattern, nodes) = (problem.momentum.pattern(), problem.shared_rest_nodes());
        self.bodies == bodies
            && (Arc::ptr_eq(&self.pattern, pattern) || self.pattern == *pattern)
            && (Arc::ptr_eq(&self.nodes, nodes) || self.nodes == *nodes)
    }

    fn prepare(&mut self, problem: &ContactProblem) -> Result<(), KrylovError> {
        let Some(grid) = &mut self.grid else {
            return Ok(());
        };
        let blocks = (0..problem.contacts()).flat_map(|contact| problem.row(contact).0);
        let mut excluded: Vec<u32> = blocks.copied().collect();
        excluded.sort_unstable();
        excluded.dedup();
        let wanted = (problem.momentum.revision(), excluded);
        if self.prepared.as_ref() == Some(&wanted) {
            return Ok(());
        }
        self.prepared = None;
        let prepared = grid.prepare(&problem.momentum, wanted.1.iter().copied());
        match &prepared {
            Ok(()) => self.prepared = Some(wanted),
            Err(error) => debug!(%error, "coarse grid left out"),
        }
        prepared
    }
}

/// The bodies, ascending, of more nodes than a cube with [`CELLS`] cells along each axis, most of which sound leaves by
/// more than [`CELLS`] cells within a step.
///
/// Between neighbours of mass `m` with a stiffness `k` sound takes about the time `√(m/k)`, and the diagonal of
/// `A = M + Δt²K` is about `m + Δt²k`. Joints add to the diagonal of few nodes: those do not decide.
fn bodies_worth_a_grid(nodes: &[Option<RestNode>], diagonal: &[f64]) -> Vec<u32> {
    let edges = f64::from(CELLS * EDGES);
    let mut counts: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
    // Blocks of a body follow each other.
    let of_bodies = nodes.chunk_by(|a, b| a.map(|a| a.body) == b.map(|b| b.body));
    let mut first = 0;
    for nodes in of_bodies {
        let entries = &diagonal.as_chunks::<3>().0[first..];
        first += nodes.len();
        let Some(Some(RestNode { body, .. })) = nodes.first() else {
            continue;
        };
        let is_stiff = |(node, entries): &(&Option<RestNode>, &[f64; 3])| {
            let mass = node.map_or(0.0, |node| node.mass);
            entries.iter().sum::<f64>() > 3.0 * (1.0 + edges * edges) * mass
        };
        let stiff = nodes.iter().zip(entries).filter(is_stiff).count();
        let [all, of_stiff] = counts.entry(*body).or_default();
        *all += nodes.len();
        *of_stiff += stiff;
    }
    let of_cube = (CELLS * EDGES).pow(3) as usize;
    let is_worth = |&(_, [all, stiff]): &(u32, [usize; 2])| all > of_cube && 2 * stiff > all;
    (counts.into_iter().filter(is_worth))
        .map(|(body, _)| body)
        .collect()
}
