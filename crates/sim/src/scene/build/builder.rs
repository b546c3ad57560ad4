//! State of reading a scene.

use super::parts::SceneParts;
use crate::scene::{Scene, SceneError};
use impinge_geometry::io::SolidMesh;
use nalgebra::Vector3;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Reads a scene part by part.
pub(super) struct Builder<'a> {
    pub(super) scene: &'a Scene,
    /// Files read so far, in their own units.
    pub(super) solids: BTreeMap<PathBuf, SolidMesh>,
    /// Hexahedra of filled surfaces, by the key of the mesh.
    pub(super) fillings: BTreeMap<String, Vec<[u32; 8]>>,
    /// Names of the bodies and obstacles read so far.
    pub(super) names: BTreeSet<String>,
    pub(super) parts: SceneParts,
    pub(super) nodes: usize,
    pub(super) bodies: usize,
}

impl Builder<'_> {
    /// Records the `name` of a body, a copy or an obstacle, whose key is `path`.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] if another body or obstacle has that name.
    pub(super) fn add_name(&mut self, path: &str, name: &str) -> Result<(), SceneError> {
        if self.names.insert(name.to_owned()) {
            return Ok(());
        }
        Err(self.scene.error_at(
            &format!("{path}.name"),
            format!("another body or obstacle is called `{name}`, too"),
            "give each body and obstacle a `name` of its own; copies are called `NAME 1`, `NAME 2`, and so on",
        ))
    }
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
