//! The guarantees of a run, proved again from its files.
//!
//! Nothing here knows how the run was made. Every stored frame is tested for intersections with exact predicates, for
//! elements turned inside out, for points below a half-space, for prescribed points off their paths and for rigid bodies
//! that changed their shape; between frames that are one straight motion apart, continuous collision detection proves that nothing crossed.

use std::fmt;
use std::path::{Path, PathBuf};

use impinge_geometry::broad_phase::{Aabb, BroadPhase, Bvh, CandidateSet};
use impinge_geometry::ccd::{self, CcdRule, Toi};
use impinge_geometry::exact;
use impinge_geometry::surface::{CollisionSurface, PairFilter};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::{Checksum, Frame, FrameEntry, Manifest, OutputError, vtu};
use crate::scene::RigidMotion;

/// Findings of one kind that are reported for one frame; more are only counted.
const PER_FRAME: usize = 8;

/// Prescribed points may be off their path by this part of the largest coordinate: a few hundred roundings, which is
/// what a position summed from two thousand steps can lose, and far below anything that is visible.
const PATH_TOLERANCE: f64 = 1e-12;

/// Points of a rigid body may be off its shape by this part of the largest coordinate: the shape is put together from
/// three of its points, which multiplies their roundings by the body's slenderness.
const SHAPE_TOLERANCE: f64 = 1e-10;

/// What was proved and what was found wrong.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verification {
    /// Frames examined.
    pub frames: usize,
    /// Motions between frames that were examined.
    pub motions: usize,
    /// Motions that could not be examined because steps between the frames were not stored.
    pub unknown_motions: usize,
    /// Prescribed positions that were compared with their path.
    pub prescribed: usize,
    /// Shapes of rigid bodies that were compared with the first frame.
    pub rigid: usize,
    /// Elements that are inside out in a scene that allows it.
    pub allowed_inversions: usize,
    /// What is wrong, in order of time.
    pub findings: Vec<Finding>,
    /// What could not be examined, and why.
    pub notes: Vec<String>,
}

impl Verification {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }
}

/// One thing that is wrong with a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The frame file.
    pub file: String,
    /// Its time (s), where it is known.
    pub time: Option<f64>,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(time) = self.time {
            write!(f, " at {time} s")?;
        }
        write!(f, ": {}", self.problem)
    }
}

/// What can be wrong with a frame.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The file is missing or damaged.
    Unreadable(
        /// Why.
        String,
    ),
    /// The file is not the one that was written.
    Changed,
    /// Elements, bodies or prescribed points differ from the first frame.
    DifferentMesh,
    /// A position is not a finite number.
    NotFinite {
        /// The point.
        point: u32,
    },
    /// Two surface triangles intersect.
    Intersection {
        /// Their bodies.
        bodies: [String; 2],
        /// The corners of each, as point ids.
        triangles: [[u32; 3]; 2],
    },
    /// An element has no volume or is inside out.
    Inverted {
        /// Its body.
        body: String,
        /// The element.
        tet: u32,
    },
    /// A point lies behind a half-space's plane.
    BelowPlane {
        /// The half-space.
        half_space: String,
        /// The body.
        body: String,
        /// The point.
        point: u32,
        /// How far (m).
        depth: f64,
    },
    /// A prescribed point is not where its motion puts it.
    OffPath {
        /// The body.
        body: String,
        /// The point.
        point: u32,
        /// How far off (m).
        distance: f64,
    },
    /// A rigid body has not the shape of the first frame.
    Deformed {
        /// The body.
        body: String,
        /// The point that is farthest off.
        point: u32,
        /// How far off (m).
        distance: f64,
    },
    /// On the way from the frame before, two features met.
    Crossing {
        /// Their bodies.
        bodies: [String; 2],
        /// The corners: point and triangle, or edge and edge.
        points: [u32; 4],
        /// Whether it is a point and a triangle.
        vertex_face: bool,
        /// Time of the meeting (s).
        at: f64,
    },
    /// Further findings of one of these kinds.
    More(
        /// How many.
        usize,
    ),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Changed => write!(
                f,
                "the file was changed after it was written (its checksum differs)"
            ),
            Self::DifferentMesh => write!(
                f,
                "its elements, bodies or prescribed points differ from those of the first frame"
            ),
            Self::NotFinite { point } => write!(f, "point {point} has no finite position"),
            Self::Intersection { bodies, triangles } => write!(
                f,
                "triangle {:?} of {} intersects triangle {:?} of {}",
                triangles[0], bodies[0], triangles[1], bodies[1]
            ),
            Self::Inverted { body, tet } => write!(f, "element {tet} of {body} is inside out"),
            Self::BelowPlane {
                half_space,
                body,
                point,
                depth,
            } => write!(
                f,
                "point {point} of {body} is {depth:e} m behind the plane of {half_space}"
            ),
            Self::OffPath {
                body,
                point,
                distance,
            } => write!(
                f,
                "prescribed point {point} of {body} is {distance:e} m off its path"
            ),
            Self::Deformed {
                body,
                point,
                distance,
            } => write!(
                f,
                "rigid {body} has another shape than in the first frame: point {point} is {distance:e} m off"
            ),
            Self::Crossing {
                bodies,
                points: [p, q, r, s],
                vertex_face,
                at,
            } => {
                if *vertex_face {
                    write!(
                        f,
                        "on the way to it, point {p} of {} meets triangle [{q}, {r}, {s}] of {} at {at} s",
                        bodies[0], bodies[1]
                    )
                } else {
                    write!(
                        f,
                        "on the way to it, edge [{p}, {q}] of {} meets edge [{r}, {s}] of {} at {at} s",
                        bodies[0], bodies[1]
                    )
                }
            }
            Self::More(count) => write!(f, "… and {count} more of this kind"),
        }
    }
}

