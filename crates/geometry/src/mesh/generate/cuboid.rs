//! Boxes, solid and hollow, and flat rectangles.

use nalgebra::Vector3;

use super::lattice::box_tets;
use super::{check_counts, check_lengths};
use crate::mesh::{MeshError, TetMesh, TriangleMesh};

/// A solid box of `size` (m) centred on the origin, in `cells` cubes per axis, six tetrahedra each.
///
/// # Errors
/// [`MeshError::Shape`] if a side is not positive or a count is zero.
pub fn cuboid(size: impl Into<Vector3<f64>>, cells: [usize; 3]) -> Result<TetMesh, MeshError> {
    let size = size.into();
    check_box("cuboid", size)?;
    check_counts(
        "cuboid",
        &[
            ("cells[0]", cells[0], 1),
            ("cells[1]", cells[1], 1),
            ("cells[2]", cells[2], 1),
        ],
    )?;
    let points = cells.map(|count| count + 1);
    let mut nodes = Vec::with_capacity(points.iter().product());
    for k in 0..points[2] {
        for j in 0..points[1] {
            for i in 0..points[0] {
                nodes.push(Vector3::new(
                    grid_coordinate(size.x, cells[0], i),
                    grid_coordinate(size.y, cells[1], j),
                    grid_coordinate(size.z, cells[2], k),
                ));
            }
        }
    }
    let tets = box_tets(cells, |[i, j, k]| {
        (i + points[0] * (j + points[1] * k)) as u32
    });
    TetMesh::new(nodes, tets)
}

/// Corners of the cells of [`cuboid`] as its nodes: four around the bottom of each, then the four above them.
pub fn cuboid_cells(cells: [usize; 3]) -> Vec<[u32; 8]> {
    let [nx, ny, nz] = cells;
    let at = |i: usize, j: usize, k: usize| (i + (nx + 1) * (j + (ny + 1) * k)) as u32;
    let mut list = Vec::with_capacity(nx * ny * nz);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let around = |k: usize| {
                    [
                        at(i, j, k),
                        at(i + 1, j, k),
                        at(i + 1, j + 1, k),
                        at(i, j + 1, k),
                    ]
                };
                let ([a, b, c, d], [e, f, g, h]) = (around(k), around(k + 1));
                list.push([a, b, c, d, e, f, g, h]);
            }
        }
    }
    list
}

/// A thin solid sheet in the xy plane, one cell thick along z, centred on the origin.
///
/// `size` is its extent along x and y and `thickness` along z, all in m; `cells` counts along x and y.
///
/// # Errors
/// [`MeshError::Shape`] if a length is not positive or a count is zero.
pub fn sheet(size: [f64; 2], thickness: f64, cells: [usize; 2]) -> Result<TetMesh, MeshError> {
    check_lengths(
        "sheet",
        &[
            ("size[0]", size[0]),
            ("size[1]", size[1]),
            ("thickness", thickness),
        ],
    )?;
    check_counts(
        "sheet",
        &[("cells[0]", cells[0], 1), ("cells[1]", cells[1], 1)],
    )?;
    cuboid([size[0], size[1], thickness], [cells[0], cells[1], 1])
}

/// The surface of a box of `size` (m) centred on the origin: 8 vertices, 12 triangles wound outwards.
///
/// # Errors
/// [`MeshError::Shape`] if a side is not positive.
pub fn cuboid_surface(size: impl Into<Vector3<f64>>) -> Result<TriangleMesh, MeshError> {
    let size = size.into();
    check_box("cuboid surface", size)?;
    // Bits 0, 1, 2 of the vertex number: on the high side along x, y, z.
    let vertices = (0..8usize)
        .map(|vertex| {
            let side = |axis: usize| if vertex >> axis & 1 == 1 { 0.5 } else { -0.5 };
            size.component_mul(&Vector3::new(side(0), side(1), side(2)))
        })
        .collect();
    let quads: [[u32; 4]; 6] = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    TriangleMesh::new(
        vertices,
        quads
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
    )
}

fn check_box(shape: &'static str, size: Vector3<f64>) -> Result<(), MeshError> {
    check_lengths(
        shape,
        &[
            ("size[0]", size.x),
            ("size[1]", size.y),
            ("size[2]", size.z),
        ],
    )
}

/// Point `index` of `cells + 1` along a side of `length` centred on 0; the two ends are exactly opposite.
fn grid_coordinate(length: f64, cells: usize, index: usize) -> f64 {
    length * ((2.0 * index as f64 - cells as f64) / (2.0 * cells as f64))
}
