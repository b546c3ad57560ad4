//! `impinge.Body`.

use std::sync::Arc;

use impinge_sim::Simulation as Sim;
use impinge_sim::geometry::Body as Solid;
use impinge_sim::measure::forces::contact_forces;
use nalgebra::Vector3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arrays;
use crate::shared::Shared;

/// A body of a simulation, or an obstacle with a mesh.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Body {
    shared: Arc<Shared>,
    /// Its number among bodies, then obstacles.
    index: usize,
}

/// Centre of mass (m), and orientation as a quaternion (w, x, y, z).
type Pose<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

impl Body {
    pub(crate) fn new(shared: Arc<Shared>, index: usize) -> Self {
        Self { shared, index }
    }

    fn read<R>(&self, read: impl FnOnce(&Sim, &Solid) -> R) -> PyResult<R> {
        self.shared
            .read(|simulation| read(simulation, simulation.model().geometry.solid(self.index)))
    }

    fn points(&self) -> PyResult<std::ops::Range<usize>> {
        self.read(|_, body| body.points.clone())
    }
}

#[pymethods]
impl Body {
    /// Name.
    #[getter]
    fn name(&self) -> PyResult<String> {
        self.read(|_, body| body.name.clone())
    }

    /// ``"elastic"``, ``"shell"``, ``"rigid"`` or ``"obstacle"``.
    #[getter]
    fn kind(&self) -> PyResult<&'static str> {
        self.read(|simulation, body| {
            if self.index >= simulation.model().geometry.bodies.len() {
                "obstacle"
            } else if body.thin {
                "shell"
            } else if body.tets.is_empty() {
                "rigid"
            } else {
                "elastic"
            }
        })
    }

    /// Positions of its points (m), shape (n, 3): a read-only view that every step overwrites.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.shared.positions_of(py, &self.points()?)
    }

    /// Velocities of its points (m/s), shape (n, 3): a read-only view that every step overwrites.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.shared.velocities_of(py, &self.points()?)
    }

    /// Node of the given mesh of each point, shape (n,): points are stored along a space-filling curve.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        self.read(|_, body| PyArray1::from_slice(py, &body.original_nodes))
    }

    /// Triangles of its surface as indices of its points, shape (m, 3).
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let faces: Vec<[u32; 3]> = self.read(|simulation, body| {
            let triangles = simulation.model().geometry.surface.triangles();
            let own = triangles[body.triangles.clone()].iter();
            own.map(|face| face.map(|point| point - body.points.start as u32))
                .collect()
        })?;
        arrays::from_elements(py, &faces)
    }

    /// Mass (kg); 0 for obstacles and rigid bodies with a prescribed motion.
    #[getter]
    fn mass(&self) -> PyResult<f64> {
        self.read(|simulation, _| simulation.model().body_mass(self.index))
    }

    /// Linear momentum (N s), shape (3,); zero without mass.
    #[getter]
    fn momentum<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let momentum = self.read(|simulation, body| {
            let (model, state) = (simulation.model(), simulation.state());
            let rigid = model.rigid.iter().zip(&state.rigid);
            for (rigid, at) in rigid {
                if rigid.body == self.index {
                    return at.velocity * rigid.inertia.mass();
                }
            }
            let points = body.points.clone();
            points
                .map(|point| state.velocities[point] * model.points.mass[point])
                .sum::<Vector3<f64>>()
        })?;
        Ok(PyArray1::from_slice(py, momentum.as_slice()))
    }

    /// Contact forces on its points after the last step (N), shape (n, 3).
    #[getter]
    fn contact_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let forces = self.read(|simulation, body| {
            let all = contact_forces(simulation.model(), simulation.state()).points;
            all[body.points.clone()].to_vec()
        })?;
        arrays::from_vectors(py, &forces)
    }

    /// Centre of mass (m), shape (3,), and orientation as a unit quaternion (w, x, y, z), shape (4,), of a rigid body
    /// without a prescribed motion; ``None`` for others.
    #[getter]
    fn pose<'py>(&self, py: Python<'py>) -> PyResult<Option<Pose<'py>>> {
        let pose = self.read(|simulation, _| {
            let model = simulation.model();
            let own = model
                .rigid
                .iter()
                .position(|rigid| rigid.body == self.index)?;
            let pose = simulation.state().rigid[own].pose;
            let turn = pose.orientation;
            Some((pose.center, [turn.w, turn.i, turn.j, turn.k]))
        })?;
        Ok(pose.map(|(center, turn)| {
            (
                PyArray1::from_slice(py, center.as_slice()),
                PyArray1::from_slice(py, &turn),
            )
        }))
    }

    fn __repr__(&self) -> PyResult<String> {
        let (name, points) = self.read(|_, body| (body.name.clone(), body.points.len()))?;
        Ok(format!(
            "<Body `{name}`: {}, {points} points>",
            self.kind()?
        ))
    }
}
