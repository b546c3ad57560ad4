//! VTK: legacy `.vtk` files and XML `.vtu` and `.vtp` files.
//!
//! The reader supports the default output of ParaView, PyVista and meshio: ASCII, base64 and raw appended data, zlib
//! and LZ4 blocks, both byte orders, every type of numbers. [`write_vtu`], [`write_vtp`] and [`write_lines`] write
//! inline base64.
//!
//! Format: VTK File Formats, <https://docs.vtk.org/en/latest/vtk_file_formats/index.html>.

mod array;
mod cells;
mod legacy;
mod stored;
mod write;
mod xml;

use nalgebra::Vector3;

pub use array::{DataArray, Values};
pub use cells::{Cells, TETRA, TRIANGLE};
pub(super) use write::write;
pub use write::{write_lines, write_vtp, write_vtu};

use self::cells::POLY_LINE;
use self::xml::{DataSet, Document, Entry, Piece};
use super::error::{ParseError, Place, Problem};
use super::extract::Elements;

/// A `.vtu` file: points, cells between them, and arrays on both.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnstructuredGrid {
    /// Positions (m).
    pub points: Vec<Vector3<f64>>,
    /// Cells as point ids.
    pub cells: Cells,
    /// Arrays with an entry per point.
    pub point_data: Vec<DataArray>,
    /// Arrays with an entry per cell.
    pub cell_data: Vec<DataArray>,
    /// Arrays of the whole grid, of any length.
    pub field_data: Vec<DataArray>,
}

/// A `.vtp` file of single points, and arrays on them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointSet {
    /// Positions (m).
    pub points: Vec<Vector3<f64>>,
    /// Arrays with an entry per point.
    pub point_data: Vec<DataArray>,
    /// Arrays of the whole set, of any length.
    pub field_data: Vec<DataArray>,
}

/// A `.vtp` file of polylines, and arrays on them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PolyLines {
    /// Positions of the points of each line (m).
    pub lines: Vec<Vec<Vector3<f64>>>,
    /// Arrays with an entry per line.
    pub cell_data: Vec<DataArray>,
    /// Arrays of the whole set, of any length.
    pub field_data: Vec<DataArray>,
}

/// Reads the points and cells of a data set.
pub(super) fn read(bytes: &[u8]) -> Result<Elements, Problem> {
    if bytes.trim_ascii_start().starts_with(b"#") {
        legacy::read(bytes)
    } else {
        read_xml(bytes)
    }
}

/// Reads a `.vtu` file of one piece with all its arrays.
///
/// # Errors
/// [`ParseError`] if the file is malformed, is not one piece of an unstructured grid, or has arrays of inconsistent
/// lengths. The point ids of cells are not checked.
pub fn read_vtu(bytes: &[u8]) -> Result<UnstructuredGrid, ParseError> {
    let document = Document::parse(bytes)?;
    let piece = only_piece(&document, DataSet::UnstructuredGrid, "unstructured grid")?;
    let points = points(&document, piece)?;
    let cells = grid_cells(&document, piece)?;
    Ok(UnstructuredGrid {
        point_data: data(&document, piece, "PointData", points.len())?,
        cell_data: data(&document, piece, "CellData", cells.len())?,
        field_data: fields(&document)?,
        points,
        cells,
    })
}

/// Reads the points of a `.vtp` file of one piece with all their arrays; its cells are ignored.
///
/// # Errors
/// [`ParseError`] if the file is malformed, is not one piece of poly data, or has arrays of inconsistent lengths.
pub fn read_vtp(bytes: &[u8]) -> Result<PointSet, ParseError> {
    let document = Document::parse(bytes)?;
    let piece = only_piece(&document, DataSet::PolyData, "poly data")?;
    let points = points(&document, piece)?;
    Ok(PointSet {
        point_data: data(&document, piece, "PointData", points.len())?,
        field_data: fields(&document)?,
        points,
    })
}

