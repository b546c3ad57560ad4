//! NumPy arrays to vectors and back, with errors that name the argument and the place.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use numpy::{
    PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList};

use crate::errors::argument;

/// The elements that an array argument has to hold.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Numbers,
    Indices,
}

/// Largest difference of the length of a unit quaternion from 1: that of six written digits.
const UNIT_ROUNDING: f64 = 1e-5;

/// `value` as an array of `kind` in C order; copied only if it has to be.
fn array<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    kind: Kind,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let numpy = py.import("numpy")?;
    let array = numpy
        .call_method1("asarray", (value,))
        .map_err(|error| argument(format!("{name} is no array: {error}")))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    let found = array.dtype().kind();
    // An empty list is an array of floats.
    let fits = match kind {
        Kind::Numbers => b"fiu".contains(&found),
        Kind::Indices => b"iu".contains(&found) || array.len() == 0 && found == b'f',
    };
    if !fits {
        let wanted = match kind {
            Kind::Numbers => "real numbers",
            Kind::Indices => "integers",
        };
        return Err(argument(format!(
            "{name} has dtype {}; give {wanted}",
            array.dtype()
        )));
    }
    let dtype = match kind {
        Kind::Numbers => "float64",
        Kind::Indices => "int64",
    };
    let array = numpy.call_method1("ascontiguousarray", (array, dtype))?;
    Ok(array.cast_into::<PyUntypedArray>()?)
}

fn wrong_shape(name: &str, array: &Bound<'_, PyUntypedArray>, wanted: &str) -> PyErr {
    let shape: Vec<String> = array.shape().iter().map(ToString::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    argument(format!(
        "{name} has shape ({}{comma}); give {wanted}",
        shape.join(", ")
    ))
}

/// Rows of `N` entries; an empty array has none.
fn rows<'py, T: numpy::Element>(
    array: &Bound<'py, PyUntypedArray>,
    name: &str,
    columns: usize,
) -> PyResult<Option<PyReadonlyArray2<'py, T>>> {
    if array.len() == 0 {
        return Ok(None);
    }
    if array.ndim() != 2 || array.shape()[1] != columns {
        return Err(wrong_shape(name, array, &format!("(n, {columns})")));
    }
    Ok(Some(array.cast::<PyArray2<T>>()?.try_readonly()?))
}

/// One vector per row of an array of shape `(n, 3)`, all finite.
pub(crate) fn vectors(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Vector3<f64>>> {
    let array = array(value, name, Kind::Numbers)?;
    let Some(rows) = rows::<f64>(&array, name, 3)? else {
        return Ok(Vec::new());
    };
    let numbers = rows.as_slice()?;
    if let Some(at) = numbers.iter().position(|x| !x.is_finite()) {
        let (row, column) = (at / 3, at % 3);
        return Err(argument(format!(
            "{name}[{row}, {column}] is {}; give finite numbers",
            numbers[at]
        )));
    }
    Ok(numbers
        .as_chunks::<3>()
        .0
        .iter()
        .map(|&row| row.into())
        .collect())
}

/// Numbers of an array of shape `(n,)`, all finite.
pub(crate) fn numbers(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f64>> {
    let array = array(value, name, Kind::Numbers)?;
    if array.ndim() != 1 {
        return Err(wrong_shape(name, &array, "(n,)"));
    }
    let numbers: PyReadonlyArray1<'_, f64> = array.cast::<PyArray1<f64>>()?.try_readonly()?;
    let numbers = numbers.as_slice()?;
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(argument(format!(
            "{name}[{at}] is {}; give finite numbers",
            numbers[at]
        ))),
        None => Ok(numbers.to_vec()),
    }
}

/// `N` finite numbers of an array of shape `(N,)`.
fn entries<const N: usize>(
    value: &Bound<'_, PyAny>,
    name: &str,
    wanted: &str,
) -> PyResult<[f64; N]> {
    let entries = if let Some(entries) = listed(value) {
        entries
    } else {
        let array = array(value, name, Kind::Numbers)?;
        if array.shape() != [N] {
            return Err(wrong_shape(name, &array, wanted));
        }
        let numbers = array.cast::<PyArray1<f64>>()?.try_readonly()?;
        let mut entries = [0.0; N];
        entries.copy_from_slice(numbers.as_slice()?);
        entries
    };
    match entries.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(argument(format!(
            "{name}[{at}] is {}; give finite numbers",
            entries[at]
        ))),
        None => Ok(entries),
    }
}

