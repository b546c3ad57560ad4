//! Some contacts alone, with all others fixed.

use super::assembled::Assembled;
use super::friction_data::FrictionData;
use super::operator::DelassusOperator;
use super::scale::Scale;
use nalgebra::Vector3;

/// Their part of `W`, their friction problem and their forces.
#[derive(Default)]
pub(super) struct Subset {
    /// Ascending.
    pub(super) contacts: Vec<u32>,
    pub(super) delassus: Assembled,
    pub(super) forces: Vec<Vector3<f64>>,
    free: Vec<Vector3<f64>>,
    friction: Vec<f64>,
    scales: Vec<Scale>,
}

impl Subset {
    /// Copies the data of `contacts`. `forces` are those of `delassus`.
    pub(super) fn take(
        &mut self,
        delassus: &dyn DelassusOperator,
        data: &FrictionData<'_>,
        forces: &[Vector3<f64>],
    ) {
        delassus.restrict(&self.contacts, &mut self.delassus.w);
        self.forces.clear();
        self.free.clear();
        self.friction.clear();
        self.scales.clear();
        for &contact in &self.contacts {
            self.forces.push(forces[contact as usize]);
            self.friction.push(data.friction[contact as usize]);
            self.scales.push(data.scales[contact as usize]);
        }
        for (place, &contact) in self.contacts.iter().enumerate() {
            let contact = contact as usize;
            let own = self.delassus.w.row_times(place, &self.forces);
            let all = data.free[contact] + delassus.displacement(contact);
            self.free.push(all - own);
        }
    }

    /// Their friction problem, with `neighbours` among themselves.
    pub(super) fn split<'a>(
        &'a mut self,
        neighbours: &'a [Vec<u32>],
    ) -> (FrictionData<'a>, &'a mut Assembled, &'a mut [Vector3<f64>]) {
        let data = FrictionData {
            free: &self.free,
            friction: &self.friction,
            scales: &self.scales,
            neighbours,
        };
        (data, &mut self.delassus, &mut self.forces)
    }

    /// Writes their forces to `forces` and to `delassus`.
    pub(super) fn give(&self, delassus: &mut dyn DelassusOperator, forces: &mut [Vector3<f64>]) {
        for (&contact, force) in self.contacts.iter().zip(&self.forces) {
            let contact = contact as usize;
            delassus.change(contact, &(force - forces[contact]));
            forces[contact] = *force;
        }
    }
}
