//! `impinge.solve`: bare friction problems.

use std::collections::BTreeMap;

use impinge_contact::Interrupt;
use impinge_contact::delassus::{
    BlockRows, FrictionMethod, FrictionProblem, FrictionReport, FrictionResidual, Target,
    friction_residual,
};
use nalgebra::{Matrix3, Vector3};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::{arrays, compute, errors};

/// Reactions of a friction problem, and the judgement of a residual that shares no code with the methods.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct FrictionSolution {
    reactions: Vec<Vector3<f64>>,
    velocities: Vec<Vector3<f64>>,
    report: FrictionReport,
    residual: FrictionResidual,
    solved: bool,
}

#[pymethods]
impl FrictionSolution {
    /// Reactions ``r`` as (N, T1, T2), shape (n, 3).
    #[getter]
    fn reactions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::from_vectors(py, &self.reactions)
    }

    /// Relative velocities ``u = W r + q``, shape (n, 3).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::from_vectors(py, &self.velocities)
    }

    /// Whether the independent residual is within the tolerance, and neither penetration nor complementarity gross.
    #[getter]
    fn is_solved(&self) -> bool {
        self.solved
    }

    /// Name of the method that finished.
    #[getter]
    fn method(&self) -> &'static str {
        self.report.method.name()
    }

    /// Sweeps, iterations and steps together.
    #[getter]
    fn iterations(&self) -> u64 {
        self.report.iterations()
    }

    /// Errors of the reactions: ``siconos_error``, ``scaled_error``, ``penetration``, ``cone``, ``complementarity``,
    /// ``dissipation`` (1), and ``natural_map`` in the units of the problem.
    #[getter]
    fn residual<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let errors = PyDict::new(py);
        for (name, error) in [
            ("natural_map", self.residual.natural_map),
            ("siconos_error", self.residual.siconos_error),
            ("scaled_error", self.residual.scaled_error),
            ("penetration", self.residual.penetration),
            ("cone", self.residual.cone),
            ("complementarity", self.residual.complementarity),
            ("dissipation", self.residual.dissipation),
        ] {
            errors.set_item(name, error)?;
        }
        Ok(errors)
    }

    fn __repr__(&self) -> String {
        format!(
            "<FrictionSolution: {} contacts, {} by {} after {} iterations, error {:.2e}>",
            self.reactions.len(),
            if self.solved { "solved" } else { "not solved" },
            self.method(),
            self.iterations(),
            self.residual.worst_error()
        )
    }
}

/// Solves a friction problem: ``u = W r + q`` with Signorini's and Coulomb's laws at every contact.
///
/// Args:
///     W: Delassus matrix, shape (3n, 3n): an array, or a sparse matrix of SciPy.
///     q: relative velocities without reactions as (N, T1, T2), shape (n, 3) or (3n,).
///     mu: friction coefficients, shape (n,), or one for all.
///     method: ``"auto"``, ``"pgs"``, ``"newton"`` or ``"admm"``.
///     tolerance: bound on both relative errors.
///
/// Returns:
///     The reactions with their errors; ``is_solved`` tells whether the tolerance is met.
///
/// Raises:
///     ArgumentError, SolveError: for arrays that are no friction problem.
#[pyfunction]
#[pyo3(signature = (W, q, mu, *, method="auto", tolerance=1e-8))]
#[expect(
    clippy::too_many_arguments,
    reason = "the arguments of the Python function"
)]
#[expect(non_snake_case, reason = "the name of the operator in the literature")]
pub(crate) fn solve(
    py: Python<'_>,
    W: &Bound<'_, PyAny>,
    q: &Bound<'_, PyAny>,
    mu: &Bound<'_, PyAny>,
    method: &str,
    tolerance: f64,
) -> PyResult<FrictionSolution> {
    let names = FrictionMethod::ALL.map(FrictionMethod::name);
    let method = FrictionMethod::named(method)
        .ok_or_else(|| errors::unknown("method for friction problems", method, names))?;
    let (size, triplets) = if W.hasattr("tocoo")? {
        sparse(W)?
    } else {
        dense(W)?
    };
    let q = by_contact(q, "q")?;
    let mu = match mu.extract::<f64>() {
        Ok(mu) => vec![mu; q.len()],
        Err(_) => arrays::numbers(mu, "mu")?,
    };
    let failed = |error| errors::friction(&error);
    let delassus = BlockRows::from_triplets(size, triplets).map_err(failed)?;
    let problem = FrictionProblem::new("problem", delassus, q, mu).map_err(failed)?;
    let interrupt = Interrupt::default();
    let flag = interrupt.clone();
    let computed = compute::until_interrupt(py, &interrupt, move || {
        let mut reactions = vec![Vector3::zeros(); problem.contacts()];
        let mut solver = method.solver();
        solver.heed(&flag);
        let report = solver.solve(&problem, &mut reactions, &Target { tolerance })?;
        let residual = friction_residual(&problem, &reactions);
        let mut velocities = problem.free_velocity().to_vec();
        for (row, velocity) in velocities.iter_mut().enumerate() {
            *velocity += problem.delassus().row_times(row, &reactions);
        }
        Ok(FrictionSolution {
            reactions,
            velocities,
            report,
            residual,
            solved: residual.is_answer(tolerance),
        })
    });
    if let Some(raised) = computed.raised {
        return Err(raised);
    }
    let result = computed.result;
    result
        .ok_or_else(|| errors::internal("there is no result"))?
        .map_err(failed)
}

