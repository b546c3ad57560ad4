//! Arrays of the container: on the way out, and checked on the way in.

use super::StoredProblemError;
use nalgebra::Matrix3;
use safetensors::{Dtype, SafeTensors, View};
use std::borrow::Cow;

/// One array of the container.
pub(super) struct Array {
    pub(super) kind: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

impl View for Array {
    fn dtype(&self) -> Dtype {
        self.kind
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

pub(super) fn numbers(shape: &[usize], values: impl IntoIterator<Item = f64>) -> Array {
    Array {
        kind: Dtype::F64,
        shape: shape.to_vec(),
        bytes: values.into_iter().flat_map(f64::to_le_bytes).collect(),
    }
}

pub(super) fn indices(values: impl IntoIterator<Item = u32>) -> Array {
    let bytes: Vec<u8> = values.into_iter().flat_map(u32::to_le_bytes).collect();
    Array {
        kind: Dtype::U32,
        shape: vec![bytes.len() / 4],
        bytes,
    }
}

pub(super) fn offsets(values: impl IntoIterator<Item = usize>) -> Array {
    let values = values.into_iter().map(|offset| offset as u64);
    let bytes: Vec<u8> = values.flat_map(u64::to_le_bytes).collect();
    Array {
        kind: Dtype::U64,
        shape: vec![bytes.len() / 8],
        bytes,
    }
}

/// 3×3 blocks, row by row.
pub(super) fn blocks<'a>(values: impl ExactSizeIterator<Item = &'a Matrix3<f64>>) -> Array {
    let shape = [values.len(), 3, 3];
    let by_rows = values.flat_map(|block| block.transpose().as_slice().to_vec());
    numbers(&shape, by_rows)
}

/// The error of one entry of an array.
pub(super) fn entry(
    array: &'static str,
    index: usize,
    value: &dyn ToString,
    requirement: impl Into<String>,
) -> StoredProblemError {
    StoredProblemError::Entry {
        array,
        index,
        value: value.to_string(),
        requirement: requirement.into(),
    }
}

/// The arrays of a container, checked on access.
pub(super) struct Arrays<'a>(pub(super) SafeTensors<'a>);

impl<'a> Arrays<'a> {
    /// Whether there is an array of that name.
    pub(super) fn has(&self, array: &str) -> bool {
        self.0.tensor(array).is_ok()
    }

    /// The bytes of an array of numbers of `kind`, and of `shape` if given.
    pub(super) fn bytes(
        &self,
        array: &'static str,
        kind: Dtype,
        shape: Option<&[usize]>,
    ) -> Result<&'a [u8], StoredProblemError> {
        let tensor = self
            .0
            .tensor(array)
            .map_err(|_| StoredProblemError::Missing { array })?;
        let fits = match shape {
            Some(shape) => tensor.shape() == shape,
            None => tensor.shape().len() == 1,
        };
        if tensor.dtype() == kind && fits {
            return Ok(tensor.data());
        }
        let expected = match shape {
            Some(shape) => format!("{kind:?} {shape:?}"),
            None => format!("{kind:?} in one row"),
        };
        Err(StoredProblemError::Shape {
            array,
            found: format!("{:?} {:?}", tensor.dtype(), tensor.shape()),
            expected,
        })
    }

    /// Finite numbers, `N` per item.
    pub(super) fn numbers<const N: usize>(
        &self,
        array: &'static str,
        shape: &[usize],
    ) -> Result<Vec<[f64; N]>, StoredProblemError> {
        let bytes = self.bytes(array, Dtype::F64, Some(shape))?;
        let numbers: Vec<f64> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| f64::from_le_bytes(bytes))
            .collect();
        match numbers.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(entry(array, index, &numbers[index], "finite")),
            None => Ok(numbers.as_chunks::<N>().0.to_vec()),
        }
    }

    /// 3×3 blocks, row by row.
    pub(super) fn blocks(
        &self,
        array: &'static str,
        count: usize,
    ) -> Result<Vec<Matrix3<f64>>, StoredProblemError> {
        let blocks = self.numbers::<9>(array, &[count, 3, 3])?;
        Ok(blocks
            .iter()
            .map(|block| Matrix3::from_row_slice(block))
            .collect())
    }

    /// Indices below `bound`.
    pub(super) fn indices(
        &self,
        array: &'static str,
        count: usize,
        bound: usize,
    ) -> Result<Vec<u32>, StoredProblemError> {
        let bytes = self.bytes(array, Dtype::U32, Some(&[count]))?;
        let indices: Vec<u32> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| u32::from_le_bytes(bytes))
            .collect();
        match indices.iter().position(|&i| i as usize >= bound) {
            Some(index) => Err(entry(
                array,
                index,
                &indices[index],
                format!("a block below {bound}"),
            )),
            None => Ok(indices),
        }
    }

    /// Ascending offsets from 0; `count` fixes their number if given.
    pub(super) fn offsets(
        &self,
        array: &'static str,
        count: Option<usize>,
    ) -> Result<Vec<usize>, StoredProblemError> {
        let shape = count.map(|count| [count + 1]);
        let bytes = self.bytes(
            array,
            Dtype::U64,
            shape.as_ref().map(<[usize; 1]>::as_slice),
        )?;
        let mut offsets = Vec::with_capacity(bytes.len() / 8);
        for (index, &bytes) in bytes.as_chunks().0.iter().enumerate() {
            let value = u64::from_le_bytes(bytes);
            let least = offsets.last().copied().unwrap_or(0);
            // Rows of either kind hold fewer than 2³² entries.
            let offset = u32::try_from(value).map_or(usize::MAX, |value| value as usize);
            if offset < least || offset == usize::MAX || (index == 0 && offset != 0) {
                let requirement = if index == 0 {
                    "0".to_owned()
                } else {
                    format!("at least {least}, the entry before it, and below 2^32")
                };
                return Err(entry(array, index, &value, requirement));
            }
            offsets.push(offset);
        }
        if offsets.is_empty() {
            return Err(StoredProblemError::Shape {
                array,
                found: "U64 [0]".to_owned(),
                expected: "at least one entry, 0,".to_owned(),
            });
        }
        Ok(offsets)
    }
}
