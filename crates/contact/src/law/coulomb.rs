//! The disk of friction forces that a normal force allows.

use crate::ContactState;

/// The force nearest to `wanted` in the disk of `radius`, and whether that sticks or slides.
pub(crate) fn in_cone(wanted: [f64; 2], radius: f64) -> ([f64; 2], ContactState) {
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
