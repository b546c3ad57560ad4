//! Writing `.vtu` and `.vtp` files: arrays as inline base64, numbers in little-endian order.
//!
//! All readers support such files. Raw appended data are smaller, but meshio confuses their offsets.

use std::io::{self, Write};

use base64::{engine::general_purpose::STANDARD, write::EncoderWriter};

use super::{DataArray, PointSet, PolyLines, TETRA, UnstructuredGrid, Values};
use crate::mesh::TetMesh;
use nalgebra::Vector3;

/// Writes a grid as one piece; [`read_vtu`](super::read_vtu) returns every number bit for bit.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// If an array does not have `components` numbers per point or cell.
#[track_caller]
pub fn write_vtu(out: &mut impl Write, grid: &UnstructuredGrid) -> io::Result<()> {
    let (points, cells) = (grid.points.len(), grid.cells.len());
    check_lengths(&grid.point_data, points);
    check_lengths(&grid.cell_data, cells);
    let corners = Values::Int64(
        grid.cells
            .corners()
            .iter()
            .copied()
            .map(i64::from)
            .collect(),
    );
    let ends = grid.cells.ends().iter();
    let ends = ends.map(|&end| end.cast_signed() as i64).collect();
    let (ends, kinds) = (
        Values::Int64(ends),
        Values::UInt8(grid.cells.kinds().to_vec()),
    );

    write_head(out, "UnstructuredGrid", &grid.field_data)?;
    writeln!(
        out,
        r#"    <Piece NumberOfPoints="{points}" NumberOfCells="{cells}">"#
    )?;
    write_section(out, "PointData", &grid.point_data)?;
    write_section(out, "CellData", &grid.cell_data)?;
    write_points(out, &grid.points)?;
    writeln!(out, "      <Cells>")?;
    write_array(out, "connectivity", 1, &corners)?;
    write_array(out, "offsets", 1, &ends)?;
    write_array(out, "types", 1, &kinds)?;
    writeln!(out, "      </Cells>\n    </Piece>\n  </UnstructuredGrid>")?;
    writeln!(out, "</VTKFile>")
}

/// Writes points as one piece, each with a vertex, so that viewers show it; [`read_vtp`](super::read_vtp) returns every
/// number bit for bit.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// If an array does not have `components` numbers per point.
#[track_caller]
pub fn write_vtp(out: &mut impl Write, set: &PointSet) -> io::Result<()> {
    let points = set.points.len();
    check_lengths(&set.point_data, points);
    write_head(out, "PolyData", &set.field_data)?;
    let others = r#"NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="0""#;
    writeln!(
        out,
        r#"    <Piece NumberOfPoints="{points}" NumberOfVerts="{points}" {others}>"#
    )?;
    write_section(out, "PointData", &set.point_data)?;
    write_points(out, &set.points)?;
    writeln!(out, "      <Verts>")?;
    let count = points.cast_signed() as i64;
    write_array(out, "connectivity", 1, &Values::Int64((0..count).collect()))?;
    write_array(out, "offsets", 1, &Values::Int64((1..=count).collect()))?;
    writeln!(out, "      </Verts>\n    </Piece>\n  </PolyData>")?;
    writeln!(out, "</VTKFile>")
}

/// Writes polylines as one piece; [`read_lines`](super::read_lines) returns every number bit for bit.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// If an array does not have `components` numbers per line.
#[track_caller]
pub fn write_lines(out: &mut impl Write, set: &PolyLines) -> io::Result<()> {
    let lines = set.lines.len();
    check_lengths(&set.cell_data, lines);
    let points = set.lines.concat();
    let count = points.len();
    write_head(out, "PolyData", &set.field_data)?;
    let others = r#"NumberOfStrips="0" NumberOfPolys="0""#;
    writeln!(
        out,
        r#"    <Piece NumberOfPoints="{count}" NumberOfVerts="0" NumberOfLines="{lines}" {others}>"#
    )?;
    write_section(out, "CellData", &set.cell_data)?;
    write_points(out, &points)?;
    let ends = set.lines.iter().scan(0, |end, line| {
        *end += line.len().cast_signed() as i64;
        Some(*end)
    });
    let corners = (0..count.cast_signed() as i64).collect();
    writeln!(out, "      <Lines>")?;
    write_array(out, "connectivity", 1, &Values::Int64(corners))?;
    write_array(out, "offsets", 1, &Values::Int64(ends.collect()))?;
    writeln!(out, "      </Lines>\n    </Piece>\n  </PolyData>")?;
    writeln!(out, "</VTKFile>")
}

