//! How the impulses of joints change the rows of all joints that hold the same vertices and bodies.

use impinge_contact::constraint::Evaluation;
use impinge_contact::constraint::law::MOST_ROWS;
use nalgebra::{DVector, SMatrix, Vector3};
use nalgebra_sparse::CscMatrix;
use nalgebra_sparse::factorization::{CscCholesky, CscSymbolicCholesky};
use nalgebra_sparse::pattern::SparsityPattern;
use std::collections::BTreeMap;

/// Relative addition `ε` to the diagonal of the mobility, for rows that follow from others. Any value far above
/// rounding and far below 1 gives the same motion.
const SHARED: f64 = 1e-10;

/// A matrix between the rows of two joints.
type RowMatrix = SMatrix<f64, MOST_ROWS, MOST_ROWS>;

/// `J_a M⁻¹ J_bᵀ` of the rows of two joints; `respond` applies the inverse mass of a block. Unused rows are 0.
fn mobility(
    [a, b]: [&Evaluation; 2],
    respond: impl Fn(u32, &Vector3<f64>) -> Vector3<f64>,
) -> RowMatrix {
    let mut mobility = RowMatrix::zeros();
    for (in_b, &block) in b.blocks.iter().enumerate() {
        let Ok(in_a) = a.blocks.binary_search(&block) else {
            continue;
        };
        for s in 0..b.value.len() {
            let response = respond(block, &b.jacobian[s * b.blocks.len() + in_b]);
            for r in 0..a.value.len() {
                mobility[(r, s)] += a.jacobian[r * a.blocks.len() + in_a].dot(&response);
            }
        }
    }
    mobility
}

/// `S = J M⁻¹ Jᵀ` of all joints of a group, and its factors over the rows that act.
#[derive(Clone, Debug)]
pub(super) struct Coupling {
    /// First row of each joint, and the number of rows.
    first_row: Vec<usize>,
    /// For each joint, those that share a block with it, ascending, itself included.
    partners: Vec<Vec<usize>>,
    matrix: CscMatrix<f64>,
    factor: Option<CscCholesky<f64>>,
    /// Whether `factor` is that of the present `matrix`.
    is_current: bool,
    /// The rows that act in `factor`, and the entries that it was made of.
    acting: Vec<bool>,
    values: Vec<f64>,
}

impl Coupling {
    /// Finds the joints that are coupled; all were evaluated.
    pub(super) fn new(joints: &[&Evaluation]) -> Self {
        let mut first_row = vec![0];
        let mut of_block: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let mut blocks = Vec::new();
        for (index, at) in joints.iter().enumerate() {
            first_row.push(first_row[index] + at.value.len());
            for &block in &at.blocks {
                of_block.entry(block).or_default().push(index);
            }
            blocks.push(at.blocks.clone());
        }
        let partners = blocks.iter().enumerate().map(|(index, blocks)| {
            let mut partners: Vec<usize> =
                blocks.iter().flat_map(|b| of_block[b].clone()).collect();
            // A joint that holds nothing which moves has a diagonal, too.
            partners.push(index);
            partners.sort_unstable();
            partners.dedup();
            partners
        });
        let partners: Vec<Vec<usize>> = partners.collect();
        let (mut offsets, mut rows) = (vec![0], Vec::new());
        for (index, partners) in partners.iter().enumerate() {
            for _ in first_row[index]..first_row[index + 1] {
                rows.extend(
                    partners
                        .iter()
                        .flat_map(|&of| first_row[of]..first_row[of + 1]),
                );
                offsets.push(rows.len());
            }
        }
        let count = offsets.len() - 1;
        let entries = rows.len();
        let pattern = SparsityPattern::try_from_offsets_and_indices(count, count, offsets, rows)
            .expect("rows ascend in every column");
        Self {
            matrix: CscMatrix::try_from_pattern_and_values(pattern, vec![0.0; entries])
                .expect("one value per entry"),
            first_row,
            partners,
            factor: None,
            is_current: false,
            acting: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Computes `S` for the present rows.
    pub(super) fn update(
        &mut self,
        joints: &[&Evaluation],
        respond: impl Fn(u32, &Vector3<f64>) -> Vector3<f64>,
    ) {
        self.is_current = false;
        let (offsets, _, values) = self.matrix.csc_data_mut();
        for (index, partners) in self.partners.iter().enumerate() {
            let columns = self.first_row[index]..self.first_row[index + 1];
            let mut above = 0;
            for &partner in partners {
                let mobility = mobility([joints[partner], joints[index]], &respond);
                let rows = self.first_row[partner + 1] - self.first_row[partner];
                for (s, column) in columns.clone().enumerate() {
                    let first = offsets[column] + above;
                    values[first..first + rows]
                        .copy_from_slice(&mobility.column(s).as_slice()[..rows]);
                }
                above += rows;
            }
        }
    }

    /// `(S + ε D)⁻¹ S (S + ε D)⁻¹ b` over the rows that act, with `D = diag S`; 0 in all others. This is `S⁻¹ b`, but
    /// impulses without effect, as rows that follow from others admit them, vanish instead of growing by `1/ε`. `None`
    /// if the matrix is not positive.
    pub(super) fn solve(&mut self, acting: &[bool], mut b: DVector<f64>) -> Option<DVector<f64>> {
        if !self.is_current || self.acting != acting {
            self.acting.clear();
            self.acting.extend_from_slice(acting);
            self.is_current = false;
            self.factor()?;
            self.is_current = true;
        }
        let factor = self.factor.as_ref()?;
        for (b, &acts) in b.iter_mut().zip(acting) {
            if !acts {
                *b = 0.0;
            }
        }
        factor.solve_mut(&mut b);
        let mut effect = DVector::zeros(b.len());
        for (row, column, value) in self.matrix.triplet_iter() {
            if acting[row] && acting[column] {
                effect[row] += value * b[column];
            }
        }
        factor.solve_mut(&mut effect);
        Some(effect)
    }

    /// Rows that do not act, and rows that nothing moves, have the equation `x = 0`.
    fn factor(&mut self) -> Option<()> {
        let acting = &self.acting;
        self.values.clear();
        let entries = self.matrix.triplet_iter().map(|(row, column, &value)| {
            let is_diagonal = row == column;
            if acting[row] && acting[column] && (value > 0.0 || !is_diagonal) {
                value * if is_diagonal { 1.0 + SHARED } else { 1.0 }
            } else if is_diagonal {
                1.0
            } else {
                0.0
            }
        });
        self.values.extend(entries);
        // Factors that could not be made leave remains behind, so they are not used again.
        let factors = if let Some(mut factor) = self.factor.take() {
            factor.refactor(&self.values).map(|()| factor)
        } else {
            let symbolic = CscSymbolicCholesky::factor(self.matrix.pattern().clone());
            CscCholesky::factor_numerical(symbolic, &self.values)
        };
        self.factor = factors.ok();
        self.factor.as_ref().map(|_| ())
    }
}
