//! A feasible start: bodies moved apart by the least displacement that a series of projections finds.

use std::io;
use std::path::{Component, Path, PathBuf};

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;
use thiserror::Error;

use super::message::short;
use super::shorten;
use crate::disk::{OutputError, atomic};
use crate::error::SimError;
use crate::model::Model;
use crate::overlap::solid::{self, Solid};
use crate::scene::{BodyMesh, ObstacleShape, Placed, Rotation, Scene, SceneError};
use crate::simulation::Simulation;

/// Space left between bodies, in clearances of contacts.
const MARGIN_PER_CLEARANCE: f64 = 2.0;

/// Limit of rounds that find overlaps and move bodies. A pile needs somewhat more rounds than it is bodies deep.
const ROUNDS: usize = 200;

/// Limit of passes over the constraints in one projection.
const PASSES: usize = 2000;

/// Violation of a constraint, in margins, that ends a projection.
const PASS_TOLERANCE: f64 = 1e-3;

/// Angles (degrees) below this count as no rotation.
const NO_TURN: f64 = 1e-12;

/// The translation of a body.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Move {
    /// Name of the body.
    pub body: String,
    /// Translation (m).
    pub translation: [f64; 3],
    /// Its length (m).
    pub length: f64,
}

/// A scene that starts without overlap.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Separation {
    /// The bodies that were moved, in the order of the scene.
    pub moves: Vec<Move>,
    /// The scene with new positions. Copies that moved are now separate bodies.
    pub scene: Scene,
}

impl Separation {
    /// Writes the scene as a TOML file, with paths of mesh files relative to it.
    ///
    /// # Errors
    /// [`OutputError`] if the file cannot be written; an existing file is then unchanged.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        let text = self.to_toml(path.parent().unwrap_or(Path::new("")));
        let text = text.map_err(|error| OutputError::write(path, io::Error::other(error)))?;
        atomic::write(path, text.as_bytes())
    }

    fn to_toml(&self, folder: &Path) -> Result<String, SceneError> {
        let mut scene = self.scene.clone();
        let from = absolute(scene.folder());
        let to = absolute(folder);
        let meshes = scene
            .bodies
            .iter_mut()
            .filter_map(|body| match &mut body.mesh {
                BodyMesh::File(file) => Some(&mut file.path),
                BodyMesh::Filled(filled) => Some(&mut filled.path),
                _ => None,
            });
        let shapes = scene
            .obstacles
            .iter_mut()
            .filter_map(|obstacle| match &mut obstacle.shape {
                ObstacleShape::File(file) => Some(&mut file.path),
                _ => None,
            });
        for path in meshes.chain(shapes) {
            // A path that begins with a variable is absolute after substitution.
            if from != to && !path.starts_with("${") {
                *path = from.join(&*path).to_string_lossy().into_owned();
            }
        }
        scene.to_toml()
    }
}

/// The absolute folder, without `.` and `..` where they can be resolved by name.
fn absolute(folder: &Path) -> PathBuf {
    let full = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let mut plain = PathBuf::new();
    for component in full.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// The reason why no feasible start was found.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SeparateError {
    /// The scene cannot be used for another reason.
    #[error(transparent)]
    Unusable(#[from] SimError),
    /// A surface intersects itself; no translation changes that.
    #[error(
        "the surface of `{body}` intersects itself; moving bodies cannot correct this: repair its mesh"
    )]
    SelfIntersection {
        /// The body.
        body: String,
    },
    /// Neither of two overlapping bodies may be moved.
    #[error(
        "`{first}` and `{second}` overlap by {} m at the start, and neither may be moved: {why}; move one of them in \
         the scene, with its prescribed nodes and their boxes",
        short(*depth)
    )]
    Immovable {
        /// A body or obstacle.
        first: String,
        /// Another one, or a half-space.
        second: String,
        /// Shortest way out found (m).
        depth: f64,
        /// Reasons why both are fixed.
        why: String,
    },
    /// Bodies so confined that moving them did not separate them.
    #[error(
        "`{first}` and `{second}` still overlap after {rounds} rounds: there may not be enough space; remove bodies, \
         or move obstacles"
    )]
    Stuck {
        /// A body.
        first: String,
        /// Another body, obstacle or half-space.
        second: String,
        /// Rounds spent.
        rounds: usize,
    },
}