/// Proves the run in `folder` again. `progress` hears of each frame that is done, from any thread.
///
/// # Errors
/// [`OutputError`] if there is no readable manifest. A frame that cannot be read is a finding, not an error.
pub fn verify_run(
    folder: impl AsRef<Path>,
    progress: &(dyn Fn() + Sync),
) -> Result<Verification, OutputError> {
    let folder = folder.as_ref();
    let manifest = Manifest::read(folder)?;
    let mut verification = Verification::default();
    let Some(first) = manifest.frames.first() else {
        verification.notes.push("no frame was stored".to_owned());
        return Ok(verification);
    };
    let (reference, findings) = load(folder, first);
    let Some(reference) = reference else {
        verification.findings = findings;
        return Ok(verification);
    };
    if first.time.abs() > 0.0 {
        verification.notes.push(format!(
            "the first frame is at {} s, not at 0 s: prescribed positions were not compared",
            first.time
        ));
    }
    let examiner = Examiner::new(&reference, &manifest);
    // Each frame alone, its predecessor read again where needed: any order of work gives the same list.
    let results: Vec<Verification> = (0..manifest.frames.len())
        .into_par_iter()
        .map(|index| {
            let result = examiner.frame(folder, &manifest.frames, index);
            progress();
            result
        })
        .collect();
    for result in results {
        verification.frames += result.frames;
        verification.motions += result.motions;
        verification.unknown_motions += result.unknown_motions;
        verification.prescribed += result.prescribed;
        verification.rigid += result.rigid;
        verification.allowed_inversions += result.allowed_inversions;
        verification.findings.extend(result.findings);
    }
    if verification.unknown_motions > 0 {
        verification.notes.push(format!(
            "{} motions between frames were not examined: steps or parts of steps were not stored",
            verification.unknown_motions
        ));
    }
    Ok(verification)
}

/// Proves one frame again, without a manifest: intersections and element signs alone.
///
/// # Errors
/// [`OutputError`] if it cannot be read.
pub fn verify_frame(path: impl AsRef<Path>) -> Result<Verification, OutputError> {
    let path = path.as_ref();
    let frame = vtu::read_frame(path)?;
    let examiner = Examiner::without_manifest(&frame);
    let file = path.display().to_string();
    let mut result = Verification {
        frames: 1,
        ..Verification::default()
    };
    examiner.state(&frame, &Stamp { file, time: None }, &mut result);
    Ok(result)
}

/// Reads a frame and says whether it is the one that was written.
fn load(folder: &Path, entry: &FrameEntry) -> (Option<Frame>, Vec<Finding>) {
    let finding = |problem| Finding {
        file: entry.file.clone(),
        time: Some(entry.time),
        problem,
    };
    let path: PathBuf = folder.join(&entry.file);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => return (None, vec![finding(Problem::Unreadable(error.to_string()))]),
    };
    let mut findings = Vec::new();
    if Checksum::of(&bytes) != entry.checksum {
        findings.push(finding(Problem::Changed));
    }
    match vtu::decode(&bytes, &path) {
        Ok(frame) => (Some(frame), findings),
        Err(error) => {
            findings.push(finding(Problem::Unreadable(error.to_string())));
            (None, findings)
        }
    }
}

struct Stamp {
    file: String,
    time: Option<f64>,
}

/// What is the same in all frames of a run.
struct Examiner<'a> {
    reference: &'a Frame,
    manifest: Option<&'a Manifest>,
    surface: CollisionSurface,
}

impl<'a> Examiner<'a> {
    fn new(reference: &'a Frame, manifest: &'a Manifest) -> Self {
        Self {
            reference,
            manifest: Some(manifest),
            surface: collision_surface(reference, &manifest.rigid_bodies, &manifest.motions),
        }
    }

    fn without_manifest(reference: &'a Frame) -> Self {
        Self {
            reference,
            manifest: None,
            surface: collision_surface(reference, &[], &[]),
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
    fn frame(&self, folder: &Path, entries: &[FrameEntry], index: usize) -> Verification {
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
    fn state(&self, frame: &Frame, stamp: &Stamp, result: &mut Verification) -> bool {
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
/// `rigid` are the bodies whose shape is examined by itself, so that they need no test against themselves.
fn collision_surface(frame: &Frame, rigid: &[u32], motions: &[RigidMotion]) -> CollisionSurface {
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
    let filter = PairFilter {
        without_self_contact: rigid.to_vec(),
        ..PairFilter::default()
    };
    CollisionSurface::new(
        triangles,
        frame.points.len(),
        frame.body_of_point.clone(),
        passive,
    )
    .with_filter(&filter)
}
