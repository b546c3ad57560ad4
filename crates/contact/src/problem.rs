//! The contact problem as plain data, free of any method.

use crate::ContactError;
use crate::constraint::ConstraintRows;
use impinge_krylov::{block::SymmetricBlockMatrix, vector};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use std::sync::Arc;

/// Least number of contacts of a parallel task that handles each contact alone.
pub(crate) const CONTACTS_PER_TASK: usize = 2048;

/// One contact, as input.
#[derive(Debug, Clone, Copy)]
pub struct ContactRow<'a> {
    /// `(block, Δt·[n; t₁; t₂]-rows)`: the contact's displacement per unit velocity of that block (s).
    pub entries: &'a [(u32, Matrix3<f64>)],
    /// `(c_n, c_t)` (m): the displacement at which the gap equals the clearance, and the displacement without slip.
    pub offset: Vector3<f64>,
    /// `μ ≥ 0`.
    pub friction: f64,
}

/// A node of a deformable body, for coarse grids and counts of duplicate contacts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestNode {
    /// Number of the body, below `u32::MAX`.
    pub body: u32,
    /// Position at rest (m).
    pub position: Vector3<f64>,
    /// Mass (kg).
    pub mass: f64,
}

/// Momentum equations and contacts of one step.
///
/// | field | symbol | shape | unit |
/// |---|---|---|---|
/// | `time_step` | `Δt` | 1 | s |
/// | `momentum` | `A` | `n × n` | kg |
/// | `rhs` | `b` | `n` | N·s |
/// | rows | `[J; J_t]` | `3·contacts × n` | s |
/// | `offsets` | `(c_n, c_t)` | 3 per contact | m |
/// | `friction` | `μ` | 1 per contact | 1 |
/// | momentum weights | `w` | 1 per block | 1 |
/// | displacement scales | | 2 per contact | 1 |
/// | rest nodes | | 1 per block, or none | m, kg |
/// | `constraints` | `j`, `c`, `C` | see [`ConstraintRows`] | |
#[derive(Debug, Clone)]
pub struct ContactProblem {
    /// Length of the step (s); the rows already contain it.
    pub time_step: f64,
    /// `A`, symmetric positive definite.
    pub momentum: SymmetricBlockMatrix,
    /// `b`, an impulse.
    pub rhs: Vec<f64>,
    /// Rows of joints, links and strains.
    pub constraints: ConstraintRows,
    offsets: Vec<Vector3<f64>>,
    friction: Vec<f64>,
    /// `w`, three equal entries per block.
    momentum_weights: Vec<f64>,
    /// The node of each block; empty if they are not known.
    rest_nodes: Arc<[Option<RestNode>]>,
    /// Displacement scales of gap and slip of each contact: multiples of a method's tolerances.
    displacement_scales: Vec<[f64; 2]>,
    starts: Vec<u32>,
    blocks: Vec<u32>,
    jacobians: Vec<Matrix3<f64>>,
}

impl ContactProblem {
    /// A problem without contacts and with momentum weights 1.
    ///
    /// # Panics
    /// If `rhs` is not three times the number of blocks long.
    #[track_caller]
    pub fn new(time_step: f64, momentum: SymmetricBlockMatrix, rhs: Vec<f64>) -> Self {
        assert_eq!(
            rhs.len(),
            3 * momentum.blocks(),
            "one right-hand side entry per scalar unknown"
        );
        Self {
            time_step,
            momentum,
            momentum_weights: vec![1.0; rhs.len()],
            rest_nodes: Arc::default(),
            rhs,
            constraints: ConstraintRows::default(),
            offsets: Vec::new(),
            friction: Vec::new(),
            displacement_scales: Vec::new(),
            starts: vec![0],
            blocks: Vec::new(),
            jacobians: Vec::new(),
        }
    }

    /// Removes all contacts, keeping the memory.
    pub fn clear_contacts(&mut self) {
        self.offsets.clear();
        self.friction.clear();
        self.displacement_scales.clear();
        self.starts.truncate(1);
        self.blocks.clear();
        self.jacobians.clear();
    }

    /// Adds a contact with displacement scales 1 and returns its index.
    ///
    /// # Panics
    /// If an entry names a block that the momentum matrix does not have.
    #[track_caller]
    pub fn push(&mut self, row: &ContactRow<'_>) -> usize {
        for (block, jacobian) in row.entries {
            assert!(
                (*block as usize) < self.momentum.blocks(),
                "block {block} is outside the momentum matrix"
            );
            self.blocks.push(*block);
            self.jacobians.push(*jacobian);
        }
        self.starts
            .push(u32::try_from(self.blocks.len()).expect("fewer than 2^32 row blocks"));
        self.offsets.push(row.offset);
        self.friction.push(row.friction);
        self.displacement_scales.push([1.0; 2]);
        self.offsets.len() - 1
    }

