//! The unknowns of particles and bodies, and the blocks that each constraint acts on.

use super::super::{ConstrainedError, ConstrainedSystem, Formulation};
use impinge_contact::constraint::{BodyBlocks, Constraint, Term};
use impinge_krylov::block::BlockPattern;
use nalgebra::Matrix3;
use nalgebra::Vector3;

/// The unknowns of a system, and the rows of its constraints.
pub(super) struct Unknowns {
    /// Block of each particle; `None` for a fixed one.
    pub(super) particles: Vec<Option<u32>>,
    /// Blocks of each body; `None` for a fixed one.
    pub(super) bodies: Vec<Option<BodyBlocks>>,
    /// Blocks that the momentum matrix couples.
    pub(super) pattern: BlockPattern,
    /// First row of each constraint, and the number of rows.
    pub(super) first_row: Vec<usize>,
    pub(super) rows: usize,
    /// Whether each constraint is in stiffness form.
    pub(super) condensed: Vec<bool>,
}

impl Unknowns {
    /// Lays out `system`: particles first, then bodies.
    ///
    /// # Errors
    /// [`ConstrainedError`] naming the invalid particle, body or constraint.
    pub(super) fn of(system: &ConstrainedSystem) -> Result<Self, ConstrainedError> {
        let mut count = 0_u32;
        let mut take = |blocks: u32| {
            count += blocks;
            count - blocks
        };
        let mut particles = Vec::with_capacity(system.positions.len());
        for (index, &fixed) in system.fixed.iter().enumerate() {
            let mass = system.masses[index];
            let weighs = mass > 0.0 && mass.is_finite();
            if !fixed && !weighs {
                return Err(ConstrainedError::Mass { index, mass });
            }
            particles.push((!fixed).then(|| take(1)));
        }
        let bodies: Vec<Option<BodyBlocks>> = system
            .bodies
            .iter()
            .map(|body| {
                (!body.fixed).then(|| BodyBlocks {
                    first: take(2),
                    axes: Matrix3::identity(),
                })
            })
            .collect();
        let mut pairs = Vec::new();
        let mut first_row = Vec::with_capacity(system.constraints.len());
        let mut condensed = Vec::with_capacity(system.constraints.len());
        let mut rows = 0;
        for (index, constraint) in system.constraints.iter().enumerate() {
            let blocks = blocks_of(system, index, constraint, &particles, &bodies)?;
            for (i, &a) in blocks.iter().enumerate() {
                pairs.extend(blocks[i..].iter().map(|&b| (a, b)));
            }
            first_row.push(rows);
            rows += constraint.rows();
            let as_stiffness = system.formulation(index) == Formulation::Stiffness;
            if as_stiffness && !constraint.has_stiffness() {
                return Err(ConstrainedError::NoStiffness {
                    constraint: index,
                    name: constraint.name.clone(),
                });
            }
            condensed.push(as_stiffness);
        }
        Ok(Self {
            pattern: BlockPattern::from_pairs(count as usize, pairs),
            particles,
            bodies,
            first_row,
            rows,
            condensed,
        })
    }
}

/// Blocks that a constraint acts on, ascending.
fn blocks_of(
    system: &ConstrainedSystem,
    index: usize,
    constraint: &Constraint,
    particles: &[Option<u32>],
    bodies: &[Option<BodyBlocks>],
) -> Result<Vec<u32>, ConstrainedError> {
    let missing = |what, named: usize, count: usize| ConstrainedError::Missing {
        constraint: index,
        name: constraint.name.clone(),
        what,
        index: named,
        count,
    };
    let mut blocks = Vec::new();
    for term in constraint.points().iter().flat_map(|point| &point.terms) {
        match *term {
            Term::Particle { index: at, .. } => {
                let count = system.positions.len();
                let block = particles
                    .get(at)
                    .ok_or_else(|| missing("particle", at, count))?;
                blocks.extend(block);
            }
            Term::Body { index: at, .. } => {
                let count = system.bodies.len();
                let body = bodies.get(at).ok_or_else(|| missing("body", at, count))?;
                blocks.extend(body.iter().flat_map(|b| [b.first, b.first + 1]));
            }
        }
    }
    blocks.sort_unstable();
    blocks.dedup();
    if blocks.is_empty() {
        return Err(ConstrainedError::Immovable {
            constraint: index,
            name: constraint.name.clone(),
        });
    }
    Ok(blocks)
}

/// One block of a vector.
pub(super) fn get(values: &[f64], block: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&values[3 * block..][..3])
}

/// Writes one block of a vector.
pub(super) fn put(values: &mut [f64], block: usize, value: &Vector3<f64>) {
    values[3 * block..][..3].copy_from_slice(value.as_slice());
}
