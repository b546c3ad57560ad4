//! The friction problem of the contacts without its operator, and its contacts in a sweep.

use super::acceleration::within_cone;
use super::operator::DelassusOperator;
use super::scale::Scale;
use crate::{delassus::one_contact_near, sweep::SweptContacts};
use nalgebra::Vector3;

/// Merit over the wanted one below which a sweep skips a contact.
pub(super) const IDLE: f64 = 0.25;

/// Free displacements, friction coefficients and scales of the residual.
pub(super) struct FrictionData<'a> {
    /// `q = J v* − c` (m).
    pub(super) free: &'a [Vector3<f64>],
    /// `μ`.
    pub(super) friction: &'a [f64],
    /// Scales of the contacts' residuals.
    pub(super) scales: &'a [Scale],
    /// For each contact, the contacts on its nodes.
    pub(super) neighbours: &'a [Vec<u32>],
}

impl FrictionData<'_> {
    /// The contacts in a sweep, which skips those with a merit of at most `idle`.
    pub(super) fn swept<'a>(
        &'a self,
        delassus: &'a mut dyn DelassusOperator,
        forces: &'a mut [Vector3<f64>],
        idle: f64,
    ) -> SweptForces<'a> {
        SweptForces {
            data: self,
            delassus,
            forces,
            idle,
        }
    }

    /// Projects every force onto its cone.
    pub(super) fn onto_cones(&self, forces: &mut [Vector3<f64>]) {
        for (force, friction) in forces.iter_mut().zip(self.friction) {
            *force = within_cone(force, *friction);
        }
    }

    /// Computes all `merits` and returns the worst; NaN if one is NaN.
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

/// Forces in a sweep, with their displacements. The error of a contact is its merit before it is solved.
pub(super) struct SweptForces<'a> {
    data: &'a FrictionData<'a>,
    delassus: &'a mut dyn DelassusOperator,
    forces: &'a mut [Vector3<f64>],
    idle: f64,
}

impl SweptContacts for SweptForces<'_> {
    fn force(&mut self, contact: usize) -> &mut Vector3<f64> {
        &mut self.forces[contact]
    }

    fn displacement(&self, contact: usize) -> Vector3<f64> {
        self.data.free[contact] + self.delassus.displacement(contact)
    }

    fn solve(&mut self, contact: usize, u: &Vector3<f64>) -> (Option<Vector3<f64>>, f64) {
        let (data, before) = (self.data, self.forces[contact]);
        let merit = data.merit_of(contact, &before, u);
        if merit <= self.idle && !data.scales[contact].pulls_apart(&before, u) {
            return (None, merit);
        }
        let own = self.delassus.own(contact);
        // A sliding contact has u_T = −λ f_T; this holds nearly.
        let guess = -u.yz().dot(&before.yz()) / before.yz().norm_squared();
        let others = u - own * before;
        let force = one_contact_near(own, &others, data.friction[contact], guess);
        (Some(force), merit)
    }

    fn respond(&mut self, contact: usize, change: &Vector3<f64>) {
        self.delassus.change(contact, change);
    }
}
