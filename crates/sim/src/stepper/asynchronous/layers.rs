//! Penalty layers: one clock each, shared by all pairs with the layer.

use super::clock::Clock;
use super::engine::Engine;
use super::layer::{Layer, Rubbing, Touch};
use super::layer_rules::FAR;
use super::pairs::{Features, Nearest};
use super::pushes::Pushed;
use super::queue::{Event, EventKind};
use crate::error::asynchronous::Stop;
use impinge_contact::penalty::{
    Anchor, ContactLaw, Lever, Proximity, friction_impulse, normal_impulse,
};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Time over which a layer predicts the need of deeper ones, in its periods.
const LOOK_AHEAD: f64 = 2.0;

/// Under speculation, relative distance beyond its thickness up to which a deeper layer stays active: the distance of
/// pressed pairs oscillates.
const STAY: f64 = 0.02;

/// Part of the slip of sticking pairs that is undone in a period of the first layer.
const RETURN: f64 = 0.25;

/// Number of pairs below which a layer is evaluated on one thread.
const WORTH_SHARING: usize = 1024;

/// Pairs per parallel task.
const AT_A_TIME: usize = 256;

/// A tick of a layer.
#[derive(Debug, Clone, Copy)]
struct Tick {
    layer: u32,
    /// Its time (s).
    time: f64,
}

/// A normal impulse (N s) at a time (s), and the law of its contact.
struct Push {
    law: ContactLaw,
    impulse: f64,
    time: f64,
}

impl Engine {
    /// Activates the layers up to `depth` for a pair; each joins its clock at the present phase.
    pub(super) fn activate(&mut self, id: u32, depth: u32, time: f64) {
        let from = self.pairs.get(id).proximity.depth;
        self.set_depth(id, depth, time);
        for layer in from + 1..=depth {
            self.statistics.activations += 1;
            while self.layers.len() < layer as usize {
                let period = self.rules.period(self.layers.len() as u32 + 1);
                self.layers.push(Layer {
                    clock: Clock::new(period),
                    members: Vec::new(),
                    ticking: false,
                });
            }
            self.add_member(layer, id);
            let entry = &mut self.layers[layer as usize - 1];
            if !entry.ticking {
                entry.ticking = true;
                // At this instant the distance is at least the thickness of the layer: the certificate is valid up to
                // now.
                entry.clock.resume_after(time);
                self.schedule_layer(layer);
            }
        }
        self.statistics.deepest_layer = self.statistics.deepest_layer.max(depth);
    }

    fn set_depth(&mut self, id: u32, depth: u32, time: f64) {
        let pair = self.pairs.get_mut(id);
        pair.proximity = Proximity { depth };
        if self.history.is_some() {
            pair.changes.push((time, depth));
        }
    }

    fn add_member(&mut self, layer: u32, id: u32) {
        let features = self.pairs.get(id).features;
        let members = &mut self.layers[layer as usize - 1].members;
        let place = members.partition_point(|&member| self.pairs.get(member).features < features);
        members.insert(place, id);
    }

    /// Gives a pair the layers up to `depth` again without starting their clocks; the caller restores those.
    pub(super) fn join(&mut self, id: u32, depth: u32) {
        let pair = self.pairs.get_mut(id);
        let from = std::mem::replace(&mut pair.proximity, Proximity { depth }).depth;
        for layer in from + 1..=depth {
            self.add_member(layer, id);
        }
    }

    /// Deactivates the layers beyond `depth` of a pair.
    pub(super) fn dismiss(&mut self, id: u32, depth: u32) {
        let pair = self.pairs.get_mut(id);
        let from = std::mem::replace(&mut pair.proximity, Proximity { depth }).depth;
        let features = pair.features;
        for layer in depth + 1..=from {
            let members = &mut self.layers[layer as usize - 1].members;
            let place =
                members.partition_point(|&member| self.pairs.get(member).features < features);
            members.remove(place);
        }
    }