    /// Adds a contact of a `whole` problem that this one is a part of: with `entries` in its own blocks, and an offset
    /// that contains the displacement due to all others.
    pub(crate) fn push_part(
        &mut self,
        (whole, contact): (&Self, usize),
        entries: &[(u32, Matrix3<f64>)],
        offset: Vector3<f64>,
    ) {
        let index = self.push(&ContactRow {
            entries,
            offset,
            friction: whole.friction(contact),
        });
        self.scale_displacements(index, whole.displacement_scales(contact));
    }

    /// Takes the momentum weights of the `blocks` of a `whole` problem that this one is a part of.
    pub(crate) fn weigh_part(&mut self, whole: &Self, blocks: &[u32]) {
        let weight = |&block: &u32| whole.momentum_weight(block as usize);
        self.weigh_momentum(blocks.iter().map(weight));
    }

    /// Sets the weight of each block's momentum residual: the momentum tolerance of a method over that of the block's
    /// body.
    ///
    /// # Panics
    /// If the number of weights differs from the number of blocks.
    #[track_caller]
    pub fn weigh_momentum(&mut self, weights: impl IntoIterator<Item = f64>) {
        self.momentum_weights.clear();
        let entries = weights.into_iter().flat_map(|weight| [weight; 3]);
        self.momentum_weights.extend(entries);
        assert_eq!(
            self.momentum_weights.len(),
            self.rhs.len(),
            "one weight per block"
        );
    }

    /// Sets which node each block is; `None` for blocks that are no node of a deformable body.
    ///
    /// Solutions do not depend on it beyond tolerances. Methods may need fewer iterations with it.
    ///
    /// # Panics
    /// If the number of nodes differs from the number of blocks.
    #[track_caller]
    pub fn set_rest_nodes(&mut self, nodes: impl IntoIterator<Item = Option<RestNode>>) {
        self.rest_nodes = nodes.into_iter().collect();
        let blocks = self.momentum.blocks();
        assert_eq!(self.rest_nodes.len(), blocks, "one entry per block");
    }

    /// The node of each block; empty if they are not known.
    pub fn rest_nodes(&self) -> &[Option<RestNode>] {
        &self.rest_nodes
    }

    /// [`rest_nodes`](Self::rest_nodes), shared with copies of the problem.
    pub(crate) fn shared_rest_nodes(&self) -> &Arc<[Option<RestNode>]> {
        &self.rest_nodes
    }

    /// `w` of a block.
    #[inline]
    pub fn momentum_weight(&self, block: usize) -> f64 {
        self.momentum_weights[3 * block]
    }

    /// The largest `w` among the blocks that a contact acts on.
    pub(crate) fn momentum_weight_of(&self, contact: usize) -> f64 {
        let (blocks, _) = self.row(contact);
        let weights = blocks
            .iter()
            .map(|&block| self.momentum_weight(block as usize));
        weights.fold(0.0, f64::max)
    }

    /// The largest `w` of all blocks; 1 without any.
    pub(crate) fn largest_momentum_weight(&self) -> f64 {
        let weights = self.momentum_weights.iter().copied();
        weights.reduce(f64::max).unwrap_or(1.0)
    }

    /// `w`, one entry per scalar unknown.
    pub(crate) fn momentum_weights(&self) -> &[f64] {
        &self.momentum_weights
    }

    /// `‖w r‖₂` of a momentum residual (N·s): compared with a method's tolerance, it holds every body to its own.
    pub fn momentum_norm(&self, residual: &[f64]) -> f64 {
        let [square] = vector::sum_pieces([residual, &self.momentum_weights], &|[r, w]| {
            let mut sums = [0.0; 3];
            for (r, w) in r.as_chunks::<3>().0.iter().zip(w.as_chunks::<3>().0) {
                for axis in 0..3 {
                    sums[axis] += (r[axis] * w[axis]) * (r[axis] * w[axis]);
                }
            }
            [sums.iter().sum()]
        });
        square.sqrt()
    }

    /// Sets the tolerances of a contact's gap and slip, as multiples of a method's tolerances.
    pub fn scale_displacements(&mut self, contact: usize, scales: [f64; 2]) {
        self.displacement_scales[contact] = scales;
    }

    /// Displacement scales of a contact, for its gap and its slip.
    #[inline]
    pub fn displacement_scales(&self, contact: usize) -> [f64; 2] {
        self.displacement_scales[contact]
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.offsets.len()
    }

