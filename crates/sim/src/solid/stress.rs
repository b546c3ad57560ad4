//! Stress of bodies whose strains are constraints, where it is not that of finite elements.

use impinge_fem::{Hyperelastic, Material, VonMises};
use nalgebra::{Matrix3, Vector3};

/// A constraint whose value is a strain of a tetrahedron or a hexahedron.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StressPoint {
    /// Its first row among those of all constraints, in the order of their lists: in compliance form, in stiffness form, held.
    pub(crate) first_row: usize,
    pub(crate) element: StressElement,
    /// Rest volume that it stands for (m³).
    pub(crate) weight: f64,
    pub(crate) law: StressLaw,
}

impl StressPoint {
    /// Whether the material flows.
    pub(crate) fn flows(&self) -> bool {
        matches!(self.law, StressLaw::Flowing(_))
    }
}

/// Which tetrahedra show the stress of a point.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StressElement {
    /// A tetrahedron.
    Tetrahedron(usize),
    /// Those that fill a hexahedron.
    Hexahedron(usize),
}

/// From a strain to a stress.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StressLaw {
    /// Of the elastic part of a co-rotational strain: what the yield stress is compared with.
    Flowing(VonMises),
    /// Of a material, in the strain that it has as a constraint.
    Elastic(Material),
}

impl StressLaw {
    /// Von Mises stress (Pa) of the value of a constraint, plastic strain taken off.
    pub(crate) fn von_mises(&self, strain: &[f64]) -> f64 {
        let full = || -> [f64; 6] { std::array::from_fn(|row| strain[row]) };
        match self {
            Self::Flowing(law) => law.von_mises(&full()),
            // A rotation changes nothing about the size of a stress: `F` may be the stretch alone.
            Self::Elastic(material) => material.von_mises(&match material {
                Material::NeoHookean(_) => {
                    let stretches = Vector3::from_fn(|axis, _| 1.0 + strain[axis]);
                    Matrix3::from_diagonal(&stretches)
                }
                Material::StVenantKirchhoff(_) => {
                    let eigen = (symmetric(&full()) * 2.0 + Matrix3::identity()).symmetric_eigen();
                    let stretches = eigen.eigenvalues.map(f64::sqrt);
                    let axes = eigen.eigenvectors;
                    axes * Matrix3::from_diagonal(&stretches) * axes.transpose()
                }
                _ => symmetric(&full()) + Matrix3::identity(),
            }),
        }
    }
}

/// The tensor of six strains with engineering shears.
fn symmetric([xx, yy, zz, xy, yz, xz]: &[f64; 6]) -> Matrix3<f64> {
    let [xy, yz, xz] = [xy, yz, xz].map(|shear| 0.5 * shear);
    Matrix3::new(*xx, xy, xz, xy, *yy, yz, xz, yz, *zz)
}
