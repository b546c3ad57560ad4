//! `impinge.Body`.

use std::sync::Arc;

use impinge_sim::Simulation as Sim;
use impinge_sim::measure::body::{BodyView, SolidKind};
use impinge_sim::measure::forces::contact_forces;
use nalgebra::Vector3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::shared::Shared;
use crate::{arrays, errors};

/// A body, an obstacle or a half-space of a simulation.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Body {
    shared: Arc<Shared>,
    /// Its number among bodies, then obstacles with a mesh, then half-spaces.
    index: usize,
}

type Floats<'py> = Bound<'py, PyArray1<f64>>;

/// A force (N) and a torque (N m), or a place (m) and an orientation.
type Two<'py> = (Floats<'py>, Floats<'py>);

impl Body {
    pub(crate) fn new(shared: Arc<Shared>, index: usize) -> Self {
        Self { shared, index }
    }

    fn read<R>(&self, read: impl FnOnce(&Sim, BodyView<'_>) -> R) -> PyResult<R> {
        let view = |simulation: &Sim| {
            let view = BodyView::new(simulation.model(), simulation.state(), self.index)?;
            Some(read(simulation, view))
        };
        let result = self.shared.read(view)?;
        result.ok_or_else(|| errors::internal("a body is gone"))
    }

    fn vector<'py>(
        &self,
        py: Python<'py>,
        of: impl FnOnce(BodyView<'_>) -> Vector3<f64>,
    ) -> PyResult<Floats<'py>> {
        let vector = self.read(|_, body| of(body))?;
        Ok(floats(py, &vector))
    }
}

fn floats<'py>(py: Python<'py>, vector: &Vector3<f64>) -> Floats<'py> {
    PyArray1::from_slice(py, vector.as_slice())
}

#[pymethods]
impl Body {
    /// Name.
    #[getter]
    fn name(&self) -> PyResult<String> {
        self.read(|_, body| body.name().to_owned())
    }

    /// ``"elastic"``, ``"shell"``, ``"rigid"``, ``"obstacle"`` or ``"half_space"``.
    #[getter]
    fn kind(&self) -> PyResult<&'static str> {
        self.read(|_, body| match body.kind() {
            SolidKind::Elastic => "elastic",
            SolidKind::Shell => "shell",
            SolidKind::Rigid => "rigid",
            SolidKind::Obstacle => "obstacle",
            SolidKind::HalfSpace => "half_space",
        })
    }

    /// Whether a prescribed motion moves all of its points, or it never moves.
    #[getter]
    fn is_prescribed(&self) -> PyResult<bool> {
        self.read(|_, body| body.is_prescribed())
    }

    /// Positions of its points (m), shape (n, 3): a read-only view that every step overwrites.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let points = self.read(|_, body| body.points())?;
        self.shared.positions_of(py, &points)
    }

    /// Velocities of its points (m/s), shape (n, 3): a read-only view that every step overwrites.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let points = self.read(|_, body| body.points())?;
        self.shared.velocities_of(py, &points)
    }

    /// Positions of its points at rest (m), shape (n, 3).
    #[getter]
    fn rest_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let positions = self.read(|_, body| body.rest_positions().to_vec())?;
        arrays::from_vectors(py, &positions)
    }

    /// Node of the given mesh of each point, shape (n,): points are stored along a space-filling curve.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let nodes = self.read(|_, body| body.nodes().to_vec())?;
        Ok(PyArray1::from_vec(py, nodes))
    }

    /// Triangles of its surface as indices of its points, shape (m, 3).
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        arrays::from_elements(py, &self.read(|_, body| body.triangles())?)
    }

    /// Tetrahedra as indices of its points, shape (m, 4); none unless it is elastic.
    #[getter]
    fn tetrahedra<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        arrays::from_elements(py, &self.read(|_, body| body.tetrahedra())?)
    }

    /// Mass (kg); 0 for obstacles, half-spaces and rigid bodies with a prescribed motion.
    #[getter]
    fn mass(&self) -> PyResult<f64> {
        self.read(|_, body| body.mass())
    }

    /// Centre of mass (m), shape (3,); without mass, the origin of its own frame.
    #[getter]
    fn center_of_mass<'py>(&self, py: Python<'py>) -> PyResult<Floats<'py>> {
        self.vector(py, |body| body.center_of_mass())
    }

    /// Velocity of the centre of mass (m/s), shape (3,); without mass, of the origin of its own frame.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Floats<'py>> {
        self.vector(py, |body| body.velocity())
    }

    /// Angular velocity (rad/s), shape (3,); of a body that deforms, that of its angular momentum.
    #[getter]
    fn angular_velocity<'py>(&self, py: Python<'py>) -> PyResult<Floats<'py>> {
        self.vector(py, |body| body.angular_velocity())
    }

    /// Linear momentum (N s), shape (3,); zero without mass.
    #[getter]
    fn momentum<'py>(&self, py: Python<'py>) -> PyResult<Floats<'py>> {
        self.vector(py, |body| body.momentum())
    }

    /// Angular momentum about the centre of mass (N m s), shape (3,).
    #[getter]
    fn angular_momentum<'py>(&self, py: Python<'py>) -> PyResult<Floats<'py>> {
        self.vector(py, |body| body.angular_momentum())
    }

    /// Energies (J): ``kinetic``, ``elastic`` without joints, ``gravitational`` from the origin.
    #[getter]
    fn energies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let energies = self.read(|_, body| body.energies())?;
        let dictionary = PyDict::new(py);
        dictionary.set_item("kinetic", energies.kinetic)?;
        dictionary.set_item("elastic", energies.elastic)?;
        dictionary.set_item("gravitational", energies.gravitational)?;
        Ok(dictionary)
    }

    /// Sum of contact forces after the last step (N), and their torque about the centre of mass (N m), shape (3,) each.
    #[getter]
    fn contact_load<'py>(&self, py: Python<'py>) -> PyResult<Two<'py>> {
        let load = self.read(|_, body| body.contact_load())?;
        Ok((floats(py, &load.force), floats(py, &load.torque)))
    }

    /// Force (N) and torque (N m) that ``set_force`` and ``set_torque`` gave it, shape (3,) each.
    #[getter]
    fn given_load<'py>(&self, py: Python<'py>) -> PyResult<Two<'py>> {
        let load = self.read(|_, body| body.given_load())?;
        Ok((floats(py, &load.force), floats(py, &load.torque)))
    }

    /// Contact forces on its points after the last step (N), shape (n, 3).
    #[getter]
    fn contact_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let forces = self.read(|simulation, body| {
            let all = contact_forces(simulation.model(), simulation.state()).points;
            all[body.points()].to_vec()
        })?;
        arrays::from_vectors(py, &forces)
    }

    /// Place of the origin of its own frame (m), shape (3,), and orientation as a unit quaternion (w, x, y, z), shape
    /// (4,), as ``position`` and ``rotation`` of the scene; ``None`` for bodies that deform and for half-spaces.
    #[getter]
    fn pose<'py>(&self, py: Python<'py>) -> PyResult<Option<Two<'py>>> {
        let pose = self.read(|_, body| body.pose())?;
        Ok(pose.map(|pose| {
            let turn = pose.orientation;
            (
                floats(py, &pose.position),
                PyArray1::from_slice(py, &[turn.w, turn.i, turn.j, turn.k]),
            )
        }))
    }

    fn __repr__(&self) -> PyResult<String> {
        let (name, points) = self.read(|_, body| (body.name().to_owned(), body.points().len()))?;
        Ok(format!(
            "<Body `{name}`: {}, {points} points>",
            self.kind()?
        ))
    }
}
