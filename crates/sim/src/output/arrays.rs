//! The arrays of a VTK file by name.

use impinge_geometry::io::vtk::{DataArray, Values};
use nalgebra::Vector3;

/// An array with a name.
pub(super) fn array(name: &str, components: usize, values: Values) -> DataArray {
    DataArray {
        name: name.to_owned(),
        components,
        values,
    }
}

/// An array of vectors.
pub(super) fn of_vectors<'v>(
    name: &str,
    vectors: impl IntoIterator<Item = &'v Vector3<f64>>,
) -> DataArray {
    let flat = vectors.into_iter().flat_map(|v| [v.x, v.y, v.z]).collect();
    array(name, 3, Values::Float64(flat))
}

/// The arrays that are not yet taken.
pub(super) struct Arrays(pub(super) Vec<DataArray>);

impl Arrays {
    pub(super) fn take(&mut self, name: &str) -> Option<Values> {
        let at = self.0.iter().position(|array| array.name == name)?;
        Some(self.0.swap_remove(at).values)
    }

    pub(super) fn doubles(&mut self, name: &str) -> Option<Vec<f64>> {
        match self.take(name)? {
            Values::Float64(values) => Some(values),
            _ => None,
        }
    }

    pub(super) fn vectors(&mut self, name: &str) -> Option<Vec<Vector3<f64>>> {
        let flat = self.doubles(name)?;
        let (vectors, []) = flat.as_chunks::<3>() else {
            return None;
        };
        Some(vectors.iter().map(|&vector| vector.into()).collect())
    }

    pub(super) fn unsigned(&mut self, name: &str) -> Option<Vec<u32>> {
        match self.take(name)? {
            Values::UInt32(values) => Some(values),
            _ => None,
        }
    }
}
