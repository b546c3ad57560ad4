//! Penalty layers: one clock each, shared by all pairs that have the layer.

use super::clock::Clock;
use super::engine::Engine;
use super::pairs::Features;
use super::queue::{Event, EventKind};
use super::slabs::Nearest;
use super::system::Stop;
use impinge_contact::penalty::{
    Anchor, ContactLaw, Lever, Proximity, friction_impulse, normal_impulse,
};
use nalgebra::Vector3;
use rayon::prelude::*;

/// How far a guess looks ahead, in periods of the layer that makes it.
const LOOK_AHEAD: f64 = 2.0;

/// How far ahead of its thickness a guess calls a layer, as a fraction of it: others push, too.
const MARGIN: f64 = 0.02;

/// Under speculation a deeper layer stays this much farther than it is thick, as a fraction of it: pairs that are pressed together hover.
const STAY: f64 = 0.02;

/// Under speculation pairs have their first layer within this many times its thickness: that costs little, and a window that
/// has to be run again much.
pub(super) const FAR: f64 = 1.3;

/// Part of the slip that sides which stick undo within a period of the first layer.
const RETURN: f64 = 0.25;

/// Layers of fewer pairs are not worth a second thread.
const WORTH_SHARING: usize = 1024;

/// Pairs that one thread looks at at a time.
const AT_A_TIME: usize = 256;

/// What a tick has to know of a pair that follows from places alone, and not from what the ticks of other pairs did.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    nearest: Nearest,
    /// `g`: distance less the thickness of the layer (m).
    gap: f64,
    /// Only where the layer is pressed, and its sides can rub.
    rubbing: Option<Rubbing>,
}

/// How the sides of a pair rub.
#[derive(Clone, Copy, Debug)]
struct Rubbing {
    lever: Lever,
    anchor: Anchor,
    /// The velocity across the normal at which the sides would undo their slip (m/s).
    back: Vector3<f64>,
}

/// A layer and the pairs that have it.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) clock: Clock,
    /// In the order of their features, so that what a tick does depends on who is there and not on who came first: pairs
    /// with a point in common see the velocities that the ones before them leave.
    pub(super) members: Vec<u32>,
    /// Whether its next tick is in the queue.
    pub(super) ticking: bool,
}

impl Engine {
    /// `h(l) = θ_c / ω_l = h₁ l^(−3/2)` (s).
    pub(super) fn layer_period(&self, layer: u32) -> f64 {
        self.settings.layer_step / self.law.frequency(layer, self.effective_mass)
    }

    /// Calls the layers up to `depth` for a pair; each joins its clock where that is.
    pub(super) fn activate(&mut self, id: u32, depth: u32, time: f64) {
        let from = self.pairs.get(id).proximity.depth;
        self.set_depth(id, depth, time);
        for layer in from + 1..=depth {
            self.statistics.activations += 1;
            while self.layers.len() < layer as usize {
                let period = self.layer_period(self.layers.len() as u32 + 1);
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
                // At this very instant the pair is not closer than the layer is thick: its certificate held so far.
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

    /// Gives the layers up to `depth` to a pair that had them before; their clocks are seen to by others.
    pub(super) fn join(&mut self, id: u32, depth: u32) {
        let pair = self.pairs.get_mut(id);
        let from = std::mem::replace(&mut pair.proximity, Proximity { depth }).depth;
        for layer in from + 1..=depth {
            self.add_member(layer, id);
        }
    }

    /// Takes the layers beyond `depth` from a pair.
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
            // The deepest first.
            id: u32::MAX - layer,
            generation: 0,
        });
    }

    /// How many pairs layer `u32::MAX − id` ticks for.
    #[inline]
    pub(super) fn members_of(&self, id: u32) -> usize {
        self.layers[(u32::MAX - id) as usize - 1].members.len()
    }

