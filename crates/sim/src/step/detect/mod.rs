//! Stage 2: candidate pairs that cover the motion of a step.

mod candidate_kind;
mod displacement;
mod frame;
pub(crate) mod half_space;
pub(crate) mod last_motion;
pub(crate) mod separation;
mod stored_motion;
mod width;

use crate::contacts::step_motion::StepMotion;
use crate::step::detect::last_motion::LastMotion;
use crate::step::detect::separation::POINTS_PER_TASK;
use crate::{model::Model, report::StepReport};
use frame::Frame;
use impinge_geometry::{
    broad_phase::{Aabb, BroadPhase, CandidateSet},
    surface::CollisionSurface,
};
use nalgebra::Vector3;
use rayon::prelude::*;
use tracing::debug;

/// Candidate pairs of boxes that are wider than one step needs. They are kept while every vertex stays in its box.
///
/// The colliding pairs do not depend on the time at which the boxes were made: wider boxes add only pairs that the
/// continuous test rejects. The boxes stand in a [`Frame`] that moves with most of the points, so that bodies which
/// fall side by side do not cross each other's boxes.
pub(crate) struct Detector {
    broad_phase: Box<dyn BroadPhase + Send>,
    /// Box of each point in `frame`: `candidates` are complete while all points are in their boxes.
    boxes: Vec<Aabb>,
    /// The motion that was covered last.
    covered: LastMotion,
    frame: Frame,
    /// Origins of the frame at both ends of the motion that was covered last (m). Any will do if all points share them,
    /// so all rounds of an attempt use those of the first.
    origins: [Vector3<f64>; 2],
    pub(crate) candidates: CandidateSet,
    /// Counts the changes of `candidates`.
    pub(crate) version: u64,
}

/// Margin of a box over the mean edge of its body, 0.05 to 0.2: small against a feature, large against the motion of a
/// resting pile. Fast points soon change direction in a collision; a point that leaves its box gets this margin about
/// its new motion, and candidates are collected again.
const MARGIN_PER_EDGE: f64 = 0.1;

/// Smallest and largest number of steps of motion that a box covers: this step, and so many that the boxes of a resting
/// pile seldom end.
const LOOKAHEAD: (f64, f64) = (1.0, 10.0);

/// Largest motion that a box covers unless that of one step is larger, over the mean edge of its body, 0.25 to 0.5.
/// Larger boxes find too many candidates.
const LOOKAHEAD_PER_EDGE: f64 = 0.35;

/// A motion in which every point keeps its velocity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UniformMotion<'a> {
    /// Positions at its start (m).
    pub(crate) start: &'a [Vector3<f64>],
    /// Velocities (m/s).
    pub(crate) velocity: &'a [Vector3<f64>],
    /// Its length (s).
    pub(crate) time_step: f64,
}

impl Detector {
    /// A detector that collects candidates by `broad_phase`.
    pub(crate) fn new(broad_phase: Box<dyn BroadPhase + Send>) -> Self {
        Self {
            broad_phase,
            boxes: Vec::new(),
            covered: LastMotion::default(),
            frame: Frame::default(),
            origins: [Vector3::zeros(); 2],
            candidates: CandidateSet::default(),
            version: 0,
        }
    }

    /// Makes the candidates cover a motion.
    pub(crate) fn prepare(
        &mut self,
        model: &Model,
        motion: UniformMotion<'_>,
        report: &mut StepReport,
    ) {
        let UniformMotion {
            start,
            velocity,
            time_step,
        } = motion;
        let clearance = |point: usize| {
            model
                .geometry
                .tolerances
                .clearance(model.geometry.length_around(point))
        };
        let vertices = model.geometry.surface.vertices();
        let drift = Frame::drift(vertices, velocity);
        let complete = self.boxes.len() == start.len() && {
            let origin = self.frame.origin(start);
            vertices
                .par_iter()
                .with_min_len(POINTS_PER_TASK)
                .all(|&point| {
                    let point = point as usize;
                    let begin = start[point] - origin;
                    let end = begin + (velocity[point] - drift) * time_step;
                    let swept = Aabb::from_points([&begin, &end]);
                    self.boxes[point].contains(&swept.inflated(clearance(point)))
                })
        };
        // A shorter attempt has the same start, and origins of its own.
        self.covered.forget();
        if !complete {
            self.frame.place(vertices, start);
            let box_of = |(point, (x, v)): (usize, (&Vector3<f64>, &Vector3<f64>))| {
                let edge = model.geometry.length_around(point);
                let v = v - drift;
                let motion = v.norm() * time_step;
                let steps = (LOOKAHEAD_PER_EDGE * edge / motion).clamp(LOOKAHEAD.0, LOOKAHEAD.1);
                let end = x + v * (steps * time_step);
                let margin = clearance(point) + MARGIN_PER_EDGE * edge;
                Aabb::from_points([x, &end]).inflated(margin)
            };
            (start.par_iter().zip(velocity).enumerate())
                .with_min_len(POINTS_PER_TASK)
                .map(box_of)
                .collect_into_vec(&mut self.boxes);
            self.collect(&model.geometry.surface, report);
        }
        report.vertex_face_candidates = self.candidates.vertex_face.len() as u32;
        report.edge_edge_candidates = self.candidates.edge_edge.len() as u32;
    }