/// Blocks of a matrix, with their row and column.
type Blocks = (usize, Vec<(usize, usize, Matrix3<f64>)>);

/// The blocks of an array that are not zero.
fn dense(matrix: &Bound<'_, PyAny>) -> PyResult<Blocks> {
    let (size, numbers) = arrays::square(matrix, "W")?;
    let contacts = contacts(size)?;
    let mut blocks = Vec::new();
    for row in 0..contacts {
        for column in 0..contacts {
            let block = Matrix3::from_fn(|i, j| numbers[(3 * row + i) * size + 3 * column + j]);
            if row == column || block != Matrix3::zeros() {
                blocks.push((row, column, block));
            }
        }
    }
    Ok((contacts, blocks))
}

/// The blocks of a sparse matrix; entries at the same place are added.
fn sparse(matrix: &Bound<'_, PyAny>) -> PyResult<Blocks> {
    let entries = matrix.call_method0("tocoo")?;
    let shape: (usize, usize) = entries.getattr("shape")?.extract()?;
    if shape.0 != shape.1 {
        return Err(errors::argument(format!(
            "W has shape {shape:?}; give (3n, 3n)"
        )));
    }
    let contacts = contacts(shape.0)?;
    let rows = arrays::indices(&entries.getattr("row")?, "W.row")?;
    let columns = arrays::indices(&entries.getattr("col")?, "W.col")?;
    let numbers = arrays::numbers(&entries.getattr("data")?, "W.data")?;
    let mut blocks: BTreeMap<(usize, usize), Matrix3<f64>> = BTreeMap::new();
    for ((&row, &column), number) in rows.iter().zip(&columns).zip(numbers) {
        let (row, column) = (row as usize, column as usize);
        let block = blocks.entry((row / 3, column / 3)).or_default();
        block[(row % 3, column % 3)] += number;
    }
    let triplets = blocks.into_iter();
    let triplets = triplets.map(|((row, column), block)| (row, column, block));
    Ok((contacts, triplets.collect()))
}

fn contacts(size: usize) -> PyResult<usize> {
    if size.is_multiple_of(3) {
        Ok(size / 3)
    } else {
        Err(errors::argument(format!(
            "W has shape ({size}, {size}); give (3n, 3n), three rows for each of n contacts"
        )))
    }
}

/// One vector per contact, from an array of shape `(n, 3)` or `(3n,)`.
fn by_contact(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Vector3<f64>>> {
    let numpy = value.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (value,))?;
    let (dimensions, size): (usize, usize) = (
        array.getattr("ndim")?.extract()?,
        array.getattr("size")?.extract()?,
    );
    if dimensions == 1 && size.is_multiple_of(3) {
        return arrays::vectors(&array.call_method1("reshape", ((size / 3, 3),))?, name);
    }
    arrays::vectors(&array, name)
}
