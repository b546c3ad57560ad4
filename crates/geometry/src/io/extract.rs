//! From the elements of a file to a mesh.

use nalgebra::Vector3;

use super::SolidMesh;
use super::error::Problem;
use crate::mesh::{TetMesh, TriangleMesh, first_twisted, hexahedron_tets};

/// The elements of a file with node indices from 0 in file order, sorted by use.
#[derive(Debug, Default)]
pub(super) struct Elements {
    pub(super) nodes: Vec<Vector3<f64>>,
    pub(super) tets: Vec<[u32; 4]>,
    /// Four corners around the bottom, then those above them.
    pub(super) hexahedra: Vec<[u32; 8]>,
    /// Triangles, and the fans of larger polygons.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Tag and type name of the first solid element that is neither a 4-node tetrahedron nor an 8-node hexahedron.
    pub(super) other_solid: Option<(u64, String)>,
    /// Tag and type name of the first surface element that is not a flat polygon.
    pub(super) other_surface: Option<(u64, String)>,
}

impl Elements {
    /// Adds the fan of a polygon around its first corner.
    pub(super) fn push_polygon(&mut self, corners: &[u32]) {
        for pair in corners.windows(2).skip(1) {
            self.triangles.push([corners[0], pair[0], pair[1]]);
        }
    }
}

pub(super) fn tet_mesh(elements: Elements) -> Result<TetMesh, Problem> {
    Ok(solid_mesh(elements)?.mesh)
}

/// A solid of tetrahedra, or of hexahedra and the tetrahedra that they are cut into.
pub(super) fn solid_mesh(elements: Elements) -> Result<SolidMesh, Problem> {
    if let Some((tag, found)) = elements.other_solid {
        return Err(Problem::WrongElement {
            tag,
            found,
            wanted: "4-node tetrahedra and 8-node hexahedra",
        });
    }
    let Elements {
        nodes,
        mut tets,
        hexahedra,
        ..
    } = elements;
    if !(tets.is_empty() || hexahedra.is_empty()) {
        return Err(Problem::whole_file(format!(
            "the solid is made of {} tetrahedra and {} hexahedra: save each kind as a file of its own, or remesh with one of them",
            tets.len(),
            hexahedra.len()
        )));
    }
    if let Some(index) = first_twisted(&nodes, &hexahedra) {
        return Err(Problem::whole_file(format!(
            "hexahedron {index}, counted from 0, is flat, twisted or inside out: its corners have to be four around the bottom, \
             counterclockwise seen from above, then the four above them"
        )));
    }
    tets.extend(hexahedra.iter().flat_map(hexahedron_tets));
    Ok(SolidMesh {
        mesh: TetMesh::new(nodes, tets)?,
        hexahedra,
    })
}

pub(super) fn triangle_mesh(elements: Elements) -> Result<TriangleMesh, Problem> {
    if let Some((tag, found)) = elements.other_surface {
        return Err(Problem::WrongElement {
            tag,
            found,
            wanted: "3-node triangles and 4-node quadrangles",
        });
    }
    if elements.triangles.is_empty()
        && (!elements.tets.is_empty()
            || !elements.hexahedra.is_empty()
            || elements.other_solid.is_some())
    {
        let solid = tet_mesh(elements)?;
        return Ok(solid.surface()?.to_triangle_mesh(&solid)?);
    }
    let (nodes, triangles) = without_unused(elements.nodes, elements.triangles);
    Ok(TriangleMesh::new(nodes, triangles)?)
}

/// Drops the nodes that no triangle uses: the inside of a solid whose surface elements are wanted.
fn without_unused(
    nodes: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let mut new_index = vec![None; nodes.len()];
    for &node in triangles.as_flattened() {
        match new_index.get_mut(node as usize) {
            Some(slot) => *slot = Some(0u32),
            // An index out of range is the constructor's to report, in the numbering of the file.
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
