//! From a problem to bytes.

use super::arrays::{Array, blocks, indices, numbers, offsets};
use super::{FORMAT, Header, METADATA_KEY, NO_BODY, StoredProblem, constraints};
use crate::{ContactProblem, ContactSolution, ContactState, Multipliers, RestNode};
use nalgebra::Matrix3;
use safetensors::Dtype;

impl StoredProblem {
    /// Bytes that [`from_bytes`](Self::from_bytes) turns back into the same problem, bit for bit. Equal problems give
    /// equal bytes.
    ///
    /// # Panics
    /// If `start` does not match `problem`.
    #[track_caller]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (problem, start) = (&self.problem, &self.start);
        let contacts = problem.contacts();
        assert_eq!(start.velocity.len(), problem.unknowns(), "velocities");
        assert_eq!(start.contacts.len(), contacts, "contacts of the warm start");
        let rows = problem.constraints.len();
        assert_eq!(
            start.constraints.len(),
            rows,
            "constraint rows of the warm start"
        );
        let mut arrays = Vec::from(momentum(problem));
        arrays.extend(contact_rows(problem));
        arrays.extend(warm_start(start));
        arrays.extend(own_tolerances(problem));
        arrays.extend(rest_nodes(problem));
        arrays.extend(constraints::write(problem, start));
        let header = Header {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            origin: self.origin.clone(),
            solver: self.method,
        };
        let header = serde_json::to_string(&header).expect("plain data with names for keys");
        // A single entry, because a map has no fixed order.
        let metadata = [(METADATA_KEY.to_owned(), header)].into_iter().collect();
        safetensors::serialize(arrays, Some(metadata))
            .expect("shapes that were counted from the data itself")
    }
}

/// An array and its name.
type Named = (&'static str, Array);

/// Time step, matrix and right-hand side.
fn momentum(problem: &ContactProblem) -> [Named; 5] {
    let pattern = problem.momentum.pattern();
    let nodes = problem.momentum.blocks();
    [
        ("time_step", numbers(&[1], [problem.time_step])),
        (
            "momentum.row_offsets",
            offsets(pattern.row_offsets().iter().copied()),
        ),
        (
            "momentum.columns",
            indices(pattern.columns().iter().copied()),
        ),
        ("momentum.values", blocks(problem.momentum.values().iter())),
        ("rhs", numbers(&[nodes, 3], problem.rhs.iter().copied())),
    ]
}

/// Jacobian rows, offsets and friction of the contacts.
fn contact_rows(problem: &ContactProblem) -> [Named; 5] {
    let contacts = problem.contacts();
    let rows = || (0..contacts).map(|contact| problem.row(contact));
    let entry_counts = rows().scan(0, |end, (row, _)| {
        *end += row.len();
        Some(*end)
    });
    let jacobians: Vec<&Matrix3<f64>> = rows().flat_map(|(_, row)| row).collect();
    let gaps = (0..contacts).flat_map(|c| <[f64; 3]>::from(problem.offset(c)));
    [
        (
            "contacts.row_offsets",
            offsets(std::iter::once(0).chain(entry_counts)),
        ),
        (
            "contacts.blocks",
            indices(rows().flat_map(|(row, _)| row.iter().copied())),
        ),
        ("contacts.jacobians", blocks(jacobians.into_iter())),
        ("contacts.offsets", numbers(&[contacts, 3], gaps)),
        (
            "contacts.friction",
            numbers(&[contacts], (0..contacts).map(|c| problem.friction(c))),
        ),
    ]
}

/// Velocities, contact states and multipliers of the warm start.
fn warm_start(start: &ContactSolution) -> [Named; 7] {
    let contacts = start.contacts.len();
    let multipliers = || start.contacts.iter();
    let pairs =
        |of: fn(&Multipliers) -> [f64; 2]| numbers(&[contacts, 2], multipliers().flat_map(of));
    [
        (
            "start.velocity",
            numbers(
                &[start.velocity.len() / 3, 3],
                start.velocity.iter().copied(),
            ),
        ),
        (
            "start.state",
            Array {
                kind: Dtype::U8,
                shape: vec![contacts],
                bytes: multipliers().map(|m| state_number(m.state)).collect(),
            },
        ),
        (
            "start.lambda",
            numbers(&[contacts], multipliers().map(|m| m.lambda)),
        ),
        (
            "start.previous_lambda",
            numbers(&[contacts], multipliers().map(|m| m.previous_lambda)),
        ),
        ("start.gamma", pairs(|m| m.gamma)),
        ("start.sliding_force", pairs(|m| m.sliding_force)),
        ("start.slip_direction", pairs(|m| m.slip_direction)),
    ]
}

/// Momentum weights and displacement scales, if one of them is not 1.
fn own_tolerances(problem: &ContactProblem) -> Vec<Named> {
    let (nodes, contacts) = (problem.momentum.blocks(), problem.contacts());
    let weights: Vec<f64> = (0..nodes)
        .map(|block| problem.momentum_weight(block))
        .collect();
    let scales: Vec<f64> = (0..contacts)
        .flat_map(|contact| problem.displacement_scales(contact))
        .collect();
    let is_told = |values: &[f64]| values.iter().any(|x| x.to_bits() != 1.0_f64.to_bits());
    let mut arrays = Vec::new();
    if is_told(&weights) {
        arrays.push(("momentum.weights", numbers(&[nodes], weights)));
    }
    if is_told(&scales) {
        arrays.push(("contacts.scales", numbers(&[contacts, 2], scales)));
    }
    arrays
}

/// The nodes of blocks, if one of them is known.
fn rest_nodes(problem: &ContactProblem) -> Vec<Named> {
    let nodes = problem.rest_nodes();
    if nodes.iter().all(Option::is_none) {
        return Vec::new();
    }
    let body = |node: &Option<RestNode>| node.map_or(NO_BODY, |node| node.body);
    let node = |node: &Option<RestNode>| {
        node.map_or([0.0; 4], |RestNode { position, mass, .. }| {
            [position.x, position.y, position.z, mass]
        })
    };
    vec![
        ("nodes.bodies", indices(nodes.iter().map(body))),
        (
            "nodes.rest",
            numbers(&[nodes.len(), 4], nodes.iter().flat_map(node)),
        ),
    ]
}

pub(super) fn state_number(state: ContactState) -> u8 {
    match state {
        ContactState::Inactive => 0,
        ContactState::Sliding => 1,
        ContactState::Sticking => 2,
    }
}
