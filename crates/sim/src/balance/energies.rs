//! Energies of a state: of the whole, and of each account of the balance.

use super::accounts::Accounts;
use crate::measure::strains::constraint_energies;
use crate::model::Model;
use crate::state::State;
use nalgebra::Vector3;

/// Energies of a state (J).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Energies {
    pub(crate) kinetic: f64,
    pub(crate) elastic: f64,
    /// Gravitational energy, 0 at the origin.
    pub(crate) gravitational: f64,
    /// Energy of the penalty layers of the asynchronous stepper, if they gave back all of it.
    pub(crate) layers: f64,
    /// Share of it that they give back when their pairs separate (1).
    pub(crate) returned_share: f64,
    /// Sum of the absolute values of all terms.
    pub(crate) size: f64,
}

/// Energies of one account (J).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Stored {
    pub(crate) kinetic: f64,
    pub(crate) gravity: f64,
    /// Of elements and constraints.
    pub(crate) elastic: f64,
    /// The part of `elastic` in constraints between points that never move freely.
    pub(crate) between_held: f64,
}

/// Receiver of the terms of the energies, one after the other.
trait Sums {
    fn add(&mut self, solid: impl FnOnce() -> usize, energy: impl FnOnce(&mut Stored));
    /// Energies of constraints and of the elements of all bodies.
    fn elements(&mut self, model: &Model, positions: &[Vector3<f64>]) -> f64;
    fn constraint(&mut self, first: usize, is_held: bool, energy: f64);
}

/// Only the sums over all accounts.
struct Whole;

impl Sums for Whole {
    fn add(&mut self, _: impl FnOnce() -> usize, _: impl FnOnce(&mut Stored)) {}

    fn elements(&mut self, model: &Model, positions: &[Vector3<f64>]) -> f64 {
        model.elements.elastic.energy(positions)
    }

    fn constraint(&mut self, _: usize, _: bool, _: f64) {}
}

/// The sums of each account.
struct Each<'a> {
    accounts: &'a Accounts,
    of_tets: &'a mut Vec<f64>,
    stored: &'a mut [Stored],
}

impl Sums for Each<'_> {
    fn add(&mut self, solid: impl FnOnce() -> usize, energy: impl FnOnce(&mut Stored)) {
        energy(&mut self.stored[solid()]);
    }

    fn elements(&mut self, model: &Model, positions: &[Vector3<f64>]) -> f64 {
        self.of_tets.resize(model.elements.tets.len(), 0.0);
        let total = (model.elements.elastic).energies_into(positions, self.of_tets);
        for (body, stored) in model.geometry.bodies.iter().zip(&mut *self.stored) {
            stored.elastic += self.of_tets[body.tets.clone()].iter().sum::<f64>();
        }
        total
    }

    fn constraint(&mut self, first: usize, is_held: bool, energy: f64) {
        let stored = &mut self.stored[self.accounts.of_row(first)];
        stored.elastic += energy;
        if is_held {
            stored.between_held += energy;
        }
    }
}

impl Energies {
    /// The energies of a state.
    pub(crate) fn of(model: &Model, state: &State) -> Self {
        Self::with(model, state, &mut Whole)
    }

    /// The same bits, and the energies of each account in `stored`. `of_tets` is scratch.
    pub(crate) fn by_account(
        model: &Model,
        state: &State,
        accounts: &Accounts,
        of_tets: &mut Vec<f64>,
        stored: &mut Vec<Stored>,
    ) -> Self {
        stored.clear();
        stored.resize(accounts.count(), Stored::default());
        let mut sums = Each {
            accounts,
            of_tets,
            stored,
        };
        Self::with(model, state, &mut sums)
    }

    fn with(model: &Model, state: &State, sums: &mut impl Sums) -> Self {
        let (mut kinetic, mut gravitational, mut size) = (0.0, 0.0, 0.0);
        let mut weigh = |mass: f64, x: &Vector3<f64>| {
            let energy = -mass * model.settings.gravity.dot(x);
            gravitational += energy;
            size += energy.abs();
            energy
        };
        for (point, &mass) in model.points.mass.iter().enumerate() {
            let height = weigh(mass, &state.positions[point]);
            let motion = 0.5 * mass * state.velocities[point].norm_squared();
            kinetic += motion;
            sums.add(
                || model.geometry.solid_of_point(point as u32),
                |stored| {
                    stored.gravity += height;
                    stored.kinetic += motion;
                },
            );
        }
        for (rigid, at) in model.rigid.iter().zip(&state.rigid) {
            let height = weigh(rigid.inertia.mass(), &at.pose.center);
            let motion = rigid.kinetic_energy(at);
            kinetic += motion;
            sums.add(
                || rigid.body,
                |stored| {
                    stored.gravity += height;
                    stored.kinetic += motion;
                },
            );
        }
        let elements = sums.elements(model, &state.positions);
        let thin = (model.elements.thin).energy_with(&state.positions, &mut |point, energy| {
            sums.add(
                || model.geometry.solid_of_point(point),
                |stored| stored.elastic += energy,
            );
        });
        let constraints: f64 = constraint_energies(model, state)
            .map(|(first, is_held, energy)| {
                sums.constraint(first, is_held, energy);
                energy
            })
            .sum();
        let elastic = elements + thin + constraints;
        Self {
            kinetic,
            elastic,
            gravitational,
            layers: 0.0,
            returned_share: 1.0,
            size: size + kinetic + elastic,
        }
    }

    /// Least change since `start` (J).
    ///
    /// Layers that are pressed further hold at least the share that they give back. Layers that are pressed less may
    /// give back all of it: the last impulse of an approach, which turns the motion, acts in full. So layers that give
    /// back more than their share do not count as a gain, unless they give more than they took.
    pub(crate) fn change_since(&self, start: &Self) -> f64 {
        let bare = |of: &Self| of.kinetic + of.elastic + of.gravitational;
        let pressed = self.layers - start.layers;
        bare(self) - bare(start) + pressed.min(self.returned_share * pressed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layers that take 2 J and give back 3 J are a gain of 1 J at most; those that give back their share are none.
    #[test]
    fn layers_give_back_no_more_than_they_took() {
        let of = |kinetic, layers, returned_share| Energies {
            kinetic,
            layers,
            returned_share,
            ..Energies::default()
        };
        for share in [1.0, 0.25, 0.0] {
            let (free, pressed) = (of(2.0, 0.0, share), of(0.0, 2.0, share));
            let taken = pressed.change_since(&free);
            assert!((taken - 2.0 * (share - 1.0)).abs() < 1e-15);
            let back = |kinetic| of(kinetic, 0.0, share).change_since(&pressed);
            assert!(back(2.0 * share) <= 0.0);
            assert!((back(3.0) - 1.0).abs() < 1e-15);
        }
    }
}