/// Asserts that every array has its numbers for so many entries.
#[track_caller]
fn check_lengths(arrays: &[DataArray], entries: usize) {
    for array in arrays {
        assert_eq!(
            array.values.len(),
            entries * array.components,
            "length of the array {:?}",
            array.name
        );
    }
}

/// Writes the beginning of a file up to its piece.
fn write_head(out: &mut impl Write, data_set: &str, fields: &[DataArray]) -> io::Result<()> {
    writeln!(out, r#"<?xml version="1.0"?>"#)?;
    writeln!(
        out,
        r#"<VTKFile type="{data_set}" version="1.0" byte_order="LittleEndian" header_type="UInt64">"#
    )?;
    writeln!(out, "  <{data_set}>")?;
    if fields.is_empty() {
        return Ok(());
    }
    writeln!(out, "    <FieldData>")?;
    for array in fields {
        let tuples = array.values.len() / array.components.max(1);
        let tuples = format!(r#" NumberOfTuples="{tuples}""#);
        write_counted(out, array, &tuples)?;
    }
    writeln!(out, "    </FieldData>")
}

/// Writes the arrays on points or cells.
fn write_section(out: &mut impl Write, section: &str, arrays: &[DataArray]) -> io::Result<()> {
    writeln!(out, "      <{section}>")?;
    for array in arrays {
        write_counted(out, array, "")?;
    }
    writeln!(out, "      </{section}>")
}

/// Writes the section of points.
fn write_points(out: &mut impl Write, points: &[Vector3<f64>]) -> io::Result<()> {
    let coordinates = Values::Float64(points.iter().flat_map(|p| [p.x, p.y, p.z]).collect());
    writeln!(out, "      <Points>")?;
    write_array(out, "Points", 3, &coordinates)?;
    writeln!(out, "      </Points>")
}

/// Writes one array without further attributes.
fn write_array(
    out: &mut impl Write,
    name: &str,
    components: usize,
    values: &Values,
) -> io::Result<()> {
    let head = format!(
        r#"type="{}" Name="{name}" NumberOfComponents="{components}""#,
        values.xml_name()
    );
    write_values(out, &head, values)
}

/// Writes one array, with `count` as an attribute of its own.
fn write_counted(out: &mut impl Write, array: &DataArray, count: &str) -> io::Result<()> {
    let head = format!(
        r#"type="{}" Name="{}" NumberOfComponents="{}"{count}"#,
        array.values.xml_name(),
        quick_xml::escape::escape(&array.name),
        array.components
    );
    write_values(out, &head, &array.values)
}

/// Writes an element with these attributes: the length of the numbers in bytes and the numbers, together in base64.
fn write_values(out: &mut impl Write, head: &str, values: &Values) -> io::Result<()> {
    write!(out, r#"        <DataArray {head} format="binary">"#)?;
    let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
    encoder.write_all(&(values.byte_length() as u64).to_le_bytes())?;
    values.write_little_endian(&mut encoder)?;
    encoder.finish()?;
    drop(encoder);
    writeln!(out, "</DataArray>")
}

/// Writes the tetrahedra of a mesh.
pub(in crate::io) fn write(out: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    let mut grid = UnstructuredGrid {
        points: mesh.nodes().to_vec(),
        ..UnstructuredGrid::default()
    };
    for tet in mesh.tets() {
        grid.cells.push(TETRA, tet);
    }
    write_vtu(out, &grid)
}
