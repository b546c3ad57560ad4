//! The examination of one frame, and of the motion from the one before.

use super::{Finding, Problem, Verification, load};
use crate::output::{Frame, FrameEntry, Manifest};
use impinge_geometry::broad_phase::{Aabb, BroadPhase, Bvh, CandidateSet};
use impinge_geometry::ccd::{self, CcdRule, Toi};
use impinge_geometry::exact;
use impinge_geometry::surface::{CollisionSurface, PairFilter};
use nalgebra::{Matrix3, Vector3};
use std::path::Path;

/// Findings of one kind that are reported for one frame; more are only counted.
const PER_FRAME: usize = 8;

/// Prescribed points may be off their path by this part of the largest coordinate: a few hundred roundings, which is
/// what a position summed from two thousand steps can lose, and far below anything that is visible.
const PATH_TOLERANCE: f64 = 1e-12;

/// Points of a rigid body may be off its shape by this part of the largest coordinate: the shape is put together from
/// three of its points, which multiplies their roundings by the body's slenderness.
const SHAPE_TOLERANCE: f64 = 1e-10;

pub(super) struct Stamp {
    pub(super) file: String,
    pub(super) time: Option<f64>,
}

/// What is the same in all frames of a run.
pub(super) struct Examiner<'a> {
    reference: &'a Frame,
    manifest: Option<&'a Manifest>,
    surface: CollisionSurface,
}

impl<'a> Examiner<'a> {
    pub(super) fn new(reference: &'a Frame, manifest: &'a Manifest) -> Self {
        Self {
            reference,
            manifest: Some(manifest),
            surface: collision_surface(reference, Some(manifest)),
        }
    }

    pub(super) fn without_manifest(reference: &'a Frame) -> Self {
        Self {
            reference,
            manifest: None,
            surface: collision_surface(reference, None),
        }
    }

    fn body_name(&self, point: u32) -> String {
        let body = self.reference.body_of_point[point as usize];
        self.manifest
            .and_then(|manifest| manifest.bodies.get(body as usize))
            .cloned()
            .unwrap_or_else(|| format!("body {body}"))
    }

    /// Examines frame `index` and the motion to it.
    pub(super) fn frame(
        &self,
        folder: &Path,
        entries: &[FrameEntry],
        index: usize,
    ) -> Verification {
        let entry = &entries[index];
        let stamp = Stamp {
            file: entry.file.clone(),
            time: Some(entry.time),
        };
        let (frame, findings) = load(folder, entry);
        let mut result = Verification {
            frames: 1,
            findings,
            ..Verification::default()
        };
        let Some(frame) = frame else {
            return result;
        };
        if !self.has_same_mesh(&frame, entries, index) {
            report(&mut result, &stamp, Problem::DifferentMesh);
            return result;
        }
        if !self.state(&frame, &stamp, &mut result) {
            return result;
        }
        if entries[0].time.abs() <= 0.0 {
            self.paths(&frame, entry, &stamp, &mut result);
        }
        if index == 0 {
            return result;
        }
        // A finding about the frame before is reported with that frame.
        let before = &entries[index - 1];
        match load(folder, before).0 {
            Some(start) if entry.parts == 1 && self.has_same_mesh(&start, entries, index - 1) => {
                result.motions = 1;
                self.motion(
                    &start.points,
                    &frame.points,
                    [before.time, entry.time],
                    &stamp,
                    &mut result,
                );
            }
            _ => result.unknown_motions = 1,
        }
        result
    }