    /// Widens the boxes of vertices that leave them on `motion`, and collects candidates again if there are any.
    pub(crate) fn cover(&mut self, model: &Model, motion: StepMotion<'_>, report: &mut StepReport) {
        let StepMotion { start, end, .. } = motion;
        self.covered.compare(&model.geometry.surface, motion);
        let clearance = |point: u32| {
            let edge = model.geometry.length_around(point as usize);
            (model.geometry.tolerances.clearance(edge), edge)
        };
        let vertices = model.geometry.surface.vertices();
        if self.covered.starts_anew() {
            self.origins = [start, end].map(|positions| self.frame.origin(positions));
        }
        let origins = self.origins;
        let swept = |point: u32| {
            let point = point as usize;
            Aabb::from_points([&(start[point] - origins[0]), &(end[point] - origins[1])])
        };
        let (surface, covered) = (&model.geometry.surface, &self.covered);
        let leaves = |&&point: &&u32| {
            if !covered.differs(surface.body_of_point(point)) {
                return false;
            }
            let (clearance, _) = clearance(point);
            !self.boxes[point as usize].contains(&swept(point).inflated(0.5 * clearance))
        };
        let overruns: Vec<u32> = (vertices.par_iter())
            .with_min_len(POINTS_PER_TASK)
            .filter(leaves)
            .copied()
            .collect();
        for &point in &overruns {
            let (clearance, edge) = clearance(point);
            let swept = swept(point).inflated(clearance + MARGIN_PER_EDGE * edge);
            let own = &mut self.boxes[point as usize];
            *own = own.merged(&swept);
        }
        if !overruns.is_empty() {
            report.box_overruns += overruns.len() as u32;
            self.collect(&model.geometry.surface, report);
            report.vertex_face_candidates = self.candidates.vertex_face.len() as u32;
            report.edge_edge_candidates = self.candidates.edge_edge.len() as u32;
        }
    }

