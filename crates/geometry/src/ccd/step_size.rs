//! The collision-free part of a motion, from arrays alone.

use std::sync::atomic::{AtomicU64, Ordering};

use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use rayon::prelude::*;
use thiserror::Error;

use super::batch::earlier;
use super::{CandidateImpact, CandidatePair, CcdRule, edge_edge_until, vertex_face_until};
use crate::broad_phase::Aabb;

/// Features per parallel task. Results do not depend on it.
const FEATURES_PER_TASK: usize = 64;

/// Features that may touch, as indices into the caller's array of points.
///
/// Every vertex is tested against every face, and every edge against every other; pairs that share a point are left
/// out. Edges of faces are not implied: list them. Vertices, edges and faces may belong together or be loose.
#[derive(Clone, Copy, Debug, Default)]
pub struct SurfaceArrays<'a> {
    /// Points tested against faces.
    pub vertices: &'a [u32],
    /// Edges, tested against each other.
    pub edges: &'a [[u32; 2]],
    /// Triangles, tested against vertices.
    pub faces: &'a [[u32; 3]],
}

/// How far a motion is free of collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSize {
    /// The largest certified fraction in `[0, 1]`: every pair is proven separated at all times from 0 to this one,
    /// unless it is 0.
    pub fraction: f64,
    /// The pair that limits it: a vertex by its point and a face by its index, or two edges by their indices. `None` if
    /// the whole motion is free of collision.
    pub limit: Option<CandidateImpact>,
}

/// Arrays that describe no motion of a surface. Indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StepSizeError {
    /// The arrays of positions have different lengths.
    #[error(
        "{start} positions at the start but {end} at the end; give one per point in both arrays"
    )]
    Lengths {
        /// Positions at the start.
        start: usize,
        /// Positions at the end.
        end: usize,
    },
    /// More points or features than `u32` can number.
    #[error("there are {count} {kind}, more than u32 can number; divide the surface")]
    TooMany {
        /// Kind of them, in the plural.
        kind: &'static str,
        /// Their number.
        count: usize,
    },
    /// A feature names a point that does not exist.
    #[error("{kind} {index} names point {point}, but there are {points} points; correct the index")]
    IndexOutOfRange {
        /// Kind of the feature.
        kind: &'static str,
        /// Index of the feature.
        index: usize,
        /// The point.
        point: u32,
        /// Number of points.
        points: usize,
    },
    /// A feature names a point twice.
    #[error("{kind} {index} names point {point} twice; remove the feature")]
    RepeatedPoint {
        /// Kind of the feature.
        kind: &'static str,
        /// Index of the feature.
        index: usize,
        /// The point.
        point: u32,
    },
    /// A coordinate is NaN or infinite.
    #[error(
        "the position of point {point} at the {when} of the motion is not finite: {x}, {y}, {z}"
    )]
    NotFinite {
        /// The point.
        point: usize,
        /// `start` or `end`.
        when: &'static str,
        /// x coordinate (m).
        x: f64,
        /// y coordinate (m).
        y: f64,
        /// z coordinate (m).
        z: f64,
    },
}

/// The largest fraction of a straight motion that is certified free of collision, as [`step_size_under`] the default
/// [`CcdRule`]: surfaces must not touch.
///
/// ```
/// use impinge_geometry::ccd::{CandidatePair, SurfaceArrays, step_size};
///
/// // Point 3 falls through a triangle; at half of the motion it touches.
/// let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let start = [triangle[0], triangle[1], triangle[2], [0.2, 0.2, 1.0]];
/// let end = [triangle[0], triangle[1], triangle[2], [0.2, 0.2, -1.0]];
/// let surface = SurfaceArrays { vertices: &[0, 1, 2, 3], edges: &[[0, 1], [1, 2], [2, 0]], faces: &[[0, 1, 2]] };
///
/// let step = step_size(surface, &start, &end)?;
/// assert!(step.fraction < 0.5 && step.fraction > 0.4999);
/// let limit = step.limit.expect("they collide");
/// assert_eq!(limit.pair, CandidatePair::VertexFace { vertex: 3, face: 0 });
/// # Ok::<(), impinge_geometry::ccd::StepSizeError>(())
/// ```
///
/// # Errors
/// As [`step_size_under`].
pub fn step_size<P: Copy + Into<[f64; 3]>>(
    surface: SurfaceArrays<'_>,
    start: &[P],
    end: &[P],
) -> Result<StepSize, StepSizeError> {
    step_size_under(surface, start, end, &CcdRule::default())
}