/// Moves bodies until nothing overlaps, by the least total squared displacement that a series of projections finds.
///
/// Elastic, thin and rigid bodies whose nodes are all free are translated, not rotated. Bodies that only touch stay: a
/// run offsets their surfaces. Every overlap gives a linear constraint on the translations,
/// `d · (t_first − t_second) ≥ c`, with the direction of the shortest way out. Hildreth's projections find the least
/// translations that satisfy all of them, and overlaps are detected again. At the end, shorter ways are tried for each
/// body in turn with all others in place. The result is minimal for these directions, not over all ways to separate the
/// bodies.
///
/// # Errors
/// [`SeparateError`] naming the bodies that still overlap.
///
/// # Source
/// Hildreth, "A quadratic programming procedure", 1957, <https://doi.org/10.1002/nav.3800040113>.
pub fn separate(scene: &Scene) -> Result<Separation, SeparateError> {
    let (model, _) = Model::new(scene)?;
    let solids = solid::solids(&model);
    let margin = MARGIN_PER_CLEARANCE
        * model
            .geometry
            .tolerances
            .clearance(model.geometry.finest_scale().length);
    let mut problem = Problem::new(&model, &solids, margin)?;
    for round in 0.. {
        let overlaps = overlaps(&model, &solids, &problem.moves);
        let Some(&[first, second]) = overlaps.first() else {
            break;
        };
        if round == ROUNDS {
            return Err(SeparateError::Stuck {
                first: solids[first].name.clone(),
                second: solids[second].name.clone(),
                rounds: round,
            });
        }
        problem.add(&solids, &overlaps)?;
        problem.project_or_forget()?;
    }

    let mut moves = problem.moves;
    shorten::shorten(&model, &solids, margin, &mut moves);
    let separated = moved_scene(scene, &model, &moves);
    prove(&separated, &model)?;
    let listed = (solids.iter().zip(&moves))
        .filter(|(_, translation)| translation.norm() > 0.0)
        .map(|(solid, translation)| Move {
            body: solid.name.clone(),
            translation: (*translation).into(),
            length: translation.norm(),
        })
        .collect();
    Ok(Separation {
        moves: listed,
        scene: separated,
    })
}

/// The reason why a solid cannot be moved.
fn hold(model: &Model, index: usize) -> String {
    let solid = model.geometry.solid(index);
    let count = solid.points.len();
    let is_held = |point: &usize| model.unknowns.motion_of_point[*point].is_prescribed();
    if index >= model.geometry.bodies.len() {
        format!("`{}` is an obstacle", solid.name)
    } else {
        let held = solid.points.clone().filter(is_held).count();
        format!(
            "{held} of the {count} nodes of `{}` have a prescribed motion",
            solid.name
        )
    }
}

