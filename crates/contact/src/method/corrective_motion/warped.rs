//! The compliance at rest, rotated node by node: `C̃ = R (A⁰)⁻¹ Rᵀ` (eq. 23 of the paper).
//!
//! Blocks of bodies without data at rest, as rigid ones, have the exact compliance. Between bodies, `C̃` has no
//! coupling: the geometric stiffness of joints and springs between a body at rest and another one is left to
//! corrections.

use super::compliance::{Compliance, FreeEquations, FreeMotion, Push, Response};
use super::exact::ExactCompliance;
use super::matrix_snapshot::MatrixSnapshot;
use super::momentum_projection::MomentumProjection;
use crate::compliance::{TurnedBodies, TurnedBody};
use crate::{ContactError, ContactProblem};
use impinge_krylov::direct::{MOST_RIGHT_HAND_SIDES, SolveScratch};
use impinge_krylov::{
    ConjugateGradient, LinearSystem, Preconditioner, StoppingRule, Termination, solve,
};
use nalgebra::{Matrix3, Vector3};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest number of iterations of the free motion; with `C̃` as preconditioner about ten are enough.
const MOST_ITERATIONS: usize = 500;

/// Marks a block of no known body.
const NOBODY: u32 = u32::MAX;

/// `C̃` of the known bodies, and the exact compliance of all other blocks.
///
/// Nothing of the known bodies is factorised in a step, and the cost of contacts does not depend on the number of
/// elements below their surface.
#[derive(Default)]
pub(super) struct WarpedCompliance {
    known: Option<Arc<TurnedBodies>>,
    /// The bodies of the last `prepare`.
    prepared: Option<Arc<TurnedBodies>>,
    momentum: MatrixSnapshot,
    /// Body of every block and number of the block in it; [`NOBODY`] for other blocks.
    place_of_block: Vec<(u32, u32)>,
    /// The compliance of these.
    others: ExactCompliance,
    /// Momentum projection of each body, if requested.
    repairs: Vec<Option<MomentumProjection>>,
    repaired: bool,
    gradients: ConjugateGradient,
    scratch: Scratch,
    last: Last,
}

/// Impulses and velocities of the last [`Compliance::apply_again`]; empty if invalid.
#[derive(Default)]
struct Last {
    impulses: Vec<f64>,
    moved: Vec<f64>,
    /// Bodies for which they are valid.
    bodies: Vec<usize>,
}

#[derive(Default)]
struct Scratch {
    solve: SolveScratch,
    columns: Vec<f64>,
    together: Vec<usize>,
    impulses: Vec<(usize, Matrix3<f64>)>,
}

impl Compliance for WarpedCompliance {
    fn know_bodies(&mut self, bodies: &Arc<TurnedBodies>) {
        self.known = Some(Arc::clone(bodies));
    }

    fn prepare(&mut self, problem: &ContactProblem, repair: bool) -> Result<bool, ContactError> {
        let known = match &self.known {
            Some(known) => Arc::clone(known),
            None => no_bodies(problem)?,
        };
        let same = self
            .prepared
            .as_ref()
            .is_some_and(|prepared| Arc::ptr_eq(prepared, &known));
        if same && self.repaired == repair && self.momentum.matches(&problem.momentum) {
            return Ok(false);
        }
        // After a failure nothing must count as prepared.
        self.prepared = None;
        self.last.impulses.clear();
        if !known.bodies.is_empty() && !same_step(known.time_step, problem.time_step) {
            return Err(ContactError::RestComplianceStep {
                known: known.time_step,
                time_step: problem.time_step,
            });
        }
        self.place_blocks(problem, &known)?;
        let is_known: Vec<bool> = (self.place_of_block.iter())
            .map(|&(body, _)| body != NOBODY)
            .collect();
        self.others.prepare_others(&problem.momentum, &is_known)?;
        self.repairs.clear();
        for body in &known.bodies {
            let moments = body.moments.as_ref().filter(|_| repair);
            self.repairs.push(moments.and_then(|moments| {
                let solve = &mut self.scratch.solve;
                MomentumProjection::new(moments, |columns| warp(body, columns, solve))
            }));
        }
        self.repaired = repair;
        self.momentum.take(&problem.momentum);
        self.prepared = Some(known);
        Ok(true)
    }

    fn parts(&self) -> usize {
        self.bodies().len() + self.others.parts()
    }

    fn place(&self, block: u32) -> Option<(usize, usize)> {
        let (body, local) = self.place_of_block[block as usize];
        if body == NOBODY {
            let (part, place) = self.others.place(block)?;
            return Some((self.bodies().len() + part, place));
        }
        let place = self.bodies()[body as usize].rest.place(local as usize)?;
        Some((body as usize, place))
    }