    /// Number of scalar unknowns in the velocity.
    pub fn unknowns(&self) -> usize {
        self.rhs.len()
    }

    /// `(c_n, c_t)` of a contact (m).
    pub fn offset(&self, contact: usize) -> Vector3<f64> {
        self.offsets[contact]
    }

    /// `μ` of a contact.
    pub fn friction(&self, contact: usize) -> f64 {
        self.friction[contact]
    }

    /// Blocks and row blocks of a contact; the rows of each are `n, t₁, t₂`, times `Δt` (s).
    #[inline]
    pub fn row(&self, contact: usize) -> (&[u32], &[Matrix3<f64>]) {
        let range = self.starts[contact] as usize..self.starts[contact + 1] as usize;
        (&self.blocks[range.clone()], &self.jacobians[range])
    }

    /// Checks the preconditions of every method.
    ///
    /// # Errors
    /// [`ContactError`] naming the first number that is not finite, diagonal entry that is not positive, negative
    /// friction coefficient, contact without unknowns, invalid time step, momentum weight or displacement scale that is
    /// not positive, or right-hand side of another length.
    pub fn validate(&self) -> Result<(), ContactError> {
        let finite = |what, index, ok: bool| {
            if ok {
                Ok(())
            } else {
                Err(ContactError::NotFinite { what, index })
            }
        };
        if !(self.time_step > 0.0 && self.time_step.is_finite()) {
            let value = self.time_step;
            return Err(ContactError::TimeStep { value });
        }
        if self.rhs.len() != self.momentum.len() {
            return Err(ContactError::RightHandSideLength {
                found: self.rhs.len(),
                expected: self.momentum.len(),
            });
        }
        if self.rhs.iter().fold(0.0, |sum, x| sum + 0.0 * x) != 0.0 {
            for (index, value) in self.rhs.iter().enumerate() {
                finite("right-hand side entry", index, value.is_finite())?;
            }
        }
        let suspects = if self.momentum.is_finite() {
            &[]
        } else {
            self.momentum.values()
        };
        for (index, block) in suspects.iter().enumerate() {
            finite("momentum block", index, block.iter().all(|x| x.is_finite()))?;
        }
        let weights = self.momentum_weights.iter().enumerate();
        for (index, &value) in weights.step_by(3) {
            if !(value > 0.0 && value.is_finite()) {
                let block = index / 3;
                return Err(ContactError::MomentumWeight { block, value });
            }
        }
        if !self.momentum.has_definite_diagonal() {
            self.validate_diagonal()?;
        }
        let first_wrong = (0..self.contacts())
            .into_par_iter()
            .with_min_len(CONTACTS_PER_TASK)
            .find_map_first(|contact| self.validate_contact(contact).err());
        first_wrong.map_or(Ok(()), Err)?;
        self.constraints.validate(self.momentum.blocks())
    }

    fn validate_contact(&self, contact: usize) -> Result<(), ContactError> {
        let finite = |what, ok: bool| {
            let index = contact;
            if ok {
                Ok(())
            } else {
                Err(ContactError::NotFinite { what, index })
            }
        };
        let (_, jacobians) = self.row(contact);
        // Finite if every entry is; positive if every row has a non-zero entry.
        let size = jacobians.iter().fold(Vector3::zeros(), |size, j| {
            size + j.column(0).abs() + j.column(1).abs() + j.column(2).abs()
        });
        if !size.iter().all(|size| size.is_finite()) {
            let rows_finite = jacobians.iter().all(|j| j.iter().all(|x| x.is_finite()));
            finite("row block of contact", rows_finite)?;
        }
        if size.min() == 0.0 {
            return Err(ContactError::EmptyRow { contact });
        }
        let offset = &self.offsets[contact];
        finite("offset of contact", offset.iter().all(|x| x.is_finite()))?;
        let value = self.friction[contact];
        if !(value >= 0.0 && value.is_finite()) {
            return Err(ContactError::NegativeFriction { contact, value });
        }
        for value in self.displacement_scales[contact] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ContactError::DisplacementScale { contact, value });
            }
        }
        Ok(())
    }

    fn validate_diagonal(&self) -> Result<(), ContactError> {
        for block in 0..self.momentum.blocks() {
            let diagonal = self.momentum.diagonal_block(block);
            for axis in 0..3 {
                let value = diagonal[(axis, axis)];
                if value <= 0.0 {
                    return Err(ContactError::SingularMomentum {
                        index: 3 * block + axis,
                        value,
                    });
                }
            }
            let difference = self.momentum.asymmetry(block);
            if difference > 0.0 {
                return Err(ContactError::AsymmetricMomentum { block, difference });
            }
        }
        Ok(())
    }
}
