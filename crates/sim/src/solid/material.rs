//! Materials of the finite elements as strains of constraints.

use impinge_contact::constraint::strain::StretchEnergy;
use impinge_fem::{Material, NeoHookean};
use nalgebra::{Matrix3, Vector3};

/// The strain whose constraints have the energy of a material.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StrainForm {
    /// Linear in the co-rotational strain.
    Corotational,
    /// Linear in the Green-Lagrange strain.
    Green,
    /// A law of the principal stretches.
    Stretches(OfStretches),
}

/// The strain of a material; `None` if it has none in which constraints can carry it.
pub(crate) fn strain_form(material: &Material) -> Option<StrainForm> {
    match material {
        Material::Corotational(_) => Some(StrainForm::Corotational),
        Material::StVenantKirchhoff(_) => Some(StrainForm::Green),
        Material::NeoHookean(law) => Some(StrainForm::Stretches(OfStretches(*law))),
        _ => None,
    }
}

/// Parameters of a neo-Hookean solid as a law of principal stretches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OfStretches(NeoHookean);

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
