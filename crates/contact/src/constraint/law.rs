//! A constraint as a function of a few points: values, rows and geometric stiffness at these points.

use impinge_krylov::direct::symmetric_eigen;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// Largest number of rows of one law: the strains of a solid.
pub const MOST_ROWS: usize = 6;

/// `q₁ … q_k` of a law: points or differences of points (m), or directions (1).
pub type Points = [Vector3<f64>];

/// `φ(q₁ … q_k)`, its rows and the geometric stiffness of its forces, all in the points of the law.
///
/// All laws share the mapping from points to unknowns (`crates/contact/src/constraint/evaluate.rs`), so a new law needs
/// this trait alone.
pub trait Law: std::fmt::Debug + Send + Sync {
    /// `k`: the number of points.
    fn points(&self) -> usize;

    /// Rows of `φ`, at most [`MOST_ROWS`].
    fn rows(&self) -> usize;

    /// Writes `φ` and `∂φ/∂q`.
    fn evaluate(&self, q: &Points, local: &mut Local);

    /// Writes `Σ λᵢ ∇²φᵢ`, or its negative semi-definite part.
    ///
    /// Called after [`evaluate`](Self::evaluate) at the same points.
    fn stiffness(&self, q: &Points, lambda: &[f64], definiteness: Definiteness, local: &mut Local);

    /// Whether [`stiffness`](Self::stiffness) can project its own matrix.
    ///
    /// A dot product of two directions cannot: its second derivative has as many positive as negative eigenvalues. Only
    /// the whole constraint in its unknowns can be projected without resistance to a common rotation of both bodies.
    fn projects_itself(&self) -> bool {
        true
    }

    /// The law's own potential, if it has one: a material with a stress that is not linear in the strain. All other
    /// laws have `½ φᵀ C⁻¹ φ` with the compliance of their constraint.
    fn response(&self, _value: &[f64]) -> Option<Response> {
        None
    }
}

/// A potential `V(φ)` at one value.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// `V` (J).
    pub energy: f64,
    /// `∂V/∂φ = −λ` (J/\[φ\]).
    pub slope: DVector<f64>,
    /// `∂²V/∂φ²`, made positive definite (J/\[φ\]²).
    pub curvature: DMatrix<f64>,
    /// Its inverse: the compliance at this value.
    pub compliance: DMatrix<f64>,
}

/// Smallest eigenvalue of a curvature relative to its largest; smaller ones are raised to it. It bounds the condition
/// number of the compliance by 1e6.
const SOFTEST: f64 = 1e-6;

impl Response {
    /// Replaces the curvature by the nearest one with eigenvalues above that bound.
    pub fn new(energy: f64, slope: DVector<f64>, curvature: &DMatrix<f64>) -> Self {
        let size = slope.len();
        let (mut curved, mut compliance) = (DMatrix::zeros(size, size), DMatrix::zeros(size, size));
        if let Some((values, vectors)) = symmetric_eigen(curvature) {
            let least = SOFTEST * values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            for (&value, vector) in values.iter().zip(vectors.column_iter()) {
                let value = value.max(least);
                curved.ger(value, &vector, &vector, 1.0);
                compliance.ger(1.0 / value, &vector, &vector, 1.0);
            }
        }
        Self {
            energy,
            slope,
            curvature: curved,
            compliance,
        }
    }
}

/// Form of the geometric stiffness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definiteness {
    /// The exact matrix.
    Exact,
    /// Its negative semi-definite part, which resists motion.
    Negative,
}

/// Values and derivatives of a law at some points. Memory is kept between evaluations.
#[derive(Debug, Clone, Default)]
pub struct Local {
    points: usize,
    /// `φ`, one per row.
    pub value: Vec<f64>,
    /// `∂φ/∂q`: entry `row · k + point`.
    pub jacobian: Vec<Vector3<f64>>,
    /// `Σ λᵢ ∂²φᵢ/∂q_a∂q_b`: entry `a · k + b`.
    pub stiffness: Vec<Matrix3<f64>>,
}

impl Local {
    /// Zeros for a law of that size.
    pub fn clear(&mut self, rows: usize, points: usize) {
        self.points = points;
        self.value.clear();
        self.value.resize(rows, 0.0);
        self.jacobian.clear();
        self.jacobian.resize(rows * points, Vector3::zeros());
        self.stiffness.clear();
        self.stiffness.resize(points * points, Matrix3::zeros());
    }

    /// `∂φ_row/∂q_point`.
    pub fn row_mut(&mut self, row: usize, point: usize) -> &mut Vector3<f64> {
        &mut self.jacobian[row * self.points + point]
    }

    /// Block `(a, b)` of the stiffness.
    pub fn block_mut(&mut self, a: usize, b: usize) -> &mut Matrix3<f64> {
        &mut self.stiffness[a * self.points + b]
    }

    /// `f_point = Σ λᵢ ∂φᵢ/∂q_point`: the force of the constraint on a point (N).
    pub fn force(&self, lambda: &[f64], point: usize) -> Vector3<f64> {
        let rows = lambda.iter().enumerate();
        rows.map(|(row, &l)| self.jacobian[row * self.points + point] * l)
            .sum()
    }
}

/// The negative semi-definite part of a symmetric matrix; zero if an entry is not finite.
pub(super) fn negative_part_of(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let mut part = DMatrix::zeros(matrix.nrows(), matrix.ncols());
    let Some((values, vectors)) = symmetric_eigen(matrix) else {
        return part;
    };
    if values.iter().all(|&value| value <= 0.0) {
        part.copy_from(matrix);
        return part;
    }
    for (&value, vector) in values.iter().zip(vectors.column_iter()) {
        if value < 0.0 {
            part.ger(value, &vector, &vector, 1.0);
        }
    }
    part
}

/// The negative semi-definite part of a symmetric 3×3 matrix.
pub(super) fn negative_part(matrix: &Matrix3<f64>) -> Matrix3<f64> {
    let dense = DMatrix::from_column_slice(3, 3, matrix.as_slice());
    Matrix3::from_column_slice(negative_part_of(&dense).as_slice())
}