    fn schedule_layer(&mut self, layer: u32) {
        self.queue.push(Event {
            time: self.layers[layer as usize - 1].clock.due(),
            kind: EventKind::Layer,
            // Deepest layer first.
            id: u32::MAX - layer,
            generation: 0,
        });
    }

    /// Number of pairs with layer `u32::MAX − id`.
    #[inline]
    pub(super) fn members_of(&self, id: u32) -> usize {
        self.layers[(u32::MAX - id) as usize - 1].members.len()
    }

    /// Tick of layer `u32::MAX − id`.
    pub(super) fn layer_event(&mut self, id: u32, time: f64) -> Result<(), Stop> {
        let layer = u32::MAX - id;
        let tick = Tick { layer, time };
        let index = layer as usize - 1;
        let mut members = std::mem::take(&mut self.layers[index].members);
        let mut kicked = std::mem::take(&mut self.kicked);
        kicked.clear();
        let mut left = std::mem::take(&mut self.left);
        left.clear();
        self.statistics.layer_ticks += members.len() as u64;
        self.expect_answers_of_joints();
        if members.len() < WORTH_SHARING {
            for &pair in &members {
                let touch = self.touch(pair, tick);
                if self.tick_pair(pair, tick, &touch, &mut kicked) {
                    left.push(pair);
                }
            }
        } else {
            let mut touches = std::mem::take(&mut self.touches);
            members
                .par_iter()
                .with_min_len(AT_A_TIME)
                .map(|&pair| self.touch(pair, tick))
                .collect_into_vec(&mut touches);
            for (&pair, touch) in members.iter().zip(&touches) {
                if self.tick_pair(pair, tick, touch, &mut kicked) {
                    left.push(pair);
                }
            }
            self.touches = touches;
        }
        if !left.is_empty() {
            self.statistics.deactivations += left.len() as u64;
            for &pair in &left {
                self.set_depth(pair, layer - 1, time);
            }
            members.retain(|&pair| self.pairs.get(pair).proximity.depth >= layer);
        }
        let entry = &mut self.layers[index];
        entry.members = members;
        entry.clock.tick += 1;
        entry.ticking = !entry.members.is_empty();
        if entry.ticking {
            self.schedule_layer(layer);
        }
        self.answer_by_joints(time, &mut kicked);
        if let Some(recording) = &mut self.recording {
            recording.note(&kicked, &self.vertices);
        }
        self.settle_rigid_bodies(time, &mut kicked);
        // Check certificates after all impulses of the event.
        self.after_kicks(&kicked, time)?;
        if self.history.is_none() {
            for &pair in &left {
                self.lapse(pair, time)?;
            }
        }
        self.call_ahead(time);
        self.kicked = kicked;
        self.left = left;
        Ok(())
    }

    /// Predicts the layers that a pair will need before the next tick of its deepest one. Speculation has no
    /// certificates that activate layers in time. An unnecessary layer costs idle ticks, a missed layer costs a
    /// repeated window.
    #[inline]
    fn guess(&mut self, id: u32, layer: u32, distance: f64, closing: f64) {
        let ahead = LOOK_AHEAD * self.layers[layer as usize - 1].clock.period;
        let depth = self.rules.depth_after(layer, distance, closing, ahead);
        // The end of the window handles layers beyond the deepest one.
        if depth > layer && depth <= self.rules.deepest {
            self.called.push((id, depth));
        }
    }

    /// Under speculation: whether a layer without compression is the deepest one and is not predicted to be needed. A
    /// layer that is needed again costs part of a window, an idle one costs ticks.
    fn is_idle(&self, layer: u32, distance: f64, separation: f64, proximity: Proximity) -> bool {
        if layer != proximity.depth {
            return false;
        }
        let stays = if layer == 1 { FAR } else { 1.0 + STAY };
        if distance < stays * self.rules.law.thickness(layer) {
            return false;
        }
        if layer == 1 {
            return separation > 0.0;
        }
        let ahead = LOOK_AHEAD * self.layers[layer as usize - 2].clock.period;
        self.rules
            .depth_after(layer - 1, distance, (-separation).max(0.0), ahead)
            < layer
    }

