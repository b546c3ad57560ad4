//! Constraint rows of a problem: plain data beside the contacts.

use crate::ContactError;
use nalgebra::Vector3;

/// Rows of one constraint, as input.
#[derive(Debug, Clone, Copy)]
pub struct ConstraintGroup<'a> {
    /// Blocks of unknowns that the rows act on.
    pub blocks: &'a [u32],
    /// `j`: entry `row · blocks + block`. Like contact rows they contain the step (s, times the unit of `φ` over m).
    pub jacobian: &'a [Vector3<f64>],
    /// `c`, one per row (the unit of `φ`).
    pub offset: &'a [f64],
    /// `C`, `rows × rows`, symmetric positive semi-definite.
    pub compliance: &'a [f64],
    /// Whether the rows are one-sided.
    pub unilateral: bool,
}

/// All constraint rows of a problem, in groups that share their blocks and one compliance.
///
/// ```text
/// A v = b + … + jᵀ λ            j v + C λ = c          or one-sided, per row:  j v + C λ ≥ c,  λ ≥ 0, complementary
/// ```
///
/// | field | symbol | shape | unit |
/// |---|---|---|---|
/// | rows | `j` | `rows × n` | s·\[φ\]/m |
/// | `offset` | `c` | 1 per row | \[φ\] |
/// | `compliance` | `C` | `rows × rows` per group | \[φ\]²/J |
/// | multiplier | `λ` | 1 per row | J/\[φ\] |
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConstraintRows {
    /// First row, block, entry and compliance of each group, and one past the last group.
    starts: Vec<[usize; 4]>,
    unilateral: Vec<bool>,
    blocks: Vec<u32>,
    jacobian: Vec<Vector3<f64>>,
    offset: Vec<f64>,
    compliance: Vec<f64>,
}

impl ConstraintRows {
    /// Removes all rows, keeping the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.unilateral.clear();
        self.blocks.clear();
        self.jacobian.clear();
        self.offset.clear();
        self.compliance.clear();
    }

    /// Adds a group and returns its index.
    ///
    /// # Panics
    /// If the arrays do not fit each other.
    #[track_caller]
    pub fn push(&mut self, group: &ConstraintGroup<'_>) -> usize {
        let rows = group.offset.len();
        assert_eq!(
            group.jacobian.len(),
            rows * group.blocks.len(),
            "row entries"
        );
        assert_eq!(group.compliance.len(), rows * rows, "compliance entries");
        if self.starts.is_empty() {
            self.starts.push([0; 4]);
        }
        self.blocks.extend_from_slice(group.blocks);
        self.jacobian.extend_from_slice(group.jacobian);
        self.offset.extend_from_slice(group.offset);
        self.compliance.extend_from_slice(group.compliance);
        self.unilateral.push(group.unilateral);
        self.starts.push([
            self.offset.len(),
            self.blocks.len(),
            self.jacobian.len(),
            self.compliance.len(),
        ]);
        self.unilateral.len() - 1
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.unilateral.len()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offset.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.offset.is_empty()
    }

    /// First row of a group.
    #[inline]
    pub fn first_row(&self, group: usize) -> usize {
        self.starts[group][0]
    }

    /// A group.
    #[inline]
    pub fn group(&self, group: usize) -> ConstraintGroup<'_> {
        let ([r, b, j, c], [r1, b1, j1, c1]) = (self.starts[group], self.starts[group + 1]);
        ConstraintGroup {
            blocks: &self.blocks[b..b1],
            jacobian: &self.jacobian[j..j1],
            offset: &self.offset[r..r1],
            compliance: &self.compliance[c..c1],
            unilateral: self.unilateral[group],
        }
    }

    /// `c` of a group, to change.
    #[inline]
    pub fn offset_mut(&mut self, group: usize) -> &mut [f64] {
        let rows = self.starts[group][0]..self.starts[group + 1][0];
        &mut self.offset[rows]
    }

    /// Whether two sets couple the same unknowns in the same groups, whatever their numbers.
    pub fn same_pattern(&self, other: &Self) -> bool {
        self.starts == other.starts
            && self.unilateral == other.unilateral
            && self.blocks == other.blocks
    }

    /// Whether two sets have equal rows and compliances, whatever their offsets.
    pub(crate) fn same_rows(&self, other: &Self) -> bool {
        self.same_pattern(other)
            && self.jacobian == other.jacobian
            && self.compliance == other.compliance
    }

    /// `j x` of one row.
    #[inline]
    pub fn product(&self, group: usize, row: usize, x: &[f64]) -> f64 {
        let group = self.group(group);
        let count = group.blocks.len();
        let mut sum = 0.0;
        for (&block, j) in group.blocks.iter().zip(&group.jacobian[row * count..]) {
            let x = &x[3 * block as usize..][..3];
            sum += j[0] * x[0] + j[1] * x[1] + j[2] * x[2];
        }
        sum
    }

    /// `y += jᵀ λ` of one row.
    #[inline]
    pub fn add_impulse(&self, group: usize, row: usize, lambda: f64, y: &mut [f64]) {
        let group = self.group(group);
        let count = group.blocks.len();
        for (&block, j) in group.blocks.iter().zip(&group.jacobian[row * count..]) {
            let y = &mut y[3 * block as usize..][..3];
            for axis in 0..3 {
                y[axis] += j[axis] * lambda;
            }
        }
    }

    /// Checks the preconditions of every method.
    ///
    /// # Errors
    /// [`ContactError`] naming the first group with a number that is not finite, a negative compliance, a block outside
    /// the problem or a row without entries.
    pub(crate) fn validate(&self, blocks: usize) -> Result<(), ContactError> {
        for index in 0..self.groups() {
            let group = self.group(index);
            let not_finite = |what| ContactError::NotFinite { what, index };
            if !group.offset.iter().all(|x| x.is_finite()) {
                return Err(not_finite("offset of constraint"));
            }
            if !group
                .jacobian
                .iter()
                .all(|j| j.iter().all(|x| x.is_finite()))
            {
                return Err(not_finite("row of constraint"));
            }
            if !group.compliance.iter().all(|x| x.is_finite()) {
                return Err(not_finite("compliance of constraint"));
            }
            let rows = group.offset.len();
            for row in 0..rows {
                let value = group.compliance[row * rows + row];
                if value < 0.0 {
                    return Err(ContactError::NegativeCompliance {
                        constraint: index,
                        value,
                    });
                }
                let entries = &group.jacobian[row * group.blocks.len()..][..group.blocks.len()];
                // A row with compliance still defines its force: a strain between prescribed nodes.
                if value == 0.0 && !entries.iter().any(|j| j.amax() > 0.0) {
                    return Err(ContactError::EmptyConstraint { constraint: index });
                }
            }
            if group.blocks.iter().any(|&block| block as usize >= blocks) {
                return Err(ContactError::EmptyConstraint { constraint: index });
            }
        }
        Ok(())
    }
}
