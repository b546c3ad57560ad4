//! The cells of a data set and their use.

use super::super::error::Problem;
use super::super::extract::Elements;
use crate::mesh::MeshError;

/// The cell type of a line through any number of points.
pub(super) const POLY_LINE: u8 = 4;

/// The cell type of a triangle.
pub const TRIANGLE: u8 = 5;

/// The cell type of a polygon.
pub(super) const POLYGON: u8 = 7;

/// The cell type of a triangle strip.
pub(super) const STRIP: u8 = 6;

/// The cell type of a 4-node tetrahedron.
pub const TETRA: u8 = 10;

/// Cells of any type: the corners of one cell after those of the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cells {
    kinds: Vec<u8>,
    /// End of the corners of each cell.
    ends: Vec<usize>,
    corners: Vec<u32>,
}

impl Cells {
    /// Adds a cell of the type `kind`, a number of VTK's `vtkCellType.h`.
    pub fn push(&mut self, kind: u8, corners: &[u32]) {
        self.kinds.push(kind);
        self.corners.extend_from_slice(corners);
        self.ends.push(self.corners.len());
    }

    /// The type and the corners of each cell.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &[u32])> {
        let mut start = 0;
        self.kinds.iter().zip(&self.ends).map(move |(&kind, &end)| {
            let corners = &self.corners[start..end];
            start = end;
            (kind, corners)
        })
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub(super) fn kinds(&self) -> &[u8] {
        &self.kinds
    }

    pub(super) fn ends(&self) -> &[usize] {
        &self.ends
    }

    pub(super) fn corners(&self) -> &[u32] {
        &self.corners
    }

    /// Cells whose corners end at `ends`; some writers put a leading zero. `None` if the numbers are inconsistent.
    pub(super) fn from_ends(kinds: Vec<u8>, ends: &[u32], corners: Vec<u32>) -> Option<Self> {
        let ends = match ends {
            [0, ends @ ..] if ends.len() == kinds.len() => ends,
            ends => ends,
        };
        let ends: Vec<usize> = ends.iter().map(|&end| end as usize).collect();
        let sound = ends.len() == kinds.len()
            && ends.is_sorted()
            && ends.last().copied().unwrap_or_default() == corners.len();
        sound.then_some(Self {
            kinds,
            ends,
            corners,
        })
    }
}

/// Use of a cell.
enum Use {
    /// Points and lines: none.
    Nothing,
    /// A polygon with its corners in order.
    Polygon,
    /// A quadrangle whose corners are numbered row by row.
    Pixel,
    /// Triangles that share an edge with the next one.
    Strip,
    Tet,
    Hexahedron,
    /// A hexahedron whose corners are numbered row by row.
    Voxel,
    OtherSurface,
    OtherSolid,
}

