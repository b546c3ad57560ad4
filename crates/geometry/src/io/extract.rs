//! Conversion of the elements of a file to a mesh.

use nalgebra::Vector3;

use super::error::Problem;
use super::{NodeGroup, SolidMesh};
use crate::mesh::repair::RawMesh;
use crate::mesh::{TetMesh, TriangleMesh, first_twisted, hexahedron_tets, tet_volume, triangulate};

/// The elements of a file by use, with node indices from 0 in file order.
#[derive(Debug, Default)]
pub(super) struct Elements {
    pub(super) nodes: Vec<Vector3<f64>>,
    pub(super) tets: Vec<[u32; 4]>,
    /// Four corners around the bottom, then those above them.
    pub(super) hexahedra: Vec<[u32; 8]>,
    /// Corners of all polygons, one after the other.
    pub(super) corners: Vec<u32>,
    /// End of the corners of each polygon.
    pub(super) ends: Vec<usize>,
    /// Named parts.
    pub(super) groups: Vec<NodeGroup>,
    /// Tag and type name of the first solid element that is neither a 4-node tetrahedron nor an 8-node hexahedron.
    pub(super) other_solid: Option<(u64, String)>,
    /// Tag and type name of the first surface element that is not a flat polygon.
    pub(super) other_surface: Option<(u64, String)>,
}

impl Elements {
    /// Adds a polygon.
    pub(super) fn push_polygon(&mut self, corners: &[u32]) {
        self.corners.extend_from_slice(corners);
        self.ends.push(self.corners.len());
    }

    /// The triangles of all polygons.
    pub(super) fn triangles(&self) -> Vec<[u32; 3]> {
        let mut triangles = Vec::with_capacity(self.ends.len());
        let mut start = 0;
        for &end in &self.ends {
            triangulate(&self.nodes, &self.corners[start..end], &mut triangles);
            start = end;
        }
        triangles
    }

    /// Rejects unsupported solid elements: without them the solid would have a hole.
    fn without_other_solids(mut self) -> Result<Self, Problem> {
        let wanted = "4-node tetrahedra and 8-node hexahedra";
        reject(self.other_solid.take(), wanted)?;
        Ok(self)
    }

    /// Rejects unsupported surface elements: without them the surface would have a hole.
    fn without_other_surfaces(mut self) -> Result<Self, Problem> {
        let wanted = "3-node triangles and 4-node quadrangles";
        reject(self.other_surface.take(), wanted)?;
        Ok(self)
    }

    pub(super) fn has_solids(&self) -> bool {
        !(self.tets.is_empty() && self.hexahedra.is_empty() && self.other_solid.is_none())
    }

    /// Appends nodes.
    pub(super) fn add_nodes(&mut self, mut nodes: Vec<Vector3<f64>>) -> Result<(), Problem> {
        self.nodes.append(&mut nodes);
        match u32::try_from(self.nodes.len()) {
            Ok(_) => Ok(()),
            Err(_) => Err(Problem::whole_file(
                "there are more points than u32 can number",
            )),
        }
    }
}

fn reject(other: Option<(u64, String)>, wanted: &'static str) -> Result<(), Problem> {
    other.map_or(Ok(()), |(tag, found)| {
        Err(Problem::WrongElement { tag, found, wanted })
    })
}

