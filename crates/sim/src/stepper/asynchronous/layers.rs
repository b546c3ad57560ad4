//! Penalty layers: one clock each, shared by all pairs that have the layer.

use super::clock::Clock;
use super::engine::Engine;
use super::pairs::Features;
use super::queue::{Event, EventKind};
use super::system::Stop;
use impinge_contact::penalty::{ContactLaw, LayerPush, Proximity, layer_impulse};

/// A layer and the pairs that have it.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) clock: Clock,
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
        self.pairs.get_mut(id).proximity = Proximity { depth };
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
            let entry = &mut self.layers[layer as usize - 1];
            entry.members.push(id);
            if !entry.ticking {
                entry.ticking = true;
                // At this very instant the pair is not closer than the layer is thick: its certificate held so far.
                entry.clock.resume_after(time);
                self.schedule_layer(layer);
            }
        }
        self.statistics.deepest_layer = self.statistics.deepest_layer.max(depth);
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
        for &pair in &members {
            if self.tick_pair(pair, layer, time, &mut kicked) {
                left.push(pair);
            }
        }
        if !left.is_empty() {
            self.statistics.deactivations += left.len() as u64;
            for &pair in &left {
                self.pairs.get_mut(pair).proximity = Proximity { depth: layer - 1 };
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
        self.check_promises(&kicked, time)?;
        for &pair in &left {
            self.lapse(pair, time)?;
        }
        self.kicked = kicked;
        self.left = left;
        Ok(())
    }

    /// One layer acts on one pair, if it is pressed; otherwise says whether it may leave.
    #[inline]
    fn tick_pair(&mut self, id: u32, layer: u32, time: f64, kicked: &mut Vec<u32>) -> bool {
        let nearest = self.nearest(id, time);
        let pair = self.pairs.get(id);
        let points = match pair.features {
            Features::Two(..) => 4,
            Features::Plane(..) => 1,
        };
        let stencil = pair.points;
        let relative = || {
            (0..points)
                .map(|k| self.vertices[stencil[k] as usize].velocity * nearest.weights[k])
                .fold(nalgebra::Vector3::zeros(), |sum, part| sum + part)
        };
        let gap = nearest.distance - self.law.thickness(layer);
        if gap >= 0.0 {
            return self.settings.culling
                && pair.proximity.may_leave(
                    &self.law,
                    layer,
                    nearest.distance,
                    nearest.normal.dot(&relative()),
                );
        }
        let mobility = (0..points)
            .map(|k| {
                let weight = nearest.weights[k];
                weight * weight * self.vertices[stencil[k] as usize].inverse_mass
            })
            .sum();
        let push = LayerPush {
            impulse: self.layers[layer as usize - 1].clock.period
                * self.law.stiffness(layer)
                * -gap,
            normal: nearest.normal,
            relative_velocity: relative(),
            mobility,
        };
        let law = ContactLaw {
            restitution: self.restitution,
            friction: pair.friction,
        };
        let impulse = layer_impulse(&law, &push);
        self.statistics.layer_pushes += 1;
        self.statistics.smallest_distance = self.statistics.smallest_distance.min(nearest.distance);
        for k in 0..points {
            let vertex = &mut self.vertices[stencil[k] as usize];
            self.statistics.steps.count(time - vertex.time);
            vertex.sync(time);
            vertex.kick(&(impulse * nearest.weights[k]));
            kicked.push(stencil[k]);
        }
        false
    }
}
