//! A solid from a file, and its named parts.

use crate::mesh::TetMesh;

/// A solid from a file: tetrahedra, the hexahedra that they fill, and named parts.
#[derive(Debug, Clone)]
pub struct SolidMesh {
    /// Its tetrahedra: those of the file, or six for each hexahedron. Nodes are numbered as in the file.
    pub mesh: TetMesh,
    /// Its 8-node hexahedra, corners as in VTK and Gmsh: four around the bottom, then those above; empty in a file of
    /// tetrahedra.
    pub hexahedra: Vec<[u32; 8]>,
    /// Numbered parts: the physical groups of a Gmsh file, by dimension and number.
    pub groups: Vec<NodeGroup>,
    /// Whether all elements of the file were inverted, so that two of their corners were swapped.
    pub reoriented: bool,
}

/// A part of a mesh with a number or a name in its file: a physical group of Gmsh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeGroup {
    /// Dimension of its elements: 0 for points, 1 for lines, 2 for surfaces, 3 for solids.
    pub dimension: u8,
    /// Its number, unique among the groups of its dimension.
    pub id: u32,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The nodes of its elements, ascending.
    pub nodes: Vec<u32>,
}