/// Name and use of a cell type, and the number of its corners if it is fixed.
///
/// Source: VTK, `Common/DataModel/vtkCellType.h`.
fn cell_type(kind: u8) -> (&'static str, Option<usize>, Use) {
    match kind {
        0 => ("empty cell", None, Use::Nothing),
        1 => ("vertex", None, Use::Nothing),
        2 => ("poly-vertex", None, Use::Nothing),
        3 | POLY_LINE | 21 | 35 | 51 | 60 | 68 | 75 => ("line", None, Use::Nothing),
        TRIANGLE => ("triangle", Some(3), Use::Polygon),
        STRIP => ("triangle strip", None, Use::Strip),
        POLYGON => ("polygon", None, Use::Polygon),
        8 => ("pixel", Some(4), Use::Pixel),
        9 => ("quadrangle", Some(4), Use::Polygon),
        TETRA => ("tetrahedron", Some(4), Use::Tet),
        11 => ("voxel", Some(8), Use::Voxel),
        12 => ("hexahedron", Some(8), Use::Hexahedron),
        13 => ("6-node wedge", None, Use::OtherSolid),
        14 => ("5-node pyramid", None, Use::OtherSolid),
        15 => ("pentagonal prism", None, Use::OtherSolid),
        16 => ("hexagonal prism", None, Use::OtherSolid),
        22 => ("6-node triangle", None, Use::OtherSurface),
        23 => ("8-node quadrangle", None, Use::OtherSurface),
        24 => ("10-node tetrahedron", None, Use::OtherSolid),
        25 => ("20-node hexahedron", None, Use::OtherSolid),
        26 => ("15-node wedge", None, Use::OtherSolid),
        27 => ("13-node pyramid", None, Use::OtherSolid),
        28 => ("9-node quadrangle", None, Use::OtherSurface),
        29 => ("27-node hexahedron", None, Use::OtherSolid),
        30 => ("6-node quadrangle", None, Use::OtherSurface),
        31 => ("12-node wedge", None, Use::OtherSolid),
        32 => ("18-node wedge", None, Use::OtherSolid),
        33 => ("24-node hexahedron", None, Use::OtherSolid),
        34 => ("7-node triangle", None, Use::OtherSurface),
        36 => ("quadratic polygon", None, Use::OtherSurface),
        37 => ("19-node pyramid", None, Use::OtherSolid),
        41 => ("convex point set", None, Use::OtherSolid),
        42 => ("polyhedron", None, Use::OtherSolid),
        69 => ("Lagrange triangle", None, Use::OtherSurface),
        70 => ("Lagrange quadrangle", None, Use::OtherSurface),
        71 => ("Lagrange tetrahedron", None, Use::OtherSolid),
        72 => ("Lagrange hexahedron", None, Use::OtherSolid),
        73 => ("Lagrange wedge", None, Use::OtherSolid),
        74 => ("Lagrange pyramid", None, Use::OtherSolid),
        76 => ("Bézier triangle", None, Use::OtherSurface),
        77 => ("Bézier quadrangle", None, Use::OtherSurface),
        78 => ("Bézier tetrahedron", None, Use::OtherSolid),
        _ => ("cell of a rare type", None, Use::OtherSolid),
    }
}

/// Adds the cells of a piece whose `points` points are the last ones of `elements`.
///
/// Messages count the cells of a data set from `first_tag`.
pub(super) fn add(
    elements: &mut Elements,
    cells: &Cells,
    points: usize,
    first_tag: usize,
) -> Result<(), Problem> {
    let first = elements.nodes.len() - points;
    for (tag, (kind, corners)) in (first_tag..).zip(cells.iter()) {
        let (name, count, purpose) = cell_type(kind);
        let unusable = match purpose {
            Use::Nothing => continue,
            Use::OtherSurface => Some(&mut elements.other_surface),
            Use::OtherSolid => Some(&mut elements.other_solid),
            _ => None,
        };
        if let Some(first) = unusable {
            first.get_or_insert((tag as u64, name.to_owned()));
            continue;
        }
        if let Some(node) = corners.iter().find(|&&corner| corner as usize >= points) {
            return Err(Problem::Mesh(MeshError::IndexOutOfRange {
                kind: "cell",
                element: tag as u32,
                node: *node,
                nodes: points,
            }));
        }
        let wrong_count = || {
            Problem::whole_file(format!(
                "cell {tag}, a {name}, has {} corners",
                corners.len()
            ))
        };
        if count.is_some_and(|count| count != corners.len()) {
            return Err(wrong_count());
        }
        // Points are numbered by u32: a larger number of points is rejected earlier.
        let corners: Vec<u32> = corners.iter().map(|corner| corner + first as u32).collect();
        match (purpose, corners.as_slice()) {
            (Use::Polygon, [_, _, _, ..]) => elements.push_polygon(&corners),
            (Use::Pixel, &[a, b, c, d]) => elements.push_polygon(&[a, b, d, c]),
            (Use::Strip, [_, _, _, ..]) => {
                for (index, &[a, b, c]) in corners.array_windows::<3>().enumerate() {
                    // Every other triangle runs backwards along the strip.
                    let triangle = if index % 2 == 0 { [a, b, c] } else { [b, a, c] };
                    elements.push_polygon(&triangle);
                }
            }
            (Use::Tet, &[a, b, c, d]) => elements.tets.push([a, b, c, d]),
            (Use::Hexahedron, &[a, b, c, d, e, f, g, h]) => {
                elements.hexahedra.push([a, b, c, d, e, f, g, h]);
            }
            (Use::Voxel, &[a, b, c, d, e, f, g, h]) => {
                elements.hexahedra.push([a, b, d, c, e, f, h, g]);
            }
            _ => return Err(wrong_count()),
        }
    }
    Ok(())
}
