//! Frames as VTK XML unstructured grids of raw doubles: reading restores every number bit for bit.

use std::path::Path;

use super::arrays::{Arrays, array, of_vectors};
use super::{Frame, OutputError, names};
use impinge_geometry::io::vtk::{
    Cells, TETRA, TRIANGLE, UnstructuredGrid, Values, read_vtu, write_vtu,
};

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
/// If the arrays of `frame` are inconsistent.
#[track_caller]
pub(super) fn encode(frame: &Frame, path: &Path) -> Result<Vec<u8>, OutputError> {
    if let Some(defect) = frame.defect() {
        panic!("{defect}");
    }
    let motion: Vec<i32> = frame
        .motion_of_point
        .iter()
        .map(|motion| motion.map_or(-1, u32::cast_signed))
        .collect();
    let mut von_mises = frame.von_mises.clone();
    von_mises.resize(frame.tets.len() + frame.triangles.len(), 0.0);
    let cell_body: Vec<u32> = frame
        .tets
        .iter()
        .map(|tet| tet[0])
        .chain(frame.triangles.iter().map(|triangle| triangle[0]))
        .map(|point| frame.body_of_point[point as usize])
        .collect();

    let mut cells = Cells::default();
    for tet in &frame.tets {
        cells.push(TETRA, tet);
    }
    for triangle in &frame.triangles {
        cells.push(TRIANGLE, triangle);
    }
    let grid = UnstructuredGrid {
        points: frame.points.clone(),
        point_data: vec![
            of_vectors(VELOCITY, &frame.velocities),
            of_vectors(CONTACT_FORCE, &frame.contact_forces),
            array(NODE, 1, Values::UInt32(frame.node_ids.clone())),
            array(BODY, 1, Values::UInt32(frame.body_of_point.clone())),
            array(MOTION, 1, Values::Int32(motion)),
        ],
        cell_data: vec![
            array(VON_MISES, 1, Values::Float64(von_mises)),
            array(BODY, 1, Values::UInt32(cell_body)),
        ],
        field_data: names::encode(&frame.names),
        cells,
    };
    let mut bytes = Vec::new();
    // Writing to a vector does not fail.
    write_vtu(&mut bytes, &grid).map_err(|source| OutputError::write(path, source))?;
    Ok(bytes)
}

/// Longest quoted part of a parser's message (characters): it may quote whole arrays.
const LONGEST_MESSAGE: usize = 300;

/// The beginning of a message, with a mark if it is cut.
pub(super) fn beginning(message: &str) -> String {
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
    // The parser's message would quote the whole file.
    if bytes.trim_ascii_start().first() != Some(&b'<') {
        return Err(fail(
            "it is no frame (.vtu); give one, or the folder of a run",
        ));
    }
    let grid = read_vtu(bytes).map_err(|error| fail(&beginning(&error.to_string())))?;
    let mut frame = Frame {
        points: grid.points,
        names: names::decode(grid.field_data)
            .ok_or_else(|| fail("a number of a body has no name, or two"))?,
        ..Frame::default()
    };
    for cell in grid.cells.iter() {
        match cell {
            (TETRA, &[a, b, c, d]) if frame.triangles.is_empty() => {
                frame.tets.push([a, b, c, d]);
            }
            (TRIANGLE, &[a, b, c]) => frame.triangles.push([a, b, c]),
            _ => return Err(fail("it holds other cells than tetrahedra, then triangles")),
        }
    }

    let missing = |name: &str| fail(&format!("the array `{name}` is missing or of another type"));
    let (mut points, mut cells) = (Arrays(grid.point_data), Arrays(grid.cell_data));
    frame.velocities = points.vectors(VELOCITY).ok_or_else(|| missing(VELOCITY))?;
    frame.contact_forces = points
        .vectors(CONTACT_FORCE)
        .ok_or_else(|| missing(CONTACT_FORCE))?;
    frame.node_ids = points.unsigned(NODE).ok_or_else(|| missing(NODE))?;
    frame.body_of_point = points.unsigned(BODY).ok_or_else(|| missing(BODY))?;
    let Some(Values::Int32(motion)) = points.take(MOTION) else {
        return Err(missing(MOTION));
    };
    frame.motion_of_point = motion
        .into_iter()
        .map(|motion| u32::try_from(motion).ok())
        .collect();
    frame.von_mises = cells.doubles(VON_MISES).ok_or_else(|| missing(VON_MISES))?;
    frame.von_mises.truncate(frame.tets.len());
    match frame.defect() {
        None => Ok(frame),
        Some(defect) => Err(fail(&defect)),
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
