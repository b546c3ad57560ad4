//! A contact as the step loop keeps it: features, linearisation, anchor and forces.

use impinge_contact::{Multipliers, frame::ContactFrame};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Least number of contacts per parallel task.
pub(crate) const CONTACTS_PER_TASK: usize = 512;

/// The pair of features that touch. Contacts are ordered by their keys everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ContactKey {
    /// A point and a surface triangle.
    VertexFace {
        /// Point of the geometry.
        vertex: u32,
        /// Triangle of the collision surface.
        face: u32,
    },
    /// Two surface edges, the smaller index first.
    EdgeEdge {
        /// Edge of the collision surface.
        first: u32,
        /// Edge of the collision surface.
        second: u32,
    },
    /// A point and an edge: replaces a pair that touches within reach of an edge's end or a triangle's side.
    VertexEdge {
        /// Point of the geometry.
        vertex: u32,
        /// Edge of the collision surface.
        edge: u32,
    },
    /// Two points: replaces a pair that touches at ends or corners of both sides.
    VertexVertex {
        /// Point of the geometry, the smaller number.
        first: u32,
        /// Point of the geometry.
        second: u32,
    },
    /// A point and a half-space.
    VertexHalfSpace {
        /// Point of the geometry.
        vertex: u32,
        /// Half-space of the geometry.
        half_space: u32,
    },
}

/// A persistent contact: its features, its linearisation, and the force it carries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// The pair of features.
    pub key: ContactKey,
    /// Points of the stencil: `[p, a, b, c]`, `[a0, a1, b0, b1]`, `[p, a, b]`, `[p, q]` or `[p]`, the first side first.
    pub points: [u32; 4],
    /// How many of `points` count.
    pub point_count: u8,
    /// Signed weights of the normal row: the gap vector is `Σ w x − origin`; they sum to 0, or to 1 for a half-space.
    pub weights: [f64; 4],
    /// The same for the tangential rows: weights of the anchor.
    pub anchor_weights: [f64; 4],
    /// A point of the half-space's plane; zero between meshes (m).
    pub origin: Vector3<f64>,
    /// For a half-space, its material point that sticks. Between meshes, the distance vector of the stuck points across
    /// the normal: zero, except at ends and corners (m).
    pub anchor: Vector3<f64>,
    /// Normal and tangents.
    pub frame: ContactFrame,
    /// `d`: distance at the start of the step with the current linearisation (m).
    pub distance: f64,
    /// Whether the anchor persists from earlier steps: slip is then measured from it, else from the start of the step.
    pub anchored: bool,
    /// Slip since the anchor was set, which the step has to undo in order to stick (m).
    pub slip_start: Vector3<f64>,
    /// `μ` of the pair.
    pub friction: f64,
    /// State and forces.
    pub multipliers: Multipliers,
    /// Whether a repeated impact occurred, or its gap did not settle: for the rest of the step the contact has the
    /// normal of its own features, and only impacts move its linearisation.
    pub held: bool,
    /// Number of repeated impacts during this step.
    pub hits: u8,
    /// Number of re-linearisations at the ends of motions without impacts that its gap required during this step.
    pub relinearised: u8,
    /// Whether it keeps its own features although it is near an end or a side, because a contact of the nearer features
    /// fails to keep this pair apart.
    pub stands_alone: bool,
}

impl Contact {
    /// Points that the rows act on.
    pub fn stencil(&self) -> &[u32] {
        &self.points[..usize::from(self.point_count)]
    }

    /// Stencil positions out of all points; unused entries are zero.
    pub fn gather(&self, positions: &[Vector3<f64>]) -> [Vector3<f64>; 4] {
        let mut corners = [Vector3::zeros(); 4];
        for (corner, &point) in corners.iter_mut().zip(self.stencil()) {
            *corner = positions[point as usize];
        }
        corners
    }

    /// Turns the frame, and the anchor with it, to a new normal.
    pub fn turn_to(&mut self, normal: Vector3<f64>) {
        let turned = self.frame.transported(normal);
        if !matches!(self.key, ContactKey::VertexHalfSpace { .. }) {
            let [a, b] = self.frame.tangential(&self.anchor);
            self.anchor = turned.tangents[0] * a + turned.tangents[1] * b;
        }
        self.frame = turned;
    }

    /// `Σ w x − origin` with the normal row's weights (m).
    pub fn gap_vector(&self, corners: &[Vector3<f64>; 4]) -> Vector3<f64> {
        combine(&self.weights, corners) - self.origin
    }

    /// `Σ w x − anchor` with the tangential rows' weights (m).
    pub fn anchor_vector(&self, corners: &[Vector3<f64>; 4]) -> Vector3<f64> {
        combine(&self.anchor_weights, corners) - self.anchor
    }

    /// Sets the anchor to the current closest points, with zero slip.
    pub fn drop_anchor(&mut self, corners: &[Vector3<f64>; 4]) {
        self.anchor_weights = self.weights;
        let gap = combine(&self.weights, corners);
        self.anchor = match self.key {
            ContactKey::VertexHalfSpace { .. } => gap,
            _ => gap - self.frame.normal * self.frame.normal.dot(&gap),
        };
        self.slip_start = Vector3::zeros();
    }

    /// Force on `points[i]` (N).
    pub fn force_on(&self, i: usize) -> Vector3<f64> {
        let [f1, f2] = self.multipliers.friction_force();
        self.frame.normal * (self.weights[i] * self.multipliers.lambda)
            + (self.frame.tangents[0] * f1 + self.frame.tangents[1] * f2) * self.anchor_weights[i]
    }
}

fn combine(weights: &[f64; 4], corners: &[Vector3<f64>; 4]) -> Vector3<f64> {
    corners[0] * weights[0]
        + corners[1] * weights[1]
        + corners[2] * weights[2]
        + corners[3] * weights[3]
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Contact {
        /// A contact of `stencil` along `normal`, with zero forces and weights and without an anchor.
        pub(crate) fn bare(key: ContactKey, stencil: &[u32], normal: Vector3<f64>) -> Self {
            let mut points = [0; 4];
            points[..stencil.len()].copy_from_slice(stencil);
            Self {
                key,
                points,
                point_count: stencil.len() as u8,
                weights: [0.0; 4],
                anchor_weights: [0.0; 4],
                origin: Vector3::zeros(),
                anchor: Vector3::zeros(),
                frame: ContactFrame::around(normal),
                distance: 0.0,
                anchored: false,
                slip_start: Vector3::zeros(),
                friction: 0.5,
                multipliers: Multipliers::default(),
                held: false,
                hits: 0,
                relinearised: 0,
                stands_alone: false,
            }
        }
    }

    /// Corners seldom meet exactly opposite: the anchor keeps their offset across the normal.
    #[test]
    fn sticking_leaves_corners_where_they_meet() {
        let key = ContactKey::VertexVertex {
            first: 0,
            second: 1,
        };
        let mut contact = Contact::bare(key, &[0, 1], Vector3::z());
        contact.weights = [1.0, -1.0, 0.0, 0.0];
        let at = |x: f64| {
            let zero = Vector3::zeros();
            [Vector3::new(x, 2e-5, 1e-5), zero, zero, zero]
        };
        contact.drop_anchor(&at(3e-5));
        let slip = |x| contact.frame.tangential(&contact.anchor_vector(&at(x)));
        for (x, expected) in [(3e-5, 0.0), (4e-5, 1e-5)] {
            let [a, b] = slip(x);
            assert!((a.hypot(b) - expected).abs() < 1e-18, "{x}: {a} {b}");
        }
    }
}
