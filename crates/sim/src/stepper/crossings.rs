//! Surfaces that meet although no contact keeps them apart: what a stepper that knows none has to report.

use crate::model::Model;
use impinge_geometry::{
    broad_phase::{Aabb, BroadPhase, Bvh, CandidateSet},
    ccd::{CcdRule, LinearMotion, earliest_impact},
    exact::surface_intersections,
};
use nalgebra::Vector3;

/// Looks for surfaces that meet on the straight way of a step, or intersect at its end. Joined bodies are excepted,
/// as everywhere.
#[derive(Default)]
pub(crate) struct Crossings {
    broad_phase: Bvh,
    boxes: Vec<Aabb>,
    candidates: CandidateSet,
}

/// The first two surfaces that met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Crossing {
    /// Their bodies, as numbers of the collision surface's; twice the same for a body that meets itself.
    pub(crate) bodies: [usize; 2],
    /// Fraction of the step until then.
    pub(crate) at: f64,
}

impl Crossings {
    /// The first crossing on the way from `start` to `end` (m), if there is one.
    pub(crate) fn first(
        &mut self,
        model: &Model,
        start: &[Vector3<f64>],
        end: &[Vector3<f64>],
    ) -> Option<Crossing> {
        let is_finite = |x: &Vector3<f64>| x.iter().all(|coordinate| coordinate.is_finite());
        if !end.iter().all(is_finite) {
            // Positions that are not finite cross nothing that could be named.
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
        // Surfaces that were through each other from the start meet nothing more on their way.
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
