//! A surface made of triangles.

use nalgebra::Vector3;

use super::measure::triangle_is_flat;
use super::{MeshError, topology, validate};

/// A validated triangle mesh, e.g. an obstacle.
///
/// Holding one is proof that all indices exist, all coordinates are finite, every vertex is used, no triangle is
/// without area and no two have the same corners. It may be open ([`check_closed`](Self::check_closed)), and vertices
/// may coincide, as at the seams of some files ([`welded`](Self::welded)).
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// Validates `vertices` (positions in m) and `triangles` (vertex indices).
    ///
    /// # Errors
    /// The first defect found, with its index: [`MeshError::TooLarge`], [`MeshError::BadCoordinate`],
    /// [`MeshError::NoElements`], [`MeshError::IndexOutOfRange`], [`MeshError::RepeatedNode`],
    /// [`MeshError::UnusedNode`], [`MeshError::DuplicateElement`], [`MeshError::ZeroArea`].
    pub fn new(vertices: Vec<Vector3<f64>>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        validate::check_basics("triangle", "triangles", &vertices, &triangles)?;
        validate::check_distinct("triangle", &triangles)?;
        let flat = (0u32..)
            .zip(&triangles)
            .find(|(_, corners)| triangle_is_flat(corners.map(|vertex| vertices[vertex as usize])));
        match flat {
            Some((triangle, _)) => Err(MeshError::ZeroArea { triangle }),
            None => Ok(Self {
                vertices,
                triangles,
            }),
        }
    }

    /// Vertex positions in m.
    pub fn vertices(&self) -> &[Vector3<f64>] {
        &self.vertices
    }

    /// Vertex indices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The positions of the three corners of a triangle.
    ///
    /// # Panics
    /// If there is no triangle `triangle`.
    pub fn corners(&self, triangle: usize) -> [Vector3<f64>; 3] {
        self.triangles[triangle].map(|vertex| self.vertices[vertex as usize])
    }

    /// The edges as ascending pairs of vertex indices, ascending and unique.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        topology::unique_edges(&self.triangles)
    }

    /// Whether the surface is watertight: every edge between two triangles that agree on the outside, and the
    /// triangles at each vertex in one fan. Vertices that coincide count as distinct.
    ///
    /// # Errors
    /// [`MeshError::OpenEdge`], [`MeshError::NonManifoldEdge`], [`MeshError::InconsistentWinding`] or
    /// [`MeshError::NonManifoldVertex`], naming the place.
    pub fn check_closed(&self) -> Result<(), MeshError> {
        topology::check_closed(&self.triangles, self.vertices.len())
    }

    /// Whether the surface has two sides everywhere: no edge with more than two triangles, and those agree on the
    /// outside. It may have holes.
    ///
    /// # Errors
    /// [`MeshError::NonManifoldEdge`] or [`MeshError::InconsistentWinding`], naming the place.
    pub fn check_sheet(&self) -> Result<(), MeshError> {
        topology::check_sheet(&self.triangles)
    }

    /// Whether the surface is closed and its triangles are wound outwards.
    ///
    /// # Errors
    /// As [`check_closed`](Self::check_closed), and [`MeshError::WoundInwards`] if the enclosed volume is not positive.
    pub fn check_closed_outwards(&self) -> Result<(), MeshError> {
        self.check_closed()?;
        let volume = self.signed_volume();
        if volume > 0.0 {
            Ok(())
        } else {
            Err(MeshError::WoundInwards { volume })
        }
    }

    /// Enclosed volume in m³ by the divergence theorem, positive if the triangles are wound outwards.
    ///
    /// Only meaningful for a closed surface.
    pub fn signed_volume(&self) -> f64 {
        // Measured from a vertex, so that a mesh far from the origin loses no digits.
        let origin = self.vertices[0];
        let six_volumes: f64 = (0..self.triangles.len())
            .map(|triangle| {
                let [a, b, c] = self.corners(triangle).map(|corner| corner - origin);
                a.cross(&b).dot(&c)
            })
            .sum();
        six_volumes / 6.0
    }

    /// Pairs of vertices at exactly the same position, as `(first, copy)` with ascending indices.
    pub fn coincident_vertices(&self) -> Vec<(u32, u32)> {
        validate::coincident_nodes(&self.vertices)
    }

    /// The mesh with vertices at exactly the same position merged into the first of them.
    ///
    /// # Errors
    /// As [`TriangleMesh::new`]: [`MeshError::DuplicateElement`] if two triangles become one.
    pub fn welded(&self) -> Result<Self, MeshError> {
        let mut target: Vec<Option<u32>> = vec![None; self.vertices.len()];
        for (first, copy) in self.coincident_vertices() {
            target[copy as usize] = Some(first);
        }
        // A copy's target has a smaller index, so its new number is known when the copy is reached.
        let mut vertices = Vec::new();
        let mut new_index = Vec::with_capacity(self.vertices.len());
        for (vertex, target) in self.vertices.iter().zip(target) {
            if let Some(first) = target {
                new_index.push(new_index[first as usize]);
            } else {
                new_index.push(vertices.len() as u32);
                vertices.push(*vertex);
            }
        }
        let triangles = self
            .triangles
            .iter()
            .map(|corners| corners.map(|vertex| new_index[vertex as usize]))
            .collect();
        Self::new(vertices, triangles)
    }

    /// The mesh with every triangle reversed.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            vertices: self.vertices.clone(),
            triangles: self.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect(),
        }
    }

    /// The mesh with every vertex moved by `place`, validated again.
    ///
    /// # Errors
    /// As [`TriangleMesh::new`].
    pub fn map_vertices(
        &self,
        place: impl FnMut(Vector3<f64>) -> Vector3<f64>,
    ) -> Result<Self, MeshError> {
        Self::new(
            self.vertices.iter().copied().map(place).collect(),
            self.triangles.clone(),
        )
    }
}
