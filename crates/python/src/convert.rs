//! Dictionaries of Python to TOML, and results to dictionaries.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;
use toml::{Table, Value};

use crate::errors::{argument, internal};

/// Dictionaries and lists within each other; scenes need five.
const DEEPEST: usize = 32;

/// A dictionary as a table of TOML. Lists may be tuples or arrays, texts may be paths, and `None` is as if left out.
pub(crate) fn table(dictionary: &Bound<'_, PyDict>) -> PyResult<Table> {
    entries(dictionary, "", 0)
}

fn entries(dictionary: &Bound<'_, PyDict>, place: &str, depth: usize) -> PyResult<Table> {
    let mut table = Table::new();
    for (key, value) in dictionary {
        let key: String = key
            .extract()
            .map_err(|_| argument(format!("{}: {key} is no text; keys are", named(place))))?;
        let place = if place.is_empty() {
            key.clone()
        } else {
            format!("{place}.{key}")
        };
        if !value.is_none() {
            table.insert(key, of(&value, &place, depth + 1)?);
        }
    }
    Ok(table)
}

fn named(place: &str) -> &str {
    if place.is_empty() { "scene" } else { place }
}

fn of(value: &Bound<'_, PyAny>, place: &str, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(argument(format!(
            "scene key {place} is nested deeper than {DEEPEST} levels"
        )));
    }
    let refused = |problem: &str| {
        argument(format!(
            "scene key {place} {problem}, which no key can have"
        ))
    };
    if value.is_instance_of::<PyBool>() {
        Ok(Value::Boolean(value.extract()?))
    } else if value.is_instance_of::<PyInt>() {
        let number = value.extract();
        Ok(Value::Integer(
            number.map_err(|_| refused("is an integer beyond 64 bits"))?,
        ))
    } else if value.is_instance_of::<PyFloat>() {
        let number: f64 = value.extract()?;
        if number.is_finite() {
            Ok(Value::Float(number))
        } else {
            Err(argument(format!(
                "scene key {place} is {number}; give a finite number"
            )))
        }
    } else if value.is_instance_of::<PyString>() {
        Ok(Value::String(value.extract()?))
    } else if let Ok(dictionary) = value.cast::<PyDict>() {
        Ok(Value::Table(entries(dictionary, place, depth)?))
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let mut list = Vec::new();
        for (index, entry) in value.try_iter()?.enumerate() {
            list.push(of(&entry?, &format!("{place}.{index}"), depth + 1)?);
        }
        Ok(Value::Array(list))
    } else if value.hasattr("tolist")? {
        // Numbers and arrays of NumPy.
        of(&value.call_method0("tolist")?, place, depth + 1)
    } else if value.hasattr("__fspath__")? {
        of(&value.call_method0("__fspath__")?, place, depth + 1)
    } else {
        Err(refused(&format!("is a {}", value.get_type().name()?)))
    }
}

/// A result as dictionaries, lists and numbers.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    pythonize::pythonize(py, value).map_err(|error| internal(error.to_string()))
}
