//! Inertia of boxes.

use impinge_fem::{FemError, RigidInertia};
use nalgebra::Vector3;

/// Inertia of a solid box with these edges (m) and mass (kg), its centre at the origin.
///
/// # Errors
/// [`FemError`] for a box without volume or a mass that is not positive.
pub fn box_inertia(edges: Vector3<f64>, mass: f64) -> Result<RigidInertia, FemError> {
    let corner = |index: u32| {
        let half = |axis: usize| {
            let sign = if index >> axis & 1 == 1 { 0.5 } else { -0.5 };
            edges[axis] * sign
        };
        Vector3::new(half(0), half(1), half(2))
    };
    let corners: Vec<Vector3<f64>> = (0..8).map(corner).collect();
    // Six tetrahedra around the long diagonal, one for each order of the axes.
    let tets = [
        [0, 1, 3, 7],
        [0, 3, 2, 7],
        [0, 2, 6, 7],
        [0, 6, 4, 7],
        [0, 4, 5, 7],
        [0, 5, 1, 7],
    ];
    RigidInertia::of_tets(&corners, &tets, 1.0)?.with_mass(mass)
}
