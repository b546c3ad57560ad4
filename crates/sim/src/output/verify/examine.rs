//! Checks one frame, and the motion from the previous one.

use super::bodies::Bodies;
use super::energies::Sheet;
use super::meeting::first_meeting;
use super::overlap::{Bounds, for_each_overlap};
use super::reactions::ReactionRows;
use super::rigid::RigidRows;
use super::shape::{collision_surface, off_shape};
use super::tables::is_time_of;
use super::verification::{TIME_ROUNDING, load};
use super::{Finding, Problem, Verification};
use crate::flight::second_order::is_of_second_order;
use crate::flight::turns;
use crate::model::Model;
use crate::output::energies::ENERGIES_CSV;
use crate::output::rigid::RIGID_CSV;
use crate::output::{Frame, FrameEntry, HalfSpaceEntry, Manifest};
use crate::scene::RigidMotion;
use impinge_ccd_oracle::Kind;
use impinge_geometry::exact;
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;
use std::path::Path;

/// Largest number of reported findings of one kind per frame; others are only counted.
const PER_FRAME: usize = 8;

/// Tolerance of prescribed points relative to the largest coordinate: a few thousand rounding errors, far below
/// anything visible. Rounding of times adds an error that grows with time and speed ([`TIME_ROUNDING`]).
const PATH_TOLERANCE: f64 = 1e-12;

/// Tolerance of points of a rigid body relative to the largest coordinate. The shape is reconstructed from three of its
/// points, which multiplies their rounding by the slenderness of the body.
const SHAPE_TOLERANCE: f64 = 1e-10;

/// A file and its time (s), for findings about it.
pub(super) struct Stamp {
    pub(super) file: String,
    pub(super) time: Option<f64>,
}

/// A frame in the list of a run.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) folder: &'a Path,
    pub(super) entries: &'a [FrameEntry],
    pub(super) index: usize,
}

impl<'a> Listed<'a> {
    pub(super) fn entry(&self) -> &'a FrameEntry {
        &self.entries[self.index]
    }

    /// The entry of the frame before it, if there is one.
    pub(super) fn before(&self) -> Option<&'a FrameEntry> {
        self.index
            .checked_sub(1)
            .map(|before| &self.entries[before])
    }
}

/// Position of a prescribed point at a time.
#[derive(Clone, Copy)]
pub(super) struct Passage<'a> {
    pub(super) point: u32,
    /// Its position (m).
    pub(super) place: &'a Vector3<f64>,
    /// The time (s).
    pub(super) time: f64,
}

/// Tolerance of the motion of points by their velocity, relative to the largest term: rounding of a product and a sum.
const MOVE_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Data shared by all frames of a run.
pub(super) struct Examiner<'a> {
    pub(super) reference: &'a Frame,
    pub(super) manifest: Option<&'a Manifest>,
    pub(super) surface: CollisionSurface,
    pub(super) bodies: Bodies,
    /// The model of the scene, if it is available.
    pub(super) model: Option<&'a Model>,
    /// The same, if free nodes move straight in each step.
    pub(super) model_of_moves: Option<&'a Model>,
    pub(super) rigid: Option<&'a RigidRows>,
    pub(super) reactions: Option<&'a ReactionRows>,
    /// The balance sheet of the run, if there is one.
    pub(super) sheet: Option<&'a Sheet>,
    /// Longest straight piece of a prescribed motion (s), where motions are not straight from frame to frame.
    pub(super) longest_piece: Option<f64>,
    /// Length of the steps (s).
    pub(super) step: Option<f64>,
}

impl<'a> Examiner<'a> {
    pub(super) fn new(reference: &'a Frame, manifest: Option<&'a Manifest>) -> Self {
        let rigid = |manifest: &Manifest| Bodies::new(reference, &manifest.rigid_bodies);
        Self {
            reference,
            manifest,
            surface: collision_surface(reference, manifest),
            bodies: manifest.map(rigid).unwrap_or_default(),
            model: None,
            model_of_moves: None,
            rigid: None,
            reactions: None,
            sheet: None,
            longest_piece: None,
            step: None,
        }
    }

