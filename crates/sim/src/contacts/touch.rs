//! From an impact to the touching features, and to the contact that keeps them apart.

use crate::contacts::step_motion::{Hit, StepMotion};
use crate::contacts::{
    contact::{Contact, ContactKey},
    features::features_for,
    linearise::{Linearisation, closest_direction, linearise},
    stencil::stencil_of,
};
use crate::geometry::Geometry;
use impinge_contact::{Multipliers, frame::ContactFrame};
use nalgebra::Vector3;

/// An impact, reduced to the features that touch.
pub(crate) struct Touch {
    pub(crate) key: ContactKey,
    points: [u32; 4],
    point_count: u8,
    /// Stencil positions at the time of impact (m).
    pub(crate) at_impact: [Vector3<f64>; 4],
    /// Whether the pair keeps its own features because a contact of nearer features fails to keep it apart.
    pub(crate) stands_alone: bool,
}

impl Touch {
    pub(crate) fn new(geometry: &Geometry, hit: &Hit, motion: StepMotion<'_>) -> Self {
        let found = Self::with_key(geometry, hit.key, hit.time, motion);
        let key = features_for(geometry, hit.key, &found.at_impact, motion.start);
        if key == hit.key {
            found
        } else {
            Self::with_key(geometry, key, hit.time, motion)
        }
    }

    pub(crate) fn with_key(
        geometry: &Geometry,
        key: ContactKey,
        time: f64,
        motion: StepMotion<'_>,
    ) -> Self {
        let (points, point_count) = stencil_of(geometry, key);
        let mut at_impact = [Vector3::zeros(); 4];
        for (x, &point) in at_impact
            .iter_mut()
            .zip(&points[..usize::from(point_count)])
        {
            let start = motion.start[point as usize];
            *x = start + (motion.end[point as usize] - start) * time;
        }
        Self {
            key,
            points,
            point_count,
            at_impact,
            stands_alone: false,
        }
    }

    /// A contact from an impact: normal and weights at the time of impact, distance at the start.
    pub(crate) fn first_contact(&self, geometry: &Geometry, motion: StepMotion<'_>) -> Contact {
        let origin = match self.key {
            ContactKey::VertexHalfSpace { half_space, .. } => {
                geometry.half_spaces[half_space as usize].point
            }
            _ => Vector3::zeros(),
        };
        let mut contact = Contact {
            key: self.key,
            points: self.points,
            point_count: self.point_count,
            weights: [0.0; 4],
            anchor_weights: [0.0; 4],
            origin,
            anchor: Vector3::zeros(),
            frame: ContactFrame::around(Vector3::z()),
            distance: 0.0,
            anchored: false,
            slip_start: Vector3::zeros(),
            friction: geometry.friction_of(self.key),
            multipliers: Multipliers::default(),
            held: false,
            hits: 0,
            relinearised: 0,
            stands_alone: self.stands_alone,
        };
        let start = contact.gather(motion.start);
        let lin = self.linearisation(geometry, &start, motion);
        contact.weights = lin.weights;
        contact.frame = ContactFrame::around(lin.normal);
        contact.distance = lin.normal.dot(&contact.gap_vector(&start));
        // Sticking means no motion along the tangents during this step. Verschoor and Jalba 2019 end at the point of
        // impact instead; near-duplicate contacts collide at slightly different times and would then be inconsistent.
        contact.drop_anchor(&start);
        contact
    }

    /// Feature normal at the impact. If the features admit none that separates them, the closest direction at the
    /// start.
    fn linearisation(
        &self,
        geometry: &Geometry,
        start: &[Vector3<f64>; 4],
        motion: StepMotion<'_>,
    ) -> Linearisation {
        let apart = closest_direction(self.key, start).unwrap_or_else(Vector3::z);
        linearise(
            geometry,
            Some(motion.start),
            self.key,
            &self.at_impact,
            &apart,
        )
        .clamped(self.key)
        .facing(self.key, start)
    }
}