    fn respond(&mut self, part: usize, pushed: &[Push], felt: &[usize], response: &mut Response) {
        response.clear();
        let Some(known) = self.prepared.clone() else {
            return;
        };
        let Some(body) = known.bodies.get(part) else {
            let part = part - known.bodies.len();
            return self.others.respond(part, pushed, felt, response);
        };
        let node = |place: usize| body.rest.surface()[place] as usize;
        // Rows are rotated to the rest shape, one rotation per node, and displacements are rotated back (section 4.3).
        let impulses = &mut self.scratch.impulses;
        impulses.clear();
        impulses.extend(pushed.iter().map(|(place, jacobian)| {
            let turned = body.rotations[node(*place)].transpose() * jacobian.transpose();
            (*place, turned)
        }));
        let repair = self.repairs[part].as_ref().map(|repair| {
            let world = pushed
                .iter()
                .map(|(place, jacobian)| (node(*place), jacobian.transpose()));
            (repair, repair.gather(world))
        });
        response.extend(felt.iter().map(|&place| {
            let mut moved = Matrix3::zeros();
            for (from, impulse) in impulses.iter() {
                moved += body.rest.between(place, *from) * impulse;
            }
            let node = node(place);
            let moved = body.rotations[node] * moved;
            match &repair {
                Some((repair, gathered)) => moved + repair.response(node, gathered),
                None => moved,
            }
        }));
    }

    fn free_motion(&mut self, of: FreeEquations<'_>, velocity: &mut [f64]) -> FreeMotion {
        let mut gradients = std::mem::take(&mut self.gradients);
        let preconditioner = AsPreconditioner(Mutex::new(self));
        let system = LinearSystem {
            operator: of.momentum,
            preconditioner: &preconditioner,
            rhs: of.rhs,
        };
        let rule = StoppingRule {
            relative: 0.0,
            absolute: of.tolerance,
            max_iterations: MOST_ITERATIONS,
        };
        let solved = solve(&mut gradients, &system, velocity, &rule);
        self.gradients = gradients;
        FreeMotion {
            products: solved.iterations as u64 + 2,
            residual: solved.residual,
            // The tolerance may be below rounding.
            converged: matches!(
                solved.termination,
                Termination::Converged | Termination::Stagnated
            ),
        }
    }

    fn apply(&mut self, x: &mut [f64]) {
        let Some(known) = self.prepared.clone() else {
            return;
        };
        let Scratch {
            solve,
            columns,
            together,
            ..
        } = &mut self.scratch;
        let bodies = &known.bodies;
        together.clear();
        for (index, body) in bodies.iter().enumerate() {
            let pushed = |&block: &u32| x[3 * block as usize..][..3].iter().any(|x| *x != 0.0);
            if !body.blocks.iter().any(pushed) {
                continue;
            }
            if let Some(repair) = &self.repairs[index] {
                columns.clear();
                for &block in &body.blocks {
                    columns.extend_from_slice(&x[3 * block as usize..][..3]);
                }
                repair.apply(columns, |columns| warp(body, columns, solve));
                for (&block, value) in body.blocks.iter().zip(columns.chunks_exact(3)) {
                    x[3 * block as usize..][..3].copy_from_slice(value);
                }
                continue;
            }
            // Bodies of one kind share a factor, which is read once for several of them.
            let of_another_kind = |&first: &usize| !Arc::ptr_eq(&bodies[first].rest, &body.rest);
            if together.len() == MOST_RIGHT_HAND_SIDES
                || together.first().is_some_and(of_another_kind)
            {
                warp_together(bodies, together, x, columns, solve);
                together.clear();
            }
            together.push(index);
        }
        warp_together(bodies, together, x, columns, solve);
        self.others.apply(x);
    }

    /// Solves only for bodies with changed impulses: few change in the rounds of a step.
    fn apply_again(&mut self, x: &mut [f64]) {
        let Some(known) = self.prepared.clone() else {
            return;
        };
        let mut last = std::mem::take(&mut self.last);
        last.bodies.clear();
        if last.impulses.len() == x.len() {
            for (index, body) in known.bodies.iter().enumerate() {
                let entries = |block: u32| 3 * block as usize..3 * block as usize + 3;
                let same = |&block: &u32| x[entries(block)] == last.impulses[entries(block)];
                if body.blocks.iter().all(same) {
                    last.bodies.push(index);
                }
            }
        }
        last.impulses.clear();
        last.impulses.extend_from_slice(x);
        // Bodies without impulses are skipped.
        for &index in &last.bodies {
            for &block in &known.bodies[index].blocks {
                x[3 * block as usize..][..3].fill(0.0);
            }
        }
        self.apply(x);
        for &index in &last.bodies {
            for &block in &known.bodies[index].blocks {
                let entries = 3 * block as usize..3 * block as usize + 3;
                x[entries.clone()].copy_from_slice(&last.moved[entries]);
            }
        }
        last.moved.clear();
        last.moved.extend_from_slice(x);
        self.last = last;
    }

