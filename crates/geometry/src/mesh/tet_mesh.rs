//! A solid made of 4-node tetrahedra.

use nalgebra::Vector3;

use super::boundary::{self, BoundarySurface};
use super::measure::{Orientation, tet_orientation, tet_volume};
use super::{MeshError, TriangleMesh, morton, validate};

/// A validated solid mesh of 4-node tetrahedra.
///
/// Holding one is proof that all indices exist, all coordinates are finite, no two nodes coincide, every node is used,
/// no two elements have the same corners and every tetrahedron has positive volume under an exact predicate. Slivers
/// are valid as long as their volume is positive.
#[derive(Debug, Clone, PartialEq)]
pub struct TetMesh {
    nodes: Vec<Vector3<f64>>,
    tets: Vec<[u32; 4]>,
}

impl TetMesh {
    /// Validates `nodes` (positions in m) and `tets` (node indices, `det[b−a, c−a, d−a] > 0`).
    ///
    /// # Errors
    /// The first defect found, with its index: [`MeshError::TooLarge`], [`MeshError::BadCoordinate`],
    /// [`MeshError::NoElements`], [`MeshError::IndexOutOfRange`], [`MeshError::RepeatedNode`],
    /// [`MeshError::UnusedNode`], [`MeshError::CoincidentNodes`], [`MeshError::DuplicateElement`],
    /// [`MeshError::ZeroVolume`], [`MeshError::Inverted`].
    pub fn new(nodes: Vec<Vector3<f64>>, tets: Vec<[u32; 4]>) -> Result<Self, MeshError> {
        validate::check_basics("tetrahedron", "tetrahedra", &nodes, &tets)?;
        if let Some(&(first, second)) = validate::coincident_nodes(&nodes).first() {
            return Err(MeshError::CoincidentNodes { first, second });
        }
        validate::check_distinct("tetrahedron", &tets)?;
        for (tet, corners) in (0u32..).zip(&tets) {
            let corners = corners.map(|node| nodes[node as usize]);
            match tet_orientation(corners) {
                Orientation::Positive => {}
                Orientation::Flat => return Err(MeshError::ZeroVolume { tet }),
                Orientation::Negative => {
                    return Err(MeshError::Inverted {
                        tet,
                        volume: tet_volume(corners),
                    });
                }
            }
        }
        Ok(Self { nodes, tets })
    }

    /// Node positions in m.
    pub fn nodes(&self) -> &[Vector3<f64>] {
        &self.nodes
    }

    /// Node indices of each tetrahedron, positively oriented.
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// The positions of the four corners of a tetrahedron.
    ///
    /// # Panics
    /// If there is no tetrahedron `tet`.
    pub fn corners(&self, tet: usize) -> [Vector3<f64>; 4] {
        self.tets[tet].map(|node| self.nodes[node as usize])
    }

    /// Total volume in m³.
    pub fn volume(&self) -> f64 {
        (0..self.tets.len())
            .map(|tet| tet_volume(self.corners(tet)))
            .sum()
    }

    /// The faces that belong to one tetrahedron only, wound outwards, with the nodes that lie on them.
    ///
    /// # Errors
    /// [`MeshError::OvercrowdedFace`] if three tetrahedra share a face, [`MeshError::OverlappingTets`] if two lie on
    /// the same side of the face they share.
    ///
    /// # Cost
    /// `O(n log n)` in the number of tetrahedra.
    pub fn surface(&self) -> Result<BoundarySurface, MeshError> {
        boundary::extract(&self.tets)
    }

    /// The surface, which must be a closed manifold: see [`BoundarySurface::check_closed`].
    ///
    /// # Errors
    /// As [`surface`](Self::surface) and [`BoundarySurface::check_closed`]; [`MeshError::MismatchedDiagonals`] if
    /// mismatched diagonals are the cause.
    pub fn closed_surface(&self) -> Result<BoundarySurface, MeshError> {
        let surface = self.surface()?;
        match surface.check_closed() {
            Ok(()) => Ok(surface),
            Err(error) => {
                Err(boundary::mismatched_diagonals(&self.tets, &surface).unwrap_or(error))
            }
        }
    }

    /// The same mesh with nodes and tetrahedra renumbered along a space-filling (Morton) curve, and the original index
    /// of each new node.
    ///
    /// Nodes that are close in space become close in memory, which speeds assembly and products. The tetrahedra are
    /// sorted by their corners in the new numbering; each keeps its own corner order. Assign values per tetrahedron
    /// after the reordering.
    ///
    /// ```
    /// # use impinge_geometry::mesh::generate;
    /// let mesh = generate::cuboid([1.0, 1.0, 1.0], [4, 4, 4])?;
    /// let (reordered, original) = mesh.reordered_along_curve();
    /// assert_eq!(reordered.nodes()[7], mesh.nodes()[original[7] as usize]);
    /// # Ok::<(), impinge_geometry::mesh::MeshError>(())
    /// ```
    #[must_use]
    pub fn reordered_along_curve(&self) -> (Self, Vec<u32>) {
        let original = morton::order(&self.nodes);
        let mut new_of_original = vec![0u32; self.nodes.len()];
        for (new, &old) in (0u32..).zip(&original) {
            new_of_original[old as usize] = new;
        }
        let mut tets: Vec<[u32; 4]> = self
            .tets
            .iter()
            .map(|corners| corners.map(|node| new_of_original[node as usize]))
            .collect();
        tets.sort_by_cached_key(|corners| {
            let mut key = *corners;
            key.sort_unstable();
            key
        });
        // Renumbering keeps every property that `new` checks.
        let nodes = original
            .iter()
            .map(|&old| self.nodes[old as usize])
            .collect();
        (Self { nodes, tets }, original)
    }

    /// The mesh with every node moved by `place`, validated again.
    ///
    /// # Errors
    /// As [`TetMesh::new`], e.g. [`MeshError::Inverted`] if `place` mirrors.
    pub fn map_nodes(
        &self,
        place: impl FnMut(Vector3<f64>) -> Vector3<f64>,
    ) -> Result<Self, MeshError> {
        Self::new(
            self.nodes.iter().copied().map(place).collect(),
            self.tets.clone(),
        )
    }
}

impl BoundarySurface {
    /// The surface as a mesh: vertex `i` is node [`nodes`](Self::nodes)`()[i]` of `mesh`.
    ///
    /// # Errors
    /// [`MeshError::ZeroArea`] if the area of a face underflows.
    ///
    /// # Panics
    /// If `mesh` has fewer nodes than the mesh of this surface.
    pub fn to_triangle_mesh(&self, mesh: &TetMesh) -> Result<TriangleMesh, MeshError> {
        let mut vertex_of_node = vec![0u32; mesh.nodes().len()];
        for (vertex, &node) in (0u32..).zip(self.nodes()) {
            vertex_of_node[node as usize] = vertex;
        }
        TriangleMesh::new(
            self.nodes()
                .iter()
                .map(|&node| mesh.nodes()[node as usize])
                .collect(),
            self.triangles()
                .iter()
                .map(|corners| corners.map(|node| vertex_of_node[node as usize]))
                .collect(),
        )
    }
}