    /// Whether elements and bodies of frame `index` are those of the first frame, and so are the prescribed points that are
    /// not to be let go by then.
    ///
    /// Nodes are let go at the start of a step, so within the time between two frames either may be.
    fn has_same_mesh(&self, frame: &Frame, entries: &[FrameEntry], index: usize) -> bool {
        let time = entries[index].time;
        let before = index.checked_sub(1).map(|before| entries[before].time);
        let reference = self.reference;
        let motions = self.manifest.map_or(&[][..], |manifest| &manifest.motions);
        let same_or_let_go = |(now, first): (&Option<u32>, &Option<u32>)| {
            let law = first.and_then(|motion| motions.get(motion as usize));
            let ended = |time| law.is_some_and(|law| law.has_ended(time));
            if now == first {
                now.is_none() || !before.is_some_and(ended)
            } else {
                now.is_none() && ended(time)
            }
        };
        frame.tets == reference.tets
            && frame.triangles == reference.triangles
            && frame.body_of_point == reference.body_of_point
            && frame.motion_of_point.len() == reference.motion_of_point.len()
            && frame
                .motion_of_point
                .iter()
                .zip(&reference.motion_of_point)
                .all(same_or_let_go)
    }

    /// Examines the positions of one frame; `false` if they are not even numbers.
    pub(super) fn state(&self, frame: &Frame, stamp: &Stamp, result: &mut Verification) -> bool {
        if let Some(point) = frame
            .points
            .iter()
            .position(|point| !point.iter().all(|x| x.is_finite()))
        {
            let point = point as u32;
            report(result, stamp, Problem::NotFinite { point });
            return false;
        }

        let pairs = exact::surface_intersections(&frame.points, &self.surface, usize::MAX);
        report_some(
            result,
            stamp,
            pairs.into_iter().map(|pair| {
                let triangles = pair
                    .triangles
                    .map(|triangle| self.surface.triangles()[triangle as usize]);
                Problem::Intersection {
                    bodies: triangles.map(|triangle| self.body_name(triangle[0])),
                    triangles,
                }
            }),
        );

        let inverted: Vec<u32> = (0u32..)
            .zip(&frame.tets)
            .filter(|(_, tet)| {
                exact::tet_orientation(&tet.map(|point| frame.points[point as usize]))
                    != exact::Orientation::Positive
            })
            .map(|(index, _)| index)
            .collect();
        if self
            .manifest
            .is_some_and(|manifest| manifest.allow_inversion)
        {
            result.allowed_inversions += inverted.len();
        } else {
            report_some(
                result,
                stamp,
                inverted.into_iter().map(|tet| Problem::Inverted {
                    body: self.body_name(frame.tets[tet as usize][0]),
                    tet,
                }),
            );
        }
        self.planes(frame, stamp, result);
        self.shapes(frame, stamp, result);
        true
    }

    /// Free surface points must lie before every half-space's plane.
    fn planes(&self, frame: &Frame, stamp: &Stamp, result: &mut Verification) {
        for half_space in self.manifest.iter().flat_map(|m| &m.half_spaces) {
            let behind = self.surface.vertices().iter().filter_map(|&point| {
                if frame.motion_of_point[point as usize].is_some() {
                    return None;
                }
                let arm = frame.points[point as usize] - half_space.point;
                let height = arm.dot(&half_space.normal);
                // Rounding of the difference and of three products: the sign is certain beyond it.
                let size = frame.points[point as usize].amax() + half_space.point.amax();
                (height < -16.0 * f64::EPSILON * size).then_some((point, -height))
            });
            report_some(
                result,
                stamp,
                behind.map(|(point, depth)| Problem::BelowPlane {
                    half_space: half_space.name.clone(),
                    body: self.body_name(point),
                    point,
                    depth,
                }),
            );
        }
    }

