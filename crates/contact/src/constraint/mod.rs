//! Constraints with compliance and geometric stiffness, for joints, cables, cloth and stiff materials.
//!
//! ```text
//! C λ = −φ(x),  C ⪰ 0                  force  Jᵀ λ,  J = ∂φ/∂x
//! K̃ = Σ λᵢ ∇²φᵢ                        geometric stiffness, from the forces of the last step
//! ```
//!
//! A [`Law`] defines `φ` as a function of a few [`Point`]s. A point defines its dependence on particles and rigid
//! bodies. The chain rule gives both derivatives in the unknowns, once for all laws ([`Evaluation`]).
//! `docs/methods/stable_constraints.md` explains the method, `docs/notation.md` the signs.
//!
//! - [`point`]: particles, points of meshes and bodies, directions; [`law`]: the trait of all laws;
//! - [`distance`], [`path`], [`attachment`], [`direction`]: laws of links and joints; [`strain`]: laws of materials;
//! - [`joint`]: ball, hinge, slider, weld, limits; [`link`]: springs, ropes, rods, bindings, elements;
//! - [`evaluate`]: rows and stiffness blocks of one constraint; [`turning`]: stiffness of forces at the arms of one
//!   body; [`stiffness`]: the stiffness of all constraints, projected and summed;
//! - [`rows`]: the rows of a contact problem; [`Condenser`]: the same constraints as a stiffness in the momentum
//!   matrix.
//!
//! # Source
//! Tournier, Nesme, Gilles & Faure 2015, "Stable Constrained Dynamics", ACM TOG 34(4),
//! <https://doi.org/10.1145/2766969>.

pub mod attachment;
mod condense;
pub mod direction;
pub mod distance;
mod error;
pub mod evaluate;
pub mod joint;
pub mod law;
pub mod link;
pub mod path;
pub mod point;
pub mod redundancy;
pub mod rows;
pub mod stiffness;
pub mod strain;
pub mod turning;

pub use condense::Condenser;
pub use error::ConstraintError;
pub use evaluate::Evaluation;
pub use law::{Definiteness, Law, Local, Points, Response};
pub use point::{BodyBlocks, Configuration, Frame, Layout, Placement, Point, Term};
pub use rows::{ConstraintGroup, ConstraintRows};
pub use stiffness::{GeometricStiffness, StiffnessSum};
pub use turning::{ArmForce, TurningSum};

use impinge_krylov::direct::symmetric_eigen;
use nalgebra::DMatrix;
use std::sync::Arc;

/// One constraint: a law, its points and its compliance.
#[derive(Debug, Clone)]
pub struct Constraint {
    law: Arc<dyn Law>,
    points: Vec<Point>,
    compliance: Option<DMatrix<f64>>,
    /// Inverse of the compliance, if it is regular.
    stiffness: Option<DMatrix<f64>>,
    /// Whether the law has a potential of its own.
    own_potential: bool,
    /// `d` (s): `C λ = −(φ + d φ̇)`.
    pub damping: f64,
    /// Whether `φ ≥ 0` and `λ ≥ 0` only: a rope, a joint limit.
    pub unilateral: bool,
    /// Subtracted from `φ`: the plastic strain `ε_p` of a material, or minus the change of a length or limit.
    pub offset: [f64; law::MOST_ROWS],
    /// Name in messages.
    pub name: String,
}

impl Constraint {
    /// A rigid bilateral constraint.
    ///
    /// # Errors
    /// [`ConstraintError::PointCount`] if the law takes another number of points.
    pub fn new(law: impl Law + 'static, points: Vec<Point>) -> Result<Self, ConstraintError> {
        if points.len() != law.points() {
            return Err(ConstraintError::PointCount {
                found: points.len(),
                expected: law.points(),
            });
        }
        let own_potential = law.response(&vec![0.0; law.rows()]).is_some();
        Ok(Self {
            law: Arc::new(law),
            points,
            compliance: None,
            stiffness: None,
            own_potential,
            damping: 0.0,
            unilateral: false,
            offset: [0.0; law::MOST_ROWS],
            name: String::new(),
        })
    }

    /// Sets `C` (m/N for a length, 1/J for a strain, rad/(N·m) for an angle).
    ///
    /// # Errors
    /// [`ConstraintError::ComplianceSize`], or [`ConstraintError::NegativeCompliance`] for an eigenvalue below 0.
    pub fn with_compliance(mut self, compliance: &DMatrix<f64>) -> Result<Self, ConstraintError> {
        let rows = self.law.rows();
        if compliance.nrows() != rows || compliance.ncols() != rows {
            return Err(ConstraintError::ComplianceSize {
                found: compliance.nrows(),
                expected: rows,
            });
        }
        let symmetric = (compliance + compliance.transpose()) * 0.5;
        // Rounding may put the zero eigenvalues of a singular compliance on either side of 0.
        let rounding = 64.0 * f64::EPSILON * symmetric.amax();
        let least = symmetric_eigen(&symmetric).map_or(f64::NAN, |(values, _)| values[0]);
        if least.is_nan() || least < -rounding {
            return Err(ConstraintError::NegativeCompliance { value: least });
        }
        self.stiffness = symmetric.clone().cholesky().map(|factor| factor.inverse());
        self.compliance = (symmetric.amax() > 0.0).then_some(symmetric);
        Ok(self)
    }

    /// Sets `C = c I`.
    ///
    /// # Errors
    /// [`ConstraintError::NegativeCompliance`].
    pub fn with_uniform_compliance(self, c: f64) -> Result<Self, ConstraintError> {
        let rows = self.law.rows();
        self.with_compliance(&DMatrix::from_diagonal_element(rows, rows, c))
    }

    /// Makes the constraint one-sided: `φ ≥ 0`, `λ ≥ 0`.
    #[must_use]
    pub fn one_sided(mut self) -> Self {
        self.unilateral = true;
        self
    }

    /// Sets the name in messages.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.law.rows()
    }

    /// The law.
    pub fn law(&self) -> &dyn Law {
        &*self.law
    }

    /// Its points.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// `C`; `None` if it is 0 or the law has its own potential.
    pub fn compliance(&self) -> Option<&DMatrix<f64>> {
        self.compliance.as_ref()
    }

    /// `C⁻¹`; `None` if `C` is singular or the law has its own potential.
    pub fn stiffness(&self) -> Option<&DMatrix<f64>> {
        self.stiffness.as_ref()
    }

    /// Whether `C = 0`.
    pub fn is_hard(&self) -> bool {
        self.compliance.is_none() && !self.own_potential
    }

    /// Violation at `state`: the largest `|φ|`, or `−φ` of one-sided rows (m, rad or 1, by the law).
    pub fn misfit(&self, state: &Configuration<'_>) -> f64 {
        let q: Vec<_> = self.points.iter().map(|point| point.at(state)).collect();
        let mut local = Local::default();
        local.clear(self.rows(), q.len());
        self.law.evaluate(&q, &mut local);
        let rows = local.value.iter().zip(&self.offset);
        rows.map(|(value, offset)| value - offset)
            .map(|phi| if self.unilateral { -phi } else { phi.abs() })
            // `f64::max` would drop a NaN.
            .fold(0.0, |most, phi| {
                if phi > most || phi.is_nan() {
                    phi
                } else {
                    most
                }
            })
    }

    /// Whether the law has its own potential.
    pub fn has_potential(&self) -> bool {
        self.own_potential
    }

    /// Whether it can be a stiffness in the momentum matrix.
    pub fn has_stiffness(&self) -> bool {
        self.stiffness.is_some() || self.own_potential
    }
}
