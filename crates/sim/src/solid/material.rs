//! Materials of the finite elements as energies of principal stretches.

use impinge_contact::constraint::strain::StretchEnergy;
use impinge_fem::NeoHookean;
use nalgebra::{Matrix3, Vector3};

/// Parameters of a neo-Hookean solid as a law of principal stretches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OfStretches(pub(super) NeoHookean);

impl StretchEnergy for OfStretches {
    fn energy(&self, stretches: &Vector3<f64>) -> f64 {
        self.0.principal_energy(stretches)
    }

    fn stress(&self, stretches: &Vector3<f64>) -> Vector3<f64> {
        self.0.principal_stress(stretches)
    }

    fn stiffness(&self, stretches: &Vector3<f64>) -> Matrix3<f64> {
        self.0.principal_stiffness(stretches)
    }

    fn shear(&self, stretches: &Vector3<f64>) -> Vector3<f64> {
        self.0.principal_shear(stretches)
    }
}
