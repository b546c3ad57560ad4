//! Summary of a mesh in a dozen numbers.

use std::fmt;

use nalgebra::Vector3;

use super::measure::{tet_quality, tet_volume};
use super::{MeshError, TetMesh, TriangleMesh, topology};

/// Measures of a mesh to check before simulating with it. `Display` prints it as a small table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MeshSummary {
    /// Number of nodes.
    pub nodes: usize,
    /// Measures of a solid only.
    pub solid: Option<SolidSummary>,
    /// Number of surface triangles.
    pub triangles: usize,
    /// Number of surface edges.
    pub edges: usize,
    /// Lowest corner of the bounding box in m.
    pub lower: Vector3<f64>,
    /// Highest corner of the bounding box in m.
    pub upper: Vector3<f64>,
    /// Volume in m³: of the tetrahedra, or enclosed by a closed surface (negative if wound inwards).
    pub volume: Option<f64>,
    /// Shortest edge of the surface in m.
    pub shortest_surface_edge: f64,
    /// `V − E + F` of the surface: 2 for a sphere, 0 for a torus, summed over parts.
    pub euler_characteristic: i64,
    /// Number of surface edges with a triangle on one side only.
    pub open_edges: usize,
    /// Why the surface is not closed; `None` if it is.
    pub surface_defect: Option<MeshError>,
    /// Number of connected parts.
    pub parts: usize,
}

/// The part of a [`MeshSummary`] that only a solid has.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SolidSummary {
    /// Number of tetrahedra.
    pub tets: usize,
    /// Smallest volume of a tetrahedron in m³.
    pub smallest_volume: f64,
    /// Smallest [`tet_quality`] of a tetrahedron: 1 regular, 0 flat.
    pub worst_quality: f64,
}

impl MeshSummary {
    /// Summarises a solid.
    ///
    /// # Errors
    /// As [`TetMesh::surface`].
    pub fn of_solid(mesh: &TetMesh) -> Result<Self, MeshError> {
        let surface = mesh.surface()?;
        let smallest = |measure: fn([Vector3<f64>; 4]) -> f64| {
            (0..mesh.tets().len())
                .map(|tet| measure(mesh.corners(tet)))
                .fold(f64::INFINITY, f64::min)
        };
        let solid = SolidSummary {
            tets: mesh.tets().len(),
            smallest_volume: smallest(tet_volume),
            worst_quality: smallest(tet_quality),
        };
        Ok(Self {
            solid: Some(solid),
            volume: Some(mesh.volume()),
            parts: topology::part_count(mesh.tets(), mesh.nodes().len()),
            ..Self::of_triangles(mesh.nodes(), surface.triangles())
        })
    }

    /// Summarises a surface.
    pub fn of_surface(mesh: &TriangleMesh) -> Self {
        let summary = Self::of_triangles(mesh.vertices(), mesh.triangles());
        Self {
            volume: summary.is_closed().then(|| mesh.signed_volume()),
            ..summary
        }
    }

    /// Whether every surface edge lies between two triangles that agree on the outside.
    pub fn is_closed(&self) -> bool {
        self.surface_defect.is_none()
    }

    fn of_triangles(points: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Self {
        let edges = topology::unique_edges(triangles);
        let length = |&[a, b]: &[u32; 2]| (points[a as usize] - points[b as usize]).norm();
        // A validated mesh has at least one node.
        let (lower, upper) = points
            .iter()
            .fold((points[0], points[0]), |(lower, upper), p| {
                (lower.inf(p), upper.sup(p))
            });
        Self {
            nodes: points.len(),
            solid: None,
            triangles: triangles.len(),
            edges: edges.len(),
            lower,
            upper,
            volume: None,
            shortest_surface_edge: edges.iter().map(length).fold(f64::INFINITY, f64::min),
            euler_characteristic: topology::euler_characteristic(triangles),
            open_edges: topology::open_edge_count(triangles),
            surface_defect: topology::check_closed(triangles, points.len()).err(),
            parts: topology::part_count(triangles, points.len()),
        }
    }
}

impl fmt::Display for MeshSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "nodes                  {}", self.nodes)?;
        if let Some(solid) = &self.solid {
            writeln!(f, "tetrahedra             {}", solid.tets)?;
        }
        writeln!(f, "surface triangles      {}", self.triangles)?;
        writeln!(f, "surface edges          {}", self.edges)?;
        let (size, lower) = (self.upper - self.lower, self.lower);
        writeln!(
            f,
            "bounding box           {} x {} x {} m",
            Short(size.x),
            Short(size.y),
            Short(size.z)
        )?;
        writeln!(
            f,
            "  lowest corner        ({}, {}, {}) m",
            Short(lower.x),
            Short(lower.y),
            Short(lower.z)
        )?;
        if let Some(volume) = self.volume {
            writeln!(f, "volume                 {} m³", Short(volume))?;
        }
        if let Some(solid) = &self.solid {
            writeln!(
                f,
                "smallest tetrahedron   {} m³",
                Short(solid.smallest_volume)
            )?;
            writeln!(
                f,
                "worst quality          {} (1 regular, 0 flat)",
                Short(solid.worst_quality)
            )?;
        }
        writeln!(
            f,
            "shortest surface edge  {} m",
            Short(self.shortest_surface_edge)
        )?;
        writeln!(f, "Euler characteristic   {}", self.euler_characteristic)?;
        writeln!(f, "parts                  {}", self.parts)?;
        match &self.surface_defect {
            None => write!(f, "surface                closed"),
            Some(defect) if self.open_edges > 0 => {
                write!(
                    f,
                    "surface                not closed, {} open edges: {defect}",
                    self.open_edges
                )
            }
            Some(defect) => write!(f, "surface                not closed: {defect}"),
        }
    }
}

/// A number with four significant digits, in scientific notation only if that is shorter.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Parsing the rounded text removes trailing zeros.
        let rounded: f64 = format!("{:.3e}", self.0).parse().unwrap_or(self.0);
        if rounded == 0.0 {
            write!(f, "0")
        } else if (1e-3..1e6).contains(&rounded.abs()) {
            write!(f, "{rounded}")
        } else {
            write!(f, "{rounded:e}")
        }
    }
}
