//! State of reading a scene.

use super::parts::SceneParts;
use crate::scene::Scene;
use impinge_geometry::io::SolidMesh;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Reads a scene part by part.
pub(super) struct Builder<'a> {
    pub(super) scene: &'a Scene,
    /// Files read so far, in their own units.
    pub(super) solids: BTreeMap<PathBuf, SolidMesh>,
    /// Hexahedra of filled surfaces, by the key of the mesh.
    pub(super) fillings: BTreeMap<String, Vec<[u32; 8]>>,
    pub(super) parts: SceneParts,
    pub(super) nodes: usize,
    pub(super) bodies: usize,
}

/// Corners of the box around `points` (m).
pub(super) fn bounds(points: impl Iterator<Item = Vector3<f64>>) -> (Vector3<f64>, Vector3<f64>) {
    points.fold(
        (
            Vector3::repeat(f64::INFINITY),
            Vector3::repeat(f64::NEG_INFINITY),
        ),
        |(lower, upper), point| (lower.inf(&point), upper.sup(&point)),
    )
}
