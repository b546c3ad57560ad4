//! From bytes to a problem, with every number checked.

use super::{FORMAT, Header, METADATA_KEY, StoredProblem, StoredProblemError, constraints};
use crate::{ContactProblem, ContactRow, ContactSolution, ContactState, Multipliers};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::Deserialize;

impl StoredProblem {
    /// Reads the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// [`StoredProblemError`] naming the array and entry that is missing, truncated, of another size, not finite or
    /// invalid, or the format if it is not [`FORMAT`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StoredProblemError> {
        let header = read_header(bytes)?;
        (header.solver.validate()).map_err(StoredProblemError::Settings)?;
        let file = Arrays(SafeTensors::deserialize(bytes).map_err(|error| container(&error))?);

        let [time_step] = file.numbers::<1>("time_step", &[1])?[0];
        let momentum = read_momentum(&file)?;
        let nodes = momentum.blocks();
        let rhs = file.numbers::<3>("rhs", &[nodes, 3])?;
        let mut problem = ContactProblem::new(time_step, momentum, rhs.concat());
        if file.has("momentum.weights") {
            let weights = file.numbers::<1>("momentum.weights", &[nodes])?;
            problem.weigh_momentum(weights.into_iter().map(|[weight]| weight));
        }
        read_contacts(&file, &mut problem)?;
        let constraint_forces = constraints::read(&file, &mut problem)?;
        problem.validate()?;
        let start = ContactSolution {
            velocity: file.numbers::<3>("start.velocity", &[nodes, 3])?.concat(),
            contacts: read_multipliers(&file, problem.contacts())?,
            constraints: constraint_forces,
        };
        Ok(Self {
            problem,
            start,
            method: header.solver,
            origin: header.origin,
        })
    }
}

/// impinge's entry of the header; its format is checked first.
fn read_header(bytes: &[u8]) -> Result<Header, StoredProblemError> {
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }

    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| container(&error))?;
    let text = metadata
        .metadata()
        .as_ref()
        .and_then(|entries| entries.get(METADATA_KEY))
        .ok_or(StoredProblemError::NoHeader)?;
    let unreadable = |error: serde_json::Error| StoredProblemError::Header {
        problem: error.to_string(),
    };
    let Version { format } = serde_json::from_str(text).map_err(unreadable)?;
    if format != FORMAT {
        return Err(StoredProblemError::Format { found: format });
    }
    serde_json::from_str(text).map_err(unreadable)
}

fn container(error: &SafeTensorError) -> StoredProblemError {
    StoredProblemError::Container {
        problem: error.to_string(),
    }
}

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
pub(super) struct Arrays<'a>(SafeTensors<'a>);

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

    fn blocks(
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

fn read_momentum(file: &Arrays<'_>) -> Result<SymmetricBlockMatrix, StoredProblemError> {
    let offsets = file.offsets("momentum.row_offsets", None)?;
    let nodes = offsets.len() - 1;
    let slots = offsets[nodes];
    let array = "momentum.columns";
    let columns = file.indices(array, slots, nodes)?;
    for row in 0..nodes {
        let mut least = row;
        for slot in offsets[row]..offsets[row + 1] {
            let column = columns[slot] as usize;
            let first = slot == offsets[row];
            if column < least || (first && column != row) {
                let requirement = if first {
                    format!("{row}, the diagonal of its row")
                } else {
                    format!("at least {least}: columns of row {row} ascend")
                };
                return Err(entry(array, slot, &column, requirement));
            }
            least = column + 1;
        }
        if offsets[row] == offsets[row + 1] {
            let requirement = format!("larger: row {row} needs its diagonal");
            return Err(entry(
                "momentum.row_offsets",
                row + 1,
                &offsets[row + 1],
                requirement,
            ));
        }
    }
    let pairs = (0..nodes).flat_map(|row| {
        let row_columns = &columns[offsets[row]..offsets[row + 1]];
        row_columns.iter().map(move |&column| (row as u32, column))
    });
    let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(nodes, pairs));
    let values = file.blocks("momentum.values", slots)?;
    momentum.values_mut().copy_from_slice(&values);
    Ok(momentum)
}

fn read_contacts(
    file: &Arrays<'_>,
    problem: &mut ContactProblem,
) -> Result<(), StoredProblemError> {
    let ends = file.offsets("contacts.row_offsets", None)?;
    let contacts = ends.len() - 1;
    let entries = ends[contacts];
    let blocks = file.indices("contacts.blocks", entries, problem.momentum.blocks())?;
    let jacobians = file.blocks("contacts.jacobians", entries)?;
    let offsets = file.numbers::<3>("contacts.offsets", &[contacts, 3])?;
    let friction = file.numbers::<1>("contacts.friction", &[contacts])?;
    let scales = if file.has("contacts.scales") {
        file.numbers::<2>("contacts.scales", &[contacts, 2])?
    } else {
        vec![[1.0; 2]; contacts]
    };
    let entries: Vec<(u32, Matrix3<f64>)> = blocks.into_iter().zip(jacobians).collect();
    for contact in 0..contacts {
        problem.push(&ContactRow {
            entries: &entries[ends[contact]..ends[contact + 1]],
            offset: Vector3::from(offsets[contact]),
            friction: friction[contact][0],
        });
        problem.scale_displacements(contact, scales[contact]);
    }
    Ok(())
}

fn read_multipliers(
    file: &Arrays<'_>,
    contacts: usize,
) -> Result<Vec<Multipliers>, StoredProblemError> {
    let states = file.bytes("start.state", Dtype::U8, Some(&[contacts]))?;
    let lambda = file.numbers::<1>("start.lambda", &[contacts])?;
    let previous_lambda = file.numbers::<1>("start.previous_lambda", &[contacts])?;
    let gamma = file.numbers::<2>("start.gamma", &[contacts, 2])?;
    let sliding_force = file.numbers::<2>("start.sliding_force", &[contacts, 2])?;
    let slip_direction = file.numbers::<2>("start.slip_direction", &[contacts, 2])?;
    (0..contacts)
        .map(|contact| {
            Ok(Multipliers {
                state: match states[contact] {
                    0 => ContactState::Inactive,
                    1 => ContactState::Sliding,
                    2 => ContactState::Sticking,
                    other => {
                        let requirement = "0 inactive, 1 sliding or 2 sticking";
                        return Err(entry("start.state", contact, &other, requirement));
                    }
                },
                lambda: lambda[contact][0],
                gamma: gamma[contact],
                sliding_force: sliding_force[contact],
                slip_direction: slip_direction[contact],
                previous_lambda: previous_lambda[contact][0],
            })
        })
        .collect()
}
