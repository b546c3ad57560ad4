//! Writing `.vtu` files: raw appended data, numbers with their low bytes first.

use std::io::{self, Write};

use super::{TETRA, UnstructuredGrid, Values};
use crate::mesh::TetMesh;

/// Writes a grid as one piece; [`read_vtu`](super::read_vtu) gives back every number bit for bit.
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
    let mut appended = Appended::default();

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
            appended.announce(out, &array.name, array.components, &array.values)?;
        }
        writeln!(out, "      </{section}>")?;
    }
    writeln!(out, "      <Points>")?;
    appended.announce(out, "Points", 3, &coordinates)?;
    writeln!(out, "      </Points>\n      <Cells>")?;
    appended.announce(out, "connectivity", 1, &corners)?;
    appended.announce(out, "offsets", 1, &ends)?;
    appended.announce(out, "types", 1, &kinds)?;
    writeln!(out, "      </Cells>\n    </Piece>\n  </UnstructuredGrid>")?;
    // Some readers look for just these blanks around the data.
    write!(out, "  <AppendedData encoding=\"raw\">\n   _")?;
    for values in appended.arrays {
        out.write_all(&(values.byte_length() as u64).to_le_bytes())?;
        values.write_little_endian(out)?;
    }
    writeln!(out, "\n  </AppendedData>\n</VTKFile>")
}

/// The arrays announced so far.
#[derive(Default)]
struct Appended<'a> {
    arrays: Vec<&'a Values>,
    /// Bytes that they take with their headers.
    length: usize,
}

impl<'a> Appended<'a> {
    fn announce(
        &mut self,
        out: &mut impl Write,
        name: &str,
        components: usize,
        values: &'a Values,
    ) -> io::Result<()> {
        writeln!(
            out,
            r#"        <DataArray type="{}" Name="{}" NumberOfComponents="{components}" format="appended" offset="{}"/>"#,
            values.xml_name(),
            quick_xml::escape::escape(name),
            self.length
        )?;
        self.arrays.push(values);
        self.length += size_of::<u64>() + values.byte_length();
        Ok(())
    }
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
