//! Nodes and elements of a file before its tags are resolved.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::element_type::{ElementType, Use};

/// Node tags and positions in file order.
#[derive(Default)]
pub(super) struct Nodes {
    pub(super) tags: Vec<u64>,
    pub(super) positions: Vec<Vector3<f64>>,
}

/// Dimension of some elements, with dimension and tag of their entity (format 4) or dimension and number of their group
/// (formats 1 and 2).
pub(super) type Set = (u8, (i64, i64));

/// Elements by node tags in file order.
#[derive(Default)]
pub(super) struct RawElements {
    pub(super) tets: Vec<[u64; 4]>,
    pub(super) hexahedra: Vec<[u64; 8]>,
    pub(super) polygons: Vec<Vec<u64>>,
    /// Nodes of the elements of each set.
    pub(super) sets: BTreeMap<Set, Vec<u64>>,
    pub(super) other_solid: Option<(u64, String)>,
    pub(super) other_surface: Option<(u64, String)>,
}

impl RawElements {
    /// Stores an element by its type, and its nodes by its entity or group, if it has one.
    pub(super) fn push(
        &mut self,
        tag: u64,
        kind: &ElementType,
        nodes: &[u64],
        of: Option<(i64, i64)>,
    ) {
        if let Some(of) = of {
            let members = self.sets.entry((kind.dimension, of)).or_default();
            members.extend_from_slice(nodes);
        }
        match (kind.purpose, nodes) {
            (Use::Tet, &[a, b, c, d]) => self.tets.push([a, b, c, d]),
            (Use::Polygon, corners) => self.polygons.push(corners.to_vec()),
            (Use::Hexahedron, corners) => {
                self.hexahedra.extend(<[u64; 8]>::try_from(corners));
            }
            (Use::OtherSolid, _) => {
                self.other_solid.get_or_insert((tag, kind.name.to_owned()));
            }
            (Use::OtherSurface, _) => {
                self.other_surface
                    .get_or_insert((tag, kind.name.to_owned()));
            }
            _ => {}
        }
    }
}
