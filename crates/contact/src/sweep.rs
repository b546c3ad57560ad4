//! The Gauss-Seidel sweep over contacts: each contact meets its law in turn, while all others keep their forces.
//!
//! The methods share the sweep and differ in three ways, each by need:
//! - displacements: bare friction problems sum a row of `W` anew, so that nothing drifts; corrective motion keeps `W f`
//!   or the velocities of touched nodes; constraint anticipation and the active-set prediction keep velocities;
//! - laws: the exact law of one contact where sweeps are the solver; one projected step, which is cheaper, where sweeps
//!   are repeated in an outer iteration that ends only when the laws hold;
//! - order: the prediction sweeps independent parts at the same time, all others go through the contacts in order.

use nalgebra::Vector3;

/// Contacts with forces, and what forces do to displacements.
pub(crate) trait SweptContacts {
    /// Displacement of a contact as its law needs it (m).
    fn displacement(&self, contact: usize) -> Vector3<f64>;

    /// The force that meets the law of a contact at displacement `u` (N), `None` to leave it; and the contact's error
    /// or change, in units of its own.
    fn solve(&mut self, contact: usize, u: &Vector3<f64>) -> (Option<Vector3<f64>>, f64);

    /// Replaces the force of a contact; displacements of all follow.
    fn set_force(&mut self, contact: usize, force: &Vector3<f64>);
}

/// Solves one contact; returns its error or change.
#[inline]
pub(crate) fn relax(contacts: &mut impl SweptContacts, contact: usize) -> f64 {
    let u = contacts.displacement(contact);
    let (force, error) = contacts.solve(contact, &u);
    if let Some(force) = force {
        contacts.set_force(contact, &force);
    }
    error
}

/// Solves the first `count` contacts, one after the other; returns the largest error or change.
pub(crate) fn sweep(contacts: &mut impl SweptContacts, count: usize) -> f64 {
    (0..count).fold(0.0, |worst, contact| worst.max(relax(contacts, contact)))
}
