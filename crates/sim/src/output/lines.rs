//! `lines_NNNNN.vtp`: the links and ropes of a frame as polylines; reading restores every number bit for bit.

use std::path::Path;

use super::arrays::{Arrays, array};
use super::{OutputError, names};
use crate::measure::lines::{JointLine, joint_lines};
use crate::model::Model;
use crate::state::State;
use impinge_geometry::io::vtk::{PolyLines, Values, read_lines as read_poly_lines, write_lines};

// Names of the arrays, documented in docs/output.md.
const JOINT: &str = "joint";
const FORCE: &str = "force";

/// The links and ropes of a frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameLines {
    /// Names of all joints of the scene.
    pub names: Vec<String>,
    /// The links and ropes, in the order of the joints of the scene.
    pub lines: Vec<JointLine>,
}

impl FrameLines {
    /// The links and ropes of `state`.
    ///
    /// # Panics
    /// If `state` is not one of `model`.
    pub fn capture(model: &Model, state: &State) -> Self {
        Self {
            names: names_of(model).collect(),
            lines: joint_lines(model, state),
        }
    }
}

/// Names of the joints of a model, as a file can hold them.
pub(super) fn names_of(model: &Model) -> impl Iterator<Item = String> {
    let names = model.constraints.joint_names.iter();
    names.map(|name| names::printable(name))
}

/// The bytes of the file.
pub(super) fn encode(lines: &FrameLines, path: &Path) -> Result<Vec<u8>, OutputError> {
    let FrameLines { names, lines } = lines;
    let joints = lines.iter().map(|line| line.joint).collect();
    let forces = lines.iter().map(|line| line.force).collect();
    let set = PolyLines {
        lines: lines.iter().map(|line| line.points.clone()).collect(),
        cell_data: vec![
            array(JOINT, 1, Values::UInt32(joints)),
            array(FORCE, 1, Values::Float64(forces)),
        ],
        field_data: names::encode(names),
    };
    let mut bytes = Vec::new();
    // Writing to a vector does not fail.
    write_lines(&mut bytes, &set).map_err(|source| OutputError::write(path, source))?;
    Ok(bytes)
}

/// Reads the lines of a frame that [`FrameWriter`](super::FrameWriter) wrote.
///
/// # Errors
/// [`OutputError::Read`] if the file cannot be read, [`OutputError::Format`] if it is no whole file of lines.
pub fn read_lines(path: impl AsRef<Path>) -> Result<FrameLines, OutputError> {
    let path = path.as_ref();
    let bytes = super::read_regular(path).map_err(|source| OutputError::read(path, source))?;
    decode(&bytes, path)
}

pub(super) fn decode(bytes: &[u8], path: &Path) -> Result<FrameLines, OutputError> {
    let fail = |problem: &str| OutputError::format(path, problem);
    let set =
        read_poly_lines(bytes).map_err(|error| fail(&super::vtu::beginning(&error.to_string())))?;
    let names = names::decode(set.field_data)
        .ok_or_else(|| fail("a number of a joint has no name, or two"))?;
    let count = set.lines.len();
    let mut arrays = Arrays(set.cell_data);
    let missing = |name: &str| fail(&format!("the array `{name}` is missing or of another type"));
    let joints = arrays.unsigned(JOINT).filter(|all| all.len() == count);
    let joints = joints.ok_or_else(|| missing(JOINT))?;
    let forces = arrays.doubles(FORCE).filter(|all| all.len() == count);
    let forces = forces.ok_or_else(|| missing(FORCE))?;
    if let Some(joint) = joints.iter().find(|&&joint| joint as usize >= names.len()) {
        return Err(fail(&format!(
            "a line is of joint {joint}, which has no name"
        )));
    }
    let values = set.lines.into_iter().zip(joints).zip(forces);
    let lines = values.map(|((points, joint), force)| JointLine {
        joint,
        points,
        force,
    });
    Ok(FrameLines {
        names,
        lines: lines.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use proptest::prelude::*;

    fn lines() -> impl Strategy<Value = FrameLines> {
        let point = || any::<[f64; 3]>().prop_map(Vector3::from);
        let line = (
            0..3u32,
            proptest::collection::vec(point(), 0..5),
            any::<f64>(),
        );
        let line = line.prop_map(|(joint, points, force)| JointLine {
            joint,
            points,
            force,
        });
        proptest::collection::vec(line, 0..6).prop_map(|lines| FrameLines {
            names: ["a", "joint 1 of `b` & the world", "a"]
                .map(str::to_owned)
                .to_vec(),
            lines,
        })
    }

    proptest! {
        #[test]
        fn lines_are_read_back_bit_for_bit(lines in lines()) {
            let path = Path::new("lines_00000.vtp");
            let bytes = encode(&lines, path).expect("memory");
            let again = decode(&bytes, path).expect("a whole file");
            // Equal bytes are equal bits, also of NaN.
            prop_assert_eq!(encode(&again, path).expect("memory"), bytes);
            prop_assert_eq!(again.names, lines.names);
            let counts = |of: &[JointLine]| -> Vec<usize> {
                of.iter().map(|line| line.points.len()).collect()
            };
            prop_assert_eq!(counts(&again.lines), counts(&lines.lines));
        }
    }
}
