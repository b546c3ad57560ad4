//! The compliance at rest of all bodies, and their present rotations.

use super::kinds::{CongruentBodies, kinds};
use super::store::{self, Stored};
use super::thin_rotations::thin_rotations_into;
use crate::error::{SimError, StepFailure};
use crate::model::Model;
use crate::step::assemble::{add_strains_at_rest, add_thin_at_rest};
use impinge_contact::compliance::{RestCompliance, RigidMoments, TurnedBodies, TurnedBody};
use impinge_fem::{AssemblyScales, NodalMotion};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Compliances at rest of the groups of congruent bodies of a model, by step length.
pub struct RestBodies {
    kinds: Vec<CongruentBodies>,
    folder: Option<PathBuf>,
    /// By the bits of the step length; one per group.
    known: BTreeMap<u64, Vec<Arc<RestCompliance>>>,
    rotations: Vec<Matrix3<f64>>,
    notices: Vec<String>,
}

impl RestBodies {
    /// An empty store.
    pub fn new(model: &Model) -> Self {
        Self {
            kinds: kinds(model),
            folder: model.settings.rest_compliance.clone(),
            known: BTreeMap::new(),
            rotations: vec![Matrix3::identity(); model.points.rest.len()],
            notices: Vec::new(),
        }
    }

    /// Number of groups of congruent bodies, which share their data.
    pub fn kinds(&self) -> usize {
        self.kinds.len()
    }

    /// Messages to the user since the last call: stored files of another problem.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Computes the data for steps of length `time_step` (s), or reads them from the scene's folder: one for each group
    /// of congruent bodies.
    ///
    /// # Errors
    /// [`SimError::RestCompliance`] if a body has no compliance or it cannot be stored.
    pub fn prepare(
        &mut self,
        model: &Model,
        time_step: f64,
    ) -> Result<Vec<Arc<RestCompliance>>, SimError> {
        if let Some(known) = self.known.get(&time_step.to_bits()) {
            return Ok(known.clone());
        }
        let mut matrix = SymmetricBlockMatrix::zeros(model.unknowns.pattern.clone());
        let mut rhs = vec![0.0; matrix.len()];
        let still = vec![Vector3::zeros(); model.points.rest.len()];
        let scales = AssemblyScales::implicit_euler(time_step);
        let assembler = model
            .elements
            .elastic
            .bind(&model.unknowns.pattern, &model.unknowns.block_of_point)?;
        assembler.add_mass(&scales, &mut matrix);
        assembler.assemble(
            &NodalMotion::new(&model.points.rest, &still),
            &scales,
            &mut matrix,
            &mut rhs,
        );
        add_thin_at_rest(model, time_step, &mut matrix);
        add_strains_at_rest(model, time_step, &mut matrix);
        let mut known = Vec::with_capacity(self.kinds.len());
        for kind in &self.kinds {
            let name = &model.geometry.bodies[kind.first].name;
            let momentum = part_of(&matrix, &kind.members[0].blocks);
            let surface = surface_of(model, kind);
            let failed = |problem: &dyn std::fmt::Display| SimError::RestCompliance {
                body: name.clone(),
                problem: problem.to_string(),
            };
            let rest = match &self.folder {
                None => RestCompliance::new(&momentum, surface).map_err(|e| failed(&e))?,
                Some(folder) => {
                    let path = store::path(folder, name, time_step);
                    let key = store::key(&momentum, &surface);
                    let why = match store::read(&path, key, surface.len()) {
                        Stored::Found(numbers) => {
                            let rest = RestCompliance::from_stored(&momentum, surface, numbers);
                            known.push(Arc::new(rest.map_err(|e| failed(&e))?));
                            continue;
                        }
                        Stored::Missing => None,
                        Stored::Foreign => Some(
                            "belongs to another mesh, material, damping, step or set of fixed nodes",
                        ),
                        Stored::Damaged => Some("is damaged"),
                    };
                    if let Some(why) = why {
                        let place = path.display();
                        self.notices.push(format!(
                            "the stored compliance at rest of `{name}` in {place} {why}; it was computed again"
                        ));
                    }
                    let rest = RestCompliance::new(&momentum, surface).map_err(|e| failed(&e))?;
                    store::write(&path, key, rest.surface().len(), rest.compliance())
                        .map_err(|e| failed(&e))?;
                    rest
                }
            };
            known.push(Arc::new(rest));
        }
        self.known.insert(time_step.to_bits(), known.clone());
        Ok(known)
    }

    /// The bodies at `positions`, for a step of length `time_step` (s).
    ///
    /// # Errors
    /// [`StepFailure::RestCompliance`] as [`prepare`](Self::prepare).
    pub fn turned(
        &mut self,
        model: &Model,
        positions: &[Vector3<f64>],
        time_step: f64,
    ) -> Result<Arc<TurnedBodies>, StepFailure> {
        let known =
            (self.prepare(model, time_step)).map_err(|error| StepFailure::RestCompliance {
                problem: error.to_string(),
            })?;
        model
            .elements
            .elastic
            .node_rotations_into(positions, &mut self.rotations);
        thin_rotations_into(model, positions, &mut self.rotations);
        let mut bodies = Vec::new();
        for (kind, rest) in self.kinds.iter().zip(&known) {
            for member in &kind.members {
                let points = || member.points.iter().map(|&point| point as usize);
                let moments = member.free.then(|| RigidMoments {
                    masses: points()
                        .map(|p| model.points.mass[p] + time_step * model.points.mass_damping[p])
                        .collect(),
                    positions: points().map(|p| positions[p]).collect(),
                });
                bodies.push(TurnedBody {
                    rest: Arc::clone(rest),
                    blocks: member.blocks.clone(),
                    rotations: points().map(|p| self.rotations[p] * member.turn).collect(),
                    moments,
                });
            }
        }
        Ok(Arc::new(TurnedBodies { time_step, bodies }))
    }
}

/// The submatrix of `blocks`.
fn part_of(matrix: &SymmetricBlockMatrix, blocks: &[u32]) -> SymmetricBlockMatrix {
    let local = |block: u32| blocks.binary_search(&block).ok().map(|i| i as u32);
    let entries: Vec<(u32, u32, usize)> = blocks
        .iter()
        .zip(0..)
        .flat_map(|(&block, row)| {
            let pattern = matrix.pattern();
            pattern
                .row(block as usize)
                .filter_map(move |slot| Some((row, local(pattern.columns()[slot])?, slot)))
        })
        .collect();
    let pairs = entries.iter().map(|&(i, j, _)| (i, j));
    let mut part = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(blocks.len(), pairs));
    for &(i, j, slot) in &entries {
        if let Some(place) = part.pattern().slot(i as usize, j as usize) {
            *part.block_mut(place) = *matrix.block(slot);
        }
    }
    part
}

/// Indices of the group's points on the collision surface, ascending.
fn surface_of(model: &Model, kind: &CongruentBodies) -> Vec<u32> {
    let mut surface: Vec<u32> = model
        .geometry
        .surface
        .vertices()
        .iter()
        .filter_map(|point| kind.points.binary_search(point).ok())
        .map(|place| place as u32)
        .collect();
    surface.sort_unstable();
    surface
}