    fn is_exact(&self) -> bool {
        self.bodies().is_empty()
    }
}

impl WarpedCompliance {
    fn bodies(&self) -> &[TurnedBody] {
        self.prepared.as_ref().map_or(&[], |known| &known.bodies)
    }

    /// Numbers the blocks of all known bodies.
    fn place_blocks(
        &mut self,
        problem: &ContactProblem,
        known: &TurnedBodies,
    ) -> Result<(), ContactError> {
        let blocks = problem.momentum.blocks();
        self.place_of_block.clear();
        self.place_of_block.resize(blocks, (NOBODY, 0));
        for (index, body) in known.bodies.iter().enumerate() {
            let misfit = ContactError::RestComplianceBlocks { body: index };
            let count = body.rest.blocks();
            let moments = body.moments.as_ref();
            let fits = body.blocks.len() == count
                && body.rotations.len() == count
                && moments.is_none_or(|m| m.masses.len() == count && m.positions.len() == count);
            if !fits {
                return Err(misfit);
            }
            for (local, &block) in body.blocks.iter().enumerate() {
                match self.place_of_block.get_mut(block as usize) {
                    Some(place) if place.0 == NOBODY => *place = (index as u32, local as u32),
                    _ => return Err(misfit),
                }
            }
        }
        Ok(())
    }
}

/// No bodies, for a caller that gave none.
///
/// # Errors
/// [`ContactError::NoRestCompliance`] if blocks are coupled, as those of deformable bodies are.
fn no_bodies(problem: &ContactProblem) -> Result<Arc<TurnedBodies>, ContactError> {
    let pattern = problem.momentum.pattern();
    match (0..pattern.blocks()).find(|&block| pattern.row(block).len() > 1) {
        Some(block) => Err(ContactError::NoRestCompliance { block }),
        None => Ok(Arc::default()),
    }
}

/// Steps are equal up to the rounding of a subdivision.
fn same_step(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// Replaces up to three columns of one body by `R (A⁰)⁻¹ Rᵀ` of them.
fn warp(body: &TurnedBody, columns: &mut [f64], scratch: &mut SolveScratch) {
    let size = 3 * body.rotations.len();
    for column in columns.chunks_exact_mut(size) {
        for (x, rotation) in column.chunks_exact_mut(3).zip(&body.rotations) {
            let turned = rotation.tr_mul(&Vector3::from_column_slice(x));
            x.copy_from_slice(turned.as_slice());
        }
    }
    body.rest.solve(columns, scratch);
    for column in columns.chunks_exact_mut(size) {
        for (x, rotation) in column.chunks_exact_mut(3).zip(&body.rotations) {
            let turned = rotation * Vector3::from_column_slice(x);
            x.copy_from_slice(turned.as_slice());
        }
    }
}

/// `R (A⁰)⁻¹ Rᵀ` for all unknowns of the `members` of `bodies`, which share one factor.
fn warp_together(
    bodies: &[TurnedBody],
    members: &[usize],
    x: &mut [f64],
    columns: &mut Vec<f64>,
    scratch: &mut SolveScratch,
) {
    let Some(&first) = members.first() else {
        return;
    };
    columns.clear();
    for &member in members {
        let body = &bodies[member];
        for (&block, rotation) in body.blocks.iter().zip(&body.rotations) {
            let entries = &x[3 * block as usize..][..3];
            let turned = rotation.tr_mul(&Vector3::from_column_slice(entries));
            columns.extend_from_slice(turned.as_slice());
        }
    }
    bodies[first].rest.solve(columns, scratch);
    let mut values = columns.chunks_exact(3);
    for &member in members {
        let body = &bodies[member];
        for ((&block, rotation), value) in
            body.blocks.iter().zip(&body.rotations).zip(values.by_ref())
        {
            let turned = rotation * Vector3::from_column_slice(value);
            x[3 * block as usize..][..3].copy_from_slice(turned.as_slice());
        }
    }
}

/// `C̃` as a preconditioner; the lock of its scratch is never contended.
struct AsPreconditioner<'a>(Mutex<&'a mut WarpedCompliance>);

impl Preconditioner for AsPreconditioner<'_> {
    fn apply(&self, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
        let mut compliance = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        compliance.apply(z);
    }
}
