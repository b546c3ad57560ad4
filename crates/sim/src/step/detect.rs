//! Stage 2: candidate pairs that cover the motion of a step.

use crate::{model::Model, report::StepReport};
use impinge_geometry::{
    broad_phase::{Aabb, BroadPhase, Bvh, CandidateSet},
    surface::CollisionSurface,
};
use nalgebra::Vector3;

/// Candidates for boxes that are wider than one step needs, kept for as long as every vertex stays inside its box.
///
/// Which pairs are found to collide does not depend on when the boxes were made: they only ever add pairs that the
/// continuous test then rejects.
pub(crate) struct Detector {
    broad_phase: Bvh,
    /// One box per point: where it may be while `candidates` are complete.
    boxes: Vec<Aabb>,
    pub(crate) candidates: CandidateSet,
    /// Grows whenever `candidates` change.
    pub(crate) version: u64,
}

/// Margin of a box over the mean edge: small against a feature, large against the motion of a resting pile.
const MARGIN_PER_EDGE: f64 = 0.04;

/// Steps of the present motion that a box looks ahead, at the least and at the most.
const LOOKAHEAD: (f64, f64) = (2.0, 10.0);

/// Motion that a box looks ahead, over the mean edge: beyond it the candidates would be too many.
const LOOKAHEAD_PER_EDGE: f64 = 0.3;

impl Detector {
    pub(crate) fn new() -> Self {
        Self {
            broad_phase: Bvh::new(),
            boxes: Vec::new(),
            candidates: CandidateSet::default(),
            version: 0,
        }
    }

    /// Makes the candidates cover the straight motion from `start` at `velocity` over `time_step`.
    pub(crate) fn prepare(
        &mut self,
        model: &Model,
        start: &[Vector3<f64>],
        velocity: &[Vector3<f64>],
        time_step: f64,
        report: &mut StepReport,
    ) {
        let clearance = model.tolerances.clearance();
        let covers = |boxes: &[Aabb], point: u32| {
            let point = point as usize;
            let end = start[point] + velocity[point] * time_step;
            boxes[point].contains(&Aabb::from_points([&start[point], &end]).inflated(clearance))
        };
        let complete = self.boxes.len() == start.len()
            && model
                .surface
                .vertices()
                .iter()
                .all(|&point| covers(&self.boxes, point));
        if !complete {
            let edge = model.tolerances.edge_length;
            let fastest = model
                .surface
                .vertices()
                .iter()
                .map(|&p| velocity[p as usize].norm())
                .fold(0.0, f64::max);
            let ahead = (LOOKAHEAD_PER_EDGE * edge / (fastest * time_step))
                .clamp(LOOKAHEAD.0, LOOKAHEAD.1)
                * time_step;
            self.boxes.clear();
            self.boxes.extend(start.iter().zip(velocity).map(|(x, v)| {
                let end = x + v * ahead;
                Aabb::from_points([x, &end]).inflated(clearance + MARGIN_PER_EDGE * edge)
            }));
            self.collect(&model.surface, report);
        }
        report.vertex_face_candidates = self.candidates.vertex_face.len() as u32;
        report.edge_edge_candidates = self.candidates.edge_edge.len() as u32;
    }

    /// Widens the boxes of vertices whose solved motion leaves them, and collects anew if there were any (spec 7.2, 5).
    pub(crate) fn cover(
        &mut self,
        model: &Model,
        start: &[Vector3<f64>],
        end: &[Vector3<f64>],
        report: &mut StepReport,
    ) {
        let clearance = model.tolerances.clearance();
        let margin = clearance + MARGIN_PER_EDGE * model.tolerances.edge_length;
        let mut overruns = 0;
        for &point in model.surface.vertices() {
            let point = point as usize;
            let swept = Aabb::from_points([&start[point], &end[point]]);
            if !self.boxes[point].contains(&swept.inflated(0.5 * clearance)) {
                self.boxes[point] = self.boxes[point].merged(&swept.inflated(margin));
                overruns += 1;
            }
        }
        if overruns > 0 {
            report.box_overruns += overruns;
            self.collect(&model.surface, report);
            report.vertex_face_candidates = self.candidates.vertex_face.len() as u32;
            report.edge_edge_candidates = self.candidates.edge_edge.len() as u32;
        }
    }

    fn collect(&mut self, surface: &CollisionSurface, report: &mut StepReport) {
        self.broad_phase
            .collect(surface, &self.boxes, &mut self.candidates);
        self.version += 1;
        report.broad_phase_collections += 1;
    }
}
