//! Writing `.vtu` files: arrays as inline base64, numbers in little-endian order.
//!
//! All readers support such files. Raw appended data are smaller, but meshio confuses their offsets.

use std::io::{self, Write};

use base64::{engine::general_purpose::STANDARD, write::EncoderWriter};

use super::{TETRA, UnstructuredGrid, Values};
use crate::mesh::TetMesh;

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
    for (arrays, entries) in [(&grid.point_data, points), (&grid.cell_data, cells)] {
        for array in arrays {
            assert_eq!(
                array.values.len(),
                entries * array.components,
                "length of the array {:?}",
                array.name
            );
        }
    }
    let coordinates = Values::Float64(grid.points.iter().flat_map(|p| [p.x, p.y, p.z]).collect());
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

    writeln!(out, r#"<?xml version="1.0"?>"#)?;
    writeln!(
        out,
        r#"<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">"#
    )?;
    writeln!(out, "  <UnstructuredGrid>")?;
    writeln!(
        out,
        r#"    <Piece NumberOfPoints="{points}" NumberOfCells="{cells}">"#
    )?;
    for (section, arrays) in [
        ("PointData", &grid.point_data),
        ("CellData", &grid.cell_data),
    ] {
        writeln!(out, "      <{section}>")?;
        for array in arrays {
            write_array(out, &array.name, array.components, &array.values)?;
        }
        writeln!(out, "      </{section}>")?;
    }
    writeln!(out, "      <Points>")?;
    write_array(out, "Points", 3, &coordinates)?;
    writeln!(out, "      </Points>\n      <Cells>")?;
    write_array(out, "connectivity", 1, &corners)?;
    write_array(out, "offsets", 1, &ends)?;
    write_array(out, "types", 1, &kinds)?;
    writeln!(out, "      </Cells>\n    </Piece>\n  </UnstructuredGrid>")?;
    writeln!(out, "</VTKFile>")
}

/// Writes one array: its length in bytes and its numbers, together in base64.
fn write_array(
    out: &mut impl Write,
    name: &str,
    components: usize,
    values: &Values,
) -> io::Result<()> {
    write!(
        out,
        r#"        <DataArray type="{}" Name="{}" NumberOfComponents="{components}" format="binary">"#,
        values.xml_name(),
        quick_xml::escape::escape(name),
    )?;
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
