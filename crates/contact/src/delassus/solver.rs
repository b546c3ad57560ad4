//! Common interface of the methods: targets and reports.

use super::{FrictionError, FrictionProblem};
use crate::Interrupt;
use nalgebra::Vector3;

/// The methods by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrictionMethod {
    /// [`super::GaussSeidel`].
    ProjectedGaussSeidel,
    /// [`super::ProximalNewton`].
    Newton,
    /// [`super::Admm`].
    Admm,
    /// [`super::Auto`].
    Auto,
}

impl FrictionMethod {
    /// Every method.
    pub const ALL: [Self; 4] = [
        Self::Auto,
        Self::ProjectedGaussSeidel,
        Self::Newton,
        Self::Admm,
    ];

    /// Name in commands: `auto`, `pgs`, `newton`, `admm`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ProjectedGaussSeidel => "pgs",
            Self::Newton => "newton",
            Self::Admm => "admm",
            Self::Auto => "auto",
        }
    }

    /// The method of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// Required accuracy of a solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Bound on the larger of [`super::FrictionResidual::siconos_error`] and
    /// [`super::FrictionResidual::scaled_error`].
    pub tolerance: f64,
}

impl Target {
    /// # Errors
    /// [`FrictionError::Setting`] for a tolerance that is no positive number, [`FrictionError::Size`] and
    /// [`FrictionError::NotFinite`] for a start that does not fit the problem.
    pub(super) fn check(
        self,
        problem: &FrictionProblem,
        start: &[Vector3<f64>],
    ) -> Result<(), FrictionError> {
        let value = self.tolerance;
        if !(value > 0.0 && value.is_finite()) {
            return Err(FrictionError::Setting {
                name: "tolerance",
                value,
                requirement: "a finite number above 0",
            });
        }
        FrictionError::check_size("r", start.len(), problem.contacts())?;
        let mut reactions = start.iter().enumerate();
        reactions.try_for_each(|(index, r)| FrictionError::check_finite("r of contact", index, r))
    }
}

/// Counts and outcome of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrictionReport {
    /// The method of the solution; for [`FrictionMethod::Auto`], the one that finished.
    pub method: FrictionMethod,
    /// Whether the errors computed by the method are within tolerance; [`super::friction_residual`] is independent.
    pub converged: bool,
    /// The larger error as computed by the method.
    pub error: f64,
    /// Sweeps of Gauss-Seidel.
    pub sweeps: u64,
    /// Iterations of ADMM.
    pub admm_iterations: u64,
    /// Steps of Newton, one factorisation each.
    pub newton_steps: u64,
    /// Number of inner problems of the proximal-point loop.
    pub proximal_steps: u64,
    /// Evaluations of the errors, about one sweep each.
    pub evaluations: u64,
}

impl FrictionReport {
    pub(super) fn new(method: FrictionMethod) -> Self {
        Self {
            method,
            converged: false,
            error: f64::INFINITY,
            sweeps: 0,
            admm_iterations: 0,
            newton_steps: 0,
            proximal_steps: 0,
            evaluations: 0,
        }
    }

    /// Sweeps, iterations and steps together.
    pub fn iterations(&self) -> u64 {
        self.sweeps + self.admm_iterations + self.newton_steps
    }

    /// Adds the counts of a solve that came before.
    pub(super) fn after(mut self, earlier: &Self) -> Self {
        self.sweeps += earlier.sweeps;
        self.admm_iterations += earlier.admm_iterations;
        self.newton_steps += earlier.newton_steps;
        self.proximal_steps += earlier.proximal_steps;
        self.evaluations += earlier.evaluations;
        self
    }
}

/// A method for bare friction problems.
pub trait FrictionSolver {
    /// Solves `problem` from `reactions`, which end as the best iterate.
    ///
    /// Ending early is no error: the report says so.
    ///
    /// # Errors
    /// [`FrictionError`] when the start or the target is unusable; `reactions` are untouched then.
    fn solve(
        &mut self,
        problem: &FrictionProblem,
        reactions: &mut [Vector3<f64>],
        target: &Target,
    ) -> Result<FrictionReport, FrictionError>;

    /// Sets a signal that ends solves at their next iteration.
    fn heed(&mut self, interrupt: &Interrupt);
}