/// Checks that the new scene can start, by the same test as a run.
fn prove(separated: &Scene, model: &Model) -> Result<(), SeparateError> {
    match Simulation::new(separated) {
        Ok(_) => Ok(()),
        Err(SimError::InitialOverlap { first, second, .. }) if first == second => {
            Err(SeparateError::SelfIntersection { body: first })
        }
        Err(SimError::InitialOverlap { first, second, .. }) => {
            let rounds = ROUNDS.min(model.geometry.solid_count());
            Err(SeparateError::Stuck {
                first,
                second,
                rounds,
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// Pairs of solids that intersect or contain each other after being moved, ascending.
fn overlaps(model: &Model, solids: &[Solid], moves: &[Vector3<f64>]) -> Vec<[usize; 2]> {
    solid::near_pairs(model, solids, moves)
        .into_par_iter()
        .filter(|&[first, second]| {
            !solids[first].is_free_of(&solids[second], &(moves[first] - moves[second]))
        })
        .collect()
}

/// `direction · (t_first − t_second) ≥ least`; without a second, `direction · t_first ≥ least`.
struct Constraint {
    first: usize,
    second: Option<usize>,
    direction: Vector3<f64>,
    least: f64,
    multiplier: f64,
    /// Name of the other solid, for a message.
    other: String,
}

struct Problem<'a> {
    model: &'a Model,
    /// Constraints of half-spaces, then those of overlaps in the order of the rounds.
    constraints: Vec<Constraint>,
    /// Number of constraints of half-spaces, and number of constraints before the last round.
    of_half_spaces: usize,
    before_round: usize,
    moves: Vec<Vector3<f64>>,
    margin: f64,
}

impl<'a> Problem<'a> {
    /// Half-spaces give exact constraints from the start.
    fn new(model: &'a Model, solids: &[Solid], margin: f64) -> Result<Self, SeparateError> {
        let mut constraints = Vec::new();
        for half_space in &model.geometry.half_spaces {
            for (index, solid) in solids.iter().enumerate() {
                let height =
                    solid.lowest(&half_space.normal) - half_space.normal.dot(&half_space.point);
                if solid.movable {
                    constraints.push(Constraint {
                        first: index,
                        second: None,
                        direction: half_space.normal,
                        // A body that starts closer than the margin may stay there.
                        least: if height > 0.0 {
                            (margin - height).min(0.0)
                        } else {
                            margin - height
                        },
                        multiplier: 0.0,
                        other: half_space.name.clone(),
                    });
                } else if !solid.passive && height <= 0.0 {
                    return Err(SeparateError::Immovable {
                        first: solid.name.clone(),
                        second: half_space.name.clone(),
                        depth: -height,
                        why: format!("{}, and a half-space stands still", hold(model, index)),
                    });
                }
            }
        }
        let mut problem = Self {
            model,
            of_half_spaces: constraints.len(),
            before_round: constraints.len(),
            constraints,
            moves: vec![Vector3::zeros(); solids.len()],
            margin,
        };
        problem.project()?;
        Ok(problem)
    }

    /// Adds a constraint for every overlap, along its shortest exit.
    fn add(&mut self, solids: &[Solid], overlaps: &[[usize; 2]]) -> Result<(), SeparateError> {
        let (moves, model) = (&self.moves, self.model);
        let found: Result<Vec<Constraint>, SeparateError> = overlaps
            .par_iter()
            .map(|&[first, second]| {
                let [first, second] = if solids[first].movable {
                    [first, second]
                } else {
                    [second, first]
                };
                let shift = moves[first] - moves[second];
                let exit = solids[first].exit(&solids[second], &shift);
                if !solids[first].movable {
                    return Err(SeparateError::Immovable {
                        first: solids[first].name.clone(),
                        second: solids[second].name.clone(),
                        depth: exit.distance,
                        why: format!("{}, {}", hold(model, first), hold(model, second)),
                    });
                }
                Ok(Constraint {
                    first,
                    second: solids[second].movable.then_some(second),
                    direction: exit.direction,
                    least: exit.direction.dot(&shift) + exit.distance + self.margin,
                    multiplier: 0.0,
                    other: solids[second].name.clone(),
                })
            })
            .collect();
        self.before_round = self.constraints.len();
        self.constraints.extend(found?);
        Ok(())
    }

    /// [`Self::project`]; if that does not converge, again from the start of this round and without the constraints of
    /// earlier rounds.
    ///
    /// The shortest way out depends on the place. Ways found at different places may be inconsistent although there is
    /// space: around a ball that lies between two bodies, for example.
    fn project_or_forget(&mut self) -> Result<(), SeparateError> {
        let start = self.moves.clone();
        let Err(stuck) = self.project() else {
            return Ok(());
        };
        if self.before_round == self.of_half_spaces {
            return Err(stuck);
        }
        self.moves = start;
        self.constraints
            .drain(self.of_half_spaces..self.before_round);
        for constraint in &mut self.constraints {
            constraint.multiplier = 0.0;
        }
        self.project()
    }

    /// The translations of least sum of squares that satisfy all constraints, starting from the last projection.
    fn project(&mut self) -> Result<(), SeparateError> {
        let mut worst = (0.0, 0);
        for _ in 0..PASSES {
            worst = (0.0, 0);
            for (index, constraint) in self.constraints.iter_mut().enumerate() {
                let Constraint {
                    first,
                    second,
                    direction,
                    least,
                    multiplier,
                    ..
                } = constraint;
                let (second_move, bodies) = match *second {
                    Some(second) => (self.moves[second], 2.0),
                    None => (Vector3::zeros(), 1.0),
                };
                let lack = *least - direction.dot(&(self.moves[*first] - second_move));
                let new = (*multiplier + lack / bodies).max(0.0);
                let change = *direction * (new - *multiplier);
                *multiplier = new;
                self.moves[*first] += change;
                if let Some(second) = *second {
                    self.moves[second] -= change;
                }
                if lack > worst.0 {
                    worst = (lack, index);
                }
            }
            if worst.0 <= PASS_TOLERANCE * self.margin {
                return Ok(());
            }
        }
        // Slow convergence is acceptable if the violation is below the margin.
        if worst.0 < 0.5 * self.margin {
            return Ok(());
        }
        let constraint = &self.constraints[worst.1];
        Err(SeparateError::Stuck {
            first: self.model.geometry.solid(constraint.first).name.clone(),
            second: constraint.other.clone(),
            rounds: PASSES,
        })
    }
}

/// The scene with moved bodies; if one of several copies moved, all become separate bodies.
fn moved_scene(scene: &Scene, model: &Model, moves: &[Vector3<f64>]) -> Scene {
    let mut copies: Vec<Vec<(&str, Placed, Vector3<f64>)>> = vec![Vec::new(); scene.bodies.len()];
    for (body, translation) in model.geometry.bodies.iter().zip(moves) {
        copies[body.origin.entry].push((&body.name, body.origin, *translation));
    }
    let mut moved = scene.clone();
    moved.bodies.clear();
    for (source, mut copies) in scene.bodies.iter().zip(copies) {
        copies.sort_by_key(|(_, origin, _)| origin.copy);
        let stays = |(_, _, translation): &(_, _, Vector3<f64>)| *translation == Vector3::zeros();
        if copies.iter().all(stays) {
            moved.bodies.push(source.clone());
            continue;
        }
        for (name, origin, translation) in copies {
            let mut body = source.clone();
            body.copies = None;
            name.clone_into(&mut body.name);
            body.position = (origin.position + translation).into();
            if source.copies.is_some() {
                let turn = origin.rotation.axis_angle();
                body.rotation = turn.and_then(|(axis, angle)| {
                    let degrees = angle.to_degrees();
                    (degrees.abs() > NO_TURN).then(|| Rotation {
                        axis: axis.into_inner().into(),
                        degrees,
                    })
                });
            }
            // Regions of nodal forces move along with the body.
            for region in body
                .pulls
                .iter_mut()
                .filter_map(|pull| pull.region.as_mut())
            {
                for axis in 0..3 {
                    region.lower[axis] += translation[axis];
                    region.upper[axis] += translation[axis];
                }
            }
            moved.bodies.push(body);
        }
    }
    moved
}
