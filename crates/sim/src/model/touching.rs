//! Surface offset at the start: touching surfaces are moved inward to the resting gap of contacts.
//!
//! Resting contacts keep a gap of half the clearance. If surfaces start closer, touching or within rounding of it, the
//! first step would push them apart; that strains held bodies and accelerates free ones. So the rest shape is offset
//! before the run, by less than contacts resolve and without stress. Intersection tests then need no case for touching
//! surfaces.
//!
//! Each of two closed surfaces moves along its own inward normals. Eroding two solids with disjoint interiors always
//! separates them, wherever they touch: no direction has to be found for a pair, and a tight fit between walls has a
//! solution. Solids that overlap by more stay as they are, and the exact intersection test of the start reports them. A
//! thin body has no inside; it moves away from the closed body that it touches.

use super::{Model, TouchingStart};
use crate::scene::SceneParts;
use crate::{error::SimError, geometry::Neighbours};
use impinge_geometry::broad_phase::{Aabb, BroadPhase, Bvh, CandidateSet};
use impinge_geometry::distance;
use impinge_geometry::exact::surface_intersections;
use nalgebra::Vector3;
use std::collections::{BTreeMap, BTreeSet};

/// The gap of a resting contact over the clearance: the middle of `(0, ε₂)`, see `ToleranceScales::goal`.
const REST_GAP: f64 = 0.5;

/// Largest offset of a surface point, in clearances. Only corners sharper than 60 degrees would need more; they keep a
/// smaller gap.
const MOST: f64 = 1.0;

/// Depth in a half-space that still counts as touching, in gaps of resting contacts. Two surfaces that are each offset
/// by half that gap separate up to the same depth.
const DEPTH: f64 = 0.5;

/// Sine between two edges below which their cross product gives no direction: half of the digits are lost there.
const PARALLEL: f64 = 1e-8;

/// Largest number of intersecting triangle pairs in the search for overlapping solids. A start with more of them is
/// rejected in any case.
const MAX_OVERLAPS: usize = 1_000_000;

/// Limits of the projections at one point: passes, and relative distance to the result. No result depends on their
/// digits.
const PASSES: usize = 200;
const LEFT: f64 = 1e-3;

/// The offsets required of a point.
#[derive(Default)]
struct Point {
    /// Inward offset of the solid's surface (m).
    inwards: f64,
    /// Directions, and the least offset along each (m).
    towards: Vec<(Vector3<f64>, f64)>,
}

/// New positions of the surface points (m), and the touching pairs. `None` if no pair starts closer than contacts rest.
///
/// Pairs that still overlap are not moved; the test of the start measures and names them.
pub(super) fn recede(model: &Model) -> Option<(Vec<Vector3<f64>>, TouchingStart)> {
    let first = Receding::new(model, BTreeSet::new()).finish()?;
    let moved: Vec<Vector3<f64>> = (model.points.rest.iter().zip(&first.0))
        .map(|(x, way)| x + way)
        .collect();
    let overlapping: BTreeSet<[usize; 2]> =
        surface_intersections(&moved, &model.geometry.surface, MAX_OVERLAPS)
            .into_iter()
            .map(|pair| {
                let mut solids = pair.triangles.map(|triangle| {
                    model
                        .geometry
                        .solid_of_point(model.geometry.surface.triangles()[triangle as usize][0])
                });
                solids.sort_unstable();
                solids
            })
            .collect();
    if overlapping.is_empty() {
        Some(first)
    } else {
        Receding::new(model, overlapping).finish()
    }
}

/// Moves the points of `parts` by the result of [`recede`] for the model built from them.
///
/// # Errors
/// [`SimError::Body`] for elements so thin that the offset would invert them.
pub(super) fn apply(
    parts: &mut SceneParts,
    model: &Model,
    moves: &[Vector3<f64>],
) -> Result<(), SimError> {
    let solids = parts.bodies.len();
    let thin = solids + parts.shells.len();
    for (index, body) in model.geometry.bodies.iter().enumerate() {
        let mut of_node = vec![Vector3::zeros(); body.points.len()];
        for (point, &node) in body.points.clone().zip(&body.original_nodes) {
            of_node[node as usize] = moves[point];
        }
        let mut of_node = of_node.into_iter();
        let place = |x: Vector3<f64>| x + of_node.next().unwrap_or_default();
        let moved = if index < solids {
            let mesh = &mut parts.bodies[index].mesh;
            mesh.map_nodes(place).map(|moved| *mesh = moved)
        } else {
            let mesh = if index < thin {
                &mut parts.shells[index - solids].mesh
            } else {
                &mut parts.rigid_bodies[index - thin].mesh
            };
            mesh.map_vertices(place).map(|moved| *mesh = moved)
        };
        moved.map_err(|error| SimError::Body {
            body: body.name.clone(),
            problem: format!(
                "it touches something at the start and has elements thinner than the contact clearance of {:e} m \
                 ({error}); leave a gap, remesh it, or set a smaller `solver.gap_tolerance`",
                model.geometry.clearance_between(&[index])
            ),
        })?;
    }
    Ok(())
}