/// Reads the polylines of a `.vtp` file of one piece, and the arrays on them; it has no other cells.
///
/// # Errors
/// [`ParseError`] if the file is malformed, is not one piece of poly data, has arrays of inconsistent lengths, or lines
/// through points that it does not have.
pub fn read_lines(bytes: &[u8]) -> Result<PolyLines, ParseError> {
    let document = Document::parse(bytes)?;
    let piece = only_piece(&document, DataSet::PolyData, "poly data")?;
    let points = points(&document, piece)?;
    let cells = match piece.array("Lines", Some("offsets")) {
        None => Cells::default(),
        Some(entry) => {
            let offsets = Offsets::read(&document, entry)?;
            let counted = piece.count("NumberOfLines");
            let count = counted.unwrap_or(offsets.ends.len());
            // The count is checked before memory is allocated for it.
            if count.abs_diff(offsets.ends.len()) > 1 {
                return Err(contradiction(&document, entry));
            }
            cells_of(&document, piece, "Lines", vec![POLY_LINE; count], &offsets)?
        }
    };
    let line = |(_, corners): (u8, &[u32])| {
        let at = |&corner: &u32| points.get(corner as usize).copied();
        corners.iter().map(at).collect::<Option<Vec<_>>>()
    };
    let lines: Option<Vec<_>> = cells.iter().map(line).collect();
    Ok(PolyLines {
        lines: lines.ok_or_else(|| whole_file("a line has a point that is missing".to_owned()))?,
        cell_data: data(&document, piece, "CellData", cells.len())?,
        field_data: fields(&document)?,
    })
}

/// The piece of a file that has one, of this data set.
fn only_piece<'d, 'a>(
    document: &'d Document<'a>,
    data_set: DataSet,
    name: &str,
) -> Result<&'d Piece<'a>, ParseError> {
    if document.data_set != data_set {
        return Err(whole_file(format!("it holds no {name}")));
    }
    match document.pieces.as_slice() {
        [piece] => Ok(piece),
        pieces => Err(whole_file(format!(
            "it consists of {} pieces instead of one",
            pieces.len()
        ))),
    }
}

/// The arrays of a section of a piece, of so many entries each.
fn data(
    document: &Document<'_>,
    piece: &Piece<'_>,
    section: &str,
    entries: usize,
) -> Result<Vec<DataArray>, ParseError> {
    let arrays = piece.arrays.iter().filter(|entry| entry.section == section);
    arrays
        .map(|entry| data_array(document, entry, Some(entries)))
        .collect()
}

/// The arrays of numbers of the whole data set.
fn fields(document: &Document<'_>) -> Result<Vec<DataArray>, ParseError> {
    document
        .number_fields()
        .map(|entry| data_array(document, entry, None))
        .collect()
}

fn read_xml(bytes: &[u8]) -> Result<Elements, Problem> {
    let document = Document::parse(bytes)?;
    let mut elements = Elements::default();
    let mut tags = 0;
    for piece in &document.pieces {
        let points = points(&document, piece)?;
        let count = points.len();
        elements.add_nodes(points)?;
        match document.data_set {
            DataSet::UnstructuredGrid => {
                let cells = grid_cells(&document, piece)?;
                cells::add(&mut elements, &cells, count, tags)?;
                tags += cells.len();
            }
            DataSet::PolyData => {
                for (section, kind) in [("Polys", cells::POLYGON), ("Strips", cells::STRIP)] {
                    let Some(offsets) = piece.array(section, Some("offsets")) else {
                        continue;
                    };
                    let counted = piece.count(&format!("NumberOf{section}"));
                    let offsets = Offsets::read(&document, offsets)?;
                    let cells = counted.unwrap_or(offsets.ends.len());
                    // The count is checked before memory is allocated for it.
                    if cells.abs_diff(offsets.ends.len()) > 1 {
                        return Err(contradiction(&document, offsets.entry).into());
                    }
                    let kinds = vec![kind; cells];
                    let cells = cells_of(&document, piece, section, kinds, &offsets)?;
                    cells::add(&mut elements, &cells, count, tags)?;
                    tags += cells.len();
                }
            }
        }
    }
    Ok(elements)
}

