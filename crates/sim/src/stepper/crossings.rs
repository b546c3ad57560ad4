//! Detection of surfaces that cross, for steppers without contact.

use crate::model::Model;
use impinge_geometry::{
    broad_phase::{Aabb, BroadPhase, Bvh, CandidateSet},
    ccd::{CcdRule, LinearMotion, earliest_impact},
    exact::surface_intersections,
};
use nalgebra::Vector3;

/// Detects surfaces that cross along the straight paths of a step, or intersect at its end. Joined bodies are excepted.
#[derive(Default)]
pub(crate) struct Crossings {
    broad_phase: Bvh,
    boxes: Vec<Aabb>,
    candidates: CandidateSet,
}

/// The first two surfaces that crossed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Crossing {
    /// Their bodies in the collision surface; the same twice for a self-intersection.
    pub(crate) bodies: [usize; 2],
    /// Fraction of the step at the crossing.
    pub(crate) at: f64,
}

impl Crossings {
    /// The first crossing between `start` and `end` (m), if any.
    pub(crate) fn first(
        &mut self,
        model: &Model,
        start: &[Vector3<f64>],
        end: &[Vector3<f64>],
    ) -> Option<Crossing> {
        let is_finite = |x: &Vector3<f64>| x.iter().all(|coordinate| coordinate.is_finite());
        if !end.iter().all(is_finite) {
            // Non-finite positions have no meaningful crossing.
            return None;
        }
        let surface = &model.geometry.surface;
        self.boxes.clear();
        let ways = start.iter().zip(end);
        self.boxes
            .extend(ways.map(|(x, y)| Aabb::from_points([x, y])));
        self.broad_phase
            .collect(surface, &self.boxes, &mut self.candidates);
        let motion = LinearMotion { start, end };
        let rule = CcdRule::default();
        if let Some(met) = earliest_impact(surface, &self.candidates, motion, &rule) {
            let [first, _, other, _] = met.pair.points(surface);
            return Some(Crossing {
                bodies: [first, other].map(|point| model.geometry.solid_of_point(point)),
                at: met.time,
            });
        }
        // Surfaces that intersect from the start need not collide along their paths.
        let pairs = surface_intersections(end, surface, 1);
        pairs.first().map(|pair| Crossing {
            bodies: (pair.triangles).map(|triangle| {
                model
                    .geometry
                    .solid_of_point(surface.triangles()[triangle as usize][0])
            }),
            at: 1.0,
        })
    }
}
