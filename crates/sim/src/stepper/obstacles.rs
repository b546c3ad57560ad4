//! Detects prescribed motions that drive obstacles into each other. Contact forces cannot keep them apart, since
//! prescribed points do not react.

use crate::error::StepFailure;
use crate::model::{Model, PointMotion};
use impinge_geometry::broad_phase::{Aabb, BroadPhase, Bvh, CandidateSet};
use impinge_geometry::ccd::{CcdRule, LinearMotion, earliest_impact};
use impinge_geometry::distance;
use impinge_geometry::exact::surface_intersections;
use impinge_geometry::surface::{CollisionSurface, PairFilter};
use nalgebra::Vector3;
use std::collections::BTreeSet;
use std::fmt;

/// Moving prescribed points, and the obstacles that they must not collide with: mesh obstacles, prescribed rigid bodies
/// and half-spaces.
///
/// Obstacles that touch at the start of the scene (a wall on a floor, a post in a wall) count as one and may keep
/// touching. So do those that are nearer than the clearance of their contacts: rounding decides which of them touch.
pub(super) struct Obstacles {
    /// Triangles of mesh obstacles and prescribed rigid bodies, over all points.
    surface: CollisionSurface,
    /// Moving points, with the indices of their motions.
    moving: Vec<(u32, u32)>,
    /// Moving points, with the half-spaces that their bodies do not touch at the start.
    planes: Vec<(u32, usize)>,
    broad_phase: Bvh,
    // Buffers.
    boxes: Vec<Aabb>,
    candidates: CandidateSet,
}

impl fmt::Debug for Obstacles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Obstacles")
            .field("moving", &self.moving)
            .finish_non_exhaustive()
    }
}

/// The time and the obstacles of a collision.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Meeting {
    /// Not later than their contact (s).
    pub(super) time: f64,
    pub(super) failure: StepFailure,
}

impl Obstacles {
    /// The obstacles of a model; `None` if none of them moves.
    pub(super) fn new(model: &Model) -> Option<Self> {
        let start = &model.points.rest;
        let moving: Vec<(u32, u32)> = (0_u32..)
            .zip(&model.unknowns.motion_of_point)
            .filter_map(|(point, of_point)| match *of_point {
                PointMotion::Prescribed(motion) => Some((point, motion)),
                _ => None,
            })
            .filter(|(_, motion)| !model.unknowns.motions[*motion as usize].is_rest())
            .collect();
        if moving.is_empty() {
            return None;
        }
        Some(Self {
            surface: surface_of(model, start),
            planes: planes_of(model, start, &moving),
            moving,
            broad_phase: Bvh::default(),
            boxes: start.iter().map(Aabb::from_point).collect(),
            candidates: CandidateSet::default(),
        })
    }

    /// Moving points, with the indices of their motions.
    pub(super) fn moving(&self) -> &[(u32, u32)] {
        &self.moving
    }

    /// Collects the pairs that [`meeting`](Self::meeting) tests: those whose boxes overlap, where `bounds` covers the
    /// motion of a moving point. Returns whether there is anything to test.
    pub(super) fn collect(&mut self, bounds: impl Fn((u32, u32)) -> Aabb) -> bool {
        for &moved in &self.moving {
            self.boxes[moved.0 as usize] = bounds(moved);
        }
        self.broad_phase
            .collect(&self.surface, &self.boxes, &mut self.candidates);
        !self.candidates.is_empty() || !self.planes.is_empty()
    }

    /// The first collision of a straight motion that begins at time `begin` and takes `duration` (s); `None` proves
    /// that there is none.
    pub(super) fn meeting(
        &self,
        model: &Model,
        motion: LinearMotion<'_>,
        begin: f64,
        duration: f64,
    ) -> Option<Meeting> {
        let of_meshes =
            earliest_impact(&self.surface, &self.candidates, motion, &CcdRule::default()).map(
                |impact| {
                    let points = impact.pair.points(&self.surface);
                    // In both kinds of pairs, the first point is on one side and the last point on the other.
                    let mut sides =
                        [points[0], points[3]].map(|point| model.geometry.solid_of_point(point));
                    sides.sort_unstable();
                    (impact.time, points[0], sides)
                },
            );
        let of_planes = self.planes.iter().filter_map(|&(point, plane)| {
            let half_space = &model.geometry.half_spaces[plane];
            let height = |x: &Vector3<f64>| half_space.normal.dot(&(x - half_space.point));
            let (before, after) = (
                height(&motion.start[point as usize]),
                height(&motion.end[point as usize]),
            );
            let sides = [
                model.geometry.solid_of_point(point),
                model.geometry.solid_count() + plane,
            ];
            let time = (before / (before - after)).clamp(0.0, 1.0);
            (after <= 0.0).then_some((time, point, sides))
        });
        let (fraction, point, sides) = of_meshes
            .into_iter()
            .chain(of_planes)
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        let from = &motion.start[point as usize];
        let to = &motion.end[point as usize];
        let time = begin + fraction * duration;
        let [first, second] = sides.map(|side| model.geometry.name_of(side).to_owned());
        Some(Meeting {
            time,
            failure: StepFailure::ObstaclesMeet {
                first,
                second,
                time,
                place: (from + (to - from) * fraction).into(),
            },
        })
    }
}

/// The motions of a solid without points that forces move.
#[derive(Clone, Copy, PartialEq)]
enum Motions {
    /// All of its points stand still.
    Rest,
    /// All of its points have this one.
    One(u32),
    /// Parts of it move differently.
    Several,
}

