//! Gauss-Seidel sweep over contacts: contacts are solved for their laws one by one, with all others fixed.
//!
//! The methods share the sweep and differ in three ways, each with a reason:
//! - response: friction problems compute a row of `W r` for each contact, so that nothing drifts; corrective motion
//!   updates `W f` or the velocities of contact nodes; constraint anticipation and the active-set prediction update
//!   velocities;
//! - laws: the exact solution of one contact if sweeps are the solver; one projected step, which is cheaper, if sweeps
//!   are repeated in an outer iteration that ends when the laws hold;
//! - order: the prediction sweeps independent parts in parallel, all others sweep the contacts in order.

use nalgebra::Vector3;

/// Contacts with forces, their laws, and the response of displacements to forces.
pub(crate) trait SweptContacts {
    /// Force of a contact (N), to be replaced.
    fn force(&mut self, contact: usize) -> &mut Vector3<f64>;

    /// Displacement of a contact in the form that its law needs (m).
    fn displacement(&self, contact: usize) -> Vector3<f64>;

    /// The force that meets the law of a contact at displacement `u` (N), or `None` to skip it; and the contact's error
    /// or change, in a unit of the implementation.
    fn solve(&mut self, contact: usize, u: &Vector3<f64>) -> (Option<Vector3<f64>>, f64);

    /// Updates all displacements for a `change` of a contact's force (N) that is not zero.
    fn respond(&mut self, contact: usize, change: &Vector3<f64>);
}

/// Solves one contact; returns its error or change.
#[inline]
pub(crate) fn relax(contacts: &mut impl SweptContacts, contact: usize) -> f64 {
    let u = contacts.displacement(contact);
    let (force, error) = contacts.solve(contact, &u);
    if let Some(force) = force {
        let change = force - std::mem::replace(contacts.force(contact), force);
        if change != Vector3::zeros() {
            contacts.respond(contact, &change);
        }
    }
    error
}

/// Solves the first `count` contacts in order; returns the largest error or change.
pub(crate) fn sweep(contacts: &mut impl SweptContacts, count: usize) -> f64 {
    (0..count).fold(0.0, |worst, contact| worst.max(relax(contacts, contact)))
}