    /// Activates the predicted layers.
    fn call_ahead(&mut self, time: f64) {
        let mut called = std::mem::take(&mut self.called);
        for (id, depth) in called.drain(..) {
            if depth > self.pairs.get(id).proximity.depth {
                self.activate(id, depth, time);
            }
        }
        self.called = called;
    }

    /// Computes the data of a pair for the tick of a layer. They depend on positions only, which impulses do not
    /// change, so pairs may be evaluated in any order.
    #[inline]
    fn touch(&self, id: u32, tick: Tick) -> Touch {
        let Tick { layer, time } = tick;
        let nearest = self.nearest(id, time);
        let gap = nearest.distance - self.rules.law.thickness(layer);
        let rubs = gap < 0.0 && self.pairs.get(id).friction > 0.0;
        Touch {
            nearest,
            gap,
            rubbing: rubs.then(|| self.rubbing(id, &nearest, time)).flatten(),
        }
    }

    fn rubbing(&self, id: u32, nearest: &Nearest, time: f64) -> Option<Rubbing> {
        let pair = self.pairs.get(id);
        let corners = pair
            .points
            .map(|point| self.vertices[point as usize].at(time));
        let lever = match pair.features {
            Features::Two(kind, _) => Lever::between(
                kind.first_side(),
                &corners,
                nearest.weights,
                &nearest.normal,
                nearest.distance,
            )?,
            Features::Plane(..) => Lever::point(&nearest.normal),
        };
        let anchor = self.anchor_of(id, &corners, nearest);
        let back = lever.across(&self.return_velocity(&anchor, &corners, nearest));
        Some(Rubbing {
            lever,
            anchor,
            back,
        })
    }

    /// Applies the impulse of one layer to one pair if the layer is in compression; otherwise decides whether to
    /// deactivate it.
    #[inline]
    fn tick_pair(&mut self, id: u32, tick: Tick, touch: &Touch, kicked: &mut Vec<u32>) -> bool {
        let Tick { layer, time } = tick;
        let Touch { nearest, gap, .. } = touch;
        let pair = self.pairs.get(id);
        let stencil = pair.points;
        let points = pair.distinct().len();
        let (friction, kept, proximity) = (pair.friction, pair.kept, pair.proximity);
        self.rigid.call(&stencil[..points], time);
        let relative = (0..points)
            .map(|k| self.velocity_of(stencil[k], time) * nearest.weights[k])
            .fold(Vector3::zeros(), |sum, part| sum + part);
        let separation = nearest.normal.dot(&relative);
        if layer == proximity.depth && self.history.is_some() {
            self.guess(id, layer, nearest.distance, (-separation).max(0.0));
        }
        if *gap >= 0.0 {
            if layer == 1 {
                self.pairs.get_mut(id).anchor = None;
            }
            if self.history.is_some() {
                return kept < layer
                    && self.is_idle(layer, nearest.distance, separation, proximity);
            }
            return self.settings.culling
                && proximity.may_leave(&self.rules.law, layer, nearest.distance, separation);
        }
        let law = ContactLaw {
            restitution: self.rules.restitution,
            friction,
        };
        let full =
            self.layers[layer as usize - 1].clock.period * self.rules.law.stiffness(layer) * -gap;
        let push = normal_impulse(&law, full, separation);
        self.statistics.layer_pushes += 1;
        self.statistics.smallest_distance = self.statistics.smallest_distance.min(nearest.distance);
        for k in 0..points {
            let impulse = nearest.normal * (push * nearest.weights[k]);
            if self.push(stencil[k], &impulse, time) {
                kicked.push(stencil[k]);
            }
        }
        let rubbed = match &touch.rubbing {
            Some(rubbing) => {
                let push = Push {
                    law,
                    impulse: push,
                    time,
                };
                self.rub(id, nearest, rubbing, &push)
            }
            None => Vector3::zeros(),
        };
        if let Some(pushes) = &mut self.pushes {
            let pair = self.pairs.get(id);
            let at = (&nearest.normal, &nearest.weights);
            let pushed = Pushed::new(pair, at, push, rubbed);
            match &self.history {
                Some(_) => pushes.add_in_window(time, pair.features, pushed),
                None => pushes.add(pair.features, &pushed),
            }
        }
        false
    }