/// A solid of tetrahedra, or of hexahedra and the tetrahedra that they are cut into.
pub(super) fn solid_mesh(elements: Elements) -> Result<SolidMesh, Problem> {
    let elements = elements.without_other_solids()?;
    let Elements {
        nodes,
        mut tets,
        mut hexahedra,
        groups,
        ..
    } = elements;
    if !(tets.is_empty() || hexahedra.is_empty()) {
        return Err(Problem::whole_file(format!(
            "the solid is made of {} tetrahedra and {} hexahedra: save each kind as a file of its own, or remesh with \
             one of them",
            tets.len(),
            hexahedra.len()
        )));
    }
    let reoriented = reorient(&nodes, &mut tets, &mut hexahedra);
    if let Some(index) = first_twisted(&nodes, &hexahedra) {
        return Err(Problem::whole_file(format!(
            "hexahedron {index}, counted from 0, is flat, twisted or inverted: its corners have to be four around \
             the bottom, counterclockwise seen from above, then the four above them"
        )));
    }
    tets.extend(hexahedra.iter().flat_map(hexahedron_tets));
    Ok(SolidMesh {
        mesh: TetMesh::new(nodes, tets)?,
        hexahedra,
        groups,
        reoriented,
    })
}

/// Swaps corners of all elements if all are inverted, as in the files of some programs; returns whether it did.
fn reorient(nodes: &[Vector3<f64>], tets: &mut [[u32; 4]], hexahedra: &mut [[u32; 8]]) -> bool {
    let is_negative = |tet: &[u32; 4]| match tet.map(|node| nodes.get(node as usize).copied()) {
        [Some(a), Some(b), Some(c), Some(d)] => tet_volume([a, b, c, d]) < 0.0,
        // The constructor reports an index out of range.
        _ => false,
    };
    let hexahedra_negative = hexahedra
        .iter()
        .all(|corners| hexahedron_tets(corners).iter().all(is_negative));
    if !(tets.iter().all(is_negative) && hexahedra_negative) {
        return false;
    }
    for corners in tets {
        corners.swap(2, 3);
    }
    for corners in hexahedra {
        corners.rotate_left(4);
    }
    true
}

pub(super) fn triangle_mesh(elements: Elements) -> Result<TriangleMesh, Problem> {
    let elements = elements.without_other_surfaces()?;
    let triangles = elements.triangles();
    if triangles.is_empty() && elements.has_solids() {
        let solid = solid_mesh(elements)?.mesh;
        return Ok(solid.surface()?.to_triangle_mesh(&solid)?);
    }
    let (nodes, triangles) = without_unused(elements.nodes, triangles);
    Ok(TriangleMesh::new(nodes, triangles)?)
}

/// The surface with all nodes.
pub(super) fn whole_surface(elements: Elements) -> Result<TriangleMesh, Problem> {
    let triangles = elements.triangles();
    Ok(TriangleMesh::new(elements.nodes, triangles)?)
}

/// Nodes and solid elements, unchecked.
pub(super) fn raw_solid(elements: Elements) -> Result<RawMesh, Problem> {
    let elements = elements.without_other_solids()?;
    Ok(RawMesh {
        triangles: Vec::new(),
        nodes: elements.nodes,
        tets: elements.tets,
        hexahedra: elements.hexahedra,
    })
}

/// Nodes and surface triangles, unchecked.
pub(super) fn raw_surface(elements: Elements) -> Result<RawMesh, Problem> {
    let elements = elements.without_other_surfaces()?;
    Ok(RawMesh {
        triangles: elements.triangles(),
        nodes: elements.nodes,
        ..RawMesh::default()
    })
}

/// Drops the nodes that no triangle uses: inner nodes of a solid whose surface elements are read.
fn without_unused(
    nodes: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let mut new_index = vec![None; nodes.len()];
    for &node in triangles.as_flattened() {
        match new_index.get_mut(node as usize) {
            Some(slot) => *slot = Some(0u32),
            // The constructor reports an index out of range, in the numbering of the file.
            None => return (nodes, triangles),
        }
    }
    let mut kept = Vec::new();
    for (node, slot) in nodes.into_iter().zip(&mut new_index) {
        if let Some(index) = slot {
            *index = kept.len() as u32;
            kept.push(node);
        }
    }
    let triangles = triangles
        .into_iter()
        .map(|corners| corners.map(|node| new_index[node as usize].unwrap_or_default()))
        .collect();
    (kept, triangles)
}