    /// Rigid bodies must have the shape that they have in the first frame, turned and moved.
    fn shapes(&self, frame: &Frame, stamp: &Stamp, result: &mut Verification) {
        for &body in self.manifest.iter().flat_map(|m| &m.rigid_bodies) {
            let points: Vec<u32> = (0u32..)
                .zip(&frame.body_of_point)
                .filter(|(_, of)| **of == body)
                .map(|(point, _)| point)
                .collect();
            result.rigid += 1;
            let (point, distance) = off_shape(&points, &self.reference.points, &frame.points);
            let size = points
                .iter()
                .map(|&point| frame.points[point as usize].amax())
                .fold(0.0, f64::max);
            // Written so that a shape without three directions is found too.
            if distance.is_nan() || distance > SHAPE_TOLERANCE * size {
                let body = self.body_name(point);
                report(
                    result,
                    stamp,
                    Problem::Deformed {
                        body,
                        point,
                        distance,
                    },
                );
            }
        }
    }

    /// Prescribed points must be where the motion puts what they were in the first frame.
    fn paths(&self, frame: &Frame, entry: &FrameEntry, stamp: &Stamp, result: &mut Verification) {
        let Some(manifest) = self.manifest else {
            return;
        };
        let mut off = Vec::new();
        for (point, motion) in (0u32..).zip(&frame.motion_of_point) {
            let Some(motion) = *motion else { continue };
            let Some(motion) = manifest.motions.get(motion as usize) else {
                report(result, stamp, Problem::DifferentMesh);
                return;
            };
            result.prescribed += 1;
            let start = &self.reference.points[point as usize];
            let found = &frame.points[point as usize];
            let distance = (found - motion.position_at(start, entry.time)).amax();
            let size = start.amax().max(found.amax()).max(motion.center.amax());
            if distance > PATH_TOLERANCE * size {
                off.push((point, distance));
            }
        }
        report_some(
            result,
            stamp,
            off.into_iter().map(|(point, distance)| Problem::OffPath {
                body: self.body_name(point),
                point,
                distance,
            }),
        );
    }

    /// Proves that no two features met on the straight way from `start` to `end`.
    fn motion(
        &self,
        start: &[Vector3<f64>],
        end: &[Vector3<f64>],
        times: [f64; 2],
        stamp: &Stamp,
        result: &mut Verification,
    ) {
        let boxes: Vec<Aabb> = start
            .iter()
            .zip(end)
            .map(|(start, end)| Aabb::from_points([start, end]))
            .collect();
        let mut candidates = CandidateSet::default();
        Bvh::default().collect(&self.surface, &boxes, &mut candidates);

        // Fine enough to tell the closest approaches of a solver's clearance from a meeting.
        let rule = CcdRule {
            minimum_separation: 0.0,
            time_tolerance: f64::from(1u32 << 20).recip().powi(2),
            distance_tolerance: 0.0,
            work_limit: 4096,
        };
        let triangles = self.surface.triangles();
        let edges = self.surface.edges();
        let vertex_face = candidates.vertex_face.iter().map(|&[point, triangle]| {
            let [a, b, c] = triangles[triangle as usize];
            ([point, a, b, c], true)
        });
        let edge_edge = candidates.edge_edge.iter().map(|&[first, second]| {
            let ([a, b], [c, d]) = (edges[first as usize], edges[second as usize]);
            ([a, b, c, d], false)
        });
        let crossings = vertex_face
            .chain(edge_edge)
            .filter_map(|(points, vertex_face)| {
                let from = points.map(|point| start[point as usize]);
                let to = points.map(|point| end[point as usize]);
                let answer = if vertex_face {
                    ccd::vertex_face(&from, &to, &rule)
                } else {
                    ccd::edge_edge(&from, &to, &rule)
                };
                match answer {
                    Toi::Separated => None,
                    Toi::Impact { time, .. } => Some(Problem::Crossing {
                        bodies: [points[0], points[2]].map(|point| self.body_name(point)),
                        points,
                        vertex_face,
                        at: times[0] + time * (times[1] - times[0]),
                    }),
                }
            });
        report_some(result, stamp, crossings);
    }
}

fn report(result: &mut Verification, stamp: &Stamp, problem: Problem) {
    result.findings.push(Finding {
        file: stamp.file.clone(),
        time: stamp.time,
        problem,
    });
}

