//! The parts of a film that are the same at all times.

use impinge_sim::measure::lines::JointLine;
use impinge_sim::output::{Frame, HalfSpaceEntry};
use nalgebra::Vector3;
use serde_json::{Value, json};

use super::elements::Elements;
use super::limits::Limits;
use super::patch::patch;
use super::shot::Shot;
use super::surface::{Most, Surface};
use super::table::Table;

/// Names of a scene.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub(crate) title: String,
    /// Names of the bodies and mesh obstacles, in the order of the frames.
    pub(crate) bodies: Vec<String>,
    pub(crate) walls: Vec<HalfSpaceEntry>,
    /// Acceleration of gravity (m/s²), which points down.
    pub(crate) gravity: Vector3<f64>,
}

/// A scene and the surface of its bodies.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    pub(crate) names: Names,
    pub(crate) surface: Surface,
    /// Number of points of each link and rope.
    pub(crate) lines: Vec<usize>,
    elements: Elements,
}

impl Stage {
    /// The stage of a run that begins with `frame` and the links and ropes `lines`; a surface with more than `most`
    /// triangles is simplified.
    pub(crate) fn new(
        names: Names,
        frame: &Frame,
        lines: &[JointLine],
        most: Option<Most>,
    ) -> Self {
        let surface = Surface::of(frame, most);
        Self {
            names,
            lines: counts(lines).collect(),
            elements: Elements::of(frame, &surface),
            surface,
        }
    }

    /// The values of `frame` and its `lines` at the end of `step` at `time` (s); `None` for those of other bodies or
    /// joints.
    pub(crate) fn shot(
        &self,
        frame: &Frame,
        lines: &[JointLine],
        (step, time): (u64, f64),
    ) -> Option<Shot> {
        let fits = counts(lines).eq(self.lines.iter().copied())
            && frame.tets.len() == self.elements.count()
            && self
                .surface
                .points
                .last()
                .is_none_or(|&last| (last as usize) < frame.points.len());
        fits.then(|| Shot::of(frame, lines, (&self.surface, &self.elements), (step, time)))
    }

    /// The coordinate axis that points up.
    pub(crate) fn up(&self) -> Vector3<f64> {
        up(&self.names.gravity)
    }

    /// Little-endian numbers of four bytes: corners of the triangles, bodies and nodes of the vertices.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let Surface {
            triangles,
            bodies,
            nodes,
            ..
        } = &self.surface;
        let numbers = triangles.as_flattened().iter().chain(bodies).chain(nodes);
        numbers.flat_map(|number| number.to_le_bytes()).collect()
    }

    /// The description of a film with frames of the given steps and times (s), as JSON.
    pub(super) fn description(
        &self,
        limits: &Limits,
        stamps: &[(u64, f64)],
        table: Option<&Table>,
    ) -> Value {
        let corners = limits.corners();
        let walls = self.names.walls.iter().filter_map(|wall| {
            let corners = patch(&wall.point, &wall.normal, corners.iter())?;
            Some(json!({ "name": wall.name, "corners": corners }))
        });
        let steps: Vec<u64> = stamps.iter().map(|(step, _)| *step).collect();
        let times: Vec<f64> = stamps.iter().map(|(_, time)| *time).collect();
        json!({
            "title": self.names.title,
            "up": self.up(),
            "bodies": self.names.bodies,
            "walls": walls.collect::<Vec<_>>(),
            "vertices": self.surface.points.len(),
            "triangles": self.surface.triangles.len(),
            "closed": self.surface.closed,
            "lines": self.lines,
            "simplified": self.surface.simplified,
            "elements": self.elements.count() > 0,
            "low": limits.low,
            "high": limits.high,
            "stress": limits.stress(),
            "force": limits.force(),
            "deviation": limits.deviation(),
            "steps": steps,
            "times": times,
            "columns": table.map(|table| &table.columns),
        })
    }
}

/// Number of points of each line.
fn counts(lines: &[JointLine]) -> impl Iterator<Item = usize> {
    lines.iter().map(|line| line.points.len())
}

/// The coordinate axis that points against `gravity`; z without gravity.
fn up(gravity: &Vector3<f64>) -> Vector3<f64> {
    if gravity.norm() > 0.0 {
        let axis = gravity.iamax();
        Vector3::ith(axis, -gravity[axis].signum())
    } else {
        Vector3::z()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_is_the_axis_against_gravity() {
        assert_eq!(up(&Vector3::new(0.1, -9.81, 0.0)), Vector3::y());
        assert_eq!(up(&Vector3::zeros()), Vector3::z());
    }
}
