//! Constraints with compliance and geometric stiffness: what joints, cables, cloth and stiff materials are made of.
//!
//! ```text
//! C λ = −φ(x),  C ⪰ 0                  force  Jᵀ λ,  J = ∂φ/∂x
//! K̃ = Σ λᵢ ∇²φᵢ                        geometric stiffness, from the forces of the step before
//! ```
//!
//! A [`Law`] says what `φ` is in a few [`Point`]s; points say how they follow from particles and rigid bodies. Both
//! derivatives in the unknowns follow from the law's and the points' by the chain rule, once for all laws
//! ([`Evaluation`]). `docs/methods/stable_constraints.md` explains the method, `docs/notation.md` the signs.
//!
//! - [`point`]: particles, points of meshes and bodies, directions; [`law`]: the seam;
//! - [`distance`], [`path`], [`attachment`], [`direction`]: the laws of links and joints; [`strain`]: those of materials;
//! - [`joint`]: ball, hinge, slider, weld, limits; [`link`]: springs, ropes, rods, bindings, elements;
//! - [`evaluate`]: rows and stiffness blocks of one constraint; [`turning`]: what forces at the arms of one body do;
//!   [`stiffness`]: those of all, projected and summed;
//! - [`rows`]: rows as a contact problem holds them; [`Condenser`]: the same as a stiffness in the momentum matrix.
//!
//! # Source
//! Tournier, Nesme, Gilles & Faure 2015, "Stable Constrained Dynamics", ACM TOG 34(4), <https://doi.org/10.1145/2766969>.

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
pub use law::{Definiteness, Law, Local, Response};
pub use point::{BodyBlocks, Configuration, Frame, Layout, Point, Term};
pub use rows::{ConstraintGroup, ConstraintRows};
pub use stiffness::{GeometricStiffness, StiffnessSum};
pub use turning::{ArmForce, TurningSum};

use impinge_krylov::direct::symmetric_eigen;
use nalgebra::DMatrix;
use std::sync::Arc;

/// One constraint: a law, the points it acts on, and how much it yields.
#[derive(Debug, Clone)]
pub struct Constraint {
    law: Arc<dyn Law>,
    points: Vec<Point>,
    compliance: Option<DMatrix<f64>>,
    /// Inverse of the compliance, where it has one.
    stiffness: Option<DMatrix<f64>>,
    /// Whether the law has a potential of its own.
    own_potential: bool,
    /// `d` (s): `C λ = −(φ + d φ̇)`.
    pub damping: f64,
    /// Whether `φ ≥ 0` and `λ ≥ 0` only: a rope, a joint limit.
    pub unilateral: bool,
    /// `ε_p`, subtracted from `φ`: the strain that a plastic material has kept.
    pub offset: [f64; law::MOST_ROWS],
    /// Name in messages.
    pub name: String,
}

impl Constraint {
    /// A hard constraint, both ways.
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

    /// The same with `C` (m/N for a length, 1/J for a strain, rad/(N·m) for an angle).
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
        // Rounding of a singular compliance may fall on either side of 0.
        let rounding = 64.0 * f64::EPSILON * symmetric.amax();
        let least = symmetric_eigen(&symmetric).map_or(f64::NAN, |(values, _)| values[0]);
        if least.is_nan() || least < -rounding {
            return Err(ConstraintError::NegativeCompliance { value: least });
        }
        self.stiffness = symmetric.clone().cholesky().map(|factor| factor.inverse());
        self.compliance = (symmetric.amax() > 0.0).then_some(symmetric);
        Ok(self)
    }

    /// The same with `C = c I`.
    ///
    /// # Errors
    /// [`ConstraintError::NegativeCompliance`].
    pub fn with_uniform_compliance(self, c: f64) -> Result<Self, ConstraintError> {
        let rows = self.law.rows();
        self.with_compliance(&DMatrix::from_diagonal_element(rows, rows, c))
    }

    /// The same, one-sided: `φ ≥ 0`, `λ ≥ 0`.
    #[must_use]
    pub fn one_sided(mut self) -> Self {
        self.unilateral = true;
        self
    }

    /// The same under a name for messages.
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

    /// The points it acts on.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// `C`; `None` where it is 0, or the law has a potential of its own.
    pub fn compliance(&self) -> Option<&DMatrix<f64>> {
        self.compliance.as_ref()
    }

    /// `C⁻¹`; `None` where there is none, or the law has a potential of its own.
    pub fn stiffness(&self) -> Option<&DMatrix<f64>> {
        self.stiffness.as_ref()
    }

    /// Whether `C = 0`.
    pub fn is_hard(&self) -> bool {
        self.compliance.is_none() && !self.own_potential
    }

    /// How far it is from being met at `state`: the largest `|φ|` of its rows, of one-sided ones the largest `−φ` (m, rad, 1, as its law has it).
    pub fn misfit(&self, state: &Configuration<'_>) -> f64 {
        let q: Vec<_> = self.points.iter().map(|point| point.at(state)).collect();
        let mut local = Local::default();
        local.clear(self.rows(), q.len());
        self.law.evaluate(&q, &mut local);
        let rows = local.value.iter().zip(&self.offset);
        rows.map(|(value, offset)| value - offset)
            .map(|phi| if self.unilateral { -phi } else { phi.abs() })
            // What is not a number must not be lost.
            .fold(0.0, |most, phi| {
                if phi > most || phi.is_nan() {
                    phi
                } else {
                    most
                }
            })
    }

    /// Whether the law has a potential of its own.
    pub fn has_potential(&self) -> bool {
        self.own_potential
    }

    /// Whether it can be a stiffness in the momentum matrix.
    pub fn has_stiffness(&self) -> bool {
        self.stiffness.is_some() || self.own_potential
    }
}