    fn collect(&mut self, surface: &CollisionSurface, report: &mut StepReport) {
        self.broad_phase
            .collect(surface, &self.boxes, &mut self.candidates);
        self.version += 1;
        report.broad_phase_collections += 1;
        debug!(
            vertex_face = self.candidates.vertex_face.len(),
            edge_edge = self.candidates.edge_edge.len(),
            "candidate pairs collected"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{contacts::contact::Contact, contacts::two_cubes::TwoCubes, step::refine::Refiner};
    use impinge_geometry::broad_phase::Bvh;

    /// A vertex that moves a hundred times as far as predicted leaves its box, and its collision is still found, also
    /// while all points move.
    #[test]
    fn collisions_outside_the_box_are_found() {
        find_outside_the_box(Vector3::zeros());
        find_outside_the_box(Vector3::new(3.0, -2.0, -8.0));
    }

    /// The second of two steps in which all points have the velocity `common` (m/s).
    fn find_outside_the_box(common: Vector3<f64>) {
        let mut cubes = TwoCubes::apart();
        let vertex = cubes.point([0.25, 0.25, 0.55]);
        cubes.move_upper(vertex, [0.1, 0.2, 0.8]);
        let TwoCubes {
            model,
            mut positions,
        } = cubes;
        // The box covers a few centimetres; the lower cube is 0.3 m away.
        let (predicted, time_step) = (Vector3::new(0.1, -0.2, -4.0), model.settings.time_step);
        let mut velocities = vec![common; positions.len()];
        velocities[vertex as usize] += predicted;
        let mut detector = Detector::new(Box::<Bvh>::default());
        let mut report = StepReport::default();
        let mut prepare = |start: &[Vector3<f64>]| {
            let motion = UniformMotion {
                start,
                velocity: &velocities,
                time_step,
            };
            detector.prepare(&model, motion, &mut report);
        };
        prepare(&positions);
        for (x, v) in positions.iter_mut().zip(&velocities) {
            *x += v * time_step;
        }
        prepare(&positions);
        assert_eq!(report.broad_phase_collections, 1);

        let moved = |velocity: Vector3<f64>| {
            let mut end: Vec<_> = positions.iter().map(|x| x + common * time_step).collect();
            end[vertex as usize] += velocity * time_step;
            end
        };
        let hit = |detector: &Detector, end: &[Vector3<f64>], report: &mut StepReport| {
            let motion = StepMotion {
                start: &positions,
                end,
                time_step,
            };
            let mut contacts: Vec<Contact> = Vec::new();
            let mut refiner = Refiner::default();
            if refiner.find_hits(&model, detector, motion) {
                refiner
                    .add_hits(&model, motion, &mut contacts, report)
                    .expect("free nodes");
                assert!(!contacts.is_empty());
            }
            contacts
        };
        let end = moved(predicted);
        detector.cover(
            &model,
            StepMotion {
                start: &positions,
                end: &end,
                time_step,
            },
            &mut report,
        );
        assert_eq!(report.box_overruns, 0, "the prediction is covered");
        assert!(hit(&detector, &end, &mut report).is_empty());

        let kicked = moved(predicted * 100.0);
        assert!(
            hit(&detector, &kicked, &mut report).is_empty(),
            "the candidates of the prediction do not have the pair"
        );
        detector.cover(
            &model,
            StepMotion {
                start: &positions,
                end: &kicked,
                time_step,
            },
            &mut report,
        );
        assert_eq!(report.box_overruns, 1);
        assert_eq!(report.broad_phase_collections, 2);
        let contacts = hit(&detector, &kicked, &mut report);
        assert!(!contacts.is_empty(), "it went into the lower cube");
        for contact in contacts {
            assert!(contact.stencil().contains(&vertex), "{:?}", contact.key);
        }
    }

    /// Boxes for `velocities`, and the number of collections if the velocities one step later are `then`.
    fn boxes(velocities: &[Vector3<f64>], then: &[Vector3<f64>]) -> (Vec<Aabb>, u32) {
        let TwoCubes { model, positions } = TwoCubes::apart();
        let (mut detector, mut report) =
            (Detector::new(Box::<Bvh>::default()), StepReport::default());
        let time_step = model.settings.time_step;
        detector.prepare(
            &model,
            UniformMotion {
                start: &positions,
                velocity: velocities,
                time_step,
            },
            &mut report,
        );
        let boxes = detector.boxes.clone();
        let later: Vec<_> = (positions.iter().zip(velocities))
            .map(|(x, v)| x + v * time_step)
            .collect();
        detector.prepare(
            &model,
            UniformMotion {
                start: &later,
                velocity: then,
                time_step,
            },
            &mut report,
        );
        (boxes, report.broad_phase_collections)
    }

    /// Bodies that move alike have the boxes of bodies at rest, and keep them.
    #[test]
    fn a_common_motion_widens_no_box() {
        let points = TwoCubes::apart().positions.len();
        let alike = |velocity| vec![velocity; points];
        let falling = alike(Vector3::new(0.0, 0.0, -8.0));
        let (at_rest, _) = boxes(&alike(Vector3::zeros()), &alike(Vector3::zeros()));
        let (moving, collections) = boxes(&falling, &falling);
        assert_eq!(moving, at_rest);
        assert_eq!(collections, 1);
    }

    /// A shorter attempt from the same start takes its own frame: bodies that fall together stay in their boxes.
    #[test]
    fn a_shorter_attempt_has_a_frame_of_its_own() {
        let TwoCubes { model, positions } = TwoCubes::apart();
        let falling = vec![Vector3::new(0.0, 0.0, -8.0); positions.len()];
        let (mut detector, mut report) =
            (Detector::new(Box::<Bvh>::default()), StepReport::default());
        for time_step in [0.1, 0.05] {
            let end: Vec<_> = (positions.iter().zip(&falling))
                .map(|(x, v)| x + v * time_step)
                .collect();
            detector.prepare(
                &model,
                UniformMotion {
                    start: &positions,
                    velocity: &falling,
                    time_step,
                },
                &mut report,
            );
            let motion = StepMotion {
                start: &positions,
                end: &end,
                time_step,
            };
            detector.cover(&model, motion, &mut report);
        }
        assert_eq!(report.box_overruns, 0);
        assert_eq!(report.broad_phase_collections, 1);
    }

    /// A fast point widens its own box only, and may change direction within it.
    #[test]
    fn a_fast_point_has_a_box_of_its_own_and_may_turn_in_it() {
        let cubes = TwoCubes::apart();
        let still = vec![Vector3::zeros(); cubes.positions.len()];
        let fast = cubes.model.geometry.surface.vertices()[3] as usize;
        let speed = 0.1 * cubes.model.geometry.length_around(fast) / cubes.model.settings.time_step;
        let (mut forwards, mut aside) = (still.clone(), still.clone());
        forwards[fast] = Vector3::x() * speed;
        aside[fast] = Vector3::y() * -speed;
        let (at_rest, _) = boxes(&still, &still);
        let (moving, collections) = boxes(&forwards, &aside);
        assert_eq!(collections, 1);
        for (point, (rest, moved)) in at_rest.iter().zip(&moving).enumerate() {
            assert_eq!(point != fast, rest == moved, "{point}");
        }
        // If it moves farther than its margin, candidates are collected again.
        aside[fast] *= 10.0;
        assert_eq!(boxes(&forwards, &aside).1, 2);
    }
}
