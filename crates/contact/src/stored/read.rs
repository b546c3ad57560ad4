//! From bytes to a problem, with every number checked.

use super::arrays::{Arrays, entry};
use super::{
    FORMAT, Header, METADATA_KEY, NO_BODY, StoredProblem, StoredProblemError, constraints,
};
use crate::{ContactProblem, ContactRow, ContactSolution, ContactState, Multipliers, RestNode};
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
        if file.has("nodes.bodies") {
            problem.set_rest_nodes(read_rest_nodes(&file, nodes)?);
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

fn read_rest_nodes(
    file: &Arrays<'_>,
    nodes: usize,
) -> Result<Vec<Option<RestNode>>, StoredProblemError> {
    let bodies = file.indices("nodes.bodies", nodes, usize::MAX)?;
    let of_nodes = file.numbers::<4>("nodes.rest", &[nodes, 4])?;
    let place = |(body, [x, y, z, mass]): (u32, [f64; 4])| {
        (body != NO_BODY).then_some(RestNode {
            body,
            position: Vector3::new(x, y, z),
            mass,
        })
    };
    Ok(bodies.into_iter().zip(of_nodes).map(place).collect())
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
