//! Frames as VTK XML unstructured grids, binary doubles: what is read is bit for bit what was written.

use std::path::Path;

use nalgebra::Vector3;
use vtkio::model::{
    Attribute, Attributes, ByteOrder, CellType, Cells, DataArray, DataSet, IOBuffer,
    UnstructuredGridPiece, Version, VertexNumbers, Vtk,
};

use super::{Frame, OutputError};

// Names of the arrays, documented in docs/output.md.
const VELOCITY: &str = "velocity";
const CONTACT_FORCE: &str = "contact_force";
const NODE: &str = "node";
const BODY: &str = "body";
const MOTION: &str = "motion";
const VON_MISES: &str = "von_mises";

/// The bytes of the file.
///
/// # Panics
/// If the arrays of `frame` do not fit together.
#[track_caller]
pub(super) fn encode(frame: &Frame, path: &Path) -> Result<Vec<u8>, OutputError> {
    if let Some(defect) = frame.defect() {
        panic!("{defect}");
    }
    let flat = |vectors: &[Vector3<f64>]| -> Vec<f64> {
        vectors
            .iter()
            .flat_map(|vector| [vector.x, vector.y, vector.z])
            .collect()
    };
    let motion: Vec<i32> = frame
        .motion_of_point
        .iter()
        .map(|motion| motion.map_or(-1, u32::cast_signed))
        .collect();
    let cells = frame.tets.len() + frame.triangles.len();
    let mut von_mises = frame.von_mises.clone();
    von_mises.resize(cells, 0.0);
    let cell_body: Vec<u32> = frame
        .tets
        .iter()
        .map(|tet| tet[0])
        .chain(frame.triangles.iter().map(|triangle| triangle[0]))
        .map(|point| frame.body_of_point[point as usize])
        .collect();

    let mut offset = 0;
    let sizes = std::iter::repeat_n(4, frame.tets.len())
        .chain(std::iter::repeat_n(3, frame.triangles.len()));
    let offsets: Vec<u64> = sizes
        .map(|size| {
            offset += size;
            offset
        })
        .collect();
    let connectivity: Vec<u64> = frame
        .tets
        .iter()
        .flatten()
        .chain(frame.triangles.iter().flatten())
        .map(|&point| u64::from(point))
        .collect();
    let mut types = vec![CellType::Tetra; frame.tets.len()];
    types.resize(cells, CellType::Triangle);

    let scalars = |name: &str, data: IOBuffer| {
        Attribute::DataArray(DataArray::scalars(name, 1).with_data(data))
    };
    let vectors =
        |name: &str, data: Vec<f64>| Attribute::DataArray(DataArray::vectors(name).with_data(data));
    let vtk = Vtk {
        version: Version::XML { major: 1, minor: 0 },
        title: String::new(),
        byte_order: ByteOrder::LittleEndian,
        file_path: None,
        data: DataSet::inline(UnstructuredGridPiece {
            points: flat(&frame.points).into(),
            cells: Cells {
                cell_verts: VertexNumbers::XML {
                    connectivity,
                    offsets,
                },
                types,
            },
            data: Attributes {
                point: vec![
                    vectors(VELOCITY, flat(&frame.velocities)),
                    vectors(CONTACT_FORCE, flat(&frame.contact_forces)),
                    scalars(NODE, frame.node_ids.clone().into()),
                    scalars(BODY, frame.body_of_point.clone().into()),
                    scalars(MOTION, motion.into()),
                ],
                cell: vec![
                    scalars(VON_MISES, von_mises.into()),
                    scalars(BODY, cell_body.into()),
                ],
            },
        }),
    };
    let mut bytes = Vec::new();
    vtk.write_xml(&mut bytes)
        .map_err(|error| OutputError::format(path, error.to_string()))?;
    Ok(bytes)
}

/// Most characters of a parser's message that are passed on: it may quote whole arrays.
const LONGEST_MESSAGE: usize = 300;

/// The first characters of a message, and a sign where it goes on.
fn beginning(message: &str) -> String {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{} …", &message[..end]),
        None => message.to_owned(),
    }
}

/// Reads a frame that [`FrameWriter`](super::FrameWriter) wrote.
///
/// # Errors
/// [`OutputError::Read`] if the file cannot be read, [`OutputError::Format`] if it is no whole frame.
pub fn read_frame(path: impl AsRef<Path>) -> Result<Frame, OutputError> {
    let path = path.as_ref();
    let bytes = super::read_regular(path).map_err(|source| OutputError::read(path, source))?;
    decode(&bytes, path)
}

