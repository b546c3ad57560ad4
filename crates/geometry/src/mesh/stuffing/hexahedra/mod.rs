//! From a watertight surface to hexahedra: cubes of a regular grid, with the outer nodes moved onto the surface.
//!
//! 1. [`inside`]: exact classification of the centres of the cubes.
//! 2. [`cubes`]: the inner cubes, and those that close gaps where others meet in an edge or a corner only.
//! 3. [`fit`]: outer nodes move towards the surface, as far as no hexahedron becomes too flat.
//!
//! # Source
//! Ours, after Schneiders, "A grid-based algorithm for the generation of hexahedral element meshes", 1996,
//! <https://doi.org/10.1007/BF01198732>. Differs from it in: no layer of further hexahedra between the cubes and the
//! surface. The nodes of the cubes themselves move, so that all edges keep about the requested length, and a sharp edge
//! or a flat side that crosses the grid obliquely keeps low steps.

mod cubes;
mod fit;

use super::{StuffingError, StuffingOptions, inside, prepare, too_coarse};
use crate::mesh::{TetMesh, TriangleMesh, hexahedron_tets};

/// Hexahedra, and the tetrahedra that they are cut into.
#[derive(Debug, Clone, PartialEq)]
pub struct HexahedralFilling {
    /// Six tetrahedra of each hexahedron, in its order.
    pub mesh: TetMesh,
    /// Corners of each hexahedron as nodes of the mesh: four around the bottom, then the four above them.
    pub hexahedra: Vec<[u32; 8]>,
    /// Side of the cubes (m): the requested size, or slightly less so that the longest side of the bounding box is a
    /// whole number of it.
    pub size: f64,
    /// Volume of the hexahedra over that of the surface.
    pub part: f64,
}

/// Fills a watertight surface with hexahedra of about `options.size`.
///
/// The surface may have several parts and cavities, as for [`tetrahedralize`](super::tetrahedralize). Details smaller
/// than the size are lost, and parts nearer to each other than about the size grow together. A box is exact if its
/// sides are multiples of the size. Every corner of a hexahedron spans at least a fifth of the volume of a cube.
///
/// The result does not depend on the number of threads.
///
/// # Errors
/// As for [`tetrahedralize`](super::tetrahedralize).
///
/// # Cost
/// About `V / size³` hexahedra for a volume `V`. Memory for one sign per corner and centre of the bounding box's cubes.
///
/// ```
/// use impinge_geometry::mesh::{StuffingOptions, generate, hexahedralize};
///
/// let ball = generate::sphere_surface(0.5, 16)?;
/// let filling = hexahedralize(&ball, &StuffingOptions::new(0.1))?;
/// filling.mesh.surface()?.check_closed()?;
/// assert!((filling.part - 1.0).abs() < 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hexahedralize(
    surface: &TriangleMesh,
    options: &StuffingOptions,
) -> Result<HexahedralFilling, StuffingError> {
    let (welded, lattice) = prepare(surface, options)?;
    let signs = inside::signs(&welded, &lattice)?;
    let cubes = cubes::Cubes::inside(&lattice, &signs);
    let (hexahedra, corners) = cubes.hexahedra(&lattice);
    let size = lattice.constant;
    if hexahedra.is_empty() {
        return Err(too_coarse(options, size, 0.0));
    }
    let nodes = fit::fit(&welded, &lattice, &hexahedra, &corners);
    let tets = hexahedra.iter().flat_map(hexahedron_tets).collect();
    let mesh = TetMesh::new(nodes, tets)?;
    let part = mesh.volume() / welded.signed_volume();
    if (part - 1.0).abs() > options.volume_tolerance {
        return Err(too_coarse(options, size, part));
    }
    Ok(HexahedralFilling {
        mesh,
        hexahedra,
        size,
        part,
    })
}
