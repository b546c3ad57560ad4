//! `rigid.csv`: pose, velocity and contact wrench of every rigid body, one row per body and frame.

use std::path::Path;

use super::OutputError;
use super::rows::{KeptRows, Table};
use crate::measure::rigid::{RigidMeasure, rigid_measures};
use crate::model::Model;
use crate::state::State;

/// Name of the file.
pub(super) const RIGID_CSV: &str = "rigid.csv";

/// Columns of the file, in order.
pub(super) const COLUMNS: [&str; 23] = [
    "step",
    "time",
    "body",
    "name",
    "x",
    "y",
    "z",
    "orientation_w",
    "orientation_x",
    "orientation_y",
    "orientation_z",
    "velocity_x",
    "velocity_y",
    "velocity_z",
    "angular_velocity_x",
    "angular_velocity_y",
    "angular_velocity_z",
    "force_x",
    "force_y",
    "force_z",
    "torque_x",
    "torque_y",
    "torque_z",
];

/// Writer of `rigid.csv`.
#[derive(Debug)]
pub struct RigidCsv(Table);

impl RigidCsv {
    /// Creates the file, with its header, in `folder`; `None` for a model without rigid bodies.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub fn create(folder: impl AsRef<Path>, model: &Model) -> Result<Option<Self>, OutputError> {
        if model.geometry.rigid_bodies().next().is_none() {
            return Ok(None);
        }
        let table = Table::create(folder.as_ref().join(RIGID_CSV), &COLUMNS)?;
        Ok(Some(Self(table)))
    }

    /// The rows of the file in `folder` up to `step`, after which the run resumes; `None` for a model without rigid
    /// bodies.
    ///
    /// # Errors
    /// [`OutputError::Format`] if it has other columns or no row for the last frame, or an error of the operating
    /// system.
    pub fn kept(
        folder: impl AsRef<Path>,
        model: &Model,
        step: u64,
    ) -> Result<Option<KeptRows>, OutputError> {
        if model.geometry.rigid_bodies().next().is_none() {
            return Ok(None);
        }
        let path = folder.as_ref().join(RIGID_CSV);
        KeptRows::read(&path, &COLUMNS, step, |last, next| next >= last).map(Some)
    }

    /// Resumes after the rows that are `kept`; removes later ones.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub fn resume(kept: KeptRows) -> Result<Self, OutputError> {
        kept.open().map(Self)
    }

    /// Appends one row per rigid body.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system, for example for a full disk.
    pub fn rows(&mut self, model: &Model, state: &State) -> Result<(), OutputError> {
        let measures = rigid_measures(model, state);
        self.0
            .append(measures.iter().map(|measure| fields(model, state, measure)))
    }
}

fn fields(model: &Model, state: &State, measure: &RigidMeasure) -> Vec<String> {
    let turn = measure.pose.orientation.quaternion();
    let numbers = measure
        .pose
        .center
        .iter()
        .chain([&turn.w, &turn.i, &turn.j, &turn.k])
        .chain(measure.velocity.iter())
        .chain(measure.angular_velocity.iter())
        .chain(measure.wrench.force.iter())
        .chain(measure.wrench.torque.iter());
    let mut fields = vec![
        state.step.to_string(),
        format!("{:?}", state.time),
        measure.body.to_string(),
        model.geometry.bodies[measure.body].name.clone(),
    ];
    // The shortest text that reads back as the same double.
    fields.extend(numbers.map(|number| format!("{number:?}")));
    fields
}