/// The largest fraction of a straight motion that is certified free of collision under `rule`.
///
/// Positions computed at the fraction are rounded, which the proof does not cover: a positive
/// [`CcdRule::minimum_separation`] leaves room for that and for a next step that starts separated. If some pair is not
/// separated at the start, the fraction is 0.
///
/// Runs on the current rayon pool; the result does not depend on the number of threads.
///
/// # Shapes and units
/// `start` and `end` (m) hold one position per point, as `[f64; 3]` or `Vector3<f64>`. Points that no feature names are
/// ignored, but must be finite.
///
/// # Cost
/// `O(n log n)` for trees of the boxes, then one query of CCD per pair whose boxes overlap. For many calls with the
/// same surface, a [`Bvh`](crate::broad_phase::Bvh) with [`earliest_impact`](super::earliest_impact) keeps its trees.
///
/// # Errors
/// [`StepSizeError`] if the lengths differ, a feature names a point that does not exist or names one twice, or a
/// position is not finite.
pub fn step_size_under<P: Copy + Into<[f64; 3]>>(
    surface: SurfaceArrays<'_>,
    start: &[P],
    end: &[P],
    rule: &CcdRule,
) -> Result<StepSize, StepSizeError> {
    if start.len() != end.len() {
        let (start, end) = (start.len(), end.len());
        return Err(StepSizeError::Lengths { start, end });
    }
    let motion = Motion {
        start: positions(start, "start")?,
        end: positions(end, "end")?,
        margin: 0.5 * rule.minimum_separation.max(0.0),
    };
    let points = start.len();
    check_count("points", points)?;
    check(
        "vertex",
        "vertices",
        surface.vertices.as_chunks::<1>().0,
        points,
    )?;
    check("edge", "edges", surface.edges, points)?;
    check("face", "faces", surface.faces, points)?;

    let search = Search {
        surface,
        motion,
        rule,
        earliest: AtomicU64::new(1.0_f64.to_bits()),
    };
    let faces = search.tree(surface.faces);
    let of_vertex = |vertex: u32| search.vertex(vertex, &faces);
    let edges = search.tree(surface.edges);
    let of_edge = |edge: usize| search.edge(edge, &edges);

    let tasks = surface.vertices.par_chunks(FEATURES_PER_TASK);
    let on_faces = (tasks
        .filter_map(|task| task.iter().copied().filter_map(of_vertex).reduce(earlier)))
    .reduce_with(earlier);
    let count = surface.edges.len();
    let on_edges = (0..count.div_ceil(FEATURES_PER_TASK))
        .into_par_iter()
        .filter_map(|task| {
            let first = task * FEATURES_PER_TASK;
            let edges = first..count.min(first + FEATURES_PER_TASK);
            edges.filter_map(of_edge).reduce(earlier)
        })
        .reduce_with(earlier);
    let limit = on_faces.into_iter().chain(on_edges).reduce(earlier);
    // Proven separated before the time of the impact, so at the largest number below it.
    let fraction = limit.map_or(1.0, |impact| impact.time.next_down().max(0.0));
    Ok(StepSize { fraction, limit })
}

/// Positions at the start and the end (m).
struct Motion {
    start: Vec<Vector3<f64>>,
    end: Vec<Vector3<f64>>,
    /// Half of the separation (m), by which boxes are grown.
    margin: f64,
}

impl Motion {
    fn bounds(&self, points: &[u32]) -> ParryAabb {
        let places = points
            .iter()
            .flat_map(|&point| [&self.start[point as usize], &self.end[point as usize]]);
        let bounds = Aabb::from_points(places).inflated(self.margin);
        let vector = |x: Vector3<f64>| ParryVector::new(x.x, x.y, x.z);
        ParryAabb::new(vector(bounds.lower), vector(bounds.upper))
    }
}