/// Reports the first few of `problems` and the number of the others.
fn report_some(
    result: &mut Verification,
    stamp: &Stamp,
    mut problems: impl Iterator<Item = Problem>,
) {
    for problem in problems.by_ref().take(PER_FRAME) {
        report(result, stamp, problem);
    }
    match problems.count() {
        0 => {}
        more => report(result, stamp, Problem::More(more)),
    }
}

/// The point of a body that is farthest from where the rigid motion from `before` to `now` puts it, and how far (m).
///
/// The motion is the one of three points that are far apart, so this shares nothing with how poses are stored.
fn off_shape(points: &[u32], before: &[Vector3<f64>], now: &[Vector3<f64>]) -> (u32, f64) {
    let old = |point: u32| before[point as usize];
    let farthest = |measure: &dyn Fn(&Vector3<f64>) -> f64| {
        let by = |&a: &u32, &b: &u32| measure(&old(a)).total_cmp(&measure(&old(b)));
        points.iter().copied().max_by(by).unwrap_or_default()
    };
    let first = points.first().copied().unwrap_or_default();
    let second = farthest(&|x| (x - old(first)).norm_squared());
    let along = old(second) - old(first);
    let third = farthest(&|x| along.cross(&(x - old(first))).norm_squared());
    let axes = |at: &[Vector3<f64>]| {
        let [a, b, c] = [first, second, third].map(|point| at[point as usize]);
        let x = (b - a).normalize();
        let z = (b - a).cross(&(c - a)).normalize();
        (a, Matrix3::from_columns(&[x, z.cross(&x), z]))
    };
    let ((old_origin, old_axes), (origin, new_axes)) = (axes(before), axes(now));
    let turn = new_axes * old_axes.transpose();
    points
        .iter()
        .map(|&point| {
            let expected = origin + turn * (old(point) - old_origin);
            (point, (now[point as usize] - expected).amax())
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((first, 0.0))
}

/// The surface of all bodies, found from the elements alone: the faces that only one element has.
///
/// Rigid bodies, whose shape is examined by itself, need no test against themselves, and joined ones may overlap.
fn collision_surface(frame: &Frame, manifest: Option<&Manifest>) -> CollisionSurface {
    let motions = manifest.map_or(&[][..], |manifest| &manifest.motions);
    let mut faces: Vec<([u32; 3], [u32; 3])> = frame
        .tets
        .iter()
        .flat_map(|&[a, b, c, d]| [[b, c, d], [a, d, c], [a, b, d], [a, c, b]])
        .map(|face| {
            let mut key = face;
            key.sort_unstable();
            (key, face)
        })
        .collect();
    faces.sort_unstable();
    let mut triangles: Vec<[u32; 3]> = faces
        .chunk_by(|first, second| first.0 == second.0)
        .filter(|same| same.len() == 1)
        .map(|same| same[0].1)
        .collect();
    triangles.extend(&frame.triangles);

    let bodies = frame
        .body_of_point
        .iter()
        .max()
        .map_or(0, |&body| body as usize + 1);
    // A body is passive when none of its points is ever free.
    let never_ends = |motion: u32| {
        let law = motions.get(motion as usize);
        law.is_none_or(|law| law.until.is_none())
    };
    let mut passive = vec![true; bodies];
    for (&body, motion) in frame.body_of_point.iter().zip(&frame.motion_of_point) {
        passive[body as usize] &= motion.is_some_and(never_ends);
    }
    let filter = manifest.map_or_else(PairFilter::default, |manifest| PairFilter {
        without_self_contact: manifest.rigid_bodies.clone(),
        user_group: (0..bodies as u32).collect(),
        excluded_groups: manifest.joined.clone(),
        ..PairFilter::default()
    });
    CollisionSurface::new(
        triangles,
        frame.points.len(),
        frame.body_of_point.clone(),
        passive,
    )
    .with_filter(&filter)
}