/// The motions of each solid; `None` if forces move some of its points.
fn motions_of_solids(model: &Model) -> Vec<Option<Motions>> {
    let mut motions: Vec<Option<Motions>> = vec![None; model.geometry.solid_count()];
    for (solid, motions) in motions.iter_mut().enumerate() {
        if !model.geometry.surface.passive()[solid] {
            continue;
        }
        for point in model.geometry.solid(solid).points.clone() {
            let PointMotion::Prescribed(index) = model.unknowns.motion_of_point[point] else {
                continue;
            };
            let of_point = if model.unknowns.motions[index as usize].is_rest() {
                Motions::Rest
            } else {
                Motions::One(index)
            };
            *motions = match *motions {
                None => Some(of_point),
                Some(known) if known == of_point => Some(known),
                Some(_) => Some(Motions::Several),
            };
        }
    }
    motions
}

/// The surface of the bodies without points that forces move.
fn surface_of(model: &Model, start: &[Vector3<f64>]) -> CollisionSurface {
    let of_all = &model.geometry.surface;
    let motions = motions_of_solids(model);
    let bodies = motions.len();
    let triangles = of_all
        .triangles()
        .iter()
        .copied()
        .filter(|t| motions[of_all.body_of_point(t[0]) as usize].is_some())
        .collect();
    let surface = CollisionSurface::new(
        triangles,
        start.len(),
        of_all.group().to_vec(),
        // Two bodies at rest never collide.
        (motions.iter())
            .map(|motions| matches!(motions, None | Some(Motions::Rest)))
            .collect(),
    );
    let mut filter = PairFilter {
        without_self_contact: (0..bodies as u32).collect(),
        user_group: (0..bodies as u32).collect(),
        ..PairFilter::default()
    };
    let moves_alike = |a: usize, b: usize| {
        matches!(motions[a], Some(Motions::One(_))) && motions[a] == motions[b]
    };
    filter.excluded_groups = (0..bodies)
        .flat_map(|a| (a + 1..bodies).map(move |b| (a, b)))
        .filter(|&(a, b)| moves_alike(a, b))
        .map(|(a, b)| [a as u32, b as u32])
        .collect();
    let surface = surface.with_filter(&filter);
    filter
        .excluded_groups
        .extend(touching(model, &surface, start));
    surface.with_filter(&filter)
}

/// Pairs of bodies that intersect at the start, or are nearer than the clearance of their contacts.
fn touching(
    model: &Model,
    surface: &CollisionSurface,
    start: &[Vector3<f64>],
) -> BTreeSet<[u32; 2]> {
    let body = |point: u32| surface.body_of_point(point);
    let pair = |a: u32, b: u32| [body(a).min(body(b)), body(a).max(body(b))];
    let mut touching: BTreeSet<[u32; 2]> = surface_intersections(start, surface, usize::MAX)
        .iter()
        .map(|found| found.triangles.map(|t| surface.triangles()[t as usize][0]))
        .map(|[a, b]| pair(a, b))
        .collect();
    let reach = 0.5 * model.geometry.largest_clearance();
    let boxes: Vec<Aabb> = (start.iter())
        .map(|x| Aabb::from_point(x).inflated(reach))
        .collect();
    let mut candidates = CandidateSet::default();
    Bvh::default().collect(surface, &boxes, &mut candidates);
    let place = |point: u32| start[point as usize];
    let of_faces = candidates.vertex_face.iter().map(|&[vertex, face]| {
        let corners = surface.triangles()[face as usize];
        let near = distance::point_triangle(&place(vertex), &corners.map(place));
        (pair(vertex, corners[0]), near.distance_squared)
    });
    let of_edges = candidates.edge_edge.iter().map(|edges| {
        let [one, two] = edges.map(|edge| surface.edges()[edge as usize]);
        let near = distance::edge_edge(&one.map(place), &two.map(place));
        (pair(one[0], two[0]), near.distance_squared)
    });
    let is_near = |(pair, squared): &([u32; 2], f64)| {
        let solids = pair.map(|body| body as usize);
        squared.sqrt() < model.geometry.clearance_between(&solids)
    };
    touching.extend(
        (of_faces.chain(of_edges))
            .filter(is_near)
            .map(|(pair, _)| pair),
    );
    touching
}

/// Moving points, each with the half-spaces that no such point of its body touches at the start.
fn planes_of(model: &Model, start: &[Vector3<f64>], moving: &[(u32, u32)]) -> Vec<(u32, usize)> {
    let mut planes = Vec::new();
    for (plane, half_space) in model.geometry.half_spaces.iter().enumerate() {
        let touches = |point: u32| {
            let height = half_space
                .normal
                .dot(&(start[point as usize] - half_space.point));
            let solid = model.geometry.solid_of_point(point);
            let plane = model.geometry.solid_count() + plane;
            height <= model.geometry.clearance_between(&[solid, plane])
        };
        let touching: BTreeSet<usize> = (moving.iter())
            .filter(|(point, _)| touches(*point))
            .map(|(point, _)| model.geometry.solid_of_point(*point))
            .collect();
        planes.extend(
            (moving.iter())
                .filter(|(point, _)| !touching.contains(&model.geometry.solid_of_point(*point)))
                .map(|(point, _)| (*point, plane)),
        );
    }
    planes
}
