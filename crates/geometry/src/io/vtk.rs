//! VTK: legacy `.vtk` and XML `.vtu`/`.vtp`, through the `vtkio` crate.

use std::io::{self, Cursor, Write};
use std::panic;

use nalgebra::Vector3;
use vtkio::model::{CellType, DataSet, IOBuffer, Piece, UnstructuredGridPiece, VertexNumbers, Vtk};

use super::error::Problem;
use super::extract::Elements;
use crate::mesh::TetMesh;

/// Reads all cells of an unstructured grid, or the polygons of a poly data set.
pub(super) fn read(bytes: &[u8]) -> Result<Elements, Problem> {
    let vtk = parse(bytes)?;
    let mut elements = Elements::default();
    match vtk.data {
        DataSet::UnstructuredGrid { pieces, .. } => {
            for piece in pieces {
                add_grid(&mut elements, inline(piece)?)?;
            }
        }
        DataSet::PolyData { pieces, .. } => {
            for piece in pieces {
                let piece = inline(piece)?;
                let first = add_points(&mut elements, &piece.points)?;
                let strips = piece.strips.map(cells).transpose()?.unwrap_or_default();
                if !strips.is_empty() {
                    return Err(Problem::WrongElement {
                        tag: 0,
                        found: "triangle strip".to_owned(),
                        wanted: "polygons",
                    });
                }
                for corners in piece.polys.map(cells).transpose()?.unwrap_or_default() {
                    let corners = shifted(&corners, first)?;
                    if corners.len() < 3 {
                        return Err(Problem::whole_file("a polygon has fewer than 3 corners"));
                    }
                    elements.push_polygon(&corners);
                }
            }
        }
        _ => {
            return Err(Problem::whole_file(
                "the data set is neither an unstructured grid nor poly data: save it as one of them",
            ));
        }
    }
    Ok(elements)
}

/// The file as `vtkio` sees it.
fn parse(bytes: &[u8]) -> Result<Vtk, Problem> {
    let is_xml = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<');
    if is_xml {
        check_encoding(bytes)?;
    }
    // `vtkio` slices malformed data without looking; that must not take the whole program down. The closure only
    // borrows bytes, so nothing can be left half-changed.
    panic::catch_unwind(|| {
        if is_xml {
            Vtk::parse_xml(Cursor::new(bytes))
        } else {
            Vtk::parse_legacy_be(bytes)
        }
    })
    .map_err(|_| {
        Problem::whole_file(
            "not a well-formed VTK file: it is truncated or its sizes contradict each other",
        )
    })?
    .map_err(|problem| Problem::whole_file(format!("not a VTK file that can be read ({problem})")))
}

/// Refuses what programs like to write and `vtkio` was built without, or takes for damage.
fn check_encoding(bytes: &[u8]) -> Result<(), Problem> {
    let mend = "save it uncompressed and as ASCII or inline binary";
    // ParaView names its compressor in files without anything to compress, too.
    let has = |word: &[u8]| bytes.windows(word.len()).any(|w| w == word);
    let binary = has(b"format=\"binary\"") || has(b"format=\"appended\"");
    if binary && attribute(bytes, "<VTKFile", "compressor").is_some_and(|name| !name.is_empty()) {
        return Err(Problem::whole_file(format!(
            "the data are compressed, which cannot be read: {mend}"
        )));
    }
    if attribute(bytes, "<AppendedData", "encoding").is_some_and(|encoding| encoding == b"raw") {
        return Err(Problem::whole_file(format!(
            "the data are appended as raw bytes, which cannot be read: {mend}"
        )));
    }
    Ok(())
}

/// The value of an attribute of the first element that begins with `element`.
fn attribute<'a>(bytes: &'a [u8], element: &str, name: &str) -> Option<&'a [u8]> {
    let find = |text: &[u8], word: &[u8]| text.windows(word.len()).position(|w| w == word);
    let start = find(bytes, element.as_bytes())?;
    let end = start + find(&bytes[start..], b">")?;
    let tag = &bytes[start..end];
    let mut rest = &tag[find(tag, name.as_bytes())? + name.len()..];
    rest = rest
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let (&quote, value) = rest.split_first()?;
    Some(&value[..value.iter().position(|&byte| byte == quote)?])
}

fn inline<P>(piece: Piece<P>) -> Result<P, Problem> {
    match piece {
        Piece::Inline(piece) => Ok(*piece),
        _ => Err(Problem::whole_file(
            "the data lies in other files: save it as one serial file",
        )),
    }
}

