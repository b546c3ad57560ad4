//! Notices to the user about how a scene was read.

use crate::geometry::Geometry;

/// Findings of the construction of a model that do not stop a run.
#[derive(Debug)]
pub struct Notices {
    /// Pairs that touched at the start, and the offset of their surfaces in the rest positions.
    pub touching: Option<TouchingStart>,
    /// Joints whose anchors are away from their bodies, in words.
    pub(crate) doubtful_joints: Vec<String>,
}

/// Solids that touched at the start and were moved apart.
#[derive(Debug, Clone, PartialEq)]
pub struct TouchingStart {
    /// Pairs of solids, or of a solid and a half-space, by number; ascending.
    pub pairs: Vec<[usize; 2]>,
    /// The pair with the largest offset.
    pub worst: [usize; 2],
    /// Largest offset of a surface point (m).
    pub distance: f64,
    /// Whether points with a prescribed motion were offset, and with them their paths.
    pub prescribed: bool,
}

impl TouchingStart {
    /// The message to the user.
    pub(crate) fn notice(&self, geometry: &Geometry) -> String {
        let [first, second] = self.worst.map(|index| geometry.name_of(index));
        let others = match self.pairs.len() {
            1 => String::new(),
            2 => " (and another pair)".to_owned(),
            count => format!(" (and {} other pairs)", count - 1),
        };
        let path = if self.prescribed {
            " (and the paths of prescribed points)"
        } else {
            ""
        };
        format!(
            "`{first}` and `{second}`{others} touch at the start: their surfaces{path} were moved apart by up to \
             {:.3e} m, to the gap of resting contacts",
            self.distance
        )
    }
}