    pub(super) fn body_name(&self, point: u32) -> String {
        let body = self.reference.body_of_point[point as usize];
        self.manifest
            .and_then(|manifest| manifest.bodies.get(body as usize))
            .cloned()
            .unwrap_or_else(|| format!("body {body}"))
    }

    /// Checks frame `index` and the motion to it.
    pub(super) fn frame(
        &self,
        folder: &Path,
        entries: &[FrameEntry],
        index: usize,
    ) -> Verification {
        let listed = Listed {
            folder,
            entries,
            index,
        };
        let entry = listed.entry();
        let stamp = Stamp {
            file: entry.file.clone(),
            time: Some(entry.time),
        };
        let (frame, findings) = load(folder, entry);
        let mut result = Verification {
            frames: 1,
            // Unknown until it is checked.
            unknown_motions: usize::from(index > 0),
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
        self.paths(&frame, entry, &stamp, &mut result);
        if let (Some(rigid), Some(manifest)) = (self.rigid, self.manifest) {
            let frames = [self.reference, &frame];
            let found = rigid.compare(manifest, &self.bodies, entry, frames);
            result
                .findings
                .extend(found.into_iter().map(|what| Finding {
                    file: RIGID_CSV.to_owned(),
                    time: Some(entry.time),
                    problem: Problem::Disagrees(what),
                }));
        }
        self.contacts(listed, &frame, &mut result);
        self.lines(listed, &frame, &mut result);
        if let Some(reactions) = self.reactions {
            reactions.compare(&self.bodies, entry, &frame, &mut result.findings);
        }
        // The motion is known from the two frames, or from its pieces.
        let is_straight = entry.parts == 1;
        if index == 0 || !(is_straight || entry.pieces.is_some()) {
            return result;
        }
        let before = &entries[index - 1];
        // A finding about the previous frame is reported with that frame.
        let start = load(folder, before).0.filter(|start| {
            self.has_same_mesh(start, entries, index - 1) && first_infinite(start).is_none()
        });
        let Some(start) = start else {
            return result;
        };
        if is_straight {
            (result.motions, result.unknown_motions) = (1, 0);
            self.moves(&start, &frame, &stamp, &mut result);
            if let (Some(sheet), Some(model)) = (self.sheet, self.model_of_moves) {
                for what in sheet.compare(model, entry.step, &start, &frame) {
                    result.findings.push(Finding {
                        file: ENERGIES_CSV.to_owned(),
                        time: Some(entry.time),
                        problem: Problem::Disagrees(what),
                    });
                }
            }
            let points = [start.points.as_slice(), &frame.points];
            let times = [before.time, entry.time];
            self.motion(points, times, &stamp, &mut result);
        } else if self.motion_in_pieces(listed, [&start, &frame], &mut result) {
            (result.motions, result.unknown_motions) = (1, 0);
        }
        result
    }

    /// Whether elements and bodies of frame `index` equal those of the first frame, and prescribed points too unless
    /// they may be released by then.
    ///
    /// Nodes are released at the start of a step, so both are valid between two frames.
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
        frame.names == reference.names
            && frame.tets == reference.tets
            && frame.triangles == reference.triangles
            && frame.body_of_point == reference.body_of_point
            && frame.motion_of_point.len() == reference.motion_of_point.len()
            && frame
                .motion_of_point
                .iter()
                .zip(&reference.motion_of_point)
                .all(same_or_let_go)
    }