    /// Layer `u32::MAX − id` ticks.
    pub(super) fn layer_event(&mut self, id: u32, time: f64) -> Result<(), Stop> {
        let layer = u32::MAX - id;
        let index = layer as usize - 1;
        let mut members = std::mem::take(&mut self.layers[index].members);
        let mut kicked = std::mem::take(&mut self.kicked);
        kicked.clear();
        let mut left = std::mem::take(&mut self.left);
        left.clear();
        self.statistics.layer_ticks += members.len() as u64;
        if members.len() < WORTH_SHARING {
            for &pair in &members {
                let touch = self.touch(pair, layer, time);
                if self.tick_pair(pair, layer, time, &touch, &mut kicked) {
                    left.push(pair);
                }
            }
        } else {
            let mut touches = std::mem::take(&mut self.touches);
            members
                .par_iter()
                .with_min_len(AT_A_TIME)
                .map(|&pair| self.touch(pair, layer, time))
                .collect_into_vec(&mut touches);
            for (&pair, touch) in members.iter().zip(&touches) {
                if self.tick_pair(pair, layer, time, touch, &mut kicked) {
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
        // Certificates after all kicks of the event.
        if let Some(recording) = &mut self.recording {
            recording.note(&kicked, &self.vertices);
        }
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

    /// Speculation has no certificates that call layers in time; it calls those that a pair will probably need before the
    /// next tick of its deepest one. A guess too many costs ticks that push nothing, one too few a window.
    #[inline]
    fn guess(&mut self, id: u32, layer: u32, distance: f64, closing: f64) {
        let ahead = LOOK_AHEAD * self.layers[layer as usize - 1].clock.period;
        let depth = self.depth_after(layer, distance, closing, ahead);
        // Beyond the deepest one it is for the end of the window to say.
        if depth > layer && depth <= self.deepest {
            self.called.push((id, depth));
        }
    }

    /// The layers that a pair with `depth` of them will need within `duration` (s) if it goes on closing at `closing` (m/s):
    /// not more than there are on its way, nor than stop it.
    pub(super) fn depth_after(
        &self,
        depth: u32,
        distance: f64,
        closing: f64,
        duration: f64,
    ) -> u32 {
        let next = (distance - closing * duration) / (1.0 + MARGIN);
        if next >= self.law.thickness(depth + 1) {
            return depth;
        }
        // In a window that will be run again sides may be anywhere.
        let most = self.deepest.max(depth + 1);
        if distance <= self.law.thickness(most) {
            return most;
        }
        let held = if depth > 0 {
            self.law.energy(distance)
        } else {
            0.0
        };
        let energy = 0.5 * self.effective_mass * closing * closing + held;
        #[expect(
            clippy::cast_sign_loss,
            reason = "a positive number; a huge one saturates"
        )]
        let stopping = self.law.layers_reached(energy).ceil() as u32;
        self.law
            .layers_at(next.max(0.0))
            .min(stopping)
            .clamp(depth + 1, most)
    }

    /// Under speculation: whether a layer that is not pressed is the deepest one and will not be guessed to be needed. What comes back
    /// unforeseen costs part of a window, what ticks for nothing costs, too.
    fn is_idle(&self, layer: u32, distance: f64, separation: f64, proximity: Proximity) -> bool {
        if layer != proximity.depth {
            return false;
        }
        let stays = if layer == 1 { FAR } else { 1.0 + STAY };
        if distance < stays * self.law.thickness(layer) {
            return false;
        }
        if layer == 1 {
            return separation > 0.0;
        }
        let ahead = LOOK_AHEAD * self.layers[layer as usize - 2].clock.period;
        self.depth_after(layer - 1, distance, (-separation).max(0.0), ahead) < layer
    }

    /// Calls the layers that were guessed.
    fn call_ahead(&mut self, time: f64) {
        let mut called = std::mem::take(&mut self.called);
        for (id, depth) in called.drain(..) {
            if depth > self.pairs.get(id).proximity.depth {
                self.activate(id, depth, time);
            }
        }
        self.called = called;
    }

    /// Looks at a pair for the tick of a layer: from places only, which kicks do not change, so pairs may be looked at in any order.
    #[inline]
    fn touch(&self, id: u32, layer: u32, time: f64) -> Touch {
        let nearest = self.nearest(id, time);
        let gap = nearest.distance - self.law.thickness(layer);
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

    /// One layer acts on one pair, if it is pressed; otherwise says whether it may leave.
    #[inline]
    fn tick_pair(
        &mut self,
        id: u32,
        layer: u32,
        time: f64,
        touch: &Touch,
        kicked: &mut Vec<u32>,
    ) -> bool {
        let Touch { nearest, gap, .. } = touch;
        let pair = self.pairs.get(id);
        let stencil = pair.points;
        let points = pair.distinct().len();
        let relative = (0..points)
            .map(|k| self.vertices[stencil[k] as usize].velocity * nearest.weights[k])
            .fold(Vector3::zeros(), |sum, part| sum + part);
        let separation = nearest.normal.dot(&relative);
        let (friction, kept, proximity) = (pair.friction, pair.kept, pair.proximity);
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
                && proximity.may_leave(&self.law, layer, nearest.distance, separation);
        }
        let law = ContactLaw {
            restitution: self.restitution,
            friction,
        };
        let full = self.layers[layer as usize - 1].clock.period * self.law.stiffness(layer) * -gap;
        let push = normal_impulse(&law, full, separation);
        self.statistics.layer_pushes += 1;
        self.statistics.smallest_distance = self.statistics.smallest_distance.min(nearest.distance);
        for k in 0..points {
            let vertex = &mut self.vertices[stencil[k] as usize];
            self.statistics.steps.count(time - vertex.time);
            vertex.sync(time);
            vertex.kick(&(nearest.normal * (push * nearest.weights[k])));
            kicked.push(stencil[k]);
        }
        if let Some(rubbing) = &touch.rubbing {
            self.rub(id, nearest, rubbing, &law, push);
        }
        false
    }

    /// Friction of a pair whose points are at the time of the tick and have had the normal impulse `push` (N s). It takes
    /// energy, or gives back what it took.
    fn rub(&mut self, id: u32, nearest: &Nearest, rubbing: &Rubbing, law: &ContactLaw, push: f64) {
        let Rubbing {
            lever,
            mut anchor,
            back,
        } = *rubbing;
        let pair = self.pairs.get(id);
        let (points, count) = (pair.points, pair.distinct().len());
        let vertices = points.map(|point| &self.vertices[point as usize]);
        let velocities = vertices.map(|vertex| vertex.velocity);
        let inverse_masses = vertices.map(|vertex| vertex.inverse_mass);
        let slip = lever.slip(&velocities);
        // The shares of friction, for one newton second of it; how much of it; and the energy that it adds (J).
        let act = |sticking: &Vector3<f64>| {
            let against = slip - sticking;
            let speed = against.norm();
            if speed <= 0.0 {
                return None;
            }
            let direction = against / -speed;
            let shares = lever.impulses(&direction);
            let mobility = Lever::mobility(&shares, &inverse_masses);
            let size = friction_impulse(law, push, speed, mobility);
            let energy = size * direction.dot(&slip) + 0.5 * size * size * mobility;
            Some((shares, size, energy))
        };
        let mobility: f64 = (0..4)
            .map(|k| nearest.weights[k] * nearest.weights[k] * inverse_masses[k])
            .sum();
        let back = back.cap_magnitude(anchor.fastest(slip.norm(), mobility));
        // Sides that turn, too, take more to move than their closest points.
        let acted = act(&back)
            .filter(|(.., energy)| *energy <= anchor.taken())
            .or_else(|| act(&Vector3::zeros()));
        if let Some((shares, size, energy)) = acted {
            anchor.take(-energy);
            for k in 0..count {
                self.vertices[points[k] as usize].kick(&(shares[k] * size));
            }
        }
        self.pairs.get_mut(id).anchor = Some(anchor);
    }

    /// The anchor of a pressed pair at these places.
    ///
    /// The slip is at most `μ` times how far the first layer is pressed in, as if that were the spring of both directions:
    /// beyond it the sides drag the anchor along.
    fn anchor_of(&self, id: u32, corners: &[Vector3<f64>; 4], nearest: &Nearest) -> Anchor {
        let pair = self.pairs.get(id);
        let (normal, weights) = (&nearest.normal, nearest.weights);
        let most = pair.friction * (self.law.thickness(1) - nearest.distance);
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

    /// The velocity across the normal at which a pair undoes its slip (m/s).
    fn return_velocity(
        &self,
        anchor: &Anchor,
        corners: &[Vector3<f64>; 4],
        nearest: &Nearest,
    ) -> Vector3<f64> {
        anchor.slip(corners, &nearest.normal) * (-RETURN / self.layers[0].clock.period)
    }
}