/// Adds a piece of an unstructured grid.
fn add_grid(elements: &mut Elements, piece: UnstructuredGridPiece) -> Result<(), Problem> {
    let first = add_points(elements, &piece.points)?;
    let cells = cells(piece.cells.cell_verts)?;
    if cells.len() != piece.cells.types.len() {
        return Err(Problem::whole_file(format!(
            "there are {} cells but {} cell types: one is needed for each",
            cells.len(),
            piece.cells.types.len()
        )));
    }
    for (tag, (corners, kind)) in (0u64..).zip(cells.iter().zip(piece.cells.types)) {
        let corners = shifted(corners, first)?;
        let wrong_count = || {
            Problem::whole_file(format!(
                "cell {tag} of type {kind:?} has {} corners",
                corners.len()
            ))
        };
        match kind {
            CellType::Vertex | CellType::PolyVertex | CellType::Line | CellType::PolyLine => {}
            CellType::Tetra => {
                elements
                    .tets
                    .push(<[u32; 4]>::try_from(corners.as_slice()).map_err(|_| wrong_count())?);
            }
            CellType::Hexahedron => {
                elements
                    .hexahedra
                    .push(<[u32; 8]>::try_from(corners.as_slice()).map_err(|_| wrong_count())?);
            }
            CellType::Triangle if corners.len() == 3 => elements.push_polygon(&corners),
            CellType::Quad if corners.len() == 4 => elements.push_polygon(&corners),
            CellType::Polygon if corners.len() >= 3 => elements.push_polygon(&corners),
            CellType::Triangle | CellType::Quad | CellType::Polygon => return Err(wrong_count()),
            CellType::TriangleStrip
            | CellType::Pixel
            | CellType::QuadraticTriangle
            | CellType::QuadraticQuad => {
                elements
                    .other_surface
                    .get_or_insert((tag, format!("{kind:?}")));
            }
            _ => {
                elements
                    .other_solid
                    .get_or_insert((tag, format!("{kind:?}")));
            }
        }
    }
    Ok(())
}

/// Adds points and returns the index of the first.
fn add_points(elements: &mut Elements, buffer: &IOBuffer) -> Result<u32, Problem> {
    let coordinates: Vec<f64> = match buffer {
        IOBuffer::F64(values) => values.clone(),
        IOBuffer::F32(values) => values.iter().copied().map(f64::from).collect(),
        _ => {
            return Err(Problem::whole_file(
                "the point coordinates are not floating-point numbers",
            ));
        }
    };
    let (points, rest) = coordinates.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(Problem::whole_file(format!(
            "{} point coordinates are not a multiple of 3",
            coordinates.len()
        )));
    }
    let first =
        u32::try_from(elements.nodes.len()).map_err(|_| Problem::whole_file("too many points"))?;
    elements
        .nodes
        .extend(points.iter().copied().map(Vector3::from));
    Ok(first)
}

/// The corners of each cell.
fn cells(numbers: VertexNumbers) -> Result<Vec<Vec<u64>>, Problem> {
    let contradiction =
        || Problem::whole_file("the cell offsets and the cell corners contradict each other");
    let mut cells = Vec::new();
    match numbers {
        // Each cell is its corner count and then its corners.
        VertexNumbers::Legacy {
            num_cells,
            vertices,
        } => {
            let mut rest = vertices.as_slice();
            while let Some((&count, after)) = rest.split_first() {
                let (corners, after) = after
                    .split_at_checked(count as usize)
                    .ok_or_else(contradiction)?;
                cells.push(corners.iter().copied().map(u64::from).collect());
                rest = after;
            }
            if cells.len() != num_cells as usize {
                return Err(contradiction());
            }
        }
        // Each offset is where a cell ends; some writers put a leading zero.
        VertexNumbers::XML {
            connectivity,
            offsets,
        } => {
            let mut start = 0usize;
            for (index, offset) in offsets.iter().enumerate() {
                if index == 0 && *offset == 0 {
                    continue;
                }
                let end = usize::try_from(*offset).map_err(|_| contradiction())?;
                cells.push(
                    connectivity
                        .get(start..end)
                        .ok_or_else(contradiction)?
                        .to_vec(),
                );
                start = end;
            }
            if start != connectivity.len() {
                return Err(contradiction());
            }
        }
    }
    Ok(cells)
}

/// Corner numbers of a piece as node indices.
fn shifted(corners: &[u64], first: u32) -> Result<Vec<u32>, Problem> {
    corners
        .iter()
        .map(|&corner| {
            u32::try_from(corner)
                .ok()
                .and_then(|corner| corner.checked_add(first))
        })
        .collect::<Option<_>>()
        .ok_or_else(|| Problem::whole_file("a cell corner is beyond any point"))
}

/// Writes an ASCII `.vtu` file.
pub(super) fn write(out: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    let (nodes, tets) = (mesh.nodes(), mesh.tets());
    writeln!(out, r#"<?xml version="1.0"?>"#)?;
    writeln!(
        out,
        r#"<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">"#
    )?;
    writeln!(out, "<UnstructuredGrid>")?;
    writeln!(
        out,
        r#"<Piece NumberOfPoints="{}" NumberOfCells="{}">"#,
        nodes.len(),
        tets.len()
    )?;
    writeln!(out, "<Points>")?;
    writeln!(
        out,
        r#"<DataArray type="Float64" Name="Points" NumberOfComponents="3" format="ascii">"#
    )?;
    for p in nodes {
        writeln!(out, "{:e} {:e} {:e}", p.x, p.y, p.z)?;
    }
    writeln!(out, "</DataArray>\n</Points>\n<Cells>")?;
    writeln!(
        out,
        r#"<DataArray type="Int64" Name="connectivity" format="ascii">"#
    )?;
    for [a, b, c, d] in tets {
        writeln!(out, "{a} {b} {c} {d}")?;
    }
    writeln!(out, "</DataArray>")?;
    writeln!(
        out,
        r#"<DataArray type="Int64" Name="offsets" format="ascii">"#
    )?;
    for cell in 1..=tets.len() {
        writeln!(out, "{}", 4 * cell)?;
    }
    writeln!(out, "</DataArray>")?;
    writeln!(
        out,
        r#"<DataArray type="UInt8" Name="types" format="ascii">"#
    )?;
    for _ in tets {
        writeln!(out, "{}", CellType::Tetra as u8)?;
    }
    writeln!(
        out,
        "</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>"
    )
}
