//! Constraint rows of a stored problem; absent in a problem without any.

use super::StoredProblemError;
use super::arrays::{Array, Arrays, entry, indices, numbers, offsets};
use crate::constraint::ConstraintGroup;
use crate::{ContactProblem, ContactSolution};
use nalgebra::Vector3;
use safetensors::Dtype;

/// The arrays in reading order.
pub(super) fn write(
    problem: &ContactProblem,
    start: &ContactSolution,
) -> Vec<(&'static str, Array)> {
    let constraints = &problem.constraints;
    if constraints.is_empty() {
        return Vec::new();
    }
    let groups = || (0..constraints.groups()).map(|group| constraints.group(group));
    let ends = |of: fn(&ConstraintGroup<'_>) -> usize| {
        let ends = groups().scan(0, move |end, group| {
            *end += of(&group);
            Some(*end)
        });
        offsets(std::iter::once(0).chain(ends))
    };
    let rows = constraints.len();
    let vectors: Vec<f64> = groups()
        .flat_map(|group| group.jacobian.iter().flat_map(|j| <[f64; 3]>::from(*j)))
        .collect();
    let compliance: Vec<f64> = groups()
        .flat_map(|group| group.compliance.to_vec())
        .collect();
    vec![
        ("constraints.row_offsets", ends(|group| group.offset.len())),
        (
            "constraints.block_offsets",
            ends(|group| group.blocks.len()),
        ),
        (
            "constraints.blocks",
            indices(groups().flat_map(|group| group.blocks.iter().copied())),
        ),
        (
            "constraints.jacobians",
            numbers(&[vectors.len() / 3, 3], vectors.iter().copied()),
        ),
        (
            "constraints.offsets",
            numbers(&[rows], groups().flat_map(|group| group.offset.to_vec())),
        ),
        (
            "constraints.compliance",
            numbers(&[compliance.len()], compliance.iter().copied()),
        ),
        (
            "constraints.unilateral",
            Array {
                kind: Dtype::U8,
                shape: vec![constraints.groups()],
                bytes: groups().map(|group| u8::from(group.unilateral)).collect(),
            },
        ),
        (
            "start.constraints",
            numbers(&[rows], start.constraints.iter().copied()),
        ),
    ]
}

/// Fills the rows of `problem`; returns the forces of the warm start.
pub(super) fn read(
    file: &Arrays<'_>,
    problem: &mut ContactProblem,
) -> Result<Vec<f64>, StoredProblemError> {
    if !file.has("constraints.row_offsets") {
        return Ok(Vec::new());
    }
    let row_ends = file.offsets("constraints.row_offsets", None)?;
    let groups = row_ends.len() - 1;
    let rows = row_ends[groups];
    let block_ends = file.offsets("constraints.block_offsets", Some(groups))?;
    let blocks = file.indices(
        "constraints.blocks",
        block_ends[groups],
        problem.momentum.blocks(),
    )?;
    let sizes: Vec<[usize; 2]> = (0..groups)
        .map(|group| {
            [
                row_ends[group + 1] - row_ends[group],
                block_ends[group + 1] - block_ends[group],
            ]
        })
        .collect();
    let entries: usize = sizes.iter().map(|[r, b]| r * b).sum();
    let squares: usize = sizes.iter().map(|[r, _]| r * r).sum();
    let jacobians: Vec<Vector3<f64>> = file
        .numbers::<3>("constraints.jacobians", &[entries, 3])?
        .into_iter()
        .map(Vector3::from)
        .collect();
    let offset = file.numbers::<1>("constraints.offsets", &[rows])?.concat();
    let compliance = file
        .numbers::<1>("constraints.compliance", &[squares])?
        .concat();
    let unilateral = file.bytes("constraints.unilateral", Dtype::U8, Some(&[groups]))?;
    let (mut at, mut square) = (0, 0);
    for (group, [r, b]) in sizes.into_iter().enumerate() {
        let kind = unilateral[group];
        if kind > 1 {
            let requirement = "0 two-sided or 1 one-sided";
            return Err(entry("constraints.unilateral", group, &kind, requirement));
        }
        problem.constraints.push(&ConstraintGroup {
            blocks: &blocks[block_ends[group]..block_ends[group + 1]],
            jacobian: &jacobians[at..at + r * b],
            offset: &offset[row_ends[group]..row_ends[group + 1]],
            compliance: &compliance[square..square + r * r],
            unilateral: kind == 1,
        });
        at += r * b;
        square += r * r;
    }
    Ok(file.numbers::<1>("start.constraints", &[rows])?.concat())
}