    /// Friction of a pair whose points are at the time of the tick, after a normal impulse. It dissipates energy, or
    /// returns energy that it stored. Returns its impulse on the first side (N s).
    fn rub(&mut self, id: u32, nearest: &Nearest, rubbing: &Rubbing, push: &Push) -> Vector3<f64> {
        let Rubbing {
            lever,
            mut anchor,
            back,
        } = *rubbing;
        let pair = self.pairs.get(id);
        let (points, count) = (pair.points, pair.distinct().len());
        let velocities = points.map(|point| self.velocity_of(point, push.time));
        let inverse_masses = points.map(|point| self.vertices[point as usize].inverse_mass);
        let mobility_of = |shares: &[Vector3<f64>; 4]| {
            Lever::mobility(shares, &inverse_masses)
                + self.rigid_mobility(&points, shares, push.time)
        };
        let slip = lever.slip(&velocities);
        // The distribution of friction per newton second, its impulse (N s), and the energy that it adds (J).
        let act = |sticking: &Vector3<f64>| {
            let against = slip - sticking;
            let speed = against.norm();
            if speed <= 0.0 {
                return None;
            }
            let direction = against / -speed;
            let shares = lever.impulses(&direction);
            let mobility = mobility_of(&shares);
            let size = friction_impulse(&push.law, push.impulse, speed, mobility);
            let energy = size * direction.dot(&slip) + 0.5 * size * size * mobility;
            Some((shares, direction * size, size, energy))
        };
        let mobility: f64 = (0..4)
            .map(|k| nearest.weights[k] * nearest.weights[k] * inverse_masses[k])
            .sum();
        let along = back.try_normalize(0.0).unwrap_or_default();
        let shares = nearest.weights.map(|weight| along * weight);
        let mobility = mobility + self.rigid_mobility(&points, &shares, push.time);
        let back = back.cap_magnitude(anchor.fastest(slip.norm(), mobility));
        // Pairs that rotate have more inertia than their closest points alone.
        let acted = act(&back)
            .filter(|(.., energy)| *energy <= anchor.taken())
            .or_else(|| act(&Vector3::zeros()));
        let mut impulse = Vector3::zeros();
        if let Some((shares, rubbed, size, energy)) = acted {
            impulse = rubbed;
            anchor.take(-energy);
            for k in 0..count {
                self.push(points[k], &(shares[k] * size), push.time);
            }
        }
        self.pairs.get_mut(id).anchor = Some(anchor);
        impulse
    }

    /// The anchor of a pressed pair at these positions.
    ///
    /// The slip is at most `μ` times the compression of the first layer, as if its spring acted in both directions.
    /// Beyond that, sliding drags the anchor along.
    fn anchor_of(&self, id: u32, corners: &[Vector3<f64>; 4], nearest: &Nearest) -> Anchor {
        let pair = self.pairs.get(id);
        let (normal, weights) = (&nearest.normal, nearest.weights);
        let most = pair.friction * (self.rules.law.thickness(1) - nearest.distance);
        let anchor = pair
            .anchor
            .unwrap_or_else(|| Anchor::at(weights, corners, normal));
        let slip = anchor.slip(corners, normal);
        let length = slip.norm();
        if length > most {
            anchor.dragged(weights, corners, normal, &(slip * (most / length)))
        } else {
            anchor
        }
    }

    /// The tangential velocity at which a pair undoes its slip (m/s).
    fn return_velocity(
        &self,
        anchor: &Anchor,
        corners: &[Vector3<f64>; 4],
        nearest: &Nearest,
    ) -> Vector3<f64> {
        anchor.slip(corners, &nearest.normal) * (-RETURN / self.layers[0].clock.period)
    }
}
