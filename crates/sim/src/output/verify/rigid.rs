//! Checks `rigid.csv` against the frames.

use super::bodies::{Bodies, UNIT_TOLERANCE};
use super::verification::TIME_ROUNDING;
use crate::model::Model;
use crate::output::rigid::{COLUMNS, RIGID_CSV};
use crate::output::statistics::{for_each_row, number};
use crate::output::{Frame, FrameEntry, Manifest, OutputError};
use impinge_contact::constraint;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use std::collections::BTreeMap;
use std::path::Path;

/// Tolerance of poses relative to the largest coordinate, and of velocities and forces relative to the largest term:
/// about a thousand rounding errors, far below anything visible.
pub(super) const TOLERANCE: f64 = 1e-12;

/// Rows by step.
pub(super) struct RigidRows(BTreeMap<u64, Vec<Row>>);

struct Row {
    time: f64,
    body: u32,
    name: String,
    center: Vector3<f64>,
    orientation: UnitQuaternion<f64>,
    velocity: Vector3<f64>,
    angular_velocity: Vector3<f64>,
    force: Vector3<f64>,
    torque: Vector3<f64>,
}

impl RigidRows {
    /// Reads the table of the run in `folder`.
    ///
    /// # Errors
    /// As for any table.
    pub(super) fn read(folder: &Path) -> Result<Self, OutputError> {
        let mut rows: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
        for_each_row(&folder.join(RIGID_CSV), &COLUMNS, |fields| {
            let vector = |at: usize| {
                let [x, y, z] = [
                    number(fields, at)?,
                    number(fields, at + 1)?,
                    number(fields, at + 2)?,
                ];
                Some(Vector3::new(x, y, z))
            };
            let [w, x, y, z] = [7, 8, 9, 10].map(|at| number(fields, at));
            let turn = Quaternion::new(w?, x?, y?, z?);
            if exceeds((turn.norm() - 1.0).abs(), UNIT_TOLERANCE) {
                return None;
            }
            rows.entry(fields.get(0)?.parse().ok()?)
                .or_default()
                .push(Row {
                    time: number(fields, 1)?,
                    body: fields.get(2)?.parse().ok()?,
                    name: fields.get(3)?.to_owned(),
                    center: vector(4)?,
                    orientation: UnitQuaternion::new_unchecked(turn),
                    velocity: vector(11)?,
                    angular_velocity: vector(14)?,
                    force: vector(17)?,
                    torque: vector(20)?,
                });
            Some(())
        })?;
        Ok(Self(rows))
    }

    /// The first step of an unmatched row, whose frame is missing. A killed run may have left some after its last
    /// frame.
    pub(super) fn strangers(&self, entries: &[FrameEntry]) -> Option<u64> {
        let last = entries.last()?.step;
        let is_stranger = |step: &&u64| {
            entries
                .binary_search_by_key(*step, |entry| entry.step)
                .is_err()
        };
        self.0
            .keys()
            .filter(|step| **step <= last)
            .find(is_stranger)
            .copied()
    }

    /// The poses of the rigid bodies of `model` in a step; `None` if it has no row of one of them.
    pub(super) fn poses(&self, step: u64, model: &Model) -> Option<Vec<constraint::Frame>> {
        let rows = self.0.get(&step)?;
        let pose = |body: usize| {
            let row = rows.iter().find(|row| row.body as usize == body)?;
            Some(constraint::Frame {
                center: row.center,
                orientation: row.orientation,
            })
        };
        model.rigid.iter().map(|rigid| pose(rigid.body)).collect()
    }

    /// Says where the rows of `entry` do not agree with its `frame` of `bodies`; `first` is the first frame.
    pub(super) fn compare(
        &self,
        manifest: &Manifest,
        bodies: &Bodies,
        entry: &FrameEntry,
        [first, frame]: [&Frame; 2],
    ) -> Vec<String> {
        let Some(rows) = self.0.get(&entry.step) else {
            return vec![format!("it has no rows of step {}", entry.step)];
        };
        let starts = self.0.first_key_value().map_or(&[][..], |(_, rows)| rows);
        let ascends = rows.is_sorted_by(|a, b| a.body < b.body);
        let has_all = manifest
            .rigid_bodies
            .iter()
            .all(|body| rows.binary_search_by_key(body, |row| row.body).is_ok());
        if !ascends || !has_all || rows.len() != starts.len() {
            return vec![format!(
                "the rows of step {} are not those of the rigid bodies",
                entry.step
            )];
        }
        let mut found = Vec::new();
        for (row, start) in rows.iter().zip(starts) {
            let is_named = manifest.bodies.get(row.body as usize) == Some(&row.name);
            if row.time.to_bits() != entry.time.to_bits() || row.body != start.body || !is_named {
                found.push(format!(
                    "a row of step {} has another time or name",
                    entry.step
                ));
            } else if let Some(what) = row.misfit(start, first, frame, bodies) {
                found.push(format!(
                    "`{}` of {} does not agree with the frame",
                    what, row.name
                ));
            }
        }
        found
    }
}

impl Row {
    /// The first column that does not match `frame`; `start` is the row of the first frame, `first`. Velocities in
    /// frames are instantaneous for free bodies, and means over the step for prescribed ones.
    fn misfit(
        &self,
        start: &Self,
        first: &Frame,
        frame: &Frame,
        bodies: &Bodies,
    ) -> Option<&'static str> {
        let (mut force, mut torque, mut sizes) = (Vector3::zeros(), Vector3::zeros(), [0.0_f64; 2]);
        let is_free = bodies.is_free_and_rigid(self.body);
        for point in bodies.points(self.body).iter().map(|&point| point as usize) {
            let (at, push) = (frame.points[point], frame.contact_forces[point]);
            let (arm, old_arm) = (at - self.center, first.points[point] - start.center);
            let size = at.amax().max(self.center.amax()).max(old_arm.amax());
            let turned = self.orientation * (start.orientation.inverse() * old_arm);
            let speed = self.velocity.amax() + self.angular_velocity.amax() * size;
            let allowed = TOLERANCE * size + TIME_ROUNDING * speed * self.time;
            if exceeds((turned - arm).amax(), allowed) {
                return Some("orientation");
            }
            let carried = self.angular_velocity.cross(&arm);
            let off = (self.velocity + carried - frame.velocities[point]).amax();
            if is_free && exceeds(off, TOLERANCE * speed) {
                return Some("velocity");
            }
            force += push;
            torque += arm.cross(&push);
            sizes[0] += push.amax();
            sizes[1] += push.amax() * size;
        }
        let is_off = |a: &Vector3<f64>, b: &Vector3<f64>, size: f64| {
            exceeds((a - b).amax(), TOLERANCE * size)
        };
        if is_off(&self.force, &force, sizes[0]) {
            return Some("force");
        }
        is_off(&self.torque, &torque, sizes[1]).then_some("torque")
    }
}

/// Whether `value` is above `bound`, or NaN.
fn exceeds(value: f64, bound: f64) -> bool {
    value.is_nan() || value > bound
}