pub(super) fn decode(bytes: &[u8], path: &Path) -> Result<Frame, OutputError> {
    let fail = |problem: &str| OutputError::format(path, problem);
    // The parser's message would quote all of it.
    if bytes.trim_ascii_start().first() != Some(&b'<') {
        return Err(fail(
            "it is no frame (.vtu); give one, or the folder of a run",
        ));
    }
    let vtk = Vtk::parse_xml(bytes).map_err(|error| fail(&beginning(&error.to_string())))?;
    let DataSet::UnstructuredGrid { pieces, .. } = vtk.data else {
        return Err(fail("it holds no unstructured grid"));
    };
    let Ok([piece]) = <[_; 1]>::try_from(pieces) else {
        return Err(fail("it does not consist of one piece"));
    };
    let piece = piece
        .into_loaded_piece_data(Some(path))
        .map_err(|error| fail(&error.to_string()))?;

    let (connectivity, offsets) = piece.cells.cell_verts.into_xml();
    let mut frame = Frame {
        points: vectors(piece.points).ok_or_else(|| fail("its points are not doubles"))?,
        ..Frame::default()
    };
    let mut start = 0;
    for (kind, &end) in piece.cells.types.iter().zip(&offsets) {
        let end = usize::try_from(end).map_err(|_| fail("a cell offset is too large"))?;
        let corners: Vec<u32> = connectivity
            .get(start..end)
            .ok_or_else(|| fail("a cell offset is out of range"))?
            .iter()
            .map(|&point| u32::try_from(point))
            .collect::<Result<_, _>>()
            .map_err(|_| fail("a point number is too large"))?;
        start = end;
        match (kind, corners.as_slice()) {
            (CellType::Tetra, &[a, b, c, d]) if frame.triangles.is_empty() => {
                frame.tets.push([a, b, c, d]);
            }
            (CellType::Triangle, &[a, b, c]) => frame.triangles.push([a, b, c]),
            _ => return Err(fail("it holds other cells than tetrahedra, then triangles")),
        }
    }

    let missing = |name: &str| fail(&format!("the array `{name}` is missing or of another type"));
    let (mut points, mut cells) = (Arrays(piece.data.point), Arrays(piece.data.cell));
    let mut point_vectors = |name: &str| {
        points
            .take(name)
            .and_then(vectors)
            .ok_or_else(|| missing(name))
    };
    frame.velocities = point_vectors(VELOCITY)?;
    frame.contact_forces = point_vectors(CONTACT_FORCE)?;
    frame.node_ids = points.scalars(NODE).ok_or_else(|| missing(NODE))?;
    frame.body_of_point = points.scalars(BODY).ok_or_else(|| missing(BODY))?;
    let motion: Vec<i32> = points.scalars(MOTION).ok_or_else(|| missing(MOTION))?;
    frame.motion_of_point = motion
        .into_iter()
        .map(|motion| u32::try_from(motion).ok())
        .collect();
    frame.von_mises = cells.scalars(VON_MISES).ok_or_else(|| missing(VON_MISES))?;
    frame.von_mises.truncate(frame.tets.len());
    match frame.defect() {
        None => Ok(frame),
        Some(defect) => Err(fail(&defect)),
    }
}

fn vectors(buffer: IOBuffer) -> Option<Vec<Vector3<f64>>> {
    let flat: Vec<f64> = buffer.into_vec()?;
    let (vectors, []) = flat.as_chunks::<3>() else {
        return None;
    };
    Some(vectors.iter().map(|&vector| vector.into()).collect())
}

struct Arrays(Vec<Attribute>);

impl Arrays {
    fn take(&mut self, name: &str) -> Option<IOBuffer> {
        let at = self.0.iter().position(|array| array.name() == name)?;
        match self.0.swap_remove(at) {
            Attribute::DataArray(array) => Some(array.data),
            Attribute::Field { .. } => None,
        }
    }

    fn scalars<T: vtkio::model::Scalar>(&mut self, name: &str) -> Option<Vec<T>> {
        self.take(name)?.into_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut() {
        assert_eq!(beginning("short"), "short");
        let cut = beginning(&"ü".repeat(LONGEST_MESSAGE + 1));
        assert_eq!(cut, format!("{} …", "ü".repeat(LONGEST_MESSAGE)));
    }
}
