//! The disk of friction forces that a normal force allows.
//!
//! `active_set_cr` projects by it. Other methods have projections of their own, because each needs another form:
//! - `delassus/progress.rs` projects onto the cone in three dimensions, which changes the normal force too;
//! - `method/corrective_motion/acceleration.rs` takes lengths by `hypot` and drops forces that pull;
//! - `method/corrective_motion/scale.rs` compares squares and forms the projection only outside the disk;
//! - `method/constraint_anticipation/contacts.rs` multiplies by the radius before it divides by the length;
//! - `method/staggered_projections/friction.rs` scales sliding forces that lie inside the disk, too;
//! - `residual.rs` and `delassus/judge.rs` share no code with a solver, as independent checks.

use crate::ContactState;

/// The force nearest to `wanted` in the disk of `radius`, and whether that sticks or slides.
pub(crate) fn onto_disk(wanted: [f64; 2], radius: f64) -> ([f64; 2], ContactState) {
    // Forces are far from overflow, and this is done for every contact in every step.
    let size = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt();
    if size <= radius {
        (wanted, ContactState::Sticking)
    } else {
        let share = radius / size;
        (
            [wanted[0] * share, wanted[1] * share],
            ContactState::Sliding,
        )
    }
}
