//! Repair of mesh defects that have one evident remedy, with a count of all changes.
//!
//! Surfaces, in this order:
//! 1. `weld`: nodes closer than a distance become one.
//! 2. `triangles`: flat triangles, duplicates and walls between two shells are removed.
//! 3. `wind`: neighbours are wound alike, closed shells outwards.
//! 4. `split`: where the surface touches itself in an edge or a node, each sheet gets its own nodes.
//! 5. Nodes of no element are removed.
//!
//! `solid` does the same for tetrahedra. Holes are not closed, and intersecting shells are not united: the report names
//! them.

mod report;
mod solid;
mod split;
mod triangles;
mod weld;
mod wind;

use nalgebra::Vector3;

pub use report::RepairReport;

use super::{MeshError, TetMesh, TriangleMesh, boundary, hexahedron_tets, topology, validate};
use crate::exact::surface_intersections;
use crate::surface::CollisionSurface;

/// Nodes and elements of a file, unchecked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawMesh {
    /// Positions (m).
    pub nodes: Vec<Vector3<f64>>,
    /// Tetrahedra as node ids.
    pub tets: Vec<[u32; 4]>,
    /// Hexahedra as node ids: four around the bottom, then those above.
    pub hexahedra: Vec<[u32; 8]>,
    /// Surface triangles as node ids.
    pub triangles: Vec<[u32; 3]>,
}

/// Default distance within which nodes are welded, relative to the diagonal of the bounding box.
///
/// Valid between the rounding of single precision (6e-8) or of six printed digits (5e-7) and the shortest edge: well
/// below that of a mesh of a hundred thousand elements along a side.
pub const RELATIVE_WELD_DISTANCE: f64 = 1e-6;

/// Most pairs of intersecting triangles that are counted.
const MOST_INTERSECTIONS: usize = 1000;

impl RawMesh {
    /// Repairs the solid: its tetrahedra, and six for each of its hexahedra. Nodes within `weld` (m), or
    /// [`RELATIVE_WELD_DISTANCE`] of the size, are joined.
    ///
    /// # Errors
    /// [`MeshError`] for a defect without a repair: coordinates that are not finite, elements that name missing nodes,
    /// no element left, tetrahedra that overlap or do not meet face to face.
    pub fn repaired_solid(self, weld: Option<f64>) -> Result<(TetMesh, RepairReport), MeshError> {
        let Self {
            mut nodes,
            mut tets,
            hexahedra,
            ..
        } = self;
        let mut report = RepairReport {
            cut_hexahedra: hexahedra.len(),
            ..RepairReport::default()
        };
        tets.extend(hexahedra.iter().flat_map(hexahedron_tets));
        validate::check_ranges("tetrahedron", "tetrahedra", &nodes, &tets)?;
        weld::weld(&nodes, &mut tets, weld, &mut report);
        solid::clean(&nodes, &mut tets, &mut report);
        // Before splitting, which would turn cells that do not meet face to face into separate parts.
        let outside = boundary::extract(&tets)?;
        if let Some(error) = boundary::mismatched_diagonals(&tets, &outside) {
            return Err(error);
        }
        split::solid(&mut nodes, &mut tets, &mut report);
        drop_unused(&mut nodes, &mut tets, &mut report);
        let mesh = TetMesh::new(nodes, tets)?;
        mesh.closed_surface()?;
        Ok((mesh, report))
    }

    /// Repairs the surface. Nodes within `weld` (m), or [`RELATIVE_WELD_DISTANCE`] of the size, are joined.
    ///
    /// # Errors
    /// [`MeshError`] for a defect without a repair: coordinates that are not finite, triangles that name missing nodes,
    /// no triangle left.
    pub fn repaired_surface(
        self,
        weld: Option<f64>,
    ) -> Result<(TriangleMesh, RepairReport), MeshError> {
        let Self {
            mut nodes,
            mut triangles,
            ..
        } = self;
        let mut report = RepairReport::default();
        validate::check_ranges("triangle", "triangles", &nodes, &triangles)?;
        weld::weld(&nodes, &mut triangles, weld, &mut report);
        triangles::remove_flat(&nodes, &mut triangles, &mut report);
        triangles::remove_duplicates(&mut triangles, &mut report);
        wind::alike(&nodes, &mut triangles, &mut report);
        split::surface(&mut nodes, &mut triangles, &mut report);
        wind::outwards(&nodes, &mut triangles, &mut report);
        drop_unused(&mut nodes, &mut triangles, &mut report);
        let mesh = TriangleMesh::new(nodes, triangles)?;
        name_leftovers(&mesh, &mut report);
        Ok((mesh, report))
    }
}

/// Removes the nodes of no element.
fn drop_unused<const N: usize>(
    nodes: &mut Vec<Vector3<f64>>,
    elements: &mut [[u32; N]],
    report: &mut RepairReport,
) {
    let mut used = vec![false; nodes.len()];
    for &node in elements.as_flattened() {
        used[node as usize] = true;
    }
    let mut next = 0;
    let new_index: Vec<u32> = used
        .iter()
        .map(|&used| {
            next += u32::from(used);
            next.wrapping_sub(1)
        })
        .collect();
    // Welded nodes belong to no element either, but count as welded.
    report.unused_nodes = nodes.len() - next as usize - report.welded_nodes;
    for node in elements.as_flattened_mut() {
        *node = new_index[*node as usize];
    }
    let mut used = used.into_iter();
    nodes.retain(|_| used.next().unwrap_or(false));
}

/// Counts the remaining defects.
fn name_leftovers(mesh: &TriangleMesh, report: &mut RepairReport) {
    report.defect = mesh.check_sheet().err();
    report.open_edges = topology::open_edge_count(mesh.triangles());
    let points = mesh.vertices();
    let touching = CollisionSurface::of_body(mesh.triangles().to_vec(), points.len());
    let pairs = surface_intersections(points, &touching, MOST_INTERSECTIONS);
    report.intersections = pairs.len();
    report.first_intersection = pairs.first().map(|pair| pair.triangles);
}