    /// Checks the positions of one frame; `false` if they are not finite.
    pub(super) fn state(&self, frame: &Frame, stamp: &Stamp, result: &mut Verification) -> bool {
        if let Some((array, index)) = first_infinite(frame) {
            report(result, stamp, Problem::NotFinite { array, index });
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

    /// Free surface points must be in front of the plane of every half-space.
    fn planes(&self, frame: &Frame, stamp: &Stamp, result: &mut Verification) {
        for half_space in self.manifest.iter().flat_map(|m| &m.half_spaces) {
            let behind = self.surface.vertices().iter().filter_map(|&point| {
                if frame.motion_of_point[point as usize].is_some() {
                    return None;
                }
                Some((
                    point,
                    depth_below(half_space, &frame.points[point as usize])?,
                ))
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

    /// Rigid bodies must have the shape of the first frame, up to a rigid motion.
    fn shapes(&self, frame: &Frame, stamp: &Stamp, result: &mut Verification) {
        for &body in self.manifest.iter().flat_map(|m| &m.rigid_bodies) {
            let points = self.bodies.points(body);
            result.rigid += 1;
            let (point, distance) = off_shape(points, &self.reference.points, &frame.points);
            let size = points
                .iter()
                .map(|&point| frame.points[point as usize].amax())
                .fold(0.0, f64::max);
            // The form of the comparison also detects NaN, the result for collinear shapes.
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

    /// Prescribed points must be where their motion takes the points of the first frame.
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
            let place = &frame.points[point as usize];
            let slack = self.arc_slack(motion, entry);
            let passage = Passage {
                point,
                place,
                time: entry.time,
            };
            if let Some(distance) = self.off_path(motion, passage, slack) {
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

    /// Largest distance of a point from its arc at the time of `entry`, relative to its arm. It is 0 at the ends of the
    /// pieces of prescribed motions, which include the end of every step; but a run may have stopped within a step.
    pub(super) fn arc_slack(&self, motion: &RigidMotion, entry: &FrameEntry) -> f64 {
        match (self.longest_piece, self.step) {
            (Some(longest), Some(step)) if !is_time_of(entry.time, entry.step, step) => {
                // Distance between the middle of a chord and its arc.
                (motion.fastest_turn() * longest).powi(2) / 8.0
            }
            _ => 0.0,
        }
    }

    /// Distance of a prescribed point from the path of its motion (m), if it exceeds rounding; `slack` is relative to
    /// the arm.
    pub(super) fn off_path(
        &self,
        motion: &RigidMotion,
        passage: Passage<'_>,
        slack: f64,
    ) -> Option<f64> {
        let Passage { point, place, time } = passage;
        let start = &self.reference.points[point as usize];
        let distance = (place - motion.position_at(start, time)).amax();
        let size = start.amax().max(place.amax()).max(motion.center.amax());
        let arm = (start - motion.center).norm();
        let speed = motion.fastest_move() + motion.fastest_turn() * arm;
        let allowed = PATH_TOLERANCE * size + TIME_ROUNDING * speed * time + slack * arm;
        (distance > allowed).then_some(distance)
    }

    /// Free nodes of deformable bodies must have moved by their velocity over the step, without its gain from the turn
    /// of their component; this detects displaced ones.
    fn moves(&self, start: &Frame, end: &Frame, stamp: &Stamp, result: &mut Verification) {
        let Some(model) = self.model_of_moves else {
            return;
        };
        if is_of_second_order(model) {
            // Frames do not hold the means that its velocities follow from.
            return;
        }
        let step = model.settings.time_step;
        let has_no_motion = |point: usize| end.motion_of_point[point].is_none();
        let motion = [start.points.as_slice(), start.velocities.as_slice()];
        let turns = turns(model, has_no_motion, motion, step);
        let gain = |point: usize| {
            let component = model.components.of_point(point);
            let turn = component.and_then(|component| turns[component]);
            turn.map_or_else(Vector3::zeros, |turn| turn.gain(&start.points[point]))
        };
        let is_free = |point: usize| {
            end.motion_of_point[point].is_none()
                && !self.bodies.is_free_and_rigid(end.body_of_point[point])
        };
        let off = (0..end.points.len())
            .filter(|&point| is_free(point))
            .filter_map(|point| {
                let (from, to) = (start.points[point], end.points[point]);
                let way = (end.velocities[point] - gain(point)) * step;
                let distance = (from + way - to).amax();
                let size = from.amax().max(to.amax()).max(way.amax());
                let size = size.max(end.velocities[point].amax() * step);
                (distance > MOVE_ROUNDING * size).then_some((point as u32, distance))
            });
        report_some(
            result,
            stamp,
            off.map(|(point, distance)| Problem::OffVelocity {
                body: self.body_name(point),
                point,
                distance,
            }),
        );
    }

    /// Calls the function for every pair of features that may touch and whose boxes overlap; `bounds` are the boxes of
    /// their points.
    pub(super) fn for_each_pair(
        &self,
        bounds: impl Fn(&[u32]) -> Bounds,
        mut take: impl FnMut([u32; 4], Kind),
    ) {
        let surface = &self.surface;
        let (vertices, edges, triangles) =
            (surface.vertices(), surface.edges(), surface.triangles());
        let of_vertices: Vec<Bounds> = vertices.iter().map(|&point| bounds(&[point])).collect();
        let of_edges: Vec<Bounds> = edges.iter().map(|edge| bounds(edge)).collect();
        let of_triangles: Vec<Bounds> = triangles.iter().map(|triangle| bounds(triangle)).collect();
        for_each_overlap(&of_vertices, &of_triangles, |vertex, triangle| {
            let (point, [a, b, c]) = (vertices[vertex], triangles[triangle]);
            if surface.may_touch(&[point], &[a, b, c]) {
                take([point, a, b, c], Kind::VertexFace);
            }
        });
        for_each_overlap(&of_edges, &of_edges, |first, second| {
            let ([a, b], [c, d]) = (edges[first], edges[second]);
            // Every pair is found twice.
            if first < second && surface.may_touch(&[a, b], &[c, d]) {
                take([a, b, c, d], Kind::EdgeEdge);
            }
        });
    }

    /// Proves that no two features collide on the straight motion from `start` to `end`.
    fn motion(
        &self,
        [start, end]: [&[Vector3<f64>]; 2],
        times: [f64; 2],
        stamp: &Stamp,
        result: &mut Verification,
    ) {
        let bounds = |points: &[u32]| {
            let ends = points.iter().map(|&point| point as usize);
            Bounds::around(ends.flat_map(|point| [&start[point], &end[point]]))
        };
        let mut crossings = Vec::new();
        let examine = |points: [u32; 4], kind: Kind| {
            let from = points.map(|point| start[point as usize]);
            let to = points.map(|point| end[point as usize]);
            if let Some(part) = first_meeting(kind, &from, &to) {
                crossings.push(Problem::Crossing {
                    bodies: [points[0], points[2]].map(|point| self.body_name(point)),
                    points,
                    vertex_face: kind == Kind::VertexFace,
                    at: times[0] + part * (times[1] - times[0]),
                });
            }
        };
        self.for_each_pair(bounds, examine);
        report_some(result, stamp, crossings.into_iter());
    }
}

/// Depth of a point behind the plane of a half-space (m), if it exceeds rounding.
pub(super) fn depth_below(half_space: &HalfSpaceEntry, place: &Vector3<f64>) -> Option<f64> {
    let height = (place - half_space.point).dot(&half_space.normal);
    // Rounding of the difference and of three products: beyond it the sign is certain.
    let size = place.amax() + half_space.point.amax();
    (height < -16.0 * f64::EPSILON * size).then_some(-height)
}

/// The first array with a non-finite number, and its index.
fn first_infinite(frame: &Frame) -> Option<(&'static str, u32)> {
    let Frame {
        points,
        velocities,
        contact_forces,
        von_mises,
        ..
    } = frame;
    let arrays = [
        ("points", points),
        ("velocity", velocities),
        ("contact_force", contact_forces),
    ];
    let vectors = arrays.into_iter().find_map(|(name, vectors)| {
        let is_infinite = |vector: &Vector3<f64>| !vector.iter().all(|x| x.is_finite());
        Some((name, vectors.iter().position(is_infinite)? as u32))
    });
    vectors.or_else(|| {
        let tet = von_mises.iter().position(|stress| !stress.is_finite())?;
        Some(("von_mises", tet as u32))
    })
}

pub(super) fn report(result: &mut Verification, stamp: &Stamp, problem: Problem) {
    result.findings.push(Finding {
        file: stamp.file.clone(),
        time: stamp.time,
        problem,
    });
}

/// Reports the first few of `problems`, and the number of the others.
pub(super) fn report_some(
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