/// The numbers of a list of `N` floats and integers, the usual argument of a controller: an array of it would take
/// longer than the rest of the call.
fn listed<const N: usize>(value: &Bound<'_, PyAny>) -> Option<[f64; N]> {
    let list = value.cast_exact::<PyList>().ok()?;
    if list.len() != N {
        return None;
    }
    let mut entries = [0.0; N];
    for (entry, item) in entries.iter_mut().zip(list) {
        if !item.is_instance_of::<PyFloat>() && !item.is_exact_instance_of::<PyInt>() {
            return None;
        }
        *entry = item.extract().ok()?;
    }
    Some(entries)
}

/// A vector of finite numbers, shape `(3,)`.
pub(crate) fn vector(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vector3<f64>> {
    Ok(entries::<3>(value, name, "(3,)")?.into())
}

/// A unit quaternion w, x, y, z, shape `(4,)`.
pub(crate) fn quaternion(value: &Bound<'_, PyAny>, name: &str) -> PyResult<UnitQuaternion<f64>> {
    let [w, x, y, z] = entries::<4>(value, name, "(4,), a quaternion w, x, y, z")?;
    let given = Quaternion::new(w, x, y, z);
    let length = given.norm();
    if (length - 1.0).abs() > UNIT_ROUNDING {
        return Err(argument(format!(
            "{name} is a quaternion of length {length}; give a unit quaternion w, x, y, z"
        )));
    }
    Ok(UnitQuaternion::from_quaternion(given))
}

/// A real number, also as an array without dimensions; NaN is for its user to judge.
pub(crate) fn number(value: &Bound<'_, PyAny>, name: &str) -> PyResult<f64> {
    let array = array(value, name, Kind::Numbers)?;
    // A contiguous array has a dimension at least.
    if array.len() != 1 || value.len().is_ok() {
        return Err(argument(format!(
            "{name} is an array of several numbers or none; give one number"
        )));
    }
    let numbers: PyReadonlyArray1<'_, f64> = array.cast::<PyArray1<f64>>()?.try_readonly()?;
    Ok(numbers.as_slice()?[0])
}

/// A square matrix of finite numbers, row by row, and its size.
pub(crate) fn square(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(usize, Vec<f64>)> {
    let array = array(value, name, Kind::Numbers)?;
    let &[size, columns] = array.shape() else {
        return Err(wrong_shape(name, &array, "(n, n)"));
    };
    if size != columns {
        return Err(wrong_shape(name, &array, "(n, n)"));
    }
    let rows: PyReadonlyArray2<'_, f64> = array.cast::<PyArray2<f64>>()?.try_readonly()?;
    let numbers = rows.as_slice()?;
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(argument(format!(
            "{name}[{}, {}] is {}; give finite numbers",
            at / size,
            at % size,
            numbers[at]
        ))),
        None => Ok((size, numbers.to_vec())),
    }
}

fn index(value: i64, place: impl Fn() -> String) -> PyResult<u32> {
    u32::try_from(value).map_err(|_| {
        argument(format!(
            "{} is {value}; give indices from 0 to {}",
            place(),
            u32::MAX
        ))
    })
}

/// Elements as rows of `N` indices.
pub(crate) fn elements<const N: usize>(
    value: &Bound<'_, PyAny>,
    name: &str,
) -> PyResult<Vec<[u32; N]>> {
    let array = array(value, name, Kind::Indices)?;
    let Some(rows) = rows::<i64>(&array, name, N)? else {
        return Ok(Vec::new());
    };
    let mut elements = Vec::with_capacity(array.shape()[0]);
    for (row, indices) in rows.as_slice()?.as_chunks::<N>().0.iter().enumerate() {
        let mut element = [0; N];
        for (column, &value) in indices.iter().enumerate() {
            element[column] = index(value, || format!("{name}[{row}, {column}]"))?;
        }
        elements.push(element);
    }
    Ok(elements)
}

/// Indices of an array of shape `(n,)`.
pub(crate) fn indices(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u32>> {
    let array = array(value, name, Kind::Indices)?;
    if array.ndim() != 1 {
        return Err(wrong_shape(name, &array, "(n,)"));
    }
    let numbers: PyReadonlyArray1<'_, i64> = array.cast::<PyArray1<i64>>()?.try_readonly()?;
    let numbers = numbers.as_slice()?.iter().enumerate();
    numbers
        .map(|(at, &value)| index(value, || format!("{name}[{at}]")))
        .collect()
}

/// An array of shape `(n, 3)`.
pub(crate) fn from_vectors<'py>(
    py: Python<'py>,
    vectors: &[Vector3<f64>],
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers = vectors.iter().flatten().copied().collect();
    PyArray1::from_vec(py, numbers).reshape([vectors.len(), 3])
}

/// An array of shape `(n, N)`.
pub(crate) fn from_elements<'py, const N: usize>(
    py: Python<'py>,
    elements: &[[u32; N]],
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    PyArray1::from_slice(py, elements.as_flattened()).reshape([elements.len(), N])
}
