//! The solver of a method.

use super::{Admm, Auto, FrictionMethod, FrictionSolver, GaussSeidel, ProximalNewton};

impl FrictionMethod {
    /// A solver of this kind with its default limits.
    pub fn solver(self) -> Box<dyn FrictionSolver> {
        match self {
            Self::ProjectedGaussSeidel => Box::new(GaussSeidel::default()),
            Self::Newton => Box::new(ProximalNewton::default()),
            Self::Admm => Box::new(Admm::default()),
            Self::Auto => Box::new(Auto::default()),
        }
    }
}
