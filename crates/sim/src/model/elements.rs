//! The elements of deformable bodies.

use crate::thin::ThinBodies;
use impinge_fem::ElasticModel;

/// Elements of solids and elastic terms of thin bodies, over all points.
#[derive(Debug)]
pub struct Elements {
    /// Tetrahedra of all bodies.
    pub tets: Vec<[u32; 4]>,
    /// Elements, materials and masses of solids.
    pub elastic: ElasticModel,
    /// Elastic terms of thin bodies.
    pub thin: ThinBodies,
}