struct Receding<'a> {
    model: &'a Model,
    points: BTreeMap<u32, Point>,
    /// The touching pairs, with the offset of each (m).
    pairs: BTreeMap<[usize; 2], f64>,
    /// Whether each solid has an inside.
    closed: Vec<bool>,
    /// Pairs of overlapping solids, which are not moved; the smaller number first.
    overlapping: BTreeSet<[usize; 2]>,
}

impl<'a> Receding<'a> {
    fn new(model: &'a Model, overlapping: BTreeSet<[usize; 2]>) -> Self {
        let mut receding = Self {
            model,
            points: BTreeMap::new(),
            pairs: BTreeMap::new(),
            closed: Vec::new(),
            overlapping,
        };
        receding.half_spaces();
        receding.solids();
        receding
    }

    /// Gap of resting contacts between features of two solids, or of a solid and a half-space (m).
    fn gap(&self, pair: [usize; 2]) -> f64 {
        REST_GAP * self.model.geometry.clearance_between(&pair)
    }

    fn half_spaces(&mut self) {
        let model = self.model;
        for (index, half_space) in model.geometry.half_spaces.iter().enumerate() {
            let pair = |point: u32| {
                [
                    model.geometry.solid_of_point(point),
                    model.geometry.solid_count() + index,
                ]
            };
            let height = |point: u32| {
                half_space
                    .normal
                    .dot(&(model.points.rest[point as usize] - half_space.point))
            };
            let vertices = model.geometry.surface.vertices().iter().copied();
            let near: Vec<u32> = vertices
                .filter(|&point| {
                    height(point) < self.gap(pair(point))
                        && !model.geometry.surface.is_passive_point(point)
                })
                .collect();
            let deep: BTreeSet<usize> = (near.iter())
                .filter(|&&point| height(point) < -DEPTH * self.gap(pair(point)))
                .map(|&point| model.geometry.solid_of_point(point))
                .collect();
            for point in near {
                let solid = model.geometry.solid_of_point(point);
                if !deep.contains(&solid) {
                    let way = self.gap(pair(point)) - height(point);
                    self.note(pair(point), way);
                    let towards = (half_space.normal, way);
                    self.points.entry(point).or_default().towards.push(towards);
                }
            }
        }
    }

    fn note(&mut self, mut pair: [usize; 2], way: f64) {
        pair.sort_unstable();
        let most = self.pairs.entry(pair).or_default();
        *most = most.max(way);
    }

    fn solids(&mut self) {
        let model = self.model;
        let reach = 0.5 * REST_GAP * model.geometry.largest_clearance();
        let boxes: Vec<Aabb> = (model.points.rest.iter())
            .map(|x| Aabb::from_point(x).inflated(reach))
            .collect();
        let mut candidates = CandidateSet::default();
        Bvh::default().collect(&model.geometry.surface, &boxes, &mut candidates);
        let (triangles, edges) = (
            model.geometry.surface.triangles(),
            model.geometry.surface.edges(),
        );
        for &[vertex, face] in &candidates.vertex_face {
            let corners = triangles[face as usize];
            if model.geometry.surface.group()[vertex as usize]
                == model.geometry.surface.group()[corners[0] as usize]
            {
                continue;
            }
            let [a, b, c] = corners.map(|point| model.points.rest[point as usize]);
            let near = distance::point_triangle(&model.points.rest[vertex as usize], &[a, b, c]);
            let normal = (b - a).cross(&(c - a));
            self.pair(
                [&[vertex], &corners],
                near.distance_squared.sqrt(),
                normal,
                |neighbours| [normals_at(model, neighbours, vertex), normal],
            );
        }
        for &[first, second] in &candidates.edge_edge {
            let ends = [first, second].map(|edge| edges[edge as usize]);
            let [group, other] = ends.map(|ends| model.geometry.surface.group()[ends[0] as usize]);
            if group == other {
                continue;
            }
            let [one, two] = ends.map(|ends| ends.map(|point| model.points.rest[point as usize]));
            let near = distance::edge_edge(&one, &two);
            let (along, other) = (one[1] - one[0], two[1] - two[0]);
            let across = along.cross(&other);
            // For parallel edges, the corners at their ends give the offsets.
            let parallel = across.norm() < PARALLEL * along.norm() * other.norm();
            let across = if parallel { Vector3::zeros() } else { across };
            self.pair(
                [&ends[0], &ends[1]],
                near.distance_squared.sqrt(),
                across,
                |neighbours| {
                    [first, second].map(|edge| {
                        let faces = neighbours.faces_of_edge[edge as usize];
                        faces.map(|face| unit_normal(model, face)).iter().sum()
                    })
                },
            );
        }
    }

