//! The friction problem of the contacts without its operator, and the solution of one contact.

use super::acceleration::within_cone;
use super::operator::DelassusOperator;
use super::scale::Scale;
use crate::delassus::one_contact_near;
use nalgebra::Vector3;

/// Merit over the wanted one (1) below which a sweep skips a contact.
pub(super) const IDLE: f64 = 0.25;

/// Free displacements, friction coefficients, and the scales that residuals are measured with.
pub(super) struct FrictionData<'a> {
    /// `q = J v* − c` (m).
    pub(super) free: &'a [Vector3<f64>],
    /// `μ`.
    pub(super) friction: &'a [f64],
    /// Scales of their residuals.
    pub(super) scales: &'a [Scale],
    /// Of each contact, those that act on a node with it.
    pub(super) neighbours: &'a [Vec<u32>],
}

impl FrictionData<'_> {
    /// Solves one contact under all others, unless its merit is at most `idle`; what its merit was before.
    pub(super) fn solve_contact(
        &self,
        delassus: &mut dyn DelassusOperator,
        contact: usize,
        forces: &mut [Vector3<f64>],
        idle: f64,
    ) -> f64 {
        let before = forces[contact];
        let u = self.free[contact] + delassus.displacement(contact);
        let merit = self.merit_of(contact, &before, &u);
        if merit <= idle && !self.scales[contact].pulls_apart(&before, &u) {
            return merit;
        }
        let own = delassus.own(contact);
        // Where it slides, u_T = −λ f_T: nearly so already.
        let guess = -u.yz().dot(&before.yz()) / before.yz().norm_squared();
        let others = u - own * before;
        let force = one_contact_near(own, &others, self.friction[contact], guess);
        delassus.change(contact, &(force - before));
        forces[contact] = force;
        merit
    }

    /// Brings every force into its cone.
    pub(super) fn onto_cones(&self, forces: &mut [Vector3<f64>]) {
        for (force, friction) in forces.iter_mut().zip(self.friction) {
            *force = within_cone(force, *friction);
        }
    }

    /// Fills `merits` and returns the worst; NaN if one is.
    pub(super) fn merits_of(
        &self,
        delassus: &dyn DelassusOperator,
        forces: &[Vector3<f64>],
        merits: &mut Vec<f64>,
    ) -> f64 {
        let mut worst = 0.0_f64;
        merits.clear();
        for (contact, force) in forces.iter().enumerate() {
            let u = self.free[contact] + delassus.displacement(contact);
            let merit = self.merit_of(contact, force, &u);
            if merit > worst || merit.is_nan() {
                worst = merit;
            }
            merits.push(merit);
        }
        worst
    }

    /// [`Scale::merit`] of a contact; `u` is its displacement, `q` included.
    fn merit_of(&self, contact: usize, force: &Vector3<f64>, u: &Vector3<f64>) -> f64 {
        self.scales[contact].merit(force, u, self.friction[contact])
    }
}
