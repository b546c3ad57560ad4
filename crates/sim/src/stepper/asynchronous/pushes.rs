//! Impulses of penalty layers since the end of the last step, summed by pair: the contact forces of a frame.

use super::pairs::{Features, KeyHasher, Pair};
use crate::contacts::contact::{Contact, ContactKey};
use crate::model::Model;
use impinge_contact::{ContactState, Multipliers, frame::ContactFrame};
use impinge_geometry::kinetic::PairKind;
use nalgebra::Vector3;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Share of the largest friction above which a pair counts as sliding, 0.999 to 1 - 1e-12: friction at its bound, but
/// for the rounding of a sum of impulses. It names the state of a pair, and no force depends on it.
const AT_BOUND: f64 = 1.0 - 1e-6;

/// Impulses on the first side of one pair; the second side feels the opposite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pushed {
    points: [u32; 4],
    count: u8,
    coefficient: f64,
    /// Normal and friction (N s).
    normal: Vector3<f64>,
    friction: Vector3<f64>,
    /// Sum of the sizes of the normal impulses, and of the weights times these (N s).
    size: f64,
    weights: [f64; 4],
}

impl Pushed {
    /// One tick of a layer: an impulse of `size` (N s) along `normal` at the closest points, which have these
    /// `weights`, and `friction` (N s).
    pub(super) fn new(
        pair: &Pair,
        (normal, weights): (&Vector3<f64>, &[f64; 4]),
        size: f64,
        friction: Vector3<f64>,
    ) -> Self {
        Self {
            points: pair.points,
            count: pair.distinct().len() as u8,
            coefficient: pair.friction,
            normal: normal * size,
            friction,
            size,
            weights: weights.map(|weight| weight * size),
        }
    }

    fn add(&mut self, other: &Self) {
        self.normal += other.normal;
        self.friction += other.friction;
        self.size += other.size;
        for (weight, more) in self.weights.iter_mut().zip(other.weights) {
            *weight += more;
        }
    }

    /// The contact with the mean force over `duration` (s), at the mean closest points; `None` without a force.
    fn contact(
        &self,
        model: &Model,
        features: Features,
        duration: f64,
        positions: &[Vector3<f64>],
    ) -> Option<Contact> {
        let normal = self.normal.try_normalize(0.0)?;
        let frame = ContactFrame::around(normal);
        let lambda = self.normal.norm() / duration;
        let friction = frame
            .tangential(&self.friction)
            .map(|impulse| impulse / duration);
        let is_sliding = friction[0].hypot(friction[1]) >= AT_BOUND * self.coefficient * lambda;
        let multipliers = if is_sliding {
            Multipliers {
                state: ContactState::Sliding,
                lambda,
                sliding_force: friction,
                ..Multipliers::default()
            }
        } else {
            Multipliers {
                state: ContactState::Sticking,
                lambda,
                gamma: friction,
                ..Multipliers::default()
            }
        };
        let (key, origin) = match features {
            Features::Two(PairKind::VertexFace, [vertex, face]) => {
                (ContactKey::VertexFace { vertex, face }, Vector3::zeros())
            }
            Features::Two(PairKind::EdgeEdge, [first, second]) => {
                (ContactKey::EdgeEdge { first, second }, Vector3::zeros())
            }
            Features::Plane(vertex, half_space) => (
                ContactKey::VertexHalfSpace { vertex, half_space },
                model.geometry.half_spaces[half_space as usize].point,
            ),
        };
        let mut contact = Contact {
            key,
            points: self.points,
            point_count: self.count,
            weights: self.weights.map(|weight| weight / self.size),
            anchor_weights: [0.0; 4],
            origin,
            anchor: Vector3::zeros(),
            frame,
            distance: 0.0,
            anchored: false,
            slip_start: Vector3::zeros(),
            friction: self.coefficient,
            multipliers,
            held: false,
            hits: 0,
            relinearised: 0,
            stands_alone: false,
        };
        let corners = contact.gather(positions);
        contact.drop_anchor(&corners);
        contact.distance = normal.dot(&contact.gap_vector(&corners));
        Some(contact)
    }
}

/// The impulses of all pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Pushes {
    sums: HashMap<Features, Pushed, BuildHasherDefault<KeyHasher>>,
    /// For speculation: those of a window that may be repeated, with their times (s).
    window: Vec<(f64, Features, Pushed)>,
}

impl Pushes {
    /// Adds the impulses of a tick.
    pub(super) fn add(&mut self, features: Features, pushed: &Pushed) {
        let known = self.sums.entry(features);
        known.and_modify(|sum| sum.add(pushed)).or_insert(*pushed);
    }

    /// The same in a window that may be repeated.
    pub(super) fn add_in_window(&mut self, time: f64, features: Features, pushed: Pushed) {
        self.window.push((time, features, pushed));
    }

    /// Forgets impulses of the window after `time` (s).
    pub(super) fn forget_after(&mut self, time: f64) {
        let kept = self.window.partition_point(|&(at, ..)| at <= time);
        self.window.truncate(kept);
    }

    /// Adds the impulses of an accepted window.
    pub(super) fn accept_window(&mut self) {
        for (_, features, pushed) in std::mem::take(&mut self.window) {
            self.add(features, &pushed);
        }
    }

    /// Writes the contacts with the mean forces over `duration` (s), in the order of their keys, and removes their
    /// impulses.
    pub(super) fn take_contacts(
        &mut self,
        model: &Model,
        duration: f64,
        positions: &[Vector3<f64>],
        contacts: &mut Vec<Contact>,
    ) {
        contacts.clear();
        contacts.extend(
            self.sums
                .drain()
                .filter_map(|(features, sum)| sum.contact(model, features, duration, positions)),
        );
        contacts.sort_unstable_by_key(|contact| contact.key);
    }
}