    /// Records the offsets of the points of two features of different solids. `across` is orthogonal to both features,
    /// of any sign and length; `outwards` gives the outward direction of each feature.
    fn pair(
        &mut self,
        features: [&[u32]; 2],
        distance: f64,
        across: Vector3<f64>,
        outwards: impl Fn(&Neighbours) -> [Vector3<f64>; 2],
    ) {
        let solids = features.map(|points| self.model.geometry.solid_of_point(points[0]));
        let gap = self.gap(solids);
        if distance >= gap {
            return;
        }
        if self.closed.is_empty() {
            self.closed = (0..self.model.geometry.solid_count())
                .map(|solid| self.model.geometry.is_closed(solid))
                .collect();
        }
        let [one, other] = solids;
        if self.overlapping.contains(&[one.min(other), one.max(other)]) {
            return;
        }
        let passive = solids.map(|solid| self.model.geometry.surface.passive()[solid]);
        // Between two thin bodies no side is distinguished.
        if !(self.closed[solids[0]] || self.closed[solids[1]]) {
            return;
        }
        let movers = passive.iter().filter(|passive| !**passive).count();
        let way = (gap - distance) / movers.max(1) as f64;
        self.note(solids, way);
        for side in 0..2 {
            if passive[side] {
                continue;
            }
            let towards = if self.closed[solids[side]] {
                None
            } else {
                let other = outwards(&self.model.geometry.neighbours)[1 - side];
                let sign = across.dot(&other).signum();
                let Some(direction) = across.try_normalize(0.0) else {
                    continue;
                };
                Some((direction * sign, way))
            };
            for &point in features[side] {
                let point = self.points.entry(point).or_default();
                match towards {
                    None => point.inwards = point.inwards.max(way),
                    Some(towards) => point.towards.push(towards),
                }
            }
        }
    }

    fn finish(self) -> Option<(Vec<Vector3<f64>>, TouchingStart)> {
        let model = self.model;
        let (&worst, _) =
            (self.pairs.iter()).max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)))?;
        let mut moves = vec![Vector3::zeros(); model.points.rest.len()];
        let mut prescribed = false;
        for (&point, task) in &self.points {
            let mut towards = task.towards.clone();
            if task.inwards > 0.0 {
                let faces = faces_at(model, &model.geometry.neighbours, point).into_iter();
                towards.extend(faces.map(|face| (-unit_normal(model, face), task.inwards)));
            }
            let way = least_move(&towards);
            let most = MOST
                * model
                    .geometry
                    .clearance_between(&[model.geometry.solid_of_point(point)]);
            moves[point as usize] = way * (most / way.norm()).min(1.0);
            prescribed |= model.unknowns.motion_of_point[point as usize].is_prescribed();
        }
        let distance = moves.iter().map(Vector3::norm).fold(0.0, f64::max);
        let touching = TouchingStart {
            pairs: self.pairs.into_keys().collect(),
            worst,
            distance,
            prescribed,
        };
        Some((moves, touching))
    }
}

/// The shortest offset that reaches the given length along each direction, by Hildreth's projections.
fn least_move(towards: &[(Vector3<f64>, f64)]) -> Vector3<f64> {
    let mut way: Vector3<f64> = Vector3::zeros();
    let mut multipliers = vec![0.0; towards.len()];
    for _ in 0..PASSES {
        let mut worst = 0.0_f64;
        for ((direction, least), multiplier) in towards.iter().zip(&mut multipliers) {
            let lack = least - direction.dot(&way);
            worst = worst.max(lack / least);
            let new = (*multiplier + lack).max(0.0);
            way += *direction * (new - *multiplier);
            *multiplier = new;
        }
        if worst <= LEFT {
            break;
        }
    }
    way
}

/// Outward unit normal of a face; zero for one without area.
fn unit_normal(model: &Model, face: u32) -> Vector3<f64> {
    let [a, b, c] = model.geometry.surface.triangles()[face as usize]
        .map(|point| model.points.rest[point as usize]);
    let normal = (b - a).cross(&(c - a));
    normal.try_normalize(0.0).unwrap_or_default()
}

/// Faces around a point.
fn faces_at(model: &Model, neighbours: &Neighbours, point: u32) -> BTreeSet<u32> {
    let faces = neighbours.edges_of(point).iter();
    faces
        .flat_map(|&edge| neighbours.faces_of_edge[edge as usize])
        .filter(|&face| model.geometry.surface.triangles()[face as usize].contains(&point))
        .collect()
}

/// Sum of the unit normals around a point.
fn normals_at(model: &Model, neighbours: &Neighbours, point: u32) -> Vector3<f64> {
    let faces = faces_at(model, neighbours, point).into_iter();
    faces.map(|face| unit_normal(model, face)).sum()
}