struct Search<'a> {
    surface: SurfaceArrays<'a>,
    motion: Motion,
    rule: &'a CcdRule,
    /// Bits of the earliest time found yet; times are not negative, so they are ordered like their bits.
    earliest: AtomicU64,
}

impl Search<'_> {
    fn tree<const N: usize>(&self, features: &[[u32; N]]) -> Bvh {
        let boxes = features
            .iter()
            .map(|feature| self.motion.bounds(feature))
            .enumerate();
        Bvh::from_iter(BvhBuildStrategy::Binned, boxes)
    }

    /// The earliest impact of a vertex with a face.
    fn vertex(&self, vertex: u32, faces: &Bvh) -> Option<CandidateImpact> {
        let bounds = self.motion.bounds(&[vertex]);
        let near = faces.intersect_aabb(&bounds);
        let test = |face: u32| {
            let [a, b, c] = self.surface.faces[face as usize];
            let apart = ![a, b, c].contains(&vertex);
            apart.then(|| {
                self.test(
                    CandidatePair::VertexFace { vertex, face },
                    [vertex, a, b, c],
                )
            })?
        };
        near.filter_map(test).reduce(earlier)
    }

    /// The earliest impact of an edge with one after it.
    fn edge(&self, first: usize, edges: &Bvh) -> Option<CandidateImpact> {
        let [a0, a1] = self.surface.edges[first];
        let bounds = self.motion.bounds(&[a0, a1]);
        let near = edges.intersect_aabb(&bounds);
        let first = first as u32;
        let test = |second: u32| {
            let [b0, b1] = self.surface.edges[second as usize];
            let apart = second > first && ![b0, b1].contains(&a0) && ![b0, b1].contains(&a1);
            apart.then(|| self.test(CandidatePair::EdgeEdge { first, second }, [a0, a1, b0, b1]))?
        };
        near.filter_map(test).reduce(earlier)
    }

    fn test(&self, pair: CandidatePair, points: [u32; 4]) -> Option<CandidateImpact> {
        let start = points.map(|point| self.motion.start[point as usize]);
        let end = points.map(|point| self.motion.end[point as usize]);
        let latest = f64::from_bits(self.earliest.load(Ordering::Relaxed));
        let found = match pair {
            CandidatePair::VertexFace { .. } => vertex_face_until(&start, &end, self.rule, latest),
            CandidatePair::EdgeEdge { .. } => edge_edge_until(&start, &end, self.rule, latest),
        };
        let (time, work_limited) = found?;
        self.earliest.fetch_min(time.to_bits(), Ordering::Relaxed);
        Some(CandidateImpact {
            pair,
            time,
            work_limited,
        })
    }
}

fn positions<P: Copy + Into<[f64; 3]>>(
    points: &[P],
    when: &'static str,
) -> Result<Vec<Vector3<f64>>, StepSizeError> {
    let position = |(point, &position): (usize, &P)| {
        let [x, y, z]: [f64; 3] = position.into();
        if [x, y, z].iter().all(|x| x.is_finite()) {
            Ok(Vector3::new(x, y, z))
        } else {
            Err(StepSizeError::NotFinite {
                point,
                when,
                x,
                y,
                z,
            })
        }
    };
    points.iter().enumerate().map(position).collect()
}

fn check_count(kind: &'static str, count: usize) -> Result<(), StepSizeError> {
    match u32::try_from(count) {
        Ok(_) => Ok(()),
        Err(_) => Err(StepSizeError::TooMany { kind, count }),
    }
}

/// Checks the number of features, and that each names points that exist, once.
fn check<const N: usize>(
    kind: &'static str,
    plural: &'static str,
    features: &[[u32; N]],
    points: usize,
) -> Result<(), StepSizeError> {
    check_count(plural, features.len())?;
    for (index, feature) in features.iter().enumerate() {
        for (place, &point) in feature.iter().enumerate() {
            if point as usize >= points {
                return Err(StepSizeError::IndexOutOfRange {
                    kind,
                    index,
                    point,
                    points,
                });
            }
            if feature[..place].contains(&point) {
                return Err(StepSizeError::RepeatedPoint { kind, index, point });
            }
        }
    }
    Ok(())
}
