//! Stress of bodies with strain constraints, where finite elements do not give it.

use super::material::{StrainForm, strain_form};
use impinge_fem::{Hyperelastic, Material, VonMises};
use nalgebra::{Matrix3, Vector3};

/// A constraint whose value is the strain of a tetrahedron or a hexahedron.
#[derive(Debug, Clone)]
pub(crate) struct StressPoint {
    /// Its first row among the rows of all constraints, in the order of their lists: compliance form, stiffness form,
    /// held.
    pub(crate) first_row: usize,
    pub(crate) element: StressElement,
    /// Rest volume of the integration point (m³).
    pub(crate) weight: f64,
    pub(crate) law: StressLaw,
}

impl StressPoint {
    /// Whether the material is plastic.
    pub(crate) fn flows(&self) -> bool {
        matches!(self.law, StressLaw::Flowing(_))
    }
}

/// The tetrahedra to which the stress of a point is assigned.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StressElement {
    /// A tetrahedron.
    Tetrahedron(usize),
    /// All tetrahedra of a hexahedron.
    Hexahedron(usize),
}

/// Law of the stress of a strain.
#[derive(Debug, Clone)]
pub(crate) enum StressLaw {
    /// From the elastic part of a co-rotational strain; compared with the yield stress.
    Flowing(VonMises),
    /// From the material, in the strain measure of its constraint.
    Elastic(Material),
}

impl StressLaw {
    /// Von Mises stress (Pa) for the value of a constraint minus plastic strain.
    pub(crate) fn von_mises(&self, strain: &[f64]) -> f64 {
        let full = || -> [f64; 6] { std::array::from_fn(|row| strain[row]) };
        match self {
            Self::Flowing(law) => law.von_mises(&full()),
            // A rotation does not change the magnitude of a stress: `F` may be the stretch alone.
            Self::Elastic(material) => material.von_mises(&match strain_form(material) {
                Some(StrainForm::Stretches(_)) => {
                    let stretches = Vector3::from_fn(|axis, _| 1.0 + strain[axis]);
                    Matrix3::from_diagonal(&stretches)
                }
                Some(StrainForm::Green) => {
                    let eigen = (symmetric(&full()) * 2.0 + Matrix3::identity()).symmetric_eigen();
                    let stretches = eigen.eigenvalues.map(f64::sqrt);
                    let axes = eigen.eigenvectors;
                    axes * Matrix3::from_diagonal(&stretches) * axes.transpose()
                }
                Some(StrainForm::Corotational) | None => symmetric(&full()) + Matrix3::identity(),
            }),
        }
    }
}

/// The tensor of six strains with engineering shears.
fn symmetric([xx, yy, zz, xy, yz, xz]: &[f64; 6]) -> Matrix3<f64> {
    let [xy, yz, xz] = [xy, yz, xz].map(|shear| 0.5 * shear);
    Matrix3::new(*xx, xy, xz, xy, *yy, yz, xz, yz, *zz)
}
