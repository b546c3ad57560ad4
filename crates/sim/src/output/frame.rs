//! One stored state.

use nalgebra::Vector3;

use super::names;
use crate::measure;
use crate::measure::forces::contact_forces;
use crate::model::{Model, PointMotion};
use crate::state::State;

/// The contents of a frame file: the points of all bodies and mesh obstacles in one array, and their values. Writing
/// asserts the lengths.
///
/// | field             | shape       | unit | meaning                                                   |
/// |-------------------|-------------|------|-----------------------------------------------------------|
/// | `points`          | `np`        | m    | positions                                                 |
/// | `velocities`      | `np`        | m/s  | velocities                                                |
/// | `contact_forces`  | `np`        | N    | force that contacts exert on the node                     |
/// | `node_ids`        | `np`        |      | number of the node in the mesh of its body                |
/// | `body_of_point`   | `np`        |      | body or obstacle it belongs to                            |
/// | `motion_of_point` | `np`        |      | index of its prescribed motion, `None` where it is free   |
/// | `tets`            | `nt × 4`    |      | elements as point ids                                     |
/// | `von_mises`       | `nt`        | Pa   | von Mises stress of each element                          |
/// | `triangles`       | `nf × 3`    |      | surfaces of rigid bodies and mesh obstacles as point ids  |
/// | `names`           | `nb` or 0   |      | names of the bodies and mesh obstacles                    |
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Positions (m).
    pub points: Vec<Vector3<f64>>,
    /// Velocities (m/s).
    pub velocities: Vec<Vector3<f64>>,
    /// Forces that contacts exert on the points (N).
    pub contact_forces: Vec<Vector3<f64>>,
    /// Number of each point in the mesh of its body.
    pub node_ids: Vec<u32>,
    /// Body or mesh obstacle of each point, in the order of [`Manifest::bodies`](super::Manifest::bodies).
    pub body_of_point: Vec<u32>,
    /// Index into [`Manifest::motions`](super::Manifest::motions) of each prescribed point.
    pub motion_of_point: Vec<Option<u32>>,
    /// Elements as point ids.
    pub tets: Vec<[u32; 4]>,
    /// Von Mises stress of each element (Pa).
    pub von_mises: Vec<f64>,
    /// Surface triangles of thin and rigid bodies and of mesh obstacles as point ids.
    pub triangles: Vec<[u32; 3]>,
    /// Names of the bodies and mesh obstacles, as in [`Manifest::bodies`](super::Manifest::bodies), with `�` for
    /// control characters. Empty in files without names.
    pub names: Vec<String>,
}

impl Frame {
    /// The frame that shows `state`.
    ///
    /// # Panics
    /// If `state` is not one of `model`.
    #[track_caller]
    pub fn capture(model: &Model, state: &State) -> Self {
        let mut von_mises = vec![0.0; model.elements.tets.len()];
        model
            .elements
            .elastic
            .von_mises_into(&state.positions, &mut von_mises);
        measure::stress::von_mises_into(model, state, &mut von_mises);
        let bodies = || (model.geometry.bodies.iter()).chain(&model.geometry.obstacles);
        let without_elements = bodies().filter(|body| body.tets.is_empty());
        Self {
            points: state.positions.clone(),
            velocities: state.velocities.clone(),
            contact_forces: contact_forces(model, state).points,
            node_ids: bodies()
                .flat_map(|body| body.original_nodes.iter().copied())
                .collect(),
            body_of_point: model.geometry.surface.group().to_vec(),
            motion_of_point: model
                .unknowns
                .motion_of_point
                .iter()
                .map(|motion| match motion {
                    PointMotion::Free(_) | PointMotion::Rigid(_) => None,
                    PointMotion::Prescribed(motion) => Some(*motion),
                })
                .collect(),
            tets: model.elements.tets.clone(),
            von_mises,
            triangles: without_elements
                .flat_map(|body| &model.geometry.surface.triangles()[body.triangles.clone()])
                .copied()
                .collect(),
            names: bodies().map(|body| names::printable(&body.name)).collect(),
        }
    }

    /// Names the array with the wrong length or the index out of range, if any.
    pub(super) fn defect(&self) -> Option<String> {
        let points = self.points.len();
        let per_point = [
            ("velocities", self.velocities.len()),
            ("contact_forces", self.contact_forces.len()),
            ("node_ids", self.node_ids.len()),
            ("body_of_point", self.body_of_point.len()),
            ("motion_of_point", self.motion_of_point.len()),
        ];
        if let Some((name, length)) = per_point.iter().find(|(_, length)| *length != points) {
            return Some(format!("`{name}` has {length} entries for {points} points"));
        }
        if self.von_mises.len() != self.tets.len() {
            return Some(format!(
                "`von_mises` has {} entries for {} tetrahedra",
                self.von_mises.len(),
                self.tets.len()
            ));
        }
        let elements = self
            .tets
            .iter()
            .map(<[u32; 4]>::as_slice)
            .chain(self.triangles.iter().map(<[u32; 3]>::as_slice));
        for (index, element) in elements.enumerate() {
            if let Some(corner) = element.iter().find(|&&corner| corner as usize >= points) {
                return Some(format!("element {index} uses point {corner} of {points}"));
            }
            let body = self.body_of_point[element[0] as usize];
            if element
                .iter()
                .any(|&corner| self.body_of_point[corner as usize] != body)
            {
                return Some(format!("element {index} joins two bodies"));
            }
            if (1..element.len()).any(|corner| element[..corner].contains(&element[corner])) {
                return Some(format!("element {index} uses a point twice"));
            }
        }
        if let Some(body) = self.body_of_point.iter().max()
            && !self.names.is_empty()
            && *body as usize >= self.names.len()
        {
            return Some(format!("body {body} has no name"));
        }
        // Bodies have points, so their number is below the number of points.
        self.body_of_point
            .iter()
            .find(|&&body| body as usize >= points)
            .map(|body| format!("there cannot be a body {body} among {points} points"))
    }
}