/// The points of a piece.
fn points(document: &Document<'_>, piece: &Piece<'_>) -> Result<Vec<Vector3<f64>>, ParseError> {
    let Some(entry) = piece.array("Points", None) else {
        return match piece.count("NumberOfPoints") {
            Some(0) => Ok(Vec::new()),
            _ => Err(missing("Points")),
        };
    };
    let coordinates = document.values(entry)?.to_doubles();
    let wanted = piece.count("NumberOfPoints");
    match coordinates.as_chunks::<3>() {
        (points, []) if wanted.is_none_or(|count| count == points.len()) => {
            Ok(points.iter().copied().map(Vector3::from).collect())
        }
        _ => Err(document.fault(
            entry,
            format!(
                "{} coordinates do not make {} points",
                coordinates.len(),
                wanted.map_or_else(|| "whole".to_owned(), |count| count.to_string())
            ),
        )),
    }
}

/// The cells of a piece of an unstructured grid.
fn grid_cells(document: &Document<'_>, piece: &Piece<'_>) -> Result<Cells, ParseError> {
    if piece.count("NumberOfCells") == Some(0) {
        return Ok(Cells::default());
    }
    let entry = piece
        .array("Cells", Some("types"))
        .ok_or_else(|| missing("types"))?;
    let kinds = document.values(entry)?.to_indices();
    let kinds: Vec<u8> = kinds
        .into_iter()
        .flatten()
        .map(|kind| u8::try_from(kind).unwrap_or(u8::MAX))
        .collect();
    if piece
        .count("NumberOfCells")
        .is_some_and(|count| count != kinds.len())
    {
        return Err(contradiction(document, entry));
    }
    let offsets = piece
        .array("Cells", Some("offsets"))
        .ok_or_else(|| missing("offsets"))?;
    let offsets = Offsets::read(document, offsets)?;
    cells_of(document, piece, "Cells", kinds, &offsets)
}

/// The array `offsets` of a section, decoded: where the corners of each cell end.
struct Offsets<'a> {
    entry: &'a Entry<'a>,
    ends: Vec<u32>,
}

impl<'a> Offsets<'a> {
    fn read(document: &Document<'_>, entry: &'a Entry<'a>) -> Result<Self, ParseError> {
        let ends = indices(document, entry)?;
        Ok(Self { entry, ends })
    }
}

/// The cells of a section, of known types.
fn cells_of(
    document: &Document<'_>,
    piece: &Piece<'_>,
    section: &str,
    kinds: Vec<u8>,
    offsets: &Offsets<'_>,
) -> Result<Cells, ParseError> {
    let corners = piece
        .array(section, Some("connectivity"))
        .ok_or_else(|| missing("connectivity"))?;
    Cells::from_ends(kinds, &offsets.ends, indices(document, corners)?)
        .ok_or_else(|| contradiction(document, offsets.entry))
}

fn indices(document: &Document<'_>, entry: &Entry<'_>) -> Result<Vec<u32>, ParseError> {
    document.values(entry)?.to_indices().ok_or_else(|| {
        document.fault(
            entry,
            "its numbers are not all whole numbers from 0 to 4294967295".to_owned(),
        )
    })
}

/// An array, of so many entries if their number is known.
fn data_array(
    document: &Document<'_>,
    entry: &Entry<'_>,
    entries: Option<usize>,
) -> Result<DataArray, ParseError> {
    let values = document.values(entry)?;
    if let Some(entries) = entries
        && Some(values.len()) != entries.checked_mul(entry.components)
    {
        return Err(document.fault(
            entry,
            format!(
                "it holds {} numbers for {entries} entries of {}",
                values.len(),
                entry.components
            ),
        ));
    }
    Ok(DataArray {
        name: entry.name.clone(),
        components: entry.components,
        values,
    })
}

fn whole_file(problem: String) -> ParseError {
    ParseError {
        place: Place::File,
        problem,
    }
}

fn missing(array: &str) -> ParseError {
    ParseError {
        place: Place::File,
        problem: format!("the array `{array}` is missing: is the file truncated?"),
    }
}

fn contradiction(document: &Document<'_>, entry: &Entry<'_>) -> ParseError {
    document.fault(
        entry,
        "the numbers of cells, their offsets and their corners contradict each other".to_owned(),
    )
}
